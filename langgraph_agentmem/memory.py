"""`AgentMemory`: one database, a store and a checkpointer on it, and forgetting across both."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal, Self

from langgraph.checkpoint.serde.base import SerializerProtocol
from langgraph.store.base import TTLConfig

from .backends.sqlite import SqliteBackend
from .checkpointer import AgentMemSaver
from .checkpointer.serializer import AllowedTypes
from .embedders import MEANING_FLOOR, Embed, make_embedder
from .learning import LearningMemory
from .lifetime import BUSY_TIMEOUT, Closing, utc_now
from .model import Checkup, Namespace, Receipt, Verified
from .portable import Portable
from .protocols import Clock
from .retention import ThreadRetention, ThreadSweep
from .scope import Scope, user_key
from .scoped import UserMemory
from .scrub import Scrubber
from .shelves import CACHE_BYTES
from .steps import Steps, Work, activity, await_all, call_all, checkpoints
from .steps.forget import Erased
from .store import AgentMemStore, Index
from .store.core import check_options
from .store.forgetting import Progress, silent
from .wordings import leaf_texts


class AgentMemory(LearningMemory, Portable, Closing):
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
            NotAMemoryFile, SchemaTooNew, SchemaOutdated, SQLiteTooOld, StorageError, MissingExtra.
        """
        index = None
        if embed is not None:
            index = Index(embedder=make_embedder(embed), ranking=ranking, floor=floor)
        found = scope or Scope()
        check_options(ttl, vector_cache)
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

    # Forgetting ------------------------------------------------------------------------------

    def forget(
        self,
        user_id: str | int,
        topic: str | None = None,
        *,
        dry_run: bool = False,
        in_run: str | None = None,
        progress: Progress = silent,
    ) -> Receipt:
        """Erase a topic of a user, or all of the user, wherever this database holds it.

        Gone are value, history, vectors and search text, and episodes and turns that were
        derived from it; and in every checkpoint and pending write of the user's threads, the
        messages it was learnt from (a marker stands in their place) and the value wherever else
        it stands; summaries there are made anew. Without a topic the user's threads go too. All
        rows change in one transaction; then the file is written anew and the log emptied.

        Call it between runs: a run that is going on holds its state in memory, and writes it.
        A tool that forgets inside a run names the run's thread, and what this process still
        writes of that run is scrubbed too.

        Args:
            user_id: Whose memory.
            topic: One topic; None for everything.
            dry_run: Count and list what would go, and change nothing.
            in_run: The thread of the run that asks for it.
            progress: Called with a stage, how much of it is done, and of how much.

        Returns:
            A receipt; nothing was there if its `total` is 0.

        Raises:
            UserRequired: The id is blank or no id.
            CheckpointUnreadable: A checkpoint that must change holds a type that cannot be loaded
                here; nothing was forgotten.
        """
        return call_all(
            self._forget(user_id, topic, dry_run=dry_run, in_run=in_run, progress=progress)
        )

    async def aforget(
        self,
        user_id: str | int,
        topic: str | None = None,
        *,
        dry_run: bool = False,
        in_run: str | None = None,
        progress: Progress = silent,
    ) -> Receipt:
        """`forget`, awaited."""
        return await await_all(
            self._forget(user_id, topic, dry_run=dry_run, in_run=in_run, progress=progress)
        )

    def _forget(
        self,
        user_id: str | int,
        topic: str | None,
        *,
        dry_run: bool,
        in_run: str | None,
        progress: Progress,
    ) -> Work[Receipt]:
        user = user_key(user_id)
        store = self.store
        now = store.clock()
        running: list[Scrubber] = []
        rows = store.forget_steps(self.scope.namespace(user_id), topic, now=now, dry_run=dry_run)

        def steps() -> Steps[tuple[Receipt, Erased, bool]]:
            gone = yield from rows
            threads = yield from checkpoints.threads_of(user)
            if topic is None:
                counts = yield from checkpoints.remove_threads(threads, now=now, dry_run=dry_run)
                counts |= yield from activity.remove(user, dry_run=dry_run)
                touched, listing = threads, [f"thread {one}" for one in threads]
            else:
                counts, touched, listing = yield from self._scrub(
                    gone, user, threads, dry_run=dry_run, progress=progress
                )
            if not dry_run:
                yield from store.bury_threads(touched, now=now)
                if in_run in threads and topic is not None:
                    # While this transaction holds the writer, nothing is stored beside it.
                    running.append(_scrubber(gone, in_run))
                    self.checkpointer.forget_in_run(in_run, running[-1])
            draft = yield from store.draft_receipt(
                gone,
                now=now,
                dry_run=dry_run,
                threads=touched,
                whole_threads=topic is None,
                removed=counts,
                listing=listing,
            )
            owed = yield from store.owe_purge(draft.removed, dry_run=dry_run)
            return draft, gone, owed

        progress("rows", 0, 1)
        try:
            draft, gone, owed = yield store.perform(steps(), write=not dry_run)
        except BaseException:
            for one in running:
                self.checkpointer.let_run_write(str(in_run), one)
            raise
        if not dry_run:
            self.checkpointer.forget_cache()
        return (yield from store.receipt(draft, gone, owed=owed, progress=progress))

    def _scrub(
        self, gone: Erased, user: str, threads: list[str], *, dry_run: bool, progress: Progress
    ) -> Steps[tuple[dict[str, int], list[str], list[str]]]:
        """Counts, the threads that changed, and what changed by name."""
        texts = leaf_texts(gone.values)
        scrubbers: dict[str, Scrubber] = {}

        def scrubber(thread_id: str) -> Scrubber:
            if thread_id not in scrubbers:
                progress("threads", len(scrubbers), len(threads))
                scrubbers[thread_id] = _scrubber(gone, thread_id)
            return scrubbers[thread_id]

        codec = self.checkpointer.packing(write=not dry_run)
        counts = yield from checkpoints.scrub(threads, scrubber, codec, dry_run=dry_run)
        counts |= yield from activity.scrub(user, Scrubber(texts, ()), dry_run=dry_run)
        counts |= {
            "messages": sum(one.messages for one in scrubbers.values()),
            "values elsewhere": sum(one.values for one in scrubbers.values()),
        }
        told = {thread for thread, _ in gone.messages}  # a run may not have written there yet
        touched = [
            thread
            for thread, one in scrubbers.items()
            if one.messages or one.values or thread in told
        ]
        listing = [
            f"{one.messages} messages and {one.values} values elsewhere in thread {thread}"
            for thread, one in scrubbers.items()
            if one.messages or one.values
        ]
        return counts, touched, listing

    def verify(self, receipt: Receipt, *, text: str | Sequence[str] | None = None) -> Verified:
        """Look again for what a receipt says was erased: in the store as `store.verify` does,
        and in the threads: source messages that are no marker, threads that are there again.

        What was said anew after the receipt's moment is no finding.

        Args:
            receipt: Of this database and this `tombstone_key`.
            text: Looked for in the database's files, in every form.

        Raises:
            ValueError: A receipt of a dry run or of another key, or a text too short to tell.
        """
        return call_all(self._verify(receipt, text))

    async def averify(
        self, receipt: Receipt, *, text: str | Sequence[str] | None = None
    ) -> Verified:
        """`verify`, awaited."""
        return await await_all(self._verify(receipt, text))

    def _verify(self, receipt: Receipt, text: str | Sequence[str] | None) -> Work[Verified]:
        found = yield from self.store.verify_work(receipt, text)
        codec = self.checkpointer.packing(write=False)
        looking = self.store.look_in_threads(receipt, codec)
        counts: dict[str, int] = yield self.store.perform(looking, write=False)
        return replace(found, found={**found.found, **counts})

    def doctor(self) -> Checkup:
        """Look the database over: finish a pass over the files that was cut off, set the word
        index right where it and the memories differ, and let SQLite check the file.
        """
        return self.store.doctor()

    async def adoctor(self) -> Checkup:
        """`doctor`, awaited."""
        return await self.store.adoctor()

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


def _scrubber(gone: Erased, thread_id: str) -> Scrubber:
    """Takes out of a thread what was forgotten."""
    ids = [message for thread, message in gone.messages if thread == thread_id]
    return Scrubber(leaf_texts(gone.values), ids, {topic for _, topic in gone.topics})
