"""`AgentMemory`: one database, a store and a checkpointer on it, and forgetting across both."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Literal, Self

from langgraph.checkpoint.serde.base import SerializerProtocol
from langgraph.store.base import TTLConfig

from .backends.sqlite import SqliteBackend
from .checkpointer import AgentMemSaver
from .checkpointer.serializer import AllowedTypes
from .embedders import MEANING_FLOOR, Embed, make_embedder
from .errors import shown
from .forgetting import ForgettingMemory
from .learning import LearningMemory
from .lifetime import BUSY_TIMEOUT, Closing, utc_now
from .model import Namespace
from .portable import Portable
from .protocols import Clock
from .retention import ThreadRetention, ThreadSweep
from .scope import Scope, user_key
from .scoped import UserMemory
from .shelves import CACHE_BYTES
from .store import AgentMemStore, Index
from .store.core import check_options
from .store.index import check_ranking


class AgentMemory(ForgettingMemory, LearningMemory, Portable, Closing):
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

    def __repr__(self) -> str:
        return f"<{type(self).__name__} on {self.store.backend.path!r}>"

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
        allowed_types: AllowedTypes = (),
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
            serde: Serializes checkpoints, as in LangGraph's savers; see `AgentMemSaver`.
            allowed_types: Types of your own that checkpoints may hold, such as the dataclasses
                and enums of your state: classes, or tuples of module and name.
            busy_timeout: Seconds that a write waits for another process.
            clock: Tells the time.
            tombstone_key: Keys the hashes of forgotten messages; see `AgentMemStore`.
            vector_cache: Bytes of vectors kept in memory between searches.
            require_user: False lets the checkpointer store threads that are nobody's; no
                forgetting reaches them before `claim_thread`.

        Raises:
            ValueError, TypeError: An option is wrong, and nothing was opened.
            NotAMemoryFile, SchemaTooNew, SchemaOutdated, SQLiteTooOld, StorageError, MissingExtra.
        """
        check_options(ttl, vector_cache, tombstone_key)
        check_ranking(ranking, floor)
        found = _checked_scope(scope)
        if not isinstance(require_user, bool):
            raise ValueError(f"require_user is True or False (found {shown(require_user)})")  # noqa: TRY004
        index = None
        if embed is not None:
            index = Index(embedder=make_embedder(embed), ranking=ranking, floor=floor)
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
                backend,
                clock=clock,
                scope=found,
                serde=serde,
                allowed_types=allowed_types,
                tombstone_key=tombstone_key,
                require_user=require_user,
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
        allowed_types: AllowedTypes = (),
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
            allowed_types=allowed_types,
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

    # Threads ---------------------------------------------------------------------------------

    def sweep_threads(
        self,
        retention: ThreadRetention,
        *,
        user_id: str | int | None = None,
        dry_run: bool = False,
    ) -> ThreadSweep:
        """Delete threads by rule: idle time, age, number of each user's.

        Memories that were learnt in them stay. There is no pass over the files.

        Args:
            retention: The rules.
            user_id: Only this user's threads; None for everybody's.
            dry_run: Say what would go, and delete nothing.

        Returns:
            The threads with the reason of each. One that is used while this runs stays.
        """
        user = None if user_id is None else user_key(user_id)
        return self.checkpointer.sweep_threads(retention, user_id=user, dry_run=dry_run)

    async def asweep_threads(
        self,
        retention: ThreadRetention,
        *,
        user_id: str | int | None = None,
        dry_run: bool = False,
    ) -> ThreadSweep:
        """`sweep_threads`, awaited."""
        user = None if user_id is None else user_key(user_id)
        return await self.checkpointer.asweep_threads(retention, user_id=user, dry_run=dry_run)

    # Life ------------------------------------------------------------------------------------

    def close(self) -> None:
        """Close the database; using the memory afterwards raises `MemoryClosed`."""
        self.store.close()

    async def aclose(self) -> None:
        """`close`, awaited."""
        await self.store.aclose()


def _checked_scope(scope: object) -> Scope:
    """The scope that was given, or that of none. Raises TypeError."""
    if scope is None:
        return Scope()
    if not isinstance(scope, Scope):
        raise TypeError(
            f'scope is a Scope, e.g. Scope(template=("memories", "{{user_id}}")) '
            f"(found {type(scope).__name__})"
        )
    return scope
