"""The verbs of the checkpointer that read."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import CheckpointTuple, DeltaChannelHistory

from langgraph_agentmem.steps import Row, saving
from langgraph_agentmem.steps.saving import Stored

from .asking import asked, histories_of, point_of, tuple_of
from .core import SaverCore

PAGE = 16
"""Checkpoints that a listing reads at once."""


class Reading(SaverCore):
    """Reading, sync and async."""

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """A checkpoint.

        Raises:
            UserConflict, UserRequired: As the class says.
            TypeNotAllowed: It holds a type that may not be loaded.
            CheckpointUnreadable: Its row is damaged.
        """
        point, visitor = point_of(config), self._visitor(config)
        if visitor.in_run and not point.checkpoint_ns:
            self.runs.begin(point.thread_id, visitor.user)
        found = self._read(saving.get(point, self.packing(write=False).opens, visitor=visitor))
        if found is None:
            return None
        return tuple_of(found, config if point.checkpoint_id is not None else None)

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,  # noqa: A002 - LangGraph's name
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        """Checkpoints, newest first. They are read a few at a time, and nothing is held between:
        a caller that pauses blocks nobody.

        Raises:
            UserConflict: The config names another user than the thread's.
            ValueError: A key of the filter is no path.
        """
        listing = asked(config, filter, before)
        self._admit_reader(config)
        return self._pages(listing, limit)

    def _admit_reader(self, config: RunnableConfig | None) -> None:
        if config is not None:
            point = point_of(config)
            self._read(saving.admit(self._visitor(config), point.thread_id, now=None))

    def _pages(self, listing: saving.Listing, limit: int | None) -> Iterator[CheckpointTuple]:
        last: Row | None = None
        left = -1 if limit is None else limit
        while left != 0:
            page = self._page(listing, last, left)
            for stored in page:
                yield tuple_of(stored)
            if len(page) < _size(left):
                return
            last, left = page[-1].row, left - len(page)

    def _page(self, listing: saving.Listing, last: Row | None, left: int) -> Sequence[Stored]:
        return self._read(
            saving.page(listing, self.packing(write=False).opens, after=last, most=_size(left))
        )

    def get_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        """What delta channels got before a checkpoint. Raises as `get_tuple` does."""
        if not channels:
            return {}
        steps = saving.delta_history(
            point_of(config),
            channels,
            self.packing(write=False).opens,
            visitor=self._visitor(config),
        )
        return histories_of(self._read(steps))

    # Async: the same, in a thread --------------------------------------------------------------

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """`get_tuple`, awaited."""
        return await self.in_thread(lambda: self.get_tuple(config), write=False)

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,  # noqa: A002 - LangGraph's name
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        """`list`, awaited."""
        listing = asked(config, filter, before)
        await self.in_thread(lambda: self._admit_reader(config), write=False)
        pages = self._pages(listing, limit)
        while True:
            # A step of the generator reads a page at most.
            found = await self.in_thread(lambda: next(pages, None), write=False)
            if found is None:
                return
            yield found

    async def aget_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        """`get_delta_channel_history`, awaited."""
        return await self.in_thread(
            lambda: self.get_delta_channel_history(config=config, channels=channels), write=False
        )


def _size(left: int) -> int:
    """How many to read next, of so many that are still asked for; below 0, of all."""
    return PAGE if left < 0 else min(left, PAGE)
