"""Forgetting across store and checkpointer: value, history, index, messages, files."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langgraph.graph import START, StateGraph
from langgraph.types import Command, interrupt

from langgraph_agentmem import AgentMemory, Candidate, MemoryState, Source
from langgraph_agentmem.errors import CheckpointUnreadable, UserRequired

ROOT = Path(__file__).parents[2]
PHONE = "+351 912 345 678"
ASHA = {"configurable": {"thread_id": "trip", "user_id": "asha"}}
SOURCE = Source(thread_id="trip", message_ids=("m1",), author="user")


def answer(state: MemoryState) -> dict[str, Any]:
    call = {"id": "c1", "name": "call_back", "args": {"number": PHONE}}
    return {
        "messages": [
            AIMessage("", tool_calls=[call]),
            ToolMessage("Calling +351-912-345-678 back.", tool_call_id="c1"),
            AIMessage(f"I will call {PHONE}, and Oslo sounds fine."),
        ],
        "summary": {"text": f"Phone {PHONE}.", "exact": [PHONE], "through": "m1"},
    }


def ask(state: MemoryState) -> dict[str, Any]:
    return {"messages": [AIMessage(interrupt(f"Call {PHONE} now?"))]}


def chat(memory: AgentMemory):
    builder = StateGraph(MemoryState).add_node("answer", answer).add_node("ask", ask)
    builder.add_edge(START, "answer").add_edge("answer", "ask")
    return builder.compile(store=memory.store, checkpointer=memory.checkpointer)


@pytest.fixture
def told(memory: AgentMemory):
    """A thread in which Asha gave a phone number, which was learnt, and an old one before it."""
    graph = chat(memory)
    said = HumanMessage(f"My phone is {PHONE} and I live in Oslo.", id="m1")
    graph.invoke({"messages": [said]}, ASHA)
    asha = memory.for_user("asha")
    asha.remember("phone", "+351 000 111 222")
    memory.store.learn(
        asha.namespace,
        [
            Candidate(topic="phone", value=PHONE, source=SOURCE),
            Candidate(topic="home_city", value="Oslo", source=SOURCE),
        ],
    )
    return graph


def bytes_of(path: Path) -> bytes:
    return b"".join(
        file.read_bytes() for file in sorted(path.parent.iterdir()) if file.name != "copy"
    )


def test_a_forgotten_phone_is_nowhere_in_the_files(memory, told, path):
    receipt = memory.forget("asha", "phone")

    left = bytes_of(path)
    assert [0, 0, 0] == [left.count(one) for one in (b"912 345", b"912-345", b"000 111 222")]
    assert (1, 1) == (receipt.removed["memories"], receipt.removed["versions"])
    assert receipt.removed["messages"] > 0
    assert receipt.removed["checkpoints"] > 0
    assert (True, 0) == (receipt.complete, receipt.left_in_files)


def test_what_was_not_forgotten_stays(memory, told):
    memory.forget("asha", "phone")

    assert "Oslo" == memory.for_user("asha").look("home_city").text
    assert "Oslo" in told.get_state(ASHA).values["messages"][-1].text


def test_what_a_run_was_called_with_holds_it_no_more(memory, told, path):
    named = {**ASHA["configurable"], PHONE: "number", "reach": PHONE}
    config = {"configurable": named, "metadata": {"note": f"at {PHONE}"}, "tags": [PHONE]}
    told.invoke({"messages": [HumanMessage("Hello")]}, config)
    memory.forget("asha", "phone")

    kept = memory.checkpointer.get_tuple(ASHA).metadata
    assert ("number", "[forgotten]") == (kept["[forgotten]"], kept["reach"])
    assert b"912 345" not in bytes_of(path)


def test_the_thread_stays_valid_and_goes_on(memory, told):
    memory.forget("asha", "phone")

    state = told.get_state(ASHA)
    first, call, result, last = state.values["messages"]
    assert ("[forgotten]", "m1") == (first.text, first.id)
    assert {"number": "[forgotten]"} == call.tool_calls[0]["args"]
    assert ("Calling [forgotten] back.", "c1") == (result.text, result.tool_call_id)
    assert "I will call [forgotten], and Oslo sounds fine." == last.text
    summary = {"text": "Phone [forgotten].", "exact": [], "through": "m1", "stale": True}
    assert summary == state.values["summary"]
    assert "Call [forgotten] now?" == state.interrupts[0].value


def test_the_past_of_the_thread_holds_it_no_more(memory, told):
    memory.forget("asha", "phone")

    for snapshot in told.get_state_history(ASHA):
        assert not [form for form in ("912 345", "912-345") if form in str(snapshot)]


def test_a_message_that_was_given_without_an_id_is_scrubbed_in_the_raw_input(memory, path):
    """The first checkpoint of a run holds the input as it was given."""
    graph = chat(memory)
    graph.invoke({"messages": [{"role": "user", "content": "I have a very rare canaryitis"}]}, ASHA)
    message = graph.get_state(ASHA).values["messages"][0]
    source = Source(thread_id="trip", message_ids=(message.id,))
    asha = memory.for_user("asha")
    asha.remember("health", "ill", source=source)

    memory.forget("asha", "health")

    assert 0 == bytes_of(path).count(b"canaryitis")


def test_a_dry_run_counts_and_changes_nothing(memory, told, path):
    counted = memory.forget("asha", "phone", dry_run=True)

    assert PHONE == memory.for_user("asha").look("phone").text
    assert b"912 345" in bytes_of(path)
    done = memory.forget("asha", "phone")
    assert done.removed == counted.removed
    assert (True, False) == (counted.dry_run, done.dry_run)


def test_the_same_old_message_is_not_learnt_from_again(memory, told):
    memory.forget("asha", "phone")
    home = memory.for_user("asha").namespace

    learned = memory.store.learn(home, [Candidate(topic="tel", value=PHONE, source=SOURCE)])

    assert ["tel"] == [refusal.topic for refusal in learned.refused]
    assert [] == memory.for_user("asha").history("tel")


def test_the_user_who_says_it_again_is_heard(memory, told):
    memory.forget("asha", "phone")
    home = memory.for_user("asha").namespace
    again = Source(thread_id="trip", message_ids=("m2",))

    learned = memory.store.learn(home, [Candidate(topic="phone", value=PHONE, source=again)])

    assert [PHONE] == [held.text for held in learned.kept]
    assert [1] == [version.number for version in memory.for_user("asha").history("phone")]


def test_forgetting_a_user_takes_all_and_leaves_the_others(memory, told, path):
    ben = memory.for_user("ben")
    ben.remember("phone", "+47 999")
    chat(memory).invoke(
        {"messages": [("user", "hi")]}, {"configurable": {"thread_id": "b", "user_id": "ben"}}
    )

    receipt = memory.forget("asha")

    assert [] == memory.for_user("asha").memories()
    assert {} == told.get_state(ASHA).values
    assert 1 == receipt.removed["threads"]
    assert "+47 999" == ben.look("phone").text
    assert 0 == bytes_of(path).count(b"000 111 222")


def test_somebody_elses_copy_stays_and_the_receipt_counts_it(memory, told, path):
    memory.for_user("ben").remember("phone", PHONE)

    receipt = memory.forget("asha", "phone")

    assert PHONE == memory.for_user("ben").look("phone").text
    assert bytes_of(path).count(PHONE.encode()) == receipt.left_in_files == 1


@pytest.mark.parametrize("nobody", ["", "  ", None, True])
def test_nobody_is_refused_and_nothing_is_touched(memory, told, nobody):
    with pytest.raises(UserRequired):
        memory.forget(nobody)

    assert 2 == len(memory.for_user("asha").memories())


def test_an_unknown_user_or_topic_removes_nothing_and_says_so(memory, told):
    assert 0 == memory.forget("ash").total
    assert 0 == memory.forget("asha", "shoe_size").total
    assert 2 == len(memory.for_user("asha").memories())


async def test_forgetting_works_inside_a_running_loop(memory, told):
    receipt = await memory.for_user("asha").aforget("phone")

    assert 1 == receipt.removed["memories"]
    assert await memory.for_user("asha").alook("phone") is None


def test_a_short_value_is_scrubbed_in_its_source_alone(memory):
    """`no` stands in too many innocent places."""
    graph = chat(memory)
    graph.invoke({"messages": [HumanMessage("Do I smoke? no", id="m1")]}, ASHA)
    memory.for_user("asha").remember("smoker", "no", source=SOURCE)

    memory.forget("asha", "smoker")

    first, *_, last = graph.get_state(ASHA).values["messages"]
    assert "[forgotten]" == first.text
    assert "912" in last.text


def test_a_reader_that_is_busy_is_named_and_the_next_forget_finishes(path):
    with AgentMemory.open(path, busy_timeout=0.1) as memory:
        memory.for_user("asha").remember("phone", PHONE)
        reader = sqlite3.connect(path)
        reader.execute("BEGIN")
        reader.execute("SELECT COUNT(*) FROM memories").fetchone()

        busy = memory.forget("asha", "phone")
        reader.close()
        done = memory.forget("asha", "phone")

    assert (False, True) == (busy.complete, "wal" in busy.pending)
    assert done.complete
    assert 0 == bytes_of(path).count(b"912 345")


@pytest.mark.parametrize(
    "value", ["messages", "channel_values", "answer", "trip", "asha", "human", "loop"]
)
def test_a_value_that_is_called_like_a_part_of_the_graph_breaks_nothing(memory, told, value):
    memory.for_user("asha").remember("favourite", value)

    memory.forget("asha", "favourite")

    state = told.get_state(ASHA)
    assert 4 == len(state.values["messages"])
    assert ["human", "ai", "tool", "ai"] == [one.type for one in state.values["messages"]]
    assert ("ask",) == state.next
    assert 3 == len(list(memory.checkpointer.list(None, filter={"user_id": "asha"})))
    assert "now" == told.invoke(Command(resume="now"), ASHA)["messages"][-1].text


PURGE_DIES = """
import os, signal, sys
from langgraph_agentmem import AgentMemory
from langgraph_agentmem.backends.sqlite import SqliteBackend
SqliteBackend.purge = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
AgentMemory.open(sys.argv[1]).forget("asha", "secret")
"""


@pytest.mark.parametrize("still_open", [False, True])
def test_a_pass_over_the_files_that_a_crash_cut_off_is_made_up_for(path, still_open):
    """By the next opening, or by the next forgetting of one that was open all the while."""
    memory = AgentMemory.open(path)
    memory.for_user("asha").remember("secret", "xylophonic-marmalade " * 300)
    if not still_open:
        memory.close()
    died = subprocess.run([sys.executable, "-c", PURGE_DIES, str(path)], check=False, cwd=ROOT)
    left = bytes_of(path).count(b"xylophonic")

    if still_open:
        assert memory.forget("asha", "secret").complete
    else:
        memory = AgentMemory.open(path)

    assert (-signal.SIGKILL, True) == (died.returncode, left > 0)
    assert 0 == bytes_of(path).count(b"xylophonic")
    assert memory.for_user("asha").look("secret") is None
    memory.close()


def test_forgetting_a_very_long_value_takes_seconds_at_most(memory):
    graph = chat(memory)
    long = " ".join(f"word{number}" for number in range(100_000))
    graph.invoke({"messages": [HumanMessage(f"Keep this: {long}")]}, ASHA)
    memory.for_user("asha").remember("letter", long)

    receipt = memory.forget("asha", "letter")

    assert "Keep this: [forgotten]" == graph.get_state(ASHA).values["messages"][0].text
    assert 0 == receipt.left_in_files


def test_every_block_of_a_source_message_is_scrubbed_in_the_raw_input(memory, path):
    graph = chat(memory)
    blocks = [{"type": "text", "text": "Berlin is nice."}, {"type": "text", "text": "I have gout."}]
    graph.invoke({"messages": [{"role": "user", "content": blocks}]}, ASHA)
    message = graph.get_state(ASHA).values["messages"][0]
    source = Source(thread_id="trip", message_ids=(message.id,))
    memory.for_user("asha").remember("health", "ill", source=source)

    memory.forget("asha", "health")

    assert 0 == bytes_of(path).count(b"I have gout.")
    assert "[forgotten]" == graph.get_state(ASHA).values["messages"][0].content


TRIP = """
import sys, types
from dataclasses import dataclass
from typing_extensions import TypedDict
from langgraph.graph import START, StateGraph
from langgraph_agentmem import AgentMemory
module = types.ModuleType("trips")
sys.modules["trips"] = module
@dataclass
class Trip:
    city: str
    phone: str
