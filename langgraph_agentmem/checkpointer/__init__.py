"""`AgentMemSaver`: LangGraph's SQLite saver, on the memory's own database, each message once.

Rows stand in the official saver's tables, so its files are ours to go on with. What they hold is
taken apart by `packing`; what is written and read when is decided in `steps.saving`.
"""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self, TypeVar

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    get_checkpoint_id,
    get_checkpoint_metadata,
)
from langgraph.checkpoint.serde.base import SerializerProtocol
from langgraph.checkpoint.sqlite import SqliteSaver

from langgraph_agentmem.backends.sqlite import SqliteBackend
from langgraph_agentmem.errors import StorageError
from langgraph_agentmem.lifetime import BUSY_TIMEOUT, Closing, lock, utc_now
from langgraph_agentmem.model import Recall
from langgraph_agentmem.protocols import Clock
from langgraph_agentmem.scope import Scope
from langgraph_agentmem.steps import Steps, saving
from langgraph_agentmem.steps.checkpoints import tables
from langgraph_agentmem.steps.saving import Visitor
from langgraph_agentmem.steps.settings import check_tombstone_key

from .asking import point_of, upward
from .core import Shared
from .deleting import Deleting
from .memo import Memo
from .packing import places_in
from .reading import Reading
from .runs import Scrubbed
from .serializer import AllowedTypes, StrictSerializer, strict

__all__ = ["AgentMemSaver", "StrictSerializer"]

T = TypeVar("T")

_log = logging.getLogger(__name__)


