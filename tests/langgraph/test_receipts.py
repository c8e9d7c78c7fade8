"""What a receipt says, and looking again: by keyed hashes, by bytes, later."""

from __future__ import annotations

import json
import sqlite3
from datetime import timedelta

import pytest
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.graph import START, StateGraph

from langgraph_agentmem import (
    AgentMemory,
    Candidate,
    MemoryState,
    Receipt,
    RuleExtractor,
    Source,
    build_context,
    extract_facts,
    remember_turns,
    summarize_old_turns,
)
from langgraph_agentmem.backends import sqlite as sqlite_backend
from langgraph_agentmem.errors import (
    InvalidNamespace,
    InvalidTopic,
    NotAMemoryFile,
    SchemaTooNew,
    StorageError,
    UserConflict,
)
from langgraph_agentmem.store import forgetting

NS = ("memories", "asha")
ASHA = {"configurable": {"thread_id": "trip", "user_id": "asha"}}
PHONE = "+351 912 345 678"
SOURCE = Source(thread_id="trip", message_ids=("m1",), author="user")


def build(memory: AgentMemory):
    def answer(state: MemoryState):
        return {"messages": [AIMessage(f"I noted {PHONE}.", id=f"a{len(state['messages'])}")]}

    builder = StateGraph(MemoryState).add_node("answer", answer).add_edge(START, "answer")
    return builder.compile(store=memory.store, checkpointer=memory.checkpointer)


@pytest.fixture
def told(memory):
    graph = build(memory)
    graph.invoke({"messages": [HumanMessage(f"My phone is {PHONE}", id="m1")]}, ASHA)
    memory.store.remember(NS, "phone", "+47 000 111 222")
    memory.store.learn(NS, [Candidate(topic="phone", value=PHONE, source=SOURCE)])
    memory.store.remember(NS, "said.m1", f"they said {PHONE}", kind="turn")
    return graph


# Looking again ---------------------------------------------------------------------------------


def test_what_was_forgotten_is_verified(memory, told):
    receipt = memory.forget("asha", "phone")

    verified = memory.verify(receipt, text=PHONE)
    assert verified.clean
    assert (0, ()) == (verified.in_files, verified.pending)
    assert 0 == sum(verified.found.values())


def test_a_message_that_told_of_another_topic_too_is_no_finding(memory, told):
    memory.store.learn(NS, [Candidate(topic="name", value="Asha", source=SOURCE)])

    receipt = memory.forget("asha", "phone")

    assert {"name": SOURCE} == {one.topic: one.source for one in memory.store.memories(NS)}
    assert memory.verify(receipt, text=PHONE).clean


def test_a_receipt_can_be_kept_as_json_and_verified_later(memory, told):
    receipt = memory.forget("asha", "phone")
    kept = Receipt.from_json(receipt.to_json())

    assert receipt == kept
    assert memory.verify(kept).clean
    with pytest.raises(ValueError, match="no receipt"):
        Receipt.from_json('{"removed": 3}')


def test_a_receipt_holds_no_content(memory, told):
    text = memory.forget("asha", "phone").to_json()

    # Not "912": a keyed hash may hold that by chance.
    assert not [one for one in ("912 345", "000 111", "phone", "asha", "trip", "m1") if one in text]


def put_back(path, table: str, row: dict[str, object]) -> None:
    connection = sqlite3.connect(path)
    names, marks = ", ".join(row), ", ".join("?" * len(row))
    connection.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", tuple(row.values()))
    connection.commit()
    connection.close()


