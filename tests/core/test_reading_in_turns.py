"""More threads read than there are connections: each has its turn, and none is left waiting."""

from __future__ import annotations

import subprocess
import sys

import pytest

READ_WITHOUT_A_PAUSE = """
import asyncio, faulthandler, signal, sys, threading
from langgraph.store.base import PutOp
from langgraph_agentmem import AgentMemStore

faulthandler.dump_traceback_later(400, exit=True)
store = AgentMemStore.from_conn_string(sys.argv[1])
store.batch([PutOp(("n", str(n % 50)), f"k{n}", {"n": n, "text": "x" * 200}) for n in range(2000)])
ENOUGH = 20
reads = dict.fromkeys(range(15), 0)

def read_on(name):
    while min(reads.values()) < ENOUGH:
        read()
        reads[name] += 1

def read():
    store.search((), filter={"n": {"$gt": 1990}})

async def read_in_loop():
    await asyncio.gather(*(read_on_in_loop(name) for name in range(12, 15)))

async def read_on_in_loop(name):
    while min(reads.values()) < ENOUGH:
        await store.aget(("n", "1"), "k1")
        reads[name] += 1

threads = [threading.Thread(target=read_on, args=(name,)) for name in range(12)]
threads.append(threading.Thread(target=lambda: asyncio.run(read_in_loop())))
"""

TO_THE_END = """
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(min(reads.values()) >= ENOUGH)
"""

WITH_A_HANDLER = """
handled, is_handling = [], False

def handle(*_):
    global is_handling
    if is_handling:  # another signal came meanwhile
        return
    is_handling = True
    handled.append(store.get(("n", "1"), "k1").value["n"])
    is_handling = False

signal.signal(signal.SIGALRM, handle)
for thread in threads:
    thread.start()
signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
while len(handled) < 50:
    read()
signal.setitimer(signal.ITIMER_REAL, 0)
for thread in threads:
    thread.join()
print(set(handled), min(reads.values()) >= ENOUGH)
"""


@pytest.mark.parametrize(
    ("rest", "said"),
    [
        pytest.param(TO_THE_END, "True\n", id="none is left waiting"),
        pytest.param(WITH_A_HANDLER, "{1} True\n", id="a signal handler reads while it waits"),
    ],
)
def test_whoever_waits_for_a_reader_gets_one(tmp_path, rest, said):
    ran = subprocess.run(
        [sys.executable, "-c", READ_WITHOUT_A_PAUSE + rest, str(tmp_path / "memory.db")],
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )

    assert (said, "", 0) == (ran.stdout, ran.stderr, ran.returncode)
