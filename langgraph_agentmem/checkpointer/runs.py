"""What the runs of this process must not write again: they hold their state in memory."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from langgraph_agentmem.lifetime import lock
from langgraph_agentmem.steps.checkpoints import Scrubs

MOST_RUNS = 10_000
"""Threads whose last run is remembered; of more, the one that began longest ago may write again."""

Scrubbed: TypeAlias = tuple[Scrubs, ...]


@dataclass(slots=True)
class _Run:
    user: str | None = None
    scrubbers: Scrubbed = ()
    is_gone: bool = False


class Runs:
    """The last run of each thread. Nothing tells that one has ended, so each counts as going on
    until the thread's next run begins.
    """

    def __init__(self) -> None:
        self._runs: OrderedDict[str, _Run] = OrderedDict()
        self._lock = lock()

    def begin(self, thread_id: str, user: str | None) -> None:
        """A run loads its thread: what it reads has nothing forgotten in it."""
        with self._lock:
            self._runs.pop(thread_id, None)
            self._runs[thread_id] = _Run(user)
            if len(self._runs) > MOST_RUNS:
                self._runs.popitem(last=False)

    def of(self, user: str, threads: Collection[str]) -> list[str]:
        """The threads, of these and of runs that named this user, whose runs may be going on."""
        theirs = set(threads)
        with self._lock:
            return [
                thread
                for thread, run in self._runs.items()
                if run.user == user or (run.user is None and thread in theirs)
            ]

    def forget(self, scrubbers: Mapping[str, Scrubs]) -> None:
        """Scrub what the runs of these threads still write. Call it in the transaction that
        scrubs the rows.
        """
        with self._lock:
            for thread, scrubber in scrubbers.items():
                run = self._runs.setdefault(thread, _Run())
                run.scrubbers = (*run.scrubbers, scrubber)

    def remember(self, scrubbers: Mapping[str, Scrubs]) -> None:
        """Take that back."""
        with self._lock:
            for thread, scrubber in scrubbers.items():
                run = self._runs.get(thread)
                if run is not None:
                    run.scrubbers = tuple(one for one in run.scrubbers if one is not scrubber)

    def end(self, threads: Collection[str]) -> None:
        """Ignore what the runs of these threads still write: their user was forgotten. Call it in
        the transaction that deletes the threads.
        """
        self._set_gone(threads, is_gone=True)

    def let_go_on(self, threads: Collection[str]) -> None:
        """Take that back."""
        self._set_gone(threads, is_gone=False)

    def _set_gone(self, threads: Collection[str], *, is_gone: bool) -> None:
        with self._lock:
            for thread in threads:
                if thread in self._runs:
                    self._runs[thread].is_gone = is_gone

    def scrubbers(self, thread_id: str) -> Scrubbed | None:
        """By what the run of a thread is scrubbed; None if nothing of it is stored any more."""
        run = self._runs.get(thread_id)
        if run is None:
            return ()
        return None if run.is_gone else run.scrubbers
