"""What every verb of the checkpointer needs: backend, clock, who asks, how values are stored."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import TypeVar

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.serde.base import SerializerProtocol

from langgraph_agentmem.backends.sqlite import SqliteBackend
from langgraph_agentmem.lifetime import lock
from langgraph_agentmem.protocols import Clock
from langgraph_agentmem.scope import Scope
from langgraph_agentmem.steps import Steps, settings
from langgraph_agentmem.steps.saving import Visitor

from .memo import Memo
from .packing import Packing
from .runs import Runs
from .serializer import checks

T = TypeVar("T")

RUNTIME = "__pregel_runtime"
"""Where LangGraph puts a run's context into the config; absent outside a run."""


class Shared:
    """What a saver has in common with its copies: LangGraph makes one for each graph."""

    def __init__(self, key: str | None) -> None:
        self.key = key
        self.late = 0
        self.needed = 0
        self.lock = lock()
        self.runs = Runs()


class SaverCore:
    """Backend, clock and serializer, and how verbs use them."""

    backend: SqliteBackend
    clock: Clock
    memo: Memo
    serde: SerializerProtocol
    _shared: Shared
    _scope: Scope
    _require_user: bool

    @property
    def runs(self) -> Runs:
        """The runs that this object, and the copies that graphs made of it, store."""
        return self._shared.runs

    def _visitor(self, config: RunnableConfig) -> Visitor:
        runtime = config.get("configurable", {}).get(RUNTIME)
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

    async def in_thread(self, work: Callable[[], T], *, write: bool = True) -> T:
        """Work on the database, off the event loop."""
        return await self.backend.in_thread(work, write=write)
