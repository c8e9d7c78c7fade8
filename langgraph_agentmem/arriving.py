"""A user who arrives by an export, line by line, without what was forgotten here.

What an export was made without the knowledge of is left out: topics by their tombstones, threads
in which it stood, and its values wherever else they stand in what comes.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

from langchain_core.runnables import RunnableConfig

from .checkpointer import AgentMemSaver
from .checkpointer.lines import read_data
from .errors import AgentMemError, InvalidExport, UserConflict
from .model import Namespace
from .scope import Scope, user_key
from .scrub import Scrubber
from .steps import (
    Call,
    Steps,
    Work,
    activity,
    carrying,
    checkpoints,
    portable,
    portable_threads,
)
from .steps.carrying import Missed, moments_of
from .steps.portable import Line
from .steps.portable_threads import Times
from .steps.saving import Point
from .store import AgentMemStore
from .store.porting import Imported, check_header, tombstones_of
from .wordings import leaf_texts


class Arriving:
    """An import that is going on."""

    def __init__(
        self,
        store: AgentMemStore,
        saver: AgentMemSaver,
        scope: Scope,
        user_id: str | int | None,
    ) -> None:
        self._store = store
        self._saver = saver
        self._scope = scope
        self._user = None if user_id is None else user_key(user_id)
        self._home: Namespace | None = None
        self._thread: str | None = None
        self._admitted = False
        self._holds_forgotten = False
        self._times: Times | None = None
        self._messages: dict[int, Any] = {}
        # What was forgotten here before, and where the export was made.
        self._here: dict[tuple[str, str], datetime] = {}
        self._there: dict[tuple[str, str], datetime] = {}
        self._missed: Missed | None = None
        # What of it the export still holds.
        self._values: set[str] = set()
        self._sources: set[tuple[str, str]] = set()
        self._topics: set[str] = set()
        self._scrubber = Scrubber((), ())
        # Episodes and turns, until every value that was forgotten is known.
        self._waiting: list[portable.Topic] = []
        self.done = Imported()

    def take(self, line: Line) -> Work[None]:
        """Bring in one line. Raises `InvalidExport`."""
        if self._home is None:
            check_header(line)
            self._user = self._user or user_key(line.get("user_id"))
            self._home = self._scope.namespace(self._user)
            self._here = yield self._store.perform(self._forgotten(self._home))
            return
        try:
            if line["type"] != "topic":
                yield from self.finish()
            yield from self._take(line["type"], line, self._home)
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            if isinstance(error, AgentMemError):
                raise
            raise InvalidExport(line=str(line["type"])[:40], error=type(error).__name__) from None

    def finish(self) -> Work[None]:
        """Bring in episodes and turns, but for those that state what was forgotten here."""
        scrubber = Scrubber(self._values, ())
        waiting, self._waiting = self._waiting, []
        for topic in waiting:
            values = topic.values()
            if scrubber.scrub(values) is values:
                yield from self._store.import_topic(topic, self.done)
            else:
                self.done.count("forgotten", "topic")

    def _take(self, kind: str, line: Line, home: Namespace) -> Work[None]:
        store = self._store
        if kind == "topic":
            topic = portable.read_topic(line, home)
            yield from self._look_for_forgotten(topic)
            if self._not_forgotten_there().moments and topic.is_derived:
                self._waiting.append(topic)
            else:
                yield from store.import_topic(topic, self.done)
        elif kind == "tombstones":
            self._there |= moments_of([(line["key"], tombstones_of(line))])
            self._missed = None
            yield from store.import_tombstones(line, home, self.done)
        elif kind == "activity":
            yield from self._take_call(line)
        elif kind == "thread":
            yield from self._take_thread(line, home)
        elif kind == "message":
            if line["thread_id"] == self._thread:
                message = self._loaded(line["data"])
                self._scrubber.learn(message)
                self._messages[line["ref"]] = self._scrubber.scrub(message)
        elif kind == "checkpoint":
            yield from self._take_checkpoint(line)
        else:
            raise InvalidExport(line=str(kind)[:40])

    def _forgotten(self, home: Namespace) -> Steps[dict[tuple[str, str], datetime]]:
        key = yield from self._store.tombstone_key()
        return moments_of((yield from carrying.leaving(home, key=key)))

    def _not_forgotten_there(self) -> Missed:
        if self._missed is None:
            self._missed = Missed.of(self._here, self._there)
        return self._missed

    def _look_for_forgotten(self, topic: portable.Topic) -> Work[None]:
        """Note the values of a topic that were forgotten here: threads may hold them too."""
        if not self._not_forgotten_there().moments:
            return
        store = self._store
        steps = portable.forgotten_in(topic, key=store.tombstone_key)
        values, messages = yield store.perform(steps)
        self._values |= leaf_texts(values)
        self._sources |= messages
        if values:
            self._topics.add(topic.topic)

    def _take_call(self, line: Line) -> Work[None]:
        """What a call was asked with may hold what was forgotten since, whatever the topic."""
        last = self._not_forgotten_there().last
        if last is not None and datetime.fromisoformat(line["at"]) <= last:
            self.done.count("forgotten", "activity")
            return
        fresh: bool = yield self._store.perform(activity.bring(str(self._user), line))
        self.done.count("written" if fresh else "unchanged", "activity")

    def _take_thread(self, line: Line, home: Namespace) -> Work[None]:
        thread_id = str(line["thread_id"])
        store = self._store
        self._messages = {}
        ids = [message for thread, message in self._sources if thread == thread_id]
        self._scrubber = Scrubber(self._values, ids, self._topics)
        self._thread = thread_id
        self._admitted = False
        try:
            yield Call(
                lambda: store.claim_thread(thread_id, str(self._user)),
                lambda: store.aclaim_thread(thread_id, str(self._user)),
            )
        except UserConflict:
            self.done.count("different", "thread")
            return
        scrubbed = line["scrubbed_at"]
        moment = None if scrubbed is None else datetime.fromisoformat(scrubbed)

        def steps() -> Steps[tuple[datetime | None, Times | None]]:
            after = yield from portable_threads.forgotten_before(
                home, thread_id, moment, self._not_forgotten_there(), key=store.tombstone_key
            )
            return after, (yield from portable_threads.times_of(thread_id))

        after, here = yield store.perform(steps())
        self._times = _times_of(line)
        # Whatever was stored later in a thread that had begun holds what was said before.
        self._holds_forgotten = after is not None and (
            self._times is None or self._times.started_at <= after
        )
        if self._times is not None:
            self._times = self._times.with_others(here)
        self._admitted = True

    def _take_checkpoint(self, line: Line) -> Work[None]:
        thread_id = self._thread
        if thread_id is None or line["thread_id"] != thread_id:
            raise InvalidExport("a checkpoint comes after its thread; nothing of it was imported")
        if not self._admitted:
            self.done.count("different", "checkpoint")
            return
        saver, store = self._saver, self._store
        point = Point(
            thread_id=thread_id,
            checkpoint_ns=str(line["checkpoint_ns"]),
            checkpoint_id=str(line["checkpoint_id"]),
        )
        writes = [(task, path, channel, data) for task, channel, data, path in line["writes"]]
        found: int | None = yield store.perform(portable_threads.writes_on(point), write=False)
        if found is not None and found >= len(writes):
            self.done.count("unchanged", "checkpoint")
            return
        if self._holds_forgotten:
            self.done.count("forgotten", "checkpoint")
            return
        scrubber = self._scrubber
        checkpoint: Any = self._loaded(line["data"])
        scrubber.learn(checkpoint["channel_values"])
        held = scrubber.scrub_values(checkpoint["channel_values"])
        checkpoint = {**checkpoint, "channel_values": held}
        by_task: dict[tuple[str, str], list[tuple[str, Any]]] = {}
        for task, path, channel, data in writes:
            by_task.setdefault((task, path), []).append(
                (channel, scrubber.scrub(self._loaded(data)))
            )
        parent = _config(replace(point, checkpoint_id=line["parent_id"]))
        metadata: Any = checkpoints.clean_metadata(self._loaded(line["metadata"]), scrubber)
        versions = checkpoint["channel_versions"]
        yield Call(
            lambda: saver.put(parent, checkpoint, metadata, versions),
            lambda: saver.aput(parent, checkpoint, metadata, versions),
        )
        for (task, path), some in by_task.items():
            yield _put_writes(saver, _config(point), some, task, path)
        if self._times is not None:  # storing it counted as a use
            yield store.perform(portable_threads.set_times(thread_id, self._times))
        found = yield store.perform(portable_threads.writes_on(point), write=False)
        self.done.count("different" if found is None else "written", "checkpoint")

    def _loaded(self, data: list[str]) -> Any:
        return read_data(data, self._saver.serde.loads_typed, self._messages)


def _times_of(line: Line) -> Times | None:
    """A thread's times, which the first version of the format does not have."""
    given = [line.get("started_at"), line.get("used_at")]
    moments = [datetime.fromisoformat(one) for one in given if one is not None]
    return Times(*moments) if len(moments) == len(given) else None


def _config(point: Point) -> RunnableConfig:
    held = {name: value for name, value in point.params.items() if value is not None}
    return {"configurable": held}


def _put_writes(
    saver: AgentMemSaver, config: RunnableConfig, some: list[tuple[str, Any]], task: str, path: str
) -> Call:
    return Call(
        lambda: saver.put_writes(config, some, task, path),
        lambda: saver.aput_writes(config, some, task, path),
    )
