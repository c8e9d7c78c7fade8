"""What an export takes along besides memories and threads: tombstones, uses, calls, times."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import timedelta
from uuid import uuid4

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.graph import START, MessagesState, StateGraph

from langgraph_agentmem import AgentMemory, Candidate, Source
from langgraph_agentmem.activity import Activity
from langgraph_agentmem.errors import InvalidExport
from langgraph_agentmem.retention import ThreadRetention

NS = ("memories", "asha")
ASHA = {"configurable": {"thread_id": "trip", "user_id": "asha"}}
PHONE = "+351 912 345 678"
SAID = Source(thread_id="trip", message_ids=("m1",), author="user")


@pytest.fixture
def memory(tmp_path):
    """In real time, as LangGraph's checkpoints are."""
    with AgentMemory.open(tmp_path / "memory.db") as opened:
        yield opened


@pytest.fixture
def other(tmp_path):
    with AgentMemory.open(tmp_path / "other.db") as opened:
        yield opened


def chat(memory: AgentMemory):
    builder = StateGraph(MessagesState)
    builder.add_node("answer", lambda _: {"messages": [AIMessage("Fine.")]})
    return builder.add_edge(START, "answer").compile(
        store=memory.store, checkpointer=memory.checkpointer
    )


@pytest.fixture
def older(memory):
    """An export with a phone number, its source in a thread, and a call that was asked with it."""
    said = HumanMessage(f"My phone is {PHONE}", id="m1")
    chat(memory).invoke({"messages": [said]}, ASHA)
    memory.store.learn(NS, [Candidate(topic="phone", value=PHONE, source=SAID)])
    memory.for_user("asha").remember("seat", "window")
    call(memory, {"number": PHONE})
    return [*memory.export_user("asha")]


def call(memory: AgentMemory, given: dict[str, str]) -> None:
    recorder, run = Activity(memory, timer=lambda: 0.0), uuid4()
    told = {"user_id": "asha", "thread_id": "trip"}
    recorder.on_tool_start({"name": "dial"}, "", run_id=run, inputs=given, metadata=told)
    recorder.on_tool_end("done", run_id=run)


def test_what_was_forgotten_stays_forgotten_where_it_goes(memory, older, other):
    memory.forget("asha", "phone")
    newer = [*memory.export_user("asha")]
    other.import_user(newer)
    done = other.import_user(older)

    asha = other.for_user("asha")
    assert asha.look("phone") is None
    assert [] == asha.history("phone")
    assert PHONE not in json.dumps([*other.export_user("asha")])
    assert (1, 1) == (done.forgotten["topic"], done.unchanged["topic"])
    learned = other.store.learn(NS, [Candidate(topic="phone", value=PHONE, source=SAID)])
    assert ["comes from a message that was forgotten"] == [one.reason for one in learned.refused]


def test_the_user_who_says_it_again_elsewhere_is_heard(memory, older, other):
    memory.forget("asha", "phone")
    other.import_user([*memory.export_user("asha")])
    anew = Source(thread_id="trip", message_ids=("m9",), author="user")
    other.store.learn(NS, [Candidate(topic="phone", value=PHONE, source=anew)])

    assert PHONE == other.for_user("asha").look("phone").text


def test_tombstones_go_on_from_there_and_for_another_user_id(memory, older, other, tmp_path):
    memory.forget("asha", "phone")
    other.import_user([*memory.export_user("asha")], "zoë")
    with AgentMemory.open(tmp_path / "third.db") as third:
        third.import_user([*other.export_user("zoë")], 7)
        third.import_user(older, 7)

        assert third.for_user(7).look("phone") is None
        assert "window" == third.for_user(7).look("seat").text
        third.import_user(older, "asha")  # what is forgotten is one user's
        assert PHONE == third.for_user("asha").look("phone").text


def test_a_forgotten_user_stays_forgotten_elsewhere_until_they_come_back(memory, older, other):
    memory.forget("asha")
    memory.for_user("asha").remember("seat", "aisle")
    other.import_user([*memory.export_user("asha")])
    done = other.import_user(older)

    assert ["aisle"] == [one.text for one in other.for_user("asha").memories()]
    assert {} == chat(other).get_state(ASHA).values
    assert done.forgotten["checkpoint"] == sum(one["type"] == "checkpoint" for one in older)


