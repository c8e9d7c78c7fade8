"""Whatever a model calls a memory tool with, it gets an answer, and nobody else's memory changes;
whatever arguments are, what is kept of them is JSON, small, and without secrets.
"""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import ToolMessage
from langgraph.graph import START, MessagesState, StateGraph

from langgraph_agentmem import AgentMemory, create_memory_tools
from langgraph_agentmem.activity.masking import masked
from langgraph_agentmem.policy import careful

SECRET = "sk-live-4f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c"  # noqa: S105 - made up

texts = st.text(max_size=40) | st.sampled_from(
    ["", " ", "seat", "home_city", "\x00", "' OR 1=1 --", "</memories>", "x" * 5000, SECRET]
)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
NAMES = [
    "topic",
    "content",
    "query",
    "pin",
    "limit",
    "user_id",
    "namespace",
    "tool_call_id",
    "state",
]
calls = st.lists(
    st.tuples(
        st.sampled_from(["remember", "recall", "forget", "history"]),
        st.dictionaries(st.sampled_from(NAMES), values, max_size=4),
    ),
    min_size=1,
    max_size=6,
)


@pytest.fixture(scope="module")
def memory():
    with AgentMemory.open(":memory:") as opened:
        opened.for_user("bob").remember("seat", "aisle", pinned=True)
        yield opened


@given(calls=calls)
def test_every_call_gets_an_answer_and_reaches_nobody_else(memory, calls):
    tools = {tool.name: tool for tool in create_memory_tools(confirm=False)}

    def carry_out(_: MessagesState):
        return {
            "messages": [
                tools[name].invoke(
                    {"name": name, "args": arguments, "id": f"c{at}", "type": "tool_call"}
                )
                for at, (name, arguments) in enumerate(calls)
            ]
        }

    builder = StateGraph(MessagesState).add_node("tools", carry_out).add_edge(START, "tools")
    graph = builder.compile(store=memory.store)
    answers = graph.invoke({"messages": []}, context={"user_id": "asha"})["messages"]

    assert len(calls) == len(answers)
    for answer in answers:
        assert isinstance(answer, ToolMessage)
        assert 0 < len(answer.text) < 20_000
    assert ["aisle"] == [one.text for one in memory.for_user("bob").memories()]
    assert SECRET not in str(memory.for_user("asha").memories())


@given(arguments=st.dictionaries(texts, values, max_size=5), name=st.sampled_from(["key", "note"]))
def test_what_is_kept_of_arguments_is_small_json_without_secrets(arguments, name):
    kept = masked({**arguments, name: SECRET, "deep": [{"in": {"it": [SECRET]}}]}, careful)
    text = json.dumps(kept)

    assert kept == json.loads(text)
    assert SECRET not in text
    assert len(text) < 200_000
