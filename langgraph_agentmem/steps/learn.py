"""Learn from what was said: each source message once, each candidate in one place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal

from langgraph_agentmem.model import Candidate, Learned, Memory, Namespace, Refusal, Source

from . import Steps
from .duplicates import supersede_twins
from .forget import forgotten_since, is_forgotten
from .looking import known_messages
from .memories import Draft, find_live, memory_of, note_sources, retire, same_value, write
from .places import micros

FORGOTTEN = "its source message was forgotten"
LATE = "its topic was forgotten while it was on its way"


@dataclass(slots=True)
class _Outcome:
    kept: list[Memory] = field(default_factory=list)
    retired: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    refused: list[Refusal] = field(default_factory=list)


def learn(
    namespace: Namespace,
    candidates: Sequence[Candidate],
    drafts: Mapping[int, Draft],
    refused: Sequence[Refusal],
    *,
    key: str,
    now: datetime,
) -> Steps[Learned]:
    """Keep what is new, all of it or none.

    Args:
        namespace: Whose memory.
        candidates: What was proposed, in the order in which it was said.
        drafts: The value of each candidate that the policy kept, by position, embedded; a
            candidate without a value that the policy kept is not in it and retires its topic.
        refused: What the policy refused.
        key: The key of the tombstones.
        now: The moment of the call.
    """
    outcome = _Outcome(refused=list(refused))
    # Asked before anything is written: one message may correct itself ("Oslo, no, Rome").
    standing: list[Literal["forgotten", "known", "new"]] = []
    for candidate in candidates:
        found = yield from _standing(namespace, candidate, key=key)
        standing.append(found)
    late: set[str] = set()
    if "new" in standing:
        late = yield from _forgotten_since(namespace, candidates, key=key, now=now)
    for index, (candidate, known) in enumerate(zip(candidates, standing, strict=True)):
        if known == "new" and candidate.topic in late:
            outcome.refused.append(Refusal(topic=candidate.topic, reason=LATE))
        elif known == "forgotten":
            outcome.refused.append(Refusal(topic=candidate.topic, reason=FORGOTTEN))
        elif known == "known":
            outcome.unchanged.append(candidate.topic)
        elif index in drafts:
            yield from _keep(drafts[index], candidate, outcome, now=now)
        else:
            yield from _end(namespace, candidate, outcome, now=now)
    for memory in outcome.kept:
        outcome.retired += yield from supersede_twins(namespace, memory.topic, now=now)
    return Learned(
        kept=tuple(outcome.kept),
        retired=tuple(outcome.retired),
        unchanged=tuple(outcome.unchanged),
        refused=tuple(outcome.refused),
    )


def _standing(
    namespace: Namespace, candidate: Candidate, *, key: str
) -> Steps[Literal["forgotten", "known", "new"]]:
    source = candidate.source
    if (yield from is_forgotten(namespace, source.thread_id or "", source.message_ids, key=key)):
        return "forgotten"
    known = yield from known_messages(namespace, candidate.topic, source)
    return "known" if known else "new"


def _forgotten_since(
    namespace: Namespace, candidates: Sequence[Candidate], *, key: str, now: datetime
) -> Steps[set[str]]:
    """The topics that were forgotten while their candidates were on their way."""

    def keep() -> Steps[str]:
        yield from ()
        return key

    topics = dict.fromkeys(candidate.topic for candidate in candidates)
    late = yield from forgotten_since([(namespace, topic) for topic in topics], now, key=keep)
    return {topic for _, topic in late}


def said_before(source: Source, now: datetime) -> datetime | None:
    """When something was said, unless that is unknown or not yet."""
    moment = source.said_at
    return None if moment is None or moment.tzinfo is None or moment > now else moment


def _keep(draft: Draft, candidate: Candidate, outcome: _Outcome, *, now: datetime) -> Steps[None]:
    row = yield from find_live(draft.namespace, draft.topic, now)
    # A pin is proposed once: what the user unpinned stays unpinned.
    pinned = candidate.pinned if row is None else None
    # What was said before the topic ended does not bring it back.
    yield from write(replace(draft, pinned=pinned), now=now, revives=False)
    written = yield from find_live(draft.namespace, draft.topic, now)
    is_current = written is not None and same_value(written["value"], draft.value)
    if written is None or not is_current or (row and row["version"] == written["version"]):
        outcome.unchanged.append(draft.topic)
    else:
        outcome.kept.append(memory_of(written))


def _end(
    namespace: Namespace, candidate: Candidate, outcome: _Outcome, *, now: datetime
) -> Steps[None]:
    row = yield from find_live(namespace, candidate.topic, now)
    moment = said_before(candidate.source, now)
    # An ending that was said before the current value began is not about that value.
    if row is None or (moment is not None and micros(moment) < row["valid_from"]):
        outcome.unchanged.append(candidate.topic)
        return
    yield from retire(namespace, candidate.topic, now=now, moment=moment)
    yield from note_sources(row["namespace_id"], candidate.topic, candidate.source)
    outcome.retired.append(candidate.topic)
