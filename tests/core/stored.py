"""What a store holds, looked at from outside."""

from __future__ import annotations

import sqlite3

NS = ("memories", "asha")
CITY = "home_city"


def everything(path) -> list[str]:
    """Every row of every table, as text."""
    with sqlite3.connect(path) as connection:
        dump = list(connection.iterdump())
    connection.close()
    return dump


def timeline(store, topic=CITY, namespace=NS) -> list[tuple]:
    """The history as (number, text, valid_from, valid_to)."""
    return [
        (version.number, version.text, version.valid_from, version.valid_to)
        for version in store.history(namespace, topic)
    ]
