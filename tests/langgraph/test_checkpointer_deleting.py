"""Pruning, deleting runs and threads, copying, late writes: what stays can be loaded, what goes
leaves nothing.
"""

from __future__ import annotations

import json
import logging
import sqlite3
from typing import Annotated, Any

import pytest
from chats import chat, count, rows, said, talk, texts, thread
from langchain_core.messages import HumanMessage
from langgraph.channels.delta import DeltaChannel
from langgraph.checkpoint.base import BaseCheckpointSaver, empty_checkpoint
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import Command, interrupt
from typing_extensions import TypedDict

from langgraph_agentmem import AgentMemory, AgentMemSaver, Candidate, Source
from langgraph_agentmem.errors import ThreadNotEmpty, ThreadNotFound, UserConflict

TABLES = ("checkpoints", "writes", "thread_messages", "thread_chunks", "thread_times")


@pytest.fixture
def saver(path):
    with AgentMemSaver.from_conn_string(path) as opened:
        yield opened


def counts(path) -> dict[str, int]:
    return {table: count(path, table) for table in TABLES}


def orphans(path) -> int:
    """Messages that no checkpoint or write names any more."""
    used: set[tuple[str, int]] = set()
    chunks = {
        (thread_id, number): json.loads(messages)
        for thread_id, number, messages in rows(
            path, "SELECT thread_id, number, messages FROM thread_chunks"
        )
    }
    named = set()
    for thread_id, kind, data in rows(
        path,
        "SELECT thread_id, type, checkpoint FROM checkpoints"
        " UNION ALL SELECT thread_id, type, value FROM writes",
    ):
        if not kind.startswith("agentmem:"):
            continue
        end = 4 + int.from_bytes(data[:4], "big")
        for _, wholes, numbers in json.loads(data[4:end]):
            named |= {(thread_id, one) for one in wholes}
            used |= {(thread_id, one) for one in numbers}
            used |= {(thread_id, one) for chunk in wholes for one in chunks[thread_id, chunk]}
    for thread_id, number, base in rows(
        path, "SELECT thread_id, number, base FROM thread_messages"
    ):
        if base is not None and (thread_id, number) in used:
            used.add((thread_id, base))
    stored = {*rows(path, "SELECT thread_id, number FROM thread_messages")}
    assert used <= stored
    return len(stored - used) + len(chunks.keys() - named)


# Pruning ----------------------------------------------------------------------------------------


def test_a_pruned_thread_goes_on_and_keeps_no_message_that_nothing_names(path, saver):
    graph = chat(saver)
    talk(graph, thread(), 40)
    saver.put_writes(next(iter(saver.list(thread()))).parent_config, [("x", ("ai", "GONE"))], "t")

    saver.prune(["t1"])

    after = counts(path)
    assert (1, 1) == (after["checkpoints"], after["thread_chunks"])
    assert 0 == orphans(path)
    assert [] == rows(path, "SELECT 1 FROM thread_messages WHERE INSTR(data, 'GONE')")
    assert said(40) == texts(graph, thread())
    talk(graph, thread(), 40, first=40)
    assert said(80) == texts(graph, thread())


def test_the_kept_checkpoint_has_no_parent_that_is_gone(saver):
    talk(chat(saver), thread(), 3)

    saver.prune(["t1"])

    assert [None] == [one.parent_config for one in saver.list(thread())]


def test_an_interrupt_waits_through_a_prune_in_the_graph_and_in_its_subgraph(path):
    def ask(state: MessagesState) -> dict[str, Any]:
        return {"messages": [HumanMessage(interrupt("which?"))]}

    inner = StateGraph(MessagesState).add_node("ask", ask).add_edge(START, "ask").compile()
    builder = StateGraph(MessagesState).add_node("inner", inner).add_edge(START, "inner")
    with AgentMemSaver.from_conn_string(path) as saver:
        graph = builder.compile(checkpointer=saver)
        graph.invoke({"messages": [HumanMessage("go", id="1")]}, thread())

        saver.prune(["t1"])

        assert ("inner",) == graph.get_state(thread()).next
        done = graph.invoke(Command(resume="this"), thread())
    assert ["go", "this"] == [message.text for message in done["messages"]]


def extend(state: list[Any], writes: list[Any]) -> list[Any]:
    return [*state, *(one for write in writes for one in write)]


