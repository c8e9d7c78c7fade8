"""How the tokens of one model call are shared between what competes for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """Tokens for one model call, and how what is left of them is shared.

    Instructions, pinned memories and the open turn come first and have no share. A summary takes
    what it needs, up to twice its share. The rest is shared between the relevant memories and
    the recent turns; what one of them does not need passes on to the next.

    Args:
        total: Tokens of the whole list of messages.
        summary: Share of the rest for the summary, in [0, 1].
        memories: Share of the rest for the relevant memories, in [0, 1].
        turns: Share of the rest for the recent turns, in [0, 1].

    Raises:
        ValueError: The total is no positive number of tokens, or a share lies outside [0, 1],
            or the shares exceed 1 together.
    """

    total: int = 4000
    summary: float = 0.2
    memories: float = 0.3
    turns: float = 0.5

    def __post_init__(self) -> None:
        if type(self.total) is not int or self.total < 1:
            raise ValueError("a budget is a positive number of tokens")
        if not all(0 <= share <= 1 for share in self.shares) or sum(self.shares) > 1 + 1e-9:
            raise ValueError("shares of a budget lie in [0, 1] and do not exceed 1 together")

    @property
    def shares(self) -> tuple[float, float, float]:
        """The shares of summary, memories and turns, in the order in which they are served."""
        return (self.summary, self.memories, self.turns)

    @classmethod
    def of(cls, budget: int | Self) -> Self:
        """A budget, from one or from its total."""
        return budget if isinstance(budget, cls) else cls(total=budget)  # type: ignore[arg-type]

    def rooms(self, rest: int, wants: tuple[int, int, int]) -> tuple[int, int, int]:
        """Tokens for summary, memories and turns out of `rest`, given what each could use.

        Each gets its share or what it wants, whichever is less; what is left then passes on to
        those that want more, in this order.
        """
        rooms = [
            min(want, int(rest * share)) for want, share in zip(wants, self.shares, strict=True)
        ]
        left = rest - sum(rooms)
        for index, want in enumerate(wants):
            more = min(want - rooms[index], left)
            rooms[index] += more
            left -= more
        summary, memories, turns = rooms
        return (summary, memories, turns)
