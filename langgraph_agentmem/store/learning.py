"""Verbs that learn: candidates under a write policy, and what waits for the user's consent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from langgraph_agentmem.model import (
    Candidate,
    Consent,
    Held,
    Hold,
    Learned,
    Namespace,
    Refusal,
)
from langgraph_agentmem.policy import careful
from langgraph_agentmem.protocols import WritePolicy
from langgraph_agentmem.steps import Steps, Work, await_all, call_all, consent, settings
from langgraph_agentmem.steps import learn as learning
from langgraph_agentmem.steps.learn import Judged, Standing, said_before
from langgraph_agentmem.steps.memories import Draft
from langgraph_agentmem.steps.places import (
    check_moment,
    check_namespace,
    check_source,
    check_topic,
    content_value,
    value_json,
)

from .core import StoreCore, check_kind, check_several


class Learning(StoreCore):
    """The verbs by which candidates become memories."""

    def learn(
        self,
        namespace: Namespace,
        candidates: Sequence[Candidate],
        *,
        policy: WritePolicy = careful,
        begun: datetime | None = None,
    ) -> Learned:
        """Keep what an extractor proposed, in one transaction.

        A (source message, topic) that was learnt from before is a no-op, so a retry, a replay
        or a crash writes once. A candidate without a value retires its topic. A value said
        before the current one began goes into the history. What the policy holds for consent
        waits for `consent`, unless its value is what is kept already.

        Only what is new is embedded: nothing of a forgotten message, or of a candidate that
        waits for consent, reaches the embedder.

        Args:
            namespace: Whose memory.
            candidates: In the order in which they were said.
            policy: Keeps a candidate (None), holds it (a `Hold`), or refuses it with a reason.
            begun: When reading the messages was begun: a topic that was forgotten since is
                refused. None for now.

        Raises:
            InvalidNamespace, InvalidTopic, InvalidValue: Nothing was written.
            TypeError: The policy answered with something else; nothing was written.
            EmbeddingFailed, EmbedderMismatch, SyncEmbedderRequired: Nothing was written.
        """
        return call_all(self._learn(namespace, candidates, policy, begun))

    async def alearn(
        self,
        namespace: Namespace,
        candidates: Sequence[Candidate],
        *,
        policy: WritePolicy = careful,
        begun: datetime | None = None,
    ) -> Learned:
        """`learn`, awaited."""
        return await await_all(self._learn(namespace, candidates, policy, begun))

    def _learn(
        self,
        namespace: Namespace,
        candidates: Sequence[Candidate],
        policy: WritePolicy,
        begun: datetime | None,
    ) -> Work[Learned]:
        now = self.clock()
        since = now if begun is None else min(now, check_moment(begun))
        home = check_namespace(namespace)
        kept: list[Candidate] = []
        holds: dict[int, Hold] = {}
        refused: list[Refusal] = []
        given: list[object] = check_several("candidates", candidates)
        for candidate in given:
            if not isinstance(candidate, Candidate):
                raise TypeError(f"candidates are Candidates (found {type(candidate).__name__})")
            answer: object = policy(candidate)
            if isinstance(answer, str):
                refused.append(Refusal(topic=candidate.topic, reason=answer))
                continue
            if answer is not None and not isinstance(answer, Hold):
                raise TypeError(
                    "a write policy returns None, a Hold or a reason as text "
                    f"(found {type(answer).__name__})"
                )
            # An ending takes away; there is nothing in it to consent to.
            if answer is not None and candidate.value is not None:
                holds[len(kept)] = answer
            kept.append(candidate)
        drafts = {
            index: Draft(
                namespace=home,
                topic=check_topic(candidate.topic, blank=False),
                value=value_json(content_value(candidate.value)),
                kind=check_kind(candidate.kind),
                pinned=candidate.pinned if index in holds else None,
                source=check_source(candidate.source),
                valid_from=said_before(candidate.source, now),
            )
            for index, candidate in enumerate(kept)
            if candidate.value is not None
        }
        looked = yield from self._looked(home, kept, embeds=bool(drafts.keys() - holds.keys()))
        yield from self._embed(
            [
                draft
                for index, draft in drafts.items()
                if index not in holds and looked.get(index, "new") == "new"
            ]
        )
        judged = Judged(candidates=kept, drafts=drafts, holds=holds, refused=refused, looked=looked)

        def steps() -> Steps[Learned]:
            yield from self._check_embedder()
            key = yield from self._key()
            return (yield from learning.learn(home, judged, key=key, now=now, begun=since))

        learned: Learned = yield self.perform(steps())
        return learned

    def _looked(
        self, home: Namespace, candidates: Sequence[Candidate], *, embeds: bool
    ) -> Work[Mapping[int, Standing]]:
        """What is known of each candidate's message before its text goes to an embedder."""
        if self.index is None or not embeds:
            return {}

        def steps() -> Steps[list[Standing]]:
            key = self._given_key or (yield from settings.read(settings.TOMBSTONE_KEY)) or ""
            return (yield from learning.standings(home, candidates, key=key))

        found: list[Standing] = yield self.perform(steps(), write=False)
        return dict(enumerate(found))

    # Consent ---------------------------------------------------------------------------------

    def held(self, namespace: Namespace) -> list[Held]:
        """What waits for the user's consent, oldest first."""
        return call_all(self._listed(namespace))[0]

    async def aheld(self, namespace: Namespace) -> list[Held]:
        """`held`, awaited."""
        return (await await_all(self._listed(namespace)))[0]

    def consents(self, namespace: Namespace) -> list[Consent]:
        """What the user consented to, oldest first."""
        return call_all(self._listed(namespace))[1]

    async def aconsents(self, namespace: Namespace) -> list[Consent]:
        """`consents`, awaited."""
        return (await await_all(self._listed(namespace)))[1]

    def _listed(self, namespace: Namespace) -> Work[tuple[list[Held], list[Consent]]]:
        steps = consent.listed(check_namespace(namespace))
        found: tuple[list[Held], list[Consent]] = yield self.perform(steps, write=False)
        return found

    def consent(self, namespace: Namespace, held_id: str, yes: bool) -> Learned:
        """Keep a held candidate, or drop it for good. The same answer again changes nothing.

        Args:
            namespace: Whose memory.
            held_id: Which candidate; see `Held.id`.
            yes: The user's own answer.

        Returns:
            What became of it: `kept`, `refused`, or `unchanged` when this was answered before.

        Raises:
            NotHeld: Nothing waits under this id, or a no comes after a yes: `memory.withdraw`
                takes that back.
            ValueError: The answer is neither True nor False.
            EmbeddingFailed, EmbedderMismatch, SyncEmbedderRequired: It waits on.
        """
        return call_all(self._consent(namespace, held_id, yes=yes))

    async def aconsent(self, namespace: Namespace, held_id: str, yes: bool) -> Learned:
        """`consent`, awaited."""
        return await await_all(self._consent(namespace, held_id, yes=yes))

    def _consent(self, namespace: Namespace, held_id: str, *, yes: bool) -> Work[Learned]:
        home, now = check_namespace(namespace), self.clock()
        answer: object = yes
        if not isinstance(answer, bool):
            raise ValueError(f"a consent is True or False (found {type(answer).__name__})")  # noqa: TRY004
        held_id = str(held_id)

        def declined() -> Steps[Learned]:
            key = yield from self._key()
            return (yield from learning.decline(home, held_id, key=key, now=now))

        if not yes:
            learned: Learned = yield self.perform(declined())
            return learned
        waiting: Draft | Consent = yield self.perform(consent.find(home, held_id), write=False)
        if isinstance(waiting, Consent):
            return Learned(unchanged=(waiting.topic,))
        draft = waiting
        yield from self._embed([draft])

        def allowed() -> Steps[Learned]:
            yield from self._check_embedder()
            key = yield from self._key()
            return (yield from learning.allow(draft, held_id, key=key, now=now))

        learned = yield self.perform(allowed())
        return learned
