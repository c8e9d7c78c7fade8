"""Freeing the space of what has expired: on call, or now and then by a thread that is asked for.

No thread starts by itself, and closing the store ends the one that was started.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from threading import TIMEOUT_MAX, Event, Lock, Thread, current_thread

from langgraph.store.base import TTLConfig

from langgraph_agentmem.errors import AgentMemError, MemoryClosed
from langgraph_agentmem.steps import Work, await_all, call_all, memories

from .core import AT_ONCE, StoreCore, check_interval

_EVERY = 5.0
"""Minutes between two sweeps, unless told otherwise; as in LangGraph's stores."""

_log = logging.getLogger(__name__)


class Sweeper:
    """A thread that sweeps at intervals until it is stopped or its future is cancelled.

    Args:
        sweep: Erases what has expired; returns how many memories went.
        minutes: From the end of one sweep to the start of the next.
    """

    def __init__(self, sweep: Callable[[], int], *, minutes: float) -> None:
        self.ended: Future[None] = Future()
        self._sweep = sweep
        self._seconds = min(minutes * 60, TIMEOUT_MAX)
        self._stop = Event()
        self._thread = Thread(target=self._run, name="agentmem-sweep", daemon=True)
        self.ended.add_done_callback(lambda _: self._stop.set())
        self._thread.start()

    @property
    def is_running(self) -> bool:
        """False once it has ended, and in a process forked from the one that started it."""
        return self._thread.is_alive()

    def stop(self, timeout: float | None = None) -> bool:
        """Ask it to end and wait, at most `timeout` seconds; returns whether it has ended."""
        self._stop.set()
        if self._thread is not current_thread():
            self._thread.join(timeout)
        return not self._thread.is_alive()

    def _run(self) -> None:
        while not self._stop.wait(self._seconds):
            try:
                self._sweep()
            except MemoryClosed:
                break
            except AgentMemError as error:  # a locked database may be free the next time
                _log.warning("sweeping failed and goes on: %s", error)
        with suppress(InvalidStateError):  # it was cancelled
            self.ended.set_result(None)


class Sweeping(StoreCore):
    """Sweeping what has expired."""

    ttl_config: TTLConfig | None
    _sweeper: Sweeper | None
    _sweeping: Lock

    def sweep_ttl(self) -> int:
        """Erase the memories whose time is over; returns how many. Expired memories are never
        returned, swept or not; this frees their space, some hundreds in one transaction.
        """
        return call_all(self._sweep_ttl())

    async def asweep_ttl(self) -> int:
        """`sweep_ttl`, awaited."""
        return await await_all(self._sweep_ttl())

    def _sweep_ttl(self) -> Work[int]:
        now, total = self.clock(), 0
        while True:
            gone: int = yield self.perform(memories.sweep_expired(now=now, most=AT_ONCE))
            total += gone
            if gone < AT_ONCE:
                return total

    def start_ttl_sweeper(self, sweep_interval_minutes: float | None = None) -> Future[None]:
        """Sweep now and then in a thread of its own, until `stop_ttl_sweeper` or `close`.

        Args:
            sweep_interval_minutes: None takes the TTL configuration's, else 5.

        Returns:
            A future that is done when the sweeper has ended; cancelling it stops the sweeper. If
            one is running, it is that one's.

        Raises:
            ValueError: The interval is not above 0.
            MemoryClosed: The store was closed.
        """
        config = self.ttl_config or {}
        minutes = sweep_interval_minutes
        if minutes is None:
            minutes = config.get("sweep_interval_minutes") or _EVERY
        minutes = check_interval(minutes)
        with self._sweeping:
            if self._sweeper is None or not self._sweeper.is_running:
                self.backend.check_open()
                self._sweeper = Sweeper(self.sweep_ttl, minutes=minutes)
            return self._sweeper.ended

    async def astart_ttl_sweeper(
        self, sweep_interval_minutes: float | None = None
    ) -> asyncio.Future[None]:
        """`start_ttl_sweeper` with a future to await."""
        return asyncio.wrap_future(self.start_ttl_sweeper(sweep_interval_minutes))

    def stop_ttl_sweeper(self, timeout: float | None = None) -> bool:
        """Stop the sweeper, if one is running.

        Args:
            timeout: Seconds to wait for a sweep that is going on; None for as long as it takes.

        Returns:
            Whether no sweeper is running any more.
        """
        sweeper = self._sweeper
        return sweeper is None or not sweeper.is_running or sweeper.stop(timeout)

    async def astop_ttl_sweeper(self, timeout: float | None = None) -> bool:  # noqa: ASYNC109
        """`stop_ttl_sweeper`, off the event loop."""
        return await asyncio.to_thread(self.stop_ttl_sweeper, timeout)
