"""A user out of one memory and into another: lossless, resumable, without what was forgotten."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Annotated, Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.store.memory import InMemoryStore
from langgraph.store.sqlite import SqliteStore
from langgraph.types import Command, interrupt

from langgraph_agentmem import AgentMemory, Candidate, Source
from langgraph_agentmem.errors import InvalidExport, InvalidNamespace, UserRequired

NS = ("memories", "asha")
ASHA = {"configurable": {"thread_id": "trip", "user_id": "asha"}}
PHONE = "+351 912 345 678"


class State(MessagesState):
    notes: Annotated[dict[str, Any], lambda old, new: {**(old or {}), **new}]


def answer(state: State):
    count = len(state["messages"])
    call = {"id": f"c{count}", "name": "look_up", "args": {"q": "Zoë", "n": count}}
    return {
        "messages": [
            AIMessage("", id=f"a{count}", tool_calls=[call]),
            ToolMessage("found", tool_call_id=f"c{count}", id=f"t{count}"),
        ],
        "notes": {str(count): (1, b"\x00\xff", {"deep": [HumanMessage("inside", id="in")]})},
    }


def ask(state: State):
    return {"messages": [AIMessage(str(interrupt({"really": "日本語?"})))]}


def build(memory: AgentMemory):
    builder = StateGraph(State).add_node("answer", answer).add_node("ask", ask)
    builder.add_edge(START, "answer").add_edge("answer", "ask")
    return builder.compile(store=memory.store, checkpointer=memory.checkpointer)


def fill(memory: AgentMemory, clock) -> None:
    """23 topics: 3 with four versions, 2 pinned, 1 expired, 1 forgotten, 1 retired; two threads."""
    store = memory.store
    for number in range(15):
        store.remember(NS, f"topic {number:02}", {"text": f"Wert {number} — ünï 🦊", "n": number})
    for topic in ("home_city", "job", "diet"):
        for value in ("one", "two", "three", "four"):
            clock.advance(days=1)
            said = Source(thread_id="trip", message_ids=(f"{topic}-{value}",), author="user")
            store.learn(NS, [Candidate(topic=topic, value=value, source=said)])
    store.remember(NS, "allergy", "peanuts", pinned=True)
    store.remember(NS, "name", "Asha", pinned=True, valid_from=clock() - timedelta(days=90))
    store.remember((*NS, "work"), "boss", "Ben", kind="episode", ttl=60 * 24 * 365)
    store.remember(NS, "code", "Gate 77 blue", ttl=1)
    store.remember(NS, "old_job", "baker")
    store.retire(NS, "old_job")
    store.remember(("memories", "ben"), "secret", "of Ben")
    graph = build(memory)
    graph.invoke({"messages": [HumanMessage("Hi, Zoë here", id="h1")]}, ASHA)
    graph.invoke(Command(resume="yes"), ASHA)
    graph.invoke({"messages": [HumanMessage("And again", id="h2")]}, ASHA)
    other = {"configurable": {"thread_id": "other", "user_id": "asha"}}
    graph.invoke({"messages": [("user", "elsewhere")]}, other)
    bens = {"configurable": {"thread_id": "bens", "user_id": "ben"}}
    graph.invoke({"messages": [("user", "secret of Ben")]}, bens)
    store.remember(NS, "phone", PHONE)
    memory.forget("asha", "phone")
    clock.advance(minutes=5)


@pytest.fixture
def lines(memory, clock):
    fill(memory, clock)
    return [*memory.export_user("asha")]


@pytest.fixture
def other(tmp_path, clock):
    with AgentMemory.open(tmp_path / "other.db", clock=clock) as opened:
        yield opened


def test_a_second_export_equals_the_first(lines, other):
    done = other.import_user(json.dumps(line, ensure_ascii=False) for line in lines)

    assert lines == [*other.export_user("asha")]
    assert 22 == done.written["topic"]
    assert done.written["checkpoint"] == sum(line["type"] == "checkpoint" for line in lines)
    assert ({}, {}, {}) == (done.unchanged, done.different, done.forgotten)


def test_nothing_of_others_nothing_forgotten_and_nothing_expired_is_in_it(lines):
    text = json.dumps(lines, ensure_ascii=False)

    assert [] == [
        one
        for one in ('Ben"', "of Ben", "bens", "912 345", "Gate 77")
        if one in text.replace('"text": "Ben"', "")
    ]
    assert "ünï 🦊" in text


def test_the_order_is_stable_and_topics_come_before_threads(lines, memory):
    kinds = [line["type"] for line in lines]

    assert lines == [*memory.export_user("asha")]
    assert "header" == kinds[0]
    assert kinds.index("thread") > max(i for i, kind in enumerate(kinds) if kind == "topic")
    topics = [(line["below"], line["topic"]) for line in lines if line["type"] == "topic"]
    assert sorted(topics) == topics


def test_memories_come_with_history_pins_times_and_sources(lines, other, memory):
    other.import_user(lines)

    mine, theirs = memory.for_user("asha"), other.for_user("asha")
    assert mine.memories() == theirs.memories()
    for topic in ("home_city", "job", "name", "old_job"):
        assert mine.history(topic) == theirs.history(topic)
    assert ["Asha"] == [
        hit.memory.text for hit in theirs.recall("hello").pinned if hit.memory.topic == "name"
    ]
    assert "topic 07" in [one.topic for one in theirs.recall("Wert 7 topic 07").memories]
    again = Source(thread_id="trip", message_ids=("job-two",))
    learned = other.store.learn(NS, [Candidate(topic="job", value="two", source=again)])
    assert ("job",) == learned.unchanged


def test_threads_come_with_every_checkpoint_and_go_on(lines, other, memory):
    other.import_user(lines)

    before = [*build(memory).get_state_history(ASHA)]
    after = [*build(other).get_state_history(ASHA)]
    assert [one.values for one in before] == [one.values for one in after]
    assert [one.metadata for one in before] == [one.metadata for one in after]
    assert [one.parent_config for one in before] == [one.parent_config for one in after]
    assert [one.next for one in before] == [one.next for one in after]
    last = build(other).invoke(Command(resume="go on"), ASHA)
    assert "go on" == last["messages"][-1].text
    fork = build(other).invoke(
        None, {"configurable": {**after[3].config["configurable"], "user_id": "asha"}}
    )
    assert fork["messages"]


def test_each_message_of_a_thread_is_written_once(lines):
    said = [(line["thread_id"], line["ref"]) for line in lines if line["type"] == "message"]
    texts = [line["text"] for line in lines if line["type"] == "message"]

    assert len(said) == len(set(said))
    assert 1 == texts.count("Hi, Zoë here")


def test_importing_twice_changes_nothing(lines, other):
    other.import_user(lines)
    done = other.import_user(lines)

    assert ({}, {}) == (done.written, done.different)
    assert 22 == done.unchanged["topic"]
    assert lines == [*other.export_user("asha")]


@pytest.mark.parametrize("part", [0.1, 0.5, 0.8, 0.99])
def test_an_import_that_was_cut_off_is_finished_by_the_next(lines, other, part):
    other.import_user(lines[: int(len(lines) * part)])
    other.import_user(lines)

    assert lines == [*other.export_user("asha")]


async def test_it_works_inside_a_running_loop(lines, other, memory):
    assert lines == [line async for line in memory.aexport_user("asha")]
    await other.aimport_user(lines)

    assert lines == [line async for line in other.for_user("asha").aexport()]


def test_it_can_become_another_users(lines, other):
    other.import_user(lines, "zoë")

    assert "four" == other.for_user("zoë").look("home_city").text
    assert [] == other.for_user("asha").memories()
    with_user = {"configurable": {"thread_id": "trip", "user_id": "zoë"}}
    assert build(other).get_state(with_user).values["messages"]


def test_what_is_here_already_stays(lines, other):
    other.for_user("asha").remember("home_city", "Oslo")
    other.claim_thread("trip", "ben")
    done = other.import_user(lines)

    assert "Oslo" == other.for_user("asha").look("home_city").text
    assert (1, 1) == (done.different["topic"], done.different["thread"])
    assert {} == build(other).get_state({"configurable": {"thread_id": "trip"}}).values


# Tombstones ------------------------------------------------------------------------------------


@pytest.fixture
def lived(tmp_path):
    """A memory in real time, as LangGraph's checkpoints are."""
    with AgentMemory.open(tmp_path / "lived.db") as memory:
        graph = build(memory)
        graph.invoke({"messages": [HumanMessage("I am Zoë here", id="h1")]}, ASHA)
        graph.invoke(Command(resume="yes"), ASHA)
        said = Source(thread_id="trip", message_ids=("h1",), author="user")
        memory.store.learn(NS, [Candidate(topic="nick", value="Zoë here", source=said)])
        memory.store.remember(NS, "home_city", "Oslo")
        yield memory


