"""Vectors in memory, and who said what: for each namespace one matrix and one roll, checked
against the namespace's own counts of changes before each use, so that another process's write or
forgetting is seen.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Generic, Self, TypeVar

import numpy as np
import numpy.typing as npt

from .lifetime import lock
from .protocols import Ids, Vectors

T = TypeVar("T")

_ENTRY = 150
"""Bytes that one namespace's count of changes takes in memory, about."""

CACHE_BYTES = 512 * 2**20
"""Bytes of vectors that a store keeps in memory, unless told otherwise."""


@dataclass(frozen=True, slots=True, eq=False)
class Shelf:
    """A namespace's vectors when it had changed `changes` times.

    `ids` are the memories of the rows of `matrix`, of shape (rows, dims); a memory comes once
    per part. `is_single` says that each has one part.
    """

    changes: int
    ids: Ids
    matrix: Vectors
    is_single: bool

    @classmethod
    def of(cls, changes: int, ids: Ids, matrix: Vectors) -> Self:
        """A shelf of these rows."""
        return cls(changes, ids, matrix, len(np.unique(ids)) == len(ids))

    def beside(self, changes: int, ids: Ids, matrix: Vectors) -> Shelf:
        """This shelf with further rows."""
        return Shelf.of(
            changes, np.concatenate([self.ids, ids]), np.concatenate([self.matrix, matrix])
        )

    def scores(self, query: Vectors) -> npt.NDArray[np.float32]:
        """The cosine of every row with a query of shape (dims,): both are unit vectors."""
        found: npt.NDArray[np.float32] = np.vecdot(self.matrix, query)
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Wall:
    """Many small namespaces on one shelf, so that a search over all of them is one product.

    `homes` says how often each of the namespaces that were asked for had changed when it was
    read; `spans` are the rows of the small ones, `large` those that have shelves of their own.
    """

    homes: Mapping[int, int]
    large: frozenset[int]
    spans: Mapping[int, slice]
    shelf: Shelf

    def without(self, homes: Iterable[int], ids: Ids, scores: Vectors) -> tuple[Ids, Vectors]:
        """Ids of this wall and their scores, but for those of some namespaces."""
        spans = [self.spans[home] for home in homes if home in self.spans]
        if not spans:
            return ids, scores
        hidden = np.concatenate([self.shelf.ids[span] for span in spans])
        kept = ~np.isin(ids, hidden)
        return ids[kept], scores[kept]


@dataclass(frozen=True, slots=True, eq=False)
class Roll:
    """Who said what in a namespace, when it had been said `sayings` times.

    One row of `table` for each memory that names its source, thread by thread in the order in
    which it was said: its id, thread, place, author, day, whether it is a turn, whether it asks,
    session. Threads and authors are places in the lists of their names, -1 for none; places order
    a thread, days are ordinals, 0 for unknown; a session is a thread's day.
    """

    sayings: int
    table: Ids
    threads: tuple[str, ...]
    authors: tuple[str, ...]


class Shelves:
    """The shelves and rolls that were used last, each up to a number of bytes. Threads share it.

    Args:
        most: Bytes of vectors, and of rolls; what is larger by itself is read anew for every
            search.
    """

    def __init__(self, most: int = CACHE_BYTES) -> None:
        self.most = most
        self._vectors: _Held[Shelf | Wall] = _Held(most)
        self._rolls: _Held[Roll] = _Held(most)
        self._changes: _Held[tuple[object, Mapping[int, int]]] = _Held(most)

    def find(self, home: int) -> Shelf | None:
        """The shelf of a namespace's id, as it was when it was kept."""
        found = self._vectors.find(home)
        return found if isinstance(found, Shelf) else None

    def keep(self, home: int, shelf: Shelf) -> None:
        """Keep a shelf, and drop those that were not used for longest."""
        self._vectors.keep(home, shelf, shelf.matrix.nbytes)

    def find_wall(self, path: str) -> Wall | None:
        """The wall of a path and all below it, as it was when it was kept."""
        found = self._vectors.find(path)
        return found if isinstance(found, Wall) else None

    def keep_wall(self, path: str, wall: Wall) -> None:
        """Keep a wall, and drop what was not used for longest."""
        self._vectors.keep(path, wall, wall.shelf.matrix.nbytes + _ENTRY * len(wall.homes))

    def find_changes(self, path: str, state: tuple[object, ...]) -> Mapping[int, int] | None:
        """How often each namespace of a path and below had changed in a state of the database,
        of which the connection comes first.
        """
        found = self._changes.find((path, state[0]))
        return found[1] if found is not None and found[0] == state else None

    def keep_changes(
        self, path: str, state: tuple[object, ...], changes: Mapping[int, int]
    ) -> None:
        """Keep how often each has changed, as this connection has read it."""
        self._changes.keep((path, state[0]), (state, changes), _ENTRY * len(changes))

    def clear(self) -> None:
        """Keep nothing: something was forgotten, and nothing of it is to stay in memory."""
        self._vectors.clear()
        self._rolls.clear()
        self._changes.clear()

    def find_roll(self, home: int) -> Roll | None:
        """The roll of a namespace's id, as it was when it was kept."""
        return self._rolls.find(home)

    def keep_roll(self, home: int, roll: Roll) -> None:
        """Keep a roll, and drop those that were not used for longest."""
        self._rolls.keep(home, roll, roll.table.nbytes)


class _Held(Generic[T]):
    """What was used last, up to a number of bytes."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._held: OrderedDict[Hashable, tuple[T, int]] = OrderedDict()
        self._size = 0
        self._lock = lock()

    def find(self, name: Hashable) -> T | None:
        with self._lock:
            if name not in self._held:
                return None
            self._held.move_to_end(name)
            return self._held[name][0]

    def keep(self, name: Hashable, one: T, size: int) -> None:
        if size > self.most:
            return
        with self._lock:
            _, old = self._held.pop(name, (None, 0))
            self._size += size - old
            self._held[name] = (one, size)
            while self._size > self.most:
                _, (_, dropped) = self._held.popitem(last=False)
                self._size -= dropped

    def clear(self) -> None:
        with self._lock:
            self._held.clear()
            self._size = 0


def best_parts(shelf: Shelf, query: Vectors) -> tuple[Ids, npt.NDArray[np.float32]]:
    """Each memory of a shelf once, with the score of its best part."""
    scores = shelf.scores(query)
    if shelf.is_single:
        return shelf.ids, scores
    single, place = np.unique(shelf.ids, return_inverse=True)
    best = np.full(len(single), -np.inf, dtype=np.float32)
    np.maximum.at(best, place, scores)
    return single, best


def highest(ids: Ids, scores: npt.NDArray[np.float32], most: int) -> dict[int, float]:
    """The `most` highest scores and all that tie with the last of them."""
    if most <= 0:
        return {}
    if len(scores) > most:
        last = np.partition(scores, len(scores) - most)[len(scores) - most]
        chosen = np.flatnonzero(scores >= last)
        ids, scores = ids[chosen], scores[chosen]
    return dict(zip(ids.tolist(), scores.tolist(), strict=True))
