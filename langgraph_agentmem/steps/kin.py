"""Members of one topic come together: who asks for a hobby asks for the hobbies.

Topics with a common first label (`hobby.chess`, `hobby.rowing`) are members of one. When a member
is found, the others follow it, though they share neither a word nor a meaning with the question.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from langgraph_agentmem.model import Namespace
from langgraph_agentmem.ranking import Finalist

from . import Row, Statement, Steps
from .asking import Ranked
from .places import micros, path_of

MOST_MEMBERS = 8
"""A topic of more members is no list that somebody asks for, and its members do not come along."""

LEADS = 3
"""The best facts whose fellow members come along."""


def with_kin(namespace: Namespace, ranked: Ranked, *, now: datetime) -> Steps[None]:
    """Put the fellow members of the best facts behind them, with their rows."""
    for label in dict.fromkeys(_labels(ranked.passed)):
        rows = yield Statement(
            "list_members",
            {
                "path": path_of(namespace),
                "above": f"{label}.",
                "below": f"{label}/",  # the character after the period
                "now": micros(now),
                "most": MOST_MEMBERS + 1,
            },
        )
        if len(rows) <= MOST_MEMBERS:
            _insert(ranked, rows)


def _labels(passed: Sequence[Finalist]) -> Iterator[str]:
    facts = [one for one in passed if one.kind == "fact"]
    for one in facts[:LEADS]:
        label, dot, _ = one.place[-1].partition(".")
        if dot:
            yield label


def _insert(ranked: Ranked, rows: Sequence[Row]) -> None:
    members = {row["id"]: row for row in rows}
    known = {one.id for one in ranked.passed}
    last = max(place for place, one in enumerate(ranked.passed) if one.id in members)
    kin = [
        Finalist(
            id=row["id"],
            score=ranked.passed[last].score,
            parts={**ranked.parts_of(row["id"]), "kin": 1.0},
            passes=True,
            place=(row["path"], row["topic"]),
            kind=row["kind"],
            text="",
            words=frozenset(),
        )
        for row in rows
        if row["id"] not in known
    ]
    ranked.passed[last + 1 : last + 1] = kin
    ranked.rows.update((one.id, members[one.id]) for one in kin)
