"""The floor parts what answers a question from what does not, on a small life made for it."""

from __future__ import annotations

import pytest

from langgraph_agentmem import AgentMemStore

NS = ("memories", "ravi")

LIFE = {
    "home": "lives in Porto near the river",
    "job": "works as a nurse at the city hospital",
    "allergy": "is allergic to shellfish",
    "pet": "has a dog called Biscuit",
    "partner": "is married to Elena",
    "hobby": "plays chess at the club on Thursdays",
    "car": "drives an old blue Volvo",
    "diet": "eats no meat",
    "degree": "studied biology in Leeds",
    "fear": "is afraid of flying",
}

ANSWERED = [
    ("Which city hospital am I at?", "job"),
    ("Am I allergic to anything?", "allergy"),
    ("What is my dog called?", "pet"),
    ("Who am I married to?", "partner"),
    ("When is the chess club?", "hobby"),
    ("Which car do I drive?", "car"),
    ("Do I eat meat?", "diet"),
    ("What did I study in Leeds?", "degree"),
    ("Am I afraid of flying?", "fear"),
    ("Is my home near the river?", "home"),
]

UNANSWERED = [
    "What is the capital of Mongolia?",
    "Write a poem about autumn leaves falling",
    "How do I sort a list in Python?",
    "Translate good evening into Finnish",
    "What will the weather be like tomorrow in Madrid?",
    "Explain quantum entanglement to a child",
    "Which planets have rings around them?",
    "Convert seventeen miles to kilometres",
    "Who won the football match last night?",
    "Suggest three names for my new bakery",
]


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    with AgentMemStore.from_conn_string(tmp_path_factory.mktemp("floor") / "m.db") as opened:
        for topic, text in LIFE.items():
            opened.remember(NS, topic, text)
        yield opened


def matched(store, query: str) -> list[str]:
    found = store.recall(NS, query)
    return [hit.memory.topic for hit in found.relevant if "no match" not in hit.why]


@pytest.mark.parametrize(("query", "topic"), ANSWERED)
def test_what_answers_is_above_the_floor(store, query, topic):
    assert topic == matched(store, query)[0]


@pytest.mark.parametrize("query", UNANSWERED)
def test_what_answers_nothing_finds_nothing(store, query):
    assert [] == matched(store, query)


@pytest.mark.parametrize("factor", [0.5, 1.5])
def test_the_floor_is_no_knife_edge(store, factor):
    right = sum(
        topic in [hit.memory.topic for hit in store.recall(NS, query, floor=0.3 * factor).relevant]
        for query, topic in ANSWERED
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
