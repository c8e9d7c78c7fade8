"""What people type without apostrophes, capitals and subjects; new topics, and where they land."""

from datetime import UTC, datetime

import pytest
import typed_sentences as typed
from langchain_core.messages import HumanMessage

from langgraph_agentmem.extraction.topics import Spelling
from langgraph_agentmem.nodes.rules import RuleExtractor

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def facts(text, known=None):
    said = [HumanMessage(text, id="m1")]
    found = RuleExtractor().extract(said, known=known or {}, now=NOW, thread_id=None)
    return {each.topic: each.value for each in found}


def plainly(found, spelling):
    return {
        (spelling.of(topic), value and value.casefold().removeprefix("the "))
        for topic, value in found.items()
    }


@pytest.mark.parametrize(
    ("look", "least"),
    [("FIRST", 0.8), ("SECOND", 0.9), ("THIRD", 0.85), ("FOURTH", 0.95), ("NEAR", 0.95)],
)
def test_what_is_typed_is_found_and_nothing_is_invented(look, least):
    right = missed = 0
    stated = {text: ({}, wanted) for text, wanted in getattr(typed, f"{look}_STATED").items()}
    for text, (known, wanted) in (stated | getattr(typed, f"{look}_ENDING")).items():
        spelling = Spelling(known)
        expected, found = (plainly(each, spelling) for each in (wanted, facts(text, known)))
        assert found <= expected, text
        right += len(found)
        missed += len(expected - found)

    assert right / (right + missed) >= least


@pytest.mark.parametrize(
    "trap",
    [
        *typed.FIRST_TRAPS,
        *typed.SECOND_TRAPS,
        *typed.THIRD_TRAPS,
        *typed.FOURTH_TRAPS,
        *typed.NEAR_TRAPS,
    ],
)
def test_what_is_typed_of_something_else_is_left_alone(trap):
    assert facts(trap) == {}
