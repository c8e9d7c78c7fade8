"""What the checkpointer writes and reads: checkpoints, the writes of tasks, delta channels.

Values reach these steps taken apart: messages beside what is left of the value. How a value is
taken apart, written and read is the checkpointer's; what is written when is decided here.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from langgraph_agentmem.errors import ANOTHERS_THREAD, UserConflict, UserRequired

from . import Row, Statement, Steps, owners
from .places import micros
from .thread_messages import Letter, Place, PlacesIn, Spoken, find, keep, remove_unused


class Apart(Protocol):
    """A value taken apart."""

    @property
    def lists(self) -> Sequence[Spoken]:
        """The messages in it, by place."""
        ...

    def closed(self, places: Sequence[Place]) -> tuple[str, bytes]:
        """How it is stored when its messages are at these places."""
        ...


class Opened(Protocol):
    """A stored value, its messages still in their places."""

    @property
    def value(self) -> Any:
        """The value, None where messages stand."""
        ...

    @property
    def places(self) -> Sequence[Place]:
        """Where its messages are stored."""
        ...

    def whole(self, letters: Mapping[Place, Sequence[Letter]]) -> Any:
        """The value with its messages."""
        ...


class Opens(Protocol):
    """Reads a stored value."""

    def __call__(self, kind: str, data: bytes) -> Opened:
        """The value, taken apart."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A checkpoint's place: thread, namespace and id."""

    thread_id: str
    checkpoint_ns: str = ""
    checkpoint_id: str | None = None

    @property
    def params(self) -> dict[str, object]:
        """The same for a statement."""
        return {
            "thread_id": self.thread_id,
            "checkpoint_ns": self.checkpoint_ns,
            "checkpoint_id": self.checkpoint_id,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Visitor:
    """Who wants to read or write a thread.

    `user` is None when nobody is named; `may_be_nobody` says whether that is enough for a thread
    that is nobody's, and `in_run` whether a graph asks.
    """

    user: str | None
    may_be_nobody: bool
    in_run: bool


def admit(visitor: Visitor, thread_id: str, *, now: datetime | None) -> Steps[None]:
    """Let the thread's user in, and nobody else; who writes first becomes its user.

    Args:
        visitor: Who asks.
        thread_id: The thread.
        now: When it is written to; None to read.

    Raises:
        UserConflict: The thread is another user's.
        UserRequired: The thread is nobody's and must be somebody's.
    """
    user = visitor.user
    owner = yield from owners.owner_of(thread_id)
    if user is None:
        # A run loads its thread before it stores anything: that is the moment to refuse. An
        # application that reads or updates a thread by itself need not name its user.
        if not visitor.may_be_nobody and (visitor.in_run or (now is not None and owner is None)):
            raise UserRequired(thread_id=thread_id)
        return
    if owner is None and now is not None:
        owner = yield from owners.claim_thread(thread_id, user, now=now)
    if owner not in {None, user}:
        raise UserConflict(ANOTHERS_THREAD, thread_id=thread_id)


# Writing -------------------------------------------------------------------------------------


def put(
    point: Point,
    value: Apart,
    *,
    parent_id: str | None,
    built_on: Iterable[tuple[str, str]],
    metadata: bytes,
    visitor: Visitor,
    places_in: PlacesIn,
    now: datetime,
) -> Steps[bool]:
    """Store a checkpoint. False if it is late: what it was built on was deleted meanwhile.

    Args:
        point: Its place.
        value: The checkpoint.
        parent_id: The checkpoint that it follows, in the same namespace.
        built_on: (namespace, id) of that one, and of those of the graphs around this one.
        metadata: JSON.
        visitor: Who writes.
        places_in: Where the messages of a stored value are.
        now: When.
    """
    yield from admit(visitor, point.thread_id, now=now)
    own = removed_mark(point.thread_id, point.checkpoint_ns, str(point.checkpoint_id))
    before = {removed_mark(point.thread_id, *one) for one in built_on}
    removed = yield from _removed({*before, own})
    if removed & before:
        # What follows this one is late as well, and its tasks may have written already.
        yield Statement("add_removed", {"marks": json.dumps([own]), "now": micros(now)})
        early = yield Statement("remove_writes_of_checkpoint", point.params)
        if early:
            yield from remove_unused(point.thread_id, places_in)
        return False
    if removed:
        yield Statement("remove_removed", {"marks": json.dumps([own])})
    places = yield from keep(point.thread_id, value.lists)
    kind, data = value.closed(places)
    row = {**point.params, "parent_id": parent_id, "metadata": metadata}
    yield Statement("add_checkpoint", {**row, "type": kind, "data": data})
    yield Statement("use_thread", {"thread_id": point.thread_id, "now": micros(now)})
    return True


@dataclass(frozen=True, slots=True)
class Write:
    """One thing that a task wrote to a channel."""

    idx: int
    channel: str
    value: Apart


def put_writes(
    point: Point,
    writes: Sequence[Write],
    *,
    task_id: str,
    task_path: str,
    replace: bool,
    built_on: Iterable[tuple[str, str]],
    visitor: Visitor,
    now: datetime,
) -> Steps[bool]:
    """Store what a task wrote. False if it is late, as in `put`.

    Args:
        point: The checkpoint that the task ran on.
        writes: What it wrote.
        task_id: The task.
        task_path: Orders it among the others.
        replace: The last one counts, not the first.
        built_on: (namespace, id) of the checkpoint and of those of the graphs around it.
        visitor: Who writes.
        now: When.
    """
    yield from admit(visitor, point.thread_id, now=now)
    if (yield from _removed({removed_mark(point.thread_id, *one) for one in built_on})):
        return False
    lists = [one for write in writes for one in write.value.lists]
    places = yield from keep(point.thread_id, lists)
    taken = 0
    for write in writes:
        own = places[taken : taken + len(write.value.lists)]
        taken += len(own)
        kind, data = write.value.closed(own)
        row = {**point.params, "task_id": task_id, "task_path": task_path, "idx": write.idx}
        row |= {"channel": write.channel, "type": kind, "data": data}
        yield Statement("replace_write" if replace else "add_write", row)
    return True


def removed_mark(thread_id: str, checkpoint_ns: str, checkpoint_id: str) -> str:
    """By what a deleted checkpoint is known."""
    text = json.dumps([thread_id, checkpoint_ns, checkpoint_id])
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def _removed(marks: Collection[str]) -> Steps[set[str]]:
    if not marks:
        return set()
    rows = yield Statement("find_removed", {"marks": json.dumps([*marks])})
    return {row["mark"] for row in rows}


# Reading -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Stored:
    """A checkpoint as it is stored: its row, its value, and the writes that wait on it."""

    row: Row
    value: Opened
    writes: Sequence[tuple[Row, Opened]]
    letters: Mapping[Place, Sequence[Letter]]


def get(point: Point, opens: Opens, *, visitor: Visitor) -> Steps[Stored | None]:
    """A checkpoint, the newest of its namespace if no id is given."""
    yield from admit(visitor, point.thread_id, now=None)
    latest = point.checkpoint_id is None
    name = "find_latest_checkpoint" if latest else "find_checkpoint"
    rows = yield Statement(name, point.params)
    return (yield from _read(rows[0], opens)) if rows else None


_NEXT = "\0"
"""After an id, the first that is greater."""

_LAST = "\U0010ffff"
"""Greater than any id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """Which checkpoints are asked for.

    `wanted` is JSON: paths into the metadata, and the values that must stand there.
    """

    thread_id: str | None = None
    checkpoint_ns: str | None = None
    checkpoint_id: str | None = None
    before: str | None = None
    wanted: str = "[]"

    @property
    def is_of_one_namespace(self) -> bool:
        """Whether a thread and a namespace of it are named."""
        return self.thread_id is not None and self.checkpoint_ns is not None


def page(listing: Listing, opens: Opens, *, after: Row | None, most: int) -> Steps[list[Stored]]:
    """So many checkpoints, newest first, that come after one in a listing."""
    exact = listing.checkpoint_id
    ends = [] if listing.before is None else [listing.before]
    if exact is not None:
        ends.append(exact + _NEXT)
    elif after is not None:  # the last one's id itself may stand in another namespace
        ends.append(after["checkpoint_id"] + ("" if listing.is_of_one_namespace else _NEXT))
    params: dict[str, object] = {
        "first": exact or "",
        "beyond": min(ends, default=_LAST),
        "filter": listing.wanted,
        "most": most,
    }
    if listing.is_of_one_namespace:
        where = {"thread_id": listing.thread_id, "checkpoint_ns": listing.checkpoint_ns}
        rows = yield Statement("page_of_checkpoints", {**params, **where})
    else:
        params |= {
            "last_id": after["checkpoint_id"] if after else None,
            "last_thread": after["thread_id"] if after else None,
            "last_ns": after["checkpoint_ns"] if after else None,
        }
        params["thread_id"] = listing.thread_id
        everybody = listing.thread_id is None
        rows = yield Statement("page_of_all_checkpoints" if everybody else "page_of_thread", params)
    found: list[Stored] = []
    for row in rows:
        stored = yield from _read(row, opens)
        found.append(stored)
    return found


def _read(row: Row, opens: Opens) -> Steps[Stored]:
    place = {name: row[name] for name in ("thread_id", "checkpoint_ns", "checkpoint_id")}
    value = opens(row["type"], row["data"])
    rows = yield Statement("list_writes_of_checkpoint", place)
    writes = [(one, opens(one["type"], one["data"])) for one in rows]
    places = [*value.places, *(spot for _, write in writes for spot in write.places)]
    letters = yield from find(row["thread_id"], places)
    return Stored(row, value, writes, letters)


@dataclass(frozen=True, slots=True)
class Delta:
    """What a channel got before a checkpoint: a value to start from, and writes, oldest first."""

    seed: Opened | None
    writes: Sequence[tuple[Row, Opened]]
    letters: Mapping[Place, Sequence[Letter]]


def delta_history(
    point: Point, channels: Sequence[str], opens: Opens, *, visitor: Visitor
) -> Steps[dict[str, Delta]]:
    """For each channel the nearest value above a checkpoint, and the writes since."""
    yield from admit(visitor, point.thread_id, now=None)
    latest = point.checkpoint_id is None
    rows = yield Statement("find_latest_checkpoint" if latest else "find_checkpoint", point.params)
    chains: dict[str, list[str]] = {channel: [] for channel in channels}
    seeds: dict[str, Opened] = {}
    met: set[str] = set()
    parent = rows[0]["parent_checkpoint_id"] if rows else None
    # A checkpoint may have been put again below one that follows it: that is where a chain ends.
    while parent is not None and parent not in met and len(seeds) < len(chains):
        met.add(parent)
        place = {**point.params, "checkpoint_id": parent}
        rows = yield Statement("find_checkpoint", place)
        if not rows:
            break
        opened = opens(rows[0]["type"], rows[0]["data"])
        held = opened.value.get("channel_values") or {}
        for channel, chain in chains.items():
            if channel in seeds:
                continue
            chain.append(parent)
            if channel in held:
                seeds[channel] = opened
        parent = rows[0]["parent_checkpoint_id"]
    writes = yield from _writes(point, chains, opens)
    found: dict[str, Delta] = {}
    for channel, some in writes.items():
        seed = seeds.get(channel)
        places = [spot for _, write in some for spot in write.places]
        letters = yield from find(point.thread_id, [*places, *(seed.places if seed else ())])
        found[channel] = Delta(seed, some, letters)
    return found


def _writes(
    point: Point, chains: Mapping[str, Sequence[str]], opens: Opens
) -> Steps[dict[str, list[tuple[Row, Opened]]]]:
    every = sorted({one for chain in chains.values() for one in chain})
    wanted = {"ids": json.dumps(every), "channels": json.dumps([*chains])}
    rows = yield Statement("list_writes_to_channels", {**point.params, **wanted})
    by_place: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        by_place.setdefault((row["channel"], row["checkpoint_id"]), []).append(row)
    return {
        channel: [
            (row, opens(row["type"], row["data"]))
            for checkpoint_id in reversed(chain)
            for row in by_place.get((channel, checkpoint_id), ())
        ]
        for channel, chain in chains.items()
    }
