"""The floor parts what answers a question from what does not, on a small life made for it."""

from __future__ import annotations

import pytest
from small_life import IN_THE_SAME_WORDS, LIFE, UNANSWERED

from langgraph_agentmem import AgentMemStore

NS = ("memories", "ravi")


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    with AgentMemStore.from_conn_string(tmp_path_factory.mktemp("floor") / "m.db") as opened:
        for topic, text in LIFE.items():
            opened.remember(NS, topic, text)
        yield opened


def matched(store, query: str) -> list[str]:
    found = store.recall(NS, query)
    return [hit.memory.topic for hit in found.relevant if "no match" not in hit.why]


@pytest.mark.parametrize(("query", "topic"), IN_THE_SAME_WORDS)
def test_what_answers_is_above_the_floor(store, query, topic):
    assert topic == matched(store, query)[0]


@pytest.mark.parametrize("query", UNANSWERED)
def test_what_answers_nothing_finds_nothing(store, query):
    assert [] == matched(store, query)


@pytest.mark.parametrize("factor", [0.5, 1.5])
def test_the_floor_is_no_knife_edge(store, factor):
    right = sum(
        topic in [hit.memory.topic for hit in store.recall(NS, query, floor=0.3 * factor).relevant]
        for query, topic in IN_THE_SAME_WORDS
    )
    wrong = sum(
        any(
            "no match" not in hit.why
            for hit in store.recall(NS, query, floor=0.3 * factor).relevant
        )
        for query in UNANSWERED
    )

    assert right >= 8
    assert wrong <= 2
