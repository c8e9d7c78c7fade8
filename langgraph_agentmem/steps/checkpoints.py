"""What forgetting changes in a user's threads: every checkpoint and pending write, or all of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Protocol

from langgraph_agentmem.errors import CheckpointUnreadable

from . import Row, Statement, Steps


class Scrubs(Protocol):
    """Rewrites a value; the same object means that nothing was forgotten in it."""

    messages: int
    values: int

    def learn(self, value: Any) -> None:
        """Note what the source messages in a value say."""
        ...

    def scrub(self, value: Any) -> Any:
        """The value with nothing forgotten in it."""
        ...

    def scrub_values(self, named: Mapping[str, Any]) -> Mapping[str, Any]:
        """The same under names that stay."""
        ...


_LANGGRAPHS_OWN = {
    "source",
    "step",
    "parents",
    "run_id",
    "thread_id",
    "checkpoint_ns",
    "checkpoint_id",
    "user_id",
    "langgraph_auth_user_id",
    "graph_id",
    "assistant_id",
    "counters_since_delta_snapshot",
}
"""Metadata by which LangGraph and its server find checkpoints."""

Loads = Callable[[tuple[str, bytes]], Any]
Dumps = Callable[[Any], tuple[str, bytes]]


def tables() -> Steps[set[str]]:
    """The names of the tables that a database has."""
    rows = yield Statement("list_tables")
    return {row["name"] for row in rows}


def threads_of(user_id: str) -> Steps[list[str]]:
    """The threads that belong to a user."""
    rows = yield Statement("list_threads", {"user_id": user_id})
    return [row["thread_id"] for row in rows]


def every_thread() -> Steps[list[str]]:
    """The threads that the checkpointer holds something of, whoever they belong to."""
    rows = yield Statement("list_every_thread")
    return [row["thread_id"] for row in rows]


def contents_of(thread_id: str, *, loads: Loads) -> Steps[list[tuple[datetime | None, Any]]]:
    """What a thread's checkpoints and pending writes hold, and when each checkpoint was made."""
    wanted = {"threads": json.dumps([thread_id])}
    checkpoints = yield Statement("list_checkpoints_of_threads", wanted)
    writes = yield Statement("list_writes_of_threads", wanted)
    held: list[tuple[datetime | None, Any]] = []
    for row in checkpoints:
        value = loads((row["type"], row["data"]))
        held.append((datetime.fromisoformat(value["ts"]), value["channel_values"]))
    held.extend((None, loads((row["type"], row["data"]))) for row in writes)
    return held


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

    Raises:
        CheckpointUnreadable: A row that must change holds a type that cannot be loaded here.
    """
    counts = {"checkpoints": 0, "pending writes": 0}
    for thread_id in threads:
        wanted = {"threads": json.dumps([thread_id])}
        checkpoints = yield Statement("list_checkpoints_of_threads", wanted)
        writes = yield Statement("list_writes_of_threads", wanted)
        loaded = [(row, loads((row["type"], row["data"]))) for row in (*checkpoints, *writes)]
        who = scrubber(thread_id)
        for _, value in loaded:
            who.learn(value)
        for row, value in loaded:
            is_write = "task_id" in row.keys()  # noqa: SIM118 - drivers' rows iterate over values
            clean, metadata = _cleaned(row, value, who, is_write=is_write)
            if clean is value and not metadata:
                continue
            if not _is_faithful(row, value, dumps):
                raise CheckpointUnreadable(thread_id=thread_id)
            counts["pending writes" if is_write else "checkpoints"] += 1
            if not dry_run:
                kind, data = dumps(clean)
                new = {**row, **metadata, "type": kind, "data": data}
                yield Statement("rewrite_write" if is_write else "rewrite_checkpoint", new)
    return counts


def _cleaned(row: Row, value: Any, who: Scrubs, *, is_write: bool) -> tuple[Any, dict[str, Any]]:
    """The value with nothing forgotten in it, and the metadata if that changed."""
    if is_write:
        return who.scrub(value), {}
    # A checkpoint is LangGraph's own, but for what its channels hold.
    held = value["channel_values"]
    kept = who.scrub_values(held)
    clean = value if kept is held else {**value, "channel_values": kept}
    return clean, {} if row["metadata"] is None else _metadata(row["metadata"], who)


def _is_faithful(row: Row, value: Any, dumps: Dumps) -> bool:
    """Whether what was loaded would be written as it was: a type that cannot be loaded here comes
    as a plain dict, and writing that would lose it. Sets may come in another order.
    """
    if "+" in (row["type"] or ""):  # encrypted, with another nonce every time
        return True
    return sorted(dumps(value)[1]) == sorted(row["data"])


def _metadata(data: bytes | str, who: Scrubs) -> dict[str, Any]:
    """What the application added to a checkpoint's metadata; LangGraph's own stays."""
    found = json.loads(data)
    added = {name: value for name, value in found.items() if name not in _LANGGRAPHS_OWN}
    clean = who.scrub_values(added)
    if clean is added:
        return {}
    return {"metadata": json.dumps({**found, **clean}, ensure_ascii=False).encode()}


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
