"""LangGraph's store operations: the reads of a batch see the store before its writes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, cast

from langgraph.store.base import (
    GetOp,
    Item,
    ListNamespacesOp,
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
from .listing import Listing, list_namespaces
from .memories import Draft, erase_topic, write_all
from .places import micros, moment_of, namespace_of, path_of, value_of
from .searching import Search, search


@dataclass(slots=True)
class Batch:
    """Checked operations, with what was made of them before the transaction, by position.

    `drafts` are the puts (None deletes), `queries` what searches ask, `vectors` their vectors.
    `refreshes` are the reads that start the timers of what they return anew.
    """

    ops: list[Op]
    drafts: dict[int, Draft | None] = field(default_factory=dict)
    queries: dict[int, str] = field(default_factory=dict)
    vectors: dict[int, Vectors] = field(default_factory=dict)
    refreshes: set[int] = field(default_factory=set)


def run(
    batch: Batch, shelves: Shelves, listing: Listing, *, hybrid: bool, now: datetime
) -> Steps[tuple[list[Any], list[int]]]:
    """The results in the order of the operations, and the ids whose timers start anew.

    Args:
        batch: What is asked.
        shelves: Keep vectors between batches.
        listing: Keeps the names of namespaces between batches.
        hybrid: Whether a query is also looked up by its words.
        now: The moment of the batch.
    """
    results: list[Any] = []
    refreshed: list[int] = []
    moment = micros(now)
    for index, op in enumerate(batch.ops):
        rows: Sequence[Row] = ()
        match op:
            case GetOp():
                place = {"path": path_of(op.namespace), "topic": str(op.key), "now": moment}
                rows = yield Statement("find_item", place)
                results.append(_item(op, rows[0]) if rows else None)
            case SearchOp():
                wanted = _wanted(op, batch.vectors.get(index), hybrid=hybrid)
                pairs = yield from search(wanted, shelves, now=now)
                rows = [row for row, _ in pairs]
                results.append([_search_item(row, score) for row, score in pairs])
            case ListNamespacesOp():
                found = yield from list_namespaces(op, listing, now=now)
                results.append(found)
            case _:
                results.append(None)
        if index in batch.refreshes:
            refreshed.extend(row["id"] for row in rows if row["ttl"] is not None)
    if batch.drafts:
        yield from _write(batch, now=now)
    return results, refreshed


def _write(batch: Batch, *, now: datetime) -> Steps[None]:
    """The puts; of those to one topic the last."""
    last: dict[tuple[Namespace, str], Draft | None] = {}
    for index, draft in batch.drafts.items():
        op = cast("PutOp", batch.ops[index])
        last[tuple(op.namespace), str(op.key)] = draft
    for (namespace, topic), draft in last.items():
        if draft is None:
            yield from erase_topic(namespace, topic)
    yield from write_all([draft for draft in last.values() if draft is not None], now=now)


def refresh(ids: Sequence[int], *, now: datetime) -> Steps[None]:
    """Start the timers of memories anew; nothing else of them changes."""
    for memory_id in ids:
        yield Statement("refresh_memory", {"id": memory_id, "now": micros(now)})


def _item(op: GetOp, row: Row) -> Item:
    return Item(
        value=value_of(row["value"]),
        key=str(op.key),
        namespace=tuple(op.namespace),
        created_at=moment_of(row["created_at"]),
        updated_at=moment_of(row["updated_at"]),
    )


def _search_item(row: Row, score: float | None) -> SearchItem:
    return SearchItem(
        namespace=namespace_of(row["path"]),
        key=row["topic"],
        value=value_of(row["value"]),
        created_at=moment_of(row["created_at"]),
        updated_at=moment_of(row["updated_at"]),
        score=score,
    )


def _wanted(op: SearchOp, vector: Vectors | None, *, hybrid: bool) -> Search:
    sql, params = condition(op.filter)
    return Search(
        prefix=op.namespace_prefix,
        condition=sql,
        params=params,
        limit=op.limit,
        offset=op.offset,
        vector=vector,
        query=op.query if vector is not None and hybrid else None,
    )
