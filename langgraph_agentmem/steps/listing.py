"""The namespaces that hold something, kept until anything in the database changes."""

from __future__ import annotations

import sys
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby, islice

from langgraph.store.base import ListNamespacesOp, MatchCondition

from langgraph_agentmem.model import Namespace

from . import Statement, Steps
from .places import below, micros, namespace_of

_BETWEEN = ".."
"""Stands between two paths, in which no label is empty."""

_MOST_CONNECTIONS = 8
"""Lists that are kept: one for each connection of this process, and of none that it has left."""


_FEW = 100
"""Namespaces that are read from the database for one list, such as those of one user."""


@dataclass(frozen=True, slots=True)
class _Listed:
    """Namespaces in order, as one state of the database had them from `since` to `until`
    (microseconds), when the next memory expires. `paths` are the same, as the database says it.
    """

    state: tuple[object, ...]
    since: int
    until: int | None
    paths: str
    namespaces: list[Namespace]

    def holds(self, state: tuple[object, ...], moment: int) -> bool:
        return (
            self.state == state
            and self.since <= moment
            and (self.until is None or moment < self.until)
        )


class Listing:
    """The list that each connection made last. Threads share it: a list is replaced whole."""

    def __init__(self) -> None:
        self._listed: dict[object, _Listed] = {}

    def forget(self) -> None:
        """Keep no names."""
        self._listed = {}

    def live(self, prefix: Namespace, now: datetime) -> Steps[Sequence[Namespace]]:
        """The namespaces below a prefix that hold a memory which has not expired, in order."""
        moment = micros(now)
        rows = yield Statement("database_state")
        state = tuple(rows[0])
        held = self._listed.get(state[0])
        if held is not None and held.holds(state, moment):
            return _below(held.namespaces, prefix)
        if prefix:
            asked = {**below(prefix), "now": moment, "most": _FEW + 1}
            found = yield Statement("list_live_below", asked)
            if len(found) <= _FEW:
                return sorted(namespace_of(row["path"]) for row in found)
        return _below((yield from self._list(state, moment)), prefix)

    def _list(self, state: tuple[object, ...], moment: int) -> Steps[list[Namespace]]:
        rows = yield Statement("list_live_namespaces", {"now": moment})
        ends = yield Statement("next_expiry", {"now": moment})
        paths = rows[0]["paths"] or ""
        # Most writes make no namespace and end none.
        before = self._listed
        known = [one.namespaces for one in before.values() if one.paths == paths]
        found = (
            known[0] if known else sorted(map(namespace_of, filter(None, paths.split(_BETWEEN))))
        )
        kept = before if len(before) < _MOST_CONNECTIONS else {}
        made = _Listed(state, moment, ends[0]["moment"], paths, found)
        self._listed = {**kept, state[0]: made}
        return found


def list_namespaces(
    op: ListNamespacesOp, listing: Listing, *, now: datetime
) -> Steps[list[Namespace]]:
    """One page of the namespaces that match."""
    wanted = op.match_conditions or ()
    found: Iterable[Namespace] = yield from listing.live(_common_prefix(wanted), now)
    for fits in map(_matcher, wanted):
        found = filter(fits, found)
    if op.max_depth is not None:
        # What is cut stays in order, so that equal ones stand side by side.
        cut = (namespace[: op.max_depth] for namespace in found)
        found = (namespace for namespace, _ in groupby(cut))
    first = min(op.offset, sys.maxsize)
    return list(islice(found, first, min(op.offset + op.limit, sys.maxsize)))


def _common_prefix(conditions: Iterable[MatchCondition]) -> Namespace:
    """The longest run of plain labels with which all that matches begins."""
    runs = [_plain_run(one.path) for one in conditions if one.match_type == "prefix"]
    return max(runs, key=len, default=())


def _plain_run(labels: Sequence[str]) -> Namespace:
    plain = tuple(labels)
    return plain[: plain.index("*")] if "*" in plain else plain


def _below(found: list[Namespace], prefix: Namespace) -> Sequence[Namespace]:
    """The part of an ordered list that begins with these labels."""
    if not prefix:
        return found
    start = bisect_left(found, prefix)
    # No label holds NUL, so none comes between a label and this one.
    beyond = (*prefix[:-1], prefix[-1] + "\x00")
    return found[start : bisect_left(found, beyond, start)]


def _matcher(wanted: MatchCondition) -> Callable[[Namespace], bool]:
    """Whether a namespace matches; `*` stands for exactly one label."""
    labels = tuple(wanted.path)
    size = len(labels)
    places = [at for at, label in enumerate(labels) if label != "*"]
    if wanted.match_type == "suffix":
        places = [at - size for at in places]
    pairs = [(at, labels[at]) for at in places]

    def fits(namespace: Namespace) -> bool:
        if len(namespace) < size:
            return False
        for at, label in pairs:  # noqa: SIM110 - a loop is twice as fast as a generator
            if namespace[at] != label:
                return False
        return True

    return fits
