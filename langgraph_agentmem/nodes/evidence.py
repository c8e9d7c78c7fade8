"""What counts as evidence: the user's own messages, each with an id and a time."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from langchain_core.messages import BaseMessage, HumanMessage

from langgraph_agentmem.model import Source

_WRITTEN_BY_A_PROGRAM = "lc_source"
"""LangChain's middleware puts this into human messages that it writes, such as summaries."""


def _named(messages: Iterable[HumanMessage], thread_id: str | None) -> list[HumanMessage]:
    """The messages, each with an id.

    One without gets an id made of its thread, its text and how often that text came before, so
    that the same list gives the same ids each time it is read.
    """
    seen: Counter[str] = Counter()
    named: list[HumanMessage] = []
    for message in messages:
        text = str(message.text)
        seen[text] += 1
        if message.id is None:
            parts = "\0".join((thread_id or "", str(seen[text]), text))
            digest = hashlib.sha256(parts.encode("utf-8", "surrogatepass")).hexdigest()
            message = message.model_copy(update={"id": f"unnamed-{digest[:16]}"})  # noqa: PLW2901
        named.append(message)
    return named


def said_since(
    messages: Sequence[BaseMessage], through: str | None, *, thread_id: str | None
) -> list[HumanMessage]:
    """What the user said after the message with the id `through`; all of it when that id is
    None or gone.

    Human messages that a program wrote (a summary, say) are left out. `through` may be the id of
    any message in the list.
    """
    ids = [message.id for message in messages]
    own = [
        message
        for message in messages
        if isinstance(message, HumanMessage)
        and _WRITTEN_BY_A_PROGRAM not in message.additional_kwargs
    ]
    named = _named(own, thread_id)
    if through is None:
        return named
    if through in ids:
        later = {id(message) for message in messages[ids.index(through) + 1 :]}
        return [new for new, old in zip(named, own, strict=True) if id(old) in later]
    places = [place for place, message in enumerate(named) if message.id == through]
    return named[places[-1] + 1 :] if places else named


def said_at(message: HumanMessage) -> datetime | None:
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


def source_of(message: HumanMessage, thread_id: str | None) -> Source:
    """The source of what one message of the user says."""
    return Source(
        thread_id=thread_id,
        message_ids=(str(message.id),),
        author="user",
        said_at=said_at(message),
    )
