"""Remember, pin, retire, erase: one current value per topic, older ones as versions.

The intervals of a topic's versions never overlap: a value ends the one that was held to be
current at its start, and takes over what was left of that one's time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from langgraph_agentmem.errors import MemoryNotFound, VersionConflict
from langgraph_agentmem.model import Kind, Memory, Namespace, Source

from . import Row, Statement, Steps
from .findable import Findable, count_index, index, tokens_of, unindex
from .places import micros, moment_of, namespace_of, path_of, value_of
from .terms import canonical_json

_MINUTE = 60_000_000


@dataclass(slots=True, kw_only=True)
class Draft:
    """A value on its way into the store, checked, serialized and then embedded.

    None for `kind` or `pinned` keeps what the topic has. `ttl` is in minutes. `fields` is the
    JSON list of what was indexed, None for the store's own; `vectors` are its unit vectors.
    """

    namespace: Namespace
    topic: str
    value: str
    kind: Kind | None = None
    pinned: bool | None = None
    source: Source | None = None
    ttl: float | None = None
    valid_from: datetime | None = None
    expected_version: int | None = None
    fields: str | None = None
    vectors: tuple[bytes, ...] = ()


def memory_of(row: Row) -> Memory:
    """A memory from its row, the path of its namespace joined."""
    return Memory(
        namespace=namespace_of(row["path"]),
        topic=row["topic"],
        value=value_of(row["value"]),
        kind=row["kind"],
        pinned=bool(row["pinned"]),
        version=row["version"],
        source=Source.from_json(row["source"]),
        valid_from=moment_of(row["valid_from"]),
        created_at=moment_of(row["created_at"]),
        updated_at=moment_of(row["updated_at"]),
        # A pin stops the timer, which unpinning starts anew.
        expires_at=None
        if row["pinned"] or row["expires_at"] is None
        else moment_of(row["expires_at"]),
    )


def namespace_id(namespace: Namespace) -> Steps[int | None]:
    """The id of a namespace that holds something or did."""
    rows = yield Statement("find_namespace", {"path": path_of(namespace)})
    return rows[0]["id"] if rows else None


def home_of(namespace: Namespace) -> Steps[int]:
    """The id of a namespace, which is made if need be."""
    found = yield from namespace_id(namespace)
    if found is not None:
        return found
    added = yield Statement("add_namespace", {"path": path_of(namespace)})
    return int(added[0]["id"])


@dataclass(frozen=True, slots=True)
class _Standing:
    """What a topic has: the id of its namespace, its current row, and the last number among its
    versions; if it has ended, also their last start and end.
    """

    home: int
    row: Row | None = None
    number: int | None = None
    started: int | None = None
    ended: int | None = None


def _standing(namespace: Namespace, topic: str) -> Steps[_Standing]:
    """What a topic has, in a namespace that is made if need be."""
    path = path_of(namespace)
    rows = yield Statement("find_standing", {"path": path, "topic": topic})
    if not rows:
        added = yield Statement("add_namespace", {"path": path})
        return _Standing(added[0]["id"])
    found = rows[0]
    return _Standing(
        found["home"],
        None if found["id"] is None else found,
        found["past_number"],
        found["past_started"],
        found["past_ended"],
    )


def find_row(namespace: Namespace, topic: str) -> Steps[Row | None]:
    """The current row of a topic, expired or not."""
    rows = yield Statement("find_memory", {"path": path_of(namespace), "topic": topic})
    return rows[0] if rows else None


def is_live(row: Row, now: datetime) -> bool:
    """Whether a row may be shown: pinned memories never expire."""
    return bool(row["pinned"]) or row["expires_at"] is None or row["expires_at"] > micros(now)


def find_live(namespace: Namespace, topic: str, now: datetime) -> Steps[Row | None]:
    """The current row of a topic, unless it has expired."""
    row = yield from find_row(namespace, topic)
    return row if row is not None and is_live(row, now) else None


def same_value(one: str, other: str) -> bool:
    """Whether two JSON texts hold the same value; true is not 1, and 1.0 is 1."""
    return one == other or canonical_json(one) == canonical_json(other)


def write(draft: Draft, *, now: datetime, revives: bool = True) -> Steps[None]:
    """Make a value current under its topic; what was there goes to the history.

    An equal value makes no version. A `valid_from` before the current one's goes into the
    history. For a topic that has ended, one before its end makes the value current too, unless
    `revives` is false. Raises `VersionConflict` when `expected_version` is not what is found.
    """
    found = yield from _write(draft, now=now, revives=revives)
    yield from index([found] if found else [])


def write_all(drafts: Sequence[Draft], *, now: datetime) -> Steps[None]:
    """`write` for several values, no topic twice."""
    found = []
    for draft in drafts:
        one = yield from _write(draft, now=now, revives=True)
        if one is not None:
            found.append(one)
    yield from index(found)


def _write(draft: Draft, *, now: datetime, revives: bool) -> Steps[Findable | None]:
    """Write a value in its place, and return how it is to be found if it is now current."""
    standing = yield from _standing(draft.namespace, draft.topic)
    if standing.row is not None and not is_live(standing.row, now):
        yield from erase(standing.home, draft.topic, standing.row)
        standing = yield from _standing(draft.namespace, draft.topic)
    home, row = standing.home, standing.row
    found = row["version"] if row else 0
    if draft.expected_version is not None and draft.expected_version != found:
        raise VersionConflict(
            namespace=draft.namespace,
            topic=draft.topic,
            expected=draft.expected_version,
            found=found,
        )
    moment = micros(draft.valid_from or now)
    ended = standing.ended or moment
    is_late = moment < row["valid_from"] if row else moment < ended and not revives
    findable = None
    if draft.valid_from is not None and is_late:
        yield from _write_into_history(draft, standing, moment=moment, now=now)
    else:
        if row is not None:  # another machine's clock may be ahead of ours
            moment = max(moment, row["valid_from"])
        elif moment < ended:
            moment = yield from _after_end(standing, draft.topic, moment)
        findable = yield from _write_current(draft, standing, moment=moment, now=now)
    if draft.source:
        yield from note_sources(home, draft.topic, draft.source)
    return findable


def _after_end(standing: _Standing, topic: str, moment: int) -> Steps[int]:
    """When a value begins that is remembered after its topic was ended: at its own moment, if
    that lies in the last version, which then ends there.
    """
    if standing.started is not None and moment < standing.started:
        return standing.ended or moment
    place = {"namespace_id": standing.home, "topic": topic, "moment": moment}
    yield Statement("end_version_at", place)
    return moment


def _write_current(
    draft: Draft, standing: _Standing, *, moment: int, now: datetime
) -> Steps[Findable]:
    home, row = standing.home, standing.row
    kept = {
        "kind": draft.kind or (row["kind"] if row else "fact"),
        "pinned": int(draft.pinned if draft.pinned is not None else bool(row and row["pinned"])),
        "ttl": draft.ttl,
        "expires_at": _end_of_time(draft.ttl, now),
        "fields": draft.fields,
        "now": micros(now),
    }
    if row and same_value(row["value"], draft.value):
        # It comes back as it was written last: 1.0 is equal to 1, and is another number.
        yield Statement("touch_memory", {**kept, "id": row["id"], "value": draft.value})
        words = None
        if (row["value"], row["kind"]) != (draft.value, kept["kind"]):
            words = tokens_of(home, draft.topic, kept["kind"], draft.value)
            if words == tokens_of(home, draft.topic, row["kind"], row["value"]):
                words = None
        return Findable(row["id"], words, draft.vectors)
    changed = {
        **kept,
        "value": draft.value,
        "source": draft.source.to_json() if draft.source else None,
        "valid_from": moment,
        "version": _next_number(standing),
    }
    if row:
        yield from _close(home, row, moment=moment)
        yield Statement("replace_memory", {**changed, "id": row["id"]})
        return Findable(
            row["id"], tokens_of(home, draft.topic, kept["kind"], draft.value), draft.vectors
        )
    added = yield Statement("add_memory", {**changed, "namespace_id": home, "topic": draft.topic})
    tokens_now = tokens_of(home, draft.topic, kept["kind"], draft.value)
    return Findable(added[0]["id"], tokens_now, draft.vectors, is_new=True)


def _next_number(standing: _Standing) -> int:
    return max(standing.number or 0, standing.row["version"] if standing.row else 0) + 1


def _end_of_time(ttl: float | None, now: datetime) -> int | None:
    return None if ttl is None else micros(now) + round(ttl * _MINUTE)


def _close(home: int, row: Row, *, moment: int) -> Steps[None]:
    """Move the current value to the history, where it ends at `moment`."""
    yield Statement(
        "add_version",
        {
            "namespace_id": home,
            "topic": row["topic"],
            "number": row["version"],
            "value": row["value"],
            "kind": row["kind"],
            "source": row["source"],
            "valid_from": row["valid_from"],
            "valid_to": moment,
            "recorded_at": row["recorded_at"],
        },
    )


def _write_into_history(
    draft: Draft, standing: _Standing, *, moment: int, now: datetime
) -> Steps[None]:
    """A value that held before what is known since: the next number, in its place in valid
    time. It takes over the rest of the version that was thought to hold at its start.
    """
    home, row = standing.home, standing.row
    if row is not None and draft.pinned is not None:
        yield from _write_pin(row, pinned=draft.pinned, now=now)
    place = {"namespace_id": home, "topic": draft.topic, "moment": moment}
    held = yield Statement("find_version_at", place)
    if held and same_value(held[0]["value"], draft.value):
        return
    following = yield Statement("next_start", place)
    yield Statement("end_version_at", place)
    yield Statement(
        "add_version",
        {
            "namespace_id": home,
            "topic": draft.topic,
            "number": _next_number(standing),
            "value": draft.value,
            "kind": draft.kind or (row["kind"] if row else "fact"),
            "source": draft.source.to_json() if draft.source else None,
            "valid_from": moment,
            "valid_to": held[0]["valid_to"] if held else following[0]["moment"],
            "recorded_at": micros(now),
        },
    )


def note_sources(home: int, topic: str, source: Source) -> Steps[None]:
    """Keep which messages a topic was learnt from."""
    for message_id in source.message_ids:
        yield Statement(
            "add_source",
            {
                "namespace_id": home,
                "thread_id": source.thread_id or "",
                "message_id": message_id,
                "topic": topic,
            },
        )


def set_pin(namespace: Namespace, topic: str, *, pinned: bool, now: datetime) -> Steps[Memory]:
    """Pin or unpin what is held about a topic. Raises `MemoryNotFound`."""
    row = yield from find_live(namespace, topic, now)
    if row is None:
        raise MemoryNotFound(namespace=namespace, topic=topic)
    changed = yield from _write_pin(row, pinned=pinned, now=now)
    return memory_of({**row, **changed})


def _write_pin(row: Row, *, pinned: bool, now: datetime) -> Steps[dict[str, Any]]:
    """What changed: unpinning starts the timer anew, so that nothing is gone at once."""
    ends = row["expires_at"]
    if row["pinned"] and not pinned:
        ends = _end_of_time(row["ttl"], now)
    changed = {"pinned": int(pinned), "expires_at": ends}
    yield Statement("pin_memory", {"id": row["id"], **changed})
    return changed


def retire(
    namespace: Namespace, topic: str, *, now: datetime, moment: datetime | None = None
) -> Steps[None]:
    """End a topic without a successor, now or at a moment that has passed; its history stays.
    Raises `MemoryNotFound`.
    """
    row = yield from find_live(namespace, topic, now)
    if row is None:
        raise MemoryNotFound(namespace=namespace, topic=topic)
    ends = max(micros(moment or now), row["valid_from"])
    yield from _close(row["namespace_id"], row, moment=ends)
    yield from unindex(row["id"])
    yield Statement("remove_memory", {"id": row["id"]})


def erase(home: int, topic: str, row: Row | None) -> Steps[dict[str, Any]]:
    """Remove value, versions, sources, words, vectors and consents of a topic, and the name of
    its namespace once that holds nothing else.

    Returns the counts per place, and the erased values (JSON texts) under `erased`. What waited
    for consent is counted, as `held`, where there was any.
    """
    place = {"namespace_id": home, "topic": topic}
    counts = {"memories": 0, "versions": 0, "search text": 0, "vectors": 0}
    values: list[str] = []
    if row is not None:
        counts |= yield from count_index(row["id"])
        yield from unindex(row["id"])
        yield Statement("remove_memory", {"id": row["id"]})
        counts["memories"] = 1
        values.append(row["value"])
    versions = yield Statement("remove_versions", place)
    counts["versions"] = len(versions)
    values.extend(version["value"] for version in versions)
    held = [row["value"] for row in (yield Statement("remove_consents", place)) if row["value"]]
    if held:
        counts["held"] = len(held)
        values.extend(held)
    yield Statement("remove_sources", place)
    yield Statement("remove_empty_namespace", {"id": home})
    return {**counts, "erased": values}


def erase_topic(namespace: Namespace, topic: str) -> Steps[None]:
    """What `delete` does: everything of a topic, its history too; no error if there is none."""
    home = yield from namespace_id(namespace)
    if home is None:
        return
    row = yield from find_row(namespace, topic)
    yield from erase(home, topic, row)


def sweep_expired(*, now: datetime, most: int) -> Steps[int]:
    """Erase memories whose time is over, up to so many; returns how many."""
    rows = yield Statement("list_expired", {"now": micros(now), "most": most})
    for row in rows:
        yield from erase_topic(namespace_of(row["path"]), row["topic"])
    return len(rows)
