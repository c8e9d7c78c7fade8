"""A user's memories as plain lines, and back: whole topics, each written or left as one.

What was forgotten does not come back by an older export: of what a line holds, everything that
was recorded before its topic was forgotten is left out.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, TypeAlias

from langgraph_agentmem.errors import InvalidExport
from langgraph_agentmem.model import KINDS, Namespace, Source

from . import Row, Statement, Steps
from .findable import add_vectors, tokens_of
from .forget import DERIVED_KINDS, forgotten_since, is_forgotten, told
from .memories import Draft, is_live, note_sources, same_value
from .places import (
    below,
    check_namespace,
    check_source,
    check_topic,
    micros,
    moment_of,
    namespace_of,
    path_of,
    value_json,
)

Line: TypeAlias = Mapping[str, Any]
"""One line of an export."""

Key: TypeAlias = Callable[[], Steps[str]]
"""Gives the key of the tombstones."""

Fate: TypeAlias = Literal["written", "unchanged", "different", "forgotten"]
"""What became of a line: it is written; it was there already; something else is there, which
stays; or all of it was forgotten since, or its time is over.
"""

_VERSION = ("number", "value", "kind", "source", "valid_from", "recorded_at")
_TIMES = (
    *("valid_from", "valid_to", "recorded_at", "created_at", "updated_at", "expires_at"),
    "used_at",
)
_CONSENT = ("id", "categories", "value", "kind", "pinned", "source", "changed_at")
_USES = ("uses", "used_at")
"""What a current value has since version 2 of the format."""

_CURRENT = (*_VERSION, "pinned", "created_at", "updated_at", "expires_at", "ttl", "fields", *_USES)


# Out -------------------------------------------------------------------------------------------


def list_topics(namespace: Namespace) -> Steps[list[tuple[Namespace, str]]]:
    """The topics of a namespace and below it, in order."""
    rows = yield Statement("list_topics_below", below(namespace))
    return [(namespace_of(row["path"]), row["topic"]) for row in rows]


def export(
    namespace: Namespace, place: Namespace, topic: str, *, now: datetime
) -> Steps[list[Line]]:
    """A topic as one line: its current value, its versions, and the messages it was learnt from.
    None for one whose time is over.

    Args:
        namespace: What is exported; the line says where below it the topic is.
        place: The topic's namespace.
        topic: The topic.
        now: The moment of the call.
    """
    at = {"path": path_of(place), "topic": topic}
    rows = yield Statement("find_memory", at)
    if rows and not is_live(rows[0], now):
        return []
    versions = yield Statement("list_versions", at)
    sources = yield Statement("list_sources_in_order", at)
    consents = yield Statement("list_consents_of", at)
    if not rows and not versions and not consents:
        return []
    line = {
        "type": "topic",
        "below": list(place[len(namespace) :]),
        "topic": topic,
        "current": _plain(rows[0], number="version", names=_CURRENT) if rows else None,
        "versions": [
            _plain(one, number="number", names=(*_VERSION, "valid_to")) for one in versions
        ],
        "sources": [[one["thread_id"], one["message_id"]] for one in sources],
        "consents": [_plain_consent(one) for one in consents],
    }
    return [line]


def _plain_consent(row: Row) -> dict[str, Any]:
    held = {name: row[name] for name in _CONSENT}
    for name in ("value", "source", "categories"):
        held[name] = None if held[name] is None else json.loads(held[name])
    held["pinned"] = None if held["pinned"] is None else bool(held["pinned"])
    held["changed_at"] = moment_of(held["changed_at"]).isoformat()
    return held


def _plain(row: Row, *, number: str, names: Sequence[str]) -> dict[str, Any]:
    held = {name: row[number if name == "number" else name] for name in names}
    for name in _TIMES:
        if held.get(name) is not None:
            held[name] = moment_of(held[name]).isoformat()
    held["value"] = json.loads(held["value"])
    held["source"] = None if held["source"] is None else json.loads(held["source"])
    if "fields" in held:
        held["fields"] = None if held["fields"] is None else json.loads(held["fields"])
        held["pinned"] = bool(held["pinned"])
    return held


# In --------------------------------------------------------------------------------------------


@dataclass(slots=True, kw_only=True)
class Topic:
    """A topic from a line, checked. Moments are microseconds."""

    namespace: Namespace
    topic: str
    current: dict[str, Any] | None
    versions: list[dict[str, Any]]
    sources: list[tuple[str, str]]
    consents: list[dict[str, Any]]
    vectors: tuple[bytes, ...] = ()

    @property
    def is_derived(self) -> bool:
        """Whether it tells what was said or done, and so may state what others are about."""
        held = [*self.versions, *([] if self.current is None else [self.current])]
        return any(one["kind"] in DERIVED_KINDS for one in held)

    def values(self) -> list[Any]:
        """Every value that it has had."""
        held = [*self.versions, *([] if self.current is None else [self.current])]
        return [json.loads(one["value"]) for one in held]

    def draft(self) -> Draft | None:
        """The current value, to be embedded."""
        if self.current is None:
            return None
        return Draft(
            namespace=self.namespace,
            topic=self.topic,
            value=self.current["value"],
            kind=self.current["kind"],
            fields=self.current["fields"],
        )


def read_topic(line: Line, namespace: Namespace) -> Topic:
    """A topic of a line, under a namespace. Raises `InvalidExport`."""
    try:
        given = line["current"]
        current = None if given is None else _checked({**_UNUSED, **given}, _CURRENT)
        versions = [_checked(one, (*_VERSION, "valid_to")) for one in line["versions"]]
        sources = [(_text(thread), _text(message)) for thread, message in line["sources"]]
        consents = [_checked_consent(one) for one in line["consents"]]
        place = check_namespace((*namespace, *line["below"]))
        topic = check_topic(line["topic"])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InvalidExport(line="topic", error=type(error).__name__) from None
    return Topic(
        namespace=place,
        topic=topic,
        current=current,
        versions=versions,
        sources=sources,
        consents=consents,
    )


_UNUSED = {"uses": 0, "used_at": None}


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _checked(given: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    held = {name: given[name] for name in names}
    for name in _TIMES:
        if held.get(name) is not None:
            held[name] = micros(datetime.fromisoformat(held[name]))
    number: object = held["number"]
    if held["kind"] not in KINDS or not _is_whole(number) or not _is_whole(held.get("uses", 0)):
        raise ValueError
    held["value"] = value_json(held["value"])
    if held["source"] is not None:
        source = Source.from_json(json.dumps(held["source"]))
        check_source(source)
        held["source"] = source.to_json() if source else None
    if "fields" in held:
        held["fields"] = None if held["fields"] is None else json.dumps(held["fields"])
    return held


def _is_whole(number: object) -> bool:
    return isinstance(number, int) and not isinstance(number, bool) and number >= 0


def _checked_consent(given: Mapping[str, Any]) -> dict[str, Any]:
    held = {name: given[name] for name in _CONSENT}
    held["id"] = _text(held["id"])
    held["categories"] = json.dumps([_text(one) for one in held["categories"]])
    held["value"] = None if held["value"] is None else value_json(held["value"])
    if held["source"] is not None:
        source = Source.from_json(json.dumps(held["source"]))
        held["source"] = source.to_json() if check_source(source) and source else None
    held["changed_at"] = micros(datetime.fromisoformat(held["changed_at"]))
    return held


def standing(topic: Topic) -> Steps[Fate]:
    """Whether a topic may be written: nothing is there, the same, or something else."""
    at = {"path": path_of(topic.namespace), "topic": topic.topic}
    rows = yield Statement("find_memory", at)
    versions = yield Statement("list_versions", at)
    consents = yield Statement("list_consents_of", at)
    if not rows and not versions and not consents:
        return "written"
    held = [(one["number"], one["value"]) for one in versions]
    held += [(row["version"], row["value"]) for row in rows]
    given = [(one["number"], one["value"]) for one in topic.versions]
    given += [] if topic.current is None else [(topic.current["number"], topic.current["value"])]
    is_same = len(held) == len(given) and all(
        number == other and same_value(value, text)
        for (number, value), (other, text) in zip(sorted(held), sorted(given), strict=True)
    )
    return "unchanged" if is_same else "different"


def write(topic: Topic, *, key: Key, now: datetime) -> Steps[Fate]:
    """Write a topic as it was exported, all of it or nothing."""
    found = yield from standing(topic)
    if found != "written":
        return found
    current, versions = topic.current, []
    if current is not None and _is_over(current, now):
        return "forgotten"
    for one in topic.versions:
        if not (yield from _is_forgotten(topic, one, key)):
            versions.append(one)  # noqa: PERF401 - each asks the database
    if current is not None and (yield from _is_forgotten(topic, current, key)):
        current = None
    consents = []
    for one in topic.consents:
        asked = {"recorded_at": one["changed_at"], "source": one["source"]}
        if not (yield from _is_forgotten(topic, asked, key)):
            consents.append(one)
    if current is None and not versions and not consents:
        return "forgotten"
    yield from _add(topic, current, versions, consents)
    return "written"


def forgotten_in(topic: Topic, *, key: Key) -> Steps[tuple[list[str], set[tuple[str, str]]]]:
    """The values of a topic (JSON texts) that were forgotten here, and their source messages."""
    values: list[str] = []
    messages: set[tuple[str, str]] = set()
    current = [] if topic.current is None else [topic.current]
    waiting = [
        {**one, "recorded_at": one["changed_at"]}
        for one in topic.consents
        if one["value"] is not None
    ]
    for one in (*topic.versions, *current, *waiting):
        if (yield from _is_forgotten(topic, one, key)):
            values.append(told(one))
            source = Source.from_json(one["source"]) or Source()
            messages |= {(source.thread_id or "", each) for each in source.message_ids}
    return values, messages


def _add(
    topic: Topic,
    current: Mapping[str, Any] | None,
    versions: Sequence[Mapping[str, Any]],
    consents: Sequence[Mapping[str, Any]],
) -> Steps[None]:
    path = path_of(topic.namespace)
    rows = yield Statement("find_namespace", {"path": path})
    if not rows:
        rows = yield Statement("add_namespace", {"path": path})
    home = rows[0]["id"]
    place = {"namespace_id": home, "topic": topic.topic}
    for one in versions:
        yield Statement("add_version", {**place, **one})
    for one in consents:
        yield Statement("import_consent", {**place, **one})
    if current is not None:
        row = {**place, **current, "version": current["number"]}
        added = yield Statement("import_memory", row)
        memory = added[0]["id"]
        yield from add_vectors(memory, topic.vectors)
        words = tokens_of(home, topic.topic, current["kind"], current["value"])
        yield Statement("add_words", {"id": memory, "tokens": words})
    for thread_id, message_id in topic.sources:
        source = Source(thread_id=thread_id, message_ids=(message_id,))
        yield from note_sources(home, topic.topic, source)


def _is_over(current: Mapping[str, Any], now: datetime) -> bool:
    ends = current["expires_at"]
    return not current["pinned"] and ends is not None and ends <= micros(now)


def _is_forgotten(topic: Topic, held: Mapping[str, Any], key: Key) -> Steps[bool]:
    recorded = moment_of(held["recorded_at"])
    place = (topic.namespace, topic.topic)
    if (yield from forgotten_since([place], recorded, key=key)):
        return True
    source = Source.from_json(held["source"])
    if source is None or not source.message_ids:
        return False
    secret = yield from key()
    return (
        yield from is_forgotten(
            topic.namespace, source.thread_id or "", source.message_ids, key=secret
        )
    )
