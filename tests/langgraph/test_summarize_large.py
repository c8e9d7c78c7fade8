"""Summaries of what is large, edited, forgotten, or made by a model that misbehaves."""

import asyncio
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, HumanMessage, RemoveMessage, ToolMessage
from langchain_core.runnables import RunnableLambda
from langgraph.checkpoint.memory import InMemorySaver
from summarizing import THREAD, Telling, chat_graph, ids, told, turns

from langgraph_agentmem import build_context, summarize_old_turns
from langgraph_agentmem.nodes.parts import parts_of, shortened

REDUCED = {"trigger": ("messages", 2), "keep": ("messages", 1)}


def words(messages):
    return sum(len(str(message.text).split()) for message in messages)


def names(said):
    return [event["agentmem"] for event in said]


def open_turn():
    return [HumanMessage("open", id="q")]


# In parts ----------------------------------------------------------------------------------------


def test_what_is_larger_than_the_summarizer_reads_is_shown_in_parts_each_with_the_summary_so_far():
    telling = Telling()
    node = summarize_old_turns(telling.model, **REDUCED, reads=12, token_counter=words)

    update, said = told(node, {"messages": [*turns(4), *open_turn()]})

    lines = [line for part in telling.shown for line in part.splitlines()]
    assert [
        f"{who} {n}" for n in range(4) for who in ("User: question", "Assistant: reply")
    ] == lines
    assert 2 == len(telling.prompts)
    assert "<previous_summary>" not in telling.prompts[0]
    assert "<previous_summary>\nS1\n</previous_summary>" in telling.prompts[1]
    assert "S2" == update["summary"]["text"]
    assert ["summarizing", "summarizing", "summarized"] == names(said)


def test_one_message_larger_than_the_summarizer_reads_is_shown_whole_in_pieces():
    telling = Telling()
    node = summarize_old_turns(telling.model, **REDUCED, reads=20, token_counter=words)
    large = " ".join(f"w{n}" for n in range(100))

    update, _ = told(node, {"messages": [HumanMessage(large, id="1"), *open_turn()]})

    assert large.replace(" ", "") == "".join(telling.shown)[5:].replace(" ", "").replace("\n", "")
    assert all(len(shown.split()) <= 22 for shown in telling.shown)
    assert 5 <= len(telling.prompts) <= 8
    assert "1" == update["summary"]["through"]


@given(st.lists(st.text("ab \n", max_size=60), max_size=12), st.integers(1, 30))
def test_every_part_but_a_single_letter_fits_and_nothing_is_left_out(said, most):
    messages = [HumanMessage(text) for text in said]

    def letters(those):
        return sum(len(one.content) for one in those)

    parts = parts_of(messages, most, letters)

    for count in range(len(messages) + 1):
        texts = parts.texts(count)
        assert len(texts) == parts.needed(count)
        assert all(len(text.replace("\n", "")) <= most for text in texts)
        whole = "".join(f"User: {' '.join(text.split())}" for text in said[:count] if text.strip())
        assert whole.replace(" ", "") == "".join(texts).replace("\n", "").replace(" ", "")


def test_a_history_that_takes_too_many_calls_is_summarized_over_several_runs():
    telling = Telling()
    node = summarize_old_turns(telling.model, **REDUCED, reads=6, most_calls=2, token_counter=words)
    state = {"messages": [*turns(5), *open_turn()]}

    reached = []
    for _ in range(9):
        update, said = told(node, state)
        state |= update
        reached.append(update.get("summary", {}).get("through"))
        assert "kept_over_limit" not in names(said)

    assert ["a1", "a3", "a4"] == [one for one in reached if one]
    said = "\n".join(telling.shown)
    assert all(said.count(f"question {n}") == 1 for n in range(5))


def test_of_one_turn_that_takes_too_many_calls_both_ends_are_shown_and_that_is_said():
    telling = Telling()
    node = summarize_old_turns(
        telling.model, **REDUCED, reads=10, most_calls=3, token_counter=words
    )
    large = " ".join(f"w{n}" for n in range(100))

    update, said = told(node, {"messages": [HumanMessage(large, id="1"), *open_turn()]})

    [in_part] = [event for event in said if event["agentmem"] == "shown_in_part"]
    assert in_part["parts"] > 0
    assert 3 == len(telling.prompts)
    assert "w0" in telling.shown[0].split()
    assert "w99" in telling.shown[2].split()
    assert "1" == update["summary"]["through"]


def test_a_summary_that_is_too_long_is_cut_and_that_is_said():
    node = summarize_old_turns(
        Telling("word " * 100).model, **REDUCED, longest=10, token_counter=words
    )

    update, said = told(node, {"messages": [*turns(2), *open_turn()]})

    assert words([HumanMessage(update["summary"]["text"])]) <= 10
    assert "summary_cut" in names(said)


@pytest.mark.parametrize(
    ("text", "room", "cut"),
    [
        ("one two three", 99, "one two three"),
        ("one two three", 9, "one two …"),
        ("我下个月想带家人去成都旅游" * 9, 12, "我下个月想带家人去成 …"),
        ("one", 2, ""),
        ("", 0, ""),
    ],
)
def test_a_text_is_cut_between_words_where_it_has_some(text, room, cut):
    assert cut == shortened(text, room, len)


