"""A transcript in parts, each small enough to be read in one call; and texts cut between words."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from langchain_core.messages import BaseMessage, HumanMessage

from langgraph_agentmem.protocols import TokenCounter

from .transcript import line_of
from .turns import spoken

_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\ud7a3\uf900-\ufaff\uff00-\uffef]"
)
"""Letters of scripts that put no blanks between words, or may be cut anywhere."""


@dataclass(slots=True)
class Parts:
    """Pieces of a transcript in the order of its messages, gathered into parts.

    `ends[n]` says how many pieces the first n messages have; `starts` are the pieces at which a
    part begins. Both grow with the messages, so the parts of fewer messages are the same.
    """

    pieces: list[str] = field(default_factory=list)
    ends: list[int] = field(default_factory=lambda: [0])
    starts: list[int] = field(default_factory=list)

    def needed(self, messages: int) -> int:
        """How many parts the first messages take; at least one."""
        return max(bisect_right(self.starts, self.ends[messages] - 1), 1)

    def texts(self, messages: int) -> list[str]:
        """The parts of the first messages."""
        end = self.ends[messages]
        starts = [start for start in self.starts if start < end] or [0]
        return [
            "\n".join(self.pieces[start:stop])
            for start, stop in zip(starts, [*starts[1:], end], strict=True)
        ]


def parts_of(messages: Sequence[BaseMessage], most: int, count: TokenCounter) -> Parts:
    """The transcript of messages in parts of at most so many tokens; system messages say
    nothing in it. A message that is larger by itself is cut into pieces.
    """

    def size(text: str) -> int:
        return count([HumanMessage(text)])

    parts = Parts()
    taken = most  # so that the first piece begins a part
    for message in messages:
        line = line_of(message) if spoken([message]) else ""
        for piece, cost in _pieces(line, most, size) if line else ():
            if taken + cost > most:
                parts.starts.append(len(parts.pieces))
                taken = 0
            parts.pieces.append(piece)
            taken += cost
        parts.ends.append(len(parts.pieces))
    return parts


def _pieces(line: str, most: int, size: Callable[[str], int]) -> list[tuple[str, int]]:
    """The line cut into pieces that fit, as far as a cut makes it smaller; each with its size."""
    waiting, pieces = [line], list[tuple[str, int]]()
    while waiting:
        text = waiting.pop()
        tokens = size(text)
        if tokens <= most or len(text) < 2:  # noqa: PLR2004 - one character cannot be cut
            pieces.append((text, tokens))
            continue
        length = max(len(text) * most // (tokens + tokens // 8), 1)
        length = min(length, len(text) - 1)
        waiting.extend(reversed([text[at : at + length] for at in range(0, len(text), length)]))
    return pieces


def shortened(text: str, room: int, cost: Callable[[str], int]) -> str:
    """As much of the head of a text as fits, with a mark; cut between words, where there are
    some.
    """
    if cost(text) <= room:
        return text

    def head(length: int) -> str:
        said = text[:length]
        if not _UNSPACED.match(said[-1:]):
            said = said[: max(said.rfind(" "), said.rfind("\n"), 0)]
        return f"{said.rstrip()} …" if said.strip() else ""

    length = bisect_right(range(len(text)), room, key=lambda size: cost(head(size))) - 1
    said = head(max(length, 0))
    return said if cost(said) <= room else ""
