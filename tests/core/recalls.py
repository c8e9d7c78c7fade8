"""Recalls made by hand, for tests that need no store."""

from collections.abc import Mapping
from datetime import UTC, datetime

from langgraph_agentmem.model import Hit, Memory, Recall

SINCE = datetime(2026, 3, 14, 9, 30, tzinfo=UTC)


def memory(topic: str, text: str, *, pinned: bool = False, since: datetime = SINCE) -> Memory:
    return Memory(
        namespace=("memories", "asha"),
        topic=topic,
        value={"text": text},
        kind="fact",
        pinned=pinned,
        version=1,
        source=None,
        valid_from=since,
        created_at=since,
        updated_at=since,
    )


def recalled(pinned: Mapping[str, str] = {}, relevant: Mapping[str, str] = {}) -> Recall:
    """A recall of these topics and texts, best first."""
    return Recall(
        namespace=("memories", "asha"),
        query="",
        pinned=tuple(
            Hit(memory=memory(topic, text, pinned=True), score=1.0, why={"pinned": 1.0})
            for topic, text in pinned.items()
        ),
        relevant=tuple(
            Hit(memory=memory(topic, text), score=0.5, why={"words": 0.5})
            for topic, text in relevant.items()
        ),
    )