def test_what_comes_back_by_a_side_door_is_found(memory, told, path):
    """As from a copy that somebody merged into the file."""
    connection = sqlite3.connect(path)
    connection.row_factory = sqlite3.Row
    query = "SELECT * FROM {} WHERE topic = 'phone'"
    memories, versions, sources = (
        dict(connection.execute(query.format(table)).fetchone())
        for table in ("memories", "versions", "sources")
    )
    namespace = dict(connection.execute("SELECT * FROM namespaces").fetchone())
    words = dict(
        connection.execute(
            "SELECT rowid, * FROM words WHERE rowid = ?", (memories["id"],)
        ).fetchone()
    )
    connection.close()
    receipt = memory.forget("asha", "phone")
    put_back(path, "namespaces", namespace)
    put_back(path, "memories", memories)
    put_back(path, "versions", versions)
    put_back(path, "sources", sources)
    put_back(path, "words", words)

    found = memory.verify(receipt, text=PHONE)
    assert {"memories": 1, "versions": 1, "sources": 1} == {
        name: found.found[name] for name in ("memories", "versions", "sources")
    }
    assert found.found["search text"] > 0
    assert found.in_files > 0
    assert not found.clean


def test_a_source_message_that_is_no_marker_is_found(memory, told):
    receipt = memory.forget("asha", "phone")
    told.update_state(ASHA, {"messages": [HumanMessage("My phone again", id="m1")]})

    assert memory.verify(receipt).found["messages"] > 0


class Waiting:
    """A node during which something else happens."""

    def __init__(self) -> None:
        self.meanwhile = lambda: None

    def __call__(self, state: MemoryState):
        self.meanwhile()
        return {"messages": [AIMessage("Fine.", id="a1")]}


def waiting_graph(memory: AgentMemory, node: Waiting):
    builder = StateGraph(MemoryState).add_node("wait", node).add_edge(START, "wait")
    return builder.compile(store=memory.store, checkpointer=memory.checkpointer)


@pytest.mark.parametrize("durability", ["sync", "async", "exit"])
def test_a_run_that_is_going_on_writes_nothing_forgotten(path, durability):
    node = Waiting()
    with AgentMemory.open(path) as memory:
        graph = waiting_graph(memory, node)
        memory.store.learn(NS, [Candidate(topic="phone", value=PHONE, source=SOURCE)])
        receipts: list[Receipt] = []
        node.meanwhile = lambda: receipts.append(memory.forget("asha", "phone"))
        said = HumanMessage(f"My phone is {PHONE}", id="m1")
        repeated = HumanMessage(f"Once more: {PHONE}.", id="m2")
        graph.invoke({"messages": [said, repeated]}, ASHA, durability=durability)

        kept = [one.text for one in graph.get_state(ASHA).values["messages"]]
        assert ["[forgotten]", "Once more: [forgotten].", "Fine."] == kept
        assert memory.verify(receipts[0], text=PHONE).clean


@pytest.mark.parametrize("durability", ["sync", "async", "exit"])
def test_nothing_is_stored_of_a_run_whose_user_is_forgotten(path, durability):
    node = Waiting()
    with AgentMemory.open(path) as memory:
        graph = waiting_graph(memory, node)
        receipts: list[Receipt] = []
        node.meanwhile = lambda: receipts.append(memory.forget("asha"))
        said = HumanMessage(f"My phone is {PHONE}", id="m1")
        graph.invoke({"messages": [said]}, ASHA, durability=durability)

        assert {} == graph.get_state(ASHA).values
        assert memory.verify(receipts[0], text=PHONE).clean
        assert memory.checkpointer.late_writes > 0

        node.meanwhile = lambda: None
        graph.invoke({"messages": [HumanMessage("Hello again", id="m2")]}, ASHA)
        assert 2 == len(graph.get_state(ASHA).values["messages"])


@pytest.mark.parametrize("topic", ["phone", None])
def test_nothing_forgotten_is_learnt_again_by_the_run_that_is_going_on(path, topic):
    node = Waiting()
    with AgentMemory.open(path) as memory:
        builder = StateGraph(MemoryState).add_node("wait", node)
        builder.add_node("turns", remember_turns()).add_node(
            "facts", extract_facts(RuleExtractor())
        )
        builder.add_edge(START, "wait").add_edge("wait", "turns").add_edge("turns", "facts")
        graph = builder.compile(store=memory.store, checkpointer=memory.checkpointer)
        asha = memory.for_user("asha")
        asha.remember("phone", PHONE)
        node.meanwhile = lambda: asha.forget(topic)
        said = HumanMessage(f"My phone number is {PHONE}. I live in Lisbon.", id="m1")
        graph.invoke({"messages": [said]}, ASHA)

        kept = [one for one in asha.memories() if PHONE in one.text]
        assert [] == kept
        assert (topic is None) == (asha.memories() == [])


