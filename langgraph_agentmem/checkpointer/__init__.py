"""`AgentMemSaver`: LangGraph's SQLite saver, on the memory's own database, each message once.

Rows stand in the official saver's tables, so its files are ours to go on with. What they hold is
taken apart by `packing`; what is written and read when is decided in `steps.saving`.
"""

from __future__ import annotations

import json
import logging
import secrets
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
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
    CheckpointTuple,
    DeltaChannelHistory,
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
from langgraph_agentmem.steps import Row, Steps, saving, settings
from langgraph_agentmem.steps.checkpoints import Scrubs, tables
from langgraph_agentmem.steps.saving import Stored, Visitor

from .asking import asked, histories_of, point_of, tuple_of, upward
from .deleting import Deleting
from .memo import Memo
from .packing import Packing, places_in
from .serializer import AllowedTypes, StrictSerializer, checks, strict

__all__ = ["AgentMemSaver", "StrictSerializer"]

T = TypeVar("T")

_log = logging.getLogger(__name__)
_RUNTIME = "__pregel_runtime"
"""Where LangGraph puts a run's context into the config; absent outside a run."""

_PAGE = 16
"""Checkpoints that a listing reads at once."""


class _Shared:
    """What a saver has in common with its copies: LangGraph makes one for each graph."""

    def __init__(self, key: str | None) -> None:
        self.key = key
        self.late = 0
        self.lock = lock()
        self.forgetting: dict[str, tuple[Scrubs, ...]] = {}


