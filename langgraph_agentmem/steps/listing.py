"""The namespaces that hold something, kept until anything in the database changes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from langgraph.store.base import ListNamespacesOp, MatchCondition

from langgraph_agentmem.model import Namespace

from . import Statement, Steps
from .places import micros, namespace_of


@dataclass(frozen=True, slots=True)
class _Listed:
    """Namespaces in order, as one state of the database had them from `since` to `until`
    (microseconds), when the next memory expires.
    """

    state: tuple[object, ...]
    since: int
    until: int | None
    namespaces: list[Namespace]

    def holds(self, state: tuple[object, ...], moment: int) -> bool:
        return (
            self.state == state
            and self.since <= moment
            and (self.until is None or moment < self.until)
        )


class Listing:
    """The list that was made last. Threads share it: it is replaced whole."""

    def __init__(self) -> None:
        self._listed: _Listed | None = None

    def forget(self) -> None:
        """Keep no names."""
        self._listed = None

    def live(self, now: datetime) -> Steps[list[Namespace]]:
        """The namespaces that hold a memory which has not expired, in order."""
        moment = micros(now)
        rows = yield Statement("database_state")
        state = tuple(rows[0])
        held = self._listed
        if held is None or not held.holds(state, moment):
            paths = yield Statement("list_live_namespaces", {"now": moment})
            ends = yield Statement("next_expiry", {"now": moment})
            found = sorted(namespace_of(row["path"]) for row in paths)
            held = self._listed = _Listed(state, moment, ends[0]["moment"], found)
        return held.namespaces


def list_namespaces(
    op: ListNamespacesOp, listing: Listing, *, now: datetime
) -> Steps[list[Namespace]]:
    """One page of the namespaces that match."""
    found = yield from listing.live(now)
    for wanted in op.match_conditions or ():
        found = [namespace for namespace in found if _matches(namespace, wanted)]
    if op.max_depth is not None:
        found = sorted({namespace[: op.max_depth] for namespace in found})
    return found[op.offset : op.offset + op.limit]


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
