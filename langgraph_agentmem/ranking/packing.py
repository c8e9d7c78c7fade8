"""How many tokens a memory takes, and which fit."""

from __future__ import annotations

from collections.abc import Iterable

from langgraph_agentmem.sizes import estimate_tokens

LINE_TOKENS = 12
"""Tokens of a rendered memory besides its topic and text: dash, date, fence."""


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
