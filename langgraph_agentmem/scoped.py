"""One user's memory: every verb without a namespace, and no way to name another user."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

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
        """`AgentMemStore.remember` for this user."""
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
        """`AgentMemStore.recall` for this user."""
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

    def look(self, topic: str, *, as_of: datetime | None = None) -> Memory | Version | None:
        """`AgentMemStore.look` for this user."""
        return self._store.look(self.namespace, topic, as_of=as_of)

    async def alook(self, topic: str, *, as_of: datetime | None = None) -> Memory | Version | None:
        """`look`, awaited."""
        return await self._store.alook(self.namespace, topic, as_of=as_of)

    def memories(self, *, kinds: Sequence[Kind] | None = None) -> list[Memory]:
        """`AgentMemStore.memories` for this user."""
        return self._store.memories(self.namespace, kinds=kinds)

    async def amemories(self, *, kinds: Sequence[Kind] | None = None) -> list[Memory]:
        """`memories`, awaited."""
        return await self._store.amemories(self.namespace, kinds=kinds)

    def history(self, topic: str) -> list[Version]:
        """`AgentMemStore.history` for this user."""
        return self._store.history(self.namespace, topic)

    async def ahistory(self, topic: str) -> list[Version]:
        """`history`, awaited."""
        return await self._store.ahistory(self.namespace, topic)

    def why(self, topic: str) -> Source | None:
        """`AgentMemStore.why` for this user."""
        return self._store.why(self.namespace, topic)

    async def awhy(self, topic: str) -> Source | None:
        """`why`, awaited."""
        return await self._store.awhy(self.namespace, topic)

    def pin(self, topic: str) -> Memory:
        """`AgentMemStore.pin` for this user."""
        return self._store.pin(self.namespace, topic)

    async def apin(self, topic: str) -> Memory:
        """`pin`, awaited."""
        return await self._store.apin(self.namespace, topic)

    def unpin(self, topic: str) -> Memory:
        """`AgentMemStore.unpin` for this user."""
        return self._store.unpin(self.namespace, topic)

    async def aunpin(self, topic: str) -> Memory:
        """`unpin`, awaited."""
        return await self._store.aunpin(self.namespace, topic)

    def retire(self, topic: str) -> None:
        """`AgentMemStore.retire` for this user."""
        self._store.retire(self.namespace, topic)

    async def aretire(self, topic: str) -> None:
        """`retire`, awaited."""
        await self._store.aretire(self.namespace, topic)

    def export(self) -> Iterator[dict[str, Any]]:
        """`AgentMemory.export_user` for this user: threads too."""
        return self._memory.export_user(self.user_id)

    def aexport(self) -> AsyncIterator[dict[str, Any]]:
        """`export`, awaited."""
        return self._memory.aexport_user(self.user_id)

    def sweep(self, retention: Retention, *, dry_run: bool = False) -> Sweep:
        """`AgentMemStore.sweep` for this user."""
        return self._store.sweep(retention, namespace=self.namespace, dry_run=dry_run)

    async def asweep(self, retention: Retention, *, dry_run: bool = False) -> Sweep:
        """`sweep`, awaited."""
        return await self._store.asweep(retention, namespace=self.namespace, dry_run=dry_run)

    def find_duplicates(self, *, kind: Kind | None = None, least: float = ALIKE) -> list[Duplicate]:
        """`AgentMemStore.find_duplicates` for this user."""
        return self._store.find_duplicates(self.namespace, kind=kind, least=least)

    async def afind_duplicates(
        self, *, kind: Kind | None = None, least: float = ALIKE
    ) -> list[Duplicate]:
        """`find_duplicates`, awaited."""
        return await self._store.afind_duplicates(self.namespace, kind=kind, least=least)

    def consolidate(
        self, *, apply: Iterable[Duplicate] = (), dry_run: bool = False
    ) -> list[Duplicate]:
        """`AgentMemStore.consolidate` for this user."""
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
        """`AgentMemory.learn` for this user."""
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
        """`AgentMemory.held` for this user."""
        return self._memory.held(self.user_id)

    async def aheld(self) -> list[Held]:
        """`held`, awaited."""
        return await self._memory.aheld(self.user_id)

    def consents(self) -> list[Consent]:
        """`AgentMemory.consents` for this user."""
        return self._memory.consents(self.user_id)

    async def aconsents(self) -> list[Consent]:
        """`consents`, awaited."""
        return await self._memory.aconsents(self.user_id)

    def consent(self, held_id: str, yes: bool) -> Learned:
        """`AgentMemory.consent` for this user."""
        return self._memory.consent(self.user_id, held_id, yes)

    async def aconsent(self, held_id: str, yes: bool) -> Learned:
        """`consent`, awaited."""
        return await self._memory.aconsent(self.user_id, held_id, yes)

    def withdraw(self, held_id: str) -> Receipt:
        """`AgentMemory.withdraw` for this user."""
        return self._memory.withdraw(self.user_id, held_id)

    async def awithdraw(self, held_id: str) -> Receipt:
        """`withdraw`, awaited."""
        return await self._memory.awithdraw(self.user_id, held_id)

    def forget(
        self, topic: str | None = None, *, dry_run: bool = False, progress: Progress = silent
    ) -> Receipt:
        """`AgentMemory.forget` for this user: checkpoints too."""
        return self._memory.forget(self.user_id, topic, dry_run=dry_run, progress=progress)

    async def aforget(
        self, topic: str | None = None, *, dry_run: bool = False, progress: Progress = silent
    ) -> Receipt:
        """`forget`, awaited."""
        return await self._memory.aforget(self.user_id, topic, dry_run=dry_run, progress=progress)
