"""Reading checkpoints back: filters, metadata, parents, namespaces, pending writes, order. Each
expectation is what LangGraph's SqliteSaver gives on the same calls.
"""

from __future__ import annotations

from typing import Any

import pytest
from chats import chat, talk, thread
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.base import create_checkpoint, empty_checkpoint
from langgraph.checkpoint.serde.types import ERROR, INTERRUPT, RESUME, TASKS
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import Command, Interrupt, Send, interrupt

from langgraph_agentmem import AgentMemSaver

METADATA: list[dict[str, Any]] = [
    {"source": "input", "step": 2, "writes": {}, "score": 1, "flag": True},
    {"source": "loop", "step": 1, "writes": {"foo": "bar"}, "score": None, "deep": {"er": [1, 2]}},
    {"source": "loop", "step": 1.0, "name": 'O\'Brien "x" é', "flag": False},
    {},
]


def checkpoints() -> list[tuple[dict[str, Any], dict[str, Any], dict[str, Any]]]:
    """Checkpoints to put: config, a first one, and one that follows it."""
    made = []
    for number in range(len(METADATA)):
        for namespace in ("", "inner"):
            config = thread(f"t{number % 3}", checkpoint_ns=namespace, tenant=f"u{number}")
            first = create_checkpoint(empty_checkpoint(), {}, number)
            first["channel_values"] = {"messages": [HumanMessage(str(number), id="1")]}
            made.append((config, first, create_checkpoint(first, {}, number + 1)))
    return made


