"""Who said what: read once for each namespace, then only what was said since."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from langgraph_agentmem.protocols import Ids
from langgraph_agentmem.ranking import Chain
from langgraph_agentmem.shelves import Roll, Shelves

from . import Row, Statement, Steps
from .words import words

_MICROSECONDS_A_DAY = 86_400_000_000
_EPOCH_DAY = 719_163
"""The ordinal of 1 January 1970."""

_COLUMNS = 8

NOBODY = -1

_MOST_DAYS = 2**22
"""More than the ordinal of any day."""


def roll_of(home: int, sayings: int, shelves: Shelves) -> Steps[Roll | None]:
    """The roll of a namespace that has this count of sayings; None when nothing names a source."""
    if not sayings:
        return None
    held = shelves.find_roll(home)
    if held is not None and held.sayings == sayings:
        return held
    if held is not None and held.sayings > sayings:
        held = None  # another reader has seen what this transaction does not
    since = held.sayings if held is not None else -1
    counted = yield Statement("count_said", {"namespace_id": home, "since": since})
    if held is not None and len(held.table) + counted[0]["new"] != counted[0]["rows"]:
        held, since = None, -1  # something was removed: what is left is read anew
    rows = yield Statement("list_said", {"namespace_id": home, "since": since})
    roll = replace(held, sayings=sayings) if held is not None and not rows else None
    roll = roll or made_of(rows, sayings=sayings, beside=held)
    shelves.keep_roll(home, roll)
    return roll


def made_of(rows: Sequence[Row], *, sayings: int = 0, beside: Roll | None = None) -> Roll:
    """A roll of rows, and of those that another has."""
    threads = _Names(beside.threads if beside is not None else ())
    authors = _Names(beside.authors if beside is not None else ())
    columns = [
        (
            row["memory_id"],
            threads.number(row["thread_id"]),
            row["place"],
            authors.number(row["author"]),
            _day(row["said_at"]),
            row["is_turn"],
            row["asks"],
            NOBODY,
        )
        for row in rows
    ]
    table = np.array(columns, dtype=np.int64).reshape(len(columns), _COLUMNS)
    if beside is not None:
        table = np.concatenate([beside.table, table])
    table = table[np.lexsort((table[:, 0], table[:, 2], table[:, 1]))]
    table[:, 7] = _sessions(table[:, 1], table[:, 4])
    return Roll(sayings, table, tuple(threads.known), tuple(authors.known))


def _sessions(threads: Ids, days: Ids) -> Ids:
    """Numbers of what was said in one thread on one day; none without a thread."""
    _, numbers = np.unique(threads * _MOST_DAYS + days, return_inverse=True)
    return np.where(threads == NOBODY, NOBODY, numbers)


def _day(said_at: int | None) -> int:
    return 0 if said_at is None else max(_EPOCH_DAY + said_at // _MICROSECONDS_A_DAY, 1)


class _Names:
    """Names by their number, in the order in which they came."""

    def __init__(self, known: Iterable[str]) -> None:
        self.known = {name: number for number, name in enumerate(known)}

    def number(self, name: str | None) -> int:
        return NOBODY if name is None else self.known.setdefault(name, len(self.known))


def chain_of(rolls: Sequence[Roll], gone: Ids) -> tuple[Chain, list[str]]:
    """The rolls of several namespaces as one chain without what is gone, and its authors' names."""
    authors = _Names(())
    tables: list[Ids] = []
    threads = sessions = 0
    for roll in rolls:
        table = roll.table
        if len(rolls) > 1:  # numbers of one namespace mean nothing in another
            table = table.copy()
            table[:, 1] += np.where(table[:, 1] == NOBODY, 0, threads)
            table[:, 7] += np.where(table[:, 7] == NOBODY, 0, sessions)
        numbers = np.array([*map(authors.number, roll.authors), NOBODY], dtype=np.int64)
        if len(rolls) > 1:
            table[:, 3] = numbers[table[:, 3]]
        tables.append(table)
        threads += len(roll.threads)
        sessions += int(roll.table[:, 7].max(initial=NOBODY)) + 1
    table = tables[0] if len(tables) == 1 else np.concatenate(tables)
    if len(gone):
        table = table[~np.isin(table[:, 0], gone)]
    ids, said_in, _, said_by, days, turns, asks, together = np.ascontiguousarray(table.T)
    chain = Chain(ids, said_in, together, said_by, days, turns == 1, asks == 1)
    return chain, list(authors.known)


def folded(names: Iterable[str]) -> list[list[str]]:
    """The words of each name."""
    return [list(words(name)) for name in names]
