"""What a user's runs did: one row for each call of a tool or a model."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from . import Row, Rows, Statement, Steps
from .checkpoints import Scrubs
from .owners import owner_of
from .places import micros, moment_of

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


_CALL = (
    *("thread_id", "kind", "name", "node", "error", "duration", "input_tokens", "output_tokens"),
    "cost",
)
"""What an export holds of a call besides its moment and arguments."""

_TEXTS = ("thread_id", "node", "error")
_NUMBERS = ("input_tokens", "output_tokens", "cost")


def page(user_id: str, after: Row | None, *, most: int) -> Steps[Rows]:
    """So many of a user's calls after one, oldest first."""
    begins = {"at": after["at"], "id": after["id"]} if after else {"at": -(2**62), "id": 0}
    return (yield Statement("page_of_activity", {"user_id": user_id, **begins, "most": most}))


def line_of(row: Row, copy: int) -> dict[str, Any]:
    """A call as a line of an export; `copy` so many that are just like it came before it."""
    return {
        "type": "activity",
        "at": moment_of(row["at"]).isoformat(),
        **{name: row[name] for name in _CALL},
        "arguments": None if row["arguments"] is None else json.loads(row["arguments"]),
        "copy": copy,
    }


def likeness(row: Row) -> tuple[object, ...]:
    """By what calls are just like each other."""
    return tuple(row[name] for name in ("at", *_CALL))


def bring(user_id: str, line: Mapping[str, Any]) -> Steps[bool]:
    """Keep a call of an export; False when it is here.

    Raises:
        KeyError, TypeError, ValueError: It is no line of a call.
    """
    call = {name: line[name] for name in _CALL}
    texts = [call["kind"], call["name"], *(call[name] for name in _TEXTS if call[name] is not None)]
    numbers = [call["duration"], line["copy"]]
    numbers += [call[name] for name in _NUMBERS if call[name] is not None]
    if not all(isinstance(one, str) for one in texts):
        raise TypeError
    if not all(isinstance(one, int | float) and not isinstance(one, bool) for one in numbers):
        raise TypeError
    call |= {"user_id": user_id, "at": micros(datetime.fromisoformat(line["at"]))}
    if (yield Statement("count_same_activity", call))[0]["calls"] > line["copy"]:
        return False
    arguments = line["arguments"]
    if arguments is not None and not isinstance(arguments, Mapping):
        raise TypeError
    kept = None if arguments is None else json.dumps(arguments)
    yield Statement("add_activity", {**call, "arguments": kept})
    return True


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