class Deltas(TypedDict):
    often: Annotated[list[Any], DeltaChannel(extend, snapshot_frequency=3)]
    seldom: Annotated[list[Any], DeltaChannel(extend, snapshot_frequency=7)]
    never: Annotated[list[Any], DeltaChannel(extend, snapshot_frequency=1000)]


def deltas(saver: AgentMemSaver, fields: list[str] | None = None):
    def node(state: Deltas) -> dict[str, Any]:
        seen = len(state["often"])
        return {name: [HumanMessage(f"{name} {seen}")] for name in fields or ["often", "seldom"]}

    builder = StateGraph(Deltas).add_node("node", node).add_edge(START, "node")
    return builder.compile(checkpointer=saver)


def shown(state: dict[str, Any]) -> dict[str, list[str]]:
    return {
        name: [one if isinstance(one, str) else one.text for one in held]
        for name, held in state.items()
    }


@pytest.mark.parametrize("turns", [1, 2, 3, 7, 8, 20])
@pytest.mark.parametrize("fields", [["often"], ["often", "seldom"], ["often", "never"]])
def test_pruning_breaks_no_delta_channel_of_any_checkpoint_that_stays(path, turns, fields):
    with AgentMemSaver.from_conn_string(path) as saver:
        graph = deltas(saver, fields)
        for turn in range(turns):
            graph.invoke({name: [f"in {turn}"] for name in fields}, thread())
        before = {
            one.config["configurable"]["checkpoint_id"]: shown(one.values)
            for one in graph.get_state_history(thread())
        }

        saver.prune(["t1"])

        after = {
            one.config["configurable"]["checkpoint_id"]: shown(one.values)
            for one in graph.get_state_history(thread())
        }
        assert {one: before[one] for one in after} == after
        assert shown(graph.get_state(thread()).values) == before[max(before)]
        if fields == ["often"] and turns == 20:
            assert len(after) < len(before) / 4
        graph.invoke({"often": ["more"]}, thread())
        assert "more" in shown(graph.get_state(thread()).values)["often"]


async def test_the_history_of_a_delta_channel_is_that_of_the_official_walk(path):
    with AgentMemSaver.from_conn_string(path) as saver:
        graph = deltas(saver)
        for turn in range(9):
            graph.invoke({"often": [HumanMessage(f"in {turn}")], "seldom": ["x"]}, thread())
        names = ["often", "seldom", "unknown"]
        for one in saver.list(thread()):
            walked = BaseCheckpointSaver.get_delta_channel_history(
                saver, config=one.config, channels=names
            )
            assert walked == saver.get_delta_channel_history(config=one.config, channels=names)
            assert walked == await saver.aget_delta_channel_history(
                config=one.config, channels=names
            )


@pytest.mark.parametrize("bad", ["keep_first", "", None, 3])
def test_an_unknown_strategy_is_refused_before_anything_goes(path, saver, bad):
    talk(chat(saver), thread(), 2)
    before = counts(path)

    with pytest.raises(ValueError, match="keep_latest or delete"):
        saver.prune(["t1"], strategy=bad)
    with pytest.raises(TypeError, match="list of ids"):
        saver.prune("t1")
    with pytest.raises(TypeError, match="list of ids"):
        saver.delete_for_runs("run-1")
    assert before == counts(path)


# Runs -------------------------------------------------------------------------------------------


def test_a_run_that_is_taken_back_leaves_the_thread_as_it_was_before(path, saver):
    graph = chat(saver)
    talk(graph, thread(), 2)
    before = counts(path)
    config = {**thread(), "metadata": {"run_id": "run-3"}}
    graph.invoke({"messages": [HumanMessage("regretted", id="r")]}, config)

    saver.delete_for_runs(["run-3", "another"])

    assert before == counts(path)
    assert said(2) == texts(graph, thread())
    assert [] == rows(path, "SELECT 1 FROM thread_messages WHERE INSTR(data, 'regretted')")


def test_deleting_an_old_run_leads_parents_past_it(saver):
    graph = chat(saver)
    for number in range(3):
        config = {**thread(), "metadata": {"run_id": f"run-{number}"}}
        graph.invoke({"messages": [HumanMessage(f"question {number}")]}, config)

    saver.delete_for_runs(["run-1"])

    found = [*saver.list(thread())]
    ids = [one.config["configurable"]["checkpoint_id"] for one in found]
    parents = [
        one.parent_config and one.parent_config["configurable"]["checkpoint_id"] for one in found
    ]
    assert [*ids[1:], None] == parents
    assert {"run-0", "run-2"} == {one.metadata["run_id"] for one in found}
    assert said(3) == texts(graph, thread())


