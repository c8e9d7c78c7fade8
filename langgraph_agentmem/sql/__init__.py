"""The named queries and migrations of the ``sql`` folder."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import NamedTuple

_NAME = re.compile(r"^-- name: (\w+)\n", re.MULTILINE)


class Migration(NamedTuple):
    """One numbered change of the schema."""

    number: int
    name: str
    script: str


@cache
def queries(*names: str) -> dict[str, str]:
    """The queries of these files by name, e.g. `queries("common.sql", "sqlite.sql")`."""
    found: dict[str, str] = {}
    for name in names:
        text = (files(__package__) / name).read_text(encoding="utf-8")
        _, *parts = _NAME.split(text)
        for query, sql in zip(parts[::2], parts[1::2], strict=True):
            if query in found:
                raise ValueError(f"the query {query} is defined twice")
            found[query] = sql.strip()
    return found


@cache
def migrations(dialect: str) -> tuple[Migration, ...]:
    """The migrations of a dialect in order, from the files `NNNN_name.sql`."""
    folder = files(__package__) / "migrations" / dialect
    found = []
    for file in sorted(folder.iterdir(), key=lambda one: one.name):
        number, _, name = file.name.removesuffix(".sql").partition("_")
        found.append(Migration(int(number), name, file.read_text(encoding="utf-8")))
    return tuple(found)
