"""The checkpointer in compiled graphs: sync, async, streams, interrupts, subgraphs, Send."""

from __future__ import annotations

import asyncio
import sqlite3
from operator import add
from typing import Annotated, Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.serde.encrypted import EncryptedSerializer
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import Command, Send, interrupt
from typing_extensions import TypedDict

from langgraph_agentmem import AgentMemory, MemoryState
from langgraph_agentmem.errors import MemoryClosed, UserConflict, UserRequired
from langgraph_agentmem.model import Hit, Recall

ASHA = {"configurable": {"thread_id": "trip", "user_id": "asha"}}


def echo(state: MessagesState) -> dict[str, Any]:
    return {"messages": [AIMessage(f"You said: {state['messages'][-1].text}")]}


def confirm(state: MessagesState) -> dict[str, Any]:
    return {"messages": [AIMessage(f"Confirmed: {interrupt('Book it?')}")]}


def chat(memory: AgentMemory, *, asks: bool = False):
    builder = StateGraph(MessagesState).add_node("echo", echo).add_edge(START, "echo")
    if asks:
        builder.add_node("confirm", confirm).add_edge("echo", "confirm")
    return builder.compile(store=memory.store, checkpointer=memory.checkpointer)


def texts(state: dict[str, Any]) -> list[str]:
    return [message.text for message in state["messages"]]


def test_a_thread_goes_on_where_it_stopped_after_the_file_was_reopened(path):
    with AgentMemory.open(path) as memory:
        chat(memory).invoke({"messages": [("user", "hello")]}, ASHA)

    with AgentMemory.open(path) as memory:
        state = chat(memory).invoke({"messages": [("user", "again")]}, ASHA)

    assert ["hello", "You said: hello", "again", "You said: again"] == texts(state)


async def test_one_object_serves_invoke_ainvoke_stream_and_astream(memory):
    graph = chat(memory)

    await asyncio.to_thread(graph.invoke, {"messages": [("user", "one")]}, ASHA)
    await graph.ainvoke({"messages": [("user", "two")]}, ASHA)
    list(graph.stream({"messages": [("user", "three")]}, ASHA))
    parts = [part async for part in graph.astream({"messages": [("user", "four")]}, ASHA)]
    history = [snapshot async for snapshot in graph.aget_state_history(ASHA)]

    assert ["You said: four"] == [message.text for message in parts[0]["echo"]["messages"]]
    assert 8 == len((await graph.aget_state(ASHA)).values["messages"])
    assert len(list(graph.get_state_history(ASHA))) == len(history) == 12


@pytest.mark.parametrize("is_async", [False, True])
async def test_an_interrupt_is_resumed(memory, is_async):
    graph = chat(memory, asks=True)

    if is_async:
        paused = await graph.ainvoke({"messages": [("user", "Oslo")]}, ASHA)
        done = await graph.ainvoke(Command(resume="yes"), ASHA)
    else:
        paused = graph.invoke({"messages": [("user", "Oslo")]}, ASHA)
        done = graph.invoke(Command(resume="yes"), ASHA)

    assert "Book it?" == paused["__interrupt__"][0].value
    assert "Confirmed: yes" == texts(done)[-1]


def test_an_earlier_checkpoint_can_be_replayed_and_forked(memory):
    graph = chat(memory)
    graph.invoke({"messages": [("user", "one")]}, ASHA)
    graph.invoke({"messages": [("user", "two")]}, ASHA)
    first = next(
        snapshot
        for snapshot in graph.get_state_history(ASHA)
        if len(snapshot.values.get("messages", ())) == 2
    )

    fork = graph.update_state(first.config, {"messages": [HumanMessage("other")]})
    forked = graph.invoke(None, fork, context={"user_id": "asha"})

    assert ["one", "You said: one", "other"] == texts(forked)[:3]
    assert 2 == len(graph.get_state(first.config).values["messages"])


async def test_a_listing_that_pauses_blocks_nobody(memory):
    graph = chat(memory)
    graph.invoke({"messages": [("user", "one")]}, ASHA)
    paused = memory.checkpointer.list(ASHA)
    next(paused)
    also_paused = memory.checkpointer.alist(ASHA)
    await anext(also_paused)

    state = await asyncio.wait_for(graph.ainvoke({"messages": [("user", "two")]}, ASHA), 10)
    await also_paused.aclose()

    assert "You said: two" == texts(state)[-1]


