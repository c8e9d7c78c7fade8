"""What a recall chooses from: the memories of now, or the values that held at a moment."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

import numpy as np

from langgraph_agentmem.model import KINDS, Namespace, Source, text_of
from langgraph_agentmem.protocols import Ids
from langgraph_agentmem.shelves import Roll, Shelves

from . import Row, Statement, Steps
from .places import micros, path_of, value_of
from .rolls import made_of, roll_of
from .words import tokens

_FACT = "fact"

_NONE: Ids = np.empty(0, dtype=np.int64)

Match = Callable[[str], Statement]
"""The statement that finds ids by a query of the word index."""

ById = Callable[[Iterable[int]], Steps[dict[int, Row]]]
"""Fetches the rows of what was chosen."""


def match_now(query: str) -> Statement:
    """Find current memories by their words."""
    return Statement("list_holders", {"query": query})


def _match_then(query: str) -> Statement:
    return Statement("list_holders_then", {"query": query})


def rows_by_id(ids: Iterable[int]) -> Steps[dict[int, Row]]:
    """The rows of current memories."""
    rows = yield Statement("list_memories_by_id", {"ids": json.dumps(list(ids))})
    return {row["id"]: row for row in rows}


def _none_newest(_most: int) -> Steps[list[int]]:
    yield from ()
    return []


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """Where a query is looked for.

    Args:
        homes: The rows of the namespaces, with their counts of changes.
        match: Finds ids by a query of the word index.
        by_id: Fetches the rows of what was chosen.
        total: How many memories there are.
        pinned: The rows of the pinned ones.
        ids: Memories that there are beside those with words, a vector or a source.
        hidden: Memories that are not returned: pinned ones, other kinds.
        allowed: The only ones that are returned; None for all.
        gone: Memories that have expired.
        rolls: Who said what.
        newest: The newest facts.
        ranks_all: Whether what neither words nor meaning find is ranked all the same.
    """

    homes: Sequence[Row]
    match: Match
    by_id: ById
    total: int
    pinned: Sequence[Row] = ()
    ids: Ids = field(default_factory=lambda: _NONE)
    hidden: Ids = field(default_factory=lambda: _NONE)
    allowed: Ids | None = None
    gone: Ids = field(default_factory=lambda: _NONE)
    rolls: Sequence[Roll] = ()
    newest: Callable[[int], Steps[list[int]]] = _none_newest
    ranks_all: bool = False


def pool_of_now(
    namespace: Namespace, kinds: tuple[str, ...] | None, shelves: Shelves, *, now: datetime
) -> Steps[Pool]:
    """The current memories of a namespace."""
    place = {"path": path_of(namespace), "now": micros(now)}
    homes = yield Statement("find_home", {"path": path_of(namespace)})
    pinned = yield Statement("list_pinned", place)
    stock = yield from stock_of(homes, shelves, now=now)
    allowed, other = yield from _of_kinds(homes, kinds)
    hidden = np.concatenate([np.array([row["id"] for row in pinned], dtype=np.int64), other])

    def newest(most: int) -> Steps[list[int]]:
        wanted = [kind for kind in kinds or (_FACT,) if kind == _FACT]
        rows = yield Statement("list_recent", {**place, "kinds": json.dumps(wanted), "most": most})
        return [row["id"] for row in rows]

    return Pool(
        homes=homes,
        match=match_now,
        by_id=rows_by_id,
        total=stock.total,
        pinned=_of(pinned, kinds),
        hidden=hidden,
        allowed=allowed,
        gone=stock.gone,
        rolls=stock.rolls,
        newest=newest,
    )


@dataclass(frozen=True, slots=True)
class Stock:
    """How many memories some namespaces hold, which of them have expired, and who said what."""

    total: int
    gone: Ids
    rolls: list[Roll]


def stock_of(homes: Sequence[Row], shelves: Shelves, *, now: datetime) -> Steps[Stock]:
    """What a ranking must know of namespaces besides words and vectors."""
    total = 0
    gone: list[int] = []
    rolls: list[Roll] = []
    for home in homes:
        counted = yield Statement("count_memories", {"namespace_id": home["id"]})
        total += counted[0]["number"]
        expired = yield Statement(
            "list_expired_here", {"namespace_id": home["id"], "now": micros(now)}
        )
        gone.extend(row["id"] for row in expired)
        roll = yield from roll_of(home["id"], home["sayings"], shelves)
        if roll is not None:
            rolls.append(roll)
    return Stock(total, np.array(sorted(gone), dtype=np.int64), rolls)


def _of_kinds(homes: Sequence[Row], kinds: tuple[str, ...] | None) -> Steps[tuple[Ids | None, Ids]]:
    """The only memories that are of these kinds, or those that are not: whichever needs no list of
    the facts, which may be many.
    """
    if kinds is None:
        return None, _NONE
    others = _FACT in kinds
    listed = [kind for kind in KINDS if kind != _FACT and (kind in kinds) is not others]
    found: list[int] = []
    for home in homes:
        place = {"namespace_id": home["id"], "kinds": json.dumps(listed)}
        rows = yield Statement("list_of_kinds", place)
        found.extend(json.loads(rows[0]["ids"]))
    ids = np.array(sorted(found), dtype=np.int64)
    return (None, ids) if others else (ids, _NONE)


def pool_of_then(
    namespace: Namespace,
    kinds: tuple[str, ...] | None,
    *,
    moment: datetime,
    known_at: datetime | None,
    now: datetime,
) -> Steps[Pool]:
    """The values that held at a moment of valid time, as far as they were recorded by
    `known_at`; pins are those of today.
    """
    place = {"path": path_of(namespace), "moment": micros(moment), "now": micros(now)}
    if known_at is None:
        found = yield Statement("list_held_then", place)
    else:
        found = yield Statement("list_known_then", {**place, "known": micros(known_at)})
    last = {row["topic"]: row for row in found}  # a value recorded late comes after the other
    rows = [
        {**row, "id": number, "fields": "[]", "uses": 0, "expires_at": None, "ttl": None}
        for number, row in enumerate(last.values(), start=1)
    ]
    yield Statement("make_words_then")
    yield Statement("clear_words_then")
    for row in rows:
        text = text_of(value_of(row["value"]))
        topic = "" if row["kind"] == "turn" else row["topic"]
        yield Statement(
            "add_words_then",
            {"id": row["id"], "tokens": tokens(row["namespace_id"], topic, text)},
        )
    homes = yield Statement("find_home", {"path": path_of(namespace)})
    by_number = {row["id"]: row for row in rows}

    def by_id(ids: Iterable[int]) -> Steps[dict[int, Row]]:
        yield Statement("clear_words_then")
        return {memory_id: by_number[memory_id] for memory_id in ids}

    def newest(most: int) -> Steps[list[int]]:
        facts = [row for row in rows if not row["pinned"] and row["kind"] == _FACT]
        facts.sort(key=lambda row: (-row["valid_from"], row["topic"]))
        yield from ()
        return [row["id"] for row in facts[:most] if kinds is None or _FACT in kinds]

    wanted = _of((row for row in rows if not row["pinned"]), kinds)
    return Pool(
        homes=homes,
        match=_match_then,
        by_id=by_id,
        total=len(rows),
        pinned=_of((row for row in rows if row["pinned"]), kinds),
        ids=np.array([row["id"] for row in rows], dtype=np.int64),
        allowed=np.array([row["id"] for row in wanted], dtype=np.int64),
        rolls=[made_of(list(_said(rows)))],
        newest=newest,
    )


def _said(rows: Iterable[Row]) -> Iterable[Row]:
    """Who said what the values of the past came from, as the database would list it."""
    for row in rows:
        source = Source.from_json(row["source"])
        if source is not None:
            said_at = None if source.said_at is None else _micros(source.said_at)
            place = source.order if source.order is not None else said_at
            yield {
                "memory_id": row["id"],
                "thread_id": source.thread_id,
                "place": row["recorded_at"] if place is None else place,
                "author": source.author,
                "said_at": said_at,
                "is_turn": row["kind"] == "turn",
                "asks": "?" in row["value"],
            }


def _micros(moment: datetime) -> int:
    """A moment in microseconds; one without a timezone is taken as UTC, as SQLite takes it."""
    return micros(moment if moment.tzinfo else moment.replace(tzinfo=UTC))


def _of(rows: Iterable[Row], kinds: tuple[str, ...] | None) -> list[Row]:
    return [row for row in rows if kinds is None or row["kind"] in kinds]
