"""The store as a dict of version lists: what a user should see, in the plainest way."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

Namespace = tuple[str, ...]
Key = tuple[Namespace, str]


@dataclass
class Version:
    number: int
    value: Any
    start: datetime
    end: datetime | None  # None while it is current


@dataclass
class Topic:
    versions: list[Version] = field(default_factory=list)
    pinned: bool = False
    ttl: float | None = None
    ends: datetime | None = None
    created: datetime | None = None
    updated: datetime | None = None
    indexed: bool = True

    @property
    def current(self) -> Version | None:
        return next((version for version in self.versions if version.end is None), None)

    def is_over(self, now: datetime) -> bool:
        timed = self.current is not None and not self.pinned and self.ends is not None
        return timed and self.ends <= now

    def start_timer(self, now: datetime) -> None:
        self.ends = None if self.ttl is None else now + timedelta(minutes=self.ttl)


def same(one: Any, other: Any) -> bool:
    """Equal as JSON: true is not 1."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    return isinstance(one, bool) is isinstance(other, bool) and one == other


class Model:
    """Topics by namespace and name."""

    def __init__(self) -> None:
        self.topics: dict[Key, Topic] = {}

    def live(self, key: Key, now: datetime) -> Topic | None:
        """A topic that holds something now."""
        topic = self.topics.get(key)
        return topic if topic and topic.current and not topic.is_over(now) else None

    def all_live(self, now: datetime, below: Namespace = ()) -> list[tuple[Key, Topic]]:
        """What is held, newest update first, then by namespace and topic."""
        found = [
            (key, topic)
            for key in self.topics
            if key[0][: len(below)] == below and (topic := self.live(key, now))
        ]
        found.sort(key=lambda one: (".".join(one[0][0]), one[0][1]))
        return sorted(found, key=lambda one: one[1].updated, reverse=True)

    def found(self, key: Key, now: datetime) -> int:
        """The number that is current, 0 for none."""
        topic = self.live(key, now)
        return topic.current.number if topic else 0

    def write(
        self,
        key: Key,
        value: Any,
        now: datetime,
        *,
        pinned: bool | None = None,
        ttl: float | None = None,
        valid_from: datetime | None = None,
        indexed: bool = True,
    ) -> None:
        topic = self.topics.get(key)
        if topic is None or topic.is_over(now):
            topic = self.topics[key] = Topic()
        moment = valid_from or now
        current = topic.current
        if current and moment < current.start:
            topic.pinned = topic.pinned if pinned is None else self._pin(topic, pinned, now)
            self._write_late(topic, value, moment)
            return
        if current is None:
            topic.created, topic.pinned = now, False
            moment = self._after_end(topic, moment)
        if not (current and same(current.value, value)):
            if current:
                current.end = moment
            topic.versions.append(Version(self._next(topic), value, moment, None))
        topic.pinned = topic.pinned if pinned is None else pinned
        topic.updated, topic.ttl, topic.indexed = now, ttl, indexed
        topic.start_timer(now)

    def _next(self, topic: Topic) -> int:
        return max((version.number for version in topic.versions), default=0) + 1

    def _after_end(self, topic: Topic, moment: datetime) -> datetime:
        if not topic.versions or moment >= max(version.end for version in topic.versions):
            return moment
        if moment < max(version.start for version in topic.versions):
            return max(version.end for version in topic.versions)
        for version in topic.versions:
            if version.start <= moment < version.end:
                version.end = moment
        return moment

    def _write_late(self, topic: Topic, value: Any, moment: datetime) -> None:
        held = [
            version
            for version in topic.versions
            if version.end and version.start <= moment < version.end
        ]
        if held and same(held[0].value, value):
            return
        if held:
            end = held[0].end
            held[0].end = moment
        else:
            end = min(version.start for version in topic.versions if version.start > moment)
        topic.versions.append(Version(self._next(topic), value, moment, end))

    def _pin(self, topic: Topic, pinned: bool, now: datetime) -> bool:
        if topic.pinned and not pinned:
            topic.start_timer(now)
        return pinned

    def pin(self, key: Key, now: datetime, *, pinned: bool) -> None:
        topic = self.live(key, now)
        topic.pinned = self._pin(topic, pinned, now)

    def retire(self, key: Key, now: datetime) -> None:
        topic = self.live(key, now)
        topic.current.end = max(now, topic.current.start)

    def erase(self, keys: Iterable[Key]) -> None:
        for key in list(keys):
            self.topics.pop(key, None)

    def sweep(self, now: datetime) -> int:
        over = [key for key, topic in self.topics.items() if topic.is_over(now)]
        self.erase(over)
        return len(over)

    def refresh(self, keys: Iterable[Key], now: datetime) -> None:
        for key in keys:
            self.topics[key].start_timer(now)

    def history(self, key: Key, now: datetime) -> list[tuple]:
        topic = self.topics.get(key)
        if topic is None or topic.is_over(now):
            return []
        past = sorted(
            (version for version in topic.versions if version.end),
            key=lambda version: (version.start, version.number),
        )
        whole = [*past, *([topic.current] if topic.current else [])]
        return [(one.number, one.value, one.start, one.end) for one in whole]

    def as_of(self, key: Key, moment: datetime, now: datetime) -> Any:
        held = [
            value
            for _, value, start, end in self.history(key, now)
            if start <= moment and (end is None or moment < end)
        ]
        return held[-1] if held else None

    def search(
        self, below: Namespace, now: datetime, passes: Callable[[Any], bool]
    ) -> list[tuple[Key, Any]]:
        return [
            (key, topic.current.value)
            for key, topic in self.all_live(now, below)
            if passes(topic.current.value)
        ]
