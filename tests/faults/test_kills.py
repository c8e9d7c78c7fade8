"""Forgetting that is killed at any moment is undone or done, and the next one finishes it."""

from __future__ import annotations

import itertools
import multiprocessing
import os
import random
import shutil
import signal
import time
from pathlib import Path

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.graph import START, StateGraph

from langgraph_agentmem import AgentMemory, Candidate, MemoryState, Source
from langgraph_agentmem.backends.scan import count

CANARY = "xylophonic marmalade"
ASHA = {"configurable": {"thread_id": "t", "user_id": "asha"}}


def prepare(path: Path) -> None:
    def answer(state: MemoryState) -> dict[str, object]:
        return {"messages": [AIMessage(f"I noted {CANARY}.")]}

    with AgentMemory.open(path) as memory:
        builder = StateGraph(MemoryState).add_node("answer", answer).add_edge(START, "answer")
        graph = builder.compile(store=memory.store, checkpointer=memory.checkpointer)
        for number in range(5):
            said = HumanMessage(f"It is {CANARY}, number {number}", id=f"m{number}")
            graph.invoke({"messages": [said]}, ASHA)
        asha = memory.for_user("asha")
        source = Source(thread_id="t", message_ids=tuple(f"m{number}" for number in range(5)))
        asha.remember("secret", f"once {CANARY}")
        memory.store.learn(asha.namespace, [Candidate(topic="secret", value=CANARY, source=source)])
        asha.remember("said", f"they said {CANARY}", kind="turn")
        for number in range(300):
            asha.remember(f"topic {number}", f"value {number} " * 20)


def forget(path: Path) -> None:
    with AgentMemory.open(path) as memory:
        memory.forget("asha", "secret")


def standing(path: Path) -> set[str]:
    """Where the canary is held: `undone` in all of these places, `done` in none."""
    with AgentMemory.open(path) as memory:
        asha = memory.for_user("asha")
        texts = [one.value for one in asha.memories()]
        texts += [one.value for one in asha.history("secret")]
        found = {"store"} if CANARY in str(texts) else set()
        if any(hit.memory.topic in {"secret", "said"} for hit in asha.recall(CANARY).relevant):
            found.add("index")
        if any(CANARY in str(one) for one in memory.checkpointer.list(ASHA)):
            found.add("threads")
        source = Source(thread_id="t", message_ids=("m0",))
        candidate = Candidate(topic="again", value="x y z", source=source)
        if memory.store.learn(asha.namespace, [candidate]).kept:
            found.add("no tombstone")
            asha.forget("again")
        assert 300 <= len(asha.memories())
        return found


@pytest.mark.parametrize("kills", [30, pytest.param(200, marks=pytest.mark.slow)])
def test_a_forgetting_killed_at_any_moment_is_undone_or_done_and_is_finished_later(tmp_path, kills):
    prepared = tmp_path / "prepared.db"
    prepare(prepared)
    fork = multiprocessing.get_context("fork")
    chance = random.Random(11)
    longest = 0.05
    outcomes: dict[str, int] = {"undone": 0, "done": 0, "cut off": 0}
    for kill in itertools.count():
        if kill >= kills and all(outcomes.values()):
            break
        assert kill < 10 * kills, outcomes
        folder = tmp_path / str(kill)
        folder.mkdir()
        path = folder / "memory.db"
        shutil.copyfile(prepared, path)
        child = fork.Process(target=forget, args=(path,))
        child.start()
        begun = time.monotonic()
        child.join(chance.uniform(0, longest))
        if child.exitcode is None:
            os.kill(child.pid, signal.SIGKILL)
        else:  # it was faster; aim at the time that it takes
            longest = time.monotonic() - begun
        child.join()
        longest = min(longest * 1.02, 1.0)
        left = sum(count(one, [CANARY.encode()]) for one in folder.iterdir())

        held = standing(path)  # opening it makes up for a pass that was cut off

        assert held in (set(), {"store", "index", "threads", "no tombstone"})
        outcomes["undone" if held else "cut off" if left else "done"] += 1
        if kill % 2:
            forget(path)
        else:
            with AgentMemory.open(path) as memory:
                memory.forget("asha", "secret", dry_run=False)
                assert memory.doctor().healthy
        assert 0 == sum(count(one, [CANARY.encode()]) for one in folder.iterdir())
        assert set() == standing(path)
        shutil.rmtree(folder)
