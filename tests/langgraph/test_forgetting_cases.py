"""Cases that went wrong elsewhere, each under its id: deleting, expiring and coming back."""

from __future__ import annotations

import itertools
import sqlite3
from datetime import timedelta

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.graph import START, MessagesState, StateGraph

from langgraph_agentmem import (
    AgentMemory,
    AgentMemStore,
    Candidate,
    MemoryState,
    Source,
    extract_facts,
    retrieve_memories,
)
from langgraph_agentmem.backends.sqlite import SqliteBackend
from langgraph_agentmem.errors import StorageError, UserRequired

U1 = ("memories", "u1")


def embed(texts: list[str]) -> list[list[float]]:
    return [[float("cat" in text), float("dog" in text), 0.1] for text in texts]


def number(path, table: str) -> int:
    connection = sqlite3.connect(path)
    found: int = connection.execute(f"SELECT COUNT(*) FROM {table}").fetchone()[0]
    connection.close()
    return found


@pytest.mark.parametrize("verb", ["forget", "delete"])
def test_d01_a_vector_goes_with_its_memory_and_never_answers_for_the_next(path, verb):
    with AgentMemory.open(path, embed=embed) as memory:
        store = memory.store
        store.put(U1, "pet", {"text": "cat"})
        getattr(store, verb)(U1, "pet")
        left = number(path, "vectors")
        store.put(U1, "pet", {"text": "dog"}, index=False)
        store.put(U1, "toy", {"text": "a cat of wool"})
        top = store.search(U1, query="cat")[0]

        assert (0, "toy") == (left, top.key)
        assert 1 == number(path, "vectors")


def test_d01_a_value_of_fewer_parts_leaves_no_vector_of_the_others(path):
    index = {"dims": 3, "embed": embed, "fields": ["parts[*]"]}
    with AgentMemStore.from_conn_string(path, index=index) as store:
        store.put(U1, "pet", {"parts": ["dog", "cat"]})
        store.put(U1, "pet", {"parts": ["dog"]})
        found = store.search(U1, query="cat")

        assert 1 == number(path, "vectors")
        assert found[0].score < 0.5


class Always:
    """Finds the same in whatever it is given."""

    def extract(self, said, *, known, now, thread_id):
        return [
            Candidate(
                topic="health",
                value="has diabetes",
                source=Source(thread_id=thread_id, message_ids=(str(message.id),)),
            )
            for message in said
            if "diabetes" in message.text
        ]

    async def aextract(self, said, **options):
        return self.extract(said, **options)


def keep_all(candidate: Candidate) -> None:
    """A write policy of somebody who asked already."""


def test_d02_the_same_old_statement_does_not_bring_it_back_and_a_new_one_does(path):
    run = {"configurable": {"thread_id": "t", "user_id": "u1"}}
    with AgentMemory.open(path) as memory:
        builder = StateGraph(MemoryState)
        builder.add_node("answer", lambda _: {"messages": [AIMessage("noted")]})
        builder.add_node("extract", extract_facts(Always(), policy=keep_all))
        builder.add_edge(START, "answer").add_edge("answer", "extract")
        graph = builder.compile(store=memory.store, checkpointer=memory.checkpointer)
        u1 = memory.for_user("u1")
        graph.invoke({"messages": [("user", "I have diabetes")]}, run)  # without an id
        assert "has diabetes" == u1.look("health").text
        older = [*memory.export_user("u1")]
        old = next(one for one in graph.get_state_history(run) if one.next == ("extract",))
        memory.forget("u1", "health")

        graph.invoke(None, {"configurable": {**old.config["configurable"], "user_id": "u1"}})
        after_replay = u1.look("health")
        graph.update_state(run, {"extracted_through": None}, as_node="answer")
        graph.invoke(None, run)
        after_reading_again = u1.look("health")
        graph.invoke({"messages": [("user", "What else?")]}, run)
        after_a_turn = u1.look("health")
        memory.import_user(older)
        after_an_import = u1.look("health")
        graph.invoke({"messages": [("user", "I have diabetes, I said")]}, run)

        assert [None] * 4 == [after_replay, after_reading_again, after_a_turn, after_an_import]
        assert "has diabetes" == u1.look("health").text


def test_d02_a_run_that_was_going_on_does_not_bring_it_back(path):
    """The extractor had read the message before it was forgotten, and its state is in memory."""
    with AgentMemory.open(path) as memory:

        class Slow(Always):
            def extract(self, said, **options):
                memory.forget("u1", "health")
                return super().extract(said, **options)

        builder = StateGraph(MemoryState)
        builder.add_node("extract", extract_facts(Slow(), policy=keep_all))
        builder.add_edge(START, "extract")
        graph = builder.compile(store=memory.store, checkpointer=memory.checkpointer)
        run = {"configurable": {"thread_id": "t", "user_id": "u1"}}
        graph.invoke({"messages": [HumanMessage("I have diabetes", id="m1")]}, run)

        assert memory.for_user("u1").look("health") is None


