"""The node that learns: what the user has said since it last looked becomes memories.

Evidence is the user's own messages alone. Each (message, topic) is learnt once, so a retry, an
interrupt, a replay or a crash writes once. Whatever goes wrong with an extractor or an embedder
changes nothing, costs no user turn, and is tried again in the next run.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any
from uuid import uuid4
from zoneinfo import ZoneInfo

from langchain_core.language_models import BaseChatModel
from langgraph.errors import GraphBubbleUp

from langgraph_agentmem.errors import AgentMemError, EmbeddingFailed, shown
from langgraph_agentmem.extraction.evidence import Said, said_since
from langgraph_agentmem.extraction.learning import Learner, as_zone, readable
from langgraph_agentmem.model import Candidate
from langgraph_agentmem.policy import careful
from langgraph_agentmem.protocols import Extractor, WritePolicy
from langgraph_agentmem.scope import Scope
from langgraph_agentmem.steps import Call, Work

from .model_extractor import ModelExtractor
from .run import Node, Run

__all__ = ["ExtractFacts", "ModelExtractor", "extract_facts"]

logger = logging.getLogger(__name__)

NEWEST = 3
"""Messages that are never passed over, so that each is tried in several runs."""


def _extractor(given: Extractor | BaseChatModel) -> Extractor:
    """The extractor that was given, or one that asks the chat model that was given. Raises
    TypeError for what is neither.
    """
    if not isinstance(given, type):
        if isinstance(given, Extractor):
            return given
        if isinstance(given, BaseChatModel):
            return ModelExtractor(given)
    other: object = given
    found = f"the class {other.__name__}" if isinstance(other, type) else shown(other)
    raise TypeError(
        "extract_facts takes an extractor or a chat model, e.g. RuleExtractor() or "
        f'init_chat_model("provider:name") (found {found})'
    )


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

    Two of one kind never overwrite each other: topics whose members stand side by side have a
    level per member (`allergy.peanuts`, `allergy.kiwi`, `family.daughter.mira`).

    What the policy holds for consent waits in the store, outside every recall; `ask_consent()`
    asks the user in the graph, `memory.consent(user_id, id, yes)` outside it.

    Days such as "yesterday" are those of the message: by the offset of its time, else in the time
    zone that the run names as `timezone` (in its context, or `configurable`), else `timezone`.

    Events hold topics and counts, never values: `kept`, `replaced`, `retired`, `unchanged`,
    `held` (with ids and categories), `refused` (with the policy's reasons), `dropped` (candidates
    that no store can hold), `unreadable` (what is no message), `read_in_part` (messages longer
    than are read), `unknown_timezone`, and `extract_failed` (the error's type): the extractor or
    the policy raised or answered with something else than it may, or the embedder failed (with
    the topics that wait). Nothing was written then, and the next run reads the same messages
    again. A message at which the extractor fails again and again (a provider's filter, say) while
    it reads the three newest is passed over, and `passed_over` counts it.

    Args:
        extractor: An `Extractor` such as `RuleExtractor()`, or a chat model with structured
            output, which a `ModelExtractor` asks.
        scope: Whose memory it is.
        policy: Refuses what must not be kept, and holds what needs the user's consent.
        timezone: The users' time zone where the run names none: an IANA name. None for UTC.
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
        ValueError: When made, if there is no such time zone.
    """

    extractor: Extractor | BaseChatModel
    _: KW_ONLY
    scope: Scope = field(default_factory=Scope)
    policy: WritePolicy = careful
    timezone: str | None = None
    messages_key: str = "messages"
    through_key: str = "extracted_through"
    _reader: Extractor = field(init=False)
    _zone: ZoneInfo | None = field(init=False)

    name = "extract_facts"

    def __post_init__(self) -> None:
        object.__setattr__(self, "_reader", _extractor(self.extractor))
        object.__setattr__(self, "_zone", as_zone(self.timezone))
        self.declare(messages=self.messages_key, extracted_through=self.through_key)

    def work(self, state: Mapping[str, Any], run: Run) -> Work[dict[str, Any]]:
        """Learn from what is new in this state."""
        user = self.scope.user(run.config, run.context)
        store, thread = run.memory_store(), run.thread_id
        found = readable(state.get(self.messages_key), run.emit)
        messages = run.unforgotten(store, found)
        said = said_since(messages, state.get(self.through_key), reading=_reading(run))
        if thread is not None:
            yield Call(
                lambda: store.claim_thread(thread, user),
                lambda: store.aclaim_thread(thread, user),
            )
        if not said.messages:
            return {}
        learner = Learner(
            store=store,
            namespace=self.scope.namespace(user),
            extractor=self._reader,
            policy=self.policy,
            thread_id=thread,
            zone=self._zone_of(run),
            report=run.emit,
        )
        learnt = yield from _learnt(learner, said, run)
        return {self.through_key: said.through} if learnt else {}

    def _zone_of(self, run: Run) -> ZoneInfo | None:
        """The time zone that the run names for its user, else the node's own."""
        named = _named(run, "timezone")
        if named is None:
            return self._zone
        try:
            return as_zone(named)
        except ValueError:
            run.emit("unknown_timezone")
            return self._zone


