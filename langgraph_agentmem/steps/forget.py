"""Forget a topic, or a namespace and all below it, and leave tombstones without content.

A tombstone is a keyed hash of what was forgotten and the moment of it. It blocks what would bring
the fact back without anybody saying it again: a source message that is learnt from once more, a
write that was begun before, an import of what was recorded before.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from datetime import datetime
from typing import Any

from langgraph_agentmem.model import Namespace, Source, text_of

from . import Row, Statement, Steps
from .carrying import brought_to, carry, keyed
from .findable import count_index
from .memories import erase, find_row, namespace_id
from .places import below, micros, namespace_of, path_of
from .words import tokens

DERIVED = "episodes and turns"
"""What was derived from a forgotten topic and went with it, as a receipt counts it."""

DERIVED_KINDS = ("episode", "turn")
_CHOSEN = ("outcome", "sentiment", "confirms")
"""What an episode's value says in words of this package: they are nobody's, wherever they stand."""

_PREFIX = 32
"""Bytes of a vector that are looked for in the files: no other vector begins like it."""

States = Callable[[list[str]], Callable[[str], bool]]
"""Gets erased values (JSON texts), gives a question: does a text state one of them?"""


@dataclass(slots=True)
class Erased:
    """What forget took out of the store: counts, and what else is looked for because of it.

    `values` are JSON texts; `messages` are (thread id, message id) of the sources of what was
    asked for, `derived` those of episodes and turns that went with it; `terms` stood in the word
    index for nothing else; `vectors` are the first bytes of each. All of it stays in memory: a
    receipt holds keyed hashes alone. `listing` names what went, for a dry run.
    """

    counts: dict[str, int] = field(
        default_factory=lambda: dict.fromkeys(("memories", "versions", "search text", "vectors"), 0)
    )
    values: list[str] = field(default_factory=list)
    messages: set[tuple[str, str]] = field(default_factory=set)
    derived: set[tuple[str, str]] = field(default_factory=set)
    topics: set[tuple[Namespace, str]] = field(default_factory=set)
    terms: set[str] = field(default_factory=set)
    vectors: set[bytes] = field(default_factory=set)
    listing: list[str] = field(default_factory=list)

    @property
    def total(self) -> int:
        """How many rows went."""
        return sum(self.counts.values())


# Marks -----------------------------------------------------------------------------------------


def mark_of(key: str, namespace: Namespace, thread_id: str, message_id: str) -> str:
    """The keyed hash by which a forgotten source message is known: HMAC-SHA-256, RFC 2104."""
    return keyed(key, path_of(namespace), thread_id, message_id)


def whole_mark(key: str, namespace: Namespace, thread_id: str, message_id: str) -> str:
    """The keyed hash of a message that was replaced whole. The messages of an episode or a turn
    that went with a topic have none: they may say more than what was forgotten.
    """
    return keyed(key, "whole", path_of(namespace), thread_id, message_id)


def topic_mark(key: str, namespace: Namespace, topic: str | None) -> str:
    """The keyed hash of a forgotten topic, or of a namespace with all below it."""
    if topic is None:
        return keyed(key, "namespace", path_of(namespace))
    return keyed(key, "topic", path_of(namespace), topic, "")


def is_buried(key: str, namespace: Namespace, topic: str) -> Steps[bool]:
    """Whether a topic was forgotten once, here or where it was exported."""
    brought = yield from brought_to(namespace, key=key)
    marks = [topic_mark(key, namespace, topic), *brought.marks("topic", topic)]
    return bool((yield Statement("list_tombstones", {"marks": json.dumps(marks)})))


def thread_mark(key: str, thread_id: str) -> str:
    """The keyed hash of a thread in which something was forgotten."""
    return keyed(key, "thread", thread_id)


def term_mark(key: str, term: str) -> str:
    """The keyed hash of a term of the word index."""
    return keyed(key, "term", term)


def bury(mark: str, *, now: datetime) -> Steps[None]:
    """Leave a tombstone; the latest moment counts."""
    yield Statement("add_tombstone", {"mark": mark, "now": micros(now)})


def is_forgotten(
    namespace: Namespace, thread_id: str, message_ids: tuple[str, ...], *, key: str
) -> Steps[bool]:
    """Whether any of these messages was the source of something forgotten, here or where it was
    exported.
    """
    if not message_ids:
        return False
    brought = yield from brought_to(namespace, key=key)
    marks = [
        mark
        for one in message_ids
        for mark in (
            mark_of(key, namespace, thread_id, one),
            *brought.marks("message", thread_id, one),
        )
    ]
    return bool((yield Statement("list_tombstones", {"marks": json.dumps(marks)})))


def buried_messages(
    namespace: Namespace, threads: Sequence[str], *, key: str
) -> Steps[set[tuple[str, str]]]:
    """The (thread, message) of these threads that were replaced whole."""
    found: set[tuple[str, str]] = set()
    for thread_id in threads:
        rows = yield Statement("list_message_ids", {"thread_id": thread_id})
        ids = {
            whole_mark(key, namespace, thread_id, row["message_id"]): row["message_id"]
            for row in rows
        }
        buried = yield Statement("list_tombstones", {"marks": json.dumps([*ids])})
        found |= {(thread_id, ids[row["mark"]]) for row in buried}
    return found


def forgotten_since(
    places: Iterable[tuple[Namespace, str]], begun: datetime, *, key: Callable[[], Steps[str]]
) -> Steps[set[tuple[Namespace, str]]]:
    """Which of these topics were forgotten after a moment: what was begun or recorded before
    that must not bring them back.
    """
    late: set[tuple[Namespace, str]] = set()
    since = {"moment": micros(begun)}
    if not (yield Statement("find_tombstone_since", since)):
        return late
    secret = yield from key()
    for namespace, topic in places:
        brought = yield from brought_to(namespace, key=secret)
        marks = [
            topic_mark(secret, namespace, topic),
            *(topic_mark(secret, namespace[:end], None) for end in range(1, len(namespace) + 1)),
            *brought.marks("topic", topic),
            *brought.marks_of_homes(),
        ]
        if (yield Statement("find_tombstones_since", {**since, "marks": json.dumps(marks)})):
            late.add((namespace, topic))
    return late


# Forgetting ------------------------------------------------------------------------------------


def forget(
    namespace: Namespace,
    topic: str | None,
    *,
    key: str,
    states: States,
    now: datetime,
    dry_run: bool = False,
) -> Steps[Erased]:
    """Erase a topic, or everything in a namespace and below it.

    With a topic go the episodes and turns that share a source message with it or state its
    value: they are copies of it.

    Args:
        namespace: Whose memory.
        topic: One topic, or None for all.
        key: The key of the tombstones.
        states: Recognises erased values in other texts.
        now: When it is forgotten.
        dry_run: Count, and change nothing.
    """
    gone = Erased()
    if topic is None:
        places = yield Statement("list_topics_below", below(namespace))
        every = [(row["namespace_id"], namespace_of(row["path"]), row["topic"]) for row in places]
    else:
        home = yield from namespace_id(namespace)
        every = [] if home is None else [(home, namespace, topic)]
    taking = _Taking(gone, key, now, dry_run=dry_run)
    for home, place, about in every:
        sources = yield from _take(taking, home, place, about)
        gone.messages |= sources
        for thread_id, message_id in () if dry_run else sources:
            yield from bury(whole_mark(key, place, thread_id, message_id), now=now)
    if topic is not None:
        states_it = states(gone.values)
        derived = yield from _derived(namespace, topic, gone, states_it)
        for home, place, about in derived:
            before = gone.counts["memories"]
            gone.derived |= yield from _take(taking, home, place, about)
            derived_here = gone.counts["memories"] - before
            gone.counts[DERIVED] = gone.counts.get(DERIVED, 0) + derived_here
            gone.counts["memories"] = before
        yield from _take_waiting(taking, namespace, states_it)
    if not dry_run:
        gone.terms = yield from _gone_terms(taking.spoken)
        yield from bury(topic_mark(key, namespace, topic), now=now)
        if topic is None:
            yield from carry(key, namespace, "namespace", now=now)  # it covers every topic
        else:
            yield from carry(key, namespace, "topic", topic, now=now)
        for place, about in sorted(gone.topics):
            yield from bury(topic_mark(key, place, about), now=now)
            if topic is not None:
                yield from carry(key, place, "topic", about, now=now)
    return gone


@dataclass(slots=True)
class _Taking:
    """A forgetting that is going on, and the words of the index that it has met."""

    gone: Erased
    key: str
    now: datetime
    _: KW_ONLY
    dry_run: bool
    spoken: set[str] = field(default_factory=set)


def _take_waiting(
    taking: _Taking, namespace: Namespace, states_it: Callable[[str], bool]
) -> Steps[None]:
    """Drop candidates of other topics that wait for consent and state what is erased."""
    gone = taking.gone
    rows = yield Statement("list_waiting_below", below(namespace))
    for row in rows:
        if (namespace_of(row["path"]), row["topic"]) in gone.topics:
            continue
        if any(states_it(text) for text in _texts(json.loads(row["value"]))):
            gone.counts["held"] = gone.counts.get("held", 0) + 1
            gone.listing.append(f"held {'/'.join((*namespace_of(row['path']), row['topic']))}")
            if not taking.dry_run:
                place = {"namespace_id": row["namespace_id"], "id": row["id"]}
                yield Statement("remove_consent", place)


def _take(taking: _Taking, home: int, place: Namespace, about: str) -> Steps[set[tuple[str, str]]]:
    """Erase one topic, or count it; returns its source messages."""
    gone = taking.gone
    row = yield from find_row(place, about)
    versions = yield Statement("list_versions", {"path": path_of(place), "topic": about})
    listed = yield Statement("list_sources", {"namespace_id": home, "topic": about})
    held = [*([row] if row else []), *versions]
    waiting = yield Statement("find_held", {"path": path_of(place), "topic": about})
    if not held and not listed and not waiting:
        return set()
    messages = {(one["thread_id"], one["message_id"]) for one in listed}
    messages |= {pair for one in (*held, *waiting) for pair in _messages_of(one["source"])}
    gone.values.extend(map(told, (*held, *waiting)))
    gone.topics.add((place, about))
    gone.listing.extend(_names(place, about, row, versions))
    taking.spoken |= {
        word
        for one in held
        for word in tokens(home, about, text_of(json.loads(one["value"]))).split()
    }
    if row is not None:
        vectors = yield Statement("list_vectors_of", {"id": row["id"]})
        gone.vectors |= {bytes(one["vector"][:_PREFIX]) for one in vectors}
    if taking.dry_run:
        gone.counts["versions"] += len(versions)
        if waiting:
            gone.counts["held"] = gone.counts.get("held", 0) + len(waiting)
        if row is not None:
            gone.counts["memories"] += 1
            for name, number in (yield from count_index(row["id"])).items():
                gone.counts[name] += number
    else:
        erased = yield from erase(home, about, row)
        erased.pop("erased")
        for name, count in erased.items():
            gone.counts[name] = gone.counts.get(name, 0) + count
        for thread_id, message_id in messages:
            yield from bury(mark_of(taking.key, place, thread_id, message_id), now=taking.now)
            yield from carry(taking.key, place, "message", thread_id, message_id, now=taking.now)
    return messages


def told(row: Mapping[str, Any]) -> str:
    """The value of a memory or version (JSON), as far as somebody said it."""
    if row["kind"] != "episode":
        return str(row["value"])
    value = json.loads(row["value"])
    return json.dumps({name: inner for name, inner in value.items() if name not in _CHOSEN})


def _names(place: Namespace, about: str, row: Row | None, versions: Iterable[Row]) -> list[str]:
    where = "/".join((*place, about))
    named = [] if row is None else [f"{row['kind']} {where}"]
    return [*named, *(f"version {one['number']} of {where}" for one in versions)]


def _messages_of(source: str | None) -> set[tuple[str, str]]:
    found = Source.from_json(source)
    if found is None:
        return set()
    return {(found.thread_id or "", message_id) for message_id in found.message_ids}


def _derived(
    namespace: Namespace, topic: str, gone: Erased, states_it: Callable[[str], bool]
) -> Steps[list[tuple[int, Namespace, str]]]:
    """Episodes and turns of the namespace and below it that are copies of what is erased."""
    rows = yield Statement("list_derived", {**below(namespace), "kinds": json.dumps(DERIVED_KINDS)})
    found: dict[tuple[int, Namespace, str], None] = {}
    for row in rows:
        place = (row["namespace_id"], namespace_of(row["path"]), row["topic"])
        if place[1:] == (namespace, topic) or place in found:
            continue
        shared = gone.messages & _messages_of(row["source"])
        if shared or any(states_it(text) for text in _texts(json.loads(row["value"]))):
            found[place] = None
    return list(found)


def _texts(value: Any) -> Iterable[str]:
    """Every text in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)


def _gone_terms(spoken: set[str]) -> Steps[set[str]]:
    """The index's terms for these words that nothing stands under any more."""
    if not spoken:
        return set()
    # The index stems its words: a table of the same kind says how.
    yield Statement("make_words_then")
    yield Statement("clear_words_then")
    yield Statement("add_words_then", {"id": 1, "tokens": " ".join(sorted(spoken))})
    yield Statement("make_terms_then")
    yield Statement("make_terms")
    rows = yield Statement("list_gone_terms")
    yield Statement("clear_words_then")
    return {row["term"] for row in rows}
