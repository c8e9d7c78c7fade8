"""LangGraph's store operations: the reads of a batch see the store before its writes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from langgraph.store.base import (
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    SearchItem,
    SearchOp,
)

from langgraph_agentmem.model import Namespace
from langgraph_agentmem.protocols import Vectors
from langgraph_agentmem.shelves import Shelves

from . import Row, Statement, Steps
from .filters import condition
from .memories import Draft, erase_topic, find_live, write
from .places import micros, moment_of, namespace_of
from .searching import Search, search
from .words import MOST_QUERY_WORDS, content_words


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Checked operations, with what was embedded for them before the transaction.

    `drafts` are the puts by position (None deletes), `vectors` the query vectors by position,
    `hybrid` whether a query is also looked up by its words. `refreshes` are the positions of
    reads that start the timers of what they return anew. `shelves` keep vectors between batches.
    """

    ops: Sequence[Op]
    drafts: Mapping[int, Draft | None]
    vectors: Mapping[int, Vectors]
    hybrid: bool
    refreshes: frozenset[int]
    shelves: Shelves


def run(batch: Batch, *, now: datetime) -> Steps[tuple[list[Any], list[int]]]:
    """The results in the order of the operations, and the ids whose timers start anew."""
    results: list[Any] = []
    refreshed: list[int] = []
    for index, op in enumerate(batch.ops):
        rows: list[Row] = []
        match op:
            case GetOp(namespace, key):
                row = yield from find_live(namespace, str(key), now)
                rows = [row] if row else []
                results.append(_item(row) if row else None)
            case SearchOp():
                pairs = yield from _search(op, batch, index, now=now)
                rows = [row for row, _ in pairs]
                results.append([_search_item(row, score) for row, score in pairs])
            case ListNamespacesOp():
                found = yield from _list_namespaces(op, now=now)
                results.append(found)
            case _:
                results.append(None)
        if index in batch.refreshes:
            refreshed.extend(row["id"] for row in rows if row["ttl"] is not None)
    last = {
        (tuple(op.namespace), str(op.key)): index
        for index, op in enumerate(batch.ops)
        if isinstance(op, PutOp)
    }
    for (namespace, topic), index in last.items():
        draft = batch.drafts[index]
        if draft is None:
            yield from erase_topic(namespace, topic)
        else:
            yield from write(draft, now=now)
    return results, refreshed


def refresh(ids: Sequence[int], *, now: datetime) -> Steps[None]:
    """Start the timers of memories anew; nothing else of them changes."""
    for memory_id in ids:
        yield Statement("refresh_memory", {"id": memory_id, "now": micros(now)})


def _item(row: Row) -> Item:
    return Item(
        value=json.loads(row["value"]),
        key=row["topic"],
        namespace=namespace_of(row["path"]),
        created_at=moment_of(row["created_at"]),
        updated_at=moment_of(row["updated_at"]),
    )


def _search_item(row: Row, score: float | None) -> SearchItem:
    return SearchItem(
        namespace=namespace_of(row["path"]),
        key=row["topic"],
        value=json.loads(row["value"]),
        created_at=moment_of(row["created_at"]),
        updated_at=moment_of(row["updated_at"]),
        score=score,
    )


def _search(
    op: SearchOp, batch: Batch, index: int, *, now: datetime
) -> Steps[list[tuple[Row, float | None]]]:
    sql, params = condition(op.filter)
    vector = batch.vectors.get(index)
    words = None
    if vector is not None and batch.hybrid:
        words = tuple(content_words(op.query or "")[:MOST_QUERY_WORDS])
    wanted = Search(
        prefix=op.namespace_prefix,
        condition=sql,
        params=params,
        limit=op.limit,
        offset=op.offset,
        vector=vector,
        words=words,
    )
    return (yield from search(wanted, batch.shelves, now=now))


def _list_namespaces(op: ListNamespacesOp, *, now: datetime) -> Steps[list[Namespace]]:
    rows = yield Statement("list_live_namespaces", {"now": micros(now)})
    found = [namespace_of(row["path"]) for row in rows]
    for wanted in op.match_conditions or ():
        found = [namespace for namespace in found if _matches(namespace, wanted)]
    if op.max_depth is not None:
        found = list({namespace[: op.max_depth] for namespace in found})
    return sorted(found)[op.offset : op.offset + op.limit]


def _matches(namespace: Namespace, wanted: MatchCondition) -> bool:
    labels = wanted.path
    if len(labels) > len(namespace):
        return False
    if wanted.match_type == "prefix":
        part = namespace[: len(labels)]
    elif wanted.match_type == "suffix":
        part = namespace[len(namespace) - len(labels) :]
    else:
        raise ValueError(f"unknown match type {wanted.match_type!r}; there are prefix and suffix")
    return all(label in ("*", found) for label, found in zip(labels, part, strict=True))