def test_a_forgetting_that_fails_lets_a_run_write_on(path, monkeypatch):
    node = Waiting()
    with AgentMemory.open(path) as memory:
        graph = waiting_graph(memory, node)
        memory.store.learn(NS, [Candidate(topic="phone", value=PHONE, source=SOURCE)])

        def forget_in_vain() -> None:
            for topic in ("phone", None):
                with pytest.raises(StorageError):
                    memory.forget("asha", topic)

        def fail(*_, **__):
            raise StorageError(statement="draft_receipt")

        monkeypatch.setattr(memory.store, "draft_receipt", fail)
        node.meanwhile = forget_in_vain
        said = f"My phone is {PHONE}"
        graph.invoke({"messages": [HumanMessage(said, id="m1")]}, ASHA)

        assert said == graph.get_state(ASHA).values["messages"][0].text


def test_what_an_application_writes_after_a_forgetting_stands(memory, told):
    memory.forget("asha", "phone")
    said = f"My phone is {PHONE}"
    told.update_state(ASHA, {"messages": [HumanMessage(said, id="m7")]})

    assert said == told.get_state(ASHA).values["messages"][-1].text


@pytest.mark.parametrize("durability", ["sync", "async", "exit"])
def test_a_run_that_is_going_on_elsewhere_writes_a_marker_or_is_found(path, durability):
    """With `exit` nothing of a run is stored before it ends; it is named as out of reach."""
    node = Waiting()
    with AgentMemory.open(path) as memory, AgentMemory.open(path) as elsewhere:
        graph = waiting_graph(elsewhere, node)
        memory.claim_thread("trip", "asha")
        memory.store.learn(NS, [Candidate(topic="phone", value=PHONE, source=SOURCE)])
        receipts: list[Receipt] = []
        node.meanwhile = lambda: receipts.append(memory.forget("asha", "phone"))
        said = HumanMessage(f"My phone is {PHONE}", id="m1")
        graph.invoke({"messages": [said]}, ASHA, durability=durability)

        found = memory.verify(receipts[0], text=PHONE)
        assert "runs that are going on elsewhere" in receipts[0].unreachable
        assert (durability != "exit") == found.clean
        assert (durability == "exit") == (found.found["messages"] > 0)
        memory.forget("asha", "phone")  # again, when the run has ended
        assert memory.verify(receipts[0], text=PHONE).clean
        assert "[forgotten]" == graph.get_state(ASHA).values["messages"][0].text


@pytest.mark.parametrize("durability", ["sync", "async", "exit"])
def test_a_run_that_forgets_writes_it_no_more_though_nothing_of_it_was_stored_yet(path, durability):
    def answer(state: MemoryState):
        memory.forget("asha", "phone", in_run="trip")
        return {"messages": [AIMessage(f"I had noted {PHONE}.", id="a1")]}

    with AgentMemory.open(path) as memory:
        builder = StateGraph(MemoryState).add_node("answer", answer).add_edge(START, "answer")
        graph = builder.compile(store=memory.store, checkpointer=memory.checkpointer)
        memory.store.learn(NS, [Candidate(topic="phone", value=PHONE, source=SOURCE)])
        said = HumanMessage(f"My phone is {PHONE}", id="m1")
        graph.invoke({"messages": [said]}, ASHA, durability=durability)

        kept = [one.text for one in graph.get_state(ASHA).values["messages"]]
        assert ["[forgotten]", "I had noted [forgotten]."] == kept


