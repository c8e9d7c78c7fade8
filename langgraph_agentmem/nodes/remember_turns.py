"""The node that keeps what was said, word for word: each turn once, as a memory of kind `turn`.

Facts say what holds; turns are the evidence, and they hold what no extractor thought of. A turn
is known by its thread and its message's id, so a retry, an interrupt, a replay, a second run at
the same time or a crash keeps it once.
"""

from __future__ import annotations

import hashlib
import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from uuid import uuid4

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from langgraph_agentmem.errors import EmbeddingFailed, InvalidValue
from langgraph_agentmem.extraction.evidence import is_written_by_a_program, said_at, words_of
from langgraph_agentmem.leaves import MARK
from langgraph_agentmem.model import Candidate, Hold, Learned, Namespace, Source
from langgraph_agentmem.policy import careful
from langgraph_agentmem.protocols import WritePolicy
from langgraph_agentmem.scope import Scope
from langgraph_agentmem.steps import Call, Work
from langgraph_agentmem.steps.looking import next_place
from langgraph_agentmem.steps.places import content_value, value_json
from langgraph_agentmem.store import AgentMemStore

from .run import Node, Run
from .turns import as_messages

logger = logging.getLogger(__name__)

TURN = "turn"
"""The kind of what this node keeps, and how its topics begin. The rest of a topic is a hash of
thread and message id: it names the turn and says nothing of it."""

