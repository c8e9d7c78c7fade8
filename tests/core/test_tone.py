"""Irony, letters of others, one occasion, other languages: by the rules and by the grounding."""

from datetime import UTC, datetime

import pytest
import tone_sentences as tone
from langchain_core.messages import HumanMessage

from langgraph_agentmem.extraction.topics import Spelling
from langgraph_agentmem.nodes.grounding import bears_out
from langgraph_agentmem.nodes.rules import RuleExtractor

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def facts(text, known=None):
    said = [HumanMessage(text, id="m1")]
    found = RuleExtractor().extract(said, known=known or {}, now=NOW, thread_id=None)
    return {each.topic: each.value for each in found}


def plainly(found, spelling):
    return {(spelling.of(topic), value and value.casefold()) for topic, value in found.items()}


@pytest.mark.parametrize("look", ["FIRST", "SECOND"])
def test_what_is_said_in_earnest_is_found_and_nothing_is_invented(look):
    right = missed = 0
    stated = {text: ({}, wanted) for text, wanted in getattr(tone, f"{look}_STATED").items()}
    for text, (known, wanted) in (stated | getattr(tone, f"{look}_ENDING")).items():
        spelling = Spelling(known)
        expected, found = (plainly(each, spelling) for each in (wanted, facts(text, known)))
        assert found <= expected, text
        right += len(found)
        missed += len(expected - found)

    assert right / (right + missed) >= 0.9


@pytest.mark.parametrize(
    "trap", [*tone.FIRST_TRAPS, *tone.SECOND_TRAPS, *tone.MORE_TRAPS, *tone.FAMOUS]
)
def test_what_is_not_said_in_earnest_of_oneself_is_left_alone(trap):
    assert facts(trap) == {}


@pytest.mark.parametrize("text", tone.NOT_ENGLISH)
def test_nothing_is_stated_of_what_is_not_english(text):
    assert facts(text) == {}


@pytest.mark.parametrize(("text", "topic", "value"), tone.PROPOSED)
def test_a_careless_model_is_not_believed(text, topic, value):
    assert not bears_out(text, topic=topic, value=value, quote=text, ends=False)
    assert not bears_out(text, topic=topic, value=value, quote="", ends=False)


@pytest.mark.parametrize(("text", "topic", "value"), tone.BORNE_OUT)
def test_a_careful_model_is_believed_in_any_language(text, topic, value):
    assert bears_out(text, topic=topic, value=value, quote=text, ends=False)


def test_not_by_itself_takes_back_what_was_said_before():
    assert facts("I live in Porto. Not!") == {}
    assert facts("I live in Porto. Not in Lisbon.") == {"home_city": "Porto"}
