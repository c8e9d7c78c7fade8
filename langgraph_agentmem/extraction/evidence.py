"""What counts as evidence: the user's own messages, each with an id and a time."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any, TypeGuard

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from langgraph_agentmem.model import Source

_WRITTEN_BY_A_PROGRAM = "lc_source"
"""LangChain's middleware puts this into human messages that it writes, such as summaries."""


LONGEST_MESSAGE = 20_000
"""Characters of a message that are read by rule; what is longer is a pasted text."""

_LONGEST_ANSWER = 20_000
"""Characters of an answer in which a question is looked for."""

_UNNAMED = re.compile(r"(?P<name>unnamed-[0-9a-f]{16})-(?P<place>\d{1,9})/(?P<length>\d{1,9})")
"""Up to where a list was read whose last message had no id: the list's name, the message's place
among the user's own, and how many messages the list had."""

_OPEN_OFFER = re.compile(
    r"\b(?:how|what)(?: else)? (?:can|may|could|would|should|do|else)\b", re.IGNORECASE
)
"""A question that "no" does not answer: how can I help?"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What the user said since the last reading, each message with an id; `through` says up to
    where that is. For `before` and `asked` see `Extractor`.
    """

    messages: list[HumanMessage]
    through: str | None
    before: HumanMessage | None
    asked: bool


def words_of(message: BaseMessage) -> str:
    """The text of a message, with a line break between its text blocks: each is a text of its
    own, which LangChain's `text` runs together.
    """
    content = message.content
    blocks = content if isinstance(content, list) else [content]
    texts = (one if isinstance(one, str) else _text_of_block(one) for one in blocks)
    return "\n".join(text for text in texts if text)


def _text_of_block(block: object) -> str:
    """The text of a text block; "" for blocks of other kinds, known or not."""
    is_text = isinstance(block, Mapping) and block.get("type") == "text"
    found = block.get("text") if isinstance(block, Mapping) and is_text else None
    return found if isinstance(found, str) else ""


def is_written_by_a_program(message: BaseMessage) -> bool:
    """Whether a program wrote a message in somebody's place, such as a summary."""
    return _WRITTEN_BY_A_PROGRAM in message.additional_kwargs


def _own(message: BaseMessage) -> TypeGuard[HumanMessage]:
    return isinstance(message, HumanMessage) and not is_written_by_a_program(message)


def said_since(messages: Sequence[BaseMessage], through: str | None, *, reading: str) -> Said:
    """What the user said after `through`, the id of any message in the list; all of it when that
    is None or gone. Human messages that a program wrote (a summary, say) are left out.

    A message without an id is named after its list and its place in it, never after its text,
    which must leave no trace when it is forgotten. A list is named by the reading that met it
    first. It is taken for the same list while it grows, and for another one when it does not.

    Args:
        messages: The list.
        through: What the last reading returned.
        reading: Names this reading, alike when it is tried again.
    """
    own = [(at, message) for at, message in enumerate(messages) if _own(message)]
    ids = [message.id for message in messages]
    name = f"unnamed-{hashlib.sha256(reading.encode()).hexdigest()[:16]}"
    first = 0
    read = None if through is None else _UNNAMED.fullmatch(through)
    if read and len(messages) > int(read["length"]):
        name, first = read["name"], int(read["place"]) + 1
    elif through is not None and through in ids:
        last = ids.index(through)
        first = sum(at <= last for at, _ in own)
    new = [
        message if message.id is not None else message.model_copy(update={"id": f"{name}-{place}"})
        for place, (_, message) in enumerate(own)
    ][first:]
    before = own[first - 1] if 0 < first <= len(own) else None
    until = own[first][0] if new else len(messages)
    between = messages[before[0] + 1 : until] if before else ()
    return Said(
        messages=new,
        through=_through(own[-1][1], f"{name}-{len(own) - 1}", len(messages)) if new else None,
        before=before[1] if before else None,
        asked=any(_asks(message) for message in between if isinstance(message, AIMessage)),
    )


def _through(message: HumanMessage, place: str, length: int) -> str:
    return message.id if message.id is not None else f"{place}/{length}"


def _asks(message: AIMessage) -> bool:
    """True when an answer asks for more than how it can help."""
    questions = re.findall(r"[^.!?\n]{1,400}\?", words_of(message)[:_LONGEST_ANSWER])
    return any(not _OPEN_OFFER.search(question) for question in questions)


def said_at(message: BaseMessage) -> datetime | None:
    """When a message says that it was said: an ISO `timestamp` in its `additional_kwargs` or
    `response_metadata`. UTC when it names no zone.
    """
    for place in (message.additional_kwargs, message.response_metadata):
        found: Any = place.get("timestamp")
        if isinstance(found, str):
            try:
                found = datetime.fromisoformat(found)
            except ValueError:
                continue
        if isinstance(found, datetime):
            return found if found.tzinfo else found.replace(tzinfo=UTC)
    return None


def day_of(message: HumanMessage, now: datetime) -> date:
    """The day on which a message was said, where it was said: by the offset that its time names,
    else (none, or UTC, in which servers write) in the zone of `now`.
    """
    moment = said_at(message) or now
    if moment.utcoffset() == timedelta(0):
        moment = moment.astimezone(now.tzinfo)
    return moment.date()


def source_of(message: HumanMessage, thread_id: str | None) -> Source:
    """The source of what one message of the user says.

    `said_at` is None when the message names no time. The store then takes the moment of learning
    as when the fact began (`Memory.valid_from`), and `Version.recorded_at` says when that was.
    """
    return Source(
        thread_id=thread_id,
        message_ids=(str(message.id),),
        author="user",
        said_at=said_at(message),
    )
