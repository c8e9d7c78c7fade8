"""What is shown of a summary: all of it, or as much as fits."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass

from .exact import missing_from
from .parts import shortened
from .render import summary_text
from .state import Summary


@dataclass(frozen=True, slots=True)
class Told:
    """What is shown of a summary: prose, the exact values that it does not hold, and how many
    were left out.
    """

    prose: str = ""
    exact: tuple[str, ...] = ()
    lost: int = 0

    @property
    def text(self) -> str:
        """The text inside the fence."""
        return summary_text(self.prose, self.exact)


def told_whole(summary: Summary | None) -> Told:
    """All of a summary, or of none."""
    if summary is None:
        return Told()
    return Told(summary["text"], tuple(missing_from(summary["text"], summary["exact"])))


def told_within(summary: Summary, room: int, cost: Callable[[str], int]) -> Told:
    """As much of a summary as fits. Prose gives way first, because it can be told in fewer
    words; of the exact values the oldest do.
    """
    exact = tuple(summary["exact"])
    if cost(summary_text("", exact)) <= room:
        prose = shortened(summary["text"], room, lambda said: cost(summary_text(said, exact)))
        return Told(prose, exact)
    lost = bisect_left(range(len(exact)), -room, key=lambda n: -cost(summary_text("", exact[n:])))
    return Told("", exact[lost:], lost)


def stable_room(want: int, *, most: int, rest: int) -> int:
    """Tokens for a summary. No turn and no recalled memory changes it: a head that changed with
    them would be read anew by the provider each time.

    Args:
        want: What all of it takes.
        most: What it may take of a budget in which nothing else stands but the head.
        rest: What the head and the open turn leave.

    Returns:
        What it wants, up to `most`; where a large open turn leaves less than that, `most` halved
        until there is room for it.
    """
    room = min(want, most)
    while room > rest:
        most //= 2
        room = min(want, most)
    return room
