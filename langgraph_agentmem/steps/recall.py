"""What one query gets: the pinned, then the best that was found, packed, and what was left out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import numpy as np

from langgraph_agentmem import ranking
from langgraph_agentmem.model import Hit, LeftOut, Namespace, Recall, Source
from langgraph_agentmem.protocols import Vectors
from langgraph_agentmem.ranking import Finalist
from langgraph_agentmem.shelves import Shelves

from . import Row, Statement, Steps
from .asking import FINALISTS, Query, Ranked, in_first_person, rank
from .kin import with_kin
from .memories import memory_of
from .newer import with_newer
from .places import path_of
from .pools import Pool, pool_of_now, pool_of_then
from .rolls import roll_of
from .words import content_words, is_question

MORE_LEFT_OUT = "more were left out"
"""Ends the note that counts what was left out beyond those named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A query with what recall needs to know to answer it.

    `vector` is the query as a unit vector, None to go by words alone. `meaning_floor` is the
    cosine that is enough by itself. `token_budget` is in tokens and holds for the relevant
    memories; pinned ones are never cut. `as_of` recalls what held at that moment, by words;
    `known_at` only what was recorded by then.
    """

    namespace: Namespace
    query: str
    limit: int
    token_budget: int | None = None
    kinds: tuple[str, ...] | None = None
    words_floor: float = ranking.WORDS_FLOOR
    meaning_floor: float = 0.0
    vector: Vectors | None = None
    as_of: datetime | None = None
    known_at: datetime | None = None
    seen: Source | None = None
    notes: tuple[str, ...] = ()


def wording(namespace: Namespace, query: str, shelves: Shelves) -> Steps[str]:
    """The query as it is to be embedded: by those whose words are in this namespace."""
    homes = yield Statement("find_home", {"path": path_of(namespace)})
    if not homes:
        return query
    roll = yield from roll_of(homes[0]["id"], homes[0]["sayings"], shelves)
    return query if roll is None else in_first_person(query, roll.authors)


def recall(question: Question, shelves: Shelves, *, now: datetime) -> Steps[Recall]:
    """Pinned memories, then relevant ones above the floor, packed into the budget."""
    if question.as_of is None and question.known_at is None:
        pool = yield from pool_of_now(question.namespace, question.kinds, shelves, now=now)
    else:
        pool = yield from pool_of_then(
            question.namespace,
            question.kinds,
            moment=question.as_of or question.known_at or now,
            known_at=question.known_at,
            now=now,
        )
    if question.seen is not None and question.as_of is None and question.known_at is None:
        pool = yield from _without(pool, question.namespace, question.seen)
    pinned = [Hit(memory=memory_of(row), score=1.0, why={"pinned": 1.0}) for row in pool.pinned]
    notes = list(question.notes)
    asked = content_words(question.query)
    ranked = Ranked()
    if asked and pool.homes:
        query = Query(
            text=question.query,
            words_floor=question.words_floor,
            meaning_floor=question.meaning_floor,
            vector=question.vector,
            now=question.as_of or question.known_at or now,
        )
        most = max(FINALISTS, question.limit + ranking.MOST_LEFT_OUT)
        ranked = yield from rank(query, pool, shelves, most=most, notes=notes)
        if question.as_of is None and question.known_at is None:
            yield from with_kin(question.namespace, ranked, now=now)
            if question.kinds is None or "fact" in question.kinds:
                yield from with_newer(ranked, question.limit, now=now)
    chosen, label = ranked.passed[: question.limit], ""
    rows = ranked.rows
    if not ranked.passed and asked and question.vector is None and is_question(question.query):
        # Words alone cannot see that "daily trip" is "commute": better the newest than nothing.
        ids = yield from pool.newest(question.limit)
        rows = yield from pool.by_id(ids)
        chosen, label = [_unmatched(rows[one]) for one in ids if one in rows], "no match"
        if chosen:
            notes.append("no memory matched the words; these are the newest facts")
    memories = {one.id: memory_of(rows[one.id]) for one in chosen}
    costs = [
        (one.id, ranking.line_tokens(memories[one.id].topic, memories[one.id].text))
        for one in chosen
    ]
    fits, spent = ranking.pack(costs, question.token_budget)
    relevant = [
        Hit(memory=memories[one.id], score=one.score, why={label: 1.0} if label else one.parts)
        for one in chosen
        if one.id in fits
    ]
    left_out = _left_out(ranked, chosen, fits, question.limit, notes)
    return Recall(
        namespace=question.namespace,
        query=question.query,
        pinned=tuple(pinned),
        relevant=tuple(relevant),
        left_out=tuple(left_out),
        tokens=spent
        + sum(ranking.line_tokens(hit.memory.topic, hit.memory.text) for hit in pinned),
        notes=tuple(notes),
    )


def _without(pool: Pool, namespace: Namespace, seen: Source) -> Steps[Pool]:
    """The pool without the turns of messages that the caller has before it."""
    rows = yield Statement(
        "list_turns_of",
        {
            "path": path_of(namespace),
            "thread_id": seen.thread_id or "",
            "messages": json.dumps(list(seen.message_ids)),
        },
    )
    turns = np.array([row["id"] for row in rows], dtype=np.int64)
    return replace(pool, hidden=np.concatenate([pool.hidden, turns]))


def _unmatched(row: Row) -> Finalist:
    return Finalist(id=row["id"], score=0.0, place=(row["path"], row["topic"]), kind=row["kind"])


def _left_out(
    ranked: Ranked, chosen: Sequence[Finalist], fits: set[int], limit: int, notes: list[str]
) -> list[LeftOut]:
    returned = {one.id for one in chosen}
    over_budget = [(one, "over budget") for one in chosen if one.id not in fits]
    named = [
        *over_budget,
        *((one, "over limit") for one in ranked.passed[limit:]),
        *((one, "below floor") for one in ranked.below if one.id not in returned),
    ][: ranking.MOST_LEFT_OUT]
    unreturned = sum(one.id in returned for one in ranked.below)
    count = len(over_budget) + max(ranked.passed_count - limit, 0) + ranked.below_count - unreturned
    if count > len(named):
        notes.append(f"{count - len(named)} {MORE_LEFT_OUT}")
    return [
        LeftOut(topic=one.place[-1], score=one.score, reason=reason)  # type: ignore[arg-type]
        for one, reason in named
    ]