def test_d03_what_has_expired_is_shown_nowhere_though_nothing_swept_it(path, clock):
    run = {"configurable": {"thread_id": "t", "user_id": "u1"}}
    with AgentMemory.open(path, clock=clock) as memory:
        store = memory.store
        store.put(U1, "code", {"text": "1234"}, ttl=5)
        clock.advance(minutes=9)
        builder = StateGraph(MemoryState).add_node("retrieve", retrieve_memories())
        builder.add_node("say", lambda state: {"messages": [AIMessage(str(state["memories"]))]})
        builder.add_edge(START, "retrieve").add_edge("retrieve", "say")
        graph = builder.compile(store=store, checkpointer=memory.checkpointer)
        said = graph.invoke({"messages": [("user", "What is my code?")]}, run)

        assert store.get(U1, "code") is None
        assert [] == store.search(U1)
        assert [] == store.search(U1, query="code")
        assert [] == store.list_namespaces()
        assert [] == store.memories(U1)
        assert [] == store.history(U1, "code")
        assert ["header"] == [line["type"] for line in store.export(U1)]
        assert "1234" not in said["messages"][-1].text
        assert () == store.recall(U1, "code", as_of=clock.moment - timedelta(minutes=8)).memories


def test_d04_an_export_goes_into_another_kind_of_store_and_comes_out_equal(path, clock):
    with AgentMemory.open(path, clock=clock) as memory:
        store = memory.store
        for place in range(19):
            store.remember(U1, f"topic {place}", f"ünï {place} 日本", pinned=place < 2 or None)
        for topic, value in itertools.product(("a", "b", "c"), ("1", "2", "3", "4")):
            clock.advance(days=1)
            store.remember(U1, topic, f"{topic}{value}")
        store.remember(U1, "code", "expired", ttl=1)
        store.remember(U1, "phone", "forgotten 912")
        store.remember(("memories", "u10"), "secret", "of another")
        store.forget(U1, "phone")
        clock.advance(days=1)
        first = [*store.export(U1)]
    with AgentMemory.open(":memory:", clock=clock) as other:
        other.store.import_items(first, U1)
        second = [*other.store.export(U1)]

    assert first == second
    assert ["header", "tombstones", *["topic"] * 22] == [line["type"] for line in first]
    assert not [one for one in ("another", "forgotten 912", "expired") if one in str(first)]


def test_d05_forgetting_a_user_takes_that_user_exactly(path):
    with AgentMemory.open(path) as memory:
        for user in ("user1", "user10"):
            memory.for_user(user).remember("a", "x")
        memory.store.put(("shared",), "policy", {"text": "z"})
        receipt = memory.forget("user1")
        for nobody in ("", None):
            with pytest.raises(UserRequired):
                memory.forget(nobody)
        unknown = memory.forget("user")

        assert (1, 0) == (receipt.removed["memories"], unknown.total)
        assert [("memories", "user10"), ("shared",)] == memory.store.list_namespaces()


@pytest.mark.parametrize("embedder", [None, embed])
def test_d06_another_object_on_the_file_finds_nothing_any_more(path, embedder):
    with (
        AgentMemory.open(path, embed=embedder) as one,
        AgentMemory.open(path, embed=embedder) as other,
    ):
        one.store.remember(U1, "diet", "vegan cat food")
        before = len(other.store.recall(U1, "cat diet").memories)
        found = len(other.store.search(U1, query="cat diet"))
        one.forget("u1", "diet")

        assert (1, 1) == (before, found)
        assert () == other.store.recall(U1, "cat diet").memories
        assert [] == other.store.search(U1, query="cat diet")
        assert [] == other.store.list_namespaces()


class Torn(Exception):
    """What stands for a crash."""


def replace_city(memory: AgentMemory) -> None:
    memory.store.remember(U1, "city", "Rome")


def forget_city(memory: AgentMemory) -> None:
    memory.forget("u1", "city")


@pytest.mark.parametrize("verb", [replace_city, forget_city])
def test_e06_a_write_that_fails_at_any_statement_leaves_all_as_it_was(path, monkeypatch, verb):
    run = {"configurable": {"thread_id": "t", "user_id": "u1"}}
    with AgentMemory.open(path, embed=embed) as memory:
        builder = StateGraph(MessagesState)
        builder.add_node("answer", lambda _: {"messages": [AIMessage("Oslo, I see")]})
        graph = builder.add_edge(START, "answer").compile(checkpointer=memory.checkpointer)
        graph.invoke({"messages": [HumanMessage("I live in Oslo", id="m1")]}, run)
        source = Source(thread_id="t", message_ids=("m1",))
        memory.store.learn(U1, [Candidate(topic="city", value="Oslo", source=source)])
        before = [*memory.export_user("u1")]
        execute = SqliteBackend._execute
        for fails_at in itertools.count():
            count = itertools.count()

            def torn(self, connection, statement, count=count, fails_at=fails_at):
                if connection.in_transaction and next(count) == fails_at:
                    raise StorageError(statement=statement.name)
                return execute(self, connection, statement)

            monkeypatch.setattr(SqliteBackend, "_execute", torn)
            try:
                verb(memory)
            except StorageError:
                monkeypatch.setattr(SqliteBackend, "_execute", execute)
                rows = number(path, "words"), number(path, "vectors"), number(path, "tombstones")
                # Of a forgetting the rows may be gone already, and the pass was cut off.
                if memory.store.look(U1, "city") is None:
                    assert verb is forget_city
                    assert memory.doctor().healthy
                    break
                assert before == [*memory.export_user("u1")]
                assert (1, 1, 0) == rows
            else:
                break
        monkeypatch.setattr(SqliteBackend, "_execute", execute)

        assert fails_at > 5
        found = memory.store.look(U1, "city")
        assert found is None if verb is forget_city else "Rome" == found.text
        if verb is replace_city:
            assert ["Oslo", "Rome"] == [one.text for one in memory.store.history(U1, "city")]
