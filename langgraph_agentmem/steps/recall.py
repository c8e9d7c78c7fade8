"""What one query gets: candidates by word and by vector, ranked, packed, and what was left out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from langgraph_agentmem import ranking
from langgraph_agentmem.model import Hit, LeftOut, Namespace, Recall
from langgraph_agentmem.protocols import Vectors
from langgraph_agentmem.shelves import Shelves

from . import Row, Steps
from .meaning import scores as scores_of
from .memories import memory_of
from .pools import Match, match_now, pool_of_now, pool_of_then
from .words import MOST_QUERY_WORDS, content_words, is_question, token

_NAMESPACES_AT_ONCE = 200


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
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ranked:
    """Candidates that passed the floor and that did not, best first, and their topics."""

    passed: list[ranking.Scored]
    below: list[ranking.Scored]
    topics: dict[int, str]


def recall(question: Question, shelves: Shelves, *, now: datetime) -> Steps[Recall]:
    """Pinned memories, then relevant ones above the floor, packed into the budget."""
    if question.as_of is None and question.known_at is None:
        pool = yield from pool_of_now(question.namespace, question.kinds, now=now)
    else:
        pool = yield from pool_of_then(
            question.namespace,
            question.kinds,
            moment=question.as_of or question.known_at or now,
            known_at=question.known_at,
            now=now,
        )
    pinned = [Hit(memory=memory_of(row), score=1.0, why={"pinned": 1.0}) for row in pool.pinned]
    notes = list(question.notes)
    asked = content_words(question.query)
    if len(asked) > MOST_QUERY_WORDS:
        notes.append(f"only the first {MOST_QUERY_WORDS} of {len(asked)} words were looked up")
        asked = asked[:MOST_QUERY_WORDS]
    ranked = yield from rank(
        pool.candidates,
        asked,
        question.vector,
        shelves,
        match=pool.match,
        words_floor=question.words_floor,
        meaning_floor=question.meaning_floor,
        notes=notes,
    )
    chosen = ranked.passed[: question.limit]
    label = ""
    if not ranked.passed and asked and question.vector is None and is_question(question.query):
        # Words alone cannot see that "daily trip" is "commute": better the newest than nothing.
        ids = yield from pool.newest(question.limit)
        chosen = [ranking.Scored(memory_id, 0.0, 0.0, None) for memory_id in ids]
        label = "no match"
        if chosen:
            notes.append("no memory matched the words; these are the newest facts")
    memories = yield from pool.by_id(one.id for one in chosen)
    chosen = [one for one in chosen if one.id in memories]
    costs = [
        (one.id, ranking.line_tokens(memories[one.id].topic, memories[one.id].text))
        for one in chosen
    ]
    fits, spent = ranking.pack(costs, question.token_budget)
    relevant = [
        Hit(memory=memories[one.id], score=one.score, why=_why(one, label))
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


def _why(one: ranking.Scored, label: str) -> dict[str, float]:
    if label:
        return {label: 1.0}
    why = {"words": one.words}
    if one.meaning is not None:
        why["meaning"] = one.meaning
    return why


def _left_out(
    ranked: Ranked,
    chosen: Sequence[ranking.Scored],
    fits: set[int],
    limit: int,
    notes: list[str],
) -> list[LeftOut]:
    returned = {one.id for one in chosen}
    named = [
        *((one, "over budget") for one in chosen if one.id not in fits),
        *((one, "over limit") for one in ranked.passed[limit:]),
        *((one, "below floor") for one in ranked.below if one.id not in returned),
    ]
    if len(named) > ranking.MOST_LEFT_OUT:
        notes.append(f"{len(named) - ranking.MOST_LEFT_OUT} more were left out")
    return [
        LeftOut(topic=ranked.topics[one.id], score=one.score, reason=reason)  # type: ignore[arg-type]
        for one, reason in named[: ranking.MOST_LEFT_OUT]
    ]


def rank(
    candidates: Sequence[Row],
    asked: Sequence[str],
    vector: Vectors | None,
    shelves: Shelves,
    *,
    match: Match = match_now,
    words_floor: float,
    meaning_floor: float,
    notes: list[str],
) -> Steps[Ranked]:
    """Score candidates by words, and by meaning when there is a query vector."""
    places = places_of(candidates)
    homes = sorted({row["namespace_id"] for row in candidates})
    found: dict[str, list[int]] = {}
    for word in asked if candidates else ():
        found[word] = yield from _holders(word, homes, places, match)
    words = ranking.word_shares(found, len(places)) if found else {}
    meaning = None
    if vector is not None:
        homes_changed = {row["namespace_id"]: row["changes"] for row in candidates}
        ids, scores = yield from scores_of(homes_changed, vector, shelves)
        meaning = {
            one: score
            for one, score in zip(ids.tolist(), scores.tolist(), strict=True)
            if one in places
        }
        lacking = sum(row["fields"] != "[]" and row["id"] not in meaning for row in candidates)
        if lacking:
            notes.append(f"{lacking} memories have no vector; call store.reindex()")
    passed, under = ranking.fuse(
        words,
        meaning,
        order=places,
        words_floor=words_floor,
        meaning_floor=meaning_floor,
    )
    return Ranked(passed, under, {row["id"]: row["topic"] for row in candidates})


def places_of(rows: Iterable[Row]) -> dict[int, tuple[str, str]]:
    """Where each memory is; it breaks ties."""
    return {row["id"]: (row["path"], row["topic"]) for row in rows}


def _holders(
    word: str, homes: Sequence[int], among: Mapping[int, object], match: Match
) -> Steps[list[int]]:
    """The ids among the candidates that hold a word."""
    found: list[int] = []
    for start in range(0, len(homes), _NAMESPACES_AT_ONCE):
        some = homes[start : start + _NAMESPACES_AT_ONCE]
        query = " OR ".join(f'"{token(home, word)}"' for home in some)
        rows = yield match(query)
        found.extend(row["id"] for row in rows if row["id"] in among)
    return found
