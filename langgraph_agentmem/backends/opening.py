"""Open a SQLite file: is it ours, can it be used here, is its schema what we know.

Nothing of a file is changed before it is known to be ours, or new.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from datetime import datetime
from itertools import count
from pathlib import Path

from langgraph_agentmem.errors import (
    AgentMemError,
    NotAMemoryFile,
    SchemaOutdated,
    SQLiteTooOld,
    StorageError,
    shown,
)
from langgraph_agentmem.sql import migrations, queries
from langgraph_agentmem.steps.migrations import pending
from langgraph_agentmem.steps.places import micros
from langgraph_agentmem.steps.terms import canonical_json, matches_filter

MEMORY = ":memory:"
_numbers = count(1)
"""One for each connection of this process."""

_SMALLEST = 512
"""Bytes of the smallest page that SQLite writes."""

_LONGEST_WAIT = 2_000_000
"""Seconds, some 23 days: SQLite counts them in milliseconds, in 31 bits."""

_OLDEST = (3, 40)
_APPLICATION = 1097289069
_NEIGHBOURS = {
    "checkpoints": {"thread_id", "checkpoint_ns", "checkpoint_id", "checkpoint", "metadata"},
    "writes": {"thread_id", "checkpoint_ns", "checkpoint_id", "task_id", "channel", "value"},
}
"""Tables of LangGraph's own SQLite saver, by columns: a file that holds no others may become
ours."""


class Opening:
    """How one database is opened, again and again: by each connection, and after a fork.

    Args:
        path: A file, which may not be there yet, or `:memory:`.
        busy_timeout: Seconds that a connection waits for another process.

    Raises:
        TypeError, ValueError: It is no path of a file.
    """

    def __init__(self, path: str | Path, *, busy_timeout: float) -> None:
        self.path = _checked_path(path)
        self._busy_timeout = _checked_timeout(busy_timeout)
        self._queries = queries("common.sql", "sqlite.sql")

    def check(self) -> None:
        """Refuse what is no place for a memory, before anything of it is changed.

        Raises:
            SQLiteTooOld, NotAMemoryFile, StorageError.
        """
        _check_library()
        place = Path(self.path)
        if self.path == MEMORY:
            return
        try:
            if place.is_dir():
                raise NotAMemoryFile("the path is a folder; name a file in it", path=self.path)
            if not place.parent.is_dir():
                raise StorageError(
                    "the folder of the database does not exist; make it first", path=self.path
                )
            size = place.stat().st_size if place.exists() else 0
        except OSError as error:
            raise StorageError("the path cannot be used", path=self.path) from error
        if 0 < size < _SMALLEST:  # SQLite takes a file of a few bytes for an empty database
            raise NotAMemoryFile(path=self.path)
        if size:
            self._check_file()

    def _check_file(self) -> None:
        # By SQLite alone: closing a file that we had opened ourselves would drop the locks that
        # other connections of this process hold on it (POSIX), and with them committed writes.
        try:
            connection = sqlite3.connect(self.path, timeout=self._busy_timeout)
        except sqlite3.Error as error:
            raise StorageError("the database cannot be read", path=self.path) from error
        connection.row_factory = sqlite3.Row
        try:
            self._applied(connection)
        finally:
            connection.close()

    def connect(self) -> sqlite3.Connection:
        """A connection, usable from any thread. Raises `NotAMemoryFile`, `StorageError`."""
        try:
            connection = sqlite3.connect(
                self.path,
                timeout=self._busy_timeout,
                isolation_level=None,
                check_same_thread=False,
            )
        except sqlite3.Error as error:
            raise StorageError(
                "the database cannot be opened; its folder must exist and be writable",
                path=self.path,
            ) from error
        connection.row_factory = sqlite3.Row
        number = next(_numbers)
        connection.create_function("connection_id", 0, lambda: number)
        connection.create_function("canonical_json", 1, canonical_json, deterministic=True)
        connection.create_function("matches_filter", 2, matches_filter, deterministic=True)
        try:
            # Before the first byte, so that erased content is overwritten in every page.
            connection.execute("PRAGMA secure_delete = ON")
            connection.execute("PRAGMA temp_store = MEMORY")
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute("PRAGMA synchronous = NORMAL")
            self._use_wal(connection)
        except sqlite3.DatabaseError as error:
            connection.close()
            raise self._explain(error) from error
        return connection

    def _use_wal(self, connection: sqlite3.Connection) -> None:
        """Switch to the write-ahead log; another process may be doing so right now."""
        give_up = time.monotonic() + self._busy_timeout
        while connection.execute("PRAGMA journal_mode").fetchone()[0] not in {"wal", "memory"}:
            try:
                connection.execute("PRAGMA journal_mode = WAL")
            except sqlite3.OperationalError as error:
                if "readonly" in str(error):
                    return  # it can still be read as it is
                # SQLite does not wait for this lock by itself.
                if "locked" not in str(error) or time.monotonic() > give_up:
                    raise
                time.sleep(0.01)

    def migrate(self, connection: sqlite3.Connection, *, now: datetime) -> None:
        """Apply what is pending, all of it or nothing.

        Raises:
            SchemaTooNew, SchemaOutdated, NotAMemoryFile, StorageError.
        """
        known = migrations("sqlite")
        try:
            if not pending(self._applied(connection), known):
                return
            connection.execute("BEGIN IMMEDIATE")
            try:
                # Asked again inside the lock: another process may have been faster.
                for migration in pending(self._applied(connection), known):
                    for command in _commands(migration.script):
                        connection.execute(command)
                    applied = {"number": migration.number, "name": migration.name}
                    connection.execute(
                        self._queries["add_migration"], {**applied, "now": micros(now)}
                    )
                connection.execute("COMMIT")
            except BaseException:
                connection.execute("ROLLBACK")
                raise
        except sqlite3.OperationalError as error:
            if "readonly" in str(error):
                raise SchemaOutdated(path=self.path, needed=known[-1].number) from error
            raise StorageError(statement="migrate", path=self.path) from error

    def _applied(self, connection: sqlite3.Connection) -> list[int]:
        """The numbers of the migrations in this file. Raises `NotAMemoryFile`."""
        try:
            tables = {row["name"] for row in connection.execute(self._queries["list_tables"])}
            application = connection.execute("PRAGMA application_id").fetchone()[0]
        except sqlite3.DatabaseError as error:
            raise self._explain(error) from error
        if application in {0, _APPLICATION} and all(
            self._is_neighbour(connection, table) for table in tables
        ):
            return []
        if application != _APPLICATION or "migrations" not in tables:
            raise NotAMemoryFile(path=self.path)
        return [row["number"] for row in connection.execute(self._queries["list_migrations"])]

    @staticmethod
    def _is_neighbour(connection: sqlite3.Connection, table: str) -> bool:
        if table not in _NEIGHBOURS:
            return False
        rows = connection.execute("SELECT name FROM pragma_table_info(?)", (table,))
        return {row["name"] for row in rows} >= _NEIGHBOURS[table]

    def _explain(self, error: sqlite3.DatabaseError) -> AgentMemError:
        said = str(error)
        if "not a database" in said:
            return NotAMemoryFile(path=self.path)
        if "malformed" in said:
            return StorageError("the database is damaged; restore it from a copy", path=self.path)
        return StorageError(
            "the database cannot be opened; its file and folder must be writable", path=self.path
        )


def _checked_path(path: object) -> str:
    """A path as text. Raises TypeError, ValueError for what is no path of a file."""
    if not isinstance(path, str | Path):
        raise TypeError(f"the path of a database is a str or Path (found {type(path).__name__})")
    text = str(path)
    if not text.strip():
        raise ValueError('the path of a database is blank; name a file, or ":memory:"')
    if text.startswith("file:") or "://" in text:
        raise ValueError(f"only SQLite files can be opened, by their path (found {text[:40]!r})")
    return text


def _checked_timeout(seconds: object) -> float:
    """Seconds that SQLite can wait. Raises ValueError."""
    is_number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
    if not is_number or not 0 <= seconds <= _LONGEST_WAIT:  # type: ignore[operator]
        raise ValueError(
            f"busy_timeout is a number of seconds from 0 to {_LONGEST_WAIT:,} "
            f"(found {shown(seconds)})"
        )
    return float(seconds)  # type: ignore[arg-type]


def _check_library() -> None:
    trial = sqlite3.connect(MEMORY)
    try:
        trial.execute("CREATE VIRTUAL TABLE t USING fts5 (x)")
        has_fts = True
    except sqlite3.OperationalError:
        has_fts = False
    finally:
        trial.close()
    if sqlite3.sqlite_version_info < _OLDEST or not has_fts:
        raise SQLiteTooOld(found=sqlite3.sqlite_version, needed="3.40", fts5=has_fts)


def _commands(script: str) -> Iterator[str]:
    """The commands of a script, one at a time, so that they run inside our transaction."""
    command = ""
    for line in script.splitlines(keepends=True):
        command += line
        if sqlite3.complete_statement(command):
            yield command
            command = ""
