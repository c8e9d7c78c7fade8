"""One user's memory: every verb without a namespace, and no way to name another user."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, overload

from langchain_core.messages import MessageLikeRepresentation

from .model import Consent, Held, Kind, Learned, Memory, Namespace, Recall, Receipt, Source, Version
from .policy import careful
from .protocols import Extractor, WritePolicy
from .retention import Duplicate, Retention, Sweep
from .store.forgetting import Progress, silent
from .store.retaining import ALIKE

if TYPE_CHECKING:
    from .memory import AgentMemory


class UserMemory:
    """The verbs of `AgentMemStore` for one user; see there. Made by `memory.for_user(id)`.

    Attributes:
        user_id: The user, as text.
        namespace: Where the user's memories are.
    """

    def __init__(self, memory: AgentMemory, user_id: str, namespace: Namespace) -> None:
        self._memory = memory
        self._store = memory.store
        self.user_id = user_id
        self.namespace = namespace

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {'/'.join(self.namespace)!r} of {self._memory!r}>"

    def remember(
        self,
        topic: str,
        content: str | Mapping[str, Any],
        *,
        kind: Kind = "fact",
        pinned: bool | None = None,
        source: Source | None = None,
        ttl: float | None = None,
        valid_from: datetime | None = None,
        expected_version: int | None = None,
    ) -> Memory:
        """Keep this about a topic; what was held becomes history, and a pin stays.

        Args:
            topic: What it is about, such as `home_city`.
            content: Text, or a mapping that JSON can hold.
            kind: See `Kind`.
            pinned: True or False sets the pin; None leaves it as it is.
            source: Where it came from.
            ttl: Minutes until it expires, unless it is pinned; None for never.
            valid_from: Since when it holds; None for now.
            expected_version: The number that must be current, 0 for none.

        Raises:
            InvalidTopic, InvalidValue, ValueError, VersionConflict: Nothing was written.
            EmbeddingFailed, EmbedderMismatch, SyncEmbedderRequired: The same.
        """
        return self._store.remember(
            self.namespace,
            topic,
            content,
            kind=kind,
            pinned=pinned,
            source=source,
            ttl=ttl,
            valid_from=valid_from,
            expected_version=expected_version,
        )

    async def aremember(
        self,
        topic: str,
        content: str | Mapping[str, Any],
        *,
        kind: Kind = "fact",
        pinned: bool | None = None,
        source: Source | None = None,
        ttl: float | None = None,
        valid_from: datetime | None = None,
        expected_version: int | None = None,
    ) -> Memory:
        """`remember`, awaited."""
        return await self._store.aremember(
            self.namespace,
            topic,
            content,
            kind=kind,
            pinned=pinned,
            source=source,
            ttl=ttl,
            valid_from=valid_from,
            expected_version=expected_version,
        )

    def recall(
        self,
        query: str,
        *,
        limit: int = 8,
        token_budget: int | None = None,
        kinds: Sequence[Kind] | None = None,
        floor: float | None = None,
        as_of: datetime | None = None,
        known_at: datetime | None = None,
        seen: Source | None = None,
    ) -> Recall:
        """What a question gets: pinned memories, then relevant ones, best first.

        Args:
            query: What is asked; blank gets the pinned ones alone.
            limit: The most relevant memories returned; pinned ones do not count.
            token_budget: Tokens (estimated) for the relevant ones.
            kinds: Only memories of these kinds; None for all.
            floor: What is enough by itself: a share of the query's words, or a cosine.
            as_of: What held at that moment, by words alone.
            known_at: What was recorded by that moment, by words alone.
            seen: The messages that the caller has before it; their turns are left out.

        Raises:
            ValueError: Nothing was read; see `AgentMemStore.recall`.
        """
        return self._store.recall(
            self.namespace,
            query,
            limit=limit,
            token_budget=token_budget,
            kinds=kinds,
            floor=floor,
            as_of=as_of,
            known_at=known_at,
            seen=seen,
        )

    async def arecall(
        self,
        query: str,
        *,
        limit: int = 8,
        token_budget: int | None = None,
        kinds: Sequence[Kind] | None = None,
        floor: float | None = None,
        as_of: datetime | None = None,
        known_at: datetime | None = None,
        seen: Source | None = None,
    ) -> Recall:
        """`recall`, awaited."""
        return await self._store.arecall(
            self.namespace,
            query,
            limit=limit,
            token_budget=token_budget,
            kinds=kinds,
            floor=floor,
            as_of=as_of,
            known_at=known_at,
            seen=seen,
        )

    @overload
    def look(self, topic: str) -> Memory | None: ...

    @overload
    def look(self, topic: str, *, as_of: datetime | None) -> Memory | Version | None: ...

    def look(self, topic: str, *, as_of: datetime | None = None) -> Memory | Version | None:
        """What is held about a topic: now, or at a moment; None where nothing is or was."""
        return self._store.look(self.namespace, topic, as_of=as_of)

    @overload
    async def alook(self, topic: str) -> Memory | None: ...

    @overload
    async def alook(self, topic: str, *, as_of: datetime | None) -> Memory | Version | None: ...

    async def alook(self, topic: str, *, as_of: datetime | None = None) -> Memory | Version | None:
        """`look`, awaited."""
        return await self._store.alook(self.namespace, topic, as_of=as_of)

    def memories(self, *, kinds: Sequence[Kind] | None = None) -> list[Memory]:
        """Every current memory, by topic, without a limit; of these kinds, if any are given."""
        return self._store.memories(self.namespace, kinds=kinds)

    async def amemories(self, *, kinds: Sequence[Kind] | None = None) -> list[Memory]:
        """`memories`, awaited."""
        return await self._store.amemories(self.namespace, kinds=kinds)

    def history(self, topic: str) -> list[Version]:
        """The versions of a topic, oldest first, the current one last."""
        return self._store.history(self.namespace, topic)

    async def ahistory(self, topic: str) -> list[Version]:
        """`history`, awaited."""
        return await self._store.ahistory(self.namespace, topic)

    def why(self, topic: str) -> Source | None:
        """Where the current value came from, if that was said. Raises `MemoryNotFound`."""
        return self._store.why(self.namespace, topic)

    async def awhy(self, topic: str) -> Source | None:
        """`why`, awaited."""
        return await self._store.awhy(self.namespace, topic)

    def pin(self, topic: str) -> Memory:
        """Recall this topic on every call, whatever is asked. Raises `MemoryNotFound`."""
        return self._store.pin(self.namespace, topic)

    async def apin(self, topic: str) -> Memory:
        """`pin`, awaited."""
        return await self._store.apin(self.namespace, topic)

    def unpin(self, topic: str) -> Memory:
        """Recall this topic only when it is asked for. Raises `MemoryNotFound`."""
        return self._store.unpin(self.namespace, topic)

    async def aunpin(self, topic: str) -> Memory:
        """`unpin`, awaited."""
        return await self._store.aunpin(self.namespace, topic)

    def retire(self, topic: str) -> None:
        """End a topic without a successor; its history stays. Raises `MemoryNotFound`."""
        self._store.retire(self.namespace, topic)

    async def aretire(self, topic: str) -> None:
        """`retire`, awaited."""
        await self._store.aretire(self.namespace, topic)

    def export(self) -> Iterator[dict[str, Any]]:
        """Everything of this user as lines, threads too; see `AgentMemory.export_user`."""
        return self._memory.export_user(self.user_id)

    def aexport(self) -> AsyncIterator[dict[str, Any]]:
        """`export`, to be read with `async for`."""
        return self._memory.aexport_user(self.user_id)

    def sweep(self, retention: Retention, *, dry_run: bool = False) -> Sweep:
        """Delete what is due by rule, and say why; see `AgentMemStore.sweep`."""
        return self._store.sweep(retention, namespace=self.namespace, dry_run=dry_run)

    async def asweep(self, retention: Retention, *, dry_run: bool = False) -> Sweep:
        """`sweep`, awaited."""
        return await self._store.asweep(retention, namespace=self.namespace, dry_run=dry_run)

    def find_duplicates(self, *, kind: Kind | None = None, least: float = ALIKE) -> list[Duplicate]:
        """Memories that say nearly the same; see `AgentMemStore.find_duplicates`."""
        return self._store.find_duplicates(self.namespace, kind=kind, least=least)

    async def afind_duplicates(
        self, *, kind: Kind | None = None, least: float = ALIKE
    ) -> list[Duplicate]:
        """`find_duplicates`, awaited."""
        return await self._store.afind_duplicates(self.namespace, kind=kind, least=least)

    def consolidate(
        self, *, apply: Iterable[Duplicate] = (), dry_run: bool = False
    ) -> list[Duplicate]:
        """End the older of two that say the same; see `AgentMemStore.consolidate`."""
        return self._store.consolidate(self.namespace, apply=apply, dry_run=dry_run)

    async def aconsolidate(
        self, *, apply: Iterable[Duplicate] = (), dry_run: bool = False
    ) -> list[Duplicate]:
        """`consolidate`, awaited."""
        return await self._store.aconsolidate(self.namespace, apply=apply, dry_run=dry_run)

    def learn(
        self,
        messages: Iterable[MessageLikeRepresentation],
        *,
        extractor: Extractor,
        policy: WritePolicy = careful,
        thread_id: str | None = None,
        timezone: str | None = None,
    ) -> Learned:
        """Learn from messages as `extract_facts` does; see `AgentMemory.learn`."""
        return self._memory.learn(
            self.user_id,
            messages,
            extractor=extractor,
            policy=policy,
            thread_id=thread_id,
            timezone=timezone,
        )

    async def alearn(
        self,
        messages: Iterable[MessageLikeRepresentation],
        *,
        extractor: Extractor,
        policy: WritePolicy = careful,
        thread_id: str | None = None,
        timezone: str | None = None,
    ) -> Learned:
        """`learn`, awaited."""
        return await self._memory.alearn(
            self.user_id,
            messages,
            extractor=extractor,
            policy=policy,
            thread_id=thread_id,
            timezone=timezone,
        )

    def held(self) -> list[Held]:
        """What waits for this user's consent, oldest first."""
        return self._memory.held(self.user_id)

    async def aheld(self) -> list[Held]:
        """`held`, awaited."""
        return await self._memory.aheld(self.user_id)

    def consents(self) -> list[Consent]:
        """What this user consented to, oldest first."""
        return self._memory.consents(self.user_id)

    async def aconsents(self) -> list[Consent]:
        """`consents`, awaited."""
        return await self._memory.aconsents(self.user_id)

    def consent(self, held_id: str, yes: bool) -> Learned:
        """Keep what was held, or drop it for good: the user's own answer. Raises `NotHeld`."""
        return self._memory.consent(self.user_id, held_id, yes)

    async def aconsent(self, held_id: str, yes: bool) -> Learned:
        """`consent`, awaited."""
        return await self._memory.aconsent(self.user_id, held_id, yes)

    def withdraw(self, held_id: str) -> Receipt:
        """Take a consent back: the topic that it allowed is forgotten. Raises `NotHeld`."""
        return self._memory.withdraw(self.user_id, held_id)

    async def awithdraw(self, held_id: str) -> Receipt:
        """`withdraw`, awaited."""
        return await self._memory.awithdraw(self.user_id, held_id)

    def forget(
        self, topic: str | None = None, *, dry_run: bool = False, progress: Progress = silent
    ) -> Receipt:
        """Erase a topic, or all of this user, wherever the database holds it: history, search
        text, copies in checkpoints. `dry_run` lists what would go; see `AgentMemory.forget`.

        Returns:
            A receipt; nothing was there if its `total` is 0.
        """
        return self._memory.forget(self.user_id, topic, dry_run=dry_run, progress=progress)

    async def aforget(
        self, topic: str | None = None, *, dry_run: bool = False, progress: Progress = silent
    ) -> Receipt:
        """`forget`, awaited."""
        return await self._memory.aforget(self.user_id, topic, dry_run=dry_run, progress=progress)
