"""What happened in tasks, what was learnt from them, and how a lesson becomes a procedure.

    episode      one task of one user: what was tried, how it went, the lesson; kind `episode`
    lesson       what an episode teaches; a later episode confirms it when it held again
    procedure    a lesson that the application has accepted for all users of an agent

A lesson that was confirmed twice is proposed as a procedure. Nothing becomes one by itself: a
procedure is read as an instruction, and a lesson may have been put into a user's mouth, or into
a document. Episodes belong to their user and are forgotten with them; an accepted procedure is
the application's own text.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from langgraph_agentmem.errors import MemoryNotFound, VersionConflict, WriteRefused
from langgraph_agentmem.memory import AgentMemory
from langgraph_agentmem.model import Memory, Source
from langgraph_agentmem.policy import careful
from langgraph_agentmem.protocols import WritePolicy
from langgraph_agentmem.scope import user_key
from langgraph_agentmem.steps import Call, Work, await_all, call_all

from .episode import Episode, Proposal, procedure_topic
from .keeping import CONFIRMED, episodes_in, keep, proposed
from .procedures import Procedures

__all__ = ["CONFIRMED", "Episode", "Episodes", "Procedures", "Proposal"]


class Episodes:
    """The episodes of one user.

    Args:
        memory: Where they are kept.
        user_id: Whose they are.
        policy: Refuses what must not be kept, and holds what needs the user's consent.

    Raises:
        UserRequired: The id is blank or no id.
    """

    def __init__(
        self, memory: AgentMemory, user_id: str | int, *, policy: WritePolicy = careful
    ) -> None:
        self._store = memory.store
        self.user_id = user_key(user_id)
        self.namespace = memory.scope.namespace(user_id)
        self._policy = policy

    # Keeping ---------------------------------------------------------------------------------

    def record(self, episode: Episode, source: Source | None = None) -> Memory:
        """Keep an episode. The same task from the same source messages is kept once.

        Args:
            episode: What happened.
            source: Where it came from; forgetting one of its messages takes the episode along.

        Raises:
            WriteRefused: The policy refused it, with its reason, or holds it for consent.
            MemoryNotFound: It confirms an episode that is not there.
            EmbeddingFailed, EmbedderMismatch, SyncEmbedderRequired: Nothing was written.
        """
        return call_all(self._record(episode, source))

    async def arecord(self, episode: Episode, source: Source | None = None) -> Memory:
        """`record`, awaited."""
        return await await_all(self._record(episode, source))

    def _record(self, episode: Episode, source: Source | None) -> Work[Memory]:
        topic, learned = yield from keep(
            self._store, self.namespace, episode, source, policy=self._policy
        )
        if learned.refused:
            raise WriteRefused(reason=learned.refused[0].reason)
        if learned.held:
            raise WriteRefused(
                "the episode waits for its user's consent; ask with `memory.held(user_id)`",
                categories=learned.held[0].categories,
            )
        return (yield from self._episode(topic))

    # Looking ---------------------------------------------------------------------------------

    def all(self) -> list[Memory]:
        """Every episode, by topic."""
        return call_all(episodes_in(self._store, self.namespace))

    async def aall(self) -> list[Memory]:
        """`all`, awaited."""
        return await await_all(episodes_in(self._store, self.namespace))

    def proposals(self) -> list[Proposal]:
        """Lessons that were confirmed twice and neither accepted nor declined, most first."""
        return call_all(self._proposals())

    async def aproposals(self) -> list[Proposal]:
        """`proposals`, awaited."""
        return await await_all(self._proposals())

    def _proposals(self) -> Work[list[Proposal]]:
        return proposed((yield from episodes_in(self._store, self.namespace)))

    # Deciding --------------------------------------------------------------------------------

    def decline(self, proposal: Proposal) -> None:
        """Propose this lesson no more.

        Raises:
            MemoryNotFound: Its episode is gone.
            VersionConflict: Somebody else has decided in the same moment.
        """
        call_all(self._settle(proposal, "declined"))

    async def adecline(self, proposal: Proposal) -> None:
        """`decline`, awaited."""
        await await_all(self._settle(proposal, "declined"))

    def accept(
        self, proposal: Proposal, procedures: Procedures, *, text: str | None = None
    ) -> Memory:
        """Make a lesson a procedure, in the application's words if it gives some. The same lesson
        of another user goes under the same topic.

        Raises:
            MemoryNotFound: The episode of the proposal is gone.
            BudgetTooSmall: The agent's procedures would be larger than their budget.
            InvalidValue: The text is blank or longer than 500 characters.
        """
        return call_all(self._accept(proposal, procedures, text))

    async def aaccept(
        self, proposal: Proposal, procedures: Procedures, *, text: str | None = None
    ) -> Memory:
        """`accept`, awaited."""
        return await await_all(self._accept(proposal, procedures, text))

    def _accept(self, proposal: Proposal, procedures: Procedures, text: str | None) -> Work[Memory]:
        yield from self._episode(proposal.topic)  # before anything is written
        written = proposal.lesson if text is None else text
        kept = yield from procedures.writing(procedure_topic(proposal.lesson), written)
        # The procedure is the application's own, whatever becomes of the episode meanwhile.
        with suppress(MemoryNotFound, VersionConflict):
            yield from self._settle(proposal, "accepted")
        return kept

    def _episode(self, topic: str) -> Work[Memory]:
        found: Memory | None = yield Call(
            lambda: self._store.look(self.namespace, topic),
            lambda: self._store.alook(self.namespace, topic),
        )
        if found is None or found.kind != "episode":
            raise MemoryNotFound(namespace=self.namespace, topic=topic)
        return found

    def _settle(self, proposal: Proposal, decision: str) -> Work[None]:
        episode = yield from self._episode(proposal.topic)
        value = {**episode.value, "settled": decision}
        # What is forgotten at this moment must not come back.
        options: dict[str, Any] = {
            "kind": "episode",
            "source": episode.source,
            "expected_version": episode.version,
        }
        try:
            yield Call(
                lambda: self._store.remember(self.namespace, episode.topic, value, **options),
                lambda: self._store.aremember(self.namespace, episode.topic, value, **options),
            )
        except VersionConflict:
            yield from self._episode(proposal.topic)
            raise
