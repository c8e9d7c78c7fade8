"""`langgraph dev` serves the travel assistant, asked through the official SDK on loopback."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from uuid import uuid4

import httpx
import pytest
from langgraph_sdk import get_sync_client

pytest.importorskip("langgraph_api", reason="needs langgraph-cli[inmem]; make test-server has it")
pytestmark = pytest.mark.server

ROOT = Path(__file__).parents[2]
PATIENCE = 400.0
PHONE = "+47 400 00 001"


OPENED = []


def opened(url, headers):
    OPENED.append(get_sync_client(url=url, headers=headers))
    return OPENED[-1]


def client(url, user="asha"):
    return opened(url, {"Authorization": f"Bearer try-{user}"})


@pytest.fixture(autouse=True)
def closing():
    yield
    while OPENED:
        OPENED.pop().close()


@contextmanager
def serving(folder):
    """The URL of a server whose memory is in this folder."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    log = (folder / "server.log").open("a")
    server = subprocess.Popen(
        [
            *(
                sys.executable,
                "-m",
                "langgraph_cli",
                "dev",
                "--config",
                str(ROOT / "langgraph.json"),
            ),
            *("--host", "127.0.0.1", "--port", str(port), "--no-browser", "--no-reload"),
        ],
        cwd=folder,
        stdout=log,
        stderr=subprocess.STDOUT,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "TRAVEL_DB": str(folder / "travel.db"),
            "LANGSMITH_TRACING": "false",
        },
    )
    try:
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            with suppress(httpx.HTTPError):
                if httpx.get(f"{url}/ok").is_success:
                    break
            assert server.poll() is None, (folder / "server.log").read_text()
        yield url
    finally:
        server.send_signal(signal.SIGINT)
        try:
            server.wait(120)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()
        log.close()


@contextmanager
def refused(status):
    with pytest.raises(httpx.HTTPStatusError) as raised:
        yield
    assert status == raised.value.response.status_code


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("server")


@pytest.fixture(scope="module")
def url(folder):
    with serving(folder) as found:
        yield found


def say(asked, text, thread=None, **options):
    """The thread, and the state after the assistant has answered."""
    thread = thread or asked.threads.create()["thread_id"]
    said = {"messages": [{"role": "user", "content": text}]}
    return thread, asked.runs.wait(thread, "travel_assistant", input=said, **options)


def answer(state):
    return state["messages"][-1]["content"]


def test_what_one_thread_hears_another_knows(url):
    asha = client(url)
    say(asha, "My name is Asha. I live in Oslo.")
    _, state = say(asha, "Where do I live?")

    assert answer(state).startswith("You live in Oslo (since ")


def test_the_stores_api_shows_and_changes_what_is_remembered(url):
    asha = client(url)
    say(asha, "My seat preference is the window.")
    say(asha, "I live in Oslo.")
    mine = ("memories", "asha")
    held = {one["key"]: one["value"] for one in asha.store.search_items(mine)["items"]}
    asha.store.put_item(mine, "budget.night", value={"text": "90 euros"})
    read = asha.store.get_item(mine, "budget.night")["value"]
    asha.store.delete_item(mine, "budget.night")

    assert {"text": "Oslo"} == held["home_city"]
    assert {"text": "90 euros"} == read
    assert "budget.night" not in {one["key"] for one in asha.store.search_items(mine)["items"]}
    assert [["memories", "asha"]] == asha.store.list_namespaces()["namespaces"]


def test_threads_keep_their_state_and_history_in_our_checkpointer(url, folder):
    asha = client(url)
    mark = f"Porto{uuid4().hex}"
    thread, _ = say(asha, f"I dream of {mark}.")
    say(asha, "Thanks!", thread)
    state = asha.threads.get_state(thread)
    history = asha.threads.get_history(thread)
    kept = b"".join(file.read_bytes() for file in folder.glob("travel.db*"))

    assert 4 == len(state["values"]["messages"])
    assert len(history) > 4
    assert mark.encode() in kept


def test_words_and_events_stream(url):
    asha = client(url)
    thread = asha.threads.create()["thread_id"]
    said = {"messages": [{"role": "user", "content": "I live in Rome."}]}
    parts = [
        *asha.runs.stream(
            thread, "travel_assistant", input=said, stream_mode=["messages-tuple", "custom"]
        )
    ]
    words = [
        part.data[0]["content"]
        for part in parts
        if part.event == "messages" and part.data[0]["type"] == "AIMessageChunk"
    ]
    events = [part.data["agentmem"] for part in parts if part.event == "custom"]

    assert "Rome" in "".join(words)
    assert len([word for word in words if word]) > 2
    assert "recalled" in events
    assert {"kept", "replaced"} & set(events)


def test_the_user_is_who_is_authenticated_whatever_a_request_says(url):
    say(client(url, "bo"), "My name is Bo. I live in Bergen.")
    asha = client(url)
    said = {"messages": [{"role": "user", "content": "Where do I live?"}]}
    for claim in ({"context": {"user_id": "bo"}}, {"config": {"configurable": {"user_id": "bo"}}}):
        thread = asha.threads.create()["thread_id"]
        state = asha.runs.wait(thread, "travel_assistant", input=said, **claim)
        assert "Bergen" not in str(state)


def test_another_users_threads_and_memories_are_refused(url):
    asha, bo = client(url), client(url, "bo")
    thread, _ = say(asha, "I live in Oslo.")

    with refused(404):
        bo.threads.get_state(thread)
    with refused(403):
        bo.store.search_items(("memories", "asha"))
    with refused(403):
        bo.store.put_item(("memories", "asha"), "home_city", value={"text": "Bergen"})
    assert [] == [one for one in bo.threads.search(limit=100) if one["thread_id"] == thread]


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer wrong"}])
def test_nobody_is_refused(url, headers):
    stranger = opened(url, headers)

    with refused(401):
        stranger.threads.create()


def test_forgetting_asks_takes_the_answer_as_a_resume_and_leaves_no_copy(url, folder):
    asha = client(url)
    thread, _ = say(asha, f"My phone number is {PHONE}.")
    say(asha, "Please delete my phone.", thread)
    asked = asha.threads.get_state(thread)["tasks"][0]["interrupts"][0]["value"]
    state = asha.runs.wait(thread, "travel_assistant", command={"resume": {asked["id"]: True}})

    left = b"".join(file.read_bytes() for file in folder.glob("travel.db*"))

    assert ("confirm_forget", "phone") == (asked["agentmem"], asked["topic"])
    assert PHONE.encode() not in left
    assert answer(state).startswith("Forgotten: phone")
    assert "phone" not in {
        one["key"] for one in asha.store.search_items(("memories", "asha"))["items"]
    }


def test_a_thread_that_is_deleted_is_gone(url):
    asha = client(url)
    thread, _ = say(asha, "I live in Oslo.")
    asha.threads.delete(thread)

    with refused(404):
        asha.threads.get_state(thread)


def test_a_server_that_is_started_again_remembers(tmp_path):
    with serving(tmp_path) as url:
        thread, _ = say(client(url), "My name is Asha. I live in Oslo.")
    with serving(tmp_path) as url:
        _, elsewhere = say(client(url), "Where do I live?")
        _, there = say(client(url), "Where do I live?", thread)

    assert answer(elsewhere).startswith("You live in Oslo (since ")
    assert 4 == len(there["messages"])