def test_exact_values_beyond_their_number_leave_and_are_counted():
    ids_said = " ".join(f"INC-{n}" for n in range(6))
    result = ToolMessage("BK-1 BK-2", tool_call_id="c")
    call = AIMessage("", tool_calls=[{"id": "c", "name": "f", "args": {}}])
    messages = [HumanMessage(ids_said, id="1"), call, result, AIMessage("ok", id="4"), *open_turn()]
    node = summarize_old_turns(Telling().model, **REDUCED, most_exact=4)
    before = {"text": "S", "exact": ["OLD-1"], "through": "gone"}

    update, said = told(node, {"messages": messages, "summary": before})

    assert ["INC-2", "INC-3", "INC-4", "INC-5"] == update["summary"]["exact"]
    assert {"agentmem": "exact_left_out", "values": 5, "unread_characters": 0} in said


def test_ten_megabytes_in_one_message_stop_nobody():
    telling = Telling()
    large = "word INC-1 " * 1_000_000
    node = summarize_old_turns(telling.model, **REDUCED)

    update, said = told(node, {"messages": [HumanMessage(large, id="1"), *open_turn()]})
    view = build_context({"messages": [HumanMessage(large, id="1"), *open_turn()]})

    assert "1" == update["summary"]["through"]
    assert ["INC-1"] == update["summary"]["exact"]
    assert {"shown_in_part", "exact_left_out"} <= set(names(said))
    assert 8 == len(telling.prompts)
    assert ["q"] == ids(view)


# Edited and forgotten ----------------------------------------------------------------------------


@pytest.fixture
def summarized():
    """A state whose first turns are summarized, and the node that did it."""
    telling = Telling()
    node = summarize_old_turns(telling.model, **REDUCED)
    messages = [HumanMessage("budget is €500", id="b"), *turns(2), *open_turn()]
    state = {"messages": messages}
    return {**state, **node.invoke(state)}, node, telling


def edited(state, message):
    return {
        **state,
        "messages": [message if one.id == message.id else one for one in state["messages"]],
    }


def test_a_message_that_was_edited_is_shown_again_until_the_summary_is_made_anew(summarized):
    state, node, telling = summarized
    state = edited(state, HumanMessage("budget is €900", id="b"))

    view = build_context(state)
    update, said = told(node, state)

    assert "budget is €900" in [message.content for message in view]
    assert not any("S1" in str(message.content) for message in view)
    assert ["summary_outdated", "summarizing", "summarized"] == names(said)
    assert "<previous_summary>" not in telling.prompts[-1]
    assert "budget is €900" in telling.shown[-1]
    assert ["€900"] == update["summary"]["exact"]


def test_a_message_that_was_deleted_no_longer_stands_in_the_summary(summarized):
    state, node, telling = summarized
    state["messages"] = [one for one in state["messages"] if one.id != "b"]

    update, _ = told(node, state)

    assert [] == update["summary"]["exact"]
    assert "€500" not in telling.prompts[-1]


def test_a_tools_result_that_was_shortened_costs_no_new_summary():
    telling = Telling()
    node = summarize_old_turns(telling.model, **REDUCED)
    call = AIMessage("", id="2", tool_calls=[{"id": "c", "name": "f", "args": {}}])
    result = ToolMessage("x" * 99, tool_call_id="c", id="3")
    messages = [HumanMessage("a", id="1"), call, result, AIMessage("b", id="4"), *open_turn()]
    state = {"messages": messages}
    state |= node.invoke(state)
    state = edited(state, ToolMessage("[cleared]", tool_call_id="c", id="3"))

    assert {} == node.invoke(state)
    assert ["q"] == ids(build_context(state))


def test_a_summary_in_which_something_was_forgotten_is_made_anew(summarized):
    state, node, telling = summarized
    state["summary"] = {**state["summary"], "text": "Has [forgotten].", "stale": True}
    state = edited(state, HumanMessage("[forgotten]", id="b"))

    view = build_context(state)
    update, _ = told(node, state)

    assert not any("Has" in str(message.content) for message in view)
    assert "Has" not in telling.prompts[-1]
    assert [] == update["summary"]["exact"]
    assert "stale" not in update["summary"]


def test_of_a_forgotten_summary_whose_messages_are_gone_the_exact_values_are_left():
    telling = Telling()
    node = summarize_old_turns(telling.model, **REDUCED, remove=True)
    state = {
        "messages": [*turns(2), *open_turn()],
        "summary": {
            "text": "Lives by the sea.",
            "exact": ["INC-1", "[forgotten]"],
            "through": "gone",
            "check": None,
            "stale": True,
        },
    }

    view = build_context(state)
    update, _ = told(node, state)

    assert "by the sea" not in view[0].content
    assert "- INC-1" in view[0].content
    assert "forgotten" not in view[0].content
    assert "by the sea" not in telling.prompts[0]
    assert ["INC-1"] == update["summary"]["exact"]


