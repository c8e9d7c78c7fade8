"""Our checkpointer beside LangGraph's SqliteSaver, in one run: file size, time of a turn.

    python -m benchmarks.checkpoints                           # 10 to 800 turns
    python -m benchmarks.checkpoints --turns 10 50             # a quick look
    python -m benchmarks.checkpoints --json checkpoints.json   # the figures too

The usual chat: `MessagesState`, one node that answers, no model. A turn is a question of some 150
characters and an answer of 240, three checkpoints and two sets of writes. Its time is the median
of the last turns before a size; `in the saver` is the CPU time of the checkpointer's methods alone,
without LangGraph's own. The peer's file grows with the square: it stops at `--peer-turns`.
"""

from __future__ import annotations

import argparse
import json
import platform
import sqlite3
import statistics
import tempfile
import time
from datetime import UTC, datetime
from functools import wraps
from itertools import pairwise
from pathlib import Path
from typing import Any

from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, MessagesState, StateGraph

from langgraph_agentmem import AgentMemSaver

LANES: dict[str, type[SqliteSaver]] = {"ours": AgentMemSaver, "SqliteSaver": SqliteSaver}
TURNS = [10, 200, 400, 800]
LAST = 10  # turns that a median is of
READS = 7
CONFIG: dict[str, Any] = {"configurable": {"thread_id": "7c1f5f1e-6f0e-4c67-9d0b-0d5f0a8f4f11"}}


def answer(state: MessagesState) -> dict[str, Any]:
    words = "about as many words as people read of an answer " * 5
    return {"messages": [AIMessage(f"{words}{len(state['messages'])}")]}


def build(saver: SqliteSaver) -> Any:
    builder = StateGraph(MessagesState).add_node("answer", answer).add_edge(START, "answer")
    return builder.compile(checkpointer=saver)


def timed(saver: type[SqliteSaver], spent: list[float]) -> type[SqliteSaver]:
    """The saver, adding up the CPU time of the methods that a turn calls."""
    made = type(saver.__name__, (saver,), {})
    for name in ("get_tuple", "put", "put_writes"):
        method = getattr(saver, name)

        def watched(*arguments: Any, _method: Any = method, **named: Any) -> Any:
            start = time.thread_time()
            try:
                return _method(*arguments, **named)
            finally:
                spent[0] += time.thread_time() - start

        setattr(made, name, wraps(method)(watched))
    return made


def size_of(path: Path) -> int:
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    return path.stat().st_size


def lane(saver: type[SqliteSaver], sizes: list[int], folder: Path) -> dict[int, dict[str, float]]:
    path = folder / f"{saver.__name__}.db"
    figures: dict[int, dict[str, float]] = {}
    spent = [0.0]
    with timed(saver, spent).from_conn_string(str(path)) as opened:
        graph = build(opened)
        turns: list[tuple[float, float, float]] = []
        for number in range(max(sizes)):
            question = f"{number}. " + "a question of the usual length, with some detail " * 3
            spent[0] = 0.0
            wall, cpu = time.perf_counter(), time.process_time()
            graph.invoke({"messages": [HumanMessage(question)]}, CONFIG)
            turns.append((time.process_time() - cpu, time.perf_counter() - wall, spent[0]))
            if number + 1 in sizes:
                figures[number + 1] = measured(graph, path, turns[-LAST:])
    return figures


def measured(graph: Any, path: Path, turns: list[tuple[float, float, float]]) -> dict[str, float]:
    cpu, wall, saver = (statistics.median(one) * 1000 for one in zip(*turns, strict=True))
    reads = []
    for _ in range(READS):
        start = time.process_time()
        graph.get_state(CONFIG)
        reads.append(time.process_time() - start)
    return {
        "file, MB": size_of(path) / 1e6,
        "turn, CPU ms": cpu,
        "turn, wall ms": wall,
        "in the saver, ms": saver,
        "get_state, CPU ms": statistics.median(reads) * 1000,
    }


def table(result: dict[str, dict[int, dict[str, float]]]) -> str:
    mine, theirs = result["ours"], result["SqliteSaver"]
    lines = [
        "| turns | measured | ours | SqliteSaver | ours / SqliteSaver |",
        "| --- | --- | --- | --- | --- |",
    ]
    for turns, figures in mine.items():
        for name, figure in figures.items():
            other = theirs.get(turns, {}).get(name)
            ratio = "" if other is None else f"{figure / other:.3f}"
            beside = "" if other is None else f"{other:.2f}"
            lines.append(f"| {turns} | {name} | {figure:.2f} | {beside} | {ratio} |")
    sizes = [*mine]
    lines.extend(
        f"\nfrom {one} to {two} turns our file grows by {factor:.2f}"
        for one, two in pairwise(sizes)
        if (factor := mine[two]["file, MB"] / mine[one]["file, MB"])
    )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--turns", type=int, nargs="+", default=TURNS)
    parser.add_argument("--peer-turns", type=int, default=400, help="where the peer stops")
    parser.add_argument("--json", type=Path, help="write the figures here")
    chosen = parser.parse_args()
    sizes = sorted({*chosen.turns})
    if sizes[0] < 1:
        parser.error("a number of turns is at least 1")
    result = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, saver in LANES.items():
            most = [one for one in sizes if name == "ours" or one <= chosen.peer_turns]
            result[name] = lane(saver, most or sizes[:1], Path(folder))
    print(table(result))
    if chosen.json:
        said = {
            "measured at": datetime.now(UTC).isoformat(timespec="seconds"),
            "python": platform.python_version(),
            "sqlite": sqlite3.sqlite_version,
            "figures": result,
        }
        chosen.json.write_text(json.dumps(said, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
