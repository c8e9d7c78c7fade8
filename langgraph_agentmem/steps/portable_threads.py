"""A user's threads for an export, and what of one may come back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from langgraph_agentmem.model import Namespace

from . import Row, Statement, Steps
from .carrying import Missed
from .checkpoints import Codec
from .forget import bury, thread_mark, topic_mark
from .places import micros, moment_of
from .portable import Key
from .saving import Point
from .thread_messages import Letter, Place, letters_of, numbers_in


def list_checkpoints(thread_id: str) -> Steps[list[tuple[str, str]]]:
    """Namespace and id of a thread's checkpoints, oldest first."""
    rows = yield Statement("list_checkpoint_places", {"thread_id": thread_id})
    return [(row["checkpoint_ns"], row["checkpoint_id"]) for row in rows]


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaving:
    """A checkpoint to be exported, `Place`s where its messages stand.

    Args:
        row: As it is stored.
        value: The checkpoint.
        writes: What waits on it: rows and values.
        numbers: The messages of each place.
        letters: Those messages that were not written yet.
    """

    row: Row
    value: Any
    writes: Sequence[tuple[Row, Any]]
    numbers: Mapping[Place, Sequence[int]]
    letters: Mapping[int, Letter]


def leaving(point: Point, codec: Codec, written: Iterable[int]) -> Steps[Leaving | None]:
    """A checkpoint to be exported; None if it was deleted meanwhile.

    Args:
        point: Its place.
        codec: Reads what the checkpointer stored.
        written: The messages that are exported already.
    """
    rows = yield Statement("find_checkpoint", point.params)
    if not rows:
        return None
    value = codec.opens(rows[0]["type"], rows[0]["data"])
    waiting = yield Statement("list_writes_of_checkpoint", point.params)
    writes = [(row, codec.opens(row["type"], row["data"])) for row in waiting]
    places = [*value.places, *(spot for _, write in writes for spot in write.places)]
    numbers = yield from numbers_in(point.thread_id, places)
    fresh = {one for some in numbers.values() for one in some}.difference(written)
    letters = yield from letters_of(point.thread_id, fresh)
    return Leaving(
        row=rows[0],
        value=value.with_places(),
        writes=[(row, write.with_places()) for row, write in writes],
        numbers=numbers,
        letters=letters,
    )


def writes_on(point: Point) -> Steps[int | None]:
    """How many writes wait on a checkpoint; None if it is not stored."""
    if not (yield Statement("find_checkpoint", point.params)):
        return None
    return len((yield Statement("list_writes_of_checkpoint", point.params)))


def scrubbed_at(thread_id: str, *, key: Key) -> Steps[datetime | None]:
    """When something was last forgotten in a thread."""
    secret = yield from key()
    rows = yield Statement("find_tombstone", {"mark": thread_mark(secret, thread_id)})
    return moment_of(rows[0]["forgotten_at"]) if rows else None


def forgotten_before(
    namespace: Namespace,
    thread_id: str,
    scrubbed: datetime | None,
    missed: Missed,
    *,
    key: Key,
) -> Steps[datetime | None]:
    """When something was last forgotten here that a thread may still hold; None for never.

    Args:
        namespace: The user's.
        thread_id: The thread.
        scrubbed: When it was last forgotten from where it was exported: what was forgotten there
            until then is not in it.
        missed: What was not forgotten there.
        key: The key of the tombstones.
    """
    secret = yield from key()
    mark = thread_mark(secret, thread_id)
    homes = [topic_mark(secret, namespace[:end], None) for end in range(1, len(namespace) + 1)]
    rows = yield Statement("last_tombstone", {"marks": json.dumps([mark, *homes])})
    moments = [moment_of(row["moment"]) for row in rows if row["moment"] is not None]
    if scrubbed is not None:
        yield from bury(mark, now=scrubbed)
        moments = [one for one in moments if one > scrubbed]
    known = [*missed.of_home("thread", thread_id), *missed.of_home("namespace")]
    return max([*moments, *(one for one in known if one != scrubbed)], default=None)


@dataclass(frozen=True, slots=True)
class Times:
    """When a thread began and was last written to."""

    started_at: datetime
    used_at: datetime

    def with_others(self, other: Times | None) -> Times:
        """The earlier beginning and the later use."""
        if other is None:
            return self
        return Times(min(self.started_at, other.started_at), max(self.used_at, other.used_at))


def times_of(thread_id: str) -> Steps[Times | None]:
    """A thread's times, if they are known."""
    rows = yield Statement("find_thread_times", {"thread_id": thread_id})
    return (
        Times(*(moment_of(rows[0][name]) for name in ("started_at", "used_at"))) if rows else None
    )


def set_times(thread_id: str, times: Times) -> Steps[None]:
    """A thread that was imported began and was used when it was."""
    moments = {"started_at": micros(times.started_at), "used_at": micros(times.used_at)}
    yield Statement("set_thread_times", {"thread_id": thread_id, **moments})
