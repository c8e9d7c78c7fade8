"""Items of LangGraph's PostgresStore come over from a real server, started here."""

from __future__ import annotations

import asyncio
import os
import pwd
import shutil
import subprocess
import tempfile
from datetime import timedelta
from pathlib import Path

import pytest

pytest.importorskip("psycopg", reason="psycopg is not installed")
postgres = pytest.importorskip(
    "langgraph.store.postgres", reason="langgraph-checkpoint-postgres is not installed"
)

PROGRAMS = ("initdb", "pg_ctl")


@pytest.fixture(scope="module")
def server():
    """The address of a server of its own, which listens on a socket in a folder alone."""
    missing = [name for name in PROGRAMS if shutil.which(name) is None]
    if missing:
        pytest.skip(f"no PostgreSQL server here: {', '.join(missing)} not found")
    # Not pytest's folder: others may not enter it, and the path of a socket must be short.
    with tempfile.TemporaryDirectory(prefix="pg") as folder:
        user = _somebody(Path(folder))

        def run(*command: str) -> None:
            done = subprocess.run(
                command,
                check=False,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd=folder,
                user=user,
                timeout=120,
            )
            if done.returncode:
                pytest.skip(f"no PostgreSQL server could be started: {command[0]} failed")

        data = f"{folder}/data"
        run("initdb", "-D", data, "-U", "tester", "-A", "trust", "-E", "UTF8", "--no-sync")
        options = f"-c listen_addresses='' -c unix_socket_directories={folder} -c fsync=off"
        run("pg_ctl", "-D", data, "-w", "-t", "60", "-l", f"{folder}/log", "-o", options, "start")
        try:
            yield f"postgresql://tester@/postgres?host={folder}"
        finally:
            run("pg_ctl", "-D", data, "-m", "immediate", "stop")


def _somebody(folder: Path) -> str | None:
    """Who runs the server: it refuses to be root."""
    if os.geteuid() != 0:
        return None
    known = {one.pw_name for one in pwd.getpwall()}
    for name in ("postgres", "nobody"):
        if name in known:
            shutil.chown(folder, name)
            return name
    pytest.skip("no PostgreSQL server could be started: it does not run as root")


@pytest.fixture
def filled(server):
    """A store with items of two users: 230 in one namespace, which is more than two pages."""
    with postgres.PostgresStore.from_conn_string(server) as store:
        store.setup()
        for number in range(230):
            store.put(("memories", "asha"), f"topic {number:03}", {"text": f"Wert {number} — ünï"})
        store.put(("memories", "asha", "work"), "boss", {"name": "Ben", "deep": [1, 2.5, None]})
        store.put(("memories", "ben"), "home", {"kind": "Memory", "content": {"content": "Rome"}})
        store.put(("memories", "asha"), "topic 000", {"text": "the second value"})
        store.put(("memories", "asha"), "gone", {"text": "x"})
        store.delete(("memories", "asha"), "gone")
        yield store


def test_every_item_comes_with_its_key_value_and_times(filled, memory):
    done = memory.store.import_store(filled)

    assert ({"topic": 232}, {}, {}) == (done.written, done.different, done.forgotten)
    places = [(("memories", "asha"), "topic 000"), (("memories", "asha"), "topic 229")]
    for namespace, key in [*places, (("memories", "asha", "work"), "boss")]:
        theirs, ours = filled.get(namespace, key), memory.store.get(namespace, key)
        assert theirs.value == ours.value
        assert (theirs.created_at, theirs.updated_at) == (ours.created_at, ours.updated_at)
        assert ours.updated_at.utcoffset() == timedelta(0)
    assert memory.store.get(("memories", "asha"), "gone") is None
    found = memory.for_user("asha").recall("Wert 117").memories
    assert "topic 117" == found[0].topic


def test_importing_again_changes_nothing_and_one_user_can_be_asked_for(filled, memory):
    memory.store.import_store(filled, ("memories", "ben"), layout="langmem")
    assert {"content": "Rome", "kind": "Memory"} == memory.store.get(
        ("memories", "ben"), "home"
    ).value
    assert [] == memory.for_user("asha").memories()

    memory.store.import_store(filled)
    done = memory.store.import_store(filled)
    assert ({}, 231) == (done.written, done.unchanged["topic"])
    assert {"topic": 1} == done.different


def test_it_is_read_inside_a_running_loop(filled, server, memory):
    async def read() -> dict[str, int]:
        async with postgres.AsyncPostgresStore.from_conn_string(server) as store:
            return (await memory.store.aimport_store(store)).written

    assert {"topic": 232} == asyncio.run(read())
