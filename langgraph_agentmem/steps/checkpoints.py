"""What forgetting changes in a user's threads: each message once, every checkpoint and pending
write, or all of it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Protocol

from langgraph_agentmem.errors import CheckpointUnreadable, TypeNotAllowed

from . import Row, Statement, Steps
from .pruning import remove_thread
from .saving import Apart, Opened
from .thread_messages import Letter, keep, messages_of, rewrite_message


class Scrubs(Protocol):
    """Rewrites a value; the same object means that nothing was forgotten in it."""

    @property
    def messages(self) -> int:
        """Source messages replaced so far."""
        ...

    @property
    def values(self) -> int:
        """Values replaced elsewhere so far."""
        ...

    def learn(self, value: Any) -> None:
        """Note what the source messages in a value say."""
        ...

    def scrub(self, value: Any) -> Any:
        """The value with nothing forgotten in it."""
        ...

    def scrub_values(self, named: Mapping[str, Any]) -> Mapping[str, Any]:
        """The same under names that stay."""
        ...

    def scrub_fields(self, value: Mapping[Any, Any]) -> Any:
        """The same under names that may hold it."""
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


class Openable(Opened, Protocol):
    """A stored value that can be stored again."""

    def with_places(self) -> Any:
        """The value, with `Place`s where messages stand."""
        ...

    def is_faithful(self, kind: str, data: bytes) -> bool:
        """Whether it would be stored as it was: a type that cannot be loaded here comes as plain
        data.
        """
        ...


class Codec(Protocol):
    """How the checkpointer stores values and messages."""

    def loads(self, letter: Letter) -> Any:
        """A stored message."""
        ...

    def dumps(self, value: Any) -> tuple[str, bytes]:
        """A message as it is stored."""
        ...

    def opens(self, kind: str, data: bytes) -> Openable:
        """A stored value."""
        ...

    def apart(self, value: Any) -> Apart:
        """A value to be stored."""
        ...


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


def contents_of(thread_id: str, codec: Codec) -> Steps[list[tuple[datetime | None, Any]]]:
    """A thread's messages, each once, and what else its checkpoints and pending writes hold, with
    the moment when each checkpoint was made.
    """
    messages = yield from messages_of(thread_id)
    wanted = {"threads": json.dumps([thread_id])}
    checkpoints = yield Statement("list_checkpoints_of_threads", wanted)
    writes = yield Statement("list_writes_of_threads", wanted)
    held: list[tuple[datetime | None, Any]] = []
    for row in checkpoints:
        value = codec.opens(row["type"], row["data"]).value
        held.append((datetime.fromisoformat(value["ts"]), value["channel_values"]))
    held.extend((None, codec.opens(row["type"], row["data"]).value) for row in writes)
    held.extend((None, codec.loads(one.letter)) for one in messages)
    return held


_DAMAGED = (
    "a thread holds what is damaged, or was written with another serde, so nothing was forgotten; "
    "open the memory with that serde, or delete the thread with `checkpointer.delete_thread`"
)


def scrub(
    threads: list[str], scrubber: Callable[[str], Scrubs], codec: Codec, *, dry_run: bool
) -> Steps[dict[str, int]]:
    """Rewrite what holds something forgotten: each message of these threads once, and what else
    their checkpoints and pending writes hold.

    Args:
        threads: Thread ids.
        scrubber: The scrubber of a thread.
        codec: Reads and writes what the checkpointer stored.
        dry_run: Count, and change nothing.

    Raises:
        CheckpointUnreadable: What must change holds a type that cannot be loaded here.
    """
    counts = {"checkpoints": 0, "pending writes": 0}
    for thread_id in threads:
        try:
            found = yield from _scrub_thread(thread_id, scrubber(thread_id), codec, dry_run=dry_run)
        except TypeNotAllowed as error:
            raise CheckpointUnreadable(thread_id=thread_id) from error
        except CheckpointUnreadable as error:
            if "thread_id" in error.data:
                raise
            raise CheckpointUnreadable(_DAMAGED, thread_id=thread_id) from error
        for name, count in found.items():
            counts[name] += count
    return counts


def _scrub_thread(
    thread_id: str, who: Scrubs, codec: Codec, *, dry_run: bool
) -> Steps[dict[str, int]]:
    wanted = {"threads": json.dumps([thread_id])}
    checkpoints = yield Statement("list_checkpoints_of_threads", wanted)
    writes = yield Statement("list_writes_of_threads", wanted)
    stored = yield from messages_of(thread_id)
    messages = [(one, codec.loads(one.letter)) for one in stored]
    values = [
        (row, codec.opens(row["type"], row["data"]).with_places())
        for row in (*checkpoints, *writes)
    ]
    for _, message in messages:
        who.learn(message)
    for _, value in values:
        who.learn(value)
    for one, message in messages:
        clean = who.scrub(message)
        if clean is message:
            continue
        _check_faithful(thread_id, one.letter.kind, one.letter.data, codec)
        if not dry_run:
            yield from rewrite_message(thread_id, one.number, codec.dumps(clean))
    counts = {"checkpoints": 0, "pending writes": 0}
    for row, value in values:
        is_write = "task_id" in row.keys()  # noqa: SIM118 - drivers' rows iterate over values
        clean, metadata = _cleaned(row, value, who, is_write=is_write)
        if clean is value and not metadata:
            continue
        _check_faithful(thread_id, row["type"], row["data"], codec)
        counts["pending writes" if is_write else "checkpoints"] += 1
        if not dry_run:
            parts = codec.apart(clean)
            kind, data = parts.closed((yield from keep(thread_id, parts.lists)))
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


def _check_faithful(thread_id: str, kind: str, data: bytes, codec: Codec) -> None:
    if not codec.opens(kind, data).is_faithful(kind, data):
        raise CheckpointUnreadable(thread_id=thread_id)


def _metadata(data: bytes | str, who: Scrubs) -> dict[str, Any]:
    """What the application added to a checkpoint's metadata; LangGraph's own stays."""
    found = json.loads(data)
    clean = clean_metadata(found, who)
    if clean is found:
        return {}
    return {"metadata": json.dumps(clean, ensure_ascii=False).encode()}


def clean_metadata(found: Mapping[str, Any], who: Scrubs) -> Mapping[str, Any]:
    """A checkpoint's metadata with nothing forgotten in it; the same object if nothing was."""
    added = {name: value for name, value in found.items() if name not in _LANGGRAPHS_OWN}
    clean = who.scrub_fields(added)
    if clean is added:
        return found
    return {**{name: value for name, value in found.items() if name not in added}, **clean}


def remove_threads(threads: list[str], *, now: datetime, dry_run: bool) -> Steps[dict[str, int]]:
    """Remove threads with all that they hold, and whose they are."""
    rows = yield Statement("count_of_threads", {"threads": json.dumps(threads)})
    for thread_id in [] if dry_run else threads:
        yield from remove_thread(thread_id, now=now)
    return {
        "threads": len(threads),
        "checkpoints": rows[0]["checkpoints"],
        "pending writes": rows[0]["writes"],
    }
