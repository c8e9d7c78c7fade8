"""Which threads a retention deletes, and deleting them one at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Literal

from langgraph_agentmem.retention import SweptThread, ThreadRetention

from . import Row, Statement, Steps
from .places import moment_of
from .pruning import remove_thread

_GREGORIAN = datetime(1582, 10, 15, tzinfo=UTC)
"""From when the ids of checkpoints (UUID version 6, RFC 9562) count, in 100 nanoseconds."""

_SIX = 14
"""Where such an id names its version."""


def due(
    retention: ThreadRetention, *, user_id: str | None, now: datetime
) -> Steps[tuple[list[SweptThread], list[str]]]:
    """The threads that go, those used last first, and those that cannot be dated.

    Args:
        retention: The rules.
        user_id: Only this user's threads; None for all.
        now: The time.
    """
    rows = yield (
        Statement("list_thread_ages")
        if user_id is None
        else Statement("list_thread_ages_of", {"user_id": user_id})
    )
    dated = [(row, started, used) for row in rows for started, used in _times(row)]
    undated = [row["thread_id"] for row in rows if not [*_times(row)]]
    dated.sort(key=lambda one: (one[2], one[0]["thread_id"]), reverse=True)
    return [*_due(dated, retention, now)], undated


def _due(
    dated: Sequence[tuple[Row, datetime, datetime]], retention: ThreadRetention, now: datetime
) -> Iterator[SweptThread]:
    staying: Counter[str | None] = Counter()
    for row, started, used in dated:
        reason: Literal["idle", "max_age", "keep_last"]
        if retention.idle is not None and now - used > retention.idle:
            reason = "idle"
        elif retention.max_age is not None and now - started > retention.max_age:
            reason = "max_age"
        elif retention.keep_last is not None and staying[row["user_id"]] >= retention.keep_last:
            reason = "keep_last"
        else:
            staying[row["user_id"]] += 1
            continue
        yield SweptThread(
            thread_id=row["thread_id"],
            user_id=row["user_id"],
            reason=reason,
            started_at=started,
            used_at=used,
            checkpoints=row["checkpoints"],
        )


def sweep(thread: SweptThread, *, now: datetime) -> Steps[bool]:
    """Delete a thread, unless something was stored in it since it was found due."""
    rows = yield Statement("find_thread_age", {"thread_id": thread.thread_id})
    if not rows or [used for _, used in _times(rows[0])] != [thread.used_at]:
        return False
    yield from remove_thread(thread.thread_id, now=now)
    return True


def _times(row: Row) -> Iterator[tuple[datetime, datetime]]:
    """When a thread began and was last used; nothing if nobody knows."""
    if row["used_at"] is not None:
        yield moment_of(row["started_at"]), moment_of(row["used_at"])
        return
    # A thread that the official saver wrote: its checkpoints' ids are made of their time.
    first, last = _made_at(row["first_id"]), _made_at(row["last_id"])
    if first is not None and last is not None:
        yield first, last


def _made_at(checkpoint_id: str) -> datetime | None:
    digits = checkpoint_id.replace("-", "")
    if checkpoint_id[_SIX : _SIX + 1] != "6":
        return None
    try:
        ticks = int(digits[:12] + digits[13:16], 16)
        return _GREGORIAN + timedelta(microseconds=ticks // 10)
    except (ValueError, OverflowError):
        return None
