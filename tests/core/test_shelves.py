"""Vectors in memory: whatever was written or forgotten, by whomever, the next search sees it."""

from __future__ import annotations

import numpy as np
import pytest
from langgraph.store.base import PutOp, SearchOp

from langgraph_agentmem import AgentMemory
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
