"""One turn of a conversation: what is said, what comes back, and what memory did meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableConfig

from langgraph_agentmem import Recall

from .graph import Graph


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What the assistant answered, and notes on what memory did, such as `kept home_city`."""

    reply: str
    notes: tuple[str, ...]


def thread(thread_id: str) -> RunnableConfig:
    """The config of a run in a thread."""
    return {"configurable": {"thread_id": thread_id}}


def take_turn(
    graph: Graph,
    said: str,
    config: RunnableConfig,
    user_id: str | None = None,
    *,
    hear: Callable[[str], None] = lambda _: None,
) -> Turn:
    """Say something and hear the answer, word by word through `hear`."""
    reply, speaking = "", None
    notes: list[str] = []
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
            reply = _answered(found) or reply
        else:
            notes += _happened(found)
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
        yield f"recalled {', '.join(hit.memory.topic for hit in recall.relevant)}"


def _happened(event: Any) -> Iterator[str]:
    """A note on an event of the custom stream; events hold topics and counts, no content."""
    match event:
        case {"agentmem": "kept" | "replaced" | "retired" as happened, "topics": topics}:
            yield f"{happened} {', '.join(topics)}"
        case {"agentmem": "refused", "refusals": refusals}:
            yield from (f"refused {one['topic']}: {one['reason']}" for one in refusals)
        case {"agentmem": "extract_failed" | "summary_failed" as happened, "error": error}:
            yield f"{happened.replace('_', ' ')} ({error}), next time again"
        case {"agentmem": "summarized", "messages": count}:
            yield f"summarized {count} older messages"
