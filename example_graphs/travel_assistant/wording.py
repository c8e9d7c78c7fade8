"""How memories, histories and receipts read on a terminal, one line each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from langgraph_agentmem import Memory, Receipt, Version


def memory_line(memory: Memory) -> str:
    """What is held about a topic now."""
    pin = "  [pinned]" if memory.pinned else ""
    return f"{memory.topic}: {memory.text}  (since {memory.valid_from:%Y-%m-%d}){pin}"


def history_lines(versions: Sequence[Version]) -> Iterator[str]:
    """The versions of a topic and when each was current."""
    for version in versions:
        until = f"{version.valid_to:%Y-%m-%d}" if version.valid_to else "now"
        yield f"{version.number}. {version.text}  ({version.valid_from:%Y-%m-%d} to {until})"


def nothing_under(topic: str, kept: Sequence[Memory]) -> str:
    """That a topic is not there, and which ones are."""
    shown = re.sub(r"[\x00-\x1f\x7f\ud800-\udfff]", "�", topic)
    if not kept:
        return f"Nothing is kept under {shown}, nor under anything else."
    return f"Nothing is kept under {shown}; there are: {', '.join(one.topic for one in kept)}."


def event_line(event: Mapping[str, Any]) -> str:
    """An event of memory, such as `recalled: pinned 4, relevant 1`."""
    said = ", ".join(
        f"{name.replace('_', ' ')} {_told(value)}"
        for name, value in event.items()
        if name != "agentmem" and value not in (None, "", [], {})
    )
    return f"{event['agentmem']}{': ' if said else ''}{said}"


def _told(value: Any) -> str:
    match value:
        case Mapping():
            return "; ".join(f"{name}: {_told(inner)}" for name, inner in value.items())
        case list() | tuple():
            return " + ".join(map(_told, value))
    return str(value)


def receipt_lines(topic: str, receipt: Receipt) -> Iterator[str]:
    """What was erased, what is left and what is out of reach."""
    if not receipt.total:
        yield f"Nothing was kept under {topic}."
        return
    removed = (f"{place} {count}" for place, count in receipt.removed.items() if count)
    yield f"Receipt for {topic}: erased {', '.join(removed)}."
    if not receipt.complete:
        yield f"Not finished: {', '.join(receipt.pending)}; the next write completes it."
    elif receipt.left_in_files:
        times = "once" if receipt.left_in_files == 1 else f"{receipt.left_in_files} times"
        yield (
            f"The same words still stand {times} in the file, in memories of other topics or users "
            "or in wordings that are not recognised."
        )
    yield f"Out of reach: {'; '.join(receipt.unreachable)}."
