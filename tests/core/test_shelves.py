"""Vectors in memory: whatever was written or forgotten, by whomever, the next search sees it."""

from __future__ import annotations

import random

import numpy as np
import pytest
from langgraph.store.base import PutOp, SearchOp

from langgraph_agentmem import AgentMemory, AgentMemStore
from langgraph_agentmem.shelves import Shelf, Shelves, best_parts, highest

NS = ("memories", "asha")


def embed(texts):
    """Letters as dimensions: texts of the same letters are near."""
    return [[float(text.lower().count(letter)) + 0.01 for letter in "abcdefghij"] for text in texts]


def shelf(rows: int, changes: int = 1) -> Shelf:
    return Shelf.of(changes, np.arange(rows), np.ones((rows, 2), dtype=np.float32))


def best(memory: AgentMemory, query: str, *, under: tuple[str, ...] = NS) -> list[str]:
    return [item.key for item in memory.store.search(under, query=query, limit=2)]


@pytest.fixture(params=[2**20, 0], ids=["kept", "read anew"])
def memory(request, path, clock):
    made = AgentMemory.open(
        path, embed=embed, ranking="cosine", clock=clock, vector_cache=request.param
    )
    with made as opened:
        for topic, text in (("one", "aaa"), ("two", "bbb"), ("three", "ccc")):
            opened.store.remember(NS, topic, text)
        yield opened


def test_a_search_sees_what_was_added_replaced_and_deleted_since_the_last_one(memory):
    assert "one" == best(memory, "aaa")[0]

    memory.store.remember(NS, "four", "aaaa")
    assert {"one", "four"} == set(best(memory, "aaa"))
    memory.store.remember(NS, "one", "ddd")
    assert "four" == best(memory, "aaa")[0]
    memory.store.delete(NS, "four")
    assert "four" not in best(memory, "aaa")
    memory.store.put(NS, "two", {"text": "bbb"}, index=False)
    assert "two" not in best(memory, "bbb")


def test_a_search_sees_what_another_opening_of_the_file_wrote_and_forgot(memory, path):
    assert "one" == best(memory, "aaa")[0]
    with AgentMemory.open(path, embed=embed) as other:
        other.store.remember(NS, "new", "aaa")
        other.store.forget(NS, "one")

    assert "new" == best(memory, "aaa")[0]
    assert "one" not in best(memory, "aaa")


def test_a_namespace_that_was_emptied_and_filled_again_shows_nothing_old(memory):
    """As many changes as before, and the same name: only the content is another."""
    assert "one" == best(memory, "aaa")[0]
    memory.forget("asha")
    for topic, text in (("x", "eee"), ("y", "fff"), ("z", "ggg")):
        memory.store.remember(NS, topic, text)

    assert "x" == best(memory, "eee")[0]
    assert "one" not in best(memory, "aaa")


def test_a_failed_batch_leaves_nothing_on_the_shelf(memory):
    assert "one" == best(memory, "aaa")[0]

    with pytest.raises(ValueError, match="NaN"):
        memory.store.batch(
            [
                PutOp(NS, "new", {"text": "aaaa"}),
                SearchOp(NS, query="aaa"),
                PutOp(NS, "bad", {"x": float("nan")}),
            ]
        )

    assert "new" not in best(memory, "aaaa")


def test_a_search_over_several_namespaces_finds_the_best_of_all(memory):
    memory.store.remember(("memories", "ben"), "his", "aaaaaaaa")
    memory.store.remember(("other",), "elsewhere", "aaa")

    assert {"one", "his"} == set(best(memory, "aaaaaaaa", under=("memories",)))
    assert ["elsewhere"] == best(memory, "aaa", under=("other",))


USERS = [("users", f"u{number:03}") for number in range(100)]


def cosine(one: list[float], other: list[float]) -> float:
    return float(np.dot(one, other) / (np.linalg.norm(one) * np.linalg.norm(other)))


def by_seed(texts: list[str]) -> list[list[float]]:
    """A direction of its own for each text, always the same."""
    return [np.random.default_rng([*text.encode()]).standard_normal(6).tolist() for text in texts]


INDEX = {"dims": 6, "embed": by_seed, "fields": ["text", "more[*]"]}


class Copy:
    """What the namespaces hold, in a dict beside the store, ranked by hand."""

    def __init__(self) -> None:
        self.chance = random.Random(7)
        self.held: dict[tuple, tuple[bool, list[list[float]]]] = {}

    def write(self, store, *places) -> None:
        ops = []
        for place in places:
            value = {"text": f"{self.chance.random()}", "odd": self.chance.random() < 0.5}
            value["more"] = [
                f"{self.chance.random()}" for _ in range(self.chance.choice([0, 0, 3]))
            ]
            self.held[place] = (value["odd"], by_seed([value["text"], *value["more"]]))
            ops.append(PutOp(*place, value))
        store.batch(ops)

    def remove(self, store, *places) -> None:
        for place in places:
            del self.held[place]
        store.batch([PutOp(*place, None) for place in places])

    def best(self, prefix, query, *, odd_only) -> list[tuple]:
        asked = by_seed([query])[0]
        scores = {
            place: max(cosine(asked, part) for part in parts)
            for place, (odd, parts) in self.held.items()
            if place[0][: len(prefix)] == prefix and (odd or not odd_only)
        }
        return sorted(scores, key=lambda place: -scores[place])

    def check(self, store) -> None:
        for prefix, odd_only in [((), False), (("users",), False), (("users",), True)] * 2:
            query = f"{self.chance.random()}"
            asked = {"query": query, "filter": {"odd": True} if odd_only else None, "limit": 7}
            found = [
                (item.namespace, item.key)
                for offset in (0, 7)
                for item in store.search(prefix, **asked, offset=offset)
            ]
            assert self.best(prefix, query, odd_only=odd_only)[:14] == found


