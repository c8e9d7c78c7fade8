"""Opening, closing, and what is said when a path is not what it should be."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import textwrap
import threading
from pathlib import Path

import pytest
from langgraph.checkpoint.sqlite import SqliteSaver

from langgraph_agentmem import AgentMemory, AgentMemStore
from langgraph_agentmem.errors import (
    MemoryClosed,
    NotAMemoryFile,
    SchemaOutdated,
    SchemaTooNew,
    StorageError,
)
from langgraph_agentmem.sql import migrations

NS = ("memories", "asha")


def test_what_was_remembered_is_there_when_the_file_is_opened_again(path):
    with AgentMemory.open(path) as memory:
        memory.store.remember(NS, "home_city", "Oslo", pinned=True)

    with AgentMemory.open(str(path)) as memory:
        held = memory.store.look(NS, "home_city")

    assert ("Oslo", True) == (held.text, held.pinned)


async def test_it_is_an_async_context_too_and_leaves_no_thread_behind(path):
    before = {thread.name for thread in threading.enumerate()}

    async with await AgentMemory.aopen(path) as memory:
        await asyncio.gather(*(memory.store.aremember(NS, f"t{n}", "x") for n in range(50)))

    left = {thread.name for thread in threading.enumerate()} - before
    assert not [name for name in left if name.startswith("agentmem")]


def test_a_store_alone_is_ready_and_a_context_manager(path):
    with AgentMemStore.from_conn_string(path) as store:
        store.put(NS, "k", {"a": 1})

        assert {"a": 1} == store.get(NS, "k").value
    with pytest.raises(MemoryClosed):
        store.get(NS, "k")


def test_closing_twice_is_fine(path):
    memory = AgentMemory.open(path)
    memory.close()
    memory.close()

    with pytest.raises(MemoryClosed, match=r"AgentMemory\.open"):
        memory.for_user("asha").recall("x")


@pytest.mark.parametrize("content", [b"not a database at all, but long enough" * 40, b"x"])
def test_a_file_that_is_no_database_is_refused_and_left_alone(path, content):
    path.write_bytes(content)

    with pytest.raises(NotAMemoryFile, match=r"memory\.db"):
        AgentMemory.open(path)
    assert content == path.read_bytes()


def test_somebody_elses_database_is_refused_and_left_alone(path):
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE customers (name TEXT)")
    connection.commit()
    connection.close()

    with pytest.raises(NotAMemoryFile, match="another path"):
        AgentMemory.open(path)
    connection = sqlite3.connect(path)
    tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_master")]
    journal = connection.execute("PRAGMA journal_mode").fetchone()[0]
    connection.close()
    assert (["customers"], "delete") == (tables, journal)


def test_an_empty_file_becomes_a_memory(path):
    path.touch()

    with AgentMemory.open(path) as memory:
        assert "x" == memory.store.remember(NS, "t", "x").text


def test_a_file_of_langgraphs_own_saver_becomes_ours_with_its_threads(path):
    config = {"configurable": {"thread_id": "t", "checkpoint_ns": ""}}
    checkpoint = {
        "v": 4,
        "id": "1ef4f797-8335-6428-8001-8a1503f9b875",
        "ts": "2026-01-01T00:00:00+00:00",
        "channel_values": {"key": "kept"},
        "channel_versions": {},
        "versions_seen": {},
        "updated_channels": None,
    }
    with SqliteSaver.from_conn_string(str(path)) as saver:
        saver.put(config, checkpoint, {"source": "input", "step": -1, "parents": {}}, {})

    with AgentMemory.open(path) as memory:
        found = memory.checkpointer.get_tuple({"configurable": {"thread_id": "t"}})

    assert {"key": "kept"} == found.checkpoint["channel_values"]


def test_a_folder_and_a_missing_folder_are_named(tmp_path):
    with pytest.raises(NotAMemoryFile, match="folder"):
        AgentMemory.open(tmp_path)
    with pytest.raises(StorageError, match="does not exist"):
        AgentMemory.open(tmp_path / "no" / "memory.db")


@pytest.fixture
def public():
    """A folder that anybody may enter: pytest's own close whenever another of its runs begins."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    for one in (folder, *(each for each in folder.rglob("*") if each.is_dir())):
        one.chmod(0o755)
    shutil.rmtree(folder)


