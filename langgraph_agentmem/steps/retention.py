"""Forget by rule: which memories are due, by age, uses, strength and capacity; and count uses."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import groupby

from langgraph_agentmem.model import KINDS, Namespace
from langgraph_agentmem.retention import LEAST_STRENGTH, Reason, Retention, Swept

from . import Row, Statement, Steps
from .memories import erase, find_row
from .places import below, micros, moment_of, namespace_of, path_of

Uses = Mapping[tuple[Namespace, str], tuple[int, datetime]]
"""How often topics were recalled, and when last."""


def note_uses(uses: Uses) -> Steps[None]:
    """Add recalls to what memories were used before; topics that are gone are skipped."""
    for (namespace, topic), (number, last) in uses.items():
        place = {"path": path_of(namespace), "topic": topic}
        yield Statement("note_uses", {**place, "number": number, "last": micros(last)})


def due(
    retention: Retention, *, namespace: Namespace | None, now: datetime
) -> Steps[list[tuple[Swept, Row]]]:
    """What a retention takes, each with what it was found by.

    Args:
        retention: The rules.
        namespace: Only there and below; None for all.
        now: The moment of the call.
    """
    everywhere = {"path": "", "below": "", "beyond": "\U0010ffff"}
    kinds = json.dumps(list(retention.kinds or KINDS))
    rows = yield Statement(
        "list_retained",
        {**(everywhere if namespace is None else below(namespace)), "kinds": kinds},
    )
    return _due(rows, retention, now=now)


def sweep(found: Sequence[tuple[Swept, Row]]) -> Steps[list[Swept]]:
    """Erase as `delete` does what was found due, unless it was written, pinned or used since;
    returns what went.
    """
    gone: list[Swept] = []
    for one, then in found:
        row = yield from find_row(one.namespace, one.topic)
        if row is None or row["pinned"] or any(row[name] != then[name] for name in _DUE_BY):
            continue
        yield from erase(row["namespace_id"], one.topic, row)
        gone.append(one)
    return gone


_DUE_BY = ("updated_at", "uses", "used_at")
"""What the rules look at."""


def _due(rows: Iterable[Row], retention: Retention, *, now: datetime) -> list[tuple[Swept, Row]]:
    """What a retention takes of these rows, which come by namespace."""
    found: list[tuple[Swept, Row]] = []
    for path, some in groupby(rows, key=lambda row: row["path"]):
        home = namespace_of(path)
        kept: list[Row] = []
        for row in some:
            reason = _reason(row, retention, now)
            if reason is None:
                kept.append(row)
            else:
                found.append((Swept(namespace=home, topic=row["topic"], reason=reason), row))
        if retention.capacity is not None:
            kept.sort(key=lambda row: (-_rank(row, retention, now), row["topic"]))
            found.extend(
                (Swept(namespace=home, topic=row["topic"], reason="capacity"), row)
                for row in kept[retention.capacity :]
            )
    return found


def _reason(row: Row, retention: Retention, now: datetime) -> Reason | None:
    if retention.max_age and now - moment_of(row["updated_at"]) > retention.max_age:
        return "max_age"
    is_used = retention.min_uses is not None and row["uses"] >= retention.min_uses
    if retention.unused_for and not is_used and _idle(row, now) > retention.unused_for:
        return "unused_for"
    if retention.half_life and strength(row, retention.half_life, now) < LEAST_STRENGTH:
        return "half_life"
    return None


def _idle(row: Row, now: datetime) -> timedelta:
    """Since it was last recalled or written."""
    return max(now - moment_of(max(row["used_at"] or 0, row["updated_at"])), timedelta(0))


def strength(row: Row, half_life: timedelta, now: datetime) -> float:
    """(1 + uses), halved for every half-life since it was last recalled or written."""
    return float((1 + row["uses"]) * 0.5 ** (_idle(row, now) / half_life))


def _rank(row: Row, retention: Retention, now: datetime) -> float:
    if retention.half_life is None:
        return -_idle(row, now).total_seconds()
    return strength(row, retention.half_life, now)
