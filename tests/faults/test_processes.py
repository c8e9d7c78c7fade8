"""Several processes on one file, and one that is killed while it writes."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
from pathlib import Path

from langgraph_agentmem import AgentMemory

ROOT = Path(__file__).parents[2]
NS = ("memories", "asha")

WRITER = """
import sys
from langgraph_agentmem import AgentMemory
with AgentMemory.open(sys.argv[1]) as memory:
    for number in range(int(sys.argv[3])):
        memory.store.remember(("memories", "asha"), f"{sys.argv[2]}-{number}", f"value {number}")
        memory.store.remember(("memories", "asha"), "shared", f"{sys.argv[2]} {number}")
        print(number, flush=True)
"""


def writer(path: Path, name: str, count: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), name, str(count)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )


def test_eight_processes_write_one_new_file_and_lose_nothing(path):
    running = [writer(path, f"p{number}", 25) for number in range(8)]
    said = [process.communicate(timeout=120) for process in running]

    assert [""] * 8 == [errors for _, errors in said]
    with AgentMemory.open(path) as memory:
        assert 8 * 25 + 1 == len(memory.store.memories(NS))
        history = memory.store.history(NS, "shared")
        assert list(range(1, 8 * 25 + 1)) == sorted(version.number for version in history)


def test_a_killed_writer_loses_no_acknowledged_write(path):
    chance = random.Random(7)
    for round_ in range(12):
        process = writer(path, f"k{round_}", 10_000)
        wanted = chance.randrange(1, 60)
        acknowledged = -1
        assert process.stdout is not None
        for line in process.stdout:
            acknowledged = int(line)
            if acknowledged >= wanted:
                break
        process.send_signal(signal.SIGKILL)
        process.communicate()

        with AgentMemory.open(path) as memory:
            held = {one.topic for one in memory.store.memories(NS)}
            numbers = [version.number for version in memory.store.history(NS, "shared")]
        assert {f"k{round_}-{number}" for number in range(acknowledged + 1)} <= held
        assert list(range(1, len(numbers) + 1)) == numbers
