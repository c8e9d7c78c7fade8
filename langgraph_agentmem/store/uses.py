"""Counts recalls in memory, so that reading writes nothing; they are written in batches."""

from __future__ import annotations

import os
from collections.abc import Iterable
from datetime import datetime

from langgraph_agentmem.errors import AgentMemError
from langgraph_agentmem.lifetime import lock
from langgraph_agentmem.model import Memory, Namespace, Recall
from langgraph_agentmem.steps import Work, retention

from .core import StoreCore

MOST_HELD = 500
"""Topics whose recalls are held; then they are written. A crash loses these at most."""


class UseCounts:
    """How often topics were recalled since it was last written. Threads share it."""

    def __init__(self) -> None:
        self._held: dict[tuple[Namespace, str], tuple[int, datetime]] = {}
        self._lock = lock()
        self._process = os.getpid()

    def note(self, memories: Iterable[Memory], *, now: datetime) -> bool:
        """Count a recall of these; True when it is time to write what is held."""
        with self._lock:
            if self._process != os.getpid():  # forked: what is held is the parent's to write
                self._held, self._process = {}, os.getpid()
            for memory in memories:
                place = (memory.namespace, memory.topic)
                number, _ = self._held.get(place, (0, now))
                self._held[place] = (number + 1, now)
            return len(self._held) >= MOST_HELD

    def take(self) -> dict[tuple[Namespace, str], tuple[int, datetime]]:
        """What is held, and hold it no longer."""
        with self._lock:
            held, self._held = self._held, {}
            return held if self._process == os.getpid() else {}


class Using(StoreCore):
    """What is counted of recalls."""

    uses: UseCounts

    def _note_uses(self, found: Recall) -> Work[None]:
        """Count what a recall returned. Nothing is written now, unless much is held."""
        if self.uses.note(found.memories, now=self.clock()):
            yield from self._write_uses()

    def _write_uses(self) -> Work[None]:
        """Write the counts that are held: before a sweep, when much is held, and on closing. In
        a file that cannot be written they are lost, for nothing would be swept there either.
        """
        held = self.uses.take()
        if not held:
            return
        try:
            yield self.perform(retention.note_uses(held))
        except AgentMemError:
            return
