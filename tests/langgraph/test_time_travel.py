"""Runs that go on from the past recall what was known then."""

from __future__ import annotations

import pytest
from langchain_core.messages import AIMessage
from langgraph.graph import START, StateGraph
from langgraph.types import Command, interrupt

from langgraph_agentmem import AgentMemory, MemoryState, retrieve_memories
from langgraph_agentmem.nodes import moments

ASHA = {"configurable": {"thread_id": "t", "user_id": "asha"}}
QUESTION = "Which city do I live in, my home city?"


def echo(state: MemoryState):
    """Says what was recalled; the answer stands in the state."""
    return {"messages": [AIMessage(" ".join(one.text for one in state["memories"].memories))]}


def ask(state: MemoryState):
    interrupt("go on?")
    return {}


@pytest.fixture
def memory():
    with AgentMemory.open(":memory:") as opened:  # LangGraph's checkpoints carry the real time
        yield opened


def build(memory: AgentMemory, *, first: str = "recall", as_of="checkpoint"):
    node = retrieve_memories(as_of=as_of)
    builder = StateGraph(MemoryState).add_node("recall", node).add_node("echo", echo)
    builder.add_node("ask", ask)
    order = ["recall", "echo", "ask"] if first == "recall" else ["ask", "recall", "echo"]
    for one, other in zip([START, *order], order, strict=False):
        builder.add_edge(one, other)
    return builder.compile(store=memory.store, checkpointer=memory.checkpointer)


def told(state) -> str:
    return state["messages"][-1].text


def given(config) -> dict:
    return {"configurable": {**config["configurable"], "user_id": "asha"}}


def story(memory: AgentMemory, graph) -> dict:
    """Oslo was known when the first question was asked; Rome came later. Returns the config of
    the checkpoint before the first recall.
    """
    asha = memory.for_user("asha")
    asha.remember("home_city", "Oslo")
    graph.invoke({"messages": [("user", QUESTION)]}, ASHA)
    graph.invoke(Command(resume="yes"), ASHA)
    first = next(one for one in graph.get_state_history(ASHA) if one.metadata["step"] == 0)
    asha.remember("home_city", "Rome")
    asha.remember("home_country", "Italy, since the home city changed")
    return given(first.config)


def test_a_fresh_run_reads_now(memory):
    graph = build(memory)
    story(memory, graph)

    assert "Rome" in told(graph.invoke({"messages": [("user", QUESTION)]}, ASHA))


def test_a_replay_reads_what_was_known_then(memory):
    graph = build(memory)
    first = story(memory, graph)

    answer = told(graph.invoke(None, first))
    assert "Oslo" in answer
    assert "Rome" not in answer
    assert "Italy" not in answer


def test_without_the_option_a_replay_reads_now(memory):
    graph = build(memory, as_of=None)

    assert "Rome" in told(graph.invoke(None, story(memory, graph)))


async def test_a_replay_that_is_awaited_reads_what_was_known_then(memory):
    graph = build(memory)
    first = story(memory, graph)

    assert "Oslo" == told(await graph.ainvoke(None, first))


def test_new_input_at_an_old_checkpoint_reads_what_was_known_then(memory):
    graph = build(memory)
    first = story(memory, graph)

    assert "Oslo" == told(graph.invoke({"messages": [("user", QUESTION)]}, first))


def test_an_updated_state_reads_what_was_known_when_the_graph_came_to_it(memory):
    graph = build(memory)
    first = story(memory, graph)
    updated = graph.update_state(first, {"messages": [("user", f"Again: {QUESTION}")]})
    twice = graph.update_state(given(updated), {"messages": [("user", QUESTION)]})

    assert "Oslo" == told(graph.invoke(None, given(twice)))


def test_a_replay_of_a_replay_reads_what_was_known_then(memory):
    graph = build(memory)
    graph.invoke(None, story(memory, graph))
    fork = next(one for one in graph.get_state_history(ASHA) if one.metadata["source"] == "fork")

    assert "Oslo" == told(graph.invoke(None, given(fork.config)))


@pytest.mark.parametrize("how", ["replay", "input", "update"])
@pytest.mark.parametrize("asynchronous", [False, True])
@pytest.mark.parametrize("durability", ["sync", "async", "exit"])
async def test_it_is_found_again_after_an_interrupt(
    memory, how, asynchronous, durability, monkeypatch
):
    monkeypatch.setattr(moments, "_PATIENCE", 20)
    graph = build(memory, first="ask")
    first = story(memory, graph)
    if how == "replay":
        graph.invoke(None, first)
    elif how == "input":
        graph.invoke({"messages": [("user", QUESTION)]}, first)
    else:
        updated = graph.update_state(first, {"messages": [("user", QUESTION)]})
        graph.invoke(None, given(updated))
    resumed = Command(resume="yes")  # the checkpoint is not named any more
    if asynchronous:
        last = await graph.ainvoke(resumed, ASHA, durability=durability)
    else:
        last = graph.invoke(resumed, ASHA, durability=durability)

    assert "Oslo" == told(last)


@pytest.mark.parametrize("durability", ["sync", "async", "exit"])
def test_a_fresh_run_after_a_replay_reads_now(memory, durability, monkeypatch):
    monkeypatch.setattr(moments, "_PATIENCE", 20)
    graph = build(memory)
    graph.invoke(None, story(memory, graph))
    graph.invoke(Command(resume="yes"), ASHA)

    for _ in range(3):
        last = graph.invoke({"messages": [("user", QUESTION)]}, ASHA, durability=durability)
        assert "Rome" in told(last)
        graph.invoke(Command(resume="yes"), ASHA, durability=durability)


def test_a_fresh_run_that_was_interrupted_reads_now(memory):
    graph = build(memory, first="ask")
    graph.invoke(None, story(memory, graph))  # a replay stands before it in the thread
    graph.invoke(Command(resume="yes"), ASHA)
    graph.invoke({"messages": [("user", QUESTION)]}, ASHA)

    assert "Rome" in told(graph.invoke(Command(resume="yes"), ASHA))


def test_a_subgraph_reads_what_was_known_then(memory):
    inner = StateGraph(MemoryState).add_node("recall", retrieve_memories(as_of="checkpoint"))
    inner.add_node("echo", echo).add_edge(START, "recall").add_edge("recall", "echo")
    builder = StateGraph(MemoryState).add_node("inner", inner.compile()).add_node("ask", ask)
    builder.add_edge(START, "inner").add_edge("inner", "ask")
    graph = builder.compile(store=memory.store, checkpointer=memory.checkpointer)
    first = story(memory, graph)

    assert "Oslo" == told(graph.invoke(None, first))


def test_what_was_forgotten_is_gone_from_the_past_too(memory):
    graph = build(memory)
    first = story(memory, graph)
    memory.forget("asha", "home_city")

    last = graph.invoke(None, first)
    assert "" == told(last)
    assert "Oslo" not in str(last)


def test_a_graph_without_a_checkpointer_reads_now(memory):
    builder = StateGraph(MemoryState).add_node("recall", retrieve_memories(as_of="checkpoint"))
    builder.add_node("echo", echo).add_edge(START, "recall").add_edge("recall", "echo")
    memory.for_user("asha").remember("home_city", "Rome")
    graph = builder.compile(store=memory.store)

    assert "Rome" == told(graph.invoke({"messages": [("user", QUESTION)]}, ASHA))


def test_another_as_of_is_refused_when_the_node_is_made():
    with pytest.raises(ValueError, match="checkpoint"):
        retrieve_memories(as_of="yesterday")
