"""The checkpointer's file: begun by the official saver, written by several processes, killed."""

from __future__ import annotations

import asyncio
import itertools
import json
import multiprocessing
import os
import random
import signal
import sqlite3
import subprocess
import sys
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest
from chats import chat, count, rows, said, talk, texts, thread
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import Command, interrupt

from langgraph_agentmem import AgentMemory, AgentMemSaver, Source

ROOT = Path(__file__).parents[2]


# Files of the official saver ---------------------------------------------------------------------


def asking(saver: Any):
    def ask(state: MessagesState) -> dict[str, Any]:
        return {"messages": [HumanMessage(interrupt("which?"))]}

    builder = StateGraph(MessagesState).add_node("ask", ask).add_edge(START, "ask")
    return builder.compile(checkpointer=saver)


def snapshots(graph: Any, config: dict[str, Any]) -> list[Any]:
    return [
        (one.values, one.next, one.metadata, one.config, one.parent_config, one.interrupts)
        for one in graph.get_state_history(config)
    ]


def test_a_file_of_the_official_saver_is_read_as_it_was_and_gone_on_with(path):
    with SqliteSaver.from_conn_string(str(path)) as official:
        talk(chat(official), thread(), 5)
        asking(official).invoke({"messages": [("user", "go")]}, thread("asks"))
        before = snapshots(chat(official), thread()), snapshots(asking(official), thread("asks"))

    with AgentMemory.open(path, require_user=False) as memory:
        saver = memory.checkpointer
        after = snapshots(chat(saver), thread()), snapshots(asking(saver), thread("asks"))
        assert before == after
        old = next(saver.list(thread(), limit=1))
        talk(chat(saver), thread(), 70, first=5)
        done = asking(saver).invoke(Command(resume="this"), thread("asks"))

        assert ["go", "this"] == [message.text for message in done["messages"]]
        assert said(75) == texts(chat(saver), thread())
        assert said(5) == texts(chat(saver), old.config)
        saver.prune(["t1", "asks"])
        assert said(75) == texts(chat(saver), thread())
        memory.claim_thread("t1", "asha")
        memory.for_user("asha").remember("asked", "question 3")
        assert memory.forget("asha", "asked").removed["values elsewhere"] > 0
        assert "[forgotten]" == texts(chat(saver), thread())[6]


async def test_a_file_of_the_official_async_saver_is_gone_on_with(path):
    async with AsyncSqliteSaver.from_conn_string(str(path)) as official:
        await chat(official).ainvoke({"messages": [HumanMessage("question 0")]}, thread())

    async with AgentMemSaver.from_conn_string(path) as saver:
        await chat(saver).ainvoke({"messages": [HumanMessage("question 1")]}, thread())

        assert said(2) == texts(chat(saver), thread())


def test_a_file_from_before_writes_had_a_path_is_gone_on_with(path):
    with SqliteSaver.from_conn_string(str(path)) as official:
        asking(official).invoke({"messages": [("user", "go")]}, thread())
        official.conn.execute("ALTER TABLE writes DROP COLUMN task_path")
        official.conn.commit()

    with AgentMemSaver.from_conn_string(path) as saver:
        done = asking(saver).invoke(Command(resume="this"), thread())

    assert ["go", "this"] == [message.text for message in done["messages"]]


def test_forgetting_in_a_thread_of_the_official_saver_reaches_every_row(path):
    with SqliteSaver.from_conn_string(str(path)) as official:
        graph = chat(official)
        graph.invoke({"messages": [HumanMessage("My code is CANARY42", id="m1")]}, thread())
        talk(graph, thread(), 3)
    with AgentMemory.open(path, require_user=False) as memory:
        memory.claim_thread("t1", "asha")
        memory.for_user("asha").remember("code", "CANARY42")

        receipt = memory.forget("asha", "code")

        assert "My code is [forgotten]" == texts(chat(memory.checkpointer), thread())[0]
        assert receipt.left_in_files == 0
    assert 0 == path.read_bytes().count(b"CANARY42")


# Forgetting and late writers ---------------------------------------------------------------------


