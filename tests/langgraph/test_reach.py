"""How far each verb of forgetting reaches, cell by cell."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.graph import START, StateGraph

from langgraph_agentmem import AgentMemory, Candidate, MemoryState, Source
from langgraph_agentmem.backends.sqlite import SqliteBackend
from langgraph_agentmem.errors import WriteRefused
from langgraph_agentmem.retention import Retention

NS = ("memories", "asha")
ASHA = {"configurable": {"thread_id": "t", "user_id": "asha"}}
PHONE = "+351 912 345 678"
SOURCE = Source(thread_id="t", message_ids=("m1",), author="user")


def delete(memory, clock):
    memory.store.delete(NS, "phone")


def put_none(memory, clock):
    memory.store.put(NS, "phone", None)


def expire(memory, clock):
    memory.store.remember(NS, "phone", PHONE, ttl=5)
    clock.advance(minutes=6)
    memory.store.sweep_ttl()


def sweep(memory, clock):
    clock.advance(days=40)
    memory.store.remember(NS, "seat", "window")
    memory.store.remember(("memories", "ben"), "phone", "+49 555 0000")
    memory.store.sweep(Retention(max_age=timedelta(days=30)))


def store_forget(memory, clock):
    memory.store.forget(NS, "phone")


def forget_topic(memory, clock):
    memory.forget("asha", "phone")


def forget_user(memory, clock):
    memory.forget("asha")


ROWS = [delete, put_none, expire, sweep]
FORGETS = [store_forget, forget_topic, forget_user]


@pytest.fixture
def passes(monkeypatch):
    """How often the pass over the files was made."""
    made: list[str] = []
    purge = SqliteBackend.purge

    def counted(self: SqliteBackend, debt: str, *progress: Any) -> tuple[str, ...]:
        made.append(debt)
        return purge(self, debt, *progress)

    monkeypatch.setattr(SqliteBackend, "purge", counted)
    return made


@pytest.fixture
def memory(path: Path, clock):
    def embed(texts: list[str]) -> list[list[float]]:
        return [[float(len(text)), 1.0, 2.0] for text in texts]

    with AgentMemory.open(path, clock=clock, embed=embed) as opened:
        yield opened


@pytest.fixture
def graph(memory):
    def answer(state: MemoryState) -> dict[str, Any]:
        summary = {"text": f"Phone {PHONE}.", "exact": [PHONE], "through": "m1"}
        return {"messages": [AIMessage(f"I noted {PHONE}.")], "summary": summary}

    builder = StateGraph(MemoryState).add_node("answer", answer).add_edge(START, "answer")
    graph = builder.compile(store=memory.store, checkpointer=memory.checkpointer)
    graph.invoke({"messages": [HumanMessage(f"My phone is {PHONE}", id="m1")]}, ASHA)
    memory.store.remember(NS, "phone", "+47 000 111 222")
    memory.store.learn(NS, [Candidate(topic="phone", value=PHONE, source=SOURCE)])
    memory.store.remember(NS, "seat", "window")
    memory.store.remember(("memories", "ben"), "phone", "+49 555 0000")
    return graph


def rows(path: Path, table: str, column: str = "*") -> str:
    connection = sqlite3.connect(path)
    found = str(connection.execute(f"SELECT {column} FROM {table}").fetchall())
    connection.close()
    return found


def number(path: Path, table: str) -> int:
    connection = sqlite3.connect(path)
    found: int = connection.execute(f"SELECT COUNT(*) FROM {table}").fetchone()[0]
    connection.close()
    return found


Verb = Callable[[AgentMemory, Any], None]


@pytest.mark.parametrize("verb", [*ROWS, *FORGETS], ids=lambda verb: verb.__name__)
def test_value_versions_vectors_search_text_and_sources_go(graph, memory, clock, path, verb: Verb):
    before = number(path, "words"), number(path, "vectors")
    verb(memory, clock)
    gone = 2 if verb is forget_user else 1

    assert PHONE not in rows(path, "memories")
    assert "000 111" not in rows(path, "versions")
    assert (before[0] - gone, before[1] - gone) == (number(path, "words"), number(path, "vectors"))
    assert "phone" not in rows(path, "sources")
    assert [] == memory.store.history(NS, "phone")
    assert [] == [hit for hit in memory.store.recall(NS, "phone").relevant if "912" in str(hit)]


@pytest.mark.parametrize("verb", [*ROWS, *FORGETS], ids=lambda verb: verb.__name__)
def test_nothing_else_goes(graph, memory, clock, verb: Verb):
    verb(memory, clock)

    seat = memory.store.look(NS, "seat")
    assert (verb is forget_user) == (seat is None)
    assert "+49 555 0000" == memory.store.look(("memories", "ben"), "phone").text


@pytest.mark.parametrize("verb", ROWS, ids=lambda verb: verb.__name__)
def test_verbs_of_rows_make_no_pass_and_leave_no_tombstone(
    graph, memory, clock, passes, verb: Verb
):
    verb(memory, clock)

    assert [] == passes
    again = memory.store.learn(NS, [Candidate(topic="phone", value=PHONE, source=SOURCE)])
    assert ["phone"] == [one.topic for one in again.kept]


@pytest.mark.parametrize("verb", FORGETS, ids=lambda verb: verb.__name__)
def test_verbs_of_forgetting_make_the_pass_and_leave_a_tombstone(
    graph, memory, clock, passes, verb: Verb
):
    verb(memory, clock)

    assert 1 == len(passes)
    again = memory.store.learn(NS, [Candidate(topic="phone", value=PHONE, source=SOURCE)])
    assert ([], ["phone"]) == (list(again.kept), [one.topic for one in again.refused])


@pytest.mark.parametrize("verb", [*ROWS, store_forget], ids=lambda verb: verb.__name__)
def test_these_leave_the_threads_alone(graph, memory, clock, verb: Verb):
    verb(memory, clock)

    values = graph.get_state(ASHA).values
    assert [f"My phone is {PHONE}", f"I noted {PHONE}."] == [one.text for one in values["messages"]]
    assert [PHONE] == values["summary"]["exact"]


def test_forgetting_a_topic_of_a_user_reaches_threads_and_summaries(graph, memory):
    memory.forget("asha", "phone")

    values = graph.get_state(ASHA).values
    assert ["[forgotten]", "I noted [forgotten]."] == [one.text for one in values["messages"]]
    assert {"text": "Phone [forgotten].", "exact": [], "through": "m1", "stale": True} == (
        values["summary"]
    )
    assert not [one for one in graph.get_state_history(ASHA) if PHONE in str(one)]


def test_forgetting_a_user_takes_the_threads(graph, memory, path):
    memory.forget("asha")

    assert {} == graph.get_state(ASHA).values
    assert (0, 0) == (number(path, "checkpoints"), number(path, "writes"))
    assert 0 == number(path, "thread_owners")


# Tombstones ----------------------------------------------------------------------------------


@pytest.mark.parametrize("verb", FORGETS, ids=lambda verb: verb.__name__)
def test_a_tombstone_blocks_no_application_and_no_user_who_says_it_again(
    graph, memory, clock, verb: Verb
):
    verb(memory, clock)
    said = Source(thread_id="t", message_ids=("m2",), author="user")
    memory.store.put(NS, "tel", {"text": PHONE})
    learned = memory.store.learn(NS, [Candidate(topic="phone", value=PHONE, source=said)])

    assert PHONE == memory.store.get(NS, "tel").value["text"]
    assert ["phone"] == [one.topic for one in learned.kept]


class Slow:
    """An embedder during whose work something else happens."""

    def __init__(self) -> None:
        self.meanwhile: Callable[[], object] = lambda: None

    def __call__(self, texts: list[str]) -> list[list[float]]:
        meanwhile, self.meanwhile = self.meanwhile, lambda: None
        meanwhile()
        return [[1.0, 2.0] for _ in texts]


@pytest.mark.parametrize("topic", ["phone", None])
@pytest.mark.parametrize("how", ["put", "remember", "learn"])
def test_a_writer_that_began_before_the_forgetting_does_not_bring_it_back(
    path, clock, how: str, topic: str | None
):
    slow = Slow()
    with AgentMemory.open(path, clock=clock, embed=slow) as memory:
        store = memory.store
        store.remember(NS, "phone", PHONE)
        slow.meanwhile = lambda: memory.forget("asha", topic)
        if how == "learn":
            late = Source(thread_id="t", message_ids=("m9",))
            learned = store.learn(NS, [Candidate(topic="phone", value=PHONE, source=late)])
            assert ["phone"] == [one.topic for one in learned.refused]
        else:
            with pytest.raises(WriteRefused, match="forgotten while"):
                store.put(NS, "phone", {"text": PHONE}) if how == "put" else store.remember(
                    NS, "phone", PHONE
                )

        assert store.look(NS, "phone") is None
        assert "new" == store.remember(NS, "phone", "new").text
