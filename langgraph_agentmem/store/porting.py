"""Verbs that take memories out of the store and bring them in: exports, and other stores."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

from langgraph.store.base import BaseStore, Item

from langgraph_agentmem.errors import InvalidExport
from langgraph_agentmem.model import Namespace
from langgraph_agentmem.steps import (
    Call,
    Steps,
    Work,
    await_all,
    call_all,
    carrying,
    portable,
    settings,
)
from langgraph_agentmem.steps.carrying import Marks
from langgraph_agentmem.steps.places import check_labels, check_moment, check_namespace
from langgraph_agentmem.steps.portable import Fate, Line, Topic

from .uses import Using

FORMAT = "langgraph-agentmem"
FORMAT_VERSION = 2
"""What the first line of an export says."""

_READABLE = (1, FORMAT_VERSION)
"""The first version has no tombstones, uses, activity and times of threads."""

_TOMBSTONES = 500
"""Tombstones on a line, at most."""

_PAGE = 100
"""Items of another store that are read at a time."""


@dataclass(slots=True, kw_only=True)
class Imported:
    """What became of what was imported, by kind of line, such as `topic` and `checkpoint`.

    Args:
        written: What is there now and was not.
        unchanged: What was there already: importing twice changes nothing.
        different: What was left out because something else is there, which stays.
        forgotten: What was left out because it was forgotten here after it was recorded, or its
            time is over.
    """

    written: dict[str, int] = field(default_factory=dict)
    unchanged: dict[str, int] = field(default_factory=dict)
    different: dict[str, int] = field(default_factory=dict)
    forgotten: dict[str, int] = field(default_factory=dict)

    def count(self, fate: Fate, kind: str, number: int = 1) -> None:
        """Count what became of a line."""
        if not number:
            return
        counts: dict[str, int] = getattr(self, fate)
        counts[kind] = counts.get(kind, 0) + number


def line_of(given: object) -> Line:
    """A line of an export, from JSON if it is text. Raises `InvalidExport`."""
    found: object = given
    if isinstance(given, str | bytes):
        try:
            found = json.loads(given)
        except ValueError:
            raise InvalidExport(line="no JSON") from None
    if not isinstance(found, dict) or not isinstance(found.get("type"), str):
        raise InvalidExport(line=type(found).__name__)
    return found


def check_header(line: Line) -> None:
    """Raises `InvalidExport` for a first line that is none, or of a later version."""
    if line.get("type") != "header" or line.get("format") != FORMAT:
        raise InvalidExport("the first line is no header of an export")
    if line.get("version") not in _READABLE:
        raise InvalidExport(
            "the export is of another version of the format; upgrade the package",
            found=line.get("version"),
            known=FORMAT_VERSION,
        )


def tombstones_of(line: Line) -> Marks:
    """The tombstones of a line. Raises `InvalidExport`."""
    try:
        marks = [
            (_hash(mark), check_moment(datetime.fromisoformat(at))) for mark, at in line["marks"]
        ]
        _hash(line["key"])
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidExport(line="tombstones", error=type(error).__name__) from None
    return marks


def _hash(text: object) -> str:
    if not isinstance(text, str) or not _HASH.fullmatch(text):
        raise ValueError
    return text


_HASH = re.compile("[0-9a-f]{64}")
"""A keyed hash."""


class Porting(Using):
    """Memories out of the store, and in."""

    def export(self, namespace: Namespace) -> Iterator[dict[str, Any]]:
        """A namespace and all below it as lines: a header, the tombstones of what was forgotten,
        then one line for each topic, with its current value, its versions and which messages it
        was learnt from. What has expired is left out. Each line is read when it is asked for; the
        order is stable.

        Write each as a line of JSON: `json.dumps(line, ensure_ascii=False)`.

        Raises:
            InvalidNamespace: The namespace is none.
        """
        home = check_namespace(namespace)
        yield header()
        yield from call_all(self.tombstones_work(home))
        for place, topic in call_all(self.topics_work(home)):
            yield from call_all(self.topic_work(home, place, topic))

    async def aexport(self, namespace: Namespace) -> AsyncIterator[dict[str, Any]]:
        """`export`, awaited."""
        home = check_namespace(namespace)
        yield header()
        for line in await await_all(self.tombstones_work(home)):
            yield line
        for place, topic in await await_all(self.topics_work(home)):
            for line in await await_all(self.topic_work(home, place, topic)):
                yield line

    def tombstones_work(self, home: Namespace) -> Work[list[dict[str, Any]]]:
        """Lines of what was forgotten in a namespace and below it."""

        def steps() -> Steps[list[tuple[str, Marks]]]:
            key = self._given_key or (yield from settings.read(settings.TOMBSTONE_KEY))
            return [] if key is None else (yield from carrying.leaving(home, key=key))

        by_key: list[tuple[str, Marks]] = yield self.perform(steps(), write=False)
        return [
            {
                "type": "tombstones",
                "key": key,
                "marks": [
                    [mark, at.isoformat()] for mark, at in marks[start : start + _TOMBSTONES]
                ],
            }
            for key, marks in by_key
            for start in range(0, len(marks), _TOMBSTONES)
        ]

    def import_tombstones(self, line: Line, home: Namespace, done: Imported) -> Work[None]:
        """Take in what was forgotten where an export was made. What is here stays."""
        marks = tombstones_of(line)

        def steps() -> Steps[int]:
            key = yield from self._key()
            return (yield from carrying.bring(home, line["key"], marks, key=key))

        fresh: int = yield self.perform(steps())
        done.count("written", "tombstone", fresh)
        done.count("unchanged", "tombstone", len(marks) - fresh)

    def topics_work(self, home: Namespace) -> Work[list[tuple[Namespace, str]]]:
        """The topics to export."""
        yield from self._write_uses()
        found: list[tuple[Namespace, str]] = yield self.perform(
            portable.list_topics(home), write=False
        )
        return found

    def topic_work(
        self, home: Namespace, place: Namespace, topic: str
    ) -> Work[list[dict[str, Any]]]:
        """The line of a topic, or none."""
        steps = portable.export(home, place, topic, now=self.clock())
        found: list[dict[str, Any]] = yield self.perform(steps, write=False)
        return found

    def import_items(self, lines: Iterable[Line | str | bytes], namespace: Namespace) -> Imported:
        """Bring in what `export` gave, under a namespace. Each topic comes whole with its numbers
        and times, or is left out; texts are embedded anew. What is here already stays. Once cut
        off, import all of it again.

        Args:
            lines: Of an export, as mappings or JSON.
            namespace: Where it goes, whatever its namespace was.

        Returns:
            What became of the lines.

        Raises:
            InvalidNamespace: Nothing was imported.
            InvalidExport: A line is none; those before it were imported.
            EmbeddingFailed, EmbedderMismatch, SyncEmbedderRequired: The same.
        """
        home = check_namespace(namespace)
        done = Imported()
        for number, given in enumerate(lines):
            call_all(self._import_line(number, given, home, done))
        return done

    async def aimport_items(
        self, lines: Iterable[Line | str | bytes], namespace: Namespace
    ) -> Imported:
        """`import_items`, awaited."""
        home = check_namespace(namespace)
        done = Imported()
        for number, given in enumerate(lines):
            await await_all(self._import_line(number, given, home, done))
        return done

    def _import_line(
        self, number: int, given: Line | str | bytes, home: Namespace, done: Imported
    ) -> Work[None]:
        line = line_of(given)
        if number == 0:
            check_header(line)
        elif line["type"] == "topic":
            yield from self.import_topic(portable.read_topic(line, home), done)
        elif line["type"] == "tombstones":
            yield from self.import_tombstones(line, home, done)
        else:
            raise InvalidExport(
                "a store imports topics and tombstones alone; use `memory.import_user`",
                line=line["type"][:40],
            )

    def import_topic(self, topic: Topic, done: Imported) -> Work[None]:
        """Write one topic, embedded if that is wanted."""
        found: Fate = yield self.perform(portable.standing(topic), write=False)
        draft = topic.draft()
        if found == "written":
            if draft is not None:
                yield from self._embed([draft])
                topic.vectors = draft.vectors

            def steps() -> Steps[Fate]:
                yield from self._check_embedder()
                return (yield from portable.write(topic, key=self._key, now=self.clock()))

            found = yield self.perform(steps())
        done.count(found, "topic")

    # Other stores ----------------------------------------------------------------------------

    def import_store(
        self,
        other: BaseStore,
        prefix: Namespace = (),
        *,
        layout: Literal["items", "langmem"] = "items",
    ) -> Imported:
        """Bring in the items of another LangGraph store (InMemoryStore, SqliteStore,
        PostgresStore, …) under the same namespaces and keys, with their times. What is here
        already stays. Once cut off, import again.

        Args:
            other: The store to read.
            prefix: Only namespaces that begin so; all by default.
            layout: "langmem" makes `{"kind": …, "content": {"content": text}}`, as langmem's
                managers write it, an item with that text.

        Returns:
            What became of the items.

        Raises:
            InvalidNamespace, TypeError, ValueError: Nothing was imported.
            InvalidExport: An item that cannot be kept here, such as one whose value is no JSON;
                those before it were imported.
            EmbeddingFailed, EmbedderMismatch, SyncEmbedderRequired: The same.
        """
        return call_all(self._import_store(other, prefix, layout))

    async def aimport_store(
        self,
        other: BaseStore,
        prefix: Namespace = (),
        *,
        layout: Literal["items", "langmem"] = "items",
    ) -> Imported:
        """`import_store`, awaited."""
        return await await_all(self._import_store(other, prefix, layout))

    def _import_store(
        self, other: BaseStore, prefix: Namespace, layout: Literal["items", "langmem"]
    ) -> Work[Imported]:
        given: object = other
        if not isinstance(given, BaseStore):
            raise TypeError(f"import_store reads a LangGraph store (found {type(given).__name__})")
        if layout not in ("items", "langmem"):
            raise ValueError(f'layout is "items" or "langmem" (found {str(layout)[:40]!r})')
        begins = check_labels(prefix)
        done = Imported()
        for namespace in (yield from _namespaces(other, begins)):
            offset = 0
            while page := (yield _page(other, namespace, offset)):
                offset += len(page)
                for item in page:
                    if tuple(item.namespace) == namespace:  # a search finds those below it too
                        yield from self.import_topic(_topic_of(item, layout), done)
        return done


def header(**more: Any) -> dict[str, Any]:
    """The first line of an export."""
    return {"type": "header", "format": FORMAT, "version": FORMAT_VERSION, **more}


def _namespaces(other: BaseStore, prefix: Namespace) -> Work[list[Namespace]]:
    found: list[Namespace] = []
    while page := (yield _namespace_page(other, prefix, len(found))):
        found += [tuple(one) for one in page]
    return found


def _namespace_page(other: BaseStore, prefix: Namespace, offset: int) -> Call:
    wanted: dict[str, Any] = {"prefix": prefix or None, "limit": _PAGE, "offset": offset}
    return Call(lambda: other.list_namespaces(**wanted), lambda: other.alist_namespaces(**wanted))


def _page(other: BaseStore, namespace: Namespace, offset: int) -> Call:
    return Call(
        lambda: other.search(namespace, limit=_PAGE, offset=offset),
        lambda: other.asearch(namespace, limit=_PAGE, offset=offset),
    )


def _topic_of(item: Item, layout: Literal["items", "langmem"]) -> Topic:
    value = item.value
    if layout == "langmem" and isinstance(value.get("content"), dict):
        inner = value["content"].get("content")
        if isinstance(inner, str) and set(value["content"]) == {"content"}:
            value = {**value, "content": inner}
    # LangGraph's SqliteStore tells times of UTC without saying so.
    created, updated = (
        (one if one.tzinfo else one.replace(tzinfo=UTC)).isoformat()
        for one in (item.created_at, item.updated_at)
    )
    current = {
        "number": 1,
        "value": value,
        "kind": "fact",
        "source": None,
        "valid_from": updated,
        "recorded_at": updated,
        "pinned": False,
        "created_at": created,
        "updated_at": updated,
        "expires_at": None,
        "ttl": None,
        "fields": None,
    }
    nothing: dict[str, Any] = {"below": [], "versions": [], "sources": [], "consents": []}
    line = {**nothing, "topic": item.key, "current": current}
    return portable.read_topic(line, tuple(item.namespace))
