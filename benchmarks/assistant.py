"""A travel assistant over a year, with memory, without, and with the whole conversation re-sent.

    python -m benchmarks.assistant                 # the table, and every task that failed
    python -m benchmarks.assistant --model sentence-transformers:FOLDER
    python -m benchmarks.assistant --json -        # the figures, last on stdout

Four travellers come six times each (`visits.py`), each visit a thread and an opening of the files
of its own. They talk to the travel assistant of `example_graphs` with its stand-in for a language
model, which answers only from what its context says: what it gets right, the context got right.

with memory: the example's graph. without: the same assistant, which sees the last messages of the
visit. whole history: without memory too, but one endless thread, re-sent in full every time.

completed: tasks whose reply passes its check. repeated questions: tasks in which the assistant
asks for something it was told before, the city or the name. tokens: estimated, of all that a turn
sends to the model, tool descriptions left out. recall: a recall by itself, the median and what 95
of 100 stay below. bytes per user: of the closed files, conversations included; `memory alone`
without them.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from langchain_core.messages import BaseMessage
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition
from pydantic import PrivateAttr

from example_graphs.travel_assistant.answers import WHICH_CITY
from example_graphs.travel_assistant.graph import (
    Graph,
    erase_what_was_asked,
    make_graph,
    make_graph_without_memory,
)
from example_graphs.travel_assistant.stand_in import StandInModel
from example_graphs.travel_assistant.story import StoryClock
from example_graphs.travel_assistant.tools import find_places
from example_graphs.travel_assistant.turn import take_turn, thread
from langgraph_agentmem import AgentMemory, Episode, Episodes
from langgraph_agentmem.nodes.tokens import approximate_tokens

from .peers import SharedModel
from .visits import TRAVELLERS, Line, Traveller, Visit, visits

WHO_ARE_YOU = "what is your name?"


class Counting(StandInModel):
    """The stand-in, which notes how many tokens it is sent."""

    _sent: list[int] = PrivateAttr(default_factory=list)

    def take(self) -> int:
        """Tokens since the last time this was asked."""
        sent = sum(self._sent)
        self._sent.clear()
        return sent

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> Any:
        self._sent.append(approximate_tokens(messages))
        return super()._generate(messages, *args, **kwargs)

    def _stream(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> Any:
        self._sent.append(approximate_tokens(messages))
        yield from super()._stream(messages, *args, **kwargs)


@dataclass(slots=True)
class Room:
    """Where one visit takes place: an assistant, and what goes on around its turns."""

    graph: Graph
    config: Any
    user_id: str | None = None
    before: Callable[[str], None] = lambda _: None
    after: Callable[[], None] = lambda: None


@dataclass(slots=True)
class Tally:
    """What came of one lane."""

    done: dict[str, list[bool]] = field(default_factory=lambda: defaultdict(list))
    repeated: list[bool] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)
    recalls: list[float] = field(default_factory=list)
    turns: list[float] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    bytes_per_user: float = 0.0
    memory_bytes_per_user: float | None = None

    def as_json(self) -> dict[str, float]:
        every = [one for some in self.done.values() for one in some]
        found = {
            "tasks": len(every),
            "completed": statistics.fmean(every),
            "repeated questions": statistics.fmean(self.repeated),
            "tokens per turn": statistics.fmean(self.tokens),
            "tokens of the last tenth": statistics.fmean(self.tokens[-len(self.tokens) // 10 :]),
            "turn ms": statistics.median(self.turns) * 1000,
            "bytes per user": self.bytes_per_user,
        }
        found |= {
            f"completed, {needs}": statistics.fmean(some) for needs, some in self.done.items()
        }
        if self.memory_bytes_per_user is not None:
            found["bytes per user, memory alone"] = self.memory_bytes_per_user
        if self.recalls:
            found["recall ms, median"] = statistics.median(self.recalls) * 1000
            found["recall ms, 95 of 100"] = statistics.quantiles(self.recalls, n=20)[-1] * 1000
        return found


# Lanes ------------------------------------------------------------------------------------------


class WithMemory:
    """The example's graph on one file."""

    def __init__(self, folder: Path, model: Counting, embed: SharedModel | None) -> None:
        self.file = folder / "memory.db"
        self._model = model
        self._embed = embed.ours if embed else None
        self.tally = Tally()

    @contextmanager
    def visit(self, who: Traveller, number: int, visit: Visit) -> Iterator[Room]:
        clock = StoryClock(visit.day)
        config = thread(f"{who.user_id}-{number}")
        with AgentMemory.open(self.file, clock=clock, embed=self._embed) as memory:
            graph = make_graph(memory, self._model)
            user = memory.for_user(who.user_id)

            def before(said: str) -> None:
                clock.tick()
                start = time.perf_counter()
                user.recall(said)
                self.tally.recalls.append(time.perf_counter() - start)

            def after() -> None:
                erase_what_was_asked(graph, memory, config, who.user_id)

            yield Room(graph, config, who.user_id, before, after)
            if visit.lesson is not None:
                task, text = visit.lesson
                Episodes(memory, who.user_id).record(
                    Episode(task=task.replace("_", " "), outcome="partial", lesson=text)
                )


class WithoutMemory:
    """The same assistant, a thread for each visit, the last messages in view."""

    def __init__(self, folder: Path, model: Counting) -> None:
        self.file = folder / "without.db"
        self._model = model
        self.tally = Tally()

    def _graph(self, saver: SqliteSaver) -> Graph:
        return make_graph_without_memory(self._model, saver)

    def _thread(self, who: Traveller, number: int) -> str:
        return f"{who.user_id}-{number}"

    @contextmanager
    def visit(self, who: Traveller, number: int, _visit: Visit) -> Iterator[Room]:
        with SqliteSaver.from_conn_string(str(self.file)) as saver:
            yield Room(self._graph(saver), thread(self._thread(who, number)))