class AgentMemSaver(Deleting, SqliteSaver, Closing):
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
        self._shared = _Shared(tombstone_key)
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

    # Who asks, and in which form --------------------------------------------------------------

    def _visitor(self, config: RunnableConfig) -> Visitor:
        runtime = config.get("configurable", {}).get(_RUNTIME)
        return Visitor(
            user=self._scope.named(config, getattr(runtime, "context", None)),
            may_be_nobody=not self._require_user,
            in_run=runtime is not None,
        )

    def packing(self, *, write: bool) -> Packing:
        """How values are stored here, to write them or only to read."""
        if not write:
            return Packing(self.serde, self.memo)
        shared = self._shared
        if shared.key is None:
            keep = settings.tombstone_key(None, secrets.token_hex(32))
            shared.key = self.backend.perform(keep)
        known = checks(self.serde)
        return Packing(
            self.serde,
            self.memo,
            key=shared.key,
            admits=None if known is None else known.check,
        )

    def _read(self, steps: Steps[T]) -> T:
        return self.backend.perform(steps, write=False)

    def _settle(self, thread_id: str, *, is_stored: bool) -> None:
        if is_stored:
            return
        with self._shared.lock:
            self._shared.late += 1
        _log.warning("a late write to thread %r was ignored: it was deleted meanwhile", thread_id)

    # What a run that is going on must not write again -------------------------------------------

    def forget_in_run(self, thread_id: str, scrubber: Scrubs) -> None:
        """Scrub what the run that is going on in a thread still writes: it holds its state in
        memory. Call it in the transaction that scrubs the rows. It ends when the thread's next
        run begins.
        """
        with self._shared.lock:
            before = self._shared.forgetting.get(thread_id, ())
            self._shared.forgetting[thread_id] = (*before, scrubber)

    def let_run_write(self, thread_id: str, scrubber: Scrubs | None = None) -> None:
        """Scrub what a run writes no more, by this scrubber or by any."""
        with self._shared.lock:
            before = self._shared.forgetting.pop(thread_id, ())
            left = tuple(one for one in before if scrubber is not None and one is not scrubber)
            if left:
                self._shared.forgetting[thread_id] = left

    def as_written(self, thread_id: str, value: T) -> T:
        """A value as the run that is going on in a thread may still write it."""
        for scrubber in self._shared.forgetting.get(thread_id, ()):
            value = scrubber.scrub(value)
        return value

    def _store(self, thread_id: str, make: Callable[[Sequence[Scrubs]], Steps[bool]]) -> None:
        """Store what is made with the scrubbers of a thread. They change while somebody else holds
        the writer, so asking again inside the transaction misses none.
        """
        stored: bool | None = None
        while stored is None:
            scrubbers = self._shared.forgetting.get(thread_id, ())
            stored = self.backend.perform(self._unless_late(thread_id, scrubbers, make(scrubbers)))
        self._settle(thread_id, is_stored=stored)

    def _unless_late(
        self, thread_id: str, scrubbers: Sequence[Scrubs], steps: Steps[bool]
    ) -> Steps[bool | None]:
        if self._shared.forgetting.get(thread_id, ()) != scrubbers:
            return None
        return (yield from steps)

    # Reading ----------------------------------------------------------------------------------

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """A checkpoint.

        Raises:
            UserConflict, UserRequired: As the class says.
            TypeNotAllowed: It holds a type that may not be loaded.
            CheckpointUnreadable: Its row is damaged.
        """
        point = point_of(config)
        if not point.checkpoint_ns and _RUNTIME in config.get("configurable", {}):
            self.let_run_write(point.thread_id)
        found = self._read(
            saving.get(point, self.packing(write=False).opens, visitor=self._visitor(config))
        )
        if found is None:
            return None
        return tuple_of(found, config if point.checkpoint_id is not None else None)

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,  # noqa: A002 - LangGraph's name
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        """Checkpoints, newest first. They are read a few at a time, and nothing is held between:
        a caller that pauses blocks nobody.

        Raises:
            UserConflict: The config names another user than the thread's.
            ValueError: A key of the filter is no path.
        """
        listing = asked(config, filter, before)
        self._admit_reader(config)
        return self._pages(listing, limit)

    def _admit_reader(self, config: RunnableConfig | None) -> None:
        if config is not None:
            point = point_of(config)
            self._read(saving.admit(self._visitor(config), point.thread_id, now=None))

    def _pages(self, listing: saving.Listing, limit: int | None) -> Iterator[CheckpointTuple]:
        last: Row | None = None
        left = -1 if limit is None else limit
        while left != 0:
            page = self._page(listing, last, left)
            for stored in page:
                yield tuple_of(stored)
            if len(page) < _size(left):
                return
            last, left = page[-1].row, left - len(page)

    def _page(self, listing: saving.Listing, last: Row | None, left: int) -> Sequence[Stored]:
        return self._read(
            saving.page(listing, self.packing(write=False).opens, after=last, most=_size(left))
        )

    def get_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        """What delta channels got before a checkpoint. Raises as `get_tuple` does."""
        if not channels:
            return {}
        steps = saving.delta_history(
            point_of(config),
            channels,
            self.packing(write=False).opens,
            visitor=self._visitor(config),
        )
        return histories_of(self._read(steps))

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
        packing = self.packing(write=True)

        def steps(scrubbers: Sequence[Scrubs]) -> Steps[bool]:
            held = checkpoint["channel_values"]
            for scrubber in scrubbers:
                held = dict(scrubber.scrub_values(held))
            return saving.put(
                point,
                packing.apart({**checkpoint, "channel_values": held} if scrubbers else checkpoint),
                parent_id=get_checkpoint_id(config),
                built_on=upward(config),
                metadata=told.encode("utf-8", "ignore"),
                visitor=self._visitor(config),
                places_in=places_in,
                now=self.clock(),
            )

        self._store(point.thread_id, steps)
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
        packing = self.packing(write=True)

        def steps(scrubbers: Sequence[Scrubs]) -> Steps[bool]:
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
                visitor=self._visitor(config),
                now=self.clock(),
            )

        self._store(point.thread_id, steps)

    def get_next_version(self, current: Any, channel: None) -> Any:
        """Whole numbers; a thread that the official saver began keeps that one's versions."""
        if current is None:
            return 1
        if isinstance(current, int):
            return current + 1
        return super().get_next_version(current, channel)

    # Async: the same, in a thread --------------------------------------------------------------

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """`get_tuple`, awaited."""
        return await self.in_thread(lambda: self.get_tuple(config), write=False)

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,  # noqa: A002 - LangGraph's name
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        """`list`, awaited."""
        listing = asked(config, filter, before)
        await self.in_thread(lambda: self._admit_reader(config), write=False)
        pages = self._pages(listing, limit)
        while True:
            # A step of the generator reads a page at most.
            found = await self.in_thread(lambda: next(pages, None), write=False)
            if found is None:
                return
            yield found

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

    async def aget_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        """`get_delta_channel_history`, awaited."""
        return await self.in_thread(
            lambda: self.get_delta_channel_history(config=config, channels=channels), write=False
        )

    # Life -------------------------------------------------------------------------------------

    def close(self) -> None:
        """Close the database; using the checkpointer afterwards raises `MemoryClosed`."""
        self.backend.close()

    async def aclose(self) -> None:
        """`close`, off the event loop."""
        await self.backend.aclose()


def _size(left: int) -> int:
    """How many to read next, of so many that are still asked for; below 0, of all."""
    return _PAGE if left < 0 else min(left, _PAGE)
