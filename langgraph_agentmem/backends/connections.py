"""One writer and a few readers of a SQLite file, and the threads in which they are used.

A connection is closed only when nobody is inside it: SQLite would crash the process. An interrupt
(Ctrl-C) may come as any call ends or a function begins: a lock is held by `with` alone, and a
reader is noted and given back by single instructions.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Condition, RLock, get_ident
from typing import TypeVar

from langgraph_agentmem.errors import MemoryClosed

from .opening import MEMORY
from .threads import Threads

T = TypeVar("T")

_READERS = 4

_PATIENCE = 1.0
"""Seconds after which whoever waits looks again: an interrupt may come before it is told."""


class Connections:
    """The connections and threads of one process."""

    def __init__(self, open_one: Callable[[], sqlite3.Connection], *, path: str) -> None:
        self.process = os.getpid()
        self._path = path
        self._open_one = open_one
        self._writer = open_one()
        self._writing = RLock()
        # Whoever may be inside is known, so that closing waits for others and not for itself.
        self._lock = RLock()
        self._changed = Condition(self._lock)
        self._readers: list[sqlite3.Connection] = []
        self._inside: dict[sqlite3.Connection, int] = {}
        self._queue: dict[int, None] = {}  # the threads that wait for a reader, in their order
        self._ended = False
        self.write_threads = Threads(1, "agentmem-write")
        self.read_threads = Threads(_READERS, "agentmem-read")

    def use(self, work: Callable[[sqlite3.Connection], T], *, write: bool) -> T:
        """What `work` returns, given the writer, which one thread has at a time, or a reader.

        Raises:
            MemoryClosed: It was closed meanwhile.
        """
        if write or self._path == MEMORY:
            with self._writing:
                self._check_open()
                try:
                    return work(self._writer)
                finally:
                    self._leave()
        taken: list[sqlite3.Connection] = []
        try:
            self._take(taken)
            return work(taken[0])
        finally:
            if taken:
                self._inside.pop(taken[0], None)
                self._tell(taken[0])

    @contextmanager
    def connection(self, *, write: bool) -> Iterator[sqlite3.Connection]:
        """What `use` gives, for the length of a `with`."""
        if write or self._path == MEMORY:
            with self._writing:
                self._check_open()
                try:
                    yield self._writer
                finally:
                    self._leave()
            return
        taken: list[sqlite3.Connection] = []
        try:
            self._take(taken)
            yield taken[0]
        finally:
            if taken:
                self._inside.pop(taken[0], None)
                self._tell(taken[0])

    def close(self) -> None:
        """Close each connection once nobody is inside it.

        What this thread itself is inside of, as in a signal handler, closes when it leaves.
        """
        with self._lock:
            self._ended = True
            self._changed.notify_all()
        self.write_threads.shutdown()
        self.read_threads.shutdown()
        with self._lock:
            while self._others():
                self._changed.wait(_PATIENCE)
            for reader in self._readers:
                if reader not in self._inside:
                    reader.close()
        with self._writing:
            self._leave()

    def _check_open(self) -> None:
        if self._ended and not is_in_transaction(self._writer):
            raise MemoryClosed(path=self._path)

    def _leave(self) -> None:
        """Close the writer if that is due, and this was not a transaction inside another."""
        if self._ended and not is_in_transaction(self._writer):
            self._writer.close()

    def _take(self, taken: list[sqlite3.Connection]) -> None:
        """Note that this thread is inside a reader, and put it into `taken`.

        Who waits longest is served first: a thread that reads without a pause would otherwise
        find the reader that it gave back before any other has woken.
        """
        me = get_ident()
        with self._lock:
            try:
                overdue = False
                while not self._ended:
                    reader = self._free()
                    if reader is not None and (overdue or self._is_next(me)):
                        self._inside[reader] = me
                        taken.append(reader)
                        return
                    # A thread has one place: a signal handler that reads while its thread waits
                    # takes it, and the thread queues again.
                    self._queue.setdefault(me)
                    overdue = not self._changed.wait(_PATIENCE)
            finally:
                self._queue.pop(me, None)
                if self._queue:
                    self._changed.notify_all()  # another reader may be free for who is next
        raise MemoryClosed(path=self._path)

    def _is_next(self, me: int) -> bool:
        """Whether no other thread waits before this one."""
        for thread in self._queue:
            return thread == me
        return True

    def _free(self) -> sqlite3.Connection | None:
        """A reader that nobody is inside of: the first one, which knows most of the file."""
        for reader in self._readers:
            if reader not in self._inside:
                return reader
        if len(self._readers) == _READERS:
            return None
        reader = self._open_one()
        self._readers.append(reader)
        return reader

    def _tell(self, reader: sqlite3.Connection) -> None:
        """Nobody is inside a reader any more."""
        with self._lock:
            # Another thread may have taken it before it was told here.
            if self._ended and reader not in self._inside:
                reader.close()
            if self._ended or self._queue:
                self._changed.notify_all()

    def _others(self) -> list[sqlite3.Connection]:
        """The readers that other threads are inside of."""
        me = get_ident()
        inside = list(self._inside.items())  # which changes without the lock
        return [one for one, thread in inside if thread != me]


def is_in_transaction(connection: sqlite3.Connection) -> bool:
    """Whether a transaction is open; a connection that is closed has none."""
    try:
        return connection.in_transaction
    except sqlite3.ProgrammingError:
        return False