def test_forgetting_in_a_run_of_another_users_thread_is_refused(memory, told):
    memory.claim_thread("bens", "ben")
    with pytest.raises(UserConflict):
        memory.forget("asha", "phone", in_run="bens")

    assert PHONE == memory.for_user("asha").look("phone").text


def test_what_is_said_anew_is_no_finding(memory, told, clock):
    receipt = memory.forget("asha", "phone")
    clock.advance(minutes=1)
    anew = Source(thread_id="trip", message_ids=("m9",))
    memory.store.learn(NS, [Candidate(topic="phone", value=PHONE, source=anew)])

    assert 0 == sum(memory.verify(receipt).found.values())
    assert memory.verify(receipt, text=PHONE).in_files > 0


def test_a_forgotten_users_threads_are_looked_for(memory, told):
    receipt = memory.forget("asha")

    assert memory.verify(receipt, text=PHONE).clean
    assert 1 == receipt.removed["threads"]


@pytest.mark.parametrize("text", ["", "abc", 7])
def test_a_text_too_short_to_tell_is_refused(memory, told, text):
    receipt = memory.forget("asha", "phone")

    with pytest.raises(ValueError, match="at least 4 characters"):
        memory.verify(receipt, text=[text])


def test_a_receipt_of_another_key_or_of_a_dry_run_is_refused(memory, told, tmp_path):
    with AgentMemory.open(tmp_path / "other.db", tombstone_key="theirs") as other:
        theirs = other.forget("asha", "phone")

    with pytest.raises(ValueError, match="another database"):
        memory.verify(theirs)
    with pytest.raises(ValueError, match="dry run"):
        memory.verify(memory.forget("asha", "phone", dry_run=True))


@pytest.mark.parametrize("given", ["receipt", None, {"removed": {}}])
def test_what_is_no_receipt_is_refused(memory, given):
    with pytest.raises(TypeError, match="takes a Receipt"):
        memory.verify(given)


def test_a_progress_that_fails_leaves_the_pass_to_the_doctor(memory, told):
    def failing(stage: str, *_: int) -> None:
        if stage == "pages":
            raise RuntimeError(stage)

    with pytest.raises(RuntimeError, match="pages"):
        memory.forget("asha", "phone", progress=failing)

    assert memory.store.look(NS, "phone") is None
    assert ("purge",) == memory.doctor().finished
    assert () == memory.doctor().finished


def test_a_key_of_the_applications_own_stands_nowhere_in_the_file(path):
    with AgentMemory.open(path, tombstone_key="only-the-application-knows") as memory:
        memory.store.learn(NS, [Candidate(topic="phone", value=PHONE, source=SOURCE)])
        receipt = memory.forget("asha", "phone")
        assert memory.verify(receipt, text="only-the-application-knows").clean
    with AgentMemory.open(path, tombstone_key="only-the-application-knows") as memory:
        assert memory.verify(receipt).clean
        again = memory.store.learn(NS, [Candidate(topic="phone", value=PHONE, source=SOURCE)])
        assert ["phone"] == [one.topic for one in again.refused]


async def test_verifying_and_the_doctor_are_awaited(memory, told):
    receipt = await memory.aforget("asha", "phone")

    assert (await memory.averify(receipt, text=PHONE)).clean
    assert (await memory.adoctor()).healthy


# What is told ------------------------------------------------------------------------------------


def test_a_dry_run_lists_what_would_go(memory, told):
    listed = memory.forget("asha", "phone", dry_run=True)

    assert [
        "fact memories/asha/phone",
        "version 1 of memories/asha/phone",
        "turn memories/asha/said.m1",
    ] == list(listed.would_go[:3])
    assert "thread trip" in listed.would_go[3]
    assert ["thread trip"] == [
        one for one in memory.forget("asha", dry_run=True).would_go if one.startswith("thread")
    ]


