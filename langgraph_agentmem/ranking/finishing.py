"""The order of the best: what their texts say, what is newer or of more use, nothing twice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from .speech import ends_asking, speaks_of_self, tells_time
from .weights import WEIGHTS, Weights

SAME_WORDS = 0.8
"""The share of common words among all of two texts from which they say the same."""

SAID_BY_FACT = 0.8
"""The share of a fact's content words that a turn must hold for the fact to say what it says."""

SAID_BY_ITS_FACT = 0.5
"""The same for a fact that was learnt from that turn; its words may be others."""

_MOST_USES = 10
"""Recalls from which a memory counts as used often."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finalist:
    """One of the best, with what its row tells.

    Args:
        id: The memory's.
        score: What it reached, of `most` that could be reached.
        place: Breaks ties.
        kind: See `Kind`.
        passes: Whether it is above the floor.
        parts: What the score is made of, each in [0, 1].
        text: What it says.
        words: Of topic and text.
        content: The content words of the text alone.
        messages: The ids of the messages that it comes from.
        age: In whole days, so that an hour later the order is the same.
        uses: How often it was recalled.
    """

    id: int
    score: float
    place: tuple[str, ...]
    kind: str
    passes: bool = False
    parts: Mapping[str, float] = field(default_factory=dict)
    text: str = ""
    words: frozenset[str] = frozenset()
    content: frozenset[str] = frozenset()
    messages: frozenset[tuple[str, str]] = frozenset()
    age: int = 0
    uses: int = 0


def finish(
    finalists: Sequence[Finalist],
    *,
    most: float,
    asks_when: bool,
    asked: frozenset[str] = frozenset(),
    weights: Weights = WEIGHTS,
) -> list[Finalist]:
    """The finalists that passed the floor, best first; what says the same as one before it comes
    after all others, a fact before a turn that it sums up. Then those that did not pass.

    Args:
        finalists: In any order.
        most: The score that could be reached; scores come out as shares of it, in [0, 1].
        asks_when: Whether the question asks for a time.
        asked: The words of the question: a turn that asks the same tells nothing.
        weights: See `Weights`.
    """
    fact = weights.fact if len({one.kind == "turn" for one in finalists}) > 1 else 0.0
    most += fact + weights.recency + weights.use + (weights.tells_time if asks_when else 0.0)
    scored = [
        _with_text(one, weights, most=most, asks_when=asks_when, fact=fact) for one in finalists
    ]
    order = sorted(scored, key=lambda one: (not one.passes, -one.score, one.place))
    passed = [one for one in order if one.passes]
    return _nothing_twice(_facts_first(passed), asked) + order[len(passed) :]


def _with_text(
    one: Finalist, weights: Weights, *, most: float, asks_when: bool, fact: float
) -> Finalist:
    parts = dict(one.parts)
    total = one.score
    if asks_when and tells_time(one.text):
        parts["time"] = 1.0
        total += weights.tells_time
    if one.kind != "turn":
        total += fact
    elif ends_asking(one.text):
        total -= weights.asks * (0.5 if speaks_of_self(one.text) else 1.0)
    total += tie_breaker(one.age, one.uses, weights)
    return replace(one, score=min(max(total / most, 0.0), 1.0), parts=parts)


def tie_breaker(age: int, uses: int, weights: Weights = WEIGHTS) -> float:
    """What a memory has for being newer than another, in whole days, or recalled more often."""
    newer: float = weights.recency * 0.5 ** (age / weights.recency_days)
    return newer + weights.use * min(uses, _MOST_USES) / _MOST_USES


def _facts_first(order: Sequence[Finalist]) -> list[Finalist]:
    """A fact goes before the best turn that says it; the turn is its evidence."""
    facts = [one for one in order if one.kind != "turn"]
    if not facts or len(facts) == len(order):
        return list(order)
    found: list[Finalist] = []
    placed: set[int] = set()
    for one in order:
        if one.kind == "turn":
            for fact in facts:
                if fact.id not in placed and _sums_up(fact, one):
                    placed.add(fact.id)
                    found.append(fact)
        if one.id not in placed:
            placed.add(one.id)
            found.append(one)
    return found


def _sums_up(fact: Finalist, turn: Finalist) -> bool:
    common = len(fact.content & turn.content)
    needed = SAID_BY_ITS_FACT if fact.messages & turn.messages else SAID_BY_FACT
    return bool(common) and common >= needed * len(fact.content)


def _nothing_twice(order: Sequence[Finalist], asked: frozenset[str]) -> list[Finalist]:
    """What says the same as a better one, or asks the question again, comes last, in its order."""
    first: list[Finalist] = []
    again: list[Finalist] = []
    for one in order:
        echoes = one.kind == "turn" and _alike(one.words, asked) and ends_asking(one.text)
        said = echoes or any(_alike(one.words, other.words) for other in first)
        (again if said else first).append(one)
    return first + again


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    few, many = sorted((len(one), len(other)))
    if not few or few < SAME_WORDS * many:
        return False
    common = len(one & other)
    return common >= SAME_WORDS * (few + many - common)