extract_facts = ExtractFacts
"""The node under the name that a graph gives it."""


def _named(run: Run, name: str) -> Any:
    """What the run's context says under a name, else its `configurable`."""
    context = run.context
    found = context.get(name) if isinstance(context, Mapping) else getattr(context, name, None)
    return found if found is not None else run.config.get("configurable", {}).get(name)


def _reading(run: Run) -> str:
    """Names this task of the graph; alike when LangGraph tries it again or resumes it."""
    return str(run.config.get("metadata", {}).get("langgraph_checkpoint_ns") or uuid4())


def _learnt(learner: Learner, said: Said, run: Run) -> Work[bool]:
    """True when these messages need not be read again."""
    known = yield from learner.known()
    try:
        candidates = yield from _proposed(learner, said, known, run)
    except GraphBubbleUp:
        raise
    except Exception as error:  # noqa: BLE001 - whatever it is, the user's turn goes on
        return _failed(error, run)
    try:
        yield from learner.keep(candidates, known)
    except EmbeddingFailed as error:
        topics = [learner.sayable(candidate.topic) for candidate in candidates]
        return _failed(error, run, topics=topics)
    except (AgentMemError, GraphBubbleUp):
        raise
    except Exception as error:  # noqa: BLE001 - a policy's own error costs no turn either
        return _failed(error, run)
    return True


def _proposed(
    learner: Learner, said: Said, known: Mapping[str, str], run: Run
) -> Work[list[Candidate]]:
    """What the extractor proposes for these messages, but for those at which it fails while it
    reads the newest. Raises what it raises when it does not read those.
    """
    try:
        return (yield from learner.propose(said, known))
    except (GraphBubbleUp, TimeoutError):
        raise
    except Exception:
        if len(said.messages) <= NEWEST:
            raise
    older, newest = _halves(said, len(said.messages) - NEWEST)
    proposed = yield from learner.propose(newest, known)
    waiting, found, passed_over = [older], list[Candidate](), 0
    while waiting:
        part = waiting.pop()
        try:
            found += yield from learner.propose(part, known)
        except (GraphBubbleUp, TimeoutError):
            raise
        except Exception:  # noqa: BLE001 - it reads the newest, so it is the message
            if len(part.messages) == 1:
                passed_over += 1
            else:
                waiting += reversed(_halves(part, len(part.messages) // 2))
    if passed_over:
        run.emit("passed_over", count=passed_over)
    return found + proposed


def _halves(said: Said, at: int) -> tuple[Said, Said]:
    """The first messages, and the others, which may answer what was asked between."""
    first, last = said.messages[:at], said.messages[at:]
    return (
        replace(said, messages=first),
        replace(said, messages=last, before=first[-1], asked=True),
    )


def _failed(error: Exception, run: Run, **data: object) -> bool:
    """Report a failure without its text, which may quote the conversation. Returns False."""
    failure = type(error).__name__
    logger.warning("nothing was learnt (%s); the next run tries again", failure)
    run.emit("extract_failed", error=failure, **data)
    return False
