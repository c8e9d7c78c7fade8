"""The list of namespaces is kept in memory, and nobody can tell."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from langgraph_agentmem import AgentMemStore

ASHA, BEN = ("memories", "asha"), ("memories", "ben")
START = datetime(2026, 3, 1, tzinfo=UTC)


class Clock:
    now = START

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "memory.db"


def test_another_stores_write_deletion_and_forgetting_are_seen(path):
    with AgentMemStore.from_conn_string(path) as one, AgentMemStore.from_conn_string(path) as other:
        one.put(ASHA, "home", {"text": "Oslo"})
        assert [ASHA] == one.list_namespaces()

        other.put(BEN, "home", {"text": "Rome"})
        assert [ASHA, BEN] == one.list_namespaces()
        other.delete(BEN, "home")
        assert [ASHA] == one.list_namespaces()
        other.forget(ASHA)
        assert [] == one.list_namespaces()


@pytest.mark.parametrize("place", ["file", ":memory:"])
def test_its_own_writes_are_seen(path, place):
    with AgentMemStore.from_conn_string(path if place == "file" else place) as store:
        for number in range(5):
            store.put(("n", str(number)), "k", {"n": 1})
            assert number + 1 == len(store.list_namespaces())
        store.retire(("n", "0"), "k")
        assert 4 == len(store.list_namespaces())


def test_a_namespace_leaves_the_list_when_its_last_memory_expires(path, clock):
    with AgentMemStore.from_conn_string(path, clock=clock) as store:
        store.put(ASHA, "home", {"text": "Oslo"}, ttl=10)
        store.put(BEN, "home", {"text": "Rome"}, ttl=20)
        assert [ASHA, BEN] == store.list_namespaces()

        clock.now = START + timedelta(minutes=10)
        assert [BEN] == store.list_namespaces()
        clock.now = START + timedelta(minutes=20)
        assert [] == store.list_namespaces()
        clock.now = START + timedelta(minutes=5)
        assert [ASHA, BEN] == store.list_namespaces()


def test_what_the_caller_does_to_the_list_changes_nothing(path):
    with AgentMemStore.from_conn_string(path) as store:
        store.put(ASHA, "home", {"text": "Oslo"})
        store.list_namespaces().clear()

        assert [ASHA] == store.list_namespaces()


def test_forgetting_keeps_no_name_in_memory(path):
    with AgentMemStore.from_conn_string(path) as store:
        store.put(ASHA, "home", {"text": "Oslo"})
        store.list_namespaces()
        store.forget(ASHA)

        assert "asha" not in repr(vars(store.listing))
