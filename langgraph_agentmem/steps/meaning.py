"""How near memories are to a query: vectors are read once, then only what was added since."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from langgraph_agentmem.protocols import Ids, Vectors
from langgraph_agentmem.shelves import Shelf, Shelves, best_parts

from . import Row, Statement, Steps

_ROWS_AT_ONCE = 2000
"""Vectors read by one statement: bounds what is in memory besides the matrix itself."""

Scores = tuple[Ids, Vectors]


def scores(homes: Mapping[int, int], query: Vectors, shelves: Shelves) -> Steps[Scores]:
    """The ids in these namespaces and their cosines with the query.

    Args:
        homes: Ids of namespaces, and how often each has changed.
        query: A unit vector of shape (dims,).
        shelves: Where vectors are kept between searches.
    """
    ids: list[Ids] = []
    found: list[Vectors] = []
    for home, changes in homes.items():
        shelf = yield from _shelf(home, changes, shelves)
        if len(shelf.ids):
            own, scored = best_parts(shelf, query)
            ids.append(own)
            found.append(scored)
    if not ids:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32)
    if len(ids) == 1:
        return ids[0], found[0]
    return np.concatenate(ids), np.concatenate(found)


def _shelf(home: int, changes: int, shelves: Shelves) -> Steps[Shelf]:
    held = shelves.find(home)
    if held is not None and held.changes == changes:
        return held
    if held is not None and held.changes > changes:
        held = None  # another reader has seen what this transaction does not
    since = held.changes if held is not None else -1
    counted = yield Statement("count_vectors", {"namespace_id": home, "since": since})
    rows, new = counted[0]["rows"], counted[0]["new"]
    if held is not None and len(held.ids) and len(held.ids) + new == rows:
        ids, matrix = yield from _read(home, since, new)
        shelf = held.beside(changes, ids, matrix) if new else replace(held, changes=changes)
    else:  # something was removed: what is left is read anew
        ids, matrix = yield from _read(home, -1, rows)
        shelf = Shelf.of(changes, ids, matrix)
    if shelf.matrix.nbytes <= shelves.most:
        shelves.keep(home, shelf)
    return shelf


def _read(home: int, since: int, rows: int) -> Steps[tuple[Ids, Vectors]]:
    """The vectors added after a change, into one matrix of known size."""
    ids = np.empty(rows, dtype=np.int64)
    matrix = np.empty((rows, 0), dtype=np.float32)
    filled = 0
    while filled < rows:
        found: list[Row] = list(
            (
                yield Statement(
                    "list_vectors",
                    {"namespace_id": home, "since": since, "most": _ROWS_AT_ONCE},
                )
            )
        )
        chunk = np.frombuffer(b"".join(row["vector"] for row in found), dtype="<f4")
        chunk = chunk.reshape(len(found), -1)
        if not filled:
            matrix = np.empty((rows, chunk.shape[1]), dtype=np.float32)
        matrix[filled : filled + len(found)] = chunk
        ids[filled : filled + len(found)] = [row["id"] for row in found]
        filled += len(found)
        since = found[-1]["stamp"]
    return ids, matrix