def test_the_parts_of_a_forgetting_are_told_as_they_begin(memory, told):
    heard: list[tuple[str, int, int]] = []
    memory.forget("asha", "phone", progress=lambda *what: heard.append(what))

    assert ["rows", "threads", "index", "pages", "log", "files", "files"] == [
        stage for stage, _, _ in heard
    ]
    assert all(0 <= done <= of for _, done, of in heard)


def test_what_a_topic_left_elsewhere_is_counted_and_not_named(memory, told):
    memory.store.remember(NS, "note", f"call {PHONE} at noon")
    receipt = memory.forget("asha", "phone")

    assert receipt.left_in_files > 0
    assert memory.store.look(NS, "note") is not None
    assert receipt.complete


@pytest.mark.parametrize("verb", ["forget", "store"])
def test_what_is_not_there_is_said_to_be_nothing(memory, told, verb):
    if verb == "forget":
        receipt = memory.forget("asha", "shoe_size")
    else:
        receipt = memory.store.forget(("nobody", "here"))

    assert (0, True) == (receipt.total, receipt.complete)
    assert memory.for_user("asha").look("phone") is not None


# The doctor --------------------------------------------------------------------------------------


def test_a_healthy_database_is_left_alone(memory, told):
    checkup = memory.doctor()

    assert checkup.healthy
    assert ((), (), 0) == (checkup.finished, checkup.damage, sum(checkup.repaired.values()))


def test_the_index_is_set_right_where_it_and_the_memories_differ(memory, told, path):
    connection = sqlite3.connect(path)
    connection.execute("INSERT INTO words (rowid, tokens) VALUES (999, '1_orphan')")
    connection.execute(
        "DELETE FROM words WHERE rowid = (SELECT id FROM memories WHERE topic = 'phone')"
    )
    connection.commit()
    connection.close()

    assert [1, 1] == list(memory.doctor().repaired.values())
    assert [PHONE] == [one.text for one in memory.store.recall(NS, "phone").memories]
    assert 0 == sum(memory.doctor().repaired.values())


# Bad input ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("namespace", ["memories", None, 7, (), ("a", ""), ("a.b",), ("a", 3)])
def test_a_wrong_namespace_is_refused_and_nothing_goes(memory, told, namespace):
    with pytest.raises(InvalidNamespace):
        memory.store.forget(namespace)

    assert memory.store.look(NS, "phone") is not None


@pytest.mark.parametrize("topic", [7, "", b"phone", ["phone"]])
def test_a_wrong_topic_is_refused_and_nothing_goes(memory, told, topic):
    with pytest.raises(InvalidTopic):
        memory.forget("asha", topic)

    assert memory.store.look(NS, "phone") is not None


def test_a_scoped_store_reaches_no_other_user(memory, told):
    ben = memory.for_user("ben")

    assert 0 == ben.forget("phone").total
    assert 0 == ben.forget().total
    assert 0 == ben.forget("../asha/phone").total
    with pytest.raises(UserConflict):
        memory.claim_thread("trip", "ben")
    assert memory.store.look(NS, "phone") is not None
    assert PHONE in told.get_state(ASHA).values["messages"][-1].text


def test_what_is_no_database_or_a_later_one_is_refused_with_the_reason(tmp_path):
    text = tmp_path / "notes.txt"
    text.write_text("just some notes, and more of them " * 40)
    with pytest.raises(NotAMemoryFile):
        AgentMemory.open(text)
    later = tmp_path / "later.db"
    AgentMemory.open(later).close()
    connection = sqlite3.connect(later)
    connection.execute("INSERT INTO migrations VALUES (9999, 'later', 0)")
    connection.commit()
    connection.close()
    with pytest.raises(SchemaTooNew):
        AgentMemory.open(later)


# Summaries ---------------------------------------------------------------------------------------


