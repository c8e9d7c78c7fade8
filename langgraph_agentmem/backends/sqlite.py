"""SQLite: one writer and a few readers per process, each transaction whole or not at all.

Writes begin IMMEDIATE, so two writers queue instead of failing. Async callers take one thread hop
per transaction, in which cancelling the await tears nothing. After a fork the child opens its own
connections.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Lock, RLock
from typing import TypeVar

from langgraph_agentmem.errors import MemoryClosed, StorageError
from langgraph_agentmem.sql import queries
from langgraph_agentmem.steps import Row, Statement, Steps, drive

from .opening import MEMORY, Opening
from .threads import Threads

T = TypeVar("T")

_READERS = 4


class _Connections:
    """The connections and threads of one process."""

    def __init__(self, open_one: Callable[[], sqlite3.Connection], *, shared: bool) -> None:
        self.process = os.getpid()
        self.writer = open_one()
        self.writing = RLock()
        self._open_one = open_one
        self._shared = shared
        self._readers: SimpleQueue[sqlite3.Connection] = SimpleQueue()
        self._opened: list[sqlite3.Connection] = [self.writer]
        self._opening = Lock()
        self.write_threads = Threads(1, "agentmem-write")
        self.read_threads = Threads(_READERS, "agentmem-read")

    def take(self, *, write: bool) -> sqlite3.Connection:
        """The writer, which one caller holds at a time, or a reader. Give it back."""
        if write or self._shared:
            self.writing.acquire()
            return self.writer
        try:
            return self._readers.get_nowait()
        except Empty:
            pass
        with self._opening:
            if len(self._opened) <= _READERS:
                reader = self._open_one()
                self._opened.append(reader)
                return reader
        return self._readers.get()

    def give_back(self, connection: sqlite3.Connection) -> None:
        """What `take` gave, for the next caller."""
        if connection is self.writer:
            self.writing.release()
        else:
            self._readers.put(connection)

    @contextmanager
    def connection(self, *, write: bool) -> Iterator[sqlite3.Connection]:
        """`take` and `give_back`."""
        connection = self.take(write=write)
        try:
            yield connection
        finally:
            self.give_back(connection)

    def close(self) -> None:
        self.write_threads.shutdown()
        self.read_threads.shutdown()
        with self.writing:
            for connection in self._opened:
                connection.close()


class SqliteBackend:
    """Runs steps on a SQLite file.

    Args:
        path: A file, which is made if it is not there; `:memory:` for a database that ends
            with this object.
        busy_timeout: Seconds that a write waits for another process.
        now: When pending migrations count as applied.

    Raises:
        SQLiteTooOld, NotAMemoryFile, SchemaTooNew, SchemaOutdated, StorageError.
    """

    def __init__(self, path: str | Path, *, busy_timeout: float, now: datetime) -> None:
        self._opening = Opening(path, busy_timeout=busy_timeout)
        self.path = self._opening.path
        self._queries = queries("common.sql", "sqlite.sql")
        self._closed = False
        self._switching = Lock()
        self._opening.check()
        self._connections: _Connections | None = _Connections(
            self._opening.connect, shared=self.path == MEMORY
        )
        try:
            with self._live().connection(write=True) as connection:
                self._opening.migrate(connection, now=now)
        except BaseException:
            self.close()
            raise

    # Running steps -------------------------------------------------------------------------

    def perform(self, steps: Steps[T], *, write: bool = True) -> T:
        """Run steps to their end in one transaction; an error leaves nothing behind."""
        # Every verb comes through here, so it does by hand what `transaction` does.
        live = self._live()
        connection = live.take(write=write)
        try:
            if connection.in_transaction:
                return drive(steps, lambda statement: self._execute(connection, statement))
            self._say(connection, "BEGIN IMMEDIATE" if write else "BEGIN")
            try:
                result = drive(steps, lambda statement: self._execute(connection, statement))
                self._say(connection, "COMMIT")
            except BaseException:
                _roll_back(connection)
                raise
            return result
        finally:
            live.give_back(connection)

    async def aperform(self, steps: Steps[T], *, write: bool = True) -> T:
        """`perform` in a thread. A cancelled await lets the transaction end whole."""
        return await self.in_thread(lambda: self.perform(steps, write=write), write=write)

    async def in_thread(self, work: Callable[[], T], *, write: bool = True) -> T:
        """Run blocking work of this database off the event loop."""
        live = self._live()
        threads = live.write_threads if write else live.read_threads
        return await threads.run(work)

    @contextmanager
    def transaction(self, *, write: bool = True) -> Iterator[sqlite3.Connection]:
        """A connection inside a transaction, which commits at the end or rolls back.

        A write inside a write of the same thread joins it.
        """
        with self._live().connection(write=write) as connection:
            if connection.in_transaction:
                yield connection
                return
            self._say(connection, "BEGIN IMMEDIATE" if write else "BEGIN")
            try:
                yield connection
                self._say(connection, "COMMIT")
            except BaseException:
                _roll_back(connection)
                raise

    @contextmanager
    def cursor(self, *, write: bool) -> Iterator[sqlite3.Cursor]:
        """A cursor inside a transaction, for code that speaks to SQLite itself."""
        with self.transaction(write=write) as connection, closing(connection.cursor()) as cursor:
            cursor.row_factory = None
            try:
                yield cursor
            except sqlite3.Error as error:
                raise StorageError(statement="checkpointer") from error

    @contextmanager
    def bare_connection(self) -> Iterator[sqlite3.Connection]:
        """The writer outside a transaction, for scripts that open their own."""
        with self._live().connection(write=True) as connection:
            try:
                yield connection
            except sqlite3.Error as error:
                raise StorageError(statement="setup") from error

    def _say(self, connection: sqlite3.Connection, command: str) -> None:
        try:
            connection.execute(command)
        except sqlite3.Error as error:
            raise self._failure(command) from error

    def _execute(self, connection: sqlite3.Connection, statement: Statement) -> Sequence[Row]:
        sql = self._queries[statement.name]
        if statement.condition:
            sql = sql.replace("/*condition*/", statement.condition)
        try:
            return connection.execute(sql, statement.params).fetchall()
        except (sqlite3.Error, OverflowError) as error:
            raise self._failure(statement.name) from error

    def _failure(self, statement: str) -> Exception:
        # Another thread may close the database while this one is inside it.
        return MemoryClosed(path=self.path) if self._closed else StorageError(statement=statement)

    # Erasing for good ----------------------------------------------------------------------

    def purge(self) -> tuple[str, ...]:
        """Drop what erased rows left in the index, the log and free pages.

        Returns the passes that others keep from finishing now, such as `wal` while they read.
        """
        with self._live().connection(write=True) as connection:
            return self._purge(connection)

    def _purge(self, connection: sqlite3.Connection) -> tuple[str, ...]:
        try:
            connection.execute(self._queries["tidy_words"])
            connection.execute("VACUUM")
            if self.path == MEMORY:
                return ()
            busy = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        except sqlite3.OperationalError as error:
            if not any(sign in str(error) for sign in ("locked", "busy", "readonly")):
                raise StorageError(statement="purge") from error
            return ("wal", "vacuum")
        return ("wal",) if busy else ()

    def count_in_files(self, needles: Sequence[bytes]) -> int:
        """How often any of these byte strings stands in the database's files."""
        if self.path == MEMORY or not needles:
            return 0
        with self._live().connection(write=True) as connection:
            try:
                # Through SQLite: closing a file that we had opened ourselves would drop the locks
                # that this process holds on it (POSIX). The log is not locked by its own file.
                copies = [connection.serialize()]
            except sqlite3.Error as error:
                raise self._failure("count_in_files") from error
        for suffix in ("-wal", "-journal"):
            file = Path(os.path.realpath(self.path) + suffix)
            if file.exists():
                copies.append(file.read_bytes())
        return sum(copy.count(needle) for copy in copies for needle in needles)

    # Opening and closing -------------------------------------------------------------------

    def close(self) -> None:
        """Close every connection and end every thread of this object."""
        with self._switching:
            if self._closed:
                return
            self._closed = True
            # Another process's connections are not ours to close: SQLite would drop its locks.
            live, self._connections = self._connections, None
            if live is not None and live.process == os.getpid():
                live.close()

    async def aclose(self) -> None:
        """`close`, off the event loop."""
        await asyncio.to_thread(self.close)

    def check_open(self) -> None:
        """Raises `MemoryClosed` when this object was closed."""
        self._live()

    def _live(self) -> _Connections:
        live = self._connections
        if live is None:
            raise MemoryClosed(path=self.path)
        if live.process != os.getpid():
            live = self._after_fork(live)
        return live

    def _after_fork(self, inherited: _Connections) -> _Connections:
        if self.path == MEMORY:
            raise MemoryClosed(
                "a database in memory cannot be used in a forked process; open it there",
                path=self.path,
            )
        with _forking:
            live = self._connections
            if live is inherited:
                # Kept, never closed: closing would drop the parent's locks.
                _inherited.append(inherited)
                self._switching = Lock()
                live = self._connections = _Connections(self._opening.connect, shared=False)
        if live is None:
            raise MemoryClosed(path=self.path)
        return live


_forking = Lock()
if hasattr(os, "register_at_fork"):  # not on Windows, which cannot fork
    os.register_at_fork(after_in_child=_forking._at_fork_reinit)  # type: ignore[attr-defined]  # noqa: SLF001
_inherited: list[_Connections] = []
"""Connections of a parent process, which a child must neither use nor close."""


def _roll_back(connection: sqlite3.Connection) -> None:
    if connection.in_transaction:  # SQLite may have rolled back by itself, e.g. on a full disk
        connection.execute("ROLLBACK")
