"""Look again for what was forgotten, by keyed hashes alone; and set the word index right."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Any

from langgraph_agentmem.model import Receipt

from . import Statement, Steps
from .checkpoints import Codec, contents_of, every_thread
from .findable import tokens_of
from .forget import Erased, mark_of, term_mark, thread_mark, topic_mark
from .places import micros, namespace_of

_KEY = "key"

MessagesIn = Callable[[Any], Iterable[str]]
"""The ids of the messages in a value that are no markers."""


def marks_of(
    gone: Erased, threads: Sequence[str], *, removed: bool, key: str
) -> dict[str, tuple[str, ...]]:
    """The keyed hashes that a receipt carries of what was erased.

    Args:
        gone: What was erased.
        threads: Threads in which something was forgotten.
        removed: Whether they were removed as a whole.
        key: The key of the tombstones.
    """
    places = {place for place, _ in gone.topics}
    return {
        _KEY: (term_mark(key, _KEY),),
        "topics": tuple(sorted(topic_mark(key, *one) for one in gone.topics)),
        "sources": tuple(
            sorted(mark_of(key, place, *one) for one in gone.messages for place in places)
        ),
        "messages": tuple(sorted(message_mark(key, *one) for one in gone.messages)),
        "terms": tuple(sorted(term_mark(key, term) for term in gone.terms)),
        "removed threads" if removed else "threads": tuple(
            sorted(thread_mark(key, thread) for thread in threads)
        ),
    }


def message_mark(key: str, thread_id: str, message_id: str) -> str:
    """The keyed hash of a message in a thread, whoever's memory came from it."""
    return mark_of(key, ("message",), thread_id, message_id)


def is_key_of(receipt: Receipt, key: str) -> bool:
    """Whether a receipt's hashes were made with this key."""
    return term_mark(key, _KEY) in receipt.marks.get(_KEY, ())


def look_again(receipt: Receipt, *, key: str, moment: datetime) -> Steps[dict[str, int]]:
    """What of a receipt's topics, sources and terms is there, of what is older than it."""
    found = {"memories": 0, "versions": 0, "sources": 0, "search text": 0}
    wanted = {name: frozenset(marks) for name, marks in receipt.marks.items()}
    older = {"moment": micros(moment)}
    current = yield Statement("list_memory_topics_until", older)
    versions = yield Statement("list_version_topics_until", older)
    for place, rows in (("memories", current), ("versions", versions)):
        for row in rows:
            mark = topic_mark(key, namespace_of(row["path"]), row["topic"])
            found[place] += mark in wanted["topics"]
    rows = yield Statement("list_all_sources")
    for row in rows:
        home = namespace_of(row["path"])
        # A message that told of several topics stays the source of those that were not forgotten.
        if topic_mark(key, home, row["topic"]) in wanted["topics"]:
            mark = mark_of(key, home, row["thread_id"], row["message_id"])
            found["sources"] += mark in wanted["sources"]
    if wanted["terms"]:
        yield Statement("make_terms")
        yield Statement("make_term_places")
        terms = yield Statement("list_terms")
        for row in terms:
            if term_mark(key, row["term"]) in wanted["terms"]:
                held = yield Statement("list_ids_of_term", {"term": row["term"], **older})
                found["search text"] += len(held)
    return found


def look_in_threads(
    receipt: Receipt, *, key: str, moment: datetime, codec: Codec, messages_in: MessagesIn
) -> Steps[dict[str, int]]:
    """Source messages that stand in their threads as they were, and checkpoints of removed
    threads that are older than the receipt.
    """
    found = {"messages": 0, "checkpoints": 0}
    wanted = {name: frozenset(marks) for name, marks in receipt.marks.items()}
    threads = yield from every_thread()
    for thread_id in threads:
        mark = thread_mark(key, thread_id)
        is_removed = mark in wanted.get("removed threads", ())
        if not is_removed and mark not in wanted.get("threads", ()):
            continue
        held = yield from contents_of(thread_id, codec)
        for written_at, value in held:
            if is_removed:
                found["checkpoints"] += written_at is not None and written_at <= moment
            else:
                found["messages"] += sum(
                    message_mark(key, thread_id, message_id) in wanted["messages"]
                    for message_id in messages_in(value)
                )
    return found


def repair() -> Steps[dict[str, int]]:
    """Remove index rows without a memory, and index memories that have none."""
    orphans = yield Statement("list_orphan_words")
    for row in orphans:
        yield Statement("remove_words", {"id": row["id"]})
    unindexed = yield Statement("list_unindexed")
    for row in unindexed:
        words = tokens_of(row["namespace_id"], row["topic"], row["kind"], row["value"])
        yield Statement("add_words", {"id": row["id"], "tokens": words})
    return {"index rows without a memory": len(orphans), "memories without one": len(unindexed)}