@pytest.mark.parametrize("remove", [True, False])
def test_what_memory_forgets_leaves_the_summary_the_exact_list_and_the_next_prompt(
    memory, path, remove
):
    telling = Telling("The user's phone is +49 151 2345678, S{}.")
    node = summarize_old_turns(telling.model, **REDUCED, remove=remove)
    graph = chat_graph(node, checkpointer=memory.checkpointer, store=memory.store)
    said = HumanMessage("My phone is +49 151 2345678, INC-4471 too", id="p")
    graph.invoke({"messages": [said, AIMessage("ok", id="k"), *open_turn()]}, THREAD)
    memory.for_user("u1").remember("phone", "+49 151 2345678")

    memory.for_user("u1").forget("phone")
    state = graph.get_state(THREAD).values
    telling.answer = "S{}"
    values = graph.invoke({"messages": [HumanMessage("next", id="n")]}, THREAD)

    assert "2345678" not in str(state["summary"])
    assert ["INC-4471"] == state["summary"]["exact"]
    assert "2345678" not in telling.prompts[-1]
    assert "2345678" not in str(values)
    assert "INC-4471" in values["summary"]["exact"]
    memory.close()
    assert b"2345678" not in path.read_bytes()


# Models that misbehave ---------------------------------------------------------------------------


class Hanging:
    """A model that answers only when it is released."""

    def __init__(self):
        self.release = threading.Event()
        self.model = RunnableLambda(self._wait, self._await)

    def _wait(self, _messages):
        self.release.wait(200)
        return AIMessage("late")

    async def _await(self, _messages):
        await asyncio.sleep(200)


async def test_a_model_that_hangs_costs_its_time_limit_and_nothing_else():
    hanging = Hanging()
    node = summarize_old_turns(hanging.model, **REDUCED, timeout=0.05)
    graph = chat_graph(node, checkpointer=InMemorySaver())
    given = {"messages": [*turns(2), *open_turn()]}

    said = list(graph.stream(given, THREAD, stream_mode="custom"))
    other = {"configurable": {"thread_id": "async"}}
    awaited = [event async for event in graph.astream(given, other, stream_mode="custom")]
    hanging.release.set()

    for events, thread in ((said, THREAD), (awaited, other)):
        assert ["summarizing", "summary_failed"] == names(events)
        assert "TimeoutError" == events[-1]["error"]
        values = graph.get_state(thread).values
        assert "answer" == values["messages"][-1].content
        assert "summary" not in values


def test_a_model_that_fails_in_a_later_part_leaves_nothing_half_written():
    telling = Telling()

    def fail_at_second(messages):
        if telling.prompts:
            raise ConnectionError("secret words of the user")
        return telling.model.invoke(messages)

    node = summarize_old_turns(
        RunnableLambda(fail_at_second), **REDUCED, remove=True, reads=12, token_counter=words
    )

    update, said = told(node, {"messages": [*turns(4), *open_turn()]})

    assert {} == update
    assert {"agentmem": "summary_failed", "error": "ConnectionError"} == said[-1]


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (AIMessage(""), "EmptySummary"),
        (AIMessage(" ... "), "EmptySummary"),
        (AIMessage("", tool_calls=[{"id": "c", "name": "f", "args": {}}]), "EmptySummary"),
        (None, "EmptySummary"),
        ({"summary": "x"}, "EmptySummary"),
        (AIMessage("Sure: <transcript> User: hi"), "PromptRepeated"),
    ],
)
@pytest.mark.parametrize("remove", [True, False])
def test_a_reply_that_is_no_summary_changes_nothing_and_is_named(reply, error, remove):
    node = summarize_old_turns(RunnableLambda(lambda _: reply), **REDUCED, remove=remove)

    update, said = told(node, {"messages": [*turns(2), *open_turn()]})

    assert {} == update
    assert {"agentmem": "summary_failed", "error": error} == said[-1]


@pytest.mark.parametrize("option", ["reads", "most_calls", "longest", "most_exact", "timeout"])
@pytest.mark.parametrize("wrong", [0, -1, True, "5"])
def test_a_limit_that_is_no_number_above_0_is_refused_when_the_node_is_made(option, wrong):
    with pytest.raises(ValueError, match=option):
        summarize_old_turns(Telling().model, **{option: wrong})


def test_a_key_that_holds_something_else_is_named():
    node = summarize_old_turns(Telling().model, **REDUCED)

    with pytest.raises(TypeError, match="summary_key"):
        node.invoke({"messages": [*turns(2), *open_turn()], "summary": ["a", "list"]})


def test_a_summary_of_ones_own_is_shown_and_taken_over():
    telling = Telling()
    node = summarize_old_turns(telling.model, **REDUCED)
    state = {"messages": [*turns(2), *open_turn()], "summary": "They met."}

    assert "They met." in build_context(state)[0].content
    assert "S1" == node.invoke(state)["summary"]["text"]
    assert "They met." in telling.prompts[0]


def test_removals_in_the_state_are_no_messages():
    node = summarize_old_turns(Telling().model, **REDUCED)
    state = {"messages": [RemoveMessage(id="x"), *turns(2), *open_turn()]}

    assert "a1" == node.invoke(state)["summary"]["through"]
