"""Whether the time that something takes grows with its input and no faster, on any machine."""

from __future__ import annotations

import time
from collections.abc import Callable

TIMES = 16
"""How often the short text stands in the long one: a cost that grows with the square makes 256."""

MOST = 4 * TIMES
LEAST = 0.005
"""Seconds below which clocks and machines say little."""


def grows_evenly(work: Callable[[str], object], text: str) -> bool:
    """Whether a text takes about as many times longer than a part of it as it is longer."""
    part = text[: len(text) // TIMES]
    brief = min(seconds(work, part) for _ in range(3))
    return seconds(work, text) < MOST * max(brief, LEAST)


def seconds(work: Callable[[str], object], text: str) -> float:
    """How long a text takes, in seconds of this process: the machine may do other things."""
    before = time.process_time()
    work(text)
    return time.process_time() - before
