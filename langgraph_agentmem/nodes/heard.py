"""What users said in runs that are not over yet.

Another middleware may put a summary in the place of a user's words before anything was learnt
from them: in a long run of tool calls, within one turn. So they are noted when a model is called,
as the state holds them then, and read with the rest when the agent has answered. They stand in
memory alone; a program that ends meanwhile learns from what is left.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import TypeAlias

from langchain_core.messages import BaseMessage, HumanMessage

from langgraph_agentmem.extraction.evidence import is_written_by_a_program, said_since
from langgraph_agentmem.lifetime import lock

from .run import Run

MOST_THREADS = 1_000
"""Threads whose runs are not over; what the oldest of more have said is given up."""

Place: TypeAlias = tuple[str, str]
"""A thread, and the graph in it."""


class Heard:
    """What users said and nothing was learnt from yet, per thread and graph in it."""

    def __init__(self) -> None:
        self._said: OrderedDict[Place, dict[str, HumanMessage]] = OrderedDict()
        self._changing = lock()

    def hear(self, run: Run, messages: Sequence[BaseMessage], through: str | None) -> None:
        """Note what the user's messages say after `through`, the last one that was read."""
        if (place := _place(run)) is None:
            return
        own = said_since(messages, through, reading="").messages
        with self._changing:
            self._said.setdefault(place, {}).update({str(one.id): one for one in own})
            self._said.move_to_end(place)
            if len(self._said) > MOST_THREADS:
                self._said.popitem(last=False)

    def summarized_away(self, run: Run, messages: Sequence[BaseMessage]) -> list[HumanMessage]:
        """What was heard and is not there any more, in a list that holds a program's summary.
        Without one, somebody has removed it who meant to.
        """
        place = _place(run)
        if place is None or not any(map(is_written_by_a_program, messages)):
            return []
        there = {one.id for one in messages}
        with self._changing:
            said = self._said.get(place, {})
            return [one for key, one in said.items() if key not in there]

    def learnt(self, run: Run) -> None:
        """What was said there has been read."""
        if (place := _place(run)) is not None:
            with self._changing:
                self._said.pop(place, None)


def _place(run: Run) -> Place | None:
    """None without a thread: whoever runs the graph keeps the messages then, and has them."""
    inside = str(run.config.get("metadata", {}).get("langgraph_checkpoint_ns") or "")
    return None if run.thread_id is None else (run.thread_id, inside.rpartition("|")[0])