@pytest.mark.parametrize("thread", ["kept", "deleted"])
def test_an_older_export_brings_nothing_back_that_was_forgotten_since(lived, thread):
    older = [*lived.export_user("asha")]
    asha = lived.for_user("asha")
    asha.forget("nick")
    if thread == "deleted":
        lived.checkpointer.delete_thread("trip")
    done = lived.import_user(older)

    assert asha.look("nick") is None
    assert [] == asha.history("nick")
    assert 1 == done.forgotten["topic"]
    assert {} == done.written
    assert "Zoë here" not in json.dumps([*lived.export_user("asha")], ensure_ascii=False)


def test_a_forgotten_user_does_not_come_back_by_an_older_export(lived):
    older = [*lived.export_user("asha")]
    lived.forget("asha")
    done = lived.import_user(older)

    assert [] == lived.for_user("asha").memories()
    assert {} == build(lived).get_state(ASHA).values
    assert ({}, 2) == (done.written, done.forgotten["topic"])


def test_a_newer_export_brings_a_deleted_thread_back_as_it_was_scrubbed(lived):
    lived.for_user("asha").forget("nick")
    newer = [*lived.export_user("asha")]
    lived.checkpointer.delete_thread("trip")
    lived.import_user(newer)

    messages = build(lived).get_state(ASHA).values["messages"]
    assert "[forgotten]" == messages[0].text
    assert newer == [*lived.export_user("asha")]


