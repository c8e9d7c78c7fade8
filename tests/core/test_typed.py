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


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (
            ("I work for Zeiss", "I also work for Oxfam"),
            {"work.employer": "Zeiss", "work.employer.oxfam": "Oxfam"},
        ),
        (
            ("I work for Zeiss", "I also work for Oxfam", "I no longer work for Oxfam"),
            {"work.employer": "Zeiss"},
        ),
        (("I work for Zeiss", "I work for Oxfam now"), {"work.employer": "Oxfam"}),
        (
            ("I live in Oslo", "We also live in Porto"),
            {"home_city": "Oslo", "home_city.porto": "Porto"},
        ),
        (("I live in Oslo", "I also live in Oslo"), {"home_city": "Oslo"}),
        (("I also live in Porto",), {"home_city": "Porto"}),
        (
            ("I'm allergic to kiwi", "also allergic to soy", "not allergic to kiwi after all"),
            {"allergy.soy": "soy"},
        ),
        (
            (
                "my son is called Ali",
                "we just had a baby boy, his name is Omar",
                "my sons name is Ali",
            ),
            {"family.son.name": "Ali", "family.son.omar": "Omar"},
        ),
        (
            ("we have a labrador named Rex", "we got a puppy called Bo", "our dog Bo died"),
            {"family.dog.name": "Rex"},
        ),
        (
            ("I speak Dutch", "I also speak Thai", "please always reply in Dutch"),
            {"language.dutch": "Dutch", "language.thai": "Thai", "language": "Dutch"},
        ),
        (("I always pay cash", "I'd rather pay by card now"), {"payment": "card"}),
        (("I drive a Volvo", "I drive a Skoda now", "I sold my Skoda"), {}),
    ],
)
def test_what_changes_takes_the_place_of_what_it_was_and_what_is_added_does_not(texts, expected):
    known = {}
    for text in texts:
        known |= facts(text, known)
        known = {topic: value for topic, value in known.items() if value is not None}

    assert known == expected
