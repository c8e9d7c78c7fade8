"""Whatever a state holds, and wherever it is cut, the model gets a list that it accepts."""

import re
from collections.abc import Mapping

from histories import good_histories, histories
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.runnables import Runnable
from langgraph.graph.message import add_messages
from message_rules import broken_rules
from recalls import recalled

from langgraph_agentmem import trim
from langgraph_agentmem.errors import BudgetTooSmall
from langgraph_agentmem.nodes.budget import Budget
from langgraph_agentmem.nodes.context import build_context
from langgraph_agentmem.nodes.run import Run
from langgraph_agentmem.nodes.summarize import summarize_old_turns
from langgraph_agentmem.nodes.turns import asked_last, cut_points, results_of
from langgraph_agentmem.steps import call_all

BUDGETS = st.one_of(
    st.integers(1, 400),
    st.builds(
        Budget,
        total=st.integers(1, 400),
        summary=st.floats(0, 0.3),
        memories=st.floats(0, 0.3),
        turns=st.floats(0, 0.4),
    ),
)
RECALLS = st.sampled_from(
    [
        recalled(),
        recalled({"allergy": "peanuts"}, {"home_city": "Pune", "seat": "aisle"}),
        recalled({}, {f"topic_{i}": "word " * i for i in range(9)}),
    ]
)


def words(messages):
    return sum(len(str(message.text).split()) for message in messages)


def letters(*messages):
    """What the messages say, whatever blanks, or marks for what is no text, stand between."""
    said = "".join("".join(str(message.text).split()) for message in messages)
    return re.sub(r"\[\w+\]", "", said)


def seen_or_none(state: Mapping, **options):
    try:
        return build_context(state, **options)
    except BudgetTooSmall:
        return None


@given(messages=histories(), recall=RECALLS, budget=BUDGETS, data=st.data())
def test_every_list_is_legal_and_fits(messages, recall, budget, data):
    through = data.draw(st.sampled_from([message.id for message in messages] or [None]))
    summary = through and {"text": "They met. " * 9, "exact": ["INC-1"], "through": through}
    state = {"messages": messages, "memories": recall, "summary": summary}

    view = seen_or_none(state, system="Be brief.", budget=budget, token_counter=words)

    if view is not None:
        assert broken_rules(view, messages or [AIMessage("none")]) == []
        assert words(view) <= Budget.of(budget).total


@given(messages=histories(), recall=RECALLS)
def test_with_room_enough_nothing_that_can_be_said_is_left_out(messages, recall):
    view = build_context({"messages": messages, "memories": recall}, budget=1_000_000)

    shown = letters(*view)
    answered = results_of(messages)
    reached = {index for results in answered.values() for index in results.values()}
    for index, message in enumerate(messages):
        if not isinstance(message, ToolMessage) or index in reached:
            assert letters(message) in shown
    for memory in recall.memories:
        assert letters(HumanMessage(memory.text)) in shown


@given(messages=histories(), recall=RECALLS, budget=BUDGETS)
def test_the_users_last_words_always_reach_the_model(messages, recall, budget):
    state = {"messages": messages, "memories": recall}

    view = seen_or_none(state, budget=budget, token_counter=words)

    if view is not None:
        asked = letters(HumanMessage(asked_last(messages)))
        assert any(asked in letters(said) for said in view if isinstance(said, HumanMessage))


@given(messages=histories())
def test_no_tool_exchange_spans_a_cut(messages):
    for cut in cut_points(messages):
        for asked, results in results_of(messages).items():
            assert {asked < cut} == {place < cut for place in (asked, *results.values())}


class Summarizer(Runnable):
    """Stands for a model: keeps what it was shown and answers with a word."""

    def __init__(self):
        self.shown = []

    def invoke(self, messages, config=None, **_options):
        self.shown.append(messages)
        return AIMessage("S")


def after(node, state):
    """The state after a node, its messages added as `MessagesState` adds them."""
    update = call_all(node.work(state, Run(config={})))
    if "messages" in update:
        update["messages"] = add_messages(state["messages"], update["messages"])
    return {**state, **update}


KEEPING = st.one_of(
    st.integers(1, 6).map(lambda count: ("messages", count)),
    st.integers(1, 40).map(lambda count: ("tokens", count)),
)


@given(
    messages=histories(),
    trigger=st.integers(1, 12),
    keep=KEEPING,
    remove=st.booleans(),
    budget=st.integers(1, 200),
)
def test_after_any_summary_the_list_is_legal_and_nothing_is_lost(
    messages, trigger, keep, remove, budget
):
    model = Summarizer()
    node = summarize_old_turns(
        model, trigger=("messages", trigger), keep=keep, remove=remove, reads=50, most_calls=99
    )
    state = after(node, {"messages": messages, "memories": recalled()})

    view = seen_or_none(state, budget=1_000_000)
    tight = seen_or_none(state, budget=budget, token_counter=words)

    assert broken_rules(view, messages or [AIMessage("none")]) == []
    assert tight is None or broken_rules(tight, messages or [AIMessage("none")]) == []
    read = letters(*(prompt for shown in model.shown for prompt in shown), *view)
    for message in messages:
        if not isinstance(message, ToolMessage):
            assert letters(message) in read


@given(
    messages=good_histories(), trigger=st.integers(1, 12), keep=KEEPING, rounds=st.integers(1, 3)
)
def test_a_state_from_which_messages_were_removed_is_itself_a_list_that_providers_accept(
    messages, trigger, keep, rounds
):
    node = summarize_old_turns(Summarizer(), trigger=("messages", trigger), keep=keep, remove=True)
    state = {"messages": messages}
    assert broken_rules(messages) == []

    for _ in range(rounds):
        state = after(node, state)

        assert broken_rules(state["messages"], messages) == []
        assert state["messages"][-1] is messages[-1]


@given(messages=histories(), recall=RECALLS, budget=st.integers(1, 400))
def test_every_window_is_legal_and_fits(messages, recall, budget):
    try:
        view = trim(messages, budget=budget, memories=recall, token_counter=words)
    except BudgetTooSmall:
        return

    assert broken_rules(view, messages or [AIMessage("none")]) == []
    assert words(view) <= budget


@given(messages=good_histories())
def test_a_good_history_comes_back_as_the_objects_that_it_is(messages):
    window = [one for one in trim(messages, budget=1_000_000) if not isinstance(one, SystemMessage)]

    said = [one for one in messages if not isinstance(one, SystemMessage)]
    # Thinking alone leaves settled turns.
    assert all(
        mine is theirs or "signature" in str(theirs.content)
        for mine, theirs in zip(window, said, strict=True)
    )
