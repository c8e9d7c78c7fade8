"""What a correction sets right in one message, in the next one, and in the next run."""

from datetime import UTC, datetime

import pytest
from langchain_core.messages import HumanMessage
from rule_corrections import (
    A_DAY,
    LIMITED,
    NO_DAY,
    NOT_LIMITED,
    NOT_SET_RIGHT,
    SET_RIGHT,
    SET_RIGHT_IN_PASSING,
)

from langgraph_agentmem.nodes.rules import RuleExtractor

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def held_after(*texts, known=(), **options):
    """What is held after these messages, of which each is a list of sentences in one."""
    said = [HumanMessage(text, id=f"m{number}") for number, text in enumerate(texts)]
    known = known or {}
    held = dict(known)
    for each in RuleExtractor().extract(said, known=known, now=NOW, thread_id="t", **options):
        held.pop(each.topic, None)
        if each.value is not None:
            held[each.topic] = each.value
    return held


def held_after_two_runs(first, second, *, asked=False):
    held = held_after(first)
    return held_after(second, known=held, before=HumanMessage(first, id="m"), asked=asked)


@pytest.mark.parametrize(("statement", "words", "expected"), SET_RIGHT)
def test_a_correction_replaces_what_was_just_said(statement, words, expected):
    in_one = statement.rstrip(".") + ". " + words

    assert expected == held_after(in_one)
    assert expected == held_after(statement, words)
    assert expected == held_after_two_runs(statement, words)


@pytest.mark.parametrize(("sentence", "expected"), SET_RIGHT_IN_PASSING.items())
def test_a_sentence_sets_itself_right(sentence, expected):
    assert expected == held_after(sentence)


@pytest.mark.parametrize(("statement", "words"), NOT_SET_RIGHT)
def test_what_is_no_correction_changes_nothing(statement, words):
    expected = held_after(statement)

    assert expected == held_after(statement.rstrip(".") + ". " + words)
    assert expected == held_after(statement, words)
    assert expected == held_after_two_runs(statement, words)


@pytest.mark.parametrize("words", ["No, Munich.", "Actually, Munich.", "Not Berlin, Munich."])
def test_a_correction_needs_something_to_correct(words):
    assert {} == held_after(words)
    assert {"home_city": "Berlin"} == held_after(words, known={"home_city": "Berlin"})


def test_no_after_a_question_of_the_assistant_is_an_answer():
    assert {"home_city": "Berlin"} == held_after_two_runs(
        "I live in Berlin.", "No, Munich.", asked=True
    )
    assert {"home_city": "Munich"} == held_after_two_runs(
        "I live in Berlin.", "Sorry, I meant Munich.", asked=True
    )


def test_a_correction_is_about_the_last_sentence():
    assert {"home_city": "Berlin"} == held_after_two_runs(
        "I live in Berlin. Find me a hotel in Porto.", "No, Lisbon."
    )


def test_what_changed_in_the_meantime_is_not_corrected():
    before = HumanMessage("I live in Berlin.")

    assert {"home_city": "Oslo"} == held_after(
        "No, Munich.", known={"home_city": "Oslo"}, before=before
    )


def test_the_users_own_spelling_of_a_topic_is_kept():
    known = {"Home City": "Oslo"}

    assert {"Home City": "Munich"} == held_after("I live in Berlin. No, Munich.", known=known)


@pytest.mark.parametrize("sentence", LIMITED)
def test_what_holds_only_at_times_is_no_fact(sentence):
    assert {} == held_after(sentence)


@pytest.mark.parametrize(("sentence", "expected"), NOT_LIMITED.items())
def test_what_holds_now_is_a_fact(sentence, expected):
    assert expected == held_after(sentence)


@pytest.mark.parametrize("day", NO_DAY)
def test_a_day_that_never_was_is_no_birthday(day):
    assert {} == held_after(f"My birthday is {day}.", f"I was born on {day}.")


@pytest.mark.parametrize("day", A_DAY)
def test_a_day_is_a_birthday(day):
    assert {"birthday": day} == held_after(f"I was born on {day}.")
