"""LangGraph's operations, checked before any of them is carried out."""

from __future__ import annotations

from collections.abc import Iterable

from langgraph.store.base import (
    GetOp,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    SearchOp,
)

from langgraph_agentmem.errors import shown
from langgraph_agentmem.steps.filters import condition
from langgraph_agentmem.steps.items import Batch
from langgraph_agentmem.steps.memories import Draft
from langgraph_agentmem.steps.places import check_labels, check_namespace, check_topic, value_json

from .core import check_flag, check_several, check_ttl, check_whole
from .index import fields_json


def understood(ops: Iterable[Op]) -> Batch:
    """The operations, every one of them good, with the puts as drafts that are not yet embedded
    and the queries; a blank query is none. `BaseStore` has put the TTL configuration's
    `refresh_on_read` into the reads. Raises for the first operation that is not good.
    """
    batch = Batch(check_several("the operations of a batch", ops))
    for at, op in enumerate(batch.ops):
        match op:
            case GetOp():
                check_labels(op.namespace)
                check_topic(str(op.key))
                if _refreshes(op.refresh_ttl):
                    batch.refreshes.add(at)
            case PutOp():
                batch.drafts[at] = _draft(op)
            case SearchOp():
                _check_search(op)
                if op.query and op.query.strip():
                    batch.queries[at] = op.query
                if _refreshes(op.refresh_ttl):
                    batch.refreshes.add(at)
            case ListNamespacesOp():
                batch.ops[at] = _listing(op)
            case _:
                raise TypeError(
                    "a batch takes GetOp, PutOp, SearchOp and ListNamespacesOp "
                    f"(found {type(op).__name__})"
                )
    return batch


def _refreshes(asked: object) -> bool:
    """Whether a read starts timers anew. None, which nothing promises, has always meant no."""
    return False if asked is None else check_flag("refresh_ttl", asked)


def _check_search(op: SearchOp) -> None:
    check_labels(op.namespace_prefix)
    _check_page(op.limit, op.offset)
    _check_query(op.query)
    condition(op.filter)


def _check_page(limit: object, offset: object) -> None:
    check_whole("limit", limit, least=0)
    check_whole("offset", offset, least=0)


def _check_query(query: object) -> None:
    if not isinstance(query, str | None):
        raise ValueError(f"a query is text or None (found {type(query).__name__})")  # noqa: TRY004


def _listing(op: ListNamespacesOp) -> ListNamespacesOp:
    """The operation, once checked; its conditions may be read again and again."""
    _check_page(op.limit, op.offset)
    if op.max_depth is not None:
        check_whole("max_depth", op.max_depth, least=1)
    if not op.match_conditions:
        return op
    conditions = check_several("match_conditions", op.match_conditions)
    for wanted in conditions:
        if not isinstance(wanted, MatchCondition):
            raise TypeError(f"match_conditions are MatchConditions (found {type(wanted).__name__})")
        if wanted.match_type not in ("prefix", "suffix"):
            raise ValueError(f"match_type is prefix or suffix (found {shown(wanted.match_type)})")
        check_labels(wanted.path)
    return op._replace(match_conditions=tuple(conditions))


def _draft(op: PutOp) -> Draft | None:
    topic = check_topic(str(op.key))
    if op.value is None:
        # Nothing is ever kept under a bad place, so a deletion there does nothing.
        check_labels(op.namespace)
        return None
    return Draft(
        namespace=check_namespace(op.namespace),
        topic=topic,
        value=value_json(op.value),
        ttl=check_ttl(op.ttl),
        fields=fields_json(op.index),
    )