@pytest.mark.parametrize("topic", ["phone", None])
def test_forgetting_something_else_there_later_opens_no_way_back(memory, older, other, topic):
    other.import_user(older)
    other.forget("asha", topic)
    other.checkpointer.delete_thread("trip")
    chat(memory).invoke({"messages": [("user", "I sit by the window.")]}, ASHA)
    memory.forget("asha", "seat")
    for _ in range(2):
        other.import_user([*memory.export_user("asha")])

    assert other.for_user("asha").look("phone") is None
    assert PHONE not in json.dumps([*other.export_user("asha")])


def test_a_thread_deleted_before_the_forgetting_comes_back_without_the_value(memory):
    said = [HumanMessage(f"My phone is {PHONE}", id="m1"), HumanMessage(f"Call {PHONE} at six.")]
    config = {**ASHA, "metadata": {"noted": PHONE}}
    for one in said:
        chat(memory).invoke({"messages": [one]}, config)
    memory.store.learn(NS, [Candidate(topic="phone", value=PHONE, source=SAID)])
    older = [*memory.export_user("asha")]
    memory.checkpointer.delete_thread("trip")
    memory.forget("asha", "phone")
    memory.import_user(older)

    assert PHONE not in json.dumps([*memory.export_user("asha")])
    seen = [one.text for one in chat(memory).get_state(ASHA).values["messages"]]
    assert ["[forgotten]", "Fine.", "Call [forgotten] at six.", "Fine."] == seen


def test_a_turn_deleted_before_the_forgetting_does_not_come_back_with_the_value(memory, older):
    asha = memory.for_user("asha")
    said = {"a": f"Call {PHONE} at six.", "b": "Call at six."}
    for topic, text in said.items():
        asha.remember(topic, text, kind="turn")
    older = [*memory.export_user("asha")]
    for topic in said:
        memory.store.delete(NS, topic)
    asha.forget("phone")
    done = memory.import_user([one for one in older if one["type"] in {"header", "topic"}])

    assert ["Call at six."] == [one.text for one in asha.memories(kinds=["turn"])]
    assert 2 == done.forgotten["topic"]


def test_a_backup_that_gets_a_newer_export_knows_what_was_forgotten_since(memory, older, tmp_path):
    with closing(sqlite3.connect(tmp_path / "memory.db")) as connection:
        connection.execute("VACUUM INTO ?", (str(tmp_path / "backup.db"),))
    memory.forget("asha", "phone")
    with AgentMemory.open(tmp_path / "backup.db") as backup:
        backup.forget("asha")
        backup.import_user([*memory.export_user("asha")])
        backup.import_user(older)

        assert backup.for_user("asha").look("phone") is None


def test_tombstones_hold_no_content_and_no_key_of_the_database(memory, older, path):
    memory.forget("asha", "phone")
    lines = [one for one in memory.export_user("asha") if one["type"] == "tombstones"]

    with memory.checkpointer.backend.cursor(write=False) as cursor:
        key = cursor.execute("SELECT value FROM settings WHERE name='tombstone_key'").fetchone()[0]
    assert 1 == len(lines)
    assert {"type", "key", "marks"} == set(lines[0])
    assert not [one for one in (key, "phone", "trip", "m1") if one in json.dumps(lines)]


def test_an_import_brings_the_tombstones_once(memory, older, other):
    memory.forget("asha", "phone")
    newer = [*memory.export_user("asha")]
    first, again = other.import_user(newer), other.import_user(newer)

    assert 3 == first.written["tombstone"]  # topic, message, thread
    assert (3, {}) == (again.unchanged["tombstone"], again.written)
    assert newer == [*other.export_user("asha")]
    assert 3 == memory.import_user(newer).unchanged["tombstone"]
    assert newer == [*memory.export_user("asha")]


