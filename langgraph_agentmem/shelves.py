"""Vectors in memory: one matrix per namespace, checked against the namespace's own count of
changes before each use, so that another process's write or forgetting is seen.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from .lifetime import lock
from .protocols import Vectors

Ids = npt.NDArray[np.int64]

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


class Shelves:
    """The shelves that were used last, up to a number of bytes. Threads share it.

    Args:
        most: Bytes; what is larger by itself is read anew for every search.
    """

    def __init__(self, most: int = CACHE_BYTES) -> None:
        self.most = most
        self._held: OrderedDict[int, Shelf] = OrderedDict()
        self._size = 0
        self._lock = lock()

    def find(self, home: int) -> Shelf | None:
        """The shelf of a namespace's id, as it was when it was kept."""
        with self._lock:
            if home in self._held:
                self._held.move_to_end(home)
            return self._held.get(home)

    def keep(self, home: int, shelf: Shelf) -> None:
        """Keep a shelf, and drop those that were not used for longest."""
        with self._lock:
            old = self._held.pop(home, None)
            self._size += shelf.matrix.nbytes - (0 if old is None else old.matrix.nbytes)
            self._held[home] = shelf
            while self._size > self.most:
                _, dropped = self._held.popitem(last=False)
                self._size -= dropped.matrix.nbytes

    def clear(self) -> None:
        """Keep nothing: something was forgotten, and its vectors are not to stay in memory."""
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