def test_what_was_recorded_after_the_forgetting_comes_back(memory, other, clock):
    memory.for_user("asha").remember("phone", "+47 000")
    clock.advance(days=1)
    other.for_user("asha").forget("phone")
    clock.advance(days=1)
    memory.for_user("asha").remember("phone", "+47 111")
    other.import_user(memory.export_user("asha"))

    assert ["+47 111"] == [one.text for one in other.for_user("asha").history("phone")]


# Bad input -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "given",
    [
        [{"type": "topic"}],
        ["no json"],
        [b"[1, 2]"],
        [{"type": "header", "format": "other", "version": 1}],
        [{"type": "header", "format": "langgraph-agentmem", "version": 3, "user_id": "asha"}],
        [
            {"type": "header", "format": "langgraph-agentmem", "version": 1, "user_id": "a"},
            {"type": "mystery"},
        ],
        [
            {"type": "header", "format": "langgraph-agentmem", "version": 1, "user_id": "a"},
            {"type": "topic", "topic": "x"},
        ],
        [
            {"type": "header", "format": "langgraph-agentmem", "version": 1, "user_id": "a"},
            {
                "type": "topic",
                "topic": "x",
                "below": ["a.b"],
                "current": None,
                "versions": [],
                "sources": [],
                "consents": [],
            },
        ],
        [
            {"type": "header", "format": "langgraph-agentmem", "version": 1, "user_id": "a"},
            {"type": "checkpoint", "thread_id": None},
        ],
    ],
)
def test_what_is_no_export_is_refused(other, given):
    with pytest.raises(InvalidExport):
        other.import_user(given)


def test_an_export_of_nobody_is_refused(memory):
    with pytest.raises(UserRequired):
        next(memory.export_user(" "))
    with pytest.raises(InvalidNamespace):
        next(memory.store.export("asha"))


