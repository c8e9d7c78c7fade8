"""What matters most: pure functions from what was found to what is returned.

`weights` holds every constant with its reason, `scoring` the scores of all that may be returned,
`speech` and `dates` what a question says of who spoke and when, `finishing` the order of the best,
`packing` what fits into a budget.

The floor is absolute and tested before fusion; fusion only orders what passed. Ties keep the
order of namespaces and topics, so the same question gets the same answer.
"""

from __future__ import annotations

from .dates import Days, days_named
from .finishing import Finalist, finish, tie_breaker
from .packing import LINE_TOKENS, line_tokens, pack
from .scoring import Asked, Chain, Field, Scores, field_of, rarity, score
from .speech import Naming, asks_when, first_person, naming
from .weights import MOST_LEFT_OUT, WEIGHTS, WORDS_FLOOR, Weights

__all__ = [
    "LINE_TOKENS",
    "MOST_LEFT_OUT",
    "WEIGHTS",
    "WORDS_FLOOR",
    "Asked",
    "Chain",
    "Days",
    "Field",
    "Finalist",
    "Naming",
    "Scores",
    "Weights",
    "asks_when",
    "days_named",
    "field_of",
    "finish",
    "first_person",
    "line_tokens",
    "naming",
    "pack",
    "rarity",
    "score",
    "tie_breaker",
]