def test_deleting_a_run_breaks_no_delta_channel_and_says_what_stays_for_it(path, caplog):
    with AgentMemSaver.from_conn_string(path) as saver:
        graph = deltas(saver)
        for turn in range(6):
            config = {**thread(), "metadata": {"run_id": f"run-{turn}"}}
            graph.invoke({"often": [f"in {turn}"], "seldom": []}, config)
        before = shown(graph.get_state(thread()).values)

        saver.delete_for_runs([f"run-{turn}" for turn in range(5)])

        assert before == shown(graph.get_state(thread()).values)
        left = [one for one in saver.list(thread()) if one.metadata["run_id"] != "run-5"]
        assert len(left) == saver.needed_checkpoints > 0
        assert [f"{len(left)} checkpoints of deleted runs stay"] == [
            one.message.partition(":")[0] for one in caplog.records
        ]


def test_what_pruning_leaves_for_delta_channels_alone_is_counted(path, saver):
    talk(chat(saver), thread(), 3)
    saver.prune(["t1"])
    assert (1, 0) == (len([*saver.list(thread())]), saver.needed_checkpoints)
    graph = deltas(saver)
    for turn in range(2):
        graph.invoke({"often": [f"in {turn}"], "seldom": []}, thread("deltas"))

    saver.prune(["deltas"])

    left = len([*saver.list(thread("deltas"))])
    assert (left - 1) == saver.needed_checkpoints > 0
    saver.delete_for_runs(["none of these"])
    assert (left - 1) == saver.needed_checkpoints


# Threads ----------------------------------------------------------------------------------------


def test_a_deleted_thread_leaves_no_row_but_what_tells_late_writes(path, saver):
    talk(chat(saver), thread(), 70)

    saver.delete_thread("t1")

    assert {0} == set(counts(path).values())
    assert 210 == count(path, "removed_checkpoints")
    connection = sqlite3.connect(path)
    dump = "".join(connection.iterdump())
    connection.close()
    assert "t1" not in dump.replace("f_t1", "")


def test_deleted_checkpoints_are_remembered_for_a_week(path, clock):
    with AgentMemory.open(path, clock=clock, require_user=False) as memory:
        talk(chat(memory.checkpointer), thread("a"), 1)
        talk(chat(memory.checkpointer), thread("b"), 1)
        memory.checkpointer.delete_thread("a")
        clock.advance(days=8)

        memory.checkpointer.delete_thread("b")

    assert 3 == count(path, "removed_checkpoints")


@pytest.mark.parametrize("durability", ["sync", "async"])
@pytest.mark.parametrize("is_async", [False, True])
async def test_what_a_run_writes_after_its_thread_was_deleted_is_ignored_and_counted(
    path, saver, caplog, durability, is_async
):
    caplog.set_level(logging.WARNING)

    def delete(state: MessagesState) -> dict[str, Any]:
        saver.delete_thread("t1")
        return {"messages": [HumanMessage("LATE")]}

    builder = StateGraph(MessagesState).add_node("delete", delete).add_node("more", lambda _: {})
    builder.add_edge(START, "delete").add_edge("delete", "more")
    graph = builder.compile(checkpointer=saver)
    talk(chat(saver), thread(), 1)

    if is_async:
        done = await graph.ainvoke({"messages": [("user", "hi")]}, thread(), durability=durability)
    else:
        done = graph.invoke({"messages": [("user", "hi")]}, thread(), durability=durability)

    assert ["hi", "LATE"] == [message.text for message in done["messages"]][2:]
    assert (0, 0) == (count(path, "checkpoints"), count(path, "thread_messages"))
    assert graph.get_state(thread()).values == {}
    assert saver.late_writes >= 3
    assert "LATE" not in caplog.text
    assert "was ignored" in caplog.text