def test_an_error_of_an_import_holds_no_content(other):
    line = {"type": "topic", "topic": "x", "below": [], "current": {"value": "S3CRET"}}
    head = {"type": "header", "format": "langgraph-agentmem", "version": 1, "user_id": "a"}
    with pytest.raises(InvalidExport) as caught:
        other.import_user([head, {**line, "versions": [], "sources": []}])

    assert "S3CRET" not in str(caught.value)


# The store alone, and other stores -------------------------------------------------------------


def test_a_namespace_of_a_store_goes_elsewhere(memory, other, clock):
    memory.store.put(("teams", "red"), "motto", {"text": "measure twice", "list": [1, None]})
    memory.store.put(("teams", "red", "kit"), "shoes", {"text": "blue"})
    lines = [*memory.store.export(("teams", "red"))]
    other.store.import_items(lines, ("clubs", "blue"))

    assert {"text": "blue"} == other.store.get(("clubs", "blue", "kit"), "shoes").value
    assert lines == [*other.store.export(("clubs", "blue"))]


def test_a_langgraph_store_comes_with_keys_and_times(memory):
    theirs = InMemoryStore()
    for number in range(250):
        theirs.put(("memories", "asha"), f"k{number:03}", {"text": f"item {number}", "n": number})
    theirs.put(("memories", "asha", "work"), "boss", {"content": "Ben"})
    theirs.put(("docs",), "a", {"text": "not of memories"})

    done = memory.store.import_store(theirs, ("memories",))

    assert {"topic": 251} == done.written
    found = memory.store.get(NS, "k042")
    item = theirs.get(NS, "k042")
    assert (item.value, item.created_at, item.updated_at) == (
        found.value,
        found.created_at,
        found.updated_at,
    )
    assert memory.store.get(("docs",), "a") is None
    assert {"topic": 251} == memory.store.import_store(theirs, ("memories",)).unchanged


async def test_another_store_is_read_inside_a_loop(memory):
    theirs = InMemoryStore()
    await theirs.aput(NS, "pet", {"text": "a dog"})
    await memory.store.aimport_store(theirs)

    assert "a dog" == (await memory.for_user("asha").alook("pet")).text


def test_langmems_layout_becomes_texts(memory):
    theirs = InMemoryStore()
    layout = {"kind": "Memory", "content": {"content": "Asha rows on the Mur"}}
    theirs.put(NS, "6a1f8a52-7d3c-4d6e-8a0e-0d5c0d1f2a3b", layout)
    theirs.put(NS, "profile", {"kind": "Profile", "content": {"name": "Asha", "age": 41}})
    memory.store.import_store(theirs, layout="langmem")

    assert "Asha rows on the Mur" in {one.text for one in memory.store.memories(NS)}
    assert "Asha rows on the Mur" == memory.store.recall(NS, "who rows?").relevant[0].memory.text
    assert 41 == memory.store.get(NS, "profile").value["content"]["age"]


@pytest.mark.parametrize(("given", "layout"), [({"a": 1}, "items"), (InMemoryStore(), "mem0")])
def test_what_is_no_store_or_no_layout_is_refused(memory, given, layout):
    with pytest.raises((TypeError, ValueError), match=r"import_store|layout"):
        memory.store.import_store(given, layout=layout)


def test_langgraphs_sqlite_store_is_read_page_by_page(memory):
    pysqlite = pytest.importorskip("pysqlite3", reason="it can load the store's extension")
    connection = pysqlite.connect(":memory:", check_same_thread=False, isolation_level=None)
    theirs = SqliteStore(connection)
    theirs.setup()
    for number in range(230):
        theirs.put(NS, f"k{number:03}", {"text": f"item {number}"})
        theirs.put(("memories", f"u{number}"), "a", {"text": f"of {number}"})
    done = memory.store.import_store(theirs)
    connection.close()

    assert {"topic": 460} == done.written
    assert 230 == len(memory.store.memories(NS))
    assert 231 == len(memory.store.list_namespaces(limit=500))
