"""What forgetting changes in a user's threads: every checkpoint and pending write, or all of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from . import Row, Statement, Steps


class Scrubs(Protocol):
    """Rewrites a value; the same object means that nothing was forgotten in it."""

    messages: int
    values: int

    def scrub(self, value: Any) -> Any:
        """The value with nothing forgotten in it."""
        ...


Loads = Callable[[tuple[str, bytes]], Any]
Dumps = Callable[[Any], tuple[str, bytes]]


def threads_of(user_id: str) -> Steps[list[str]]:
    """The threads that belong to a user."""
    rows = yield Statement("list_threads", {"user_id": user_id})
    return [row["thread_id"] for row in rows]


def scrub(
    threads: list[str],
    scrubber: Callable[[str], Scrubs],
    *,
    loads: Loads,
    dumps: Dumps,
    dry_run: bool,
) -> Steps[dict[str, int]]:
    """Rewrite every checkpoint and pending write of these threads that holds something
    forgotten.

    Args:
        threads: Thread ids.
        scrubber: The scrubber of a thread.
        loads: Reads what the checkpointer wrote.
        dumps: Writes it again.
        dry_run: Count, and change nothing.
    """
    counts = {"checkpoints": 0, "pending writes": 0}
    wanted = {"threads": json.dumps(threads)}
    rows = yield Statement("list_checkpoints_of_threads", wanted)
    for row in rows:
        who = scrubber(row["thread_id"])
        changed = _rewritten(row, who, loads, dumps)
        metadata = _metadata(row["metadata"], who)
        if changed is not None or metadata != row["metadata"]:
            counts["checkpoints"] += 1
            new = {**_place(row), **(changed or _as_it_is(row)), "metadata": metadata}
            if not dry_run:
                yield Statement("rewrite_checkpoint", new)
    rows = yield Statement("list_writes_of_threads", wanted)
    for row in rows:
        changed = _rewritten(row, scrubber(row["thread_id"]), loads, dumps)
        if changed is not None:
            counts["pending writes"] += 1
            new = {**_place(row), **changed, "task_id": row["task_id"], "idx": row["idx"]}
            if not dry_run:
                yield Statement("rewrite_write", new)
    return counts


def _place(row: Row) -> dict[str, Any]:
    return {name: row[name] for name in ("thread_id", "checkpoint_ns", "checkpoint_id")}


def _as_it_is(row: Row) -> dict[str, Any]:
    return {"type": row["type"], "data": row["data"]}


def _rewritten(row: Row, who: Scrubs, loads: Loads, dumps: Dumps) -> dict[str, Any] | None:
    value = loads((row["type"], row["data"]))
    clean = who.scrub(value)
    if clean is value:
        return None
    kind, data = dumps(clean)
    return {"type": kind, "data": data}


def _metadata(data: bytes | str | None, who: Scrubs) -> bytes | str | None:
    if data is None:
        return None
    found: Mapping[str, Any] = json.loads(data)
    clean = who.scrub(found)
    return data if clean is found else json.dumps(clean, ensure_ascii=False).encode()


def remove_threads(threads: list[str], *, dry_run: bool) -> Steps[dict[str, int]]:
    """Remove threads with all that they hold, and whose they are."""
    wanted = {"threads": json.dumps(threads)}
    checkpoints = yield Statement("list_checkpoints_of_threads", wanted)
    writes = yield Statement("list_writes_of_threads", wanted)
    for thread_id in [] if dry_run else threads:
        place = {"thread_id": thread_id}
        yield Statement("remove_checkpoints", place)
        yield Statement("remove_writes", place)
        yield Statement("remove_owner", place)
    return {
        "threads": len(threads),
        "checkpoints": len(checkpoints),
        "pending writes": len(writes),
    }