def test_a_summary_is_made_anew_in_the_next_turn(memory):
    """It may say in other words what a forgotten message said."""
    first = f"The user can be called at three-five-one; the number is {PHONE}."
    said = [AIMessage(first), AIMessage(first), AIMessage("They asked twice.")]
    model = GenericFakeChatModel(messages=iter(said))
    shown: list[str] = []

    def assistant(state: MemoryState):
        shown.append("\n".join(str(one.content) for one in build_context(state)))
        return {"messages": [AIMessage("Fine.")]}

    builder = StateGraph(MemoryState).add_node("assistant", assistant)
    summarize = summarize_old_turns(model, trigger=("messages", 4), keep=("messages", 2))
    builder.add_node("summarize", summarize)
    builder.add_edge(START, "assistant").add_edge("assistant", "summarize")
    graph = builder.compile(store=memory.store, checkpointer=memory.checkpointer)
    for number, text in enumerate([f"My phone is {PHONE}", "Hello", "And?"], start=1):
        graph.invoke({"messages": [HumanMessage(text, id=f"m{number}")]}, ASHA)
    memory.store.learn(NS, [Candidate(topic="phone", value=PHONE, source=SOURCE)])
    assert "three-five-one" in graph.get_state(ASHA).values["summary"]["text"]

    memory.forget("asha", "phone")
    graph.invoke({"messages": [HumanMessage("What now?", id="m4")]}, ASHA)

    assert "three-five-one" not in shown[-1]
    summary = graph.get_state(ASHA).values["summary"]
    assert ("They asked twice.", []) == (summary["text"], summary["exact"])
    assert not summary.get("stale")
    assert PHONE not in json.dumps(summary)


def test_caches_of_the_process_hold_no_forgotten_vector(path):
    def embed(texts: list[str]) -> list[list[float]]:
        return [[float(len(text)), 1.0] for text in texts]

    with AgentMemory.open(path, embed=embed) as memory:
        memory.store.remember(NS, "phone", PHONE)
        memory.store.recall(NS, "phone number?")
        before = [memory.store.shelves.find(home) is None for home in (1, 2)]
        memory.forget("asha", "phone")

        assert [False, True] == before
        assert memory.store.shelves.find(1) is None


def test_a_recall_of_the_past_does_not_find_what_was_forgotten(memory, told, clock):
    then = clock.moment
    clock.advance(days=1)
    memory.forget("asha", "phone")

    assert () == memory.store.recall(NS, "phone", as_of=then).memories
    assert () == memory.store.recall(NS, "phone", known_at=then + timedelta(hours=1)).memories
    assert memory.store.look(NS, "phone", as_of=then) is None


def test_when_too_much_was_erased_to_look_for_all_of_it_the_receipt_says_so(memory, monkeypatch):
    monkeypatch.setattr(forgetting, "MOST_READ", 1)
    for number in range(10):
        memory.store.remember(NS, f"topic {number}", f"value number {number}")

    receipt = memory.forget("asha")

    assert "looked through for" in receipt.notes[0]
    assert () == memory.forget("ben").notes


def test_where_no_python_can_be_started_the_receipt_says_so(memory, monkeypatch):
    memory.store.remember(NS, "phone", PHONE)
    monkeypatch.setattr("sys.executable", "/no/such/python")

    receipt = memory.forget("asha", "phone")

    assert (None, True) == (receipt.left_in_files, receipt.complete)
    assert "no Python could be started" in receipt.notes[0]
    monkeypatch.undo()
    assert memory.verify(receipt, text=PHONE).clean


@pytest.mark.parametrize("place", ["file", ":memory:"])
def test_a_large_database_is_written_anew_by_way_of_a_file(path, monkeypatch, place, clock):
    monkeypatch.setattr(sqlite_backend, "LARGEST_IN_MEMORY", 0)
    with AgentMemory.open(path if place == "file" else place, clock=clock) as memory:
        for _ in range(2):
            memory.store.remember(NS, "phone", PHONE)
            memory.store.remember(NS, "seat", "window")
            receipt = memory.forget("asha", "phone")
            assert (True, 0) == (receipt.complete, receipt.left_in_files)
            assert memory.verify(receipt).clean
            then = memory.store.recall(NS, "window", as_of=clock())
            assert ["window"] == [one.text for one in then.memories]
