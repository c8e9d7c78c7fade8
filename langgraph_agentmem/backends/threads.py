"""Threads that run a database's blocking work for event loops.

`loop.run_in_executor` makes two futures, a lock and two callbacks for each job, which cost an
`aget` a third of its time; this makes one future.
"""

from __future__ import annotations

import asyncio
import os
import weakref
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from threading import RLock, Thread, current_thread
from typing import Any, TypeAlias, TypeVar

T = TypeVar("T")

_Job: TypeAlias = "tuple[Callable[[], Any], asyncio.AbstractEventLoop, asyncio.Future[Any]]"


class ThreadsEnded(RuntimeError):
    """The threads have ended, and take no more work."""


class _Jobs:
    """What waits for the threads, and how many jobs have not ended; the threads hold it, so that
    `Threads` itself can go.
    """

    def __init__(self) -> None:
        self.process = os.getpid()
        self.queue: SimpleQueue[_Job | None] = SimpleQueue()
        self.open = 0
        self.ended = False
        self.lock = RLock()  # a signal handler may end what its thread is giving work to
        self.threads: list[Thread] = []

    def serve(self) -> None:
        """Run jobs until None comes."""
        while (job := self.queue.get()) is not None:
            work, loop, waiting = job
            result, error = None, None
            try:
                result = work()
            except BaseException as raised:  # noqa: BLE001 - raised where it is awaited
                error = raised
            with self.lock:
                self.open -= 1
            with suppress(RuntimeError):  # the loop is closed: nobody waits any more
                loop.call_soon_threadsafe(_answer, waiting, result, error)
            # An idle thread keeps no result alive.
            del job, work, loop, waiting, result, error

    def end(self) -> None:
        """Let the threads run what waits, then end them."""
        if self.process != os.getpid():  # a fork has none of them, and the lock may be held
            return
        with self.lock:
            self.ended = True
            for _ in self.threads:
                self.queue.put(None)
        for thread in self.threads:
            if thread is not current_thread():  # what collects garbage may be one of them
                thread.join()


class Threads:
    """At most `most` threads, each begun when all before it are busy; a job runs to its end.

    Args:
        most: Threads.
        name: What they are called in a debugger.
    """

    def __init__(self, most: int, name: str) -> None:
        self._most = most
        self._name = name
        self._jobs = _Jobs()
        # Python does not wait for daemon threads when it ends; this does.
        self._end = weakref.finalize(self, self._jobs.end)

    async def run(self, work: Callable[[], T]) -> T:
        """The result of `work`, run in a thread. A cancelled await lets it end whole.

        Raises:
            ThreadsEnded: Nothing was run.
        """
        loop = asyncio.get_running_loop()
        waiting: asyncio.Future[T] = loop.create_future()
        jobs = self._jobs
        with jobs.lock:
            if jobs.ended:
                raise ThreadsEnded
            if len(jobs.threads) < min(jobs.open + 1, self._most):
                self._begin(jobs)
            jobs.open += 1
            # Inside the lock: what came after the threads' end would be awaited forever.
            jobs.queue.put((work, loop, waiting))
        return await waiting

    def _begin(self, jobs: _Jobs) -> None:
        thread = Thread(
            target=jobs.serve,
            name=f"{self._name}-{len(jobs.threads)}",
            daemon=True,
        )
        thread.start()
        jobs.threads.append(thread)

    def shutdown(self) -> None:
        """Run what waits, then end the threads."""
        self._end()


def _answer(waiting: asyncio.Future[Any], result: Any, error: BaseException | None) -> None:
    if waiting.done():  # cancelled
        return
    if error is None:
        waiting.set_result(result)
    elif isinstance(error, StopIteration):  # which no future takes
        waiting.set_exception(RuntimeError("blocking work raised StopIteration"))
    else:
        waiting.set_exception(error)
