"""The list of namespaces is kept in memory, and nobody can tell."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from langgraph.store.base import PutOp

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


def test_ten_thousand_namespaces_are_matched_as_a_handful_is(path):
    places = [("users", f"u{user}", kind) for user in range(5000) for kind in ("facts", "tasks")]
    odd = [("users-", "x"), ("users", "u1-", "facts"), ("users/",), ("user",), ("users", "u1")]
    conditions = [
        {"prefix": ("users",)},
        {"prefix": ("users", "u1")},
        {"prefix": ("users", "*", "facts")},
        {"prefix": ("*",)},
        {"prefix": ("nobody",)},
        {"suffix": ("facts",)},
        {"suffix": ("u77", "*")},
        {"suffix": ("*", "*", "*")},
        {"prefix": ("users",), "suffix": ("u1", "facts")},
    ]

    def matches(namespace, prefix=(), suffix=()):
        tail = namespace[len(namespace) - len(suffix) :]
        return len(namespace) >= max(len(prefix), len(suffix)) and all(
            label in ("*", found)
            for label, found in [
                *zip(prefix, namespace, strict=False),
                *zip(suffix, tail, strict=False),
            ]
        )

    def check(store, held, number):
        for wanted in conditions:
            expected = sorted(one for one in held if matches(one, **wanted))
            assert expected == store.list_namespaces(**wanted, limit=20_000)
            cut = sorted({one[:2] for one in expected})
            page = store.list_namespaces(**wanted, max_depth=2, limit=7, offset=3)
            assert cut[3:10] == page
            if number is not None:  # so that the next one is asked of the database again
                store.put(("users", f"w{number}"), "k", {"n": 1})
                store.delete(("users", f"w{number}"), "k")

    with AgentMemStore.from_conn_string(path) as store:
        store.batch([PutOp(place, "k", {"n": 1}) for place in [*places, *odd]])
        check(store, [*places, *odd], None)
        check(store, [*places, *odd], 1)
        store.delete(odd[0], "k")
        store.retire(odd[1], "k")
        check(store, [*places, *odd[2:]], None)


def test_each_thread_sees_its_own_writes_in_the_list(path):
    with AgentMemStore.from_conn_string(path) as store:

        def work(number: int) -> bool:
            seen = []
            for one in range(20):
                place = ("t", str(number), str(one))
                store.put(place, "k", {"n": 1})
                mine = store.list_namespaces(prefix=("t", str(number)), limit=1000)
                every = store.list_namespaces(limit=1000)
                seen.append(len(mine) == one + 1 and place in mine and set(mine) <= set(every))
            return all(seen)

        with ThreadPoolExecutor(8) as threads:
            assert [True] * 8 == list(threads.map(work, range(8)))


def test_every_page_is_a_part_of_the_list_however_it_was_read(path, clock):
    """Labels with characters before the period, of other planes, and names that begin alike."""
    labels = [
        "a",
        "a ",
        "a!",
        "a-b",
        "a/",
        "ab",
        "A",
        "\x01",
        "é",
        "😀",
        "\uffff",
        "\U0010ffff",
        "*",
    ]
    places = [(one,) for one in labels]
    places += [(one, other) for one in labels for other in labels]
    places += [("a", "a", str(number)) for number in range(30)]

    def pages(store, **wanted):
        found, page = [], None
        while page is None or page:
            page = store.list_namespaces(**wanted, limit=17, offset=len(found))
            found += page
        return found

    with AgentMemStore.from_conn_string(path, clock=clock) as store:
        store.batch([PutOp(place, "k", {"n": 1}, ttl=5) for place in places[::3]])
        store.batch([PutOp(place, "k", {"n": 1}) for place in places])
        store.batch([PutOp(place, "old", {"n": 1}, ttl=5) for place in places[::2]])
        store.batch([PutOp(("gone", one), "k", {"n": 1}, ttl=5) for one in labels])
        store.retire(("a",), "k")
        clock.now += timedelta(minutes=6)
        held = sorted(one for one in places if one != ("a",))
        for prefix in ((), ("a",), ("a", "a"), ("A",), ("\U0010ffff",), ("gone",), ("nobody",)):
            below = [one for one in held if one[: len(prefix)] == prefix]
            store.put(held[0], "again", {"n": len(below)})
            first = store.list_namespaces(prefix=prefix or None, limit=17)
            assert below[:17] == first
            store.put(held[0], "again", {"n": -len(below)})
            assert below[20:30] == store.list_namespaces(prefix=prefix or None, limit=10, offset=20)
            assert below == pages(store, prefix=prefix or None)
            first.clear()
            assert below[:17] == store.list_namespaces(prefix=prefix or None, limit=17)
