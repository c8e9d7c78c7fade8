"""Delete threads, checkpoints and runs, and copy threads.

What stays can still be loaded: a checkpoint whose delta channels are rebuilt from those before it
keeps these, and parents lead to the nearest checkpoint that is still there.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

from langgraph_agentmem.errors import (
    ANOTHERS_THREAD,
    ThreadNotEmpty,
    ThreadNotFound,
    UserConflict,
)

from . import Row, Statement, Steps, owners
from .places import micros
from .saving import Opens, removed_mark
from .thread_messages import PlacesIn, remove_unused

REMEMBERED = timedelta(days=7)
"""How long a deleted checkpoint is remembered: no run holds its state for longer."""

Node = tuple[str, str]
"""A checkpoint of a thread: its namespace and id."""


def remove_thread(thread_id: str, *, now: datetime) -> Steps[None]:
    """Remove a thread with all that it holds, and whose it was."""
    place = {"thread_id": thread_id}
    yield from _forget_old(now)
    nodes = yield from _nodes(thread_id)
    yield Statement("add_removed", {"marks": _marks(thread_id, nodes), "now": micros(now)})
    yield Statement("remove_checkpoints", place)
    yield Statement("remove_writes", place)
    yield Statement("remove_thread_messages", place)
    yield Statement("remove_thread_chunks", place)
    yield Statement("remove_thread_times", place)
    yield Statement("remove_owner", place)


def keep_latest(thread_id: str, opens: Opens, places_in: PlacesIn, *, now: datetime) -> Steps[int]:
    """Remove all but the newest checkpoint of each namespace, and what that is built from.

    Returns:
        How many stay for no other reason than that one.
    """
    nodes = yield from _nodes(thread_id)
    latest: dict[str, str] = {}
    for namespace, checkpoint_id in nodes:
        latest[namespace] = max(checkpoint_id, latest.get(namespace, ""))
    return (yield from _keep(thread_id, nodes, [*latest.items()], opens, places_in, now=now))


def threads_of_runs(run_ids: list[str]) -> Steps[list[str]]:
    """The threads in which these runs stored something, found among everybody's checkpoints."""
    rows = yield Statement("list_threads_of_runs", {"runs": json.dumps(run_ids)})
    return [row["thread_id"] for row in rows]


def remove_runs(
    threads: list[str], run_ids: list[str], opens: Opens, places_in: PlacesIn, *, now: datetime
) -> Steps[int]:
    """Remove the checkpoints of these runs, but for what later ones are built from.

    Args:
        threads: Where they are, from `threads_of_runs`.
        run_ids: Which go.
        opens: Reads a stored value.
        places_in: Where messages stand in one.
        now: The time.

    Returns:
        How many stay for that.
    """
    gone, needed = set(run_ids), 0
    for thread_id in threads:
        nodes = yield from _nodes(thread_id)
        kept = [node for node, one in nodes.items() if one["run_id"] not in gone]
        needed += yield from _keep(thread_id, nodes, kept, opens, places_in, now=now)
    return needed


def copy_thread(source: str, target: str, *, now: datetime) -> Steps[None]:
    """Copy a thread with its messages, its user, and what was learnt from it.

    Raises:
        ThreadNotFound, ThreadNotEmpty, UserConflict.
    """
    nodes = yield from _nodes(source)
    if not nodes:
        raise ThreadNotFound(thread_id=source)
    if (yield from _nodes(target)):
        raise ThreadNotEmpty(thread_id=target)
    owner = yield from owners.owner_of(source)
    if owner is not None:
        claimed = yield from owners.claim_thread(target, owner, now=now)
        if claimed != owner:
            raise UserConflict(ANOTHERS_THREAD, thread_id=target)
    elif (yield from owners.owner_of(target)) is not None:
        raise UserConflict(ANOTHERS_THREAD, thread_id=target)
    both = {"source": source, "target": target}
    # What was left of a thread of this name before.
    yield Statement("remove_writes", {"thread_id": target})
    yield Statement("remove_thread_messages", {"thread_id": target})
    yield Statement("remove_thread_chunks", {"thread_id": target})
    yield Statement("remove_removed", {"marks": _marks(target, nodes)})
    yield Statement("copy_checkpoints", both)
    yield Statement("copy_writes", both)
    yield Statement("copy_messages", both)
    yield Statement("copy_chunks", both)
    yield Statement("copy_sources", both)
    yield Statement("use_thread", {"thread_id": target, "now": micros(now)})


