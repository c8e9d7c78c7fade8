"""Several processes on one file, and one that is killed while it writes."""

from __future__ import annotations

import itertools
import multiprocessing
import os
import random
import signal
import subprocess
import sys
from multiprocessing.connection import Connection
from pathlib import Path

from langgraph_agentmem import AgentMemory

ROOT = Path(__file__).parents[2]
NS = ("memories", "asha")


def write(path: Path, name: str, count: int) -> None:
    with AgentMemory.open(path, busy_timeout=200) as memory:
        for number in range(count):
            memory.store.remember(NS, f"{name}-{number}", f"value {number}")
            memory.store.remember(NS, "shared", f"{name} {number}")


def test_eight_processes_write_one_new_file_and_lose_nothing(path):
    fork = multiprocessing.get_context("fork")
    running = [fork.Process(target=write, args=(path, f"p{number}", 25)) for number in range(8)]
    for process in running:
        process.start()
    for process in running:
        process.join()

    assert [0] * 8 == [process.exitcode for process in running]
    with AgentMemory.open(path) as memory:
        assert 8 * 25 + 1 == len(memory.store.memories(NS))
        history = memory.store.history(NS, "shared")
        assert list(range(1, 8 * 25 + 1)) == sorted(version.number for version in history)


def write_on(path: Path, name: str, acknowledged: Connection) -> None:
    """Write until killed, and say which writes are done."""
    with AgentMemory.open(path) as memory:
        for number in itertools.count():
            memory.store.remember(NS, f"{name}-{number}", f"value {number}")
            memory.store.remember(NS, "shared", f"{name} {number}")
            acknowledged.send(number)


def test_a_writer_killed_at_any_moment_loses_no_acknowledged_write(path):
    """200 writers, each killed at a moment of its own, then the file is opened and read."""
    chance = random.Random(7)
    fork = multiprocessing.get_context("fork")
    expected: set[str] = set()
    for round_ in range(200):
        listening, speaking = fork.Pipe(duplex=False)
        child = fork.Process(target=write_on, args=(path, f"k{round_}", speaking))
        child.start()
        speaking.close()
        wanted = chance.randrange(0, 12)
        for number in iter(listening.recv, None):
            expected.add(f"k{round_}-{number}")
            if number >= wanted:
                break
        # Some die while they write the next one: the child did not stop to be killed.
        os.kill(child.pid, signal.SIGKILL)
        child.join()
        while listening.poll():
            try:
                expected.add(f"k{round_}-{listening.recv()}")
            except EOFError:
                break
        listening.close()
        if round_ % 20 == 19:
            with AgentMemory.open(path) as memory:
                held = {one.topic for one in memory.store.memories(NS)}
                numbers = [version.number for version in memory.store.history(NS, "shared")]
            assert set() == expected - held
            assert list(range(1, len(numbers) + 1)) == numbers


FULL = """
import resource, signal, sys
from langgraph_agentmem import AgentMemory
from langgraph_agentmem.errors import StorageError
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
memory = AgentMemory.open(sys.argv[1])
asha = memory.for_user("asha")
asha.remember("home_city", "Oslo")
resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))
try:
    asha.remember("home_city", "Rome " * 200_000)
except StorageError as error:
    print(type(error.__cause__).__name__, "Rome" in str(error))
print(asha.look("home_city").text, len(asha.history("home_city")))
"""


def test_a_full_disk_raises_and_leaves_the_old_state(path):
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(path)],
        capture_output=True,
        text=True,
        check=True,
        timeout=500,
        cwd=ROOT,
    )

    assert ["OperationalError False", "Oslo 1"] == done.stdout.splitlines()
    with AgentMemory.open(path) as memory:
        assert "Oslo" == memory.store.look(NS, "home_city").text


BATCHES = """
import itertools, sys
from langgraph.store.base import PutOp
from langgraph_agentmem import AgentMemory
with AgentMemory.open(sys.argv[1]) as memory:
    for number in itertools.count():
        ops = [PutOp(("memories", "asha"), f"part{at}", {"number": number}) for at in range(20)]
        memory.store.batch(ops)
        print(number, flush=True)
"""


def test_a_reader_never_sees_half_a_batch(path):
    writing = subprocess.Popen(
        [sys.executable, "-c", BATCHES, str(path)], stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    assert writing.stdout is not None
    writing.stdout.readline()
    seen: set[int] = set()
    with AgentMemory.open(path) as memory:
        while len(seen) < 40:
            items = memory.store.search(NS, limit=50)
            numbers = {item.value["number"] for item in items}
            assert (20, 1) == (len(items), len(numbers))
            seen |= numbers
    writing.kill()
    writing.communicate()


REINDEX = """
import os, signal, sys
from langgraph_agentmem import AgentMemory
def other(texts):
    return [[1.0, float(len(text))] for text in texts]
def die_at(done, total):
    print(done, total, flush=True)
    if done >= 128:
        os.kill(os.getpid(), signal.SIGKILL)
AgentMemory.open(sys.argv[1], embed=other).store.reindex(die_at)
"""


def other(texts):
    return [[1.0, float(len(text))] for text in texts]


def test_a_reindex_that_was_killed_goes_on_where_it_stopped(path):
    with AgentMemory.open(path) as memory:
        for number in range(300):
            memory.store.put(NS, f"k{number}", {"text": "x" * number})
    died = subprocess.run(
        [sys.executable, "-c", REINDEX, str(path)],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )

    with AgentMemory.open(path, embed=other) as memory:
        steps: list[tuple[int, int]] = []
        memory.store.reindex(lambda done, total: steps.append((done, total)))
        found = memory.store.search(NS, query="anything", limit=300)

    assert -signal.SIGKILL == died.returncode
    assert (192, 300) == steps[0]
    assert (300, 300) == steps[-1]
    assert 300 == len(found)
