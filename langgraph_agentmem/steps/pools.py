"""What a recall chooses from: the memories of now, or the values that held at a moment."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from langgraph_agentmem.model import Memory, Namespace, text_of

from . import Row, Statement, Steps
from .memories import memory_of
from .places import micros, path_of
from .words import tokens

_FACT = "fact"


Match = Callable[[str], Statement]
"""The statement that finds ids by a query of the word index."""


def match_now(query: str) -> Statement:
    """Find current memories by their words."""
    return Statement("match_words", {"query": query})


def _match_then(query: str) -> Statement:
    return Statement("match_words_then", {"query": query})


@dataclass(frozen=True, slots=True)
class Pool:
    """Where a recall looks.

    `pinned` and `candidates` are rows; `match` finds candidates by a word; `by_id` and `newest`
    fetch what was chosen, and the newest facts.
    """

    pinned: Sequence[Row]
    candidates: Sequence[Row]
    match: Match
    by_id: Callable[[Iterable[int]], Steps[dict[int, Memory]]]
    newest: Callable[[int], Steps[list[int]]]


def pool_of_now(
    namespace: Namespace, kinds: tuple[str, ...] | None, *, now: datetime
) -> Steps[Pool]:
    """The current memories of a namespace."""
    place = {"path": path_of(namespace), "now": micros(now)}
    pinned = yield Statement("list_pinned", place)
    candidates = yield Statement("list_candidates", place)

    def by_id(ids: Iterable[int]) -> Steps[dict[int, Memory]]:
        rows = yield Statement("list_memories_by_id", {"ids": json.dumps(list(ids))})
        return {row["id"]: memory_of(row) for row in rows}

    def newest(most: int) -> Steps[list[int]]:
        wanted = [kind for kind in kinds or (_FACT,) if kind == _FACT]
        rows = yield Statement("list_recent", {**place, "kinds": json.dumps(wanted), "most": most})
        return [row["id"] for row in rows]

    return Pool(_of(pinned, kinds), _of(candidates, kinds), match_now, by_id, newest)


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
        {**row, "id": number, "fields": "[]", "changes": 0, "expires_at": None, "ttl": None}
        for number, row in enumerate(last.values(), start=1)
    ]
    yield Statement("make_words_then")
    yield Statement("clear_words_then")
    for row in rows:
        text = text_of(json.loads(row["value"]))
        topic = "" if row["kind"] == "turn" else row["topic"]
        yield Statement(
            "add_words_then",
            {"id": row["id"], "tokens": tokens(row["namespace_id"], topic, text)},
        )
    memories = {row["id"]: memory_of(row) for row in rows}

    def by_id(ids: Iterable[int]) -> Steps[dict[int, Memory]]:
        yield Statement("clear_words_then")
        return {memory_id: memories[memory_id] for memory_id in ids}

    def newest(most: int) -> Steps[list[int]]:
        facts = [row for row in rows if not row["pinned"] and row["kind"] == _FACT]
        facts.sort(key=lambda row: (-row["valid_from"], row["topic"]))
        yield from ()
        return [row["id"] for row in facts[:most] if kinds is None or _FACT in kinds]

    return Pool(
        _of((row for row in rows if row["pinned"]), kinds),
        _of((row for row in rows if not row["pinned"]), kinds),
        _match_then,
        by_id,
        newest,
    )


def _of(rows: Iterable[Row], kinds: tuple[str, ...] | None) -> list[Row]:
    return [row for row in rows if kinds is None or row["kind"] in kinds]
