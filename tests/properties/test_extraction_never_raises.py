"""Whatever is said, and whatever a model answers to it, reading it raises nothing."""

import json
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, HumanMessage

from langgraph_agentmem.extraction.learning import readable
from langgraph_agentmem.model import Candidate, Source
from langgraph_agentmem.nodes.asking import Fact, UnreadableFacts, facts_in
from langgraph_agentmem.nodes.grounding import bears_out
from langgraph_agentmem.nodes.rules import RuleExtractor
from langgraph_agentmem.policy import CATEGORIES, careful

WORDS = st.sampled_from(
    [
        *("I'm", "I", "my", "My friend", "he", "said", "live in", "Oslo", "allergic to", "nuts"),
        *("not", "no longer", "?", ",", ".", "'", '"', "\n", "and", "daughter is called", "Asha"),
        *("vegan", "yesterday", "actually,", "No,", "if", "in 3 days", "my budget is", "100 euros"),
        *("ich", "nicht", "私は", "दिल्ली", "\ufffc", "\u200b", "<messages>", "```", ">", "{}"),
    ]
)
TALK = st.one_of(st.text(max_size=200), st.lists(WORDS, max_size=25).map(" ".join))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TALK,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["facts", "topic", "value", "ends", "quote"]) | st.text(max_size=5),
            inner,
            max_size=5,
        )
    ),
    max_leaves=12,
)
NOW = datetime(2026, 3, 1, tzinfo=UTC)


@given(TALK, TALK, st.dictionaries(st.text(min_size=1, max_size=12), TALK, max_size=3))
def test_rules_read_any_talk(before, text, known):
    found = RuleExtractor().extract(
        [HumanMessage(text, id="m1")],
        known=known,
        now=NOW,
        thread_id=None,
        before=HumanMessage(before, id="m0"),
    )

    assert all(each.source.message_ids == ("m1",) for each in found)


@given(TALK, TALK, TALK, TALK, st.booleans())
def test_any_claim_about_any_talk_is_judged(text, topic, value, quote, ends):
    assert bears_out(text, topic=topic, value=value, quote=quote, ends=ends) in {True, False}


@given(JSON, st.booleans(), st.integers(0, 40))
def test_any_answer_is_read_or_said_to_be_unreadable(answer, in_a_tool, cut):
    text = json.dumps(answer)
    message = AIMessage(text[: len(text) - cut])
    if in_a_tool:
        message = AIMessage(
            "", tool_calls=[{"name": "Facts", "args": {"facts": answer}, "id": "1"}]
        )
    try:
        facts, useless = facts_in({"raw": message, "parsed": None, "parsing_error": None})
    except UnreadableFacts:
        return

    assert all(isinstance(fact, Fact) for fact in facts)
    assert useless >= 0


@given(st.one_of(JSON, st.lists(JSON | TALK.map(HumanMessage), max_size=5)))
def test_anything_in_the_place_of_messages_is_read_as_far_as_it_goes(found):
    counted = []

    messages = readable(found, lambda _, count: counted.append(count))

    assert len(counted) <= 1
    assert all(hasattr(message, "content") for message in messages)


@given(TALK, JSON)
def test_the_policy_has_an_answer_for_everything(topic, value):
    answer = careful(Candidate(topic=topic, value=value, source=Source()))

    assert answer is None or isinstance(answer, str) or set(answer.categories) <= set(CATEGORIES)
