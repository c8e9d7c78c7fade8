"""What matters most: pure functions from what was found to what is returned.

The floor is absolute and tested before fusion; fusion only orders what passed. Ties keep the
order of namespaces and topics, so the same question gets the same answer.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from .sizes import estimate_tokens

WORDS_FLOOR = 0.3
"""The rarity-weighted share of a query's content words that a memory must hold."""

WORDS_SHARE = 0.3
"""Weight of words (divided by the best) beside meaning."""

MEANING_SHARE = 1 - WORDS_SHARE

LINE_TOKENS = 12
"""Tokens of a rendered memory besides its topic and text: dash, date, fence."""

MOST_LEFT_OUT = 20
"""Memories below the floor that a recall names; the rest are counted in a note."""


@dataclass(frozen=True, slots=True)
class Scored:
    """A memory's id, its score in [0, 1] and what it is made of, each in [0, 1]."""

    id: int
    score: float
    words: float
    meaning: float | None


def rarity(holders: int, total: int) -> float:
    """How much a word says, from how many of `total` memories hold it.

    The inverse document frequency of BM25 in its non-negative form (Robertson and Zaragoza, The
    Probabilistic Relevance Framework, 2009). A word that no memory holds weighs as much as one
    that a single memory holds.
    """
    count = max(holders, 1)
    return math.log1p((max(total, count) - count + 0.5) / (count + 0.5))


def word_shares(found: Mapping[str, Collection[int]], total: int) -> dict[int, float]:
    """The rarity-weighted share of the query's words that each memory holds.

    Args:
        found: Each content word of the query and the ids of the memories that hold it.
        total: How many memories the namespace has.
    """
    weights = {word: rarity(len(holders), total) for word, holders in found.items()}
    whole = sum(weights.values())
    shares: dict[int, float] = {}
    for word, holders in found.items():
        for memory_id in holders:
            shares[memory_id] = shares.get(memory_id, 0.0) + weights[word] / whole
    return shares


def fuse(
    words: Mapping[int, float],
    meaning: Mapping[int, float] | None,
    *,
    order: Mapping[int, tuple[str, ...]],
    words_floor: float = WORDS_FLOOR,
    meaning_floor: float = 0.0,
) -> tuple[list[Scored], list[Scored]]:
    """What passed the floor, best first, and what did not.

    Args:
        words: Share of the query's words per id; ids without any are absent.
        meaning: Cosine per id, or None without an embedder.
        order: The place of every id that may be returned; it breaks ties.
        words_floor: A share that is enough by itself.
        meaning_floor: A cosine that is enough by itself.
    """
    best = max(words.values(), default=0.0)
    passed: list[Scored] = []
    below: list[Scored] = []
    for memory_id in order:
        share = words.get(memory_id, 0.0)
        cosine = None if meaning is None else meaning.get(memory_id)
        if not share and cosine is None:
            continue
        if meaning is None:
            score = share
        else:
            relative = share / best if best else 0.0
            score = WORDS_SHARE * relative + MEANING_SHARE * max(cosine or 0.0, 0.0)
        scored = Scored(memory_id, min(score, 1.0), share, cosine)
        enough = share >= words_floor or (cosine is not None and cosine >= meaning_floor)
        (passed if enough and score > 0 else below).append(scored)
    by_score = lambda one: (-one.score, order[one.id])  # noqa: E731 - two sorts share it
    return sorted(passed, key=by_score), sorted(below, key=by_score)


def line_tokens(topic: str, text: str) -> int:
    """About how many tokens a memory takes as a line of the model's context."""
    return estimate_tokens(topic) + estimate_tokens(text) + LINE_TOKENS


def pack(costs: Iterable[tuple[int, int]], budget: int | None) -> tuple[set[int], int]:
    """What fits into a budget of tokens, taken in rank order; a smaller one may still fit.

    Args:
        costs: Ids with their tokens, best first.
        budget: Tokens, or None for no bound.

    Returns:
        The ids that fit, and the tokens they take.
    """
    fits: set[int] = set()
    spent = 0
    for memory_id, cost in costs:
        if budget is None or spent + cost <= budget:
            fits.add(memory_id)
            spent += cost
    return fits, spent