def test_a_forgotten_message_does_not_come_back_with_whoever_still_holds_it(path):
    with AgentMemory.open(path) as memory:
        config = thread(user_id="asha")
        graph = chat(memory.checkpointer)
        talk(graph, config, 70)
        graph.invoke({"messages": [HumanMessage("My code is CANARY42", id="m1")]}, config)
        stale = graph.get_state(config)
        memory.for_user("asha").remember("code", "CANARY42")
        memory.forget("asha", "code")

        memory.checkpointer.put(
            stale.config,
            {
                **memory.checkpointer.get_tuple(stale.config).checkpoint,
                "id": "1fffffff-0000-6000-8000-000000000000",
                "channel_values": stale.values,
            },
            {"source": "loop", "step": 1000},
            {},
        )

        held = graph.get_state(config).values["messages"]
        assert ("My code is [forgotten]", "m1") == (held[-2].text, held[-2].id)
    assert 0 == path.read_bytes().count(b"CANARY42")


def test_the_same_words_can_be_said_again_after_they_were_forgotten(path):
    with AgentMemory.open(path) as memory:
        config = thread(user_id="asha")
        graph = chat(memory.checkpointer)
        graph.invoke({"messages": [("user", "My code is CANARY42")]}, config)
        memory.for_user("asha").remember("code", "CANARY42")
        memory.forget("asha", "code")

        graph.invoke({"messages": [("user", "My code is CANARY42")]}, config)

        assert ["My code is [forgotten]", "My code is CANARY42"] == texts(graph, config)[::2]


def test_forgetting_one_message_leaves_another_with_the_same_words(path):
    """They share their text in the file."""
    with AgentMemory.open(path) as memory:
        config = thread(user_id="asha")
        graph = chat(memory.checkpointer)
        for name in ("m1", "m2"):
            graph.invoke({"messages": [HumanMessage("no", id=name)]}, config)
        source = Source(thread_id="t1", message_ids=("m1",))
        memory.for_user("asha").remember("smoker", "no", source=source)
        memory.forget("asha", "smoker")

        held = {one.id: one.text for one in graph.get_state(config).values["messages"]}
        assert ("[forgotten]", "no") == (held["m1"], held["m2"])


# Processes ---------------------------------------------------------------------------------------

TALKER = """
import sys
sys.path.insert(0, sys.argv[4])
from chats import chat, talk, thread
from langgraph_agentmem import AgentMemSaver
with AgentMemSaver.from_conn_string(sys.argv[1], busy_timeout=200) as saver:
    for name in sys.argv[2].split(","):
        talk(chat(saver), thread(name), int(sys.argv[3]))
"""


