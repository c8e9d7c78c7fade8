"""After forgetting, a canary is in none of the files, while the graph is still open."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from langgraph_agentmem import AgentMemory

ROOT = Path(__file__).parents[2]
PROOF = Path(__file__).with_name("proof.py")
SQLITES = ["this", "newer"]


def proof(path: Path, memories: int, *options: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(PROOF), str(path), str(memories), *options],
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT), "PATH": ""},
    )
    assert "" == done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def with_sqlite(which: str) -> list[str]:
    if which == "this":
        return []
    pytest.importorskip("pysqlite3", reason="pip install -e '.[bench]' brings a newer SQLite")
    return ["--newer"]


@pytest.mark.parametrize("which", SQLITES)
@pytest.mark.parametrize("memories", [1, 1_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_a_canary_is_in_none_of_the_files(path, which, memories):
    found = proof(path, memories, "--embed", *with_sqlite(which))

    assert found["planted"] > 20
    assert (0, 0) == (found["left"], found["terms"])
    assert (True, 0, True) == (found["complete"], found["left_in_files"], found["verified"])
    assert (1, 1) == (found["removed"]["memories"], found["removed"]["versions"])
    assert 1 == found["removed"]["episodes and turns"]


@pytest.mark.parametrize("which", SQLITES)
@pytest.mark.parametrize("options", [["--without-secure-delete"], []])
def test_without_the_pass_over_the_files_the_same_proof_fails(path, which, options):
    """Some builds of SQLite erase by default, and would pass by luck."""
    found = proof(path, 1_000, "--without-pass", *options, *with_sqlite(which))

    assert found["left"] > 0
    assert found["left_in_files"] > 0
    assert not found["verified"]


def test_this_sqlite_and_the_newer_one_differ(path):
    newer = proof(path, 1, *with_sqlite("newer"))["sqlite"]

    assert newer != sqlite3.sqlite_version
    assert tuple(map(int, newer.split("."))) > (3, 42)


def copies(path: Path) -> int:
    """In another process: closing the file in this one would drop its locks."""
    look = "import sys,pathlib; print(sum(p.read_bytes().count(b'xylophon') for p in "
    look += "pathlib.Path(sys.argv[1]).iterdir()))"
    done = subprocess.run(
        [sys.executable, "-c", look, str(path.parent)], capture_output=True, check=True, text=True
    )
    return int(done.stdout)


def write(memory: AgentMemory) -> None:
    memory.for_user("ben").remember("city", "Oslo")


def claim(memory: AgentMemory) -> None:
    memory.claim_thread("other", "ben")


@pytest.mark.parametrize("finish", [write, claim, AgentMemory.doctor, AgentMemory.close])
def test_what_a_reader_held_up_is_finished_once_it_has_ended(path, finish):
    with AgentMemory.open(path, busy_timeout=0.05) as memory:
        asha = memory.for_user("asha")
        asha.remember("instrument", "a xylophone")
        reader = sqlite3.connect(path)
        reader.execute("BEGIN")
        reader.execute("SELECT COUNT(*) FROM memories").fetchone()
        asha.remember("other", "value")
        receipt = asha.forget("instrument")
        waiting = memory.verify(receipt)
        write(memory)  # the reader is still there
        held = copies(path)
        reader.close()
        finish(memory)

        assert (False, ("wal",)) == (receipt.complete, receipt.pending)
        assert (("purge",), False) == (waiting.pending, waiting.clean)
        assert held > 0
        assert 0 == copies(path)
    with AgentMemory.open(path) as memory:
        assert memory.verify(receipt, text="xylophone").clean


READS = """
import sys
from langgraph_agentmem import AgentMemory
with AgentMemory.open(sys.argv[1], busy_timeout=200) as memory:
    ben = memory.for_user("ben")
    print("here", flush=True)
    for line in sys.stdin:
        for number in range(20):
            if sys.argv[2] == "writes":
                ben.remember(f"topic {number}", f"value {line}")
            else:
                ben.memories()
        print("done", flush=True)
"""


@pytest.mark.parametrize("what", ["reads", "writes"])
def test_forgetting_completes_beside_a_process_that_reads_or_writes(path, what):
    with AgentMemory.open(path, busy_timeout=200) as memory:
        asha = memory.for_user("asha")
        asha.remember("instrument", "a xylophone")
        command = [sys.executable, "-c", READS, str(path), what]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        with subprocess.Popen(command, **pipes, text=True, cwd=ROOT) as other:
            other.stdout.readline()
            for _ in range(20):
                other.stdin.write("go\n")
            other.stdin.flush()
            receipt = asha.forget("instrument")
            other.stdin.close()
            said = other.stdout.read().count("done")

        assert 20 == said
        assert receipt.complete
        assert 0 == copies(path)
        assert memory.verify(receipt, text="xylophone").clean