Trip.__module__ = "trips"
module.Trip = Trip
class State(TypedDict):
    trip: Trip
with AgentMemory.open(sys.argv[1], allowed_types=[Trip]) as memory:
    builder = StateGraph(State).add_node("keep", lambda state: {"trip": state["trip"]})
    graph = builder.add_edge(START, "keep").compile(checkpointer=memory.checkpointer)
    config = {"configurable": {"thread_id": "trip", "user_id": "asha"}}
    if len(sys.argv) > 2:
        memory.for_user("asha").remember("phone", "+351 912 345 678")
        graph.invoke({"trip": Trip("Oslo", "+351 912 345 678")}, config)
    else:
        print(memory.forget("asha", "phone").complete)
    trip = graph.get_state(config).values["trip"]
    print(type(trip).__name__, trip.phone)
"""


def test_a_type_that_cannot_be_loaded_here_stops_forgetting_before_anything_is_lost(path):
    def run(*arguments: object) -> str:
        done = subprocess.run(
            [sys.executable, "-c", TRIP, *map(str, arguments)],
            capture_output=True,
            text=True,
            check=True,
            timeout=500,
            cwd=ROOT,
        )
        return done.stdout

    kept = run(path, "keep")
    with AgentMemory.open(path) as memory:
        with pytest.raises(CheckpointUnreadable, match="where their modules can be imported"):
            memory.forget("asha", "phone")
        assert PHONE == memory.for_user("asha").look("phone").text

    assert "Trip" in kept
    assert ["True", "Trip [forgotten]"] == run(path).splitlines()
    assert 0 == bytes_of(path).count(b"912 345")


OTHER = """
import sys
from langgraph_agentmem import AgentMemory
with AgentMemory.open(sys.argv[1]) as memory:
    print([one.text for one in memory.for_user("asha").memories()])
    memory.for_user("asha").remember("other", "from another process")
"""


@pytest.mark.parametrize("meanwhile", ["opened again", "forgotten from"])
def test_a_file_that_is_open_keeps_its_locks(path, meanwhile):
    """Closing a descriptor of a file drops the locks of its process (POSIX); with them, a process
    that leaves would take the log along with what was written last.
    """
    with AgentMemory.open(path) as memory:
        asha = memory.for_user("asha")
        asha.remember("first", "one")
        if meanwhile == "opened again":
            AgentMemory.open(path).close()
        else:
            asha.remember("phone", PHONE)
            asha.forget("phone")
        asha.remember("before", "two")
        for _ in range(2):
            subprocess.run([sys.executable, "-c", OTHER, str(path)], check=True, cwd=ROOT)
        asha.remember("after", "three")
        seen = sorted(one.topic for one in asha.memories())
        log = Path(f"{path}-wal").exists()

    assert (["after", "before", "first", "other"], True) == (seen, log)
    with AgentMemory.open(path) as memory:
        again = sorted(one.topic for one in memory.for_user("asha").memories())
    assert seen == again
