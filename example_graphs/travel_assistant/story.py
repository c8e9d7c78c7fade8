"""Plays one visit: the same lines to an assistant with memory and to one without.

Each visit is a process and a thread of its own; only the files are left from one to the next.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.sqlite import SqliteSaver

from langgraph_agentmem import AgentMemory
from langgraph_agentmem.errors import VersionConflict

from .answers import WHICH_CITY
from .graph import (
    Graph,
    asked_to_forget,
    erase_what_was_asked,
    make_graph,
    make_graph_without_memory,
)
from .scenes import ASSISTANT, TRAVELLER, Erased, Exchange, Opening, Scene, Shown, Utterances
from .script import Traveller, Visit, visits
from .stand_in import StandInModel
from .turn import Turn, take_turn, thread
from .wording import history_lines, receipt_lines

GUESTS = ("travel_assistant", "guests")
"""The namespace in which a story notes whom a file has met."""


class StoryClock:
    """Tells the time of the story, which goes on by a minute with each turn."""

    def __init__(self, start: datetime) -> None:
        self._now = start

    def __call__(self) -> datetime:
        """The moment of the story."""
        return self._now

    def tick(self) -> None:
        """A minute passes."""
        self._now += timedelta(minutes=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """What a visit is played on: one graph with memory, one without, and their files."""

    memory: AgentMemory
    clock: StoryClock
    graph: Graph
    plain: Graph
    file: Path
    plain_file: Path
    user_id: str
    config: RunnableConfig


def plain_file(file: Path) -> Path:
    """Where the assistant without memory keeps its threads."""
    return file.with_name(f"{file.stem}.without-memory{file.suffix}")


def next_traveller(file: Path, traveller: Traveller) -> Traveller:
    """The traveller, or the next one of that name whom this file has not met."""
    with AgentMemory.open(file) as memory:
        others = (replace(traveller, number=number) for number in count(1))
        return next(other for other in others if _is_new(memory, other.user_id))


def _is_new(memory: AgentMemory, user_id: str) -> bool:
    """Whether nobody has this id yet; from now on somebody has.

    Of two stories that begin at once on one file, one is too late and takes the next id.
    """
    try:
        memory.store.remember(GUESTS, user_id, "has been here", expected_version=0)
    except VersionConflict:
        return False
    return not memory.for_user(user_id).memories()


def play(number: int, traveller: Traveller, file: Path) -> Iterator[Scene]:
    """Play one of the visits, scene by scene."""
    visit = visits(traveller)[number - 1]
    config = thread(f"{traveller.user_id}-visit-{number}")
    clock = StoryClock(visit.day)
    yield Opening(
        number=number,
        title=visit.title,
        day=f"{visit.day:%A} {visit.day.day} {visit.day:%B %Y}",
        thread=config["configurable"]["thread_id"],
        pid=os.getpid(),
    )
    with ExitStack() as closing:
        memory = closing.enter_context(AgentMemory.open(file, clock=clock))
        saver = closing.enter_context(SqliteSaver.from_conn_string(str(plain_file(file))))
        stage = Stage(
            memory=memory,
            clock=clock,
            graph=make_graph(memory, StandInModel()),
            plain=make_graph_without_memory(StandInModel(), saver),
            file=file,
            plain_file=plain_file(file),
            user_id=traveller.user_id,
            config=config,
        )
        for said in visit.lines:
            yield from _exchange(stage, visit, said)
        if visit.shows is not None:
            versions = memory.for_user(traveller.user_id).history(visit.shows)
            yield Shown(title=f"history of {visit.shows}", lines=[*history_lines(versions)])


def _exchange(stage: Stage, visit: Visit, said: str) -> Iterator[Scene]:
    stage.clock.tick()
    remembering, notes = _follow(stage.graph, visit, said, stage.config, stage.user_id)
    plain, _ = _follow(stage.plain, visit, said, stage.config)
    yield Exchange(said=said, remembering=remembering, plain=plain, notes=notes)
    yield from _erase(stage)


def _follow(
    graph: Graph, visit: Visit, said: str, config: RunnableConfig, user_id: str | None = None
) -> tuple[Utterances, list[str]]:
    """What the assistant answers; asked for the city, the traveller names it."""
    turn: Turn = take_turn(graph, said, config, user_id)
    spoken = [[ASSISTANT, turn.reply]]
    if turn.reply.endswith(WHICH_CITY):
        named = f"In {visit.city}."
        again = take_turn(graph, named, config, user_id)
        spoken += [[TRAVELLER, named], [ASSISTANT, again.reply]]
        turn = Turn(reply=again.reply, notes=(*turn.notes, *again.notes))
    return spoken, list(turn.notes)


def _erase(stage: Stage) -> Iterator[Erased]:
    """Between two runs: erase what the traveller asked for, and look for it everywhere."""
    mine = stage.memory.for_user(stage.user_id)
    asked = asked_to_forget(stage.graph, stage.config)
    texts = {one.topic: one.text for one in mine.memories() if one.topic in asked}
    before = {topic: occurrences(stage.file, text) for topic, text in texts.items()}
    receipts = erase_what_was_asked(stage.graph, stage.memory, stage.config, stage.user_id)
    for topic, text in texts.items():
        recall = mine.recall(topic, floor=0)
        yield Erased(
            topic=topic,
            receipt=[*receipt_lines(topic, receipts[topic])],
            before=before[topic],
            after=occurrences(stage.file, text),
            recalled=any(one.topic == topic for one in recall.memories),
            versions=len(mine.history(topic)),
            plain=occurrences(stage.plain_file, text),
        )


_COUNT = """
import pathlib, sys
text, *files = sys.argv[1:]
found = [path for path in map(pathlib.Path, files) if path.exists()]
print(sum(path.read_bytes().count(text.encode()) for path in found))
"""


def occurrences(file: Path, text: str) -> int:
    """How often a text stands in the bytes of a database: its file and the log beside it.

    Another process reads them: one that closes a file which it opened itself drops the locks
    that SQLite holds for it on that file (POSIX).
    """
    files = (file, file.with_name(f"{file.name}-wal"))
    counted = subprocess.run(  # noqa: S603 - this program's own words
        [sys.executable, "-I", "-c", _COUNT, text, *map(str, files)],
        capture_output=True,
        text=True,
        check=True,
    )
    return int(counted.stdout)
