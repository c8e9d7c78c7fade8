"""Closing while others are inside: they end with `MemoryClosed`, and nothing crashes or hangs."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from contextlib import asynccontextmanager

import pytest

from langgraph_agentmem import AgentMemory, AgentMemStore
from langgraph_agentmem.backends.threads import Threads, ThreadsEnded
from langgraph_agentmem.errors import MemoryClosed

CLOSED_WHILE_BUSY = """
import asyncio, faulthandler, sys, threading
from langgraph.store.base import PutOp
from langgraph_agentmem import AgentMemStore

faulthandler.enable()
faulthandler.dump_traceback_later(400, exit=True)

def one_round():
    store = AgentMemStore.from_conn_string(sys.argv[1])
    ops = [PutOp(("n", str(n % 50)), f"k{n}", {"n": n, "text": "x" * 200}) for n in range(2000)]
    store.batch(ops + [PutOp(("n", "new"), "a", None)])
    busy = threading.Barrier(8 + 4 + 2 + 1)
    ended = []

    def until_closed(call):
        busy.wait()
        try:
            while True:
                call()
        except BaseException as error:
            ended.append(type(error).__name__)

    def read():
        store.search((), filter={"n": {"$gt": 1990}})
        store.get(("n", "1"), "k1")

    def write():
        store.put(("n", "new"), "k", {"n": 1})

    async def both():
        async def one():
            while True:
                await store.aput(("n", "new"), "a", {"n": 1})
                await store.asearch(("n",), filter={"n": 1999})
        found = await asyncio.gather(*(one() for _ in range(5)), return_exceptions=True)
        ended.extend(type(error).__name__ for error in found)
        raise found[0]

    calls = [read] * 8 + [write] * 4 + [lambda: asyncio.run(both())] * 2
    threads = [threading.Thread(target=until_closed, args=(call,)) for call in calls]
    for thread in threads:
        thread.start()
    busy.wait()
    while store.get(("n", "new"), "a") is None:
        pass
    store.close()
    left = [one.name for one in threading.enumerate() if one.name.startswith("agentmem")]
    for thread in threads:
        thread.join()
    print(sorted(set(ended)), len(ended), left)

for _ in range(4):
    one_round()
"""


@pytest.mark.parametrize("place", ["file", ":memory:"])
def test_whoever_is_inside_a_store_that_is_closed_hears_of_it(tmp_path, place):
    path = str(tmp_path / "memory.db") if place == "file" else place
    ran = subprocess.run(
        [sys.executable, "-c", CLOSED_WHILE_BUSY, path],
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )

    said = "['MemoryClosed'] 24 []\n"
    assert (4 * said, "", 0) == (ran.stdout, ran.stderr, ran.returncode)


async def test_threads_that_have_ended_take_no_work():
    threads = Threads(2, "ended")
    threads.shutdown()
    with pytest.raises(ThreadsEnded):
        await asyncio.wait_for(threads.run(lambda: 1), timeout=200)

    threads = Threads(2, "ended")
    await threads.run(lambda: 1)
    threads.shutdown()
    with pytest.raises(ThreadsEnded):
        await asyncio.wait_for(threads.run(lambda: 1), timeout=200)
    assert [] == [one.name for one in threading.enumerate() if one.name.startswith("ended")]


async def test_a_call_that_closing_overtakes_ends_too(tmp_path):
    store = AgentMemStore.from_conn_string(tmp_path / "memory.db")
    await store.aput(("n",), "k", {"n": 1})
    call = store.backend.in_thread(lambda: 1)
    live = store.backend._connections
    store.close()
    store.backend._connections = live  # as a call has it that began before

    with pytest.raises(MemoryClosed):
        await asyncio.wait_for(call, timeout=200)


INSIDE = """
import faulthandler, signal, sys
from langgraph_agentmem import AgentMemStore
from langgraph_agentmem.errors import AgentMemError
faulthandler.enable()
faulthandler.dump_traceback_later(400, exit=True)
signal.signal(signal.SIGALRM, lambda *_: store.close())
for number in range(40):
    store = AgentMemStore.from_conn_string(sys.argv[1])
    store.put(("n",), "k", {"n": 1})
    signal.setitimer(signal.ITIMER_REAL, 0.01 + number / 5000)
    try:
        while True:
            if number % 3 == 0:
                store.put(("n",), "k", {"n": number})
            elif number % 3 == 1:
                store.get(("n",), "k")
            else:
                store.search((), filter={"n": [1]})
    except AgentMemError as error:
        print(type(error).__name__)
