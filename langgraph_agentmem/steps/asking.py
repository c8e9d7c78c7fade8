"""Ask a pool of memories: look up the words, score all that is there, fetch the best."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime

import numpy as np

from langgraph_agentmem import ranking
from langgraph_agentmem.model import text_of
from langgraph_agentmem.protocols import Ids, Numbers, Vectors
from langgraph_agentmem.ranking import Days, Finalist, Naming
from langgraph_agentmem.shelves import Shelves

from . import Row, Statement, Steps
from .meaning import scores as cosines_of
from .places import micros, moment_of, value_of
from .pools import Pool
from .rolls import chain_of, folded
from .words import MOST_QUERY_WORDS, STOP_WORDS, content_words, is_gram, token, words

FINALISTS = 48
"""How many of the best are put in order by what their rows tell; of more, as many at a time, since
each is held against all before it.
"""

_MOST_TIES = 500
"""Memories with the score of the last finalist that are fetched, so that ties keep their order."""

_NAMESPACES_AT_ONCE = 200

_WIDEST = 10_000_000
"""The widest span of ids that is marked in a row of bytes, which is faster than sorting them."""

_NONE: Ids = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """What is asked.

    Args:
        text: The question.
        words_floor: The share of its words that is enough by itself.
        meaning_floor: The cosine that is enough by itself.
        vector: The question as a unit vector; None goes by words alone.
        now: When it is asked.
    """

    text: str
    words_floor: float
    meaning_floor: float
    vector: Vectors | None
    now: datetime


@dataclass(frozen=True, slots=True)
class Reading:
    """A query as it is looked up: its content words without the days and the names in it."""

    asked: list[str]
    naming: Naming
    days: Sequence[Days]


@dataclass(frozen=True, slots=True)
class Ranked:
    """The best that passed the floor and the best that did not, in order, with their rows; the
    ids of the rest in order, and how many passed and did not. `ids` and `scores` are of all that
    was scored.
    """

    passed: list[Finalist] = field(default_factory=list)
    below: list[Finalist] = field(default_factory=list)
    rows: dict[int, Row] = field(default_factory=dict)
    rest: list[tuple[int, float]] = field(default_factory=list)
    passed_count: int = 0
    below_count: int = 0
    ids: Ids = field(default_factory=lambda: _NONE)
    scores: ranking.Scores | None = None

    def parts_of(self, memory_id: int) -> dict[str, float]:
        """What the score of a memory is made of, whether or not it is among the best."""
        if self.scores is None:
            return {}
        place = int(np.searchsorted(self.ids, memory_id))
        if place == len(self.ids) or self.ids[place] != memory_id:  # no word, no vector
            return {name: 0.0 for name in _ALWAYS if name in self.scores.parts}
        return _parts(self.scores, place)


def read(text: str, authors: Sequence[str], *, today: date) -> Reading:
    """What a query asks for, given who has said anything."""
    days, rest = ranking.days_named(text, today)
    naming = ranking.naming(list(words(text)), folded(authors), STOP_WORDS)
    content = content_words(rest)
    # A question about nothing but a person is about that name.
    asked = [word for word in content if word not in naming.words] or content
    return Reading(asked, naming, days)


def in_first_person(text: str, authors: Sequence[str]) -> str:
    """The query as it is embedded: as the one whom it names would ask it."""
    naming = ranking.naming(list(words(text)), folded(authors), STOP_WORDS)
    if not naming.words:
        return text
    spoken = {part for name in authors for part in name.split()}
    names = sorted(part for part in spoken if set(words(part)) <= naming.words and part.strip())
    return ranking.first_person(text, names)


def rank(
    query: Query, pool: Pool, shelves: Shelves, *, most: int, notes: list[str]
) -> Steps[Ranked]:
    """Score all of a pool, and put its best in order.

    Args:
        query: What is asked.
        pool: Where it is looked for.
        shelves: Where vectors are kept between searches.
        most: How many of those that passed are wanted with their rows.
        notes: Takes what the caller should know.
    """
    chain, authors = chain_of(pool.rolls, pool.gone) if pool.rolls else (None, [])
    reading = read(query.text, authors, today=query.now.date())
    asked = reading.asked
    if len(asked) > MOST_QUERY_WORDS:
        notes.append(f"only the first {MOST_QUERY_WORDS} of {len(asked)} words were looked up")
        asked = asked[:MOST_QUERY_WORDS]
    holders: list[Ids] = []
    unseen = 0
    for word in asked:
        found = yield from _holders(word, pool)
        if len(found) or not is_gram(word):
            holders.append(found)
        else:
            unseen += 1
    near, cosines = _NONE, None
    if query.vector is not None:
        homes = {home["id"]: home["changes"] for home in pool.homes}
        near, cosines = yield from cosines_of(homes, query.vector, shelves)
        lacking = yield from _lacking(pool, near, now=query.now)
        if lacking:
            notes.append(f"{lacking} memories have no vector; call store.reindex()")
    ids = _together([near, pool.ids, *holders, *([chain.ids] if chain is not None else [])])
    if len(pool.gone):
        ids = ids[~np.isin(ids, pool.gone)]
        holders = [held[~np.isin(held, pool.gone)] for held in holders]
    if not len(ids):
        yield from pool.by_id(())
        return Ranked()
    around = ranking.field_of(ids, chain)
    scores = ranking.score(
        ranking.Asked(
            holders=[around.places(held) for held in holders],
            cosines=None if cosines is None else _placed(ids, near, cosines),
            unseen_grams=unseen,
            naming=reading.naming,
            days=reading.days,
            total=max(pool.total, len(ids)),
            words_floor=query.words_floor,
            meaning_floor=query.meaning_floor,
        ),
        around,
    )
    asks_when = ranking.asks_when(query.text)
    return (yield from _best(ids, scores, pool, query, most=most, asks_when=asks_when))


def _holders(word: str, pool: Pool) -> Steps[Ids]:
    """The memories that hold a word, ascending."""
    found: list[int] = []
    for start in range(0, len(pool.homes), _NAMESPACES_AT_ONCE):
        some = pool.homes[start : start + _NAMESPACES_AT_ONCE]
        query = " OR ".join(f'"{token(home["id"], word)}"' for home in some)
        rows = yield pool.match(query)
        found.extend(json.loads(rows[0]["ids"]))
    return np.array(found, dtype=np.int64)


def _lacking(pool: Pool, near: Ids, *, now: datetime) -> Steps[int]:
    """How many memories should have a vector and have none."""
    if pool.total <= len(near):
        return 0
    lacking = 0
    for home in pool.homes:
        rows = yield Statement("count_lacking", {"namespace_id": home["id"], "now": micros(now)})
        lacking += rows[0]["number"]
    return lacking


def _together(parts: Sequence[Ids]) -> Ids:
    """The ids of all parts, each once, ascending."""
    some = [part for part in parts if len(part)]
    if not some:
        return _NONE
    joined = np.concatenate(some)
    first, last = int(joined.min()), int(joined.max())
    if last - first > _WIDEST:
        return np.unique(joined)
    is_there = np.zeros(last - first + 1, dtype=bool)
    is_there[joined - first] = True
    return np.flatnonzero(is_there) + first


def _placed(ids: Ids, near: Ids, cosines: Vectors) -> Numbers:
    """The cosine of each of these ids, NaN for those without."""
    placed = np.full(len(ids), np.nan)
    at = np.minimum(np.searchsorted(ids, near), len(ids) - 1)
    here = ids[at] == near
    placed[at[here]] = cosines[here]
    return placed


def _best(
    ids: Ids, scores: ranking.Scores, pool: Pool, query: Query, *, most: int, asks_when: bool
) -> Steps[Ranked]:
    """The best of those that may be returned, with their rows, in their order."""
    may = np.ones(len(ids), dtype=bool) if pool.allowed is None else np.isin(ids, pool.allowed)
    if len(pool.hidden):
        may &= ~np.isin(ids, pool.hidden)
    passed = _highest(scores.total, np.flatnonzero(may & scores.passes), most)
    under = np.flatnonzero(may & ~scores.passes & (scores.found | pool.ranks_all))
    below = _highest(scores.total, under, ranking.MOST_LEFT_OUT)
    rows = yield from pool.by_id(ids[np.concatenate([passed, below])].tolist())
    passed = _in_order(passed, ids, rows, scores, most=most, now=query.now)
    below = _in_order(below, ids, rows, scores, most=ranking.MOST_LEFT_OUT, now=query.now)
    fetched = np.concatenate([passed, below])
    finalists = [
        _finalist(rows[memory_id], place, scores, now=query.now)
        for place in fetched.tolist()
        if (memory_id := int(ids[place])) in rows
    ]
    asked = frozenset(words(query.text))
    order: list[Finalist] = []
    for start in range(0, len(finalists), FINALISTS):
        some = finalists[start : start + FINALISTS]
        order += ranking.finish(some, most=scores.most, asks_when=asks_when, asked=asked)
    return Ranked(
        passed=[one for one in order if one.passes],
        below=[one for one in order if not one.passes],
        rows=rows,
        rest=list(_rest(ids, scores, np.flatnonzero(may), fetched)) if pool.ranks_all else [],
        passed_count=int((may & scores.passes).sum()),
        below_count=len(under),
        ids=ids,
        scores=scores,
    )


def _highest(total: Numbers, among: Ids, most: int) -> Ids:
    """The places of the highest, best first, with what ties with the last of them."""
    if len(among) > most:
        last = np.partition(total[among], len(among) - most)[len(among) - most]
        above = among[total[among] > last]
        among = np.concatenate([above, among[total[among] == last][:_MOST_TIES]])
    return among[np.lexsort((among, -total[among]))]


def _in_order(
    best: Ids, ids: Ids, rows: dict[int, Row], scores: ranking.Scores, *, most: int, now: datetime
) -> Ids:
    """As many of the best as are wanted: of equals the newer and the more useful, then the first
    by their places.
    """

    def standing(place: int) -> tuple[float, str, str]:
        row = rows[int(ids[place])]
        score = float(scores.total[place]) + ranking.tie_breaker(_age(row, now), row["uses"])
        return -score, row["path"], row["topic"]

    there = [place for place in best.tolist() if int(ids[place]) in rows]
    return np.array(sorted(there, key=standing)[:most], dtype=np.int64)


def _age(row: Row, now: datetime) -> int:
    """In whole days."""
    return max((now - moment_of(row["valid_from"])).days, 0)


def _rest(
    ids: Ids, scores: ranking.Scores, everything: Ids, fetched: Ids
) -> Iterator[tuple[int, float]]:
    """What was not fetched, best first."""
    left = everything[~np.isin(everything, fetched)]
    for place in left[np.lexsort((left, -scores.total[left], ~scores.passes[left]))].tolist():
        yield int(ids[place]), float(min(max(scores.total[place] / scores.most, 0), 1))


def _finalist(row: Row, place: int, scores: ranking.Scores, *, now: datetime) -> Finalist:
    if not scores.passes[place]:  # its text is not asked for
        return Finalist(
            id=row["id"],
            score=float(scores.total[place]),
            place=(row["path"], row["topic"]),
            kind=row["kind"],
        )
    text, is_turn = text_of(value_of(row["value"])), row["kind"] == "turn"
    spoken = list(words(text))
    return Finalist(
        id=row["id"],
        score=float(scores.total[place]),
        parts=_parts(scores, place),
        passes=True,
        place=(row["path"], row["topic"]),
        kind=row["kind"],
        text=text,
        words=frozenset(spoken if is_turn else [*words(row["topic"]), *spoken]),
        content=frozenset(spoken) - STOP_WORDS,
        messages=_messages(row["source"]),
        age=_age(row, now),
        uses=row["uses"],
    )


def _parts(scores: ranking.Scores, place: int) -> dict[str, float]:
    parts = {name: float(found[place]) for name, found in scores.parts.items()}
    return {name: part for name, part in parts.items() if part or name in _ALWAYS}


def _messages(source: str | None) -> frozenset[tuple[str, str]]:
    if source is None:
        return frozenset()
    found = json.loads(source)
    return frozenset((found["thread_id"] or "", one) for one in found["message_ids"])


_ALWAYS = ("words", "meaning")
"""The parts that each hit names, also when they are nothing."""
