"""The namespaces that hold something, kept until anything in the database changes."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby, islice
from typing import TypeVar

from langgraph.store.base import ListNamespacesOp, MatchCondition

from langgraph_agentmem.model import Namespace

from . import Statement, Steps
from .places import in_order, micros, namespace_of

T = TypeVar("T")

_MOST = 2**61
"""A larger limit or offset is as good as this one."""

_BETWEEN = ".."
"""Stands between two paths, in which no label is empty."""

_MOST_CONNECTIONS = 8
"""Lists that are kept: one for each connection of this process, and of none that it has left."""

_FEW = 100
"""Namespaces that are read from the database for one list, such as those of one user."""

_PAGES = 3
"""Pages that are read by themselves while nothing changes; then all are listed, once."""

_FURTHEST = 10_000
"""Where a page ends at most that is read by itself: what comes before it is counted through."""


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
        self._paged: dict[object, tuple[tuple[object, ...], int]] = {}
        self._last_page: tuple[str, list[Namespace]] = ("", [])

    def forget(self) -> None:
        """Keep no names."""
        self._listed = {}
        self._last_page = ("", [])

    def live(self, prefix: Namespace, now: datetime) -> Steps[Sequence[Namespace]]:
        """The namespaces below a prefix that hold a memory which has not expired, in order."""
        state, moment = (yield from _state()), micros(now)
        held = self._held(state, moment)
        if held is not None:
            return _below(held, prefix)
        if prefix:
            found = yield from self._page(prefix, moment, first=0, most=_FEW + 1)
            if len(found) <= _FEW:
                return found
        return _below((yield from self._list(state, moment)), prefix)

    def page(
        self, prefix: Namespace, now: datetime, *, first: int, most: int
    ) -> Steps[list[Namespace]]:
        """A page of what `live` gives. After a write a few pages are read by themselves: nearly
        always the next write comes before all of them are wanted.
        """
        state, moment = (yield from _state()), micros(now)
        held = self._held(state, moment)
        if held is None:
            before, number = self._paged.get(state[0], (state, 0))
            number = 1 + (number if before == state else 0)
            if number <= _PAGES and first + most <= _FURTHEST:
                self._paged = {**_room_for_one(self._paged), state[0]: (state, number)}
                return (yield from self._page(prefix, moment, first=first, most=most))
            held = yield from self._list(state, moment)
        return list(islice(_below(held, prefix), first, first + most))

    def _held(self, state: tuple[object, ...], moment: int) -> list[Namespace] | None:
        held = self._listed.get(state[0])
        return held.namespaces if held is not None and held.holds(state, moment) else None

    def _page(
        self, prefix: Namespace, moment: int, *, first: int, most: int
    ) -> Steps[list[Namespace]]:
        """A page of the namespaces below a prefix, read from the database."""
        asked = {**in_order(prefix), "now": moment, "most": most, "offset": first}
        rows = yield Statement("page_of_namespaces", asked)
        paths, found = self._last_page
        if rows[0]["paths"] != paths:
            found = _split(rows[0]["paths"])
            self._last_page = (rows[0]["paths"], found)
        return list(found)

    def _list(self, state: tuple[object, ...], moment: int) -> Steps[list[Namespace]]:
        rows = yield Statement("list_live_namespaces", {"now": moment})
        ends = yield Statement("next_expiry", {"now": moment})
        paths = rows[0]["paths"] or ""
        # Most writes make no namespace and end none.
        before = self._listed
        known = [one.namespaces for one in before.values() if one.paths == paths]
        found = known[0] if known else sorted(_split(paths))
        made = _Listed(state, moment, ends[0]["moment"], paths, found)
        self._listed = {**_room_for_one(before), state[0]: made}
        return found


def _room_for_one(kept: dict[object, T]) -> dict[object, T]:
    return kept if len(kept) < _MOST_CONNECTIONS else {}


def _state() -> Steps[tuple[object, ...]]:
    """The state of the database, the connection that tells it first."""
    rows = yield Statement("database_state")
    return tuple(rows[0])


def _split(paths: str | None) -> list[Namespace]:
    """The namespaces of a text that the database made of their paths."""
    return [namespace_of(path) for path in paths.split(_BETWEEN)] if paths else []


def list_namespaces(
    op: ListNamespacesOp, listing: Listing, *, now: datetime
) -> Steps[list[Namespace]]:
    """One page of the namespaces that match."""
    wanted = op.match_conditions or ()
    prefix = _common_prefix(wanted)
    first = min(op.offset, _MOST)
    most = min(op.limit, _MOST)
    if op.max_depth is None and all(_says_no_more(one, prefix) for one in wanted):
        return (yield from listing.page(prefix, now, first=first, most=most))
    found: Iterable[Namespace] = yield from listing.live(prefix, now)
    for fits in map(_matcher, wanted):
        found = filter(fits, found)
    if op.max_depth is not None:
        # What is cut stays in order, so that equal ones stand side by side.
        cut = (namespace[: op.max_depth] for namespace in found)
        found = (namespace for namespace, _ in groupby(cut))
    return list(islice(found, first, first + most))


def _says_no_more(condition: MatchCondition, prefix: Namespace) -> bool:
    """Whether what begins with a prefix meets a condition."""
    path = tuple(condition.path)
    return condition.match_type == "prefix" and path == prefix[: len(path)]


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
