"""`AgentMemory`: one database, a store and a checkpointer on it, and forgetting across both."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Literal, Self

from langgraph.checkpoint.serde.base import SerializerProtocol
from langgraph.store.base import TTLConfig

from .backends.sqlite import SqliteBackend
from .checkpointer import AgentMemSaver
from .embedders import MEANING_FLOOR, Embed, make_embedder
from .lifetime import Closing
from .model import Namespace, Receipt
from .protocols import Clock
from .scope import Scope, user_key
from .scoped import UserMemory
from .scrub import Scrubber, leaf_texts
from .shelves import CACHE_BYTES
from .steps import Steps, Work, activity, await_all, call_all, checkpoints
from .steps.forget import Erased
from .store import BUSY_TIMEOUT, AgentMemStore, Index, utc_now


class AgentMemory(Closing):
    """Long-term memory on one database: `store` and `checkpointer` for a graph, and what
    reaches across both. Made by `AgentMemory.open`.

    Attributes:
        store: An `AgentMemStore` for `compile(store=…)`.
        checkpointer: An `AgentMemSaver` for `compile(checkpointer=…)`.
        scope: How user ids become namespaces.
    """

    def __init__(self, store: AgentMemStore, checkpointer: AgentMemSaver, scope: Scope) -> None:
        self.store = store
        self.checkpointer = checkpointer
        self.scope = scope
        store.whole = self

    @classmethod
    def open(
        cls,
        path: str | Path,
        *,
        embed: Embed | None = None,
        ranking: Literal["hybrid", "cosine"] = "hybrid",
        floor: float = MEANING_FLOOR,
        ttl: TTLConfig | None = None,
        scope: Scope | None = None,
        serde: SerializerProtocol | None = None,
        busy_timeout: float = BUSY_TIMEOUT,
        clock: Clock = utc_now,
        tombstone_key: str | None = None,
        vector_cache: int = CACHE_BYTES,
        require_user: bool = True,
    ) -> Self:
        """Open a memory, ready to use; a context manager, sync and async.

        Args:
            path: A SQLite file, made if it is not there, or `:memory:` for a try.
            embed: Finds memories by meaning too: a LangChain `Embeddings`, a function from
                texts to vectors, or a name like `"sentence-transformers:all-MiniLM-L6-v2"`
                (extra `local`, loaded on first use). None for words alone.
            ranking: How `store.search(query=…)` orders.
            floor: The cosine that is enough for `recall` by itself.
            ttl: LangGraph's TTL configuration.
            scope: How user ids become namespaces.
            serde: Serializes checkpoints, as in LangGraph's savers.
            busy_timeout: Seconds that a write waits for another process.
            clock: Tells the time.
            tombstone_key: Keys the hashes of forgotten messages; see `AgentMemStore`.
            vector_cache: Bytes of vectors kept in memory between searches.
            require_user: False lets the checkpointer store threads that are nobody's; no
                forgetting reaches them before `claim_thread`.

        Raises:
            NotAMemoryFile, SchemaTooNew, SchemaOutdated, SQLiteTooOld, StorageError, MissingExtra.
        """
        index = None
        if embed is not None:
            index = Index(embedder=make_embedder(embed), ranking=ranking, floor=floor)
        found = scope or Scope()
        backend = SqliteBackend(path, busy_timeout=busy_timeout, now=clock())
        try:
            store = AgentMemStore(
                backend,
                index=index,
                ttl=ttl,
                clock=clock,
                tombstone_key=tombstone_key,
                vector_cache=vector_cache,
            )
            saver = AgentMemSaver(
                backend, clock=clock, scope=found, serde=serde, require_user=require_user
            )
        except BaseException:
            backend.close()
            raise
        return cls(store, saver, found)

    @classmethod
    async def aopen(
        cls,
        path: str | Path,
        *,
        embed: Embed | None = None,
        ranking: Literal["hybrid", "cosine"] = "hybrid",
        floor: float = MEANING_FLOOR,
        ttl: TTLConfig | None = None,
        scope: Scope | None = None,
        serde: SerializerProtocol | None = None,
        busy_timeout: float = BUSY_TIMEOUT,
        clock: Clock = utc_now,
        tombstone_key: str | None = None,
        vector_cache: int = CACHE_BYTES,
        require_user: bool = True,
    ) -> Self:
        """`open`, off the event loop."""
        return await asyncio.to_thread(
            cls.open,
            path,
            embed=embed,
            ranking=ranking,
            floor=floor,
            ttl=ttl,
            scope=scope,
            serde=serde,
            busy_timeout=busy_timeout,
            clock=clock,
            tombstone_key=tombstone_key,
            vector_cache=vector_cache,
            require_user=require_user,
        )

    # Users -----------------------------------------------------------------------------------

    def for_user(self, user_id: str | int) -> UserMemory:
        """This user's memory, which cannot name another user's. Raises `UserRequired`."""
        return UserMemory(self, user_key(user_id), self.scope.namespace(user_id))

    def namespace_of(self, user_id: str | int) -> Namespace:
        """Where this user's memories are. Raises `UserRequired`."""
        return self.scope.namespace(user_id)

    def claim_thread(self, thread_id: str, user_id: str | int) -> None:
        """Say whose a thread is, for graphs without our nodes. Raises `UserConflict`."""
        self.store.claim_thread(thread_id, user_key(user_id))

    async def aclaim_thread(self, thread_id: str, user_id: str | int) -> None:
        """`claim_thread`, awaited."""
        await self.store.aclaim_thread(thread_id, user_key(user_id))

    # Forgetting ------------------------------------------------------------------------------

    def forget(
        self, user_id: str | int, topic: str | None = None, *, dry_run: bool = False
    ) -> Receipt:
        """Erase a topic of a user, or all of the user, wherever this database holds it.

        Gone are value, history, vectors and search text; and in every checkpoint and pending
        write of the user's threads, the messages it was learnt from (a marker stands in their
        place) and the value wherever else it stands. Without a topic the user's threads go too.
        All rows change in one transaction; then the log is truncated and the file vacuumed.

        Call it between runs: a run that is going on holds its state in memory, and writes it.

        Args:
            user_id: Whose memory.
            topic: One topic; None for everything.
            dry_run: Count what would go, and change nothing.

        Returns:
            A receipt; nothing was there if its `total` is 0.

        Raises:
            UserRequired: The id is blank or no id.
            CheckpointUnreadable: A checkpoint that must change holds a type that cannot be loaded
                here; nothing was forgotten.
        """
        return call_all(self._forget(user_id, topic, dry_run=dry_run))

    async def aforget(
        self, user_id: str | int, topic: str | None = None, *, dry_run: bool = False
    ) -> Receipt:
        """`forget`, awaited."""
        return await await_all(self._forget(user_id, topic, dry_run=dry_run))

    def _forget(self, user_id: str | int, topic: str | None, *, dry_run: bool) -> Work[Receipt]:
        user = user_key(user_id)
        rows = self.store.forget_steps(self.scope.namespace(user_id), topic, dry_run=dry_run)

        def steps() -> Steps[tuple[Erased, dict[str, int], bool]]:
            gone = yield from rows
            threads = yield from checkpoints.threads_of(user)
            if topic is None:
                counts = yield from checkpoints.remove_threads(threads, dry_run=dry_run)
                counts |= yield from activity.remove(user, dry_run=dry_run)
            else:
                counts = yield from self._scrub(gone, user, threads, dry_run=dry_run)
            removed = {**gone.counts, **counts}
            owed = yield from self.store.owe_purge(removed, dry_run=dry_run)
            return gone, removed, owed

        gone, removed, owed = yield self.store.perform(steps(), write=not dry_run)
        return (yield from self.store.receipt(gone, removed, owed=owed, dry_run=dry_run))

    def _scrub(
        self, gone: Erased, user: str, threads: list[str], *, dry_run: bool
    ) -> Steps[dict[str, int]]:
        texts = leaf_texts(gone.values)
        scrubbers: dict[str, Scrubber] = {}

        def scrubber(thread_id: str) -> Scrubber:
            if thread_id not in scrubbers:
                ids = [message for thread, message in gone.messages if thread == thread_id]
                scrubbers[thread_id] = Scrubber(texts, ids)
            return scrubbers[thread_id]

        serde = self.checkpointer.serde
        counts = yield from checkpoints.scrub(
            threads, scrubber, loads=serde.loads_typed, dumps=serde.dumps_typed, dry_run=dry_run
        )
        calls = yield from activity.scrub(user, Scrubber(texts, ()), dry_run=dry_run)
        return {
            **counts,
            **calls,
            "messages": sum(one.messages for one in scrubbers.values()),
            "values elsewhere": sum(one.values for one in scrubbers.values()),
        }

    # Life ------------------------------------------------------------------------------------

    def close(self) -> None:
        """Close the database; using the memory afterwards raises `MemoryClosed`."""
        self.store.close()

    async def aclose(self) -> None:
        """`close`, awaited."""
        await self.store.aclose()
