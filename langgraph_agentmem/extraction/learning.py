"""What `extract_facts` does and `memory.learn` does too: from messages to memories.

A message is read if it can be; what cannot be read, or only in part, is counted and costs the
others nothing. The extractor proposes, topics take the user's own spelling, and the store keeps
what the write policy lets pass.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from inspect import signature
from typing import Any, cast
from zoneinfo import ZoneInfo

from langchain_core.messages import BaseMessage, HumanMessage, RemoveMessage, convert_to_messages

from langgraph_agentmem.errors import InvalidTopic, InvalidValue
from langgraph_agentmem.model import HELD, KINDS, Candidate, Learned, Memory, Namespace, Source
from langgraph_agentmem.protocols import Extractor, WritePolicy
from langgraph_agentmem.steps import Call, Work
from langgraph_agentmem.steps.places import check_topic, content_value, value_json
from langgraph_agentmem.store import AgentMemStore

from .evidence import LONGEST_MESSAGE, Said, words_of
from .topics import Spelling

WITHHELD = "[withheld]"
"""Stands in events for a topic that the write policy refuses."""

Report = Callable[..., None]
"""Says what happened: the event's name, and data without content."""


def as_zone(name: str | None) -> ZoneInfo | None:
    """The time zone of an IANA name. Raises ValueError for what is none."""
    if name is None:
        return None
    try:
        return ZoneInfo(name)
    except (ValueError, TypeError, OSError, LookupError) as error:
        raise ValueError(
            f"a time zone is an IANA name such as 'Europe/Berlin' (found {str(name)[:60]!r})"
        ) from error


def readable(found: object, report: Report) -> list[BaseMessage]:
    """The messages among what a state holds under its key, in order. What is no message is left
    out and reported as `unreadable`, with its count.
    """
    if found is None:
        return []
    many = isinstance(found, Iterable) and not isinstance(found, str | Mapping | BaseMessage)
    given: Iterable[Any] = cast("Iterable[Any]", found) if many else [found]
    messages: list[BaseMessage] = []
    unread = 0
    for each in given:
        try:
            (message,) = convert_to_messages([each])
            words_of(message)
        except Exception:  # noqa: BLE001 - whatever it is, it is no message
            unread += 1
        else:
            if not isinstance(message, RemoveMessage):
                messages.append(message)
    if unread:
        report("unreadable", count=unread)
    return messages


@dataclass(frozen=True, slots=True, kw_only=True)
class Learner:
    """Learns from what one user said.

    Args:
        store: Where the memories are kept.
        namespace: Whose they are.
        extractor: Proposes them.
        policy: Keeps, holds or refuses them.
        thread_id: Where it was said; part of each source.
        zone: The user's time zone, if it is known.
        report: Takes the events; see `ExtractFacts`.
    """

    store: AgentMemStore
    namespace: Namespace
    extractor: Extractor
    policy: WritePolicy
    thread_id: str | None
    zone: ZoneInfo | None
    report: Report
    _begun: datetime = field(init=False)

    def __post_init__(self) -> None:
        # What is forgotten while a model reads is not brought back by what it read.
        object.__setattr__(self, "_begun", self.store.clock())

    def known(self) -> Work[Mapping[str, str]]:
        """The user's current memories, topic to text."""
        memories: list[Memory] = yield Call(
            lambda: self.store.memories(self.namespace, kinds=HELD),
            lambda: self.store.amemories(self.namespace, kinds=HELD),
        )
        return {memory.topic: memory.text for memory in memories}

    def propose(self, said: Said, known: Mapping[str, str]) -> Work[list[Candidate]]:
        """What the extractor finds and a store can hold. Raises TypeError when it returns
        something else than candidates, and whatever it raises.
        """
        if long := sum(len(words_of(one)) > LONGEST_MESSAGE for one in said.messages):
            self.report("read_in_part", count=long)
        options: dict[str, Any] = {
            "known": known,
            "now": self._now(),
            "thread_id": self.thread_id,
        }
        if _takes_context(self.extractor):
            options |= {"before": said.before, "asked": said.asked}
        proposed = yield Call(
            lambda: self.extractor.extract(said.messages, **options),
            lambda: self.extractor.aextract(said.messages, **options),
        )
        return self._settled(proposed, said.messages, known)

    def keep(self, candidates: Sequence[Candidate], known: Mapping[str, str]) -> Work[Learned]:
        """Write them under the policy, and report what became of them. Raises what
        `store.learn` raises, and what the policy does.
        """
        options: dict[str, Any] = {"policy": self.policy, "begun": self._begun}
        learned: Learned = yield Call(
            lambda: self.store.learn(self.namespace, candidates, **options),
            lambda: self.store.alearn(self.namespace, candidates, **options),
        )
        self._report(learned, known)
        return learned

    def _now(self) -> datetime:
        now = self.store.clock()
        return now if self.zone is None else now.astimezone(self.zone)

    def _settled(
        self, proposed: Any, said: Sequence[HumanMessage], known: Mapping[str, str]
    ) -> list[Candidate]:
        """The candidates that a store can hold, under the user's spelling of topics, each with
        a source.
        """
        if not isinstance(proposed, Sequence) or not all(
            isinstance(one, Candidate) for one in proposed
        ):
            raise TypeError("an extractor returns a list of Candidate")
        kept = list(_sound(proposed, said, Spelling(known)))
        if len(kept) < len(proposed):
            self.report("dropped", count=len(proposed) - len(kept))
        return kept

    def _report(self, learned: Learned, known: Mapping[str, str]) -> None:
        topics = [memory.topic for memory in learned.kept]
        outcomes: Mapping[str, Iterable[str]] = {
            "kept": [topic for topic in topics if topic not in known],
            "replaced": [topic for topic in topics if topic in known],
            "retired": learned.retired,
            "unchanged": learned.unchanged,
        }
        texts = {memory.topic: memory.text for memory in learned.kept}
        for event, those in outcomes.items():
            if found := list(those):
                content = {topic: texts[topic] for topic in found if topic in texts}
                self.report(event, count=len(found), topics=found, content=content)
        if learned.held:
            waiting = [
                {"id": held.id, "topic": held.topic, "categories": list(held.categories)}
                for held in learned.held
            ]
            content = {held.topic: held.text for held in learned.held}
            self.report("held", count=len(waiting), held=waiting, content=content)
        if learned.refused:
            refusals = [
                {"topic": self.sayable(refusal.topic), "reason": refusal.reason}
                for refusal in learned.refused
            ]
            self.report("refused", count=len(refusals), refusals=refusals)

    def sayable(self, topic: str) -> str:
        """The topic, unless it holds what is refused."""
        bare = Candidate(topic=topic, value=None, source=Source())
        return WITHHELD if isinstance(self.policy(bare), str) else topic


def _takes_context(extractor: Extractor) -> bool:
    """Whether an extractor names what was said before among its parameters."""
    return {"before", "asked"} <= signature(extractor.extract).parameters.keys()


def _sound(
    proposed: Iterable[Candidate], said: Sequence[HumanMessage], spelling: Spelling
) -> Iterator[Candidate]:
    everything = tuple(str(message.id) for message in said)
    for candidate in proposed:
        source = candidate.source
        if not source.message_ids:
            source = replace(source, message_ids=everything)
        try:
            topic = check_topic(spelling.of(candidate.topic))
            if candidate.value is not None:
                value_json(content_value(candidate.value))
        except (InvalidTopic, InvalidValue):
            continue
        blank = isinstance(candidate.value, str) and not candidate.value.strip()
        if candidate.kind in KINDS and not blank:
            yield replace(candidate, topic=topic, source=source)
