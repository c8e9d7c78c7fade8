"""Candidates that wait for their user's consent: held once, then kept or dropped.

A held candidate is no memory: no recall, search or history knows of it. Its messages are noted as
sources of its topic, so that learning from them again is a no-op and forgetting reaches them. A
"no" leaves keyed hashes alone, by which the same candidate is known and not held again.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Iterator, Sequence
from datetime import datetime

from langgraph_agentmem.errors import NotHeld
from langgraph_agentmem.model import Consent, Held, Namespace, Source

from . import Row, Statement, Steps
from .carrying import brought_to, carry
from .memories import Draft, namespace_id, note_sources, same_value
from .places import micros, moment_of, namespace_of, path_of


def _mark(key: str, *parts: str) -> str:
    text = "\x00".join(("consent", *parts))
    return hmac.new(key.encode(), text.encode(errors="surrogatepass"), hashlib.sha256).hexdigest()


def id_of(key: str, draft: Draft) -> str:
    """The id of a held candidate: a keyed hash of user, source message, topic and value.

    Not a hash alone: LangGraph takes a resume whose keys all look like one for answers to several
    interrupts.
    """
    source = draft.source or Source()
    messages = (source.thread_id or "", *source.message_ids)
    mark = _mark(key, "id", path_of(draft.namespace), *messages, draft.topic, draft.value)
    return f"held-{mark[:32]}"


def _abouts(key: str, namespace: Namespace, topic: str, source: Source) -> Iterator[str]:
    """Marks of a topic in each message of a source, whatever value was read there."""
    for message_id in source.message_ids:
        yield _mark(key, path_of(namespace), source.thread_id or "", message_id, topic)


def _is_marked(marks: Sequence[str]) -> Steps[bool]:
    for mark in marks:
        if (yield Statement("find_tombstone", {"mark": mark})):
            return True
    return False


def is_refused(key: str, namespace: Namespace, topic: str, source: Source) -> Steps[bool]:
    """Whether the user said no to what a message says about a topic, here or where it was
    exported.
    """
    brought = yield from brought_to(namespace, key=key)
    thread = source.thread_id or ""
    elsewhere = [
        mark for one in source.message_ids for mark in brought.marks("refused", thread, one, topic)
    ]
    return (yield from _is_marked([*_abouts(key, namespace, topic, source), *elsewhere]))


def held_of(row: Row) -> Held:
    """A held candidate from its row."""
    return Held(
        id=row["id"],
        namespace=namespace_of(row["path"]),
        topic=row["topic"],
        value=json.loads(row["value"]),
        kind=row["kind"],
        categories=tuple(json.loads(row["categories"])),
        source=Source.from_json(row["source"]),
        held_at=moment_of(row["changed_at"]),
    )


def _draft_of(row: Row) -> Draft:
    source = Source.from_json(row["source"])
    return Draft(
        namespace=namespace_of(row["path"]),
        topic=row["topic"],
        value=row["value"],
        kind=row["kind"],
        pinned=None if row["pinned"] is None else bool(row["pinned"]),
        source=source,
        # It holds since it was said, not since the user has consented to its being kept.
        valid_from=moment_of(row["changed_at"]),
    )


def waiting_about(namespace: Namespace, topic: str) -> Steps[list[Held]]:
    """What waits for consent under a topic: one candidate, or none."""
    rows = yield Statement("find_held", {"path": path_of(namespace), "topic": topic})
    return [held_of(row) for row in rows]


def hold(
    draft: Draft, categories: Sequence[str], *, home: int, key: str, now: datetime
) -> Steps[Held]:
    """Let a candidate wait. It takes the place of what waited under its topic; one of the same
    value waits on under its old id, so that nobody is asked twice.
    """
    if draft.source:
        yield from note_sources(home, draft.topic, draft.source)
    place = {"path": path_of(draft.namespace), "topic": draft.topic}
    rows = yield Statement("find_held", place)
    for row in rows:
        if same_value(row["value"], draft.value):
            return held_of(row)
        yield Statement("remove_consent", {"namespace_id": home, "id": row["id"]})
    found = id_of(key, draft)
    # A candidate of exactly this id was consented to and its memory has ended since.
    yield Statement("remove_consent", {"namespace_id": home, "id": found})
    held = {
        "namespace_id": home,
        "id": found,
        "topic": draft.topic,
        "categories": json.dumps(list(categories)),
        "value": draft.value,
        "kind": draft.kind,
        "pinned": draft.pinned,
        "source": draft.source.to_json() if draft.source else None,
        "now": micros(now),
    }
    yield Statement("add_held", held)
    return held_of({**held, "path": path_of(draft.namespace), "changed_at": held["now"]})


def drop_waiting(namespace: Namespace, topic: str) -> Steps[bool]:
    """Let nothing wait under a topic any longer, because it has ended. True if something did."""
    rows = yield Statement("find_held", {"path": path_of(namespace), "topic": topic})
    for row in rows:
        yield Statement("remove_consent", {"namespace_id": row["namespace_id"], "id": row["id"]})
    return bool(rows)


def listed(namespace: Namespace) -> Steps[tuple[list[Held], list[Consent]]]:
    """What waits for consent, and the consents that were given; oldest first."""
    rows = yield Statement("list_consents", {"path": path_of(namespace)})
    waiting = [held_of(row) for row in rows if row["value"] is not None]
    given = [consent_of(row) for row in rows if row["value"] is None]
    return waiting, given


def consent_of(row: Row) -> Consent:
    """A consent that was given, from its row."""
    return Consent(
        id=row["id"],
        topic=row["topic"],
        categories=tuple(json.loads(row["categories"])),
        given_at=moment_of(row["changed_at"]),
    )


def find(namespace: Namespace, held_id: str) -> Steps[Draft | Consent]:
    """The candidate that waits under an id, or the consent that was given to it. Raises
    `NotHeld`.
    """
    rows = yield Statement("find_consent", {"path": path_of(namespace), "id": held_id})
    if not rows:
        raise NotHeld(id=held_id)
    return consent_of(rows[0]) if rows[0]["value"] is None else _draft_of(rows[0])


def was_refused(namespace: Namespace, held_id: str, *, key: str) -> Steps[bool]:
    """Whether the user said no to the candidate of this id before."""
    return (yield from _is_marked([_mark(key, "no", path_of(namespace), held_id)]))


def give(namespace: Namespace, held_id: str, *, now: datetime) -> Steps[None]:
    """Note that consent was given; what was held is gone from here."""
    home = yield from namespace_id(namespace)
    yield Statement("give_consent", {"namespace_id": home, "id": held_id, "now": micros(now)})


def refuse(draft: Draft, held_id: str, *, key: str, now: datetime) -> Steps[None]:
    """Drop what was held, and leave the hashes by which it is known."""
    namespace, topic, source = draft.namespace, draft.topic, draft.source or Source()
    home = yield from namespace_id(namespace)
    marks = [*_abouts(key, namespace, topic, source), _mark(key, "no", path_of(namespace), held_id)]
    for mark in marks:
        yield Statement("add_tombstone", {"mark": mark, "now": micros(now)})
    for message_id in source.message_ids:
        told = ("refused", source.thread_id or "", message_id, topic)
        yield from carry(key, namespace, *told, now=now)
        place = {"namespace_id": home, "topic": topic, "message_id": message_id}
        yield Statement("remove_source", {**place, "thread_id": source.thread_id or ""})
    yield Statement("remove_consent", {"namespace_id": home, "id": held_id})
    yield Statement("remove_empty_namespace", {"id": home})