"""


def test_a_signal_handler_may_close_what_its_thread_is_inside_of(tmp_path):
    ran = subprocess.run(
        [sys.executable, "-c", INSIDE, str(tmp_path / "memory.db")],
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )

    assert (40 * "MemoryClosed\n", "", 0) == (ran.stdout, ran.stderr, ran.returncode)


FORKED = """
import faulthandler, os, sys, threading, warnings
from langgraph_agentmem import AgentMemStore, lifetime
warnings.simplefilter("ignore")
embed = {"dims": 1, "embed": lambda texts: [[1.0] for _ in texts]}
store = AgentMemStore.from_conn_string(sys.argv[1], index=embed)
store.put(("n",), "k", {"n": 1})
store.search(("n",), query="x")
held = threading.Barrier(2, timeout=450)

def hold():  # what other threads may be in the middle of when a process forks
    live = store.backend._connections
    locks = [*lifetime._locks, live._writing, live._lock, live.write_threads._jobs.lock]
    for one in locks:
        one.acquire()
    held.wait()
    held.wait()
    for one in locks:
        one.release()

thread = threading.Thread(target=hold)
thread.start()
held.wait()
child = os.fork()
if not child:
    faulthandler.dump_traceback_later(400, exit=True)  # which ends a child that hangs
    store.put(("n",), "child", {"n": 2})
    print(len(store.search(("n",), query="y")), flush=True)
    store.start_ttl_sweeper(1)
    store.close()
    sys.exit()
_, status = os.waitpid(child, 0)
held.wait()
thread.join()
print(len(store.search(("n",), query="z")), status)
"""


def test_a_forked_process_finds_no_lock_held(tmp_path):
    ran = subprocess.run(
        [sys.executable, "-c", FORKED, str(tmp_path / "memory.db")],
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )

    assert ("2\n2 0\n", "", 0) == (ran.stdout, ran.stderr, ran.returncode)


UNCLOSED = """
import asyncio, gc, os, sys, threading
from langgraph_agentmem import AgentMemStore

def use(number):
    store = AgentMemStore.from_conn_string(sys.argv[1])
    store.put(("n",), f"s{number}", {"n": 1})
    store.search(("n",))

    async def work():
        puts = (store.aput(("n",), f"a{number}-{one}", {"n": 1}) for one in range(5))
        await asyncio.gather(*puts, *(store.aget(("n",), "k") for _ in range(5)))

    asyncio.run(work())

def held():
    for _ in range(3):  # what ends its threads first is freed with the next pass
        gc.collect()
    return len(os.listdir("/dev/fd")), threading.active_count()

use(0)
before = held()
for number in range(1, 20):
    use(number)
print(before == held())
"""


NO_WARNING_BUT = ["-W", "error", "-W", "ignore:unclosed database:ResourceWarning"]


def test_stores_that_nobody_closes_leave_no_file_and_no_thread(tmp_path):
    path = tmp_path / "memory.db"
    ran = subprocess.run(
        # Python 3.13 warns of a connection that is not closed, as it is said here.
        [sys.executable, *NO_WARNING_BUT, "-c", UNCLOSED, str(path)],
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )

    assert ("True\n", "", 0) == (ran.stdout, ran.stderr, ran.returncode)
    with AgentMemStore.from_conn_string(path) as store:
        assert 20 * 6 == len(store.search(("n",), limit=500))


async def test_a_server_opens_at_its_start_and_closes_at_its_end(tmp_path):
    """Requests come as tasks and in threads, and some are still going on at the end."""
    threads = set(threading.enumerate())

    @asynccontextmanager
    async def lifespan():
        async with await AgentMemory.aopen(tmp_path / "memory.db") as memory:
            yield memory.store

    async def handle(store, number):
        await store.aput(("users", f"u{number}"), "k", {"n": number})
        return (await store.aget(("users", f"u{number}"), "k")).value["n"]

    def handle_in_thread(store, number):
        store.put(("users", f"t{number}"), "k", {"n": number})
        return store.get(("users", f"t{number}"), "k").value["n"]

    for _ in range(2):
        async with lifespan() as store:
            answers = await asyncio.gather(
                *(handle(store, number) for number in range(30)),
                *(asyncio.to_thread(handle_in_thread, store, number) for number in range(30)),
            )
            late = [asyncio.create_task(handle(store, number)) for number in range(30)]
            await asyncio.sleep(0)
        ended = await asyncio.gather(*late, return_exceptions=True)

        assert 2 * list(range(30)) == answers
        assert all(one == at or isinstance(one, MemoryClosed) for at, one in enumerate(ended))
        left = set(threading.enumerate()) - threads
        assert [] == [one.name for one in left if one.name.startswith("agentmem")]
