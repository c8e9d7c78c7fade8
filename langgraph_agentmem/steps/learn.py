"""Learn from what was said: each source message once, each candidate in one place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal, TypeAlias

from langgraph_agentmem.errors import NotHeld
from langgraph_agentmem.model import (
    Candidate,
    Held,
    Hold,
    Learned,
    Memory,
    Namespace,
    Refusal,
    Source,
)

from . import Steps, consent
from .duplicates import supersede_twins
from .forget import forgotten_since, is_forgotten
from .looking import known_messages
from .memories import (
    Draft,
    find_live,
    home_of,
    memory_of,
    note_sources,
    retire,
    same_value,
    write,
)
from .places import micros

# Reasons go on from "it", as those of a policy do.
FORGOTTEN = "comes from a message that was forgotten"
LATE = "was forgotten while it was on its way"
NO_CONSENT = "has no consent of its user"

Standing: TypeAlias = Literal["forgotten", "declined", "known", "new"]
"""What is known of a candidate's message: it was forgotten, the user declined to have this topic
of it kept, it was learnt from before, or none of these."""


@dataclass(slots=True)
class _Outcome:
    kept: list[Memory] = field(default_factory=list)
    retired: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    refused: list[Refusal] = field(default_factory=list)
    held: list[Held] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What was proposed, and what the write policy says of it.

    Args:
        candidates: What is not refused, in the order in which it was said.
        drafts: The value of each candidate by position, embedded if it is to be kept now; a
            candidate that is not in it has no value and retires its topic.
        holds: Those that wait for consent, by position.
        refused: What the policy refused.
        looked: What `standings` said before anything was embedded, by position. A candidate that
            was not new then has no vectors, and is not written whatever has happened since.
    """

    candidates: Sequence[Candidate]
    drafts: Mapping[int, Draft]
    holds: Mapping[int, Hold] = field(default_factory=dict)
    refused: Sequence[Refusal] = ()
    looked: Mapping[int, Standing] = field(default_factory=dict)


def learn(
    namespace: Namespace,
    judged: Judged,
    *,
    key: str,
    now: datetime,
    begun: datetime | None = None,
) -> Steps[Learned]:
    """Keep what is new, all of it or none.

    Args:
        namespace: Whose memory.
        judged: What to keep, hold or end.
        key: The key of the tombstones.
        now: The moment of the call.
        begun: When reading was begun, if that was before the call.
    """
    outcome = _Outcome(refused=list(judged.refused))
    # Asked before anything is written: one message may correct itself ("Oslo, no, Rome").
    standing = yield from standings(namespace, judged.candidates, key=key)
    late: set[str] = set()
    if "new" in standing:
        since = begun or now
        late = yield from _forgotten_since(namespace, judged.candidates, since, key=key)
    for index, candidate in enumerate(judged.candidates):
        looked = judged.looked.get(index, "new")
        known = standing[index] if looked == "new" else looked
        if known == "new" and candidate.topic in late:
            outcome.refused.append(Refusal(topic=candidate.topic, reason=LATE))
        elif known == "forgotten":
            outcome.refused.append(Refusal(topic=candidate.topic, reason=FORGOTTEN))
        elif known == "declined":
            outcome.refused.append(Refusal(topic=candidate.topic, reason=NO_CONSENT))
        elif known == "known":
            yield from _known(namespace, candidate, outcome)
        elif index in judged.holds:
            draft, hold = judged.drafts[index], judged.holds[index]
            yield from _hold(draft, hold, outcome, key=key, now=now)
        elif index in judged.drafts:
            yield from _keep(judged.drafts[index], candidate.pinned, outcome, now=now)
        else:
            yield from _end(namespace, candidate, outcome, now=now)
    return (yield from _learned(namespace, outcome, now=now))


def _learned(namespace: Namespace, outcome: _Outcome, *, now: datetime) -> Steps[Learned]:
    for memory in outcome.kept:
        outcome.retired += yield from supersede_twins(namespace, memory.topic, now=now)
    return Learned(
        kept=tuple(outcome.kept),
        retired=tuple(outcome.retired),
        unchanged=tuple(outcome.unchanged),
        refused=tuple(outcome.refused),
        held=tuple(outcome.held),
    )


def standings(
    namespace: Namespace, candidates: Sequence[Candidate], *, key: str
) -> Steps[list[Standing]]:
    """What is known of each candidate's message."""
    found: list[Standing] = []
    for candidate in candidates:
        standing = yield from _standing(namespace, candidate, key=key)
        found.append(standing)
    return found


def _standing(namespace: Namespace, candidate: Candidate, *, key: str) -> Steps[Standing]:
    source = candidate.source
    if (yield from is_forgotten(namespace, source.thread_id or "", source.message_ids, key=key)):
        return "forgotten"
    if (yield from consent.is_refused(key, namespace, candidate.topic, source)):
        return "declined"
    known = yield from known_messages(namespace, candidate.topic, source)
    return "known" if known else "new"