def test_a_failed_write_leaves_the_thread_as_it_was(memory):
    graph = chat(memory)
    graph.invoke({"messages": [("user", "one")]}, ASHA)
    before = list(memory.checkpointer.list(ASHA))

    class NotSerializable:
        def __reduce__(self):
            raise TypeError("no")

    with pytest.raises(TypeError):
        memory.checkpointer.put_writes(
            before[0].config, [("messages", "fine"), ("x", NotSerializable())], "task"
        )

    assert before == list(memory.checkpointer.list(ASHA))


# Owners ----------------------------------------------------------------------------------------


BOB = {"configurable": {"thread_id": "trip", "user_id": "bob"}}


def rows_of(path) -> list[bytes]:
    """What the checkpointer has stored, as bytes."""
    with sqlite3.connect(path) as connection:
        rows = connection.execute(
            "SELECT checkpoint FROM checkpoints UNION ALL SELECT value FROM writes"
        ).fetchall()
    connection.close()
    return [row[0] for row in rows]


def test_another_user_can_neither_read_nor_write_nor_resume_a_thread(memory, path):
    graph = chat(memory, asks=True)
    graph.invoke({"messages": [("user", "mine")]}, ASHA)
    before = sorted(rows_of(path))

    attempts = [
        lambda: graph.invoke({"messages": [("user", "BOBWORD")]}, BOB),
        lambda: graph.invoke(Command(resume="yes from bob"), BOB),
        lambda: graph.get_state(BOB),
        lambda: list(graph.get_state_history(BOB)),
        lambda: graph.update_state(BOB, {"messages": [("user", "BOBWORD")]}),
    ]
    for attempt in attempts:
        with pytest.raises(UserConflict, match="another user"):
            attempt()
    assert before == sorted(rows_of(path))
    assert "Confirmed: yes" == texts(graph.invoke(Command(resume="yes"), ASHA))[-1]


def test_a_user_named_in_the_context_is_known_before_any_node_runs(memory, path):
    """The graph has none of our nodes: only the saver can tell."""
    graph = chat(memory)
    config = {"configurable": {"thread_id": "trip"}}
    graph.invoke({"messages": [("user", "mine")]}, config, context={"user_id": "asha"})

    with pytest.raises(UserConflict):
        graph.invoke({"messages": [("user", "BOBWORD")]}, config, context={"user_id": "bob"})
    assert not [row for row in rows_of(path) if b"BOBWORD" in row]
    assert 1 == memory.forget("asha").removed["threads"]


@pytest.mark.parametrize("durability", ["sync", "async", "exit"])
@pytest.mark.parametrize("nobody", [{}, {"user_id": None}, {"user_id": " "}, {"user_id": True}])
async def test_a_run_without_a_user_stores_nothing(memory, path, nobody, durability):
    graph = chat(memory)
    config = {"configurable": {"thread_id": "trip", **nobody}}

    with pytest.raises(UserRequired, match="user_id"):
        graph.invoke({"messages": [("user", "SECRET")]}, config, durability=durability)
    with pytest.raises(UserRequired, match="user_id"):
        await graph.ainvoke({"messages": [("user", "SECRET")]}, config, durability=durability)
    assert [] == rows_of(path)


def test_the_application_reads_a_thread_without_naming_its_user_and_names_it_to_run(memory):
    """Configs from the history name nobody; the thread is somebody's already."""
    graph = chat(memory, asks=True)
    graph.invoke({"messages": [("user", "one")]}, ASHA)
    nobody = {"configurable": {"thread_id": "trip"}}
    last = next(graph.get_state_history(nobody)).config
    graph.update_state(nobody, {"messages": [("user", "two")]}, as_node="echo")

    with pytest.raises(UserRequired):
        graph.invoke(Command(resume="yes"), last)
    resumed = graph.invoke(Command(resume="yes"), last, context={"user_id": "asha"})

    assert ["one", "You said: one", "Confirmed: yes"] == texts(resumed)


def test_threads_that_are_nobodys_are_stored_if_that_is_asked_for(path):
    with AgentMemory.open(path, require_user=False) as memory:
        graph = chat(memory)
        config = {"configurable": {"thread_id": "open"}}
        graph.invoke({"messages": [("user", "hello")]}, config)

        memory.claim_thread("open", "asha")

        assert 1 == memory.forget("asha").removed["threads"]
        assert {} == graph.get_state(config).values


