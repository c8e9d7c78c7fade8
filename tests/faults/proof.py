"""Plants a canary wherever a memory can leave copies, forgets it, and looks through the files.

A program, because each run needs a SQLite of its own: `python proof.py DATABASE MEMORIES`, and
options. It prints what it found as JSON: counts of the canary's bytes before and after, with the
graph still open, and of the index's terms.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path

options = argparse.ArgumentParser()
options.add_argument("path", type=Path)
options.add_argument("memories", type=int)
options.add_argument("--newer", action="store_true", help="the SQLite of pysqlite3-binary")
options.add_argument("--without-secure-delete", action="store_true")
options.add_argument("--without-pass", action="store_true")
options.add_argument("--embed", action="store_true")
given = options.parse_args()
if given.newer:
    sys.modules["sqlite3"] = import_module("pysqlite3.dbapi2")

import sqlite3
import unicodedata
from typing import Any, TypedDict
from urllib.parse import quote

from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langgraph.graph import START, StateGraph
from langgraph.store.base import PutOp
from langgraph.types import interrupt

from langgraph_agentmem import AgentMemory, Candidate, MemoryState, Source
from langgraph_agentmem.backends import scan
from langgraph_agentmem.backends.opening import Opening
from langgraph_agentmem.backends.sqlite import SqliteBackend

CANARY = "Zyxglöp Karnickels 4711"
OLDER = "Quvvibrant Möhrenfeld 0815"
TERMS = ("zyxglop", "karnickel", "quvvibr", "mohrenfeld")
"""As the index stems them."""

if given.without_secure_delete:
    connect = Opening.connect

    def careless(self: Opening) -> sqlite3.Connection:
        connection = connect(self)
        connection.execute("PRAGMA secure_delete = OFF")
        return connection

    Opening.connect = careless
if given.without_pass:
    SqliteBackend.purge = lambda self, *_: ()


def forms(text: str) -> list[bytes]:
    return [
        text.encode(),
        unicodedata.normalize("NFD", text).encode(),
        text.encode("utf-16-le"),
        text.encode("utf-16-be"),
        json.dumps(text)[1:-1].encode(),
        quote(text, safe="").encode(),
    ]


def count() -> int:
    """The canary's copies in every file of the folder, as another process sees them."""
    wanted = [one.hex() for text in (CANARY, OLDER) for one in forms(text)]
    asked = {"needles": wanted, "paths": [str(one) for one in given.path.parent.iterdir()]}
    done = subprocess.run(
        [sys.executable, scan.__file__],
        input=json.dumps(asked),
        capture_output=True,
        check=True,
        text=True,
    )
    return int(done.stdout)


class State(MemoryState, total=False):
    blob: bytes
    wide: bytes
    notes: dict[str, Any]


def answer(state: State) -> dict[str, Any]:
    url = "https://example.com/?q=" + quote(CANARY, safe="")
    call = {"id": "c1", "name": "look_up", "args": {"url": url, "who": CANARY}}
    return {
        "messages": [
            AIMessage("", tool_calls=[call]),
            ToolMessage(json.dumps({"found": CANARY}), tool_call_id="c1"),
            AIMessage(f"I noted {unicodedata.normalize('NFD', CANARY)}."),
        ],
        "summary": {"text": f"It is {CANARY}.", "exact": [CANARY], "through": "m1"},
        "blob": f"raw {CANARY}".encode(),
        "wide": CANARY.encode("utf-16-le"),
        "notes": {"by": {"deep": [CANARY, (OLDER,)]}},
    }


def ask(state: State) -> dict[str, Any]:
    return {"messages": [AIMessage(interrupt(f"Is {CANARY} right?"))]}


def embed(texts: list[str]) -> list[list[float]]:
    return [[(hash(text) >> shift) % 255 - 127.0 for shift in range(32)] for text in texts]


class Found(TypedDict):
    sqlite: str
    planted: int
    left: int
    terms: int
    seconds: float
    complete: bool
    left_in_files: int | None
    verified: bool
    removed: dict[str, int]


def run() -> Found:
    words = [f"word{number}" for number in range(2000)]
    with AgentMemory.open(given.path, embed=embed if given.embed else None) as memory:
        builder = StateGraph(State).add_node("answer", answer).add_node("ask", ask)
        builder.add_edge(START, "answer").add_edge("answer", "ask")
        graph = builder.compile(store=memory.store, checkpointer=memory.checkpointer)
        asha = memory.for_user("asha")
        source = Source(thread_id="t", message_ids=("m1",), author="user")
        for start in range(0, given.memories, 1000):
            if start == given.memories // 2 // 1000 * 1000:
                asha.remember("pet", OLDER)
                memory.store.learn(
                    asha.namespace, [Candidate(topic="pet", value=CANARY, source=source)]
                )
            memory.store.batch(
                [
                    PutOp(
                        ("memories", f"u{number % 40}"),
                        f"topic{number}",
                        {"text": " ".join(words[(number * 7 + k * 13) % 2000] for k in range(12))},
                    )
                    for number in range(start, min(start + 1000, given.memories))
                ]
            )
        asha.remember("said.1", f"and then I got {CANARY}", kind="turn")
        config = {"configurable": {"thread_id": "t", "user_id": "asha"}}
        graph.invoke({"messages": [HumanMessage(f"My pet is {CANARY}", id="m1")]}, config)
        planted = count()
        begun = time.perf_counter()
        receipt = memory.forget("asha", "pet")
        seconds = time.perf_counter() - begun
        left = count()
        with memory.store.backend.transaction() as connection:
            connection.execute(
                "CREATE VIRTUAL TABLE temp.seen USING fts5vocab (main, words, instance)"
            )
            marks = ", ".join("?" * len(TERMS))
            terms = connection.execute(
                f"SELECT COUNT(*) FROM seen WHERE substr(term, instr(term, '_') + 1) IN ({marks})",
                TERMS,
            ).fetchone()[0]
        verified = memory.verify(receipt, text=[CANARY, OLDER]).clean
        assert graph.get_state(config).next == ("ask",)
    return {
        "sqlite": sqlite3.sqlite_version,
        "planted": planted,
        "left": left,
        "terms": terms,
        "seconds": round(seconds, 3),
        "complete": receipt.complete,
        "left_in_files": receipt.left_in_files,
        "verified": verified,
        "removed": dict(receipt.removed),
    }


if __name__ == "__main__":
    print(json.dumps(run()))
