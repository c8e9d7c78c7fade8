"""A process dies after it has learnt a fact; the run that goes on learns it once (case B05)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from langgraph_agentmem import AgentMemory

ROOT = Path(__file__).parents[2]
NS = ("memories", "u1")

TURN = """
import os, signal, sys
from langchain_core.messages import HumanMessage
from langgraph.graph import START, StateGraph
from langgraph_agentmem import AgentMemory, MemoryState, RuleExtractor
from langgraph_agentmem.nodes.extract import ExtractFacts

path, dies = sys.argv[1:]

class Dies(ExtractFacts):
    def work(self, state, run):
        update = yield from super().work(state, run)
        if dies == "in the node":
            os.kill(os.getpid(), signal.SIGKILL)
        return update

def then(_state):
    if dies == "in the next node":
        os.kill(os.getpid(), signal.SIGKILL)

with AgentMemory.open(path) as memory:
    graph = (
        StateGraph(MemoryState)
        .add_node("extract_facts", Dies(RuleExtractor()))
        .add_node("then", then)
        .add_edge(START, "extract_facts")
        .add_edge("extract_facts", "then")
        .compile(store=memory.store, checkpointer=memory.checkpointer)
    )
    config = {"configurable": {"thread_id": "t1", "user_id": "u1"}}
    waits = graph.get_state(config).next
    said = None if waits else {"messages": [HumanMessage("I like tea", id="h1")]}
    graph.invoke(said, config, durability="sync")
    print(graph.get_state(config).next)
"""


def turn(path: Path, dies: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", TURN, str(path), dies],
        cwd=ROOT,
        check=False,
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize("dies", ["in the node", "in the next node"])
def test_a_fact_that_a_killed_run_has_learnt_is_learnt_once(path, dies):
    killed = turn(path, dies)
    resumed = turn(path, "not")

    assert killed.returncode == -9
    assert (resumed.returncode, resumed.stdout) == (0, "()\n"), resumed.stderr
    with AgentMemory.open(path) as memory:
        assert [one.text for one in memory.store.memories(NS)] == ["tea"]
        assert len(memory.store.history(NS, "likes.tea")) == 1
