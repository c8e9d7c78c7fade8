"""How near memories are to a query: vectors are read once, then only what was added since."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

import numpy as np

from langgraph_agentmem.model import Namespace
from langgraph_agentmem.protocols import Ids, Vectors
from langgraph_agentmem.shelves import Shelf, Shelves, Wall, best_parts

from . import Row, Statement, Steps
from .places import below, in_order, path_of

MANY = 64
"""Namespaces that are searched one by one; the small ones among more stand on one wall."""

_SMALL = 256
"""Vectors of a namespace that stands on a wall."""

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


def changes_below(prefix: Namespace, shelves: Shelves) -> Steps[Mapping[int, int]]:
    """How often each namespace has changed that is a prefix or below it, by id."""
    few = {**(below(prefix) if prefix else {}), "most": MANY + 1}
    rows = yield Statement("first_homes" if prefix else "first_of_all_homes", few)
    if len(rows) <= MANY:
        return {row["id"]: row["changes"] for row in rows}
    path = path_of(prefix)
    states = yield Statement("database_state")
    state = tuple(states[0])
    held = shelves.find_changes(path, state)
    if held is not None:
        return held
    listed = yield Statement("list_changes", in_order(prefix))
    ids, changes = json.loads(listed[0]["ids"]), json.loads(listed[0]["changes"])
    found: Mapping[int, int] = dict(zip(ids, changes, strict=True))
    wall = shelves.find_wall(path)
    if wall is not None and wall.homes == found:
        found = wall.homes
    shelves.keep_changes(path, state, found)
    return found


def scores_below(
    prefix: Namespace, homes: Mapping[int, int], query: Vectors, shelves: Shelves
) -> Steps[Scores]:
    """`scores` of what `changes_below` gave of a prefix, however many they are."""
    if len(homes) <= MANY:
        return (yield from scores(homes, query, shelves))
    path = path_of(prefix)
    wall = shelves.find_wall(path)
    if wall is None:
        wall = yield from _build(path, homes, shelves)
        if wall is None:
            return (yield from scores(homes, query, shelves))
    changed = _changed(wall, homes)
    gone: Collection[int] = () if wall.homes is homes else wall.homes.keys() - homes.keys()
    if len(changed) + len(gone) > max(MANY, len(homes) // 8):
        wall = yield from _build(path, homes, shelves)
        if wall is None:
            return (yield from scores(homes, query, shelves))
        changed, gone = {}, ()
    parts = []
    if len(wall.shelf.ids):
        parts.append(wall.without([*changed, *gone], *best_parts(wall.shelf, query)))
    others = {home: homes[home] for home in wall.large if home in homes}
    parts.append((yield from scores({**others, **changed}, query, shelves)))
    return np.concatenate([ids for ids, _ in parts]), np.concatenate([one for _, one in parts])


def _changed(wall: Wall, homes: Mapping[int, int]) -> dict[int, int]:
    """The namespaces of which a wall shows an older state, or none."""
    if wall.homes is homes:
        return {}
    known = wall.homes
    return {
        home: changes
        for home, changes in homes.items()
        if known.get(home) != changes and home not in wall.large
    }


def _build(path: str, homes: Mapping[int, int], shelves: Shelves) -> Steps[Wall | None]:
    """A wall of the small ones among many namespaces; None when it would not be kept."""
    counted = yield Statement("count_vectors_of", {"homes": json.dumps(list(homes))})
    small = {row["namespace_id"]: row["number"] for row in counted if row["number"] <= _SMALL}
    rows = sum(small.values())
    spans: dict[int, slice] = {}
    ids = np.empty(rows, dtype=np.int64)
    matrix = np.empty((rows, 0), dtype=np.float32)
    filled = 0
    for some in _in_parts(small):
        found = yield Statement("list_vectors_of_homes", {"homes": json.dumps(some)})
        chunk = np.frombuffer(b"".join(row["vector"] for row in found), dtype="<f4")
        chunk = chunk.reshape(len(found), -1)
        if not filled:
            if rows * chunk.shape[1] * 4 > shelves.most:
                return None
            matrix = np.empty((rows, chunk.shape[1]), dtype=np.float32)
        ids[filled : filled + len(found)] = [row["id"] for row in found]
        matrix[filled : filled + len(found)] = chunk
        for home in some:
            spans[home] = slice(filled, filled + small[home])
            filled += small[home]
    large = frozenset(row["namespace_id"] for row in counted) - small.keys()
    wall = Wall(homes, large, spans, Shelf.of(0, ids, matrix))
    shelves.keep_wall(path, wall)
    return wall


def _in_parts(small: Mapping[int, int]) -> Iterator[list[int]]:
    """Namespaces in the order of their ids, as many as are read by one statement."""
    part: list[int] = []
    rows = 0
    for home, number in sorted(small.items()):
        if part and rows + number > _ROWS_AT_ONCE:
            yield part
            part, rows = [], 0
        part.append(home)
        rows += number
    if part:
        yield part


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