def fill(saver: Any, made: list[Any]) -> None:
    for number, (config, first, second) in enumerate(made):
        metadata = METADATA[number // 2]
        stored = saver.put(config, first, metadata, {})
        saver.put_writes(stored, [("x", number), ("y", [HumanMessage("w", id="w")])], "task")
        saver.put(stored, second, metadata, {})


@pytest.fixture
def savers(tmp_path):
    """Ours and the official one, filled alike."""
    made = checkpoints()
    with (
        AgentMemSaver.from_conn_string(tmp_path / "ours.db") as ours,
        SqliteSaver.from_conn_string(str(tmp_path / "official.db")) as official,
    ):
        fill(ours, made)
        fill(official, made)
        yield ours, official


FILTERS = [
    None,
    {},
    {"source": "loop"},
    {"source": "input", "step": 2},
    {"step": 1},
    {"step": 1.0},
    {"step": "1"},
    {"flag": True},
    {"flag": False},
    {"flag": 1},
    {"score": None},
    {"missing": None},
    {"missing": "x"},
    {"writes": {}},
    {"writes": {"foo": "bar"}},
    {"writes.foo": "bar"},
    {"deep.er": [1, 2]},
    {"deep": {"er": [1, 2]}},
    {"name": 'O\'Brien "x" é'},
    {"tenant": "u1"},
    {"source": "update"},
]


@pytest.mark.parametrize("wanted", FILTERS, ids=str)
@pytest.mark.parametrize("named", [None, {}, {"checkpoint_ns": ""}, {"checkpoint_ns": "inner"}])
def test_a_filter_finds_what_the_official_saver_finds(savers, wanted, named):
    ours, official = savers
    for name in ("t0", "t1", "t2", "no such thread"):
        config = None if named is None else thread(name, **named)

        assert [*official.list(config, filter=wanted)] == [*ours.list(config, filter=wanted)]


@pytest.mark.parametrize("limit", [None, 0, 1, 3, 100])
def test_a_limit_and_a_bound_hold_over_all_threads(savers, limit):
    ours, official = savers
    every = [*official.list(None)]

    assert [*official.list(None, limit=limit)] == [*ours.list(None, limit=limit)]
    for one in every:
        before = {"before": one.config, "limit": limit}
        assert [*official.list(None, **before)] == [*ours.list(None, **before)]
        assert [*official.list(thread("t0"), **before)] == [*ours.list(thread("t0"), **before)]


def test_one_checkpoint_by_its_id_comes_with_its_parent_and_writes(savers):
    ours, official = savers
    for one in [*official.list(None)]:
        assert official.get_tuple(one.config) == ours.get_tuple(one.config)
        assert [*official.list(one.config)] == [*ours.list(one.config)]
    for name in ("t0", "t1"):
        for namespace in ("", "inner", "none"):
            config = thread(name, checkpoint_ns=namespace)
            assert official.get_tuple(config) == ours.get_tuple(config)


@pytest.mark.parametrize("key", ["x' OR 1=1 --", "a b", "", "$", 'a"b', "é", 3, "a\n"])
def test_a_filter_key_that_is_no_path_is_refused(savers, key):
    ours, _ = savers

    with pytest.raises(ValueError, match="a key of a checkpoint filter"):
        ours.list(None, filter={key: 1})


def test_a_page_never_ends_between_checkpoints_of_one_id(tmp_path):
    """Copies of a thread have the ids of the original."""
    with AgentMemSaver.from_conn_string(tmp_path / "copies.db") as saver:
        talk(chat(saver), thread("t"), 1)
        for number in range(30):
            saver.copy_thread("t", f"copy{number}")

        found = [
            (one.config["configurable"]["thread_id"], one.config["configurable"]["checkpoint_id"])
            for one in saver.list(None)
        ]

    assert 31 * 3 == len(found) == len({*found})
    assert sorted((one for _, one in found), reverse=True) == [one for _, one in found]


# Pending writes ----------------------------------------------------------------------------------


def test_what_a_task_wrote_first_stays_and_its_last_interrupt_counts(savers):
    for saver in savers:
        config = saver.put(thread("w", checkpoint_ns=""), empty_checkpoint(), {}, {})
        saver.put_writes(config, [("a", 1), ("b", 2)], "one", "~2")
        saver.put_writes(config, [("a", 9)], "one", "~2")
        saver.put_writes(config, [("a", 3)], "two", "~1")
        for value in ("first", "second"):
            saver.put_writes(config, [(INTERRUPT, [Interrupt(value)])], "two", "~1")
            saver.put_writes(config, [(RESUME, value)], "two", "~1")
            saver.put_writes(config, [(ERROR, value)], "one", "~2")
        saver.put_writes(config, [(TASKS, Send("n", {"x": [HumanMessage("m", id="1")]}))], "0")
        saver.put_writes(config, [], "empty")
    ours, official = (one.get_tuple(thread("w")).pending_writes for one in savers)

    assert [write[:2] for write in official] == [write[:2] for write in ours]
    assert [str(write) for write in official] == [str(write) for write in ours]
    assert 7 == len(ours)


# Graphs ------------------------------------------------------------------------------------------


def test_subgraph_namespaces_and_time_travel_into_them(tmp_path):
    def ask(state: MessagesState) -> dict[str, Any]:
        return {"messages": [HumanMessage(interrupt("which?"))]}

    inner = StateGraph(MessagesState).add_node("ask", ask).add_edge(START, "ask")
    builder = StateGraph(MessagesState).add_node("inner", inner.compile())
    builder.add_edge(START, "inner")
    with AgentMemSaver.from_conn_string(tmp_path / "inner.db") as saver:
        graph = builder.compile(checkpointer=saver)
        graph.invoke({"messages": [HumanMessage("go", id="1")]}, thread())
        inside = graph.get_state(thread(), subgraphs=True).tasks[0].state
        first = graph.invoke(Command(resume="one"), thread())
        again = graph.invoke(Command(resume="two"), inside.config)
        namespaces = {one.config["configurable"]["checkpoint_ns"] for one in saver.list(thread())}

    assert ["go", "one"] == [message.text for message in first["messages"]]
    assert "two" == again["messages"][-1].text
    assert {""} < namespaces
    assert all(one == "" or one.startswith("inner:") for one in namespaces)


def test_metadata_keeps_what_the_config_says_of_the_run_and_nothing_hidden(tmp_path):
    with AgentMemSaver.from_conn_string(tmp_path / "m.db") as saver:
        config = {
            "configurable": {"thread_id": 7, "tenant": "acme", "__secret": "x", "object": object()},
            "metadata": {"run": "r1", "nul": "a\x00b"},
        }
        chat(saver).invoke({"messages": [("user", "hi")]}, config)

        found = next(saver.list({"configurable": {"thread_id": "7"}}))

    assert ("acme", "r1", "ab") == tuple(found.metadata[name] for name in ("tenant", "run", "nul"))
    assert not {"__secret", "object", "thread_id"} & found.metadata.keys()
    assert "7" == found.config["configurable"]["thread_id"]
