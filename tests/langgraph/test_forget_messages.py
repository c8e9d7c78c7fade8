"""Whatever kind of message said it, or took back what was said, can be forgotten."""

from __future__ import annotations

import pytest
from langchain_core.messages import (
    AIMessage,
    ChatMessage,
    FunctionMessage,
    HumanMessage,
    RemoveMessage,
    SystemMessage,
)
from langgraph.graph import START, MessagesState, StateGraph

from langgraph_agentmem import AgentMemory, Candidate, Source

ASHA = {"configurable": {"thread_id": "t", "user_id": "asha"}}
CODE = "XK-4711-QQ"


def told(memory: AgentMemory, message):
    builder = StateGraph(MessagesState).add_node("answer", lambda _: {"messages": [("ai", "Yes.")]})
    builder = builder.add_edge(START, "answer")
    graph = builder.compile(checkpointer=memory.checkpointer)
    graph.invoke({"messages": [message]}, ASHA)
    source = Source(thread_id="t", message_ids=("m",))
    memory.store.learn(("memories", "asha"), [Candidate(topic="code", value=CODE, source=source)])
    return graph


def test_a_message_that_was_removed_is_forgotten_and_stays_removed(memory):
    graph = told(memory, HumanMessage(f"It is {CODE}", id="m"))
    graph.invoke({"messages": [RemoveMessage(id="m"), HumanMessage("Go on", id="n")]}, ASHA)
    before = [message.id for message in graph.get_state(ASHA).values["messages"]]
    receipt = memory.forget("asha", "code")

    assert (True, 0) == (receipt.complete, receipt.left_in_files)
    assert memory.verify(receipt, text=CODE).clean
    assert before == [message.id for message in graph.get_state(ASHA).values["messages"]]
    assert CODE not in str([*graph.get_state_history(ASHA)])


@pytest.mark.parametrize(
    "message",
    [
        ChatMessage(f"It is {CODE}", role="guest", id="m"),
        ChatMessage("It is so", role=CODE, id="m"),
        FunctionMessage(f"It is {CODE}", name="look_up", id="m"),
        SystemMessage(f"It is {CODE}", id="m"),
        AIMessage(f"It is {CODE}", id="m", response_metadata={"said": CODE}),
    ],
)
def test_a_marker_is_a_message_of_the_same_type(memory, message):
    graph = told(memory, message)
    receipt = memory.forget("asha", "code")

    assert (True, 0) == (receipt.complete, receipt.left_in_files)
    assert memory.verify(receipt, text=CODE).clean
    first = graph.get_state(ASHA).values["messages"][0]
    assert (type(message), "m") == (type(first), first.id)
    assert CODE not in str(first)