class AgentMemSaver(Reading, Deleting, SqliteSaver, Closing):
    """A checkpointer on the same database as the memories, sync and async in one object.

    Each message of a thread is stored once, whatever number of checkpoints hold it.

    It knows whose each thread is, from the run's config and context, from our nodes, or from
    `memory.claim_thread`: `memory.forget` finds a user's checkpoints by it, and a run that names
    another user is refused before it loads or stores anything. Recalled memories are never
    stored: a `Recall` is left out of every value.

    A write that is built on a deleted checkpoint is late: it is ignored, counted in
    `late_writes` and logged. A thread that was deleted begins anew with the next run.

    Args:
        backend: The memory's database.
        clock: Tells the time.
        scope: Finds the user of a run.
        serde: As in LangGraph's savers. One that would load any type gives way to a
            `StrictSerializer`, inside an `EncryptedSerializer` too.
        allowed_types: Types of your own that checkpoints may hold: classes, or tuples of module
            and name. To store another raises `TypeNotAllowed`, and so does loading it.
        tombstone_key: Keys the hashes by which stored messages are found; see `AgentMemStore`.
        require_user: True refuses a run that names no user, and to store a thread that is
            nobody's (`UserRequired`): no forgetting would ever reach it.
    """

    def __init__(
        self,
        backend: SqliteBackend,
        *,
        clock: Clock,
        scope: Scope | None = None,
        serde: SerializerProtocol | None = None,
        allowed_types: AllowedTypes = (),
        tombstone_key: str | None = None,
        require_user: bool = False,
    ) -> None:
        BaseCheckpointSaver.__init__(self, serde=strict(serde, allowed_types))
        self.backend = backend
        self.clock = clock
        self.memo = Memo()
        self._scope = scope or Scope()
        self._require_user = require_user
        self._shared = Shared(tombstone_key)
        self._here = threading.local()
        self.is_setup = False
        self.lock = lock()
        try:
            with backend.bare_connection() as connection, self._as_conn(connection):
                SqliteSaver.setup(self)
        except StorageError:
            # A file that may only be read has its tables, or is of no use.
            if not {"checkpoints", "writes"} <= backend.perform(tables(), write=False):
                raise
            self.is_setup = True

    def __repr__(self) -> str:
        return f"<{type(self).__name__} on {self.backend.path!r}>"

    @classmethod
    def from_conn_string(  # type: ignore[override]  # ready at once, and also a context manager
        cls,
        path: str | Path,
        *,
        serde: SerializerProtocol | None = None,
        allowed_types: AllowedTypes = (),
        busy_timeout: float = BUSY_TIMEOUT,
        clock: Clock = utc_now,
        tombstone_key: str | None = None,
        require_user: bool = False,
    ) -> Self:
        """A checkpointer on its own, ready, and a context manager, sync and async.

        Args:
            path: A SQLite file, made if it is not there, or `:memory:`. A file of LangGraph's
                `SqliteSaver` is gone on with.
            serde: See the class.
            allowed_types: See the class.
            busy_timeout: Seconds that a write waits for another process.
            clock: Tells the time.
            tombstone_key: See the class.
            require_user: See the class.

        Raises:
            NotAMemoryFile, SchemaTooNew, SchemaOutdated, SQLiteTooOld, StorageError.
        """
        check_tombstone_key(tombstone_key)
        backend = SqliteBackend(path, busy_timeout=busy_timeout, now=clock())
        try:
            return cls(
                backend,
                clock=clock,
                serde=serde,
                allowed_types=allowed_types,
                tombstone_key=tombstone_key,
                require_user=require_user,
            )
        except BaseException:
            backend.close()
            raise

    @property
    def late_writes(self) -> int:
        """How many late writes this object, and the copies that graphs made of it, ignored."""
        return self._shared.late

    @property
    def needed_checkpoints(self) -> int:
        """How many checkpoints `prune` and `delete_for_runs` left, of those that were to go,
        because delta channels of others are rebuilt from them; counted as `late_writes` is.
        """
        return self._shared.needed

    # Where the official code finds its connection -------------------------------------------

    @property
    def conn(self) -> Any:  # type: ignore[override]  # the official saver has one for all threads
        """The connection of the transaction that this thread is in."""
        return self._here.connection

    @contextmanager
    def _as_conn(self, connection: Any) -> Iterator[None]:
        before = getattr(self._here, "connection", None)
        self._here.connection = connection
        try:
            yield
        finally:
            self._here.connection = before

    @contextmanager
    def cursor(self, transaction: bool = True) -> Iterator[Any]:
        """A cursor inside a transaction of the backend."""
        with (
            self.backend.cursor(write=transaction) as cursor,
            self._as_conn(cursor.connection),
        ):
            yield cursor

    def _settle(self, thread_id: str, *, is_stored: bool) -> None:
        if is_stored:
            return
        with self._shared.lock:
            self._shared.late += 1
        _log.warning("a late write to thread %r was ignored: it was deleted meanwhile", thread_id)

    # What a run that is going on must not write again -------------------------------------------

    def as_written(self, thread_id: str, value: T) -> T:
        """A value as the run that is going on in a thread may still write it."""
        for scrubber in self.runs.scrubbers(thread_id) or ():
            value = scrubber.scrub(value)
        return value

    def _store(
        self, thread_id: str, visitor: Visitor, make: Callable[[Scrubbed], Steps[bool]]
    ) -> None:
        """Store what is made with the scrubbers of a run. They change while somebody else holds
        the writer, so asking again inside the transaction misses none.
        """

        def scrubbers() -> Scrubbed | None:  # an application's own update is nobody's run
            return self.runs.scrubbers(thread_id) if visitor.in_run else ()

        def unless_changed(given: Scrubbed, steps: Steps[bool]) -> Steps[bool | None]:
            return (yield from steps) if scrubbers() == given else None

        stored: bool | None = None
        while stored is None:
            given = scrubbers()
            if given is None:
                stored = False
            else:
                stored = self.backend.perform(unless_changed(given, make(given)))
        self._settle(thread_id, is_stored=stored)

    # Writing ----------------------------------------------------------------------------------

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,  # noqa: ARG002 - every value stands in the checkpoint
    ) -> RunnableConfig:
        """Store a checkpoint.

        Raises:
            UserConflict, UserRequired: As the class says.
            TypeNotAllowed: It holds a type that could not be loaded again.
        """
        point = point_of(config, checkpoint["id"])
        told = json.dumps(get_checkpoint_metadata(config, metadata), ensure_ascii=False)
        packing, visitor = self.packing(write=True), self._visitor(config)

        def steps(scrubbers: Scrubbed) -> Steps[bool]:
            held = checkpoint["channel_values"]
            for scrubber in scrubbers:
                held = dict(scrubber.scrub_values(held))
            return saving.put(
                point,
                packing.apart({**checkpoint, "channel_values": held} if scrubbers else checkpoint),
                parent_id=get_checkpoint_id(config),
                built_on=upward(config),
                metadata=told.encode("utf-8", "ignore"),
                visitor=visitor,
                places_in=places_in,
                now=self.clock(),
            )

        self._store(point.thread_id, visitor, steps)
        return {
            "configurable": {
                "thread_id": config["configurable"]["thread_id"],
                "checkpoint_ns": point.checkpoint_ns,
                "checkpoint_id": checkpoint["id"],
            }
        }

    def put_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Store the writes of a task. Raises as `put` does."""
        point = point_of(config)
        packing, visitor = self.packing(write=True), self._visitor(config)

        def steps(scrubbers: Scrubbed) -> Steps[bool]:
            told = []
            for idx, (channel, value) in enumerate(writes):
                if isinstance(value, Recall):
                    continue
                clean = value
                for scrubber in scrubbers:
                    clean = scrubber.scrub(clean)
                place = WRITES_IDX_MAP.get(channel, idx)
                told.append(saving.Write(place, channel, packing.apart(clean)))
            return saving.put_writes(
                point,
                told,
                task_id=task_id,
                task_path=task_path,
                replace=all(channel in WRITES_IDX_MAP for channel, _ in writes),
                built_on=upward(config),
                visitor=visitor,
                now=self.clock(),
            )

        self._store(point.thread_id, visitor, steps)

    def get_next_version(self, current: Any, channel: None) -> Any:
        """Whole numbers; a thread that the official saver began keeps that one's versions."""
        if current is None:
            return 1
        if isinstance(current, int):
            return current + 1
        return super().get_next_version(current, channel)

    # Async: the same, in a thread --------------------------------------------------------------

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """`put`, awaited."""
        return await self.in_thread(lambda: self.put(config, checkpoint, metadata, new_versions))

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """`put_writes`, awaited."""
        await self.in_thread(lambda: self.put_writes(config, writes, task_id, task_path))

    # Life -------------------------------------------------------------------------------------

    def close(self) -> None:
        """Close the database; using the checkpointer afterwards raises `MemoryClosed`."""
        self.backend.close()

    async def aclose(self) -> None:
        """`close`, off the event loop."""
        await self.backend.aclose()
