"""How memories, histories and receipts read on a terminal, one line each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

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
        yield f"Other memories still hold the same words {receipt.left_in_files} times."
    yield f"Out of reach: {'; '.join(receipt.unreachable)}."
