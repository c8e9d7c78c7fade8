"""One saver, many threads and tasks at once; large values; a fork."""

from __future__ import annotations

import asyncio
import multiprocessing
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from chats import chat, said, talk, texts, thread
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.base import empty_checkpoint
from langgraph.checkpoint.base.id import uuid6

from langgraph_agentmem import AgentMemSaver
from langgraph_agentmem.checkpointer.memo import Memo


def test_many_threads_talk_through_one_saver(path):
    with AgentMemSaver.from_conn_string(path) as saver:
        graph = chat(saver)
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda number: talk(graph, thread(f"t{number}"), 8), range(16)))

        assert [said(8)] * 16 == [texts(graph, thread(f"t{number}")) for number in range(16)]


async def test_many_tasks_talk_through_one_saver_while_threads_are_pruned(path):
    async with AgentMemSaver.from_conn_string(path) as saver:
        graph = chat(saver)

        async def talk_on(name: str) -> None:
            for number in range(6):
                given = {"messages": [HumanMessage(f"question {number}")]}
                await graph.ainvoke(given, thread(name))
                await saver.aprune([name])

        await asyncio.gather(*(talk_on(f"t{number}") for number in range(12)))

        assert [said(6)] * 12 == [texts(graph, thread(f"t{number}")) for number in range(12)]


def test_a_cancelled_run_leaves_a_thread_that_goes_on(path):
    async def run() -> None:
        async with AgentMemSaver.from_conn_string(path) as saver:
            graph = chat(saver)
            for number in range(20):
                given = {"messages": [HumanMessage(f"m{number}")]}
                task = asyncio.ensure_future(graph.ainvoke(given, thread()))
                await asyncio.sleep(0)
                if number % 2:
                    task.cancel()
                await asyncio.gather(task, return_exceptions=True)
            held = texts(graph, thread())
            assert [f"answer to m{number}" for number in range(0, 20, 2)] == [
                one for one in held if one.startswith("answer") and int(one[11:]) % 2 == 0
            ]

    asyncio.run(run())


def put(saver: AgentMemSaver, **values: Any) -> dict[str, Any]:
    checkpoint = {**empty_checkpoint(), "id": str(uuid6()), "channel_values": values}
    return saver.put(thread(checkpoint_ns=""), checkpoint, {"source": "loop"}, {})


def test_twenty_thousand_messages_and_one_of_megabytes_come_back(path):
    messages = [HumanMessage(f"m{number}", id=f"i{number}") for number in range(20_000)]
    messages[7].content = "long " * 1_000_000
    with AgentMemSaver.from_conn_string(path) as saver:
        put(saver, messages=messages)
        config = put(saver, messages=[*messages, HumanMessage("last", id="last")])
    with AgentMemSaver.from_conn_string(path) as saver:
        held = saver.get_tuple(config).checkpoint["channel_values"]["messages"]

    assert [*messages, HumanMessage("last", id="last")] == held


def in_child(saver: AgentMemSaver) -> None:
    talk(chat(saver), thread("child"), 3)


def test_a_forked_process_goes_on_with_the_saver_of_its_parent(path):
    with AgentMemSaver.from_conn_string(path) as saver:
        talk(chat(saver), thread(), 3)
        child = multiprocessing.get_context("fork").Process(target=in_child, args=(saver,))
        child.start()
        talk(chat(saver), thread(), 3, first=3)
        child.join(200)

        assert 0 == child.exitcode
        assert (said(6), said(3)) == (
            texts(chat(saver), thread()),
            texts(chat(saver), thread("child")),
        )


def test_what_is_kept_in_memory_has_a_bound(path):
    with AgentMemSaver.from_conn_string(path) as saver:
        saver.memo = Memo(limit=100_000)
        for number in range(30):
            config = put(saver, messages=[HumanMessage("x" * 10_000 + str(number), id="a")])
            for _ in range(3):
                held = saver.get_tuple(config).checkpoint["channel_values"]["messages"]
                put(saver, messages=held)

        kept = [*saver.memo._known.values(), *saver.memo._loaded.values()]
        assert sum(len(one.values["content"]) for one in kept) < 250_000
        assert kept
