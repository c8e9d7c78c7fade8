"""What a turn told may have changed since: the value that holds now stands before it.

"Where do I live?" finds the turn that said so word for word, and the fact that took its place
shares no word with the question. Which topics were learnt from which messages is known.
"""

from __future__ import annotations

import json
from datetime import datetime

from langgraph_agentmem.ranking import Finalist

from . import Statement, Steps
from .asking import Ranked
from .places import micros


def with_newer(ranked: Ranked, limit: int, *, now: datetime) -> Steps[None]:
    """Put the current facts of topics of which the best turns tell an older value before them."""
    turns = {one.id: one for one in ranked.passed[:limit] if one.kind == "turn"}
    if not turns:
        return
    rows = yield Statement(
        "list_newer_facts", {"turns": json.dumps(list(turns)), "now": micros(now)}
    )
    for row in rows:
        told = next(place for place, one in enumerate(ranked.passed) if one.id == row["turn_id"])
        at = next((place for place, one in enumerate(ranked.passed) if one.id == row["id"]), None)
        if at is not None and at < told:
            continue
        fact = ranked.passed.pop(at) if at is not None else None
        ranked.passed.insert(
            told,
            Finalist(
                id=row["id"],
                score=turns[row["turn_id"]].score,
                parts={**(fact.parts if fact else ranked.parts_of(row["id"])), "newer": 1.0},
                passes=True,
                place=(row["path"], row["topic"]),
                kind=row["kind"],
            ),
        )
        ranked.rows[row["id"]] = row
