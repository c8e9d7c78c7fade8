"""The table of events names every event that is sent, and no other; values stay out of them."""

from __future__ import annotations

import ast
import itertools
from collections import defaultdict
from pathlib import Path

from agents import call, run_of, said, tool_graph
from events_page import TOLD
from langchain.agents import create_agent
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.graph import START, StateGraph
from langgraph.types import Command
from summarizing import THREAD, Telling, chat_graph, turns

import langgraph_agentmem
from langgraph_agentmem import (
    AgentMemMiddleware,
    AgentMemory,
    MemoryState,
    RuleExtractor,
    extract_facts,
    retrieve_memories,
    summarize_old_turns,
)
from langgraph_agentmem.errors import CheckpointUnreadable

PACKAGE = Path(langgraph_agentmem.__file__).parent
MODULES = [ast.parse(file.read_text(encoding="utf-8")) for file in sorted(PACKAGE.rglob("*.py"))]

BY_OUTCOME = {"kept", "replaced", "retired", "unchanged", "consented", "declined"}
"""Sent under the name of an outcome, which is no constant where it is sent."""


def name_of(called):
    return getattr(called.func, "attr", "") or getattr(called.func, "id", "")


def sent():
    """`….emit("name", …)` and `….report("name", …)`, wherever they stand: names, call, module."""
    for module in MODULES:
        for node in ast.walk(module):
            if isinstance(node, ast.Call) and name_of(node) in {"emit", "report"} and node.args:
                strings = (one for one in ast.walk(node.args[0]) if isinstance(one, ast.Constant))
                yield {one.value for one in strings if isinstance(one.value, str)}, node, module


def keys(given):
    return {one.value for one in given.keys if isinstance(one, ast.Constant)}


def spread(given, module):
    """The keys of what stands behind `**`: a function's mapping, a local one, or keywords that
    are passed on.
    """
    if isinstance(given, ast.Call):
        makers = (
            one
            for one in itertools.chain.from_iterable(map(ast.walk, MODULES))
            if isinstance(one, ast.FunctionDef) and one.name == name_of(given)
        )
        returned = (one.value for one in ast.walk(next(makers)) if isinstance(one, ast.Return))
        return set().union(*map(keys, returned))
    found = set()
    for node in ast.walk(module):
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == given.id:
            found |= keys(node.value)
        if (
            isinstance(node, ast.FunctionDef)
            and node.args.kwarg
            and node.args.kwarg.arg == given.id
        ):
            calls = (one for one in ast.walk(module) if isinstance(one, ast.Call))
            passed = (one.keywords for one in calls if name_of(one) == node.name)
            found |= {one.arg for one in itertools.chain.from_iterable(passed)}
    assert found, given.id
    return found


def test_every_event_is_in_the_table_and_every_one_in_it_is_sent():
    assert set().union(*(names for names, _, _ in sent())) | BY_OUTCOME == TOLD.keys()


def test_every_event_is_sent_with_the_fields_of_the_table_and_no_others():
    fields = defaultdict(set)
    for names, sending, module in sent():
        given = {one.arg for one in sending.keywords if one.arg}
        for one in sending.keywords:
            given |= spread(one.value, module) if one.arg is None else set()
        for name in names:
            fields[name] |= given - {"content"}
    told = {name: set(one.always | one.at_times) for name, one in TOLD.items()}

    assert fields | {name: {"count", "topics"} for name in BY_OUTCOME} == told


def test_the_outcomes_are_names_in_the_code():
    strings = {
        node.value
        for module in MODULES
        for node in ast.walk(module)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }

    assert strings >= BY_OUTCOME


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


def happenings(graph, given, **options):
    return [*graph.stream(given, run_of(), stream_mode="custom", **options)]


def test_a_tool_says_that_the_user_did_not_confirm(memory):
    memory.for_user("u1").remember("phone", "+47 400 00 001")
    graph = tool_graph(memory, [call("forget", topic="phone")])
    graph.invoke(said(), run_of())

    assert [{"agentmem": "not_confirmed", "topics": ["phone"]}] == happenings(
        graph, Command(resume=False)
    )


def test_a_tool_says_that_nothing_could_be_erased(memory, monkeypatch):
    def fails(*_, **__):
        raise CheckpointUnreadable(thread_id="t0")

    memory.for_user("u1").remember("phone", "+47 400 00 001")
    monkeypatch.setattr(memory, "forget", fails)
    graph = tool_graph(memory, [call("forget", topic="phone")], confirm=False)

    assert [{"agentmem": "forget_failed", "error": "CheckpointUnreadable"}] == happenings(
        graph, said()
    )


def test_a_tool_says_that_the_embedder_failed(path):
    def fails(texts):
        raise ConnectionError

    with AgentMemory.open(path, embed=fails) as memory:
        graph = tool_graph(memory, [call("remember", topic="seat", content="window")])

        assert [{"agentmem": "remember_failed", "error": "EmbeddingFailed"}] == happenings(
            graph, said()
        )


def test_a_summary_says_how_many_secrets_it_leaves_out():
    node = summarize_old_turns(Telling().model, trigger=("messages", 4), keep=("messages", 2))
    spoken = [HumanMessage("My card is 4111 1111 1111 1111.", id="m1"), *turns(3)]
    found = chat_graph(node).stream({"messages": spoken}, THREAD, stream_mode="custom")

    assert {"agentmem": "secrets_left_out", "values": 1} in [*found]
