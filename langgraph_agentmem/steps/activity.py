"""What a user's runs did: one row for each call of a tool or a model."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime

from . import Row, Rows, Statement, Steps
from .checkpoints import Scrubs
from .owners import owner_of
from .places import micros

_MICROSECOND = 1_000_000


def add(call: Mapping[str, object], *, user_id: str | None, thread_id: str | None) -> Steps[bool]:
    """Keep a call of a user, or of the thread's owner; False when it is nobody's."""
    user = user_id
    if user is None and thread_id is not None:
        user = yield from owner_of(thread_id)
    if user is None:
        return False
    yield Statement("add_activity", {**call, "user_id": user, "thread_id": thread_id})
    return True


def _of(user_id: str, since: datetime | None, thread_id: str | None) -> dict[str, object]:
    moment = -(2**62) if since is None else micros(since)
    return {"user_id": user_id, "since": moment, "thread_id": thread_id}


def calls(
    user_id: str, *, since: datetime | None, thread_id: str | None, limit: int
) -> Steps[Rows]:
    """A user's calls, newest first."""
    wanted = _of(user_id, since, thread_id)
    return (yield Statement("list_activity", {**wanted, "limit": limit}))


def sums(user_id: str, *, since: datetime | None, thread_id: str | None) -> Steps[tuple[Rows, int]]:
    """A user's calls by what was called, and in how many threads they were."""
    wanted = _of(user_id, since, thread_id)
    rows = yield Statement("sum_activity", wanted)
    threads = yield Statement("count_active_threads", wanted)
    return rows, threads[0]["threads"]


def seconds(row: Row) -> float:
    """A row's duration in seconds."""
    return float(row["duration"] / _MICROSECOND)


def remove_before(moment: datetime) -> Steps[int]:
    """Remove the calls of all users that ended before a moment; returns how many."""
    return len((yield Statement("remove_activity_before", {"before": micros(moment)})))


def remove(user_id: str, *, dry_run: bool) -> Steps[dict[str, int]]:
    """Remove a user's calls; returns how many under `activity`."""
    rows = yield Statement("count_activity", {"user_id": user_id})
    if not dry_run:
        yield Statement("remove_activity", {"user_id": user_id})
    return {"activity": rows[0]["calls"]}


def scrub(user_id: str, scrubber: Scrubs, *, dry_run: bool) -> Steps[dict[str, int]]:
    """Take what was forgotten out of the arguments of a user's calls; returns in how many."""
    changed = 0
    for row in (yield Statement("list_activity_arguments", {"user_id": user_id})):
        arguments = json.loads(row["arguments"])
        clean = scrubber.scrub_fields(arguments)
        if clean is arguments:
            continue
        changed += 1
        if not dry_run:
            new = {"id": row["id"], "arguments": json.dumps(clean)}
            yield Statement("rewrite_activity_arguments", new)
    return {"activity": changed}
