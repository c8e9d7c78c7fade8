"""Cases C03, C04 and C06: whose memories they are, and that all of them are there."""

import shutil

import pytest
from langchain_core.messages import HumanMessage
from langgraph.graph import START, StateGraph

from langgraph_agentmem import (
    AgentMemory,
    MemoryState,
    RuleExtractor,
    extract_facts,
    retrieve_memories,
)
from langgraph_agentmem.errors import UserRequired

NOTES = {
    "user1": "A",
    "user10": "B",
    "USER1": "C",
    "us_r1": "D",
    "user%": "E",
    "user*": "F",
    "user1:x": "G",
}


def recalled_by(memory, user):
    graph = (
        StateGraph(MemoryState)
        .add_node("retrieve", retrieve_memories())
        .add_edge(START, "retrieve")
        .compile(store=memory.store)
    )
    given = {"messages": [HumanMessage("What does my note say?")]}
    state = graph.invoke(given, {"configurable": {"user_id": user}})
    return [one.text for one in state["memories"].memories]


def test_case_c04_each_user_sees_their_own_note_and_no_other(path, clock):
    with AgentMemory.open(path, clock=clock) as memory:
        for user, text in NOTES.items():
            memory.for_user(user).remember("note", f"note {text}")

        for user, text in NOTES.items():
            own = memory.for_user(user)
            mine = [f"note {text}"]
            assert mine == [item.value["text"] for item in memory.store.search(own.namespace)]
            assert mine == [one.text for one in own.memories()]
            assert mine == [one.memory.text for one in own.recall("note").relevant]
            assert mine == recalled_by(memory, user)
            exported = str(list(own.export()))
            assert {text} == {one for one in NOTES.values() if f"note {one}" in exported}

    for user in NOTES:
        copy = path.with_name("copy.db")
        shutil.copy(path, copy)
        with AgentMemory.open(copy, clock=clock) as memory:
            memory.forget(user)
            left = [one for other in NOTES for one in memory.for_user(other).memories()]
            assert sorted(
                f"note {text}" for other, text in NOTES.items() if other != user
            ) == sorted(one.text for one in left)


def test_case_c06_all_of_137_facts_are_there_and_all_of_them_go(memory):
    own = memory.for_user("u1")
    for number in range(137):
        own.remember(f"t{number:03}", f"fact number {number}")

    assert 137 == len(own.memories())
    assert all(f"fact number {number}" in str(list(own.export())) for number in (0, 10, 136))
    assert own.look("t136") is not None

    own.forget()

    assert [] == own.memories()
    assert own.look("t136") is None
    assert [] == memory.store.search(own.namespace)


CONFIGS = [
    {},
    {"configurable": {}},
    {"configurable": {"user_id": None}},
    {"configurable": {"user_id": ""}},
    {"configurable": {"user_id": "  "}},
]


@pytest.mark.parametrize("config", CONFIGS)
@pytest.mark.parametrize("node", [retrieve_memories(), extract_facts(RuleExtractor())])
async def test_case_c03_without_a_user_nothing_is_read_or_written(memory, node, config):
    memory.for_user("u1").remember("diet", "vegan")
    graph = (
        StateGraph(MemoryState)
        .add_node("node", node)
        .add_edge(START, "node")
        .compile(store=memory.store)
    )
    given = {"messages": [HumanMessage("I live in Pune. Am I vegan?")]}

    with pytest.raises(UserRequired, match="user_id"):
        graph.invoke(given, config)
    with pytest.raises(UserRequired, match="user_id"):
        await graph.ainvoke(given, config)

    assert [("memories", "u1")] == memory.store.list_namespaces()
    assert ["vegan"] == [one.text for one in memory.for_user("u1").memories()]
