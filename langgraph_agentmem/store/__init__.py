"""`AgentMemStore`: a LangGraph store whose items are memories.

Each verb is written once, as work that yields what it waits for; the sync and the async form run
the same work. Texts are embedded before a transaction opens, never inside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Self, TypeVar, cast

from langgraph.store.base import BaseStore, GetOp, Op, Result, SearchOp, TTLConfig

from langgraph_agentmem.backends.sqlite import SqliteBackend
from langgraph_agentmem.lifetime import BUSY_TIMEOUT, Closing, lock, utc_now
from langgraph_agentmem.protocols import Clock, Forgets
from langgraph_agentmem.shelves import CACHE_BYTES, Shelves
from langgraph_agentmem.steps import Steps, Work, await_all, call_all, items, recall
from langgraph_agentmem.steps.listing import Listing
from langgraph_agentmem.steps.memories import Draft

from .batches import understood
from .core import check_options
from .forgetting import Forgetting
from .index import Index
from .learning import Learning
from .porting import Porting
from .reading import Reading
from .retaining import Retaining
from .sweeping import Sweeper, Sweeping
from .uses import UseCounts
from .writing import Writing

T = TypeVar("T")

__all__ = ["AgentMemStore", "Index"]


class AgentMemStore(
    Writing, Learning, Reading, Forgetting, Retaining, Porting, Sweeping, Closing, BaseStore
):
    """A LangGraph store that keeps one current value per topic, older ones as history, pins
    what must always be there, and forgets for good.

    Every verb has a sync form and an async one with an `a` before its name. Usually made by
    `AgentMemory.open`; alone, by `AgentMemStore.from_conn_string`.

    Args:
        backend: Where memories are kept.
        index: How they are found by meaning; None for words alone.
        ttl: LangGraph's TTL configuration; `default_ttl` in minutes.
        clock: Tells the time.
        tombstone_key: Keys the hashes of forgotten messages; None keeps a random key in the
            database, which makes them pseudonymous, not anonymous.
        vector_cache: Bytes of vectors kept in memory between searches; what is larger by itself
            is read anew for every search.

    Attributes:
        whole: The `AgentMemory` that this store is a part of, or None. It forgets across
            store and checkpointer.
    """

    supports_ttl = True

    def __init__(
        self,
        backend: SqliteBackend,
        *,
        index: Index | None = None,
        ttl: TTLConfig | None = None,
        clock: Clock = utc_now,
        tombstone_key: str | None = None,
        vector_cache: int = CACHE_BYTES,
    ) -> None:
        super().__init__()
        given: object = backend
        if not isinstance(given, SqliteBackend):
            raise TypeError(
                "a store is opened by AgentMemStore.from_conn_string(path) "
                f"(found {type(given).__name__} as its backend)"
            )
        self.backend = backend
        self.index = index
        # `BaseStore` takes an option that is there for one that says something.
        said = {name: option for name, option in (ttl or {}).items() if option is not None}
        self.ttl_config = None if ttl is None else cast("TTLConfig", said)
        self.clock = clock
        self._given_key = tombstone_key
        self.shelves = Shelves(vector_cache)
        self.listing = Listing()
        self.whole: Forgets | None = None
        self.uses = UseCounts()
        self.finish_forgetting()
        self._sweeper: Sweeper | None = None
        self._sweeping = lock()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} on {self.backend.path!r}>"

    @classmethod
    def from_conn_string(
        cls,
        path: str | Path,
        *,
        index: Mapping[str, Any] | None = None,
        ttl: TTLConfig | None = None,
        busy_timeout: float = BUSY_TIMEOUT,
        clock: Clock = utc_now,
        tombstone_key: str | None = None,
        vector_cache: int = CACHE_BYTES,
    ) -> Self:
        """A store on its own, ready, and a context manager.

        Args:
            path: A SQLite file, made if it is not there, or `:memory:`.
            index: LangGraph's index configuration (`dims`, `embed`, `fields`), and `ranking`.
            ttl: LangGraph's TTL configuration.
            busy_timeout: Seconds that a write waits for another process.
            clock: Tells the time.
            tombstone_key: See the class.
            vector_cache: See the class.

        Raises:
            ValueError: The index or TTL configuration is wrong.
            NotAMemoryFile, SchemaTooNew, SchemaOutdated, SQLiteTooOld, StorageError.
        """
        made = None if index is None else Index.from_config(index)
        check_options(ttl, vector_cache, tombstone_key)
        backend = SqliteBackend(path, busy_timeout=busy_timeout, now=clock())
        try:
            return cls(
                backend,
                index=made,
                ttl=ttl,
                clock=clock,
                tombstone_key=tombstone_key,
                vector_cache=vector_cache,
            )
        except BaseException:
            backend.close()
            raise

    # LangGraph's store ---------------------------------------------------------------------

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Run LangGraph's operations in one transaction; their reads see the store before their
        writes.

        Raises:
            InvalidNamespace, InvalidTopic, InvalidValue, ValueError, TypeError: An operation is
                wrong, and none was carried out.
            EmbeddingFailed, EmbedderMismatch, SyncEmbedderRequired: Nothing was written.
            WriteRefused: A topic was forgotten while its value was embedded; nothing was written.
        """
        return call_all(self._batch(ops))

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """`batch`, awaited."""
        return await await_all(self._batch(ops))

    def _batch(self, ops: Iterable[Op]) -> Work[list[Result]]:
        now = self.clock()
        batch = understood(ops)
        puts = [draft for draft in batch.drafts.values() if draft is not None]
        if puts:
            yield from self._embed(puts)
        hybrid = False
        if batch.queries and self.index is not None:
            hybrid = self.index.ranking == "hybrid"
            for at, query in batch.queries.items():
                text = query
                if hybrid:
                    prefix = cast("SearchOp", batch.ops[at]).namespace_prefix
                    wording = recall.wording(prefix, query, self.shelves)
                    text = yield self.perform(wording, write=False)
                batch.vectors[at] = yield self._query_call(self.index, text)
        run = items.run(batch, self.shelves, self.listing, hybrid=hybrid, now=now)
        if puts or batch.vectors:
            run = self._checked(run, puts, now)
        alone = len(batch.ops) == 1 and isinstance(batch.ops[0], GetOp)
        results, refreshed = yield self.perform(run, write=bool(batch.drafts), alone=alone)
        if refreshed:
            yield self.perform(items.refresh(refreshed, now=now))
        answer: list[Result] = results
        return answer

    def _checked(self, run: Steps[T], puts: Sequence[Draft], now: datetime) -> Steps[T]:
        """A batch, unless the database's vectors are another embedder's or a put comes late."""
        yield from self._check_embedder(claim=bool(puts))
        if puts:
            yield from self._refuse_late([(draft.namespace, draft.topic) for draft in puts], now)
        return (yield from run)

    # Life ----------------------------------------------------------------------------------

    def close(self) -> None:
        """Close the database and end the sweeper; using the store afterwards raises
        `MemoryClosed`.
        """
        self.stop_ttl_sweeper()
        call_all(self._write_uses())
        self.backend.close()

    async def aclose(self) -> None:
        """`close`, awaited."""
        await self.astop_ttl_sweeper()
        await await_all(self._write_uses())
        await self.backend.aclose()