@pytest.mark.parametrize("cache", [2**20, 20_000, 0], ids=["kept", "partly kept", "read anew"])
def test_a_search_over_many_namespaces_ranks_what_each_holds_at_that_moment(path, cache):
    """Whoever changed it, whatever went, and whether its vectors stand on a wall or not."""
    copy = Copy()
    opened = AgentMemStore.from_conn_string(path, index=INDEX, vector_cache=cache)
    with opened as store, AgentMemStore.from_conn_string(path, index=INDEX) as other:
        copy.write(store, *[(home, "k") for home in USERS])
        copy.check(store)
        copy.check(store)
        copy.write(other, (USERS[3], "k"), (USERS[4], "another"), (("users", "new"), "k"))
        copy.check(store)
        copy.write(other, *[(home, "k") for home in USERS[10:50]])
        copy.check(store)
        copy.remove(other, (USERS[5], "k"))
        copy.write(store, (("users", "in its place"), "k"))  # which takes the row's number
        copy.check(store)
        many = [(USERS[6], f"k{number}") for number in range(300)]
        copy.write(store, *many, (("elsewhere",), "k"))
        copy.check(store)
        copy.write(other, *[(home, "k2") for home in USERS[:70]])
        copy.check(store)
        copy.remove(store, *many[:299])
        copy.check(store)
        copy.remove(store, *[(home, "k") for home in USERS[70:]])
        copy.check(store)
        other.forget(USERS[1])
        copy.held = {place: one for place, one in copy.held.items() if place[0] != USERS[1]}
        copy.check(store)
        copy.remove(other, *copy.held)
        copy.check(store)


def test_a_wall_takes_little_more_memory_than_its_vectors(path):
    with AgentMemStore.from_conn_string(path, index=INDEX) as store:
        store.batch([PutOp(home, f"k{n}", {"text": f"{n}"}) for home in USERS for n in range(40)])
        store.search(("users",), query="one")
        wall = store.shelves.find_wall("users")

    assert len(USERS) * 40 == len(wall.shelf.ids)
    assert len(USERS) * 40 * 6 * 4 == wall.shelf.matrix.nbytes
    assert all(store.shelves.find(home) is None for home in wall.homes)


def test_a_filter_that_little_passes_finds_it_far_down_the_ranking(path):
    def embed(texts: list[str]) -> list[list[float]]:
        return [[1.0, float(text)] for text in texts]

    index = {"dims": 2, "embed": embed, "fields": ["at"]}
    with AgentMemStore.from_conn_string(path, index=index) as store:
        store.batch([PutOp(NS, f"k{n:04}", {"at": str(n), "rare": n >= 1995}) for n in range(2000)])
        rare = store.search(NS, query="0", filter={"rare": True}, limit=3)
        rest = store.search(NS, query="0", filter={"rare": True}, limit=10, offset=3)
        common = store.search(NS, query="0", filter={"rare": False}, limit=3, offset=1990)

        assert ["k1995", "k1996", "k1997"] == [item.key for item in rare]
        assert ["k1998", "k1999"] == [item.key for item in rest]
        assert ["k1990", "k1991", "k1992"] == [item.key for item in common]
        assert [] == store.search(NS, query="0", filter={"rare": None})


def test_ties_at_the_end_of_a_page_are_cut_in_the_order_of_keys(memory):
    for number in range(9):
        memory.store.put(NS, f"same{number}", {"text": "jjj"})

    pages = [
        [item.key for item in memory.store.search(NS, query="jjj", limit=3, offset=offset)]
        for offset in (0, 3, 6)
    ]

    assert [[f"same{at + n}" for n in range(3)] for at in (0, 3, 6)] == pages


def test_shelves_drop_what_was_not_used_for_longest():
    shelves = Shelves(most=3 * 16)
    for home in range(3):
        shelves.keep(home, shelf(2))
    shelves.find(0)
    shelves.keep(3, shelf(2))

    assert [True, False, True, True] == [shelves.find(home) is not None for home in range(4)]
    shelves.keep(0, shelf(6))
    assert [True, False, False, False] == [shelves.find(home) is not None for home in range(4)]


def test_a_memory_counts_with_its_best_part():
    rows = np.array([[0.0, 1.0], [1.0, 0.0], [0.0, 1.0]], dtype=np.float32)
    made = Shelf.of(1, np.array([1, 1, 2]), rows)

    ids, scores = best_parts(made, np.array([1, 0], dtype=np.float32))

    assert {1: 1.0, 2: 0.0} == dict(zip(ids.tolist(), scores.tolist(), strict=True))


def test_the_highest_come_with_all_that_tie_with_the_last():
    ids = np.arange(5)
    scores = np.array([0.1, 0.5, 0.5, 0.9, 0.5], dtype=np.float32)

    assert {3: pytest.approx(0.9), 1: 0.5, 2: 0.5, 4: 0.5} == highest(ids, scores, 2)
    assert {} == highest(ids, scores, 0)