class WholeHistory(WithoutMemory):
    """One thread for the whole year, all of it in view."""

    def __init__(self, folder: Path, model: Counting) -> None:
        super().__init__(folder, model)
        self.file = folder / "whole.db"

    def _graph(self, saver: SqliteSaver) -> Graph:
        talks = self._model.bind_tools([find_places])

        def assistant(state: MessagesState) -> dict[str, Any]:
            return {"messages": [talks.invoke(state["messages"])]}

        builder = StateGraph(MessagesState)
        builder.add_node("assistant", assistant)
        builder.add_node("tools", ToolNode([find_places]))
        builder.add_edge(START, "assistant")
        builder.add_conditional_edges("assistant", tools_condition, {"tools": "tools", END: END})
        builder.add_edge("tools", "assistant")
        return builder.compile(checkpointer=saver)

    def _thread(self, who: Traveller, number: int) -> str:
        return who.user_id


Lane = WithMemory | WithoutMemory


# Playing ----------------------------------------------------------------------------------------


def play(lane: Lane, model: Counting) -> Tally:
    """All visits in the order of their days."""
    calendar = sorted(
        ((who, number, visit) for who in TRAVELLERS for number, visit in enumerate(visits(who), 1)),
        key=lambda one: one[2].day,
    )
    for who, number, visit in calendar:
        with lane.visit(who, number, visit) as room:
            for line in visit.lines:
                room.before(line.said)
                reply, asked_again = _said(room, line, model, lane.tally)
                room.after()
                if line.check is not None:
                    wrong = line.check(reply)
                    lane.tally.done[line.needs].append(wrong is None)
                    lane.tally.repeated.append(asked_again)
                    if wrong is not None:
                        lane.tally.failures.append(
                            f"{who.name}, visit {number}, {line.needs}: {line.said}\n"
                            f"    {wrong}: {' / '.join(reply.splitlines())[:200]}"
                        )
    lane.tally.bytes_per_user = _size(lane.file) / len(TRAVELLERS)
    if isinstance(lane, WithMemory):
        lane.tally.memory_bytes_per_user = _memory_bytes(lane.file)
    return lane.tally


def _said(room: Room, line: Line, model: Counting, tally: Tally) -> tuple[str, bool]:
    """The last reply, and whether the assistant asked for what it was told before."""
    start = time.perf_counter()
    reply = take_turn(room.graph, line.said, room.config, room.user_id).reply
    asked = reply.endswith((WHICH_CITY, WHO_ARE_YOU))
    if reply.endswith(WHICH_CITY):
        reply = take_turn(room.graph, f"In {line.city}.", room.config, room.user_id).reply
    tally.turns.append(time.perf_counter() - start)
    tally.tokens.append(model.take())
    return reply, asked


def _size(file: Path) -> int:
    return sum(path.stat().st_size for path in file.parent.glob(f"{file.name}*"))


_MEMORY = ("memories", "versions", "sources", "said", "words", "vectors")


def _memory_bytes(file: Path) -> float | None:
    """Bytes per user in the tables of memory and their indexes; the file is closed."""
    with sqlite3.connect(file) as connection:
        try:
            rows = connection.execute("SELECT name, SUM(pgsize) FROM dbstat GROUP BY name")
            sizes = dict(rows.fetchall())
        except sqlite3.OperationalError:  # a SQLite built without dbstat
            return None
    connection.close()
    whole = sum(
        size
        for name, size in sizes.items()
        if name.removeprefix("sqlite_autoindex_").startswith(_MEMORY)
    )
    return whole / len(TRAVELLERS)


# Telling ----------------------------------------------------------------------------------------

PERCENT = ("completed", "repeated questions")


def table(figures: dict[str, dict[str, float]]) -> str:
    rows = list(dict.fromkeys(row for one in figures.values() for row in one))
    lines = [f"{'':32}" + "".join(f"{name:>16}" for name in figures)]
    for row in rows:
        text = f"{row:32}"
        for one in figures.values():
            value = one.get(row)
            if value is None:
                text += f"{'-':>16}"
            elif row.startswith(PERCENT):
                text += f"{value:15.1%} "
            else:
                text += f"{value:16,.2f}" if " ms" in row else f"{value:16,.0f}"
        lines.append(text)
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--model", help="e.g. sentence-transformers:FOLDER; without, words alone")
    parser.add_argument("--json", help="write the figures here; - for the last line of stdout")
    chosen = parser.parse_args(arguments)
    embed = SharedModel(chosen.model) if chosen.model else None
    figures: dict[str, dict[str, float]] = {}
    failures: dict[str, list[str]] = {}
    with tempfile.TemporaryDirectory() as name:
        folder, model = Path(name), Counting()
        lanes: dict[str, Lane] = {
            "with memory": WithMemory(folder, model, embed),
            "without memory": WithoutMemory(folder, model),
            "whole history": WholeHistory(folder, model),
        }
        for lane, room in lanes.items():
            tally = play(room, model)
            figures[lane], failures[lane] = tally.as_json(), tally.failures
    number = sum(1 for who in TRAVELLERS for _ in visits(who))
    print(f"{len(TRAVELLERS)} travellers, {number} visits over a year")
    print(table(figures))
    for lane, some in failures.items():
        print(f"\n{lane}: {len(some)} tasks failed", *some, sep="\n  ")
    if chosen.json == "-":
        print(json.dumps(figures))
    elif chosen.json:
        Path(chosen.json).write_text(json.dumps(figures, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
