"""Precision and recall of the rules on everyday talk; the half that no rule was made for counts.

A fact counts when its topic is plainly the same (a plural or not) and its value says the same
words; "the 3rd of October" is "3rd of October".
"""

import re
from datetime import UTC, datetime

import everyday_sentences as everyday
import pytest
from langchain_core.messages import HumanMessage

from langgraph_agentmem.extraction.topics import Spelling
from langgraph_agentmem.nodes.rules import RuleExtractor

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def facts(text, known):
    said = [HumanMessage(text, id="m1")]
    found = RuleExtractor().extract(said, known=known, now=NOW, thread_id=None)
    return {each.topic: each.value for each in found}


def plainly(topic, value, spelling):
    words = None if value is None else re.sub(r"^(?:the|an?) |[.']", "", value.casefold())
    return spelling.of(topic), words


def measured(half):
    """True positives, false ones, and misses; and the sentences that are not understood whole."""
    cases = [
        *((text, {}, wanted) for text, wanted in getattr(everyday, f"{half}_STATED").items()),
        *((text, *case) for text, case in getattr(everyday, f"{half}_ENDING").items()),
        *((text, {}, {}) for text in getattr(everyday, f"{half}_TRAPS")),
    ]
    right = wrong = missed = 0
    failed = {}
    for text, known, wanted in cases:
        spelling = Spelling(known)
        expected = {plainly(*fact, spelling) for fact in wanted.items()}
        found = {plainly(*fact, spelling) for fact in facts(text, known).items()}
        right += len(found & expected)
        wrong += len(found - expected)
        missed += len(expected - found)
        if found != expected:
            failed[text] = (found, expected)
    return right, wrong, missed, failed


@pytest.mark.parametrize("half", ["SEEN", "UNSEEN"])
def test_half_of_the_sentences_are_traps(half):
    stated = len(getattr(everyday, f"{half}_STATED")) + len(getattr(everyday, f"{half}_ENDING"))

    assert len(getattr(everyday, f"{half}_TRAPS")) >= stated >= 50


@pytest.mark.parametrize("half", ["SEEN", "UNSEEN"])
def test_the_rules_find_four_of_five_facts_and_invent_none(half):
    right, wrong, missed, failed = measured(half)

    assert wrong == 0, failed
    assert right / (right + missed) >= 0.8


def test_talk_that_no_rule_was_made_for_is_understood_as_well():
    right, wrong, missed, _ = measured("FRESH")

    assert right / (right + missed) >= 0.8
    assert right / (right + wrong) >= 0.95


@pytest.mark.parametrize(
    "trap", [*everyday.SEEN_TRAPS, *everyday.UNSEEN_TRAPS, *everyday.FRESH_TRAPS]
)
def test_a_trap_of_everyday_talk_holds_nothing(trap):
    assert facts(trap, {}) == {}