def test_late_writes_of_a_subgraph_are_ignored_too(path, saver):
    def delete(state: MessagesState) -> dict[str, Any]:
        saver.delete_thread("t1")
        return {"messages": [HumanMessage("LATE")]}

    inner = StateGraph(MessagesState).add_node("delete", delete).add_node("more", lambda _: {})
    inner.add_edge(START, "delete").add_edge("delete", "more")
    builder = StateGraph(MessagesState).add_node("inner", inner.compile(checkpointer=True))
    graph = builder.add_edge(START, "inner").compile(checkpointer=saver)

    graph.invoke({"messages": [("user", "hi")]}, thread(), durability="sync")

    assert (0, 0) == (count(path, "checkpoints"), count(path, "writes"))


def test_a_thread_begins_anew_under_its_id_while_the_old_run_still_writes(path, saver):
    graph = chat(saver)
    talk(graph, thread(), 1)
    old = next(iter(saver.list(thread())))
    saver.delete_thread("t1")

    talk(graph, thread(), 1, first=7)
    late = {**old.checkpoint, "id": "1fffffff-0000-6000-8000-000000000000"}
    after = saver.put(old.config, late, {"source": "loop", "step": 9}, {})
    saver.put_writes(after, [("messages", HumanMessage("LATE"))], "task")
    saver.put(after, {**late, "id": "1fffffff-0000-6000-8000-000000000001"}, {}, {})

    assert said(1, first=7) == texts(graph, thread())
    assert 3 == saver.late_writes
    talk(graph, thread(), 1, first=8)
    assert said(2, first=7) == texts(graph, thread())


def test_copies_of_a_saver_count_late_writes_together(saver):
    talk(chat(saver), thread(), 1)
    old = next(iter(saver.list(thread())))
    saver.delete_thread("t1")

    saver.with_allowlist([("decimal", "Decimal")]).put_writes(old.config, [("x", 1)], "task")

    assert 1 == saver.late_writes


def test_a_put_on_a_parent_that_never_was_is_stored(saver):
    """As in the official saver: imports put what they have in any order."""
    config = thread(checkpoint_ns="", checkpoint_id="1f000000-0000-6000-8000-000000000000")
    stored = saver.put(config, empty_checkpoint(), {}, {})

    assert saver.get_tuple(stored) is not None
    assert 0 == saver.late_writes


# Copies -----------------------------------------------------------------------------------------


def test_a_copied_thread_goes_its_own_way(path, saver):
    graph = chat(saver)
    talk(graph, thread(), 70)
    saver.copy_thread("t1", "t2")

    talk(graph, thread("t2"), 1, first=70)
    saver.delete_thread("t1")

    assert said(71) == texts(graph, thread("t2"))
    assert [] == texts(graph, thread())
    assert 0 == orphans(path)


def test_a_thread_is_not_copied_over_another_nor_from_nothing(saver):
    graph = chat(saver)
    talk(graph, thread(), 1)
    talk(graph, thread("t2"), 1)

    with pytest.raises(ThreadNotEmpty, match="t2"):
        saver.copy_thread("t1", "t2")
    with pytest.raises(ThreadNotEmpty):
        saver.copy_thread("t1", "t1")
    with pytest.raises(ThreadNotFound, match="nowhere"):
        saver.copy_thread("nowhere", "t3")


def test_a_copy_belongs_to_the_same_user_and_is_forgotten_with_the_original(path):
    with AgentMemory.open(path) as memory:
        graph = chat(memory.checkpointer)
        mine = thread("t1", user_id="asha")
        graph.invoke({"messages": [HumanMessage("I have CANARYITIS", id="m1")]}, mine)
        memory.checkpointer.copy_thread("t1", "t2")
        source = Source(thread_id="t1", message_ids=("m1",))
        memory.store.learn(
            memory.for_user("asha").namespace,
            [Candidate(topic="health", value="ill", source=source)],
        )
        memory.checkpointer.copy_thread("t1", "t3")
        memory.claim_thread("t4", "ben")

        with pytest.raises(UserConflict):
            graph.get_state(thread("t2", user_id="ben"))
        with pytest.raises(UserConflict):
            memory.checkpointer.copy_thread("t1", "t4")
        memory.forget("asha", "health")

        assert ["[forgotten]"] * 2 == [
            graph.get_state(thread(name, user_id="asha")).values["messages"][0].text
            for name in ("t1", "t3")
        ]
        assert 3 == memory.forget("asha").removed["threads"]
    assert 0 == count(path, "thread_messages")
