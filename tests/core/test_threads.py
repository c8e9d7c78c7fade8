"""Blocking work off the event loop: it ends whole, and nothing of it is left behind."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading

import pytest

from langgraph_agentmem import AgentMemStore
from langgraph_agentmem.backends.threads import Threads


def names(prefix: str) -> list[str]:
    return [one.name for one in threading.enumerate() if one.name.startswith(prefix)]


async def test_an_error_is_raised_where_it_is_awaited():
    threads = Threads(1, "errs")
    with pytest.raises(ZeroDivisionError):
        await threads.run(lambda: 1 // 0)
    with pytest.raises(RuntimeError, match="StopIteration"):
        await threads.run(lambda: next(iter(())))
    assert 3 == await threads.run(lambda: 3)
    threads.shutdown()


async def test_threads_are_begun_only_while_all_are_busy_and_end_with_their_owner():
    threads = Threads(3, "counted")
    for number in range(20):
        assert number == await threads.run(lambda number=number: number)
    assert 1 == len(names("counted"))

    together = threading.Barrier(3)  # passed only when three threads wait at it
    await asyncio.gather(*(threads.run(lambda: together.wait(timeout=200)) for _ in range(3)))
    await asyncio.gather(*(threads.run(lambda: None) for _ in range(9)))
    assert 3 == len(names("counted"))

    threads.shutdown()
    assert [] == names("counted")


async def test_cancelled_work_ends_and_the_next_is_not_confused():
    threads = Threads(1, "cancelled")
    begun, go, done = threading.Event(), threading.Event(), threading.Event()

    def work() -> None:
        begun.set()
        go.wait(timeout=200)
        done.set()

    waiting = asyncio.create_task(threads.run(work))
    await asyncio.to_thread(begun.wait, 200)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    go.set()

    assert "next" == await threads.run(lambda: "next")
    assert done.is_set()
    threads.shutdown()


def test_work_of_a_loop_that_was_closed_meanwhile_ends_all_the_same():
    threads = Threads(1, "closed")
    begun, go, done = threading.Event(), threading.Event(), threading.Event()

    def work() -> None:
        begun.set()
        go.wait(timeout=200)
        done.set()

    async def leave() -> None:
        waiting = asyncio.ensure_future(threads.run(work))
        await asyncio.sleep(0)
        begun.wait(timeout=200)
        waiting.cancel()

    asyncio.run(leave())
    go.set()
    assert 5 == asyncio.run(threads.run(_five))
    assert done.is_set()
    threads.shutdown()


def _five() -> int:
    return 5


def test_a_program_that_closes_nothing_ends_with_all_it_awaited(tmp_path):
    path = tmp_path / "memory.db"
    program = """
import asyncio, sys
from langgraph_agentmem import AgentMemStore

store = AgentMemStore.from_conn_string(sys.argv[1])
asyncio.run(store.aput(("n",), "k", {"n": 1}))
print("written")
"""
    ran = subprocess.run(
        [sys.executable, "-c", program, str(path)],
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )

    assert ("written\n", "", 0) == (ran.stdout, ran.stderr, ran.returncode)
    with AgentMemStore.from_conn_string(path) as store:
        assert {"n": 1} == store.get(("n",), "k").value