def test_a_namespace_of_a_store_takes_its_tombstones_along(memory, older, other):
    before = [*memory.store.export(NS)]
    memory.store.forget(NS, "phone")
    other.store.import_items([*memory.store.export(NS)], NS)
    other.store.import_items(before, NS)

    assert ["seat"] == [one.topic for one in other.for_user("asha").memories()]


def test_a_refused_consent_is_not_asked_for_elsewhere(memory, other):
    health = Candidate(topic="health", value="I have asthma", source=SAID)
    memory.store.learn(NS, [health])
    (held,) = memory.held("asha")
    memory.consent("asha", held.id, yes=False)
    other.import_user([*memory.export_user("asha")])
    learned = other.store.learn(NS, [health])

    assert [] == other.held("asha")
    assert ["has no consent of its user"] == [one.reason for one in learned.refused]


def test_uses_come_along(memory, older, other):
    for _ in range(3):
        memory.for_user("asha").recall("which seat, window?")
    lines = [*memory.export_user("asha")]
    other.import_user(lines)

    (seat,) = [one for one in lines if one.get("topic") == "seat"]
    assert 3 == seat["current"]["uses"]
    assert lines == [*other.export_user("asha")]


def test_calls_come_along_each_once_though_two_are_alike(memory, other, monkeypatch):
    moment = memory.store.clock()
    monkeypatch.setattr(memory.store, "clock", lambda: moment)
    for _ in range(2):
        call(memory, {"number": "112"})
    lines = [*memory.export_user("asha")]
    first, again = other.import_user(lines), other.import_user(lines)

    assert (2, 2) == (first.written["activity"], again.unchanged["activity"])
    assert Activity(memory).calls("asha") == Activity(other).calls("asha")
    assert 2 == len(Activity(other).calls("asha"))
    assert lines == [*other.export_user("asha")]


def test_an_older_export_brings_no_call_back_that_was_asked_with_it(memory, older):
    memory.forget("asha", "phone")
    Activity(memory).prune(memory.store.clock() + timedelta(days=1))
    done = memory.import_user(older)

    assert 1 == done.forgotten["activity"]
    assert [] == Activity(memory).calls("asha")


def test_a_thread_is_as_old_as_it_was(memory, older, other, monkeypatch):
    later = memory.store.clock() + timedelta(days=90)
    monkeypatch.setattr(other.checkpointer, "clock", lambda: later)
    other.import_user(older)
    (sweep,) = other.sweep_threads(ThreadRetention(idle=timedelta(days=30)), dry_run=True).swept

    assert "trip" == sweep.thread_id
    assert older == [*other.export_user("asha")]


def test_the_first_version_of_the_format_is_read(older, other):
    plain = json.loads(json.dumps([one for one in older if one["type"] != "activity"]))
    plain[0]["version"] = 1
    for line in plain:
        if line["type"] == "topic":
            del line["current"]["uses"], line["current"]["used_at"]
        if line["type"] == "thread":
            del line["started_at"], line["used_at"]
    other.import_user(plain)

    assert PHONE == other.for_user("asha").look("phone").text
    assert 2 == len(chat(other).get_state(ASHA).values["messages"])


@pytest.mark.parametrize(
    "line",
    [
        {"type": "tombstones"},
        {"type": "tombstones", "key": "short", "marks": []},
        {"type": "tombstones", "key": "0" * 64, "marks": [["0" * 64]]},
        {"type": "tombstones", "key": "0" * 64, "marks": [["0" * 64, "2026-01-01"]]},
        {"type": "tombstones", "key": "0" * 64, "marks": [[PHONE, "2026-01-01T00:00+00:00"]]},
        {"type": "activity", "at": "2026-01-01T00:00+00:00"},
        {"type": "thread", "thread_id": "t", "scrubbed_at": None, "started_at": "x", "used_at": ""},
    ],
)
def test_a_line_that_is_none_is_refused_without_its_content(other, line):
    head = {"type": "header", "format": "langgraph-agentmem", "version": 2, "user_id": "asha"}
    with pytest.raises(InvalidExport) as caught:
        other.import_user([head, line])

    assert PHONE not in str(caught.value)
    assert 1 == len([*other.export_user("asha")]) or line["type"] == "thread"
