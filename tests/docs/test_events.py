"""The table of events names every event that is sent, and no other; values stay out of them."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from langchain.agents import create_agent
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langgraph.graph import START, StateGraph

import langgraph_agentmem
from langgraph_agentmem import (
    AgentMemMiddleware,
    MemoryState,
    RuleExtractor,
    extract_facts,
    retrieve_memories,
)

ROOT = Path(__file__).parents[2]
PACKAGE = Path(langgraph_agentmem.__file__).parent
PAGE = (ROOT / "docs" / "events.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (`[^|]+) \|", PAGE, re.MULTILINE)
DOCUMENTED = {name for row in ROWS for name in re.findall(r"`(\w+)`", row)}

BY_OUTCOME = {"kept", "replaced", "retired", "unchanged", "consented", "declined"}
"""Sent under the name of an outcome, which is no constant where it is sent."""


def sent() -> set[str]:
    """The names in `….emit("name", …)` and `….report("name", …)`, wherever they stand."""
    found: set[str] = set()
    for file in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Call)
                and (getattr(node.func, "attr", "") or getattr(node.func, "id", ""))
                in {"emit", "report"}
                and node.args
            ):
                found |= {
                    one.value
                    for one in ast.walk(node.args[0])
                    if isinstance(one, ast.Constant) and isinstance(one.value, str)
                }
    return found


def test_every_event_is_in_the_table_and_every_one_in_it_is_sent():
    assert sent() | BY_OUTCOME == DOCUMENTED


def test_the_outcomes_are_names_in_the_code():
    source = "".join(file.read_text(encoding="utf-8") for file in PACKAGE.rglob("*.py"))

    assert [] == [name for name in BY_OUTCOME if f'"{name}"' not in source]


def events(memory, said, **asked):
    builder = StateGraph(MemoryState).add_node("retrieve", retrieve_memories())
    builder.add_node("learn", extract_facts(RuleExtractor()))
    builder.add_edge(START, "retrieve").add_edge("retrieve", "learn")
    graph = builder.compile(store=memory.store, checkpointer=memory.checkpointer)
    config = {"configurable": {"thread_id": "t", "user_id": "u", **asked}}
    given = {"messages": [{"role": "user", "content": said}]}
    return {one["agentmem"]: one for one in graph.stream(given, config, stream_mode="custom")}


def test_values_are_in_events_only_when_they_are_asked_for(memory):
    plain = events(memory, "I live in Oslo.")
    memory.for_user("u").pin("home_city")
    asked = events(memory, "I've moved to Rome.", agentmem_events="content")

    assert "content" not in str(plain)
    assert "Oslo" not in str(plain)
    assert {"home_city": "Oslo"} == asked["recalled"]["content"]
    assert {"home_city": "Rome"} == asked["replaced"]["content"]


def test_the_middleware_says_the_same(memory):
    graph = create_agent(
        GenericFakeChatModel(messages=iter([AIMessage("Hi.")])),
        [],
        middleware=[AgentMemMiddleware(RuleExtractor())],
        store=memory.store,
    )
    found = graph.stream(
        {"messages": [{"role": "user", "content": "I live in Oslo."}]},
        context={"user_id": "u"},
        stream_mode="custom",
    )

    assert ["recalled", "kept"] == [one["agentmem"] for one in found]