_UNNAMED = re.compile(r"(?P<name>unnamed-[0-9a-f]{16})-(?P<place>\d{1,9})/(?P<length>\d{1,9})")
"""Up to where a list was kept whose last message had no id: the list's name, the place of the
message in it, and how many messages it had."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoken:
    """One message of the user or the assistant that says something, and the id it goes by."""

    message: BaseMessage
    message_id: str
    text: str
    now: bool
    """True when it belongs to the open turn, which is being spoken now."""

    @property
    def author(self) -> str:
        """The name that the message bears, else the role."""
        role = "user" if isinstance(self.message, HumanMessage) else "assistant"
        return self.message.name or role


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RememberTurns(Node):
    """Keeps each turn of the user and of the assistant word for word, as a memory of kind `turn`.

    Read are the messages after the one that `state["turns_through"]` names, or all of them when
    it names none or that message is gone. Kept is the text of human and AI messages; tool
    results, system messages, calls without a word, blank messages and what a program wrote in
    the user's place (a summary, say) are not. The source holds the thread, the message's id, the
    speaker (the message's `name`, else `user` or `assistant`), the place in the thread, and when
    it was said: the message's own `timestamp`, else now for the open turn and None for older
    ones. A message that is changed later stays as it was first kept.

    A message without an id is known by its place in its list, so it is kept once while that list
    grows; a list that has become shorter, or is as long as it was, is taken for another one. A
    run without a thread has no list that grows: there the open turn alone is kept.

    A crash may lose messages that no checkpoint has yet; LangGraph runs their step again, and
    what it makes anew is another message. `durability="sync"` leaves no such gap, nor do messages
    that come with ids of their own.

    The write policy is asked about each turn. One that it refuses is not kept, in whole, nor is
    one that it would hold for consent: the user is asked about the fact, not about every sentence
    in which it stands. `policy=CarefulPolicy(consent="granted")` keeps those. Place the node before
    any that removes messages.

    Events hold counts, never words: `turns_kept`; `turns_refused` with the reasons (the policy's,
    or that the message was forgotten); `turns_dropped` (text that no store can hold); and
    `turns_failed` (the embedder failed; nothing was kept, and the next run tries again).

    Args:
        scope: Whose memory it is.
        policy: Refuses what must not be kept.
        messages_key: The state's key for messages.
        through_key: The state's key for the last message that was read.

    Raises:
        UserRequired: The run names no user; nothing was read or written.
        UserConflict: The run names two users, or the thread is another user's; nothing was kept.
        StoreRequired: The graph was compiled without a store of ours.
        MemoryClosed, StorageError: The database failed; LangGraph's retry policy may run the
            node again, which keeps each turn once.
        EmbedderMismatch, SyncEmbedderRequired: The store was opened with the wrong embedder for
            this call; nothing was kept.
    """

    scope: Scope = field(default_factory=Scope)
    policy: WritePolicy = careful
    messages_key: str = "messages"
    through_key: str = "turns_through"

    name = "remember_turns"

    def __post_init__(self) -> None:
        self.declare(messages=self.messages_key, turns_through=self.through_key)

    def work(self, state: Mapping[str, Any], run: Run) -> Work[dict[str, Any]]:
        """Keep what is new in this state."""
        user = self.scope.user(run.config, run.context)
        store, thread = run.memory_store(), run.thread_id
        messages = run.unforgotten(store, as_messages(state.get(self.messages_key)))
        if thread is not None:
            yield Call(
                lambda: store.claim_thread(thread, user),
                lambda: store.aclaim_thread(thread, user),
            )
        spoken, through = spoken_since(
            messages,
            state.get(self.through_key),
            reading=str(run.config.get("metadata", {}).get("langgraph_checkpoint_ns") or uuid4()),
            has_thread=thread is not None,
        )
        kept = yield from self._kept(spoken, store, self.scope.namespace(user), run)
        return {self.through_key: through} if kept and through is not None else {}

    def _kept(
        self, spoken: Sequence[Spoken], store: AgentMemStore, namespace: Namespace, run: Run
    ) -> Work[bool]:
        """True when these messages need not be read again."""
        sound = [one for one in spoken if _can_be_stored(one.text)]
        if len(sound) < len(spoken):
            run.emit("turns_dropped", count=len(spoken) - len(sound))
        if not sound:
            return True
        thread = run.thread_id
        first: int = yield store.perform(next_place(namespace, thread), write=False)
        now = store.clock()
        candidates = [
            _candidate(one, thread, order=first + place, now=now) for place, one in enumerate(sound)
        ]
        try:
            learned: Learned = yield Call(
                lambda: store.learn(namespace, candidates, policy=self._ask),
                lambda: store.alearn(namespace, candidates, policy=self._ask),
            )
        except EmbeddingFailed as error:
            logger.warning("no turn was kept (%s); the next run tries again", type(error).__name__)
            run.emit("turns_failed", error=type(error).__name__, count=len(candidates))
            return False
        if learned.kept:
            run.emit("turns_kept", count=len(learned.kept))
        if learned.refused:
            reasons = [refusal.reason for refusal in learned.refused]
            run.emit("turns_refused", count=len(reasons), reasons=reasons)
        return True

    def _ask(self, candidate: Candidate) -> str | None:
        """The policy, about the words alone: a hash in a topic may look like a key."""
        answer = self.policy(replace(candidate, topic=TURN))
        if isinstance(answer, Hold):
            return f"needs consent: {', '.join(answer.categories)}"
        return answer


remember_turns = RememberTurns
"""The node under the name that a graph gives it."""


def turn_topic(thread_id: str | None, message_id: str) -> str:
    """The topic of a turn: the same for the same message of the same thread, and no other."""
    thread = "-" if thread_id is None else f"+{thread_id}"
    name = f"{len(thread)}:{thread}{message_id}".encode(errors="surrogatepass")
    return f"{TURN}.{hashlib.sha256(name).hexdigest()[:32]}"


def spoken_since(
    messages: Sequence[BaseMessage], through: str | None, *, reading: str, has_thread: bool
) -> tuple[list[Spoken], str | None]:
    """What was said after `through`, and up to where that is; None for no messages at all.

    Args:
        messages: The list.
        through: What the last reading returned.
        reading: Names this reading, alike when it is tried again.
        has_thread: False keeps the open turn alone.
    """
    name = f"unnamed-{hashlib.sha256(reading.encode()).hexdigest()[:16]}"
    opens = max((at for at, one in enumerate(messages) if _is_users(one)), default=0)
    first = 0 if has_thread else opens
    ids = [message.id for message in messages]
    read = None if through is None else _UNNAMED.fullmatch(through)
    if read and len(messages) > int(read["length"]):
        name, first = read["name"], max(first, int(read["place"]) + 1)
    elif through is not None and through in ids:
        first = max(first, ids.index(through) + 1)
    named = [found or f"{name}-{place}" for place, found in enumerate(ids)]
    spoken = [
        Spoken(message=one, message_id=named[at], text=text, now=at >= opens)
        for at, one, text in _said(messages)
        if at >= first
    ]
    if not messages:
        return spoken, through
    return spoken, ids[-1] or f"{named[-1]}/{len(messages)}"


def _said(messages: Sequence[BaseMessage]) -> Iterator[tuple[int, BaseMessage, str]]:
    """The messages that count as turns, each with its place and its text."""
    for place, message in enumerate(messages):
        if isinstance(message, HumanMessage | AIMessage) and not is_written_by_a_program(message):
            text = words_of(message).strip()
            if text and text != MARK:
                yield place, message, text


def _is_users(message: BaseMessage) -> bool:
    return isinstance(message, HumanMessage) and not is_written_by_a_program(message)


def _candidate(spoken: Spoken, thread: str | None, *, order: int, now: datetime) -> Candidate:
    return Candidate(
        topic=turn_topic(thread, spoken.message_id),
        value=spoken.text,
        kind="turn",
        source=Source(
            thread_id=thread,
            message_ids=(spoken.message_id,),
            author=spoken.author,
            said_at=said_at(spoken.message) or (now if spoken.now else None),
            order=order,
        ),
    )


def _can_be_stored(text: str) -> bool:
    try:
        value_json(content_value(text))
    except InvalidValue:
        return False
    return True
