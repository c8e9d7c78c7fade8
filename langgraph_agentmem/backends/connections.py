"""One writer and a few readers of a SQLite file, and the threads in which they are used.

A connection is closed only when nobody is inside it: SQLite would crash the process.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Condition, RLock, get_ident

from langgraph_agentmem.errors import MemoryClosed

from .opening import MEMORY
from .threads import Threads

_READERS = 4


class Connections:
    """The connections and threads of one process."""

    def __init__(self, open_one: Callable[[], sqlite3.Connection], *, path: str) -> None:
        self.process = os.getpid()
        self.path = path
        self.writer = open_one()
        self.writing = RLock()
        self._open_one = open_one
        self._depth = 0
        # Whoever may be inside is known, so that closing waits for others and not for itself.
        self._changed = Condition()
        self._opened = 0
        self._idle: list[sqlite3.Connection] = []
        self._inside: dict[sqlite3.Connection, int] = {}
        self._ended = False
        self.write_threads = Threads(1, "agentmem-write")
        self.read_threads = Threads(_READERS, "agentmem-read")

    def take(self, *, write: bool) -> sqlite3.Connection:
        """The writer, which one caller holds at a time, or a reader. Give it back.

        Raises:
            MemoryClosed: It was closed meanwhile.
        """
        if not write and self.path != MEMORY:
            return self._take_reader()
        self.writing.acquire()
        if self._ended:
            self.writing.release()
            raise MemoryClosed(path=self.path)
        self._depth += 1
        return self.writer

    def _take_reader(self) -> sqlite3.Connection:
        with self._changed:
            while not self._ended:
                # The last one used comes first: it knows most of the file.
                if self._idle:
                    reader = self._idle.pop()
                elif self._opened < _READERS:
                    reader = self._open_one()
                    self._opened += 1
                else:
                    self._changed.wait()
                    continue
                self._inside[reader] = get_ident()
                return reader
        raise MemoryClosed(path=self.path)

    def give_back(self, connection: sqlite3.Connection) -> None:
        """What `take` gave, for the next caller."""
        if connection is self.writer:
            self._depth -= 1
            if self._ended and not self._depth:
                connection.close()
            self.writing.release()
            return
        with self._changed:
            self._inside.pop(connection)
            if self._ended:
                connection.close()
            else:
                self._idle.append(connection)
            self._changed.notify_all()

    @contextmanager
    def connection(self, *, write: bool) -> Iterator[sqlite3.Connection]:
        """`take` and `give_back`."""
        connection = self.take(write=write)
        try:
            yield connection
        finally:
            self.give_back(connection)

    def close(self) -> None:
        """Close each connection once nobody is inside it: SQLite would crash under whoever is.

        What this thread itself is inside of, as in a signal handler, closes when it leaves.
        """
        with self._changed:
            self._ended = True
            self._changed.notify_all()
        self.write_threads.shutdown()
        self.read_threads.shutdown()
        with self._changed:
            while self._inside.keys() - self._own():
                self._changed.wait()
            while self._idle:
                self._idle.pop().close()
        with self.writing:
            if not self._depth:
                self.writer.close()

    def _own(self) -> set[sqlite3.Connection]:
        me = get_ident()
        return {one for one, thread in self._inside.items() if thread == me}