def _nodes(thread_id: str) -> Steps[dict[Node, Row]]:
    rows = yield Statement("list_lineage", {"thread_id": thread_id})
    return {(row["checkpoint_ns"], row["checkpoint_id"]): row for row in rows}


def _marks(thread_id: str, nodes: Iterable[Node]) -> str:
    """By what these checkpoints are known when they are gone, as JSON."""
    return json.dumps([removed_mark(thread_id, *node) for node in nodes])


def _forget_old(now: datetime) -> Steps[None]:
    yield Statement("forget_removed_before", {"moment": micros(now - REMEMBERED)})


def _keep(
    thread_id: str,
    nodes: Mapping[Node, Row],
    kept: Iterable[Node],
    opens: Opens,
    places_in: PlacesIn,
    *,
    now: datetime,
) -> Steps[int]:
    """Remove the checkpoints of a thread beside these, and beside what these are built from.

    Returns how many of the latter there are.
    """
    asked_for = set(kept)
    stay = {*asked_for}
    for node in asked_for:
        yield from _add_needed(thread_id, node, nodes, stay, opens)
    needed = len(stay) - len(asked_for)
    gone = [node for node in nodes if node not in stay]
    if not gone:
        return needed
    yield from _forget_old(now)
    asked = {"thread_id": thread_id, "places": json.dumps(gone)}
    yield Statement("add_removed", {"marks": _marks(thread_id, gone), "now": micros(now)})
    yield Statement("remove_some_checkpoints", asked)
    yield Statement("remove_some_writes", asked)
    for node in stay:
        parent = nodes[node]["parent_checkpoint_id"]
        nearest = next((one for _, one in _line(node, nodes) if (node[0], one) in stay), None)
        if parent is not None and nearest != parent:
            place = {"checkpoint_ns": node[0], "checkpoint_id": node[1], "parent_id": nearest}
            yield Statement("set_parent", {"thread_id": thread_id, **place})
    yield from remove_unused(thread_id, places_in)
    return needed


def _line(node: Node, nodes: Mapping[Node, Row]) -> Iterator[Node]:
    """The checkpoints before one, nearest first."""
    met = {node}
    while node in nodes:
        parent = nodes[node]["parent_checkpoint_id"]
        node = (node[0], parent)
        if parent is None or node in met:
            return
        met.add(node)
        yield node


def _add_needed(
    thread_id: str, node: Node, nodes: Mapping[Node, Row], stay: set[Node], opens: Opens
) -> Steps[None]:
    """Let what a checkpoint is built from stay, and what each of those is built from.

    LangGraph counts in the metadata what each delta channel got since its value was last stored.
    """
    waiting = [node]
    while waiting:
        node = waiting.pop()
        missing = yield from _missing(thread_id, node, nodes[node], opens)
        for one in _line(node, nodes):
            if not missing or one not in nodes:
                break
            if one not in stay:
                stay.add(one)
                waiting.append(one)
            missing -= yield from _held(thread_id, one, opens)


def _missing(thread_id: str, node: Node, row: Row, opens: Opens) -> Steps[set[str]]:
    """The delta channels whose value does not stand in a checkpoint."""
    counted = json.loads(row["counters"] or "{}")
    if not counted:
        return set()
    checkpoint = yield from _load(thread_id, node, opens)
    # One that was never written has no value to be built.
    written = checkpoint.get("channel_versions") or {}
    held = checkpoint.get("channel_values") or {}
    return {name for name in counted if name in written and name not in held}


def _held(thread_id: str, node: Node, opens: Opens) -> Steps[set[str]]:
    """The channels whose value stands in a checkpoint."""
    checkpoint = yield from _load(thread_id, node, opens)
    return {*(checkpoint.get("channel_values") or {})}


def _load(thread_id: str, node: Node, opens: Opens) -> Steps[Mapping[str, Any]]:
    """A checkpoint without its messages."""
    place = {"thread_id": thread_id, "checkpoint_ns": node[0], "checkpoint_id": node[1]}
    rows = yield Statement("find_checkpoint", place)
    loaded: Mapping[str, Any] = opens(rows[0]["type"], rows[0]["data"]).value
    return loaded
