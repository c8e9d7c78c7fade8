"""Any list of messages becomes whole, legal turns, and what is legal stays as it is."""

import pytest
from langchain_core.messages import (
    AIMessage,
    HumanMessage,
    RemoveMessage,
    SystemMessage,
    ToolMessage,
)
from message_rules import broken_rules

from langgraph_agentmem.nodes.turns import (
    ASSISTANT_FIRST,
    NO_OUTPUT,
    NO_RESULT,
    NO_TEXT,
    NOTHING_NEW,
    as_messages,
    asked_last,
    covered,
    cut_points,
    has_bound_thinking,
    turns_of,
)


def calls(*ids, content="", **fields):
    return AIMessage(
        content, tool_calls=[{"id": one, "name": "find", "args": {}} for one in ids], **fields
    )


def result(call, content="found", **fields):
    return ToolMessage(content, tool_call_id=call, **fields)


def flat(turns):
    return [message for turn in turns for message in turn]


THOUGHT = {"type": "thinking", "thinking": "hm", "signature": "signed"}
SAID = {"type": "text", "text": "Yes."}


# Reading what a state holds --------------------------------------------------------------------


def test_dicts_and_tuples_are_messages_too():
    read = as_messages([{"role": "user", "content": "hi"}, ("ai", "hello")])

    assert [HumanMessage("hi"), AIMessage("hello")] == read


def test_removals_are_no_messages():
    assert [HumanMessage("hi")] == as_messages([RemoveMessage(id="1"), HumanMessage("hi")])


def test_a_state_without_messages_is_an_empty_conversation():
    assert [] == as_messages(None)


@pytest.mark.parametrize(
    ("messages", "asked"),
    [
        ([], ""),
        ([AIMessage("hello")], ""),
        ([HumanMessage("  ")], ""),
        ([HumanMessage(" Pune? ")], "Pune?"),
        ([HumanMessage("Pune?"), calls("c"), result("c")], "Pune?"),
        ([HumanMessage([{"type": "image_url", "image_url": "x"}, SAID])], "Yes."),
    ],
)
def test_the_question_is_the_text_of_the_users_last_message(messages, asked):
    assert asked == asked_last(messages)


# Where a list may be cut -----------------------------------------------------------------------


def test_a_cut_falls_where_a_user_turn_starts():
    messages = [HumanMessage("a"), AIMessage("b"), HumanMessage("c"), AIMessage("d")]

    assert [0, 2] == cut_points(messages)


def test_no_cut_falls_inside_a_tool_exchange_that_the_user_talked_into():
    messages = [
        HumanMessage("find both"),
        calls("c1", "c2"),
        result("c1"),
        HumanMessage("hurry"),
        result("c2"),
        AIMessage("done"),
        HumanMessage("thanks"),
    ]

    assert [0, 6] == cut_points(messages)


def test_a_call_that_was_never_answered_does_not_forbid_cuts_for_ever():
    messages = [HumanMessage("find"), calls("c1"), HumanMessage("never mind")]

    assert [0, 2] == cut_points(messages)


def test_call_ids_that_a_model_uses_anew_in_each_turn_do_not_tie_the_turns_together():
    messages = [
        HumanMessage("a"),
        calls("call_0"),
        result("call_0"),
        HumanMessage("b"),
        calls("call_0"),
        result("call_0"),
    ]

    assert [0, 3] == cut_points(messages)


# Turns -----------------------------------------------------------------------------------------


def test_legal_messages_are_handed_on_as_the_objects_that_they_are():
    messages = [
        HumanMessage("find both"),
        calls("c1", "c2"),
        result("c2"),
        result("c1"),
        AIMessage("done"),
        HumanMessage("and now?"),
    ]

    turns = turns_of(messages)

    assert [5, 1] == [len(turn) for turn in turns]
    assert all(a is b for a, b in zip(messages, flat(turns), strict=True))


def test_interleaved_exchanges_are_put_in_order():
    first, second, one, two = calls("A"), calls("B"), result("A"), result("B")

    [turn] = turns_of([HumanMessage("q"), first, second, one, two])

    assert [HumanMessage("q"), first, one, second, two] == turn


def test_a_result_that_came_after_the_users_next_words_returns_to_its_call():
    call, late = calls("c1"), result("c1")

    turns = turns_of([HumanMessage("find"), call, HumanMessage("hurry"), late])

    assert [[HumanMessage("find"), call, late], [HumanMessage("hurry")]] == turns


def test_a_call_that_was_never_answered_gets_a_result_that_says_so():
    call = calls("c1", "c2")

    settled, _ = turns_of([HumanMessage("find"), call, result("c2"), HumanMessage("never mind")])

    assert settled[1] is call
    assert [("c2", "found"), ("c1", NO_RESULT)] == [
        (message.tool_call_id, message.content) for message in settled[2:]
    ]


