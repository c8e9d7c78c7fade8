"""What `AgentMemory` does outside a graph: learn from messages, and ask for consent."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import replace
from typing import Any
from uuid import uuid4

from langchain_core.messages import MessageLikeRepresentation

from .errors import NotHeld
from .extraction.evidence import said_since
from .extraction.learning import Learner, as_zone, readable
from .model import Consent, Held, Learned, Receipt
from .policy import careful
from .protocols import Extractor, WritePolicy
from .scope import Scope, user_key
from .steps import Call, Work, await_all, call_all
from .store import AgentMemStore


class LearningMemory:
    """Learning and consent for users by their ids."""

    store: AgentMemStore
    scope: Scope

    @abstractmethod
    def forget(
        self, user_id: str | int, topic: str | None = None, *, dry_run: bool = False
    ) -> Receipt:
        """Erase a topic of a user, or all of the user."""

    @abstractmethod
    async def aforget(
        self, user_id: str | int, topic: str | None = None, *, dry_run: bool = False
    ) -> Receipt:
        """`forget`, awaited."""

    def learn(
        self,
        user_id: str | int,
        messages: Iterable[MessageLikeRepresentation],
        *,
        extractor: Extractor,
        policy: WritePolicy = careful,
        thread_id: str | None = None,
        timezone: str | None = None,
    ) -> Learned:
        """Learn from messages as `extract_facts` does, outside a graph: after the reply, or from
        old conversations.

        Evidence is the human messages; whatever else is in the list is read past. Each (message,
        topic) is learnt once, under the same thread id in a graph and here; a message without an
        id is another one in each call, and an equal value makes no new version.

        Args:
            user_id: Whose memory.
            messages: Message objects, dicts or tuples, oldest first; `timestamp` in a message's
                `additional_kwargs` says when it was said.
            extractor: Proposes memories: `RuleExtractor()`, or `ModelExtractor(model)`.
            policy: Keeps, holds or refuses them.
            thread_id: Where they were said. The thread is recorded as the user's, so that
                forgetting reaches its checkpoints.
            timezone: The user's, as an IANA name: "yesterday" is a day there.

        Returns:
            What was kept, retired, unchanged, refused and held; `notes` name what could not be
            read or kept at all.

        Raises:
            UserRequired, UserConflict, TypeError, ValueError: Nothing was written.
            EmbeddingFailed, EmbedderMismatch, SyncEmbedderRequired: Nothing was written.
            Exception: Whatever the extractor or the policy raises; nothing was written.
        """
        return call_all(
            self._learn(user_id, messages, extractor, policy=policy, place=(thread_id, timezone))
        )

    async def alearn(
        self,
        user_id: str | int,
        messages: Iterable[MessageLikeRepresentation],
        *,
        extractor: Extractor,
        policy: WritePolicy = careful,
        thread_id: str | None = None,
        timezone: str | None = None,
    ) -> Learned:
        """`learn`, awaited."""
        return await await_all(
            self._learn(user_id, messages, extractor, policy=policy, place=(thread_id, timezone))
        )

    def _learn(
        self,
        user_id: str | int,
        messages: Iterable[MessageLikeRepresentation],
        extractor: Extractor,
        *,
        policy: WritePolicy,
        place: tuple[str | None, str | None],
    ) -> Work[Learned]:
        thread_id, timezone = place
        notes: list[str] = []

        def report(event: str, /, *, count: int = 0, **_: Any) -> None:
            if event in {"unreadable", "read_in_part", "dropped"}:
                notes.append(f"{event}: {count}")

        given: object = extractor
        if isinstance(given, type) or not isinstance(given, Extractor):
            raise TypeError(
                "learn takes an extractor, e.g. RuleExtractor() or ModelExtractor(model) "
                f"(found {type(given).__name__})"
            )
        user, store = user_key(user_id), self.store
        learner = Learner(
            store=store,
            namespace=self.scope.namespace(user_id),
            extractor=extractor,
            policy=policy,
            thread_id=thread_id,
            zone=as_zone(timezone),
            report=report,
        )
        said = said_since(readable(messages, report), None, reading=str(uuid4()))
        if thread_id is not None:
            yield Call(
                lambda: store.claim_thread(thread_id, user),
                lambda: store.aclaim_thread(thread_id, user),
            )
        if not said.messages:
            return Learned(notes=tuple(notes))
        known = yield from learner.known()
        candidates = yield from learner.propose(said, known)
        learned = yield from learner.keep(candidates, known)
        return replace(learned, notes=tuple(notes))

    # Consent ---------------------------------------------------------------------------------

    def held(self, user_id: str | int) -> list[Held]:
        """What waits for this user's consent, oldest first."""
        return self.store.held(self.scope.namespace(user_id))

    async def aheld(self, user_id: str | int) -> list[Held]:
        """`held`, awaited."""
        return await self.store.aheld(self.scope.namespace(user_id))

    def consents(self, user_id: str | int) -> list[Consent]:
        """What this user consented to, oldest first."""
        return self.store.consents(self.scope.namespace(user_id))

    async def aconsents(self, user_id: str | int) -> list[Consent]:
        """`consents`, awaited."""
        return await self.store.aconsents(self.scope.namespace(user_id))

    def consent(self, user_id: str | int, held_id: str, yes: bool) -> Learned:
        """Keep what was held, or drop it for good: the user's own answer. See
        `AgentMemStore.consent`.
        """
        return self.store.consent(self.scope.namespace(user_id), held_id, yes)

    async def aconsent(self, user_id: str | int, held_id: str, yes: bool) -> Learned:
        """`consent`, awaited."""
        return await self.store.aconsent(self.scope.namespace(user_id), held_id, yes)

    def withdraw(self, user_id: str | int, held_id: str) -> Receipt:
        """Take a consent back: the topic that it allowed is forgotten, with its history.

        Raises:
            NotHeld: This user gave no consent under this id.
        """
        return self.forget(user_id, self._allowed(self.consents(user_id), held_id))

    async def awithdraw(self, user_id: str | int, held_id: str) -> Receipt:
        """`withdraw`, awaited."""
        given = await self.aconsents(user_id)
        return await self.aforget(user_id, self._allowed(given, held_id))

    @staticmethod
    def _allowed(given: Iterable[Consent], held_id: str) -> str:
        for consent in given:
            if consent.id == held_id:
                return consent.topic
        raise NotHeld(id=held_id)
