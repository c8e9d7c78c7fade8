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


def stable_room(want: int, *, share: int, most: int, left: int) -> int:
    """Tokens for a summary, which stay the same while the rest of the view changes a little: a
    head that changed with every turn would be read anew by the provider each time.

    Args:
        want: What all of it takes.
        share: Its share of a budget in which nothing else stands but the head.
        most: What it may take from the others.
        left: What the others leave, however much it is.

    Returns:
        What it wants, if that is within its share or the others leave it; else its share,
        doubled or halved until it is the largest that may be had.
    """
    limit = max(most, left, 0)
    if want <= left or want <= min(share, limit):
        return want
    if share < 1:
        return max(left, 0)
    room = share
    while room > limit:
        room //= 2
    while 0 < 2 * room <= limit:
        room *= 2
    return room
