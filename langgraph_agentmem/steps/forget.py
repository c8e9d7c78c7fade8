"""Forget a topic, or a namespace and all below it, and leave tombstones without content."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass, field
from datetime import datetime

from langgraph_agentmem.model import Namespace

from . import Row, Statement, Steps
from .memories import count_index, erase, find_row, namespace_id
from .places import below, micros, namespace_of, path_of


@dataclass(slots=True)
class Erased:
    """What forget took out of the store: counts, and what the scrub of checkpoints looks for.

    `values` are JSON texts; `messages` are (thread id, message id) of the sources. Both stay in
    memory: a receipt holds neither.
    """

    counts: dict[str, int] = field(
        default_factory=lambda: dict.fromkeys(("memories", "versions", "search text", "vectors"), 0)
    )
    values: list[str] = field(default_factory=list)
    messages: set[tuple[str, str]] = field(default_factory=set)
    topics: set[str] = field(default_factory=set)

    @property
    def total(self) -> int:
        """How many rows went."""
        return sum(self.counts.values())


def mark_of(key: str, namespace: Namespace, thread_id: str, message_id: str) -> str:
    """The keyed hash by which a forgotten source message is known: HMAC-SHA-256, RFC 2104."""
    text = "\x00".join((path_of(namespace), thread_id, message_id))
    return hmac.new(key.encode(), text.encode(errors="surrogatepass"), hashlib.sha256).hexdigest()


def forget(
    namespace: Namespace, topic: str | None, *, key: str, now: datetime, dry_run: bool = False
) -> Steps[Erased]:
    """Erase a topic, or everything in a namespace and below it.

    Args:
        namespace: Whose memory.
        topic: One topic, or None for all.
        key: The key of the tombstones.
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
    for home, place, about in every:
        row = yield from find_row(place, about)
        messages = yield Statement("list_sources", {"namespace_id": home, "topic": about})
        found = {(one["thread_id"], one["message_id"]) for one in messages}
        if dry_run:
            yield from _count(gone, place, about, row)
        else:
            erased = yield from erase(home, about, row)
            gone.values.extend(erased.pop("erased"))
            for name, count in erased.items():
                gone.counts[name] += count
            for thread_id, message_id in found:
                mark = mark_of(key, place, thread_id, message_id)
                yield Statement("add_tombstone", {"mark": mark, "now": micros(now)})
        gone.messages |= found
        gone.topics.add(about)
    return gone


def _count(gone: Erased, place: Namespace, about: str, row: Row | None) -> Steps[None]:
    versions = yield Statement("list_versions", {"path": path_of(place), "topic": about})
    gone.counts["versions"] += len(versions)
    gone.values.extend(version["value"] for version in versions)
    if row is not None:
        gone.counts["memories"] += 1
        for name, number in (yield from count_index(row["id"])).items():
            gone.counts[name] += number
        gone.values.append(row["value"])


def is_forgotten(
    namespace: Namespace, thread_id: str, message_ids: tuple[str, ...], *, key: str
) -> Steps[bool]:
    """Whether any of these messages was the source of something forgotten."""
    for message_id in message_ids:
        mark = mark_of(key, namespace, thread_id, message_id)
        rows = yield Statement("find_tombstone", {"mark": mark})
        if rows:
            return True
    return False
