"""The node that learns: what the user has said since it last looked becomes memories.

Evidence is the user's own messages alone. Each (message, topic) is learnt once, so a retry, an
interrupt, a replay or a crash writes once. Whatever goes wrong with an extractor or an embedder
changes nothing, costs no user turn, and is tried again in the next run.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any
from uuid import uuid4

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import HumanMessage
from langgraph.errors import GraphBubbleUp

from langgraph_agentmem.errors import EmbeddingFailed, InvalidTopic, InvalidValue
from langgraph_agentmem.model import HELD, KINDS, Candidate, Learned, Memory, Namespace, Source
from langgraph_agentmem.policy import refuse_secrets
from langgraph_agentmem.protocols import Extractor, WritePolicy
from langgraph_agentmem.scope import Scope
from langgraph_agentmem.steps import Call, Work
from langgraph_agentmem.steps.places import check_topic, content_value, value_json
from langgraph_agentmem.store import AgentMemStore

from .evidence import Known, Said, said_since
from .model_extractor import ModelExtractor
from .run import Node, Run
from .topics import Spelling
from .turns import as_messages

__all__ = ["ExtractFacts", "ModelExtractor", "extract_facts"]

logger = logging.getLogger(__name__)

WITHHELD = "[withheld]"
"""Stands in events for a topic that the write policy refuses."""


def _extractor(given: Extractor | BaseChatModel) -> Extractor:
    """The extractor that was given, or one that asks the chat model that was given."""
    if not isinstance(given, type):
        if isinstance(given, Extractor):
            return given
        if hasattr(given, "with_structured_output"):
            return ModelExtractor(given)
    raise TypeError("extract_facts takes an extractor or a chat model, e.g. RuleExtractor()")


@dataclass(frozen=True, eq=False, repr=False)
class ExtractFacts(Node):
    """Learns from what the user said since the last run, into the graph's store.

    Reads the human messages after the one that `state["extracted_through"]` names, or all of
    them when it names none or that message is gone, and proposes memories from them. Topics
    reuse the spelling that the user's memories have. The write policy is asked about each, and
    what it keeps is written in one transaction. The run's thread, if it has one, is recorded as
    the user's.

    A message without an id (a list that `add_messages` has not touched) is known by its place in
    its list, so it is learnt from once while that list grows. A list that has become shorter, or
    is as long as it was, is taken for another one and read whole.

    A memory's source says when it was said if the message names a `timestamp`; else
    `Memory.valid_from` and `Version.recorded_at` say when it was learnt.

    Events hold topics and counts, never values: `kept`, `replaced`, `retired`, `unchanged`,
    `refused` (with the policy's reasons), `dropped` (candidates that no store can hold) and
    `extract_failed` (the error's type): the extractor raised or answered with something else
    than candidates, or the embedder failed (with the topics that wait). Nothing was written then,
    and the next run reads the same messages again.

    Args:
        extractor: An `Extractor` such as `RuleExtractor()`, or a chat model with structured
            output, which a `ModelExtractor` asks.
        scope: Whose memory it is.
        policy: Refuses what must not be kept.
        messages_key: The state's key for messages.
        through_key: The state's key for the id of the last message that was read.

    Raises:
        UserRequired: The run names no user; nothing was read or written.
        UserConflict: The run names two users, or the thread is another user's; nothing was
            learnt.
        StoreRequired: The graph was compiled without a store of ours.
        MemoryClosed, StorageError: The database failed; LangGraph's retry policy may run the
            node again, which writes once.
        EmbedderMismatch, SyncEmbedderRequired: The store was opened with the wrong embedder for
            this call; nothing was written.
        TypeError: When made, if it is given neither an extractor nor a chat model.
    """

    extractor: Extractor | BaseChatModel
    _: KW_ONLY
    scope: Scope = field(default_factory=Scope)
    policy: WritePolicy = refuse_secrets
    messages_key: str = "messages"
    through_key: str = "extracted_through"
    _reader: Extractor = field(init=False)

    name = "extract_facts"

    def __post_init__(self) -> None:
        object.__setattr__(self, "_reader", _extractor(self.extractor))
        self.declare(messages=self.messages_key, extracted_through=self.through_key)

    def work(self, state: Mapping[str, Any], run: Run) -> Work[dict[str, Any]]:
        """Learn from what is new in this state."""
        user = self.scope.user(run.config, run.context)
        store, thread = run.memory_store(), run.thread_id
        messages = as_messages(state.get(self.messages_key))
        said = said_since(messages, state.get(self.through_key), reading=_reading(run))
        if thread is not None:
            yield Call(
                lambda: store.claim_thread(thread, user),
                lambda: store.aclaim_thread(thread, user),
            )
        if not said.messages:
            return {}
        learnt = yield from self._learnt(said, store, self.scope.namespace(user), run)
        return {self.through_key: said.through} if learnt else {}

    def _learnt(
        self, said: Said, store: AgentMemStore, namespace: Namespace, run: Run
    ) -> Work[bool]:
        """True when these messages need not be read again."""
        memories: list[Memory] = yield Call(
            lambda: store.memories(namespace, kinds=HELD),
            lambda: store.amemories(namespace, kinds=HELD),
        )
        held = {memory.topic: memory.text for memory in memories}
        known = Known(held, said.before, asked=said.asked)
        options: dict[str, Any] = {"known": known, "now": store.clock(), "thread_id": run.thread_id}
        try:
            proposed = yield Call(
                lambda: self._reader.extract(said.messages, **options),
                lambda: self._reader.aextract(said.messages, **options),
            )
            candidates = _settled(proposed, said.messages, known, run)
        except GraphBubbleUp:
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is, the user's turn goes on
            return _failed(error, run)
        try:
            learned = yield Call(
                lambda: store.learn(namespace, candidates, policy=self.policy),
                lambda: store.alearn(namespace, candidates, policy=self.policy),
            )
        except EmbeddingFailed as error:
            topics = [self._sayable(candidate.topic) for candidate in candidates]
            return _failed(error, run, topics=topics)
        self._report(learned, known, run)
        return True

    def _report(self, learned: Learned, known: Mapping[str, str], run: Run) -> None:
        topics = [memory.topic for memory in learned.kept]
        outcomes: Mapping[str, Iterable[str]] = {
            "kept": [topic for topic in topics if topic not in known],
            "replaced": [topic for topic in topics if topic in known],
            "retired": learned.retired,
            "unchanged": learned.unchanged,
        }
        for event, those in outcomes.items():
            if found := list(those):
                run.emit(event, count=len(found), topics=found)
        if learned.refused:
            refusals = [
                {"topic": self._sayable(refusal.topic), "reason": refusal.reason}
                for refusal in learned.refused
            ]
            run.emit("refused", count=len(refusals), refusals=refusals)

    def _sayable(self, topic: str) -> str:
        """The topic, unless it holds what was refused."""
        bare = Candidate(topic=topic, value=None, source=Source())
        return topic if self.policy(bare) is None else WITHHELD


extract_facts = ExtractFacts
"""The node under the name that a graph gives it."""


def _reading(run: Run) -> str:
    """Names this task of the graph; alike when LangGraph tries it again or resumes it."""
    return str(run.config.get("metadata", {}).get("langgraph_checkpoint_ns") or uuid4())


def _failed(error: Exception, run: Run, **data: object) -> bool:
    """Report a failure without its text, which may quote the conversation. Returns False."""
    failure = type(error).__name__
    logger.warning("nothing was learnt (%s); the next run tries again", failure)
    run.emit("extract_failed", error=failure, **data)
    return False


def _settled(
    proposed: Any, said: Sequence[HumanMessage], known: Mapping[str, str], run: Run
) -> list[Candidate]:
    """The candidates that a store can hold, under the user's spelling of topics, each with a
    source. Raises TypeError for what are no candidates.
    """
    if not isinstance(proposed, Sequence) or not all(isinstance(c, Candidate) for c in proposed):
        raise TypeError("an extractor returns a list of Candidate")
    kept = list(_sound(proposed, said, Spelling(known)))
    if len(kept) < len(proposed):
        run.emit("dropped", count=len(proposed) - len(kept))
    return kept


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