async def test_a_deleted_thread_can_begin_anew(memory):
    graph = chat(memory)
    graph.invoke({"messages": [("user", "one")]}, ASHA)

    await memory.checkpointer.adelete_thread("trip")
    state = graph.invoke({"messages": [("user", "two")]}, ASHA)

    assert ["two", "You said: two"] == texts(state)
    assert 1 == memory.forget("asha", dry_run=True).removed["threads"]


# Recalled memories are never stored -------------------------------------------------------------


class Fan(TypedDict, total=False):
    memories: Recall
    seen: Annotated[list[str], add]


def recalled(memory: AgentMemory) -> Recall:
    held = memory.for_user("asha").remember("diet", "CANARY-vegan")
    return Recall(
        namespace=held.namespace, query="", relevant=(Hit(memory=held, score=1.0, why={}),)
    )


def test_no_checkpoint_or_write_holds_a_recall_whatever_its_key(memory, path):
    """A state of somebody else's, which tracks the key, hands it on by Send and by subgraph."""
    found = recalled(memory)

    def retrieve(state: Fan) -> dict[str, Any]:
        return {"memories": found}

    def fan_out(state: Fan) -> list[Send]:
        return [Send("worker", {"memories": found, "seen": []}) for _ in range(2)]

    def work(state: Fan) -> dict[str, Any]:
        return {"seen": [state["memories"].memories[0].text]}

    inner = StateGraph(Fan).add_node("work", work).add_edge(START, "work").compile()
    builder = StateGraph(Fan).add_node("retrieve", retrieve).add_node("worker", work)
    builder.add_node("inner", inner)
    builder.add_edge(START, "retrieve").add_conditional_edges("retrieve", fan_out, ["worker"])
    builder.add_edge("worker", "inner").add_edge("inner", END)
    graph = builder.compile(store=memory.store, checkpointer=memory.checkpointer)

    state = graph.invoke({"seen": []}, ASHA)

    assert {"CANARY-vegan"} == set(state["seen"])
    # The graph's own list `seen` may hold the text.
    assert not [row for row in rows_of(path) if b"Recall" in row]


def test_our_own_state_key_is_not_checkpointed(memory, path):
    found = recalled(memory)
    builder = StateGraph(MemoryState)
    builder.add_node("retrieve", lambda state: {"memories": found}).add_edge(START, "retrieve")
    builder.add_node(
        "answer",
        lambda state: {"messages": [AIMessage(str(len(state["memories"].memories)))]},
    )
    builder.add_edge("retrieve", "answer")
    graph = builder.compile(store=memory.store, checkpointer=memory.checkpointer)

    state = graph.invoke({"messages": [("user", "hi")]}, ASHA)

    assert "1" == texts(state)[-1]
    assert not [row for row in rows_of(path) if b"CANARY" in row]


# Life --------------------------------------------------------------------------------------------


async def test_a_closed_memory_says_so_and_how_to_go_on(path):
    memory = await AgentMemory.aopen(path)
    graph = chat(memory)
    await graph.ainvoke({"messages": [("user", "one")]}, ASHA)
    await memory.aclose()

    with pytest.raises(MemoryClosed, match=r"AgentMemory\.open"):
        await graph.ainvoke({"messages": [("user", "two")]}, ASHA)
    with pytest.raises(MemoryClosed):
        memory.store.get(("a",), "b")


def test_another_serializer_is_used_for_checkpoints(path):
    class Cipher:
        def encrypt(self, plaintext: bytes) -> tuple[str, bytes]:
            return "reverse", bytes(reversed(plaintext))

        def decrypt(self, ciphername: str, ciphertext: bytes) -> bytes:
            return bytes(reversed(ciphertext))

    with AgentMemory.open(path, serde=EncryptedSerializer(Cipher())) as memory:
        graph = chat(memory)
        graph.invoke({"messages": [HumanMessage("My code is CANARY42", id="m1")]}, ASHA)
        memory.for_user("asha").remember("code", "CANARY42")

        receipt = memory.forget("asha", "code")

        assert receipt.removed["values elsewhere"] > 0
        assert "My code is [forgotten]" == texts(graph.get_state(ASHA).values)[0]
