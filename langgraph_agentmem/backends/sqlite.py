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
from contextlib import closing, contextmanager, suppress
from datetime import datetime
from pathlib import Path
from threading import RLock
from typing import TypeAlias, TypeVar

from langgraph_agentmem.errors import AgentMemError, MemoryClosed, StorageError
from langgraph_agentmem.lifetime import lock
from langgraph_agentmem.sql import queries
from langgraph_agentmem.steps import Row, Statement, Steps, drive

from .connections import Connections, is_in_transaction
from .opening import MEMORY, Opening
from .scanning import count_in_files
from .threads import ThreadsEnded

T = TypeVar("T")
Stage: TypeAlias = Callable[[str], None]
"""Hears the name of a part of a long work when it begins."""

PURGE = "purge"
"""The setting that says that a pass over the files is owed."""

LOG = "wal"
"""What a pass could not finish: the write-ahead log, while others read in it."""

LARGEST_IN_MEMORY = 256 * 2**20
"""Bytes of a database that is written anew by way of memory; a larger one goes through a file
that SQLite makes and removes."""


def _silent(_stage: str) -> None:
    pass


def _is_waiting(error: sqlite3.OperationalError) -> bool:
    return any(sign in str(error) for sign in ("locked", "busy", "readonly"))


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
        self._owed: str | None = None
        self._switching = RLock()
        self._opening.check()
        self._connections: Connections | None = Connections(self._opening.connect, path=self.path)
        try:
            with self._live().connection(write=True) as connection:
                self._opening.migrate(connection, now=now)
        except BaseException:
            self.close()
            raise

    # Running steps -------------------------------------------------------------------------

    def perform(self, steps: Steps[T], *, write: bool = True, alone: bool = False) -> T:
        """Run steps to their end in one transaction; an error leaves nothing behind.

        Args:
            steps: What is asked.
            write: Whether anything is changed.
            alone: The steps ask one reading statement, which SQLite runs in a transaction of its
                own; beginning and ending one takes a tenth of a `get`.
        """
        # Every verb comes through here, so it does by hand what `transaction` does.
        return self._live().use(
            lambda one: self._perform(one, steps, write=write, alone=alone), write=write
        )

    def _perform(
        self, connection: sqlite3.Connection, steps: Steps[T], *, write: bool, alone: bool
    ) -> T:
        if alone or is_in_transaction(connection):
            return drive(steps, lambda statement: self._execute(connection, statement))
        try:
            # An interrupt may come as BEGIN ends: what has begun is rolled back then too.
            self._say(connection, "BEGIN IMMEDIATE" if write else "BEGIN")
            result = drive(steps, lambda statement: self._execute(connection, statement))
            self._say(connection, "COMMIT")
        except BaseException:
            _roll_back(connection)
            raise
        if write and self._owed is not None:
            self._make_up(connection)
        return result

    async def aperform(self, steps: Steps[T], *, write: bool = True, alone: bool = False) -> T:
        """`perform` in a thread. A cancelled await lets the transaction end whole."""
        return await self.in_thread(
            lambda: self.perform(steps, write=write, alone=alone), write=write
        )

    async def in_thread(self, work: Callable[[], T], *, write: bool = True) -> T:
        """Run blocking work of this database off the event loop."""
        live = self._live()
        threads = live.write_threads if write else live.read_threads
        try:
            return await threads.run(work)
        except ThreadsEnded:
            raise MemoryClosed(path=self.path) from None

    @contextmanager
    def transaction(self, *, write: bool = True) -> Iterator[sqlite3.Connection]:
        """A connection inside a transaction, which commits at the end or rolls back.

        A write inside a write of the same thread joins it.
        """
        with self._live().connection(write=write) as connection:
            if is_in_transaction(connection):
                yield connection
                return
            try:
                self._say(connection, "BEGIN IMMEDIATE" if write else "BEGIN")
                yield connection
                self._say(connection, "COMMIT")
            except BaseException:
                _roll_back(connection)
                raise
            if write and self._owed is not None:
                self._make_up(connection)

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
            raise self._failed(command) from error

    def _execute(self, connection: sqlite3.Connection, statement: Statement) -> Sequence[Row]:
        sql = self._queries[statement.name]
        if statement.condition:
            sql = sql.replace("/*condition*/", statement.condition)
        try:
            return connection.execute(sql, statement.params).fetchall()
        except (sqlite3.Error, OverflowError) as error:
            raise self._failed(statement.name) from error

    def _failed(self, what: str) -> AgentMemError:
        """What a statement's error is: it was closed by a signal handler of this thread, a moment
        ago, or it failed.
        """
        return MemoryClosed(path=self.path) if self._closed else StorageError(statement=what)

    # Erasing for good ----------------------------------------------------------------------

    def purge(self, debt: str, progress: Stage = _silent) -> tuple[str, ...]:
        """Drop what erased rows left in the index, free pages and the log.

        Args:
            debt: How the database notes that this pass is owed (the setting `purge`); the note
                goes when the pass is done, unless another process came to owe one meanwhile.
            progress: Called with the name of each part before it begins.

        Returns:
            The parts that others keep from finishing now, such as `wal` while they read. That
            one is made up for by the next write, or when this object is closed.
        """
        with self._live().connection(write=True) as connection:
            pending = self._purge(connection, progress)
            self._owed = debt if pending == (LOG,) else None
            if not pending:
                self._pay(connection, debt)
            return pending

    def _purge(self, connection: sqlite3.Connection, progress: Stage) -> tuple[str, ...]:
        try:
            progress("index")
            connection.execute(self._queries["tidy_words"])
            progress("pages")
            self._vacuum(connection)
        except sqlite3.OperationalError as error:
            if not _is_waiting(error):
                raise StorageError(statement="purge") from error
            return (LOG, "pages")
        progress("log")
        return () if self._truncate(connection) else (LOG,)

    def _vacuum(self, connection: sqlite3.Connection) -> None:
        """Write every page anew: `secure_delete` leaves stale copies where pages were split."""
        size = connection.execute("PRAGMA page_count").fetchone()[0]
        size *= connection.execute("PRAGMA page_size").fetchone()[0]
        # The copy that is made on the way: in memory, where nothing stays, unless it is large.
        if size > LARGEST_IN_MEMORY:
            connection.execute("PRAGMA temp_store = FILE")
        try:
            connection.execute("VACUUM")
        finally:
            connection.execute("PRAGMA temp_store = MEMORY")

    def _truncate(self, connection: sqlite3.Connection) -> bool:
        """Empty the log; False while somebody reads what stands in it."""
        if self.path == MEMORY:
            return True
        try:
            busy: int = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        except sqlite3.OperationalError as error:
            if not _is_waiting(error):
                raise StorageError(statement="purge") from error
            return False
        return not busy

    def _pay(self, connection: sqlite3.Connection, debt: str) -> None:
        with suppress(sqlite3.OperationalError):  # locked: the next opening makes the pass again
            connection.execute(self._queries["pay_debt"], {"name": PURGE, "value": debt})
            self._truncate(connection)

    def _make_up(self, connection: sqlite3.Connection) -> None:
        """Empty the log now if a reader kept `purge` from it, without waiting."""
        debt, self._owed = self._owed, None
        if debt is None:
            return
        patience = connection.execute("PRAGMA busy_timeout").fetchone()[0]
        connection.execute("PRAGMA busy_timeout = 0")
        try:
            if self._truncate(connection):
                self._pay(connection, debt)
            else:
                self._owed = debt
        finally:
            connection.execute(f"PRAGMA busy_timeout = {int(patience)}")

    def count_in_files(self, needles: Sequence[bytes]) -> int:
        """How often any of these byte strings stands in the database's files.

        Raises:
            StorageError: No process could be started that looks.
        """
        self._live()
        return 0 if self.path == MEMORY else count_in_files(self.path, needles)

    def size(self) -> int:
        """Bytes of the database's file; 0 for one in memory."""
        return 0 if self.path == MEMORY else Path(self.path).stat().st_size

    def check(self) -> tuple[str, ...]:
        """What SQLite finds wrong with the file; nothing when it is sound."""
        with self._live().connection(write=False) as connection:
            try:
                rows = connection.execute("PRAGMA quick_check(20)").fetchall()
            except sqlite3.Error as error:
                raise StorageError(statement="quick_check") from error
        found = tuple(str(row[0]) for row in rows)
        return () if found == ("ok",) else found

    # Opening and closing -------------------------------------------------------------------

    def close(self) -> None:
        """Close every connection and end every thread of this object."""
        with self._switching:
            if self._closed:
                return
            self._closed = True
            live, self._connections = self._connections, None
            if live is None:
                return
            if live.process != os.getpid():
                _inherited.append(live)
                return
            with (
                suppress(sqlite3.Error, StorageError),
                live.connection(write=True) as connection,
            ):
                self._make_up(connection)
            live.close()

    async def aclose(self) -> None:
        """`close`, off the event loop."""
        await asyncio.to_thread(self.close)

    def check_open(self) -> None:
        """Raises `MemoryClosed` when this object was closed."""
        self._live()

    def _live(self) -> Connections:
        live = self._connections
        if live is None:
            raise MemoryClosed(path=self.path)
        if live.process != os.getpid():
            live = self._after_fork(live)
        return live

    def _after_fork(self, inherited: Connections) -> Connections:
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
                self._switching = RLock()
                live = self._connections = Connections(self._opening.connect, path=self.path)
        if live is None:
            raise MemoryClosed(path=self.path)
        return live


_forking = lock()
_inherited: list[Connections] = []
"""Connections of a parent process, which a child must neither use nor close."""


def _roll_back(connection: sqlite3.Connection) -> None:
    if is_in_transaction(connection):  # SQLite may have rolled back by itself, e.g. on a full disk
        connection.execute("ROLLBACK")
