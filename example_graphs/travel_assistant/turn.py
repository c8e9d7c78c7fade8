"""One turn of a conversation: what is said, what comes back, and what memory did meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableConfig

from langgraph_agentmem import Candidate, Recall, Source
from langgraph_agentmem.policy import refuse_secrets

from .graph import Graph

NOT_KEPT = "not kept in memory"
"""Begins the note on what no event may speak of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What the assistant answered, and notes on what memory did, such as `kept home_city`."""

    reply: str
    notes: tuple[str, ...]


def thread(thread_id: str, *, content: bool = False) -> RunnableConfig:
    """The config of a run in a thread, and whether its events hold values."""
    asked = {"agentmem_events": "content"} if content else {}
    return {"configurable": {"thread_id": thread_id, **asked}}


def take_turn(
    graph: Graph,
    said: str,
    config: RunnableConfig,
    user_id: str | None = None,
    *,
    hear: Callable[[str], None] = lambda _: None,
    watch: Callable[[Mapping[str, Any]], None] = lambda _: None,
) -> Turn:
    """Say something and hear the answer, word by word through `hear`; `watch` sees every event
    of memory when it happens.
    """
    reply, speaking = "", None
    notes: list[str] = []
    events: set[str] = set()
    happenings = graph.stream(
        {"messages": [{"role": "user", "content": said}]},
        config,
        context=None if user_id is None else {"user_id": user_id},
        stream_mode=["messages", "updates", "custom"],
    )
    for mode, found in cast("Iterator[tuple[str, Any]]", happenings):
        if mode == "messages":
            chunk, where = found
            if isinstance(chunk, AIMessage) and where["langgraph_node"] == "assistant":
                # What a model says before it calls a tool is a message of its own.
                hear("\n" if speaking not in {None, chunk.id} and chunk.text else "")
                hear(chunk.text)
                speaking = chunk.id if chunk.text else speaking
        elif mode == "updates":
            notes += _recalled(found)
            if "extract_facts" in found:
                notes += _passed_over(said, events)
            reply = _answered(found) or reply
        elif isinstance(found, Mapping) and "agentmem" in found:
            watch(found)
            notes += _happened(found)
            events.add(found["agentmem"])
    return Turn(reply=reply, notes=tuple(notes))


def _answered(update: Mapping[str, Any]) -> str:
    messages = (update.get("assistant") or {}).get("messages", [])
    return "\n".join(one.text for one in messages if isinstance(one, AIMessage))


def _recalled(update: Mapping[str, Any]) -> Iterator[str]:
    recall = (update.get("retrieve_memories") or {}).get("memories")
    if not isinstance(recall, Recall):
        return
    if recall.pinned:
        yield f"{len(recall.pinned)} pinned"
    if recall.relevant:
        unmatched = any("no match" in hit.why for hit in recall.relevant)
        topics = ", ".join(hit.memory.topic for hit in recall.relevant)
        yield f"no match, newest: {topics}" if unmatched else f"recalled {topics}"


def _happened(event: Any) -> Iterator[str]:
    """A note on an event of the custom stream; events hold topics and counts, no content."""
    match event:
        case {"agentmem": "kept" | "replaced" | "retired" as happened, "topics": topics}:
            yield f"{happened} {', '.join(topics)}"
        case {"agentmem": "refused", "refusals": refusals}:
            yield from map(_not_kept, dict.fromkeys(one["reason"] for one in refusals))
        case {"agentmem": "extract_failed" | "summary_failed" as happened, "error": error}:
            yield f"{happened.replace('_', ' ')} ({error}), next time again"
        case {"agentmem": "summarized", "messages": count}:
            yield f"summarized {count} older messages"


def _passed_over(said: str, events: set[str]) -> Iterator[str]:
    """A note on a secret that no extractor has proposed, so that no event speaks of it.

    Only where nothing was kept of these words: what was is named in its own note.
    """
    if events & {"kept", "replaced", "unchanged", "refused", "extract_failed"}:
        return
    if reason := refuse_secrets(Candidate(topic="said", value=said, source=Source())):
        yield _not_kept(reason)


def _not_kept(reason: str) -> str:
    return f"{NOT_KEPT}: {reason}"
