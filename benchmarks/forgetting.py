"""What is left of a fact after it was deleted: canaries, planted in each lane and counted again.

    python -m benchmarks.forgetting                          # about a minute
    python -m benchmarks.forgetting --memories 1000 100000   # how long forgetting takes
    python -m benchmarks.forgetting --json forgetting.json   # the figures too

Every lane runs the same graph: a user tells facts in a chat, the assistant repeats them (in a tool
call, too), a summary carries them, an extractor keeps them under a topic, and each value replaces
an older one. Then half of the topics are deleted, as far as the lane's own calls reach, and the
canaries of these are looked for: by asking the memory and its history, in the thread's checkpoints,
in the bytes of the files while the graph is still open, and after the same thread was read by the
extractor again.

- ours: `memory.forget(user, topic)`.
- SqliteStore + SqliteSaver: `store.delete`. A second row also deletes the whole thread, which is
  the only call there that removes a message from checkpoints.
- InMemoryStore + InMemorySaver: `store.delete`. It has no file; what the process holds is counted.
- mem0 (if it is installed): `memory.delete`, with a made-up embedder, no model and no telemetry. It
  keeps no checkpoints.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import pickle
import platform
import re
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NotRequired

import pysqlite3
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.store.base import BaseStore, PutOp
from langgraph.store.memory import InMemoryStore
from langgraph.store.sqlite import SqliteStore

from langgraph_agentmem import AgentMemory, Candidate, Source
from langgraph_agentmem.backends import scan

TOPICS = 20
DIMS = 64
NS = ("memories", "asha")
ASHA = {"configurable": {"thread_id": "chat", "user_id": "asha"}}
TOLD = re.compile(r"my (topic\d+) is (.+)", re.IGNORECASE)


def canary(topic: str, version: int) -> str:
    return f"zq{version}x{topic}vermilion{len(topic)}"


def embed(texts: list[str]) -> list[list[float]]:
    return [[float((hash(text) >> bit) & 1) - 0.5 for bit in range(DIMS)] for text in texts]


class State(MessagesState):
    summary: NotRequired[dict[str, Any]]


def answer(state: State) -> dict[str, Any]:
    said = state["messages"][-1].text
    value = TOLD.search(said)[2]
    call = {"id": f"c{len(state['messages'])}", "name": "note", "args": {"what": value}}
    return {
        "messages": [
            AIMessage("", tool_calls=[call]),
            ToolMessage(f"noted {value}", tool_call_id=call["id"]),
            AIMessage(f"I noted {value}."),
        ],
        "summary": {"text": f"The last was {value}.", "exact": [value], "through": "m0"},
    }


def build(store: BaseStore, saver: Any) -> Any:
    builder = StateGraph(State).add_node("answer", answer).add_edge(START, "answer")
    return builder.compile(store=store, checkpointer=saver)


@dataclass
class Lane:
    """One system: how it learns and deletes, and where it may still hold something."""

    name: str
    learn: Callable[[str, str, str], None]
    forget: Callable[[str], None]
    asked: Callable[[str], str]
    state: Callable[[], str]
    held: Callable[[], bytes | None]
    folder: Path
    graph: Any = None
    is_limited_to: str = ""


def read_again(lane: Lane) -> None:
    """What an extractor does that reads the thread from its beginning."""
    for message in lane.graph.get_state(ASHA).values.get("messages", []):
        told = TOLD.search(str(message.text)) if isinstance(message, HumanMessage) else None
        if told:
            lane.learn(told[1], told[2], str(message.id))


def of_langgraph(store: BaseStore, saver: Any, folder: Path, name: str, **more: Any) -> Lane:
    graph = build(store, saver)

    def learn(topic: str, value: str, _message: str) -> None:
        store.put(NS, topic, {"text": value})

    def asked(topic: str) -> str:
        return str([store.get(NS, topic), store.search(NS, query=topic, limit=50)])

    return Lane(
        name=name,
        learn=learn,
        forget=more.pop("forget", lambda topic: store.delete(NS, topic)),
        asked=asked,
        state=lambda: str([*graph.get_state_history(ASHA)]),
        held=more.pop("held", lambda: None),
        folder=folder,
        graph=graph,
        **more,
    )


@contextmanager
def ours(folder: Path) -> Iterator[Lane]:
    with AgentMemory.open(folder / "ours.db", embed=embed) as memory:
        asha = memory.for_user("asha")

        def learn(topic: str, value: str, message: str) -> None:
            source = Source(thread_id="chat", message_ids=(message,), author="user")
            memory.store.learn(NS, [Candidate(topic=topic, value=value, source=source)])

        graph = build(memory.store, memory.checkpointer)
        yield Lane(
            name="ours",
            learn=learn,
            forget=asha.forget,
            asked=lambda topic: str(
                [asha.look(topic), asha.history(topic), asha.recall(topic, limit=50)]
            ),
            state=lambda: str([*graph.get_state_history(ASHA)]),
            held=lambda: None,
            folder=folder,
            graph=graph,
        )


@contextmanager
def sqlite(folder: Path, *, with_thread: bool) -> Iterator[Lane]:
    connection = pysqlite3.connect(
        folder / "store.db", check_same_thread=False, isolation_level=None
    )
    store = SqliteStore(connection, index={"dims": DIMS, "embed": embed, "fields": ["text"]})
    store.setup()
    threads = sqlite3.connect(folder / "threads.db", check_same_thread=False)
    saver = SqliteSaver(threads)

    def forget(topic: str) -> None:
        store.delete(NS, topic)
        if with_thread:
            saver.delete_thread("chat")

    name = "SqliteStore + SqliteSaver"
    lane = of_langgraph(store, saver, folder, name, forget=forget)
    if with_thread:
        lane.name += ", thread deleted"
    yield lane
    connection.close()
    threads.close()


@contextmanager
def in_memory(folder: Path) -> Iterator[Lane]:
    store = InMemoryStore(index={"dims": DIMS, "embed": embed, "fields": ["text"]})
    saver = InMemorySaver()

    def held() -> bytes:
        vectors = {str(key): str(value) for key, value in store._vectors.items()}  # noqa: SLF001
        parts = [store._data, vectors, saver.storage, saver.writes, saver.blobs]  # noqa: SLF001
        return b"".join(pickle.dumps(_plain(part)) for part in parts)

    yield of_langgraph(store, saver, folder, "InMemoryStore + InMemorySaver", held=held)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(inner) for key, inner in value.items()}
    return value if isinstance(value, bytes) else str(value)


@contextmanager
def mem0(folder: Path) -> Iterator[Lane]:
    os.environ["MEM0_TELEMETRY"] = "False"
    os.environ["MEM0_DIR"] = str(folder)
    os.environ.setdefault("OPENAI_API_KEY", "none")
    from mem0 import Memory  # noqa: PLC0415 - it reads its settings when it is imported

    memory = Memory.from_config(
        {
            "vector_store": {
                "provider": "qdrant",
                "config": {
                    "path": str(folder / "qdrant"),
                    "on_disk": True,
                    "embedding_model_dims": DIMS,
                },
            },
            "history_db_path": str(folder / "history.db"),
        }
    )
    memory.embedding_model.embed = lambda text, *_, **__: embed([text])[0]
    memory.embedding_model.embed_batch = lambda texts, *_, **__: embed(texts)
    ids: dict[str, str] = {}

    def learn(topic: str, value: str, _message: str) -> None:
        text = f"{topic}: {value}"
        if topic in ids:
            memory.update(ids[topic], text)
            return
        added = memory.add(text, user_id="asha", infer=False, metadata={"topic": topic})
        ids[topic] = added["results"][0]["id"]

    def asked(topic: str) -> str:
        found = memory.get_all(filters={"user_id": "asha"}, top_k=1000)
        history = memory.history(ids[topic]) if topic in ids else []
        return str([one for one in found["results"] if topic in str(one)] + history)

    yield Lane(
        name="mem0",
        learn=learn,
        forget=lambda topic: memory.delete(ids[topic]),
        asked=asked,
        state=lambda: "",
        held=lambda: None,
        folder=folder,
        is_limited_to="memories: it keeps no threads",
    )


def count_files(folder: Path, needles: list[bytes]) -> int:
    """In another process: closing a file in this one would drop its locks."""
    paths = [str(one) for one in folder.rglob("*") if one.is_file()]
    asked = {"needles": [one.hex() for one in needles], "paths": paths}
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, scan.__file__],
        input=json.dumps(asked),
        capture_output=True,
        check=True,
        text=True,
    )
    return int(done.stdout)


def run(lane: Lane) -> dict[str, Any]:
    topics = [f"topic{number:02}" for number in range(TOPICS)]
    for version in (1, 2):
        for number, topic in enumerate(topics):
            message = f"m{version}-{number}"
            value = canary(topic, version)
            if lane.graph is not None:
                said = HumanMessage(f"My {topic} is {value}", id=message)
                lane.graph.invoke({"messages": [said]}, ASHA)
            lane.learn(topic, value, message)
    gone, kept = topics[::2], topics[1::2]
    needles = [canary(topic, version).encode() for topic in gone for version in (1, 2)]
    planted = count_files(lane.folder, needles)
    begun = time.perf_counter()
    for topic in gone:
        lane.forget(topic)
    seconds = (time.perf_counter() - begun) / len(gone)

    def survivors(topic_of: Callable[[str], str]) -> int:
        return sum(
            any(canary(topic, version) in topic_of(topic) for version in (1, 2)) for topic in gone
        )

    state = lane.state()
    held = lane.held()
    found: dict[str, Any] = {
        "topics deleted": len(gone),
        "answered by the memory or its history": survivors(lane.asked),
        "in the thread's checkpoints": None if lane.graph is None else survivors(lambda _: state),
        "copies in files before": planted if held is None else None,
        "copies in files": count_files(lane.folder, needles) if held is None else None,
        "copies in the process": None
        if held is None
        else sum(held.count(needle) for needle in needles),
        "kept topics lost": sum(canary(topic, 2) not in lane.asked(topic) for topic in kept),
        "seconds for one": round(seconds, 4),
    }
    if lane.graph is not None:
        messages = lane.graph.get_state(ASHA).values.get("messages", [])
        found["messages of the thread left"] = len(messages)
        read_again(lane)
        found["back after the thread was read again"] = survivors(lane.asked)
    return found


def timed(folder: Path, memories: int) -> dict[str, Any]:
    """How long one topic takes in a file of so many memories."""
    words = [f"word{number}" for number in range(2000)]
    with AgentMemory.open(folder / "large.db", embed=embed) as memory:
        for start in range(0, memories, 1000):
            memory.store.batch(
                [
                    PutOp(
                        ("memories", f"u{number % 50}"),
                        f"t{number}",
                        {"text": " ".join(words[(number * 7 + k * 13) % 2000] for k in range(12))},
                    )
                    for number in range(start, min(start + 1000, memories))
                ]
            )
        memory.for_user("asha").remember("phone", canary("phone", 1))
        size = (folder / "large.db").stat().st_size
        begun = time.perf_counter()
        receipt = memory.forget("asha", "phone")
        seconds = time.perf_counter() - begun
        left = count_files(folder, [canary("phone", 1).encode()])
    return {
        "memories": memories,
        "megabytes": round(size / 1e6),
        "seconds": round(seconds, 3),
        "complete": receipt.complete,
        "left": left,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--memories", type=int, nargs="*", default=[1000, 10_000])
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    lanes: list[Callable[[Path], Any]] = [
        ours,
        in_memory,
        lambda folder: sqlite(folder, with_thread=False),
        lambda folder: sqlite(folder, with_thread=True),
    ]
    if importlib.util.find_spec("mem0"):
        lanes.append(mem0)
    results: dict[str, Any] = {}
    for make in lanes:
        with tempfile.TemporaryDirectory() as folder, make(Path(folder)) as lane:
            results[lane.name] = run(lane)
            if lane.is_limited_to:
                results[lane.name]["note"] = lane.is_limited_to
    sizes = []
    for memories in given.memories:
        with tempfile.TemporaryDirectory() as folder:
            sizes.append(timed(Path(folder), memories))
    rows = list(dict.fromkeys(row for found in results.values() for row in found if row != "note"))
    width = max(map(len, rows))
    print(" " * width, *results, sep=" | ")
    for row in rows:
        cells = [str(found.get(row, "-")).replace("None", "-") for found in results.values()]
        print(
            row.ljust(width),
            *(c.rjust(len(n)) for c, n in zip(cells, results, strict=True)),
            sep=" | ",
        )
    for one in sizes:
        print(one)
    if given.json:
        about = {"python": platform.python_version(), "sqlite": sqlite3.sqlite_version}
        told = {"about": about, "lanes": results, "sizes": sizes}
        given.json.write_text(json.dumps(told, indent=2), encoding="utf-8")


if __name__ == "__main__":
    main()