def talker(path: Path, names: str, turns: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", TALKER, str(path), names, str(turns), str(Path(__file__).parent)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )


def test_several_processes_write_threads_of_one_new_file(path):
    """Case E01, for checkpoints."""
    running = [talker(path, f"own{number}", 20) for number in range(4)]

    assert [("", "")] * 4 == [one.communicate(timeout=500) for one in running]
    with AgentMemSaver.from_conn_string(path) as saver:
        assert [said(20)] * 4 == [texts(chat(saver), thread(f"own{number}")) for number in range(4)]


def test_one_process_prunes_and_deletes_while_another_writes(path):
    running = talker(path, "kept,deleted", 40)
    with AgentMemSaver.from_conn_string(path, busy_timeout=200) as saver:
        while running.poll() is None:
            saver.prune(["kept"])
            saver.prune(["deleted"], strategy="delete")
        errors = running.communicate(timeout=500)[1].splitlines()
        # Writes to a checkpoint that another follows already may come after it was pruned.
        assert all(line.startswith("a late write to thread") for line in errors)

        assert said(40) == texts(chat(saver), thread("kept"))
        saver.prune(["kept"])
        saver.delete_thread("deleted")
        assert said(40) == texts(chat(saver), thread("kept"))
    assert [("kept",)] == rows(path, "SELECT DISTINCT thread_id FROM thread_messages")


def talk_on(path: Path, acknowledged: Connection) -> None:
    """Talk until killed, and say which turns are done; prune now and then."""
    with AgentMemSaver.from_conn_string(path) as saver:
        graph = chat(saver)
        start = len(texts(graph, thread())) // 2
        for number in itertools.count(start):
            graph.invoke(
                {"messages": [HumanMessage(f"question {number}")]}, thread(), durability="sync"
            )
            acknowledged.send(number)
            if number % 7 == 6:
                saver.prune(["t1"])
                saver.copy_thread("t1", f"copy{os.getpid()}-{number}")
                saver.delete_thread(f"copy{os.getpid()}-{number}")


@pytest.mark.parametrize(
    "kills", [15, pytest.param(200, marks=[pytest.mark.slow, pytest.mark.timeout(1200)])]
)
def test_a_process_that_is_killed_leaves_every_checkpoint_whole(path, kills):
    """Case E06, for checkpoints."""
    fork = multiprocessing.get_context("fork")
    chance = random.Random(13)
    done = -1
    for _ in range(kills):
        listening, acknowledged = fork.Pipe(duplex=False)
        process = fork.Process(target=talk_on, args=(path, acknowledged))
        process.start()
        acknowledged.close()
        for _ in range(chance.randint(1, 8)):
            done = max(done, listening.recv())
        listening.poll(chance.random() / 50)
        os.kill(process.pid, signal.SIGKILL)
        process.join()

        with AgentMemSaver.from_conn_string(path) as saver:
            graph = chat(saver)
            for name in {one.config["configurable"]["thread_id"] for one in saver.list(None)}:
                for snapshot in graph.get_state_history(thread(name)):
                    held = [message.text for message in snapshot.values.get("messages", ())]
                    asked = held[::2]
                    assert [f"question {number}" for number in range(len(asked))] == asked
                    assert said(len(held) // 2) == held[: len(held) // 2 * 2]
                if name != "t1":  # a copy that its process could not delete any more
                    saver.delete_thread(name)
            assert len(texts(graph, thread())) >= 2 * done + 1
            # What was cut off in the middle of a turn is finished, as LangGraph does it.
            if graph.get_state(thread()).tasks:
                graph.invoke(None, thread())


# Event loops -------------------------------------------------------------------------------------


async def test_sync_calls_inside_a_running_loop_return(path):
    """Case E02. The official async saver waits for itself there, for ever."""
    async with AgentMemSaver.from_conn_string(path) as saver:
        graph = chat(saver)
        await graph.ainvoke({"messages": [HumanMessage("question 0")]}, thread())

        async def within() -> list[str]:
            graph.invoke({"messages": [HumanMessage("question 1")]}, thread())
            saver.prune(["t1"])
            assert 1 == len([*saver.list(thread())])
            return texts(graph, thread())

        assert said(2) == await asyncio.wait_for(within(), 30)


def test_async_calls_from_a_plain_thread_and_another_loop_return(path):
    """Case E02, the other way round."""
    with AgentMemSaver.from_conn_string(path) as saver:
        graph = chat(saver)
        for number in range(3):
            given = {"messages": [HumanMessage(f"question {number}")]}
            asyncio.run(graph.ainvoke(given, thread()))

        assert said(3) == texts(graph, thread())


async def test_a_paused_alist_of_a_long_thread_blocks_nobody_and_goes_on(path):
    async with AgentMemSaver.from_conn_string(path) as saver:
        graph = chat(saver)
        talk(graph, thread(), 30)
        listing = saver.alist(thread())
        first = await anext(listing)

        await asyncio.wait_for(graph.ainvoke({"messages": [("user", "more")]}, thread()), 30)
        await asyncio.wait_for(saver.adelete_for_runs(["none"]), 30)
        rest = [one async for one in listing]

    ids = [one.config["configurable"]["checkpoint_id"] for one in (first, *rest)]
    assert 90 == len({*ids})
    assert sorted(ids, reverse=True) == ids


def test_a_reader_in_the_middle_of_a_listing_sees_what_is_deleted_meanwhile_no_more(path):
    with AgentMemSaver.from_conn_string(path) as saver:
        talk(chat(saver), thread(), 30)
        listing = saver.list(thread())
        next(listing)

        saver.delete_thread("t1")

        assert len([*listing]) < 16


def test_a_connection_beside_ours_sees_a_sound_file(path):
    with AgentMemSaver.from_conn_string(path) as saver:
        talk(chat(saver), thread(), 70)
        saver.prune(["t1"])
    connection = sqlite3.connect(path)
    assert [("ok",)] == connection.execute("PRAGMA integrity_check").fetchall()
    connection.close()
    assert all(
        64 == len(json.loads(messages))
        for (messages,) in rows(path, "SELECT messages FROM thread_chunks")
    )
    assert 1 == count(path, "checkpoints")
