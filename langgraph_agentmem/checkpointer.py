"""`AgentMemSaver`: LangGraph's SQLite saver on the memory's own database.

The official saver's code runs on our connections: its cursor is a transaction of the backend, so
an error rolls back, readers do not wait for writers, and async callers take one thread hop.
"""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, cast

from langchain_core.messages import BaseMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    DeltaChannelHistory,
)
from langgraph.checkpoint.serde.base import SerializerProtocol
from langgraph.checkpoint.sqlite import SqliteSaver

from .backends.sqlite import SqliteBackend
from .errors import StorageError, UserConflict, UserRequired
from .model import Recall
from .protocols import Clock
from .rewriting import DROP, GO_ON, rewrite
from .scope import Scope
from .steps import memories
from .steps.checkpoints import tables

_RUNTIME = "__pregel_runtime"
"""Where LangGraph puts a run's context into the config; absent outside a run."""


class AgentMemSaver(SqliteSaver):
    """A checkpointer on the same database as the memories, sync and async in one object.

    It knows whose each thread is, from the run's config and context, from our nodes, or from
    `memory.claim_thread`: `memory.forget` finds a user's checkpoints by it, and a run that names
    another user is refused before it loads or stores anything. Recalled memories are never
    stored: a `Recall` is left out of every value.

    Args:
        backend: The memory's database.
        clock: Tells the time.
        scope: Finds the user of a run.
        serde: As in LangGraph's savers.
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
        require_user: bool = False,
    ) -> None:
        BaseCheckpointSaver.__init__(self, serde=serde)
        self.backend = backend
        self._clock = clock
        self._scope = scope or Scope()
        self._require_user = require_user
        self._here = threading.local()
        self.is_setup = False
        self.lock = threading.Lock()
        try:
            with backend.bare_connection() as connection, self._as_conn(connection):
                SqliteSaver.setup(self)
        except StorageError:
            # A file that may only be read has its tables, or is of no use.
            if not {"checkpoints", "writes"} <= backend.perform(tables(), write=False):
                raise
            self.is_setup = True

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

    # Whose a thread is -----------------------------------------------------------------------

    def _admit(self, config: RunnableConfig, *, write: bool) -> None:
        """Let the thread's user in, and nobody else; who writes first becomes its user.

        Raises:
            UserConflict: The thread is another user's.
            UserRequired: A blank user is named, or the thread is nobody's and must be
                somebody's.
        """
        configurable = config.get("configurable", {})
        runtime = configurable.get(_RUNTIME)
        user = self._scope.named(config, getattr(runtime, "context", None))
        thread_id = str(configurable["thread_id"])
        owner = self.backend.perform(memories.owner_of(thread_id), write=False)
        if user is None:
            # A run loads its thread before it stores anything: that is the moment to refuse. An
            # application that reads or updates a thread by itself need not name its user.
            if self._require_user and (runtime is not None or (write and owner is None)):
                raise UserRequired(thread_id=thread_id)
            return
        if owner is None and write:
            claim = memories.claim_thread(thread_id, user, now=self._clock())
            owner = self.backend.perform(claim)
        if owner not in {None, user}:
            raise UserConflict("the thread belongs to another user", thread_id=thread_id)

    # Sync ------------------------------------------------------------------------------------

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """A checkpoint. Raises `UserConflict`, `UserRequired` as the class says."""
        self._admit(config, write=False)
        return super().get_tuple(config)

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,  # noqa: A002 - LangGraph's name
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        """Checkpoints, newest first. They are read at once: a caller that pauses blocks nobody.

        Raises:
            UserConflict: The config names another user than the thread's.
        """
        if config is not None and "thread_id" in config.get("configurable", {}):
            self._admit(config, write=False)
        found = [*super().list(config, filter=filter, before=before, limit=limit)]
        return iter(found)

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Store a checkpoint. Raises `UserConflict`, `UserRequired` as the class says."""
        self._admit(config, write=True)
        lean = cast("Checkpoint", without_recalls(checkpoint))
        return super().put(config, lean, metadata, new_versions)

    def put_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Store the writes of a task. Raises `UserConflict`, `UserRequired` as the class says."""
        self._admit(config, write=True)
        lean = [
            (channel, without_recalls(value))
            for channel, value in writes
            if not isinstance(value, Recall)
        ]
        super().put_writes(config, lean, task_id, task_path)

    def delete_thread(self, thread_id: str) -> None:
        """Delete a thread's checkpoints and writes, and whose it was."""
        with self.backend.transaction():
            super().delete_thread(thread_id)
            self.backend.perform(memories.disown_thread(str(thread_id)))

    # Async: the same, in a thread --------------------------------------------------------------

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """`get_tuple`, awaited."""
        return await self.backend.in_thread(lambda: self.get_tuple(config), write=False)

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,  # noqa: A002 - LangGraph's name
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        """`list`, awaited."""
        found = await self.backend.in_thread(
            lambda: self.list(config, filter=filter, before=before, limit=limit), write=False
        )
        for one in found:
            yield one

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """`put`, awaited."""
        return await self.backend.in_thread(
            lambda: self.put(config, checkpoint, metadata, new_versions)
        )

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """`put_writes`, awaited."""
        await self.backend.in_thread(lambda: self.put_writes(config, writes, task_id, task_path))

    async def adelete_thread(self, thread_id: str) -> None:
        """`delete_thread`, awaited."""
        await self.backend.in_thread(lambda: self.delete_thread(thread_id))

    async def aget_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        """`get_delta_channel_history`, awaited."""
        return await self.backend.in_thread(
            lambda: self.get_delta_channel_history(config=config, channels=channels), write=False
        )


def without_recalls(value: Any) -> Any:
    """The value without recalled memories, under whatever key they stand."""

    def visit(inner: Any) -> Any:
        if isinstance(inner, Recall):
            return DROP
        # Messages hold no Recall, and there are many of them.
        return inner if isinstance(inner, str | bytes | BaseMessage) else GO_ON

    return rewrite(value, visit)
