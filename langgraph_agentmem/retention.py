"""Forgetting by rule, and duplicates: the rules as frozen dataclasses, and what they took."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal, TypeAlias

from .model import KINDS, Kind, Namespace

Reason: TypeAlias = Literal["max_age", "unused_for", "half_life", "capacity"]

LEAST_STRENGTH = 0.125
"""Below this a memory with a half-life goes: after three of them when it was never recalled."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    """Forgetting by rule: age, uses, capacity, half-life. A memory goes when any rule says so;
    pinned ones and those that the user consented to keep never do.

    A use is a recall that returned the memory. What was never used counts from its last update.

    Args:
        max_age: Goes when its value has not been written for so long.
        unused_for: Goes when it has not been used for so long.
        min_uses: Spares from `unused_for` what was used at least so often.
        capacity: At most so many (unpinned) memories of a namespace stay: the strongest, or,
            without a half-life, those used last.
        half_life: A memory's strength is (1 + its uses), halved for each of these since it was
            last used; it goes below 1/8, so after three when it was never used.
        kinds: Only memories of these kinds; None for all.

    Raises:
        ValueError: No rule, a duration or number that is not above 0, `min_uses` without
            `unused_for`, or an unknown kind.
    """

    max_age: timedelta | None = None
    unused_for: timedelta | None = None
    min_uses: int | None = None
    capacity: int | None = None
    half_life: timedelta | None = None
    kinds: tuple[Kind, ...] | None = None

    def __post_init__(self) -> None:
        for name in ("max_age", "unused_for", "half_life"):
            length: object = getattr(self, name)
            if length is not None and not (isinstance(length, timedelta) and length > timedelta(0)):
                raise ValueError(f"{name} is a timedelta above 0 (found {length!r})")
        for name in ("min_uses", "capacity"):
            number: object = getattr(self, name)
            if number is not None and (
                isinstance(number, bool) or not isinstance(number, int) or number < 1
            ):
                raise ValueError(f"{name} is a whole number, at least 1 (found {number!r})")
        if self.min_uses is not None and self.unused_for is None:
            raise ValueError("min_uses spares from unused_for; give both")
        if not (self.max_age or self.unused_for or self.half_life or self.capacity):
            raise ValueError("a retention needs a rule: max_age, unused_for, capacity, half_life")
        unknown = set(self.kinds or ()) - set(KINDS)
        if unknown or isinstance(self.kinds, str):
            raise ValueError(f"kinds are a tuple of {', '.join(KINDS)} (found {self.kinds!r})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Swept:
    """A memory that a sweep took, or would take, and why."""

    namespace: Namespace
    topic: str
    reason: Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """What a sweep by a `Retention` took; in a dry run what it would take."""

    swept: tuple[Swept, ...] = ()
    dry_run: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Duplicate:
    """Two memories of one namespace and kind that say the same, or nearly.

    Args:
        namespace: Whose they are.
        kept: The topic that stays: the pinned one, else the one that was written last.
        superseded: The topic that ends when this is applied.
        likeness: From 0 to 1: the cosine of their vectors, else the share of their words.
        exact: Whether text and topic are equal after normalising (case, how accents are
            composed, spaces, punctuation); a topic that is a made-up id equals every other.
        pinned: Whether the topic that would end is pinned too, so that none does.
    """

    namespace: Namespace
    kept: str
    superseded: str
    likeness: float
    exact: bool
    pinned: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadRetention:
    """Deleting threads by rule: idle time, age, number. A thread goes when any rule says so.

    Args:
        idle: Goes when nothing was stored in it for so long.
        max_age: Goes when it began so long ago, whether it is used or not.
        keep_last: Of each user's threads at most so many stay, those used last. Threads that
            are nobody's are counted together.

    Raises:
        ValueError: No rule, or a duration or number that is not above 0.
    """

    idle: timedelta | None = None
    max_age: timedelta | None = None
    keep_last: int | None = None

    def __post_init__(self) -> None:
        for name in ("idle", "max_age"):
            length: object = getattr(self, name)
            if length is not None and not (isinstance(length, timedelta) and length > timedelta(0)):
                raise ValueError(f"{name} is a timedelta above 0 (found {length!r})")
        number: object = self.keep_last
        if number is not None and (
            isinstance(number, bool) or not isinstance(number, int) or number < 1
        ):
            raise ValueError(f"keep_last is a whole number, at least 1 (found {number!r})")
        if not (self.idle or self.max_age or self.keep_last):
            raise ValueError("a retention of threads needs a rule: idle, max_age, keep_last")


@dataclass(frozen=True, slots=True, kw_only=True)
class SweptThread:
    """A thread that a sweep deleted, or would delete, and why.

    `used_at` is when something was last stored in it; `checkpoints` is how many it had.
    """

    thread_id: str
    user_id: str | None
    reason: Literal["idle", "max_age", "keep_last"]
    started_at: datetime
    used_at: datetime
    checkpoints: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadSweep:
    """What a sweep by a `ThreadRetention` deleted; in a dry run what it would delete.

    `undated` are threads of other savers whose ids do not tell when they were made: no rule
    touches them.
    """

    swept: tuple[SweptThread, ...] = ()
    undated: tuple[str, ...] = ()
    dry_run: bool = False
