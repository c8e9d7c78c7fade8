"""Read what is held about a topic, and what was."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime

from langgraph_agentmem.errors import MemoryNotFound
from langgraph_agentmem.model import Memory, Namespace, Source, Version

from . import Row, Statement, Steps
from .memories import find_live, find_row, is_live, memory_of
from .places import micros, moment_of, path_of


def _version_of(row: Row) -> Version:
    return Version(
        number=row["number"],
        value=json.loads(row["value"]),
        kind=row["kind"],
        source=Source.from_json(row["source"]),
        valid_from=moment_of(row["valid_from"]),
        valid_to=moment_of(row["valid_to"]),
        recorded_at=moment_of(row["recorded_at"]),
    )


def look(
    namespace: Namespace, topic: str, *, now: datetime, as_of: datetime | None = None
) -> Steps[Memory | Version | None]:
    """What is held about a topic now, or was at a moment of valid time."""
    row = yield from find_row(namespace, topic)
    if row and not is_live(row, now):
        return None  # expiry takes the history along, swept or not
    if as_of is None:
        return memory_of(row) if row else None
    if row and row["valid_from"] <= micros(as_of):
        return memory_of(row)
    rows = yield Statement("list_versions", {"path": path_of(namespace), "topic": topic})
    held = [one for one in rows if one["valid_from"] <= micros(as_of) < one["valid_to"]]
    return _version_of(held[-1]) if held else None


def list_memories(
    namespace: Namespace, kinds: Sequence[str], *, now: datetime
) -> Steps[list[Memory]]:
    """Every current memory of a namespace that is of one of these kinds, by topic."""
    rows = yield from rows_of_kinds(namespace, kinds, now=now)
    return [memory_of(row) for row in rows]


def rows_of_kinds(
    namespace: Namespace, kinds: Sequence[str], *, now: datetime
) -> Steps[Sequence[Row]]:
    """The same as rows."""
    wanted = {"path": path_of(namespace), "now": micros(now), "kinds": json.dumps(list(kinds))}
    # Most memories are facts: what is none has an index of its own.
    some = "fact" not in kinds
    return (yield Statement("list_memories_of_kinds" if some else "list_memories", wanted))


def next_place(namespace: Namespace, thread_id: str | None) -> Steps[int]:
    """The place after the last turn that is kept of a thread; 0 when none is."""
    rows = yield Statement("last_turn", {"path": path_of(namespace), "thread_id": thread_id})
    place: int = rows[0]["place"] + 1 if rows else 0
    return place


def history(namespace: Namespace, topic: str, *, now: datetime) -> Steps[list[Version]]:
    """The versions of a topic by their start, the current one last."""
    current = yield from find_row(namespace, topic)
    if current and not is_live(current, now):
        return []
    rows = yield Statement("list_versions", {"path": path_of(namespace), "topic": topic})
    versions = [_version_of(row) for row in rows]
    if current:
        versions.append(
            Version(
                number=current["version"],
                value=json.loads(current["value"]),
                kind=current["kind"],
                source=Source.from_json(current["source"]),
                valid_from=moment_of(current["valid_from"]),
                valid_to=None,
                recorded_at=moment_of(current["recorded_at"]),
            )
        )
    return versions


def source_of(namespace: Namespace, topic: str, *, now: datetime) -> Steps[Source | None]:
    """Where the current value came from. Raises `MemoryNotFound`."""
    row = yield from find_live(namespace, topic, now)
    if row is None:
        raise MemoryNotFound(namespace=namespace, topic=topic)
    return Source.from_json(row["source"])


def known_messages(namespace: Namespace, topic: str, source: Source) -> Steps[bool]:
    """Whether every message of a source was learnt from before, for this topic."""
    if not source.message_ids:
        return False
    for message_id in source.message_ids:
        rows = yield Statement(
            "find_source",
            {
                "path": path_of(namespace),
                "thread_id": source.thread_id or "",
                "message_id": message_id,
                "topic": topic,
            },
        )
        if not rows:
            return False
    return True