def as_nobody(program: str, *arguments: object) -> str:
    """Run a program as a user who may not write; root may write everywhere, and may be the only
    one who can read the installed packages, so they are imported before.
    """
    drop = """
import os, langgraph_agentmem.memory
if os.getuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
"""
    done = subprocess.run(
        [sys.executable, "-c", drop + textwrap.dedent(program), *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        timeout=500,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )
    return done.stdout + done.stderr


OPEN = """
    import sys
    from langgraph_agentmem import AgentMemory
    from langgraph_agentmem.errors import AgentMemError
    try:
        AgentMemory.open(sys.argv[1])
    except AgentMemError as error:
        print(type(error).__name__, error)
"""


def test_an_unwritable_folder_is_named(public):
    locked = public / "locked"
    locked.mkdir(mode=0o555)

    said = as_nobody(OPEN, locked / "memory.db")

    assert said.startswith("StorageError")
    assert "writable" in said
    assert str(locked) in said


def test_a_later_schema_is_refused(path):
    AgentMemory.open(path).close()
    connection = sqlite3.connect(path)
    connection.execute("INSERT INTO migrations VALUES (999, 'of tomorrow', 0)")
    connection.commit()
    connection.close()

    with pytest.raises(SchemaTooNew, match="upgrade the package"):
        AgentMemory.open(path)


def old_file(path: Path) -> None:
    """A file as the first migration left it, with a memory in it."""
    first, *_ = migrations("sqlite")
    connection = sqlite3.connect(path)
    connection.executescript(first.script)
    connection.execute("INSERT INTO migrations VALUES (1, 'memories', 0)")
    connection.execute("INSERT INTO namespaces (id, path) VALUES (1, 'memories.asha')")
    connection.execute(
        "INSERT INTO memories (namespace_id, topic, value, kind, version, valid_from, recorded_at,"
        " created_at, updated_at) VALUES (1, 'home_city', '{\"text\": \"Oslo\"}', 'fact', 1, 0, 0,"
        " 0, 0)"
    )
    connection.commit()
    connection.close()


def test_an_older_schema_is_migrated_on_opening_and_keeps_its_memories(path):
    old_file(path)

    with AgentMemory.open(path) as memory:
        asha = memory.for_user("asha")
        assert "Oslo" == asha.look("home_city").text
        asha.remember("home_city", "Rome")
        assert ["Oslo", "Rome"] == [version.text for version in asha.history("home_city")]
        assert ["Rome"] == [held.text for held in asha.recall("my home?").memories]


def test_an_older_schema_that_cannot_be_changed_here_is_named(public):
    path = public / "memory.db"
    old_file(path)
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = DELETE")
    connection.close()
    path.chmod(0o444)
    public.chmod(0o555)

    said = as_nobody(OPEN, path)

    assert said.startswith(SchemaOutdated.__name__)
    assert "open it once where it is writable" in said


def _remember_in_child(memory: AgentMemory, results: multiprocessing.Queue) -> None:
    memory.store.remember(NS, "child", "from the child")
    results.put(memory.store.look(NS, "parent").text)


def test_a_forked_process_opens_its_own_connections(path):
    with AgentMemory.open(path) as memory:
        memory.store.remember(NS, "parent", "from the parent")
        context = multiprocessing.get_context("fork")
        results = context.Queue()
        child = context.Process(target=_remember_in_child, args=(memory, results))
        child.start()
        seen = results.get(timeout=200)
        child.join(200)

        assert "from the parent" == seen
        assert "from the child" == memory.store.look(NS, "child").text


def test_two_memories_in_ram_share_nothing():
    with AgentMemory.open(":memory:") as one, AgentMemory.open(":memory:") as other:
        one.store.remember(NS, "t", "x")

        assert "x" == one.store.look(NS, "t").text
        assert other.store.look(NS, "t") is None


async def test_sync_calls_inside_a_running_loop_and_other_loops_work(path):
    memory = AgentMemory.open(path)
    memory.store.remember(NS, "sync", "in the loop")

    def other_loop() -> str:
        return asyncio.run(memory.store.alook(NS, "sync")).text

    found = await asyncio.wait_for(asyncio.to_thread(other_loop), 200)
    memory.close()

    assert "in the loop" == found


async def test_a_cancelled_write_is_whole_or_absent(path):
    async with await AgentMemory.aopen(path) as memory:
        for number in range(30):
            task = asyncio.create_task(memory.store.aremember(NS, "t", f"value {number}"))
            await asyncio.sleep(0)
            if number % 2:
                task.cancel()
            await asyncio.gather(task, return_exceptions=True)

        history = await memory.store.ahistory(NS, "t")
        assert [version.number for version in history] == list(range(1, len(history) + 1))
        assert "value 28" in [version.text for version in history]


READ_AND_WRITE = """
    import sys
    from langgraph_agentmem import AgentMemory
    from langgraph_agentmem.errors import AgentMemError
    try:
        memory = AgentMemory.open(sys.argv[1])
        print(memory.for_user("asha").look("home_city").text)
        memory.for_user("asha").remember("home_city", "Rome")
    except AgentMemError as error:
        print(type(error).__name__, "Rome" in str(error))
"""


def test_a_read_only_file_can_be_read_and_a_write_raises(public):
    path = public / "memory.db"
    with AgentMemory.open(path) as memory:
        memory.for_user("asha").remember("home_city", "Oslo")
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = DELETE")
    connection.close()
    path.chmod(0o444)
    public.chmod(0o555)

    said = as_nobody(READ_AND_WRITE, path)

    assert ["Oslo", "StorageError False"] == said.splitlines()
    with AgentMemory.open(path) as memory:
        assert ["Oslo"] == [v.text for v in memory.for_user("asha").history("home_city")]
