"""LangGraph's operations, checked before any of them is carried out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from langgraph.store.base import (
    GetOp,
    ListNamespacesOp,
    Op,
    PutOp,
    SearchOp,
)

from langgraph_agentmem.steps.filters import condition
from langgraph_agentmem.steps.memories import Draft
from langgraph_agentmem.steps.places import check_labels, check_namespace, check_topic, value_json

from .core import check_ttl, check_whole
from .index import fields_json


def checked(ops: Iterable[Op]) -> list[Op]:
    """The operations, every one of them good. Raises for the first that is not."""
    found = list(ops)
    for op in found:
        match op:
            case PutOp():
                # Nothing is ever kept under a bad place, so a deletion there does nothing.
                if op.value is None:
                    check_labels(op.namespace)
                else:
                    check_namespace(op.namespace)
                check_topic(str(op.key))
            case GetOp():
                check_labels(op.namespace)
                check_topic(str(op.key))
            case SearchOp():
                check_labels(op.namespace_prefix)
                _check_page(op.limit, op.offset)
                _check_query(op.query)
                condition(op.filter)
            case ListNamespacesOp():
                _check_page(op.limit, op.offset)
                _check_conditions(op)
            case _:
                raise TypeError(
                    "a batch takes GetOp, PutOp, SearchOp and ListNamespacesOp "
                    f"(found {type(op).__name__})"
                )
    return found


def _check_page(limit: object, offset: object) -> None:
    check_whole("limit", limit, least=0)
    check_whole("offset", offset, least=0)


def _check_query(query: object) -> None:
    if not isinstance(query, str | None):
        raise ValueError(f"a query is text or None (found {type(query).__name__})")  # noqa: TRY004


def _check_conditions(op: ListNamespacesOp) -> None:
    if op.max_depth is not None:
        check_whole("max_depth", op.max_depth, least=1)
    for wanted in op.match_conditions or ():
        if wanted.match_type not in ("prefix", "suffix"):
            raise ValueError(f"match_type is prefix or suffix (found {wanted.match_type!r})")
        check_labels(wanted.path)


def drafts_of(ops: Sequence[Op]) -> dict[int, Draft | None]:
    """The puts by position, not yet embedded; None deletes. Raises `InvalidValue`."""
    return {at: _draft(op) for at, op in enumerate(ops) if isinstance(op, PutOp)}


def _draft(op: PutOp) -> Draft | None:
    if op.value is None:
        return None
    return Draft(
        namespace=tuple(op.namespace),
        topic=check_topic(str(op.key)),
        value=value_json(op.value),
        ttl=check_ttl(op.ttl),
        fields=fields_json(op.index),
    )


def queries_of(ops: Sequence[Op]) -> Mapping[int, str]:
    """The queries by position; a blank one is none."""
    return {
        at: op.query
        for at, op in enumerate(ops)
        if isinstance(op, SearchOp) and op.query and op.query.strip()
    }


def refreshing(ops: Sequence[Op]) -> frozenset[int]:
    """The positions of reads that start the timers of what they return anew. `BaseStore` has
    put the TTL configuration's `refresh_on_read` into the operations.
    """
    return frozenset(
        at for at, op in enumerate(ops) if isinstance(op, GetOp | SearchOp) and op.refresh_ttl
    )
