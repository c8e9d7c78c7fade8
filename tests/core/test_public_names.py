"""What somebody meets who knows the package by its names alone: `dir`, `help`, `repr`, hints."""

from __future__ import annotations

import subprocess
import sys
from datetime import datetime

import pytest
from langgraph.graph import START, StateGraph
from langgraph.store.memory import InMemoryStore

import langgraph_agentmem
from langgraph_agentmem import (
    AgentMemory,
    AgentMemStore,
    MemoryState,
    RuleExtractor,
    errors,
    extract_facts,
    remember_turns,
    retrieve_memories,
)
from langgraph_agentmem.errors import ThreadRequired, UserConflict

ASHA = {"configurable": {"user_id": "asha", "thread_id": "monday"}}


def test_every_public_name_is_listed_and_is_there():
    listed = dir(langgraph_agentmem)

    assert set(langgraph_agentmem.__all__) <= set(listed)
    assert "__version__" in listed
    assert langgraph_agentmem.errors is errors
    assert langgraph_agentmem.__version__.count(".") == 2
    with pytest.raises(AttributeError, match="Agentmemory"):
        langgraph_agentmem.Agentmemory  # noqa: B018


def test_without_langchain_all_names_are_imported_but_the_middleware():
    program = """
import sys
sys.modules["langchain"] = None  # as if it were not installed
from langgraph_agentmem import *
import langgraph_agentmem
import pydoc
assert "AgentMemory" in pydoc.render_doc(langgraph_agentmem)
assert "AgentMemMiddleware" not in dir(langgraph_agentmem)
try:
    langgraph_agentmem.AgentMemMiddleware
except langgraph_agentmem.errors.MissingExtra as error:
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=True
    )

    assert "langgraph-agentmem[agents]" in done.stdout


def test_a_repr_says_which_file_it_is_and_holds_no_content(memory, path):
    asha = memory.for_user("asha")
    asha.remember("home_city", "Lisbon")

    for one in (memory, memory.store, memory.checkpointer, asha):
        assert repr(str(path)) in repr(one)
        assert type(one).__name__ in repr(one)
        assert "Lisbon" not in repr(one)
    assert "'memories/asha'" in repr(asha)


def graph_of(memory: AgentMemory, node):
    builder = StateGraph(MemoryState).add_node("node", node).add_edge(START, "node")
    return builder.compile(store=memory.store, checkpointer=memory.checkpointer)


def test_a_run_without_a_thread_is_told_what_is_missing(memory):
    graph = graph_of(memory, lambda _: {})
    user = {"configurable": {"user_id": "asha"}}

    with pytest.raises(ThreadRequired, match=r'"thread_id": …'):
        graph.invoke({"messages": []}, user)
    with pytest.raises(ThreadRequired):
        memory.checkpointer.get_tuple(user)


def test_a_thread_of_another_user_is_refused_with_what_to_do(memory):
    memory.claim_thread("monday", "asha")

    with pytest.raises(UserConflict, match="under a new id"):
        memory.claim_thread("monday", "bo")


@pytest.mark.parametrize(
    "node", [retrieve_memories(), extract_facts(RuleExtractor()), remember_turns()]
)
def test_a_node_that_finds_no_message_says_under_which_key(memory, node):
    graph = graph_of(memory, node)

    told = [*graph.stream({"messages": []}, ASHA, stream_mode="custom")]
    assert {"agentmem": "no_messages", "key": "messages"} == told[0]

    said = {"messages": [("user", "Hello!")]}
    told = [one["agentmem"] for one in graph.stream(said, ASHA, stream_mode="custom")]
    assert "no_messages" not in told


@pytest.mark.parametrize(
    ("given", "found"),
    [(RuleExtractor, "the class RuleExtractor"), ("openai:gpt-5-mini", "str"), (None, "None")],
)
def test_what_is_no_extractor_is_named(given, found):
    with pytest.raises(TypeError, match=rf"RuleExtractor\(\).*found {found}\)"):
        extract_facts(given)


def test_a_moment_without_a_timezone_is_refused_whether_or_not_the_topic_is_there(memory):
    with pytest.raises(ValueError, match="timezone"):
        memory.for_user("asha").look("nothing", as_of=datetime(2026, 3, 2))  # noqa: DTZ001


def test_an_unknown_embedder_is_told_which_names_are_models_on_this_machine(path):
    with pytest.raises(ValueError, match="sentence-transformer") as caught:
        AgentMemory.open(path, embed="sentence-transformer:all-MiniLM-L6-v2")

    assert "sentence-transformers:, model2vec:, onnx:" in caught.value.__notes__[0]
    assert not path.exists()


class Router(InMemoryStore):
    """A store of the application, which knows of ours."""

    def __init__(self, ours: AgentMemStore) -> None:
        super().__init__()
        self.agentmem_store = ours


def test_a_store_of_the_application_may_stand_before_ours(memory):
    builder = StateGraph(MemoryState).add_node("learn", extract_facts(RuleExtractor()))
    graph = builder.add_edge(START, "learn").compile(store=Router(memory.store))
    graph.invoke({"messages": [("user", "I live in Oslo.")]}, ASHA)

    assert ["Oslo"] == [one.text for one in memory.for_user("asha").memories()]
