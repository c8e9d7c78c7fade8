"""LangGraph's search: a page of memories, by age or by rank."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from langgraph_agentmem.model import Namespace
from langgraph_agentmem.protocols import Vectors
from langgraph_agentmem.shelves import Shelves, highest

from . import Row, Statement, Steps
from .asking import FINALISTS, Query, rank
from .meaning import changes_below, scores_below
from .places import below, micros
from .pools import Pool, match_now, rows_by_id, stock_of

_MOST_ROWS = 2**62
"""A larger limit or offset is as good as this one, and databases take no larger number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """A search of a namespace and all below it.

    `condition` and `params` are the filter. `vector` ranks by cosine, None pages by age; with
    `query` the ranking is that of recall.
    """

    prefix: Namespace
    condition: str
    params: Mapping[str, object]
    limit: int
    offset: int
    vector: Vectors | None = None
    query: str | None = None


def search(
    wanted: Search, shelves: Shelves, *, now: datetime
) -> Steps[list[tuple[Row, float | None]]]:
    """One page of rows, ranked ones with their scores; cut after ranking and filter."""
    if not wanted.limit:
        return []
    if wanted.vector is None:
        rows = yield from _page_by_age(wanted, now=now)
        return [(row, None) for row in rows]
    if wanted.query is None:
        page = yield from _page_by_cosine(wanted, wanted.vector, shelves, now=now)
    else:
        page = yield from _page_by_recall(wanted, wanted.query, shelves, now=now)
    return list(page)


def _page_by_age(wanted: Search, *, now: datetime) -> Steps[Sequence[Row]]:
    page = {
        **wanted.params,
        "now": micros(now),
        "most": min(wanted.limit, _MOST_ROWS),
        "offset": min(wanted.offset, _MOST_ROWS),
    }
    where = below(wanted.prefix) if wanted.prefix else {}
    two = {**where, "most": 2}
    homes = yield Statement("first_homes" if where else "first_of_all_homes", two)
    if not homes:
        return []
    if len(homes) == 1:  # whose index has the order of the page, so that reading ends with it
        only = {"home": homes[0]["id"], "path": homes[0]["path"]}
        return (yield Statement("page_of_one", {**page, **only}, wanted.condition))
    several = Statement(
        "page_below" if where else "page_of_all", {**page, **where}, wanted.condition
    )
    return (yield several)


def _page_by_cosine(
    wanted: Search, vector: Vectors, shelves: Shelves, *, now: datetime
) -> Steps[list[tuple[Row, float]]]:
    homes = yield from changes_below(wanted.prefix, shelves)
    if not homes:
        return []
    ids, found = yield from scores_below(wanted.prefix, homes, vector, shelves)
    end = wanted.offset + wanted.limit
    condition = wanted.condition
    most = 4 * end if condition else end
    while True:
        top = highest(ids, found, most)
        shown = {**wanted.params, "ids": json.dumps(list(top)), "now": micros(now)}
        rows = yield Statement("list_items_by_id", shown, condition)
        if len(rows) >= end or len(top) == len(ids):
            break
        # Some do not pass the filter, or have expired, and nobody has swept them yet.
        most = 4 * len(top)
        if condition and 8 * most > len(ids):
            among = {**wanted.params, "homes": json.dumps(list(homes)), "now": micros(now)}
            allowed = yield Statement("list_filtered_ids", among, condition)
            passed = np.isin(ids, [row["id"] for row in allowed])
            ids, found, condition, most = ids[passed], found[passed], "", end
    order = sorted(rows, key=lambda row: (-top[row["id"]], row["path"], row["topic"]))
    return [(row, top[row["id"]]) for row in order[wanted.offset : end]]


def _page_by_recall(
    wanted: Search, query: str, shelves: Shelves, *, now: datetime
) -> Steps[list[tuple[Row, float]]]:
    """A page of what recall would rank, pinned or not, without a floor."""
    if wanted.prefix:
        homes = yield Statement("list_homes", below(wanted.prefix))
    else:
        homes = yield Statement("list_all_homes")
    if not homes:
        return []
    stock = yield from stock_of(homes, shelves, now=now)
    allowed = None
    if wanted.condition:
        listed = json.dumps([home["id"] for home in homes])
        among = {**wanted.params, "homes": listed, "now": micros(now)}
        filtered = yield Statement("list_filtered_ids", among, wanted.condition)
        allowed = np.array([row["id"] for row in filtered], dtype=np.int64)
    pool = Pool(
        homes=homes,
        match=match_now,
        by_id=rows_by_id,
        total=stock.total,
        allowed=allowed,
        gone=stock.gone,
        rolls=stock.rolls,
        ranks_all=True,
    )
    asked = Query(text=query, words_floor=0.0, meaning_floor=0.0, vector=wanted.vector, now=now)
    # Always as many: a page must not change what the page before it showed.
    found = yield from rank(asked, pool, shelves, most=FINALISTS, notes=[])
    order = [(one.id, one.score) for one in (*found.passed, *found.below)]
    page = [*order, *found.rest][wanted.offset : wanted.offset + wanted.limit]
    shown = {"ids": json.dumps([memory_id for memory_id, _ in page]), "now": micros(now)}
    rows = yield Statement("list_items_by_id", shown)
    by_id = {row["id"]: row for row in rows}
    return [(by_id[memory_id], score) for memory_id, score in page if memory_id in by_id]