def test_results_without_a_call_are_left_out():
    turns = turns_of([result("gone"), HumanMessage("hi"), result("gone too")])

    assert [[HumanMessage("hi")]] == turns


def test_of_two_results_of_one_call_the_later_one_counts():
    call = calls("c1")

    [turn] = turns_of([HumanMessage("q"), call, result("c1", "timeout"), result("c1", "Pune")])

    assert [HumanMessage("q"), call, result("c1", "Pune")] == turn


def test_a_call_without_an_id_cannot_be_answered_and_is_left_out():
    assert [[HumanMessage("q")]] == turns_of([HumanMessage("q"), calls(None)])


def test_system_messages_are_not_part_of_a_turn():
    turns = turns_of([SystemMessage("a"), HumanMessage("hi"), SystemMessage("b")])

    assert [[HumanMessage("hi")]] == turns


@pytest.mark.parametrize(
    ("messages", "legal"),
    [
        pytest.param([], [HumanMessage(ASSISTANT_FIRST)], id="nothing"),
        pytest.param(
            [AIMessage("Which city?"), HumanMessage("Pune")],
            [HumanMessage(ASSISTANT_FIRST), AIMessage("Which city?"), HumanMessage("Pune")],
            id="the assistant spoke first",
        ),
        pytest.param(
            [HumanMessage("hi"), AIMessage("hello")],
            [HumanMessage("hi"), AIMessage("hello"), HumanMessage(NOTHING_NEW)],
            id="the assistant spoke last",
        ),
        pytest.param([HumanMessage(" \n")], [HumanMessage(NO_TEXT)], id="a blank user"),
        pytest.param(
            [HumanMessage("q"), calls("c"), result("c", "")],
            [HumanMessage("q"), calls("c"), result("c", NO_OUTPUT)],
            id="a blank result",
        ),
        pytest.param(
            [HumanMessage("q"), AIMessage(""), HumanMessage("hello?")],
            [HumanMessage("q"), HumanMessage("hello?")],
            id="a blank answer",
        ),
        pytest.param(
            [HumanMessage("q"), calls("c", content="\n\n"), result("c")],
            [HumanMessage("q"), calls("c"), result("c")],
            id="blank text beside a call",
        ),
        pytest.param(
            [HumanMessage([{"type": "text", "text": " "}, {"type": "image", "url": "x"}])],
            [HumanMessage([{"type": "image", "url": "x"}])],
            id="a blank block",
        ),
        pytest.param(
            [HumanMessage("q"), AIMessage([THOUGHT]), HumanMessage("hello?")],
            [HumanMessage("q"), HumanMessage("hello?")],
            id="an answer of thinking alone",
        ),
    ],
)
def test_what_no_provider_takes_is_mended(messages, legal):
    mended = flat(turns_of(messages))

    assert legal == mended
    assert [] == broken_rules(mended)


def test_settled_turns_carry_no_thinking_and_the_open_turn_keeps_its_own():
    answer = AIMessage([THOUGHT, SAID], id="a1", response_metadata={"model": "m"})
    call = calls("c1", content=[THOUGHT, SAID], id="a2")

    settled, open_turn = turns_of(
        [HumanMessage("q"), answer, HumanMessage("find"), call, result("c1")]
    )

    assert answer.model_copy(update={"content": [SAID]}) == settled[1]
    assert open_turn[1] is call
    assert [THOUGHT, SAID] == answer.content


def test_openai_reasoning_stays_with_what_it_led_to():
    answer = AIMessage([{"type": "reasoning", "id": "rs_1"}, SAID], id="msg_1")

    settled, _ = turns_of([HumanMessage("q"), answer, HumanMessage("thanks")])

    assert settled[1] is answer


@pytest.mark.parametrize(
    ("content", "bound"), [("text", False), ([SAID], False), ([THOUGHT, SAID], True)]
)
def test_thinking_is_bound_to_what_stood_before_it(content, bound):
    assert bound is has_bound_thinking([HumanMessage("q"), AIMessage(content)])


# What a summary stands for ---------------------------------------------------------------------

HISTORY = [
    HumanMessage("a", id="1"),
    AIMessage("b", id="2"),
    HumanMessage("c", id="3"),
    AIMessage("d", id="4"),
]


@pytest.mark.parametrize(
    ("through", "hidden"),
    [
        pytest.param(None, 0, id="no summary"),
        pytest.param("2", 2, id="a settled turn"),
        pytest.param("gone", 0, id="a message that is gone"),
        pytest.param("4", 2, id="never the open turn"),
    ],
)
def test_a_summary_hides_what_it_covers(through, hidden):
    assert hidden == covered(HISTORY, through)


def test_a_conversation_without_a_user_hides_nothing():
    assert 0 == covered([AIMessage("hello", id="1")], "1")
