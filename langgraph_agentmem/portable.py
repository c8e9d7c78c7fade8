"""Everything of one user as lines of JSON, and back: memories, and the threads that are theirs.

Line by line, each with a `type`; moments are ISO 8601 with a timezone:

- `header`: `format`, `version` (of the format, 2; the first had no tombstones, uses, activity and
  times of threads) and `user_id`.
- `tombstones`: what was forgotten: `key`, of this user's tombstones alone, and `marks`: pairs of a
  hash by it and a moment. Where they are imported it does not come back by an older export, nor by
  learning from the same messages again. Whoever holds the export can confirm a guess at a
  forgotten topic of this user.
- `topic`: `below` (labels below the user's namespace), `topic`, and
  - `current`, or null for one that has ended: `number`, `value`, `kind`, `pinned`, `source`,
    `valid_from`, `recorded_at`, `created_at`, `updated_at`, `expires_at`, `ttl` (minutes),
    `fields` (what is embedded; null for the store's own), `uses` and `used_at`;
  - `versions`: the values before it, each with `valid_to` besides;
  - `sources`: pairs of thread and message that it was learnt from;
  - `consents`: what waits for consent (it has a `value`) and what was consented to (it has none).
- `activity`: a call of a tool or a model: `at` (when it ended), `thread_id`, `kind`, `name`,
  `node`, `arguments`, `error`, `duration` (microseconds), `input_tokens`, `output_tokens`, `cost`,
  and `copy`: how many just like it come before it.
- `thread`: `thread_id`, `scrubbed_at` (when something was last forgotten in it), and `started_at`
  and `used_at` (null where they are not known).
- `message`: one message of that thread, once. `ref` is its number in the thread; `role` and `text`
  are there to be read, `data` holds it whole.
- `checkpoint`: one checkpoint of that thread, oldest first: `checkpoint_ns`, `checkpoint_id`,
  `parent_id`, `data`, `metadata`, and `writes` (task, channel, data, path of the task) that wait on
  it. Where a message stood, `{"langgraph-agentmem:message": ref}` does; where a list of them stood,
  `{"langgraph-agentmem:messages": [[first, last], …]}`: the refs of the list, run by run.

`data` is a pair: how the checkpointer's serializer wrote a value (`msgpack`, `json`, …), and the
bytes in base64. A memory that encrypts its checkpoints exports them encrypted. Vectors and the word
index are made anew.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator
from datetime import datetime
from typing import Any

from .arriving import Arriving
from .checkpointer import AgentMemSaver
from .checkpointer.lines import ThreadLines
from .scope import Scope, user_key
from .steps import (
    Row,
    Steps,
    Work,
    activity,
    await_all,
    call_all,
    checkpoints,
    portable_threads,
)
from .steps.portable import Line
from .steps.portable_threads import Leaving, Times
from .steps.saving import Point
from .store import AgentMemStore
from .store.porting import Imported, header, line_of

_PAGE = 100
"""Calls that are read at a time."""


class Portable:
    """Verbs that take a user out of a memory, and in."""

    store: AgentMemStore
    checkpointer: AgentMemSaver
    scope: Scope

    def export_user(self, user_id: str | int) -> Iterator[dict[str, Any]]:
        """Everything of a user as lines: tombstones, memories with their versions, sources and
        uses, consents and what waits for one, activity, and the threads with every checkpoint.
        Nothing of others, nothing forgotten, nothing expired. Each line is read when it is asked
        for; the order is stable.

        Write each as a line of JSON: `json.dumps(line, ensure_ascii=False)`.

        Raises:
            UserRequired: The id is blank or no id.
            TypeNotAllowed: A checkpoint holds a type that may not be loaded here.
        """
        home = self.scope.namespace(user_id)
        yield header(user_id=user_key(user_id))
        yield from call_all(self.store.tombstones_work(home))
        for place, topic in call_all(self.store.topics_work(home)):
            yield from call_all(self.store.topic_work(home, place, topic))
        calls = _Calls(self, user_key(user_id))
        while some := call_all(calls.next()):
            yield from some
        for thread_id in call_all(self._threads(user_key(user_id))):
            yield call_all(self._thread_line(thread_id))
            lines = self._lines(thread_id)
            for point in call_all(self._points(thread_id)):
                one = call_all(self._leaving(point, lines))
                if one is not None:
                    yield from lines.lines_of(one)

    async def aexport_user(self, user_id: str | int) -> AsyncIterator[dict[str, Any]]:
        """`export_user`, to be read with `async for`."""
        home = self.scope.namespace(user_id)
        yield header(user_id=user_key(user_id))
        for line in await await_all(self.store.tombstones_work(home)):
            yield line
        for place, topic in await await_all(self.store.topics_work(home)):
            for line in await await_all(self.store.topic_work(home, place, topic)):
                yield line
        calls = _Calls(self, user_key(user_id))
        while some := await await_all(calls.next()):
            for line in some:
                yield line
        for thread_id in await await_all(self._threads(user_key(user_id))):
            yield await await_all(self._thread_line(thread_id))
            lines = self._lines(thread_id)
            for point in await await_all(self._points(thread_id)):
                one = await await_all(self._leaving(point, lines))
                if one is not None:
                    for line in lines.lines_of(one):
                        yield line

    def import_user(
        self, lines: Iterable[Line | str | bytes], user_id: str | int | None = None
    ) -> Imported:
        """Bring in what `export_user` gave. What is here already stays, so importing twice
        changes nothing, and an import that was cut off is finished by importing all of it again.
        What was forgotten here after it was recorded does not come back.

        Args:
            lines: Of an export, as mappings or JSON.
            user_id: Whose it becomes; None for the user that the export names.

        Returns:
            What became of the lines. A thread that is another user's here counts as different.

        Raises:
            UserRequired: The id is blank or no id.
            InvalidExport: A line is none; those before it were imported.
            EmbeddingFailed, EmbedderMismatch, SyncEmbedderRequired, TypeNotAllowed: The same.
        """
        arriving = Arriving(self.store, self.checkpointer, self.scope, user_id)
        for given in lines:
            call_all(arriving.take(line_of(given)))
        call_all(arriving.finish())
        return arriving.done

    async def aimport_user(
        self, lines: Iterable[Line | str | bytes], user_id: str | int | None = None
    ) -> Imported:
        """`import_user`, awaited."""
        arriving = Arriving(self.store, self.checkpointer, self.scope, user_id)
        for given in lines:
            await await_all(arriving.take(line_of(given)))
        await await_all(arriving.finish())
        return arriving.done

    # Reading threads -------------------------------------------------------------------------

    def _threads(self, user: str) -> Work[list[str]]:
        found: list[str] = yield self.store.perform(checkpoints.threads_of(user), write=False)
        return found

    def _thread_line(self, thread_id: str) -> Work[dict[str, Any]]:
        def steps() -> Steps[tuple[datetime | None, Times | None]]:
            scrubbed = yield from portable_threads.scrubbed_at(
                thread_id, key=self.store.tombstone_key
            )
            return scrubbed, (yield from portable_threads.times_of(thread_id))

        scrubbed, times = yield self.store.perform(steps())
        return {
            "type": "thread",
            "thread_id": thread_id,
            "scrubbed_at": None if scrubbed is None else scrubbed.isoformat(),
            "started_at": None if times is None else times.started_at.isoformat(),
            "used_at": None if times is None else times.used_at.isoformat(),
        }

    def _lines(self, thread_id: str) -> ThreadLines:
        saver = self.checkpointer
        return ThreadLines(thread_id, saver.serde, saver.packing(write=False))

    def _points(self, thread_id: str) -> Work[list[Point]]:
        """Where a thread's checkpoints are, oldest first: one is imported after its parent."""
        places: list[tuple[str, str]] = yield self.store.perform(
            portable_threads.list_checkpoints(thread_id), write=False
        )
        return [
            Point(thread_id=thread_id, checkpoint_ns=ns, checkpoint_id=one) for ns, one in places
        ]

    def _leaving(self, point: Point, lines: ThreadLines) -> Work[Leaving | None]:
        """A checkpoint, unless it was deleted meanwhile."""
        codec = self.checkpointer.packing(write=False)
        found: Leaving | None = yield self.store.perform(
            portable_threads.leaving(point, codec, lines.written), write=False
        )
        return found


class _Calls:
    """A user's activity, page by page."""

    def __init__(self, memory: Portable, user: str) -> None:
        self._memory, self._user = memory, user
        self._last: Row | None = None
        self._alike: dict[tuple[object, ...], int] = {}

    def next(self) -> Work[list[dict[str, Any]]]:
        """The lines of the next page; none when there are no more."""
        steps = activity.page(self._user, self._last, most=_PAGE)
        rows: list[Row] = yield self._memory.store.perform(steps, write=False)
        return [self._line(row) for row in rows]

    def _line(self, row: Row) -> dict[str, Any]:
        if self._last is None or self._last["at"] != row["at"]:
            self._alike.clear()
        self._last = row
        like = activity.likeness(row)
        copy = self._alike.get(like, 0)
        self._alike[like] = copy + 1
        return activity.line_of(row, copy)