def _forgotten_since(
    namespace: Namespace, candidates: Sequence[Candidate], begun: datetime, *, key: str
) -> Steps[set[str]]:
    """The topics that were forgotten while their candidates were on their way."""

    def keep() -> Steps[str]:
        yield from ()
        return key

    topics = dict.fromkeys(candidate.topic for candidate in candidates)
    late = yield from forgotten_since([(namespace, topic) for topic in topics], begun, key=keep)
    return {topic for _, topic in late}


def said_before(source: Source, now: datetime) -> datetime | None:
    """When something was said, unless that is unknown or not yet."""
    moment = source.said_at
    return None if moment is None or moment.tzinfo is None or moment > now else moment


def _known(namespace: Namespace, candidate: Candidate, outcome: _Outcome) -> Steps[None]:
    """What was learnt before: still waiting for consent, or an old story."""
    waiting = yield from consent.waiting_about(namespace, candidate.topic)
    own = [held for held in waiting if held.source == candidate.source]
    if own:
        outcome.held.extend(own)
    else:
        outcome.unchanged.append(candidate.topic)


def _hold(draft: Draft, hold: Hold, outcome: _Outcome, *, key: str, now: datetime) -> Steps[None]:
    row = yield from find_live(draft.namespace, draft.topic, now)
    if row is not None and same_value(row["value"], draft.value):
        # Already held with consent: nobody is asked again about what they have said again.
        if draft.source:
            yield from note_sources(row["namespace_id"], draft.topic, draft.source)
        outcome.unchanged.append(draft.topic)
        return
    home = yield from home_of(draft.namespace)
    held = yield from consent.hold(draft, hold.categories, home=home, key=key, now=now)
    outcome.held.append(held)


def _keep(draft: Draft, pinned: bool | None, outcome: _Outcome, *, now: datetime) -> Steps[None]:
    row = yield from find_live(draft.namespace, draft.topic, now)
    # A pin is proposed once: what the user unpinned stays unpinned.
    proposed = pinned if row is None else None
    # What was said before the topic ended does not bring it back.
    yield from write(replace(draft, pinned=proposed), now=now, revives=False)
    written = yield from find_live(draft.namespace, draft.topic, now)
    is_current = written is not None and same_value(written["value"], draft.value)
    if written is None or not is_current or (row and row["version"] == written["version"]):
        outcome.unchanged.append(draft.topic)
    else:
        outcome.kept.append(memory_of(written))


def _end(
    namespace: Namespace, candidate: Candidate, outcome: _Outcome, *, now: datetime
) -> Steps[None]:
    dropped = yield from consent.drop_waiting(namespace, candidate.topic)
    row = yield from find_live(namespace, candidate.topic, now)
    moment = said_before(candidate.source, now)
    # An ending that was said before the current value began is not about that value.
    if row is None or (moment is not None and micros(moment) < row["valid_from"]):
        (outcome.retired if dropped else outcome.unchanged).append(candidate.topic)
        return
    yield from retire(namespace, candidate.topic, now=now, moment=moment)
    yield from note_sources(row["namespace_id"], candidate.topic, candidate.source)
    outcome.retired.append(candidate.topic)


def allow(draft: Draft, held_id: str, *, key: str, now: datetime) -> Steps[Learned]:
    """Keep a held candidate to which the user consents, embedded; what was forgotten meanwhile
    is refused. Raises `NotHeld` when it waits no longer and was not consented to.
    """
    outcome = _Outcome()
    waiting = yield from consent.find(draft.namespace, held_id)
    source = draft.source or Source()
    draft = replace(draft, valid_from=said_before(source, now) or draft.valid_from)
    if not isinstance(waiting, Draft):
        outcome.unchanged.append(draft.topic)
    elif (
        yield from is_forgotten(
            draft.namespace, source.thread_id or "", source.message_ids, key=key
        )
    ):
        yield from consent.refuse(draft, held_id, key=key, now=now)
        outcome.refused.append(Refusal(topic=draft.topic, reason=FORGOTTEN))
    else:
        yield from _keep(draft, draft.pinned, outcome, now=now)
        yield from consent.give(draft.namespace, held_id, now=now)
    return (yield from _learned(draft.namespace, outcome, now=now))


def decline(namespace: Namespace, held_id: str, *, key: str, now: datetime) -> Steps[Learned]:
    """Drop a held candidate that the user does not want kept. Raises `NotHeld` when nothing
    waits under the id and the user has not said no to it before.
    """
    if (yield from consent.was_refused(namespace, held_id, key=key)):
        return Learned()
    waiting = yield from consent.find(namespace, held_id)
    if not isinstance(waiting, Draft):
        raise NotHeld(id=held_id)
    yield from consent.refuse(waiting, held_id, key=key, now=now)
    return Learned(refused=(Refusal(topic=waiting.topic, reason=NO_CONSENT),))
