"""Whatever a state holds, and wherever it is cut, the model gets a list that it accepts."""

from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.runnables import Runnable
from message_rules import broken_rules
from recalls import recalled

from langgraph_agentmem.errors import BudgetTooSmall
from langgraph_agentmem.nodes.budget import Budget
from langgraph_agentmem.nodes.context import build_context
from langgraph_agentmem.nodes.run import Run
from langgraph_agentmem.nodes.summarize import summarize_old_turns
from langgraph_agentmem.nodes.turns import as_messages, asked_last, cut_points, results_of
from langgraph_agentmem.steps import call_all

BLANK = st.sampled_from(["", " ", "\n\t"])
WORDS = st.sampled_from(["yes", "Pune", "what now?", "a longer answer with ten words in all of it"])
TEXT = st.one_of(WORDS, WORDS, WORDS, BLANK)
BLOCK = st.one_of(
    TEXT,
    TEXT.map(lambda text: {"type": "text", "text": text}),
    st.just({"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}),
)
THOUGHT = st.sampled_from(
    [
        {"type": "thinking", "thinking": "hm", "signature": "signed"},
        {"type": "redacted_thinking", "data": "sealed"},
        {"type": "reasoning", "id": "rs_1", "summary": []},
    ]
)
CONTENT = st.one_of(TEXT, st.lists(BLOCK, min_size=1, max_size=3))
ANSWER = st.one_of(
    CONTENT,
    st.builds(lambda thought, rest: [thought, *rest], THOUGHT, st.lists(BLOCK, max_size=2)),
)
# Some models number their calls anew in each message.
CALL_IDS = st.lists(st.sampled_from(["a", "b", "c", "d"]), min_size=1, max_size=3, unique=True)


def call(one):
    return {"id": one, "name": "find", "args": {"city": "Pune"}}


@st.composite
def exchanges(draw):
    """Calls, parallel or interleaved, and results in any order, missing or twice, with the user
    perhaps talking in between.
    """
    made = [
        AIMessage(draw(ANSWER), tool_calls=[call(one) for one in draw(CALL_IDS)])
        for _ in range(draw(st.integers(1, 2)))
    ]
    asked = [one["id"] for message in made for one in message.tool_calls]
    answered = draw(st.permutations([*asked, *draw(st.lists(st.sampled_from(asked), max_size=1))]))
    kept = draw(st.sampled_from([len(answered), len(answered), len(answered) - 1, 0]))
    results = [ToolMessage(draw(CONTENT), tool_call_id=one) for one in answered[:kept]]
    if draw(st.sampled_from([False, False, True])):
        results.insert(draw(st.integers(0, len(results))), HumanMessage(draw(CONTENT)))
    return [*made, *results]


PIECE = st.one_of(
    CONTENT.map(lambda content: [HumanMessage(content)]),
    CONTENT.map(lambda content: [HumanMessage(content)]),
    ANSWER.map(lambda content: [AIMessage(content)]),
    exchanges(),
    WORDS.map(lambda text: [SystemMessage(text)]),
    st.sampled_from(["a", "z"]).map(lambda one: [ToolMessage("late", tool_call_id=one)]),
    TEXT.map(lambda text: [{"role": "user", "content": text}]),
)


@st.composite
def histories(draw):
    """A conversation of any shape; most messages have an id, some have none."""
    pieces = draw(st.lists(PIECE, max_size=8))
    messages = as_messages([message for piece in pieces for message in piece])
    named = draw(st.sampled_from([True, True, False]))
    for index, message in enumerate(messages):
        message.id = str(index) if named or index % 3 else None
    return messages


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
    """What the messages say, whatever blanks or pictures stand between."""
    return "".join("".join(str(message.text).split()) for message in messages).replace(
        "[image]", ""
    )


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


@given(
    messages=histories(),
    trigger=st.integers(1, 12),
    keep=st.integers(1, 6),
    budget=st.integers(1, 200),
)
def test_after_any_summary_the_list_is_legal_and_nothing_is_lost(messages, trigger, keep, budget):
    model = Summarizer()
    node = summarize_old_turns(model, trigger=("messages", trigger), keep=("messages", keep))
    state = {"messages": messages, "memories": recalled()}
    update = call_all(node.work(state, Run(config={})))

    view = seen_or_none({**state, **update}, budget=1_000_000)
    tight = seen_or_none({**state, **update}, budget=budget, token_counter=words)

    assert broken_rules(view, messages or [AIMessage("none")]) == []
    assert tight is None or broken_rules(tight, messages or [AIMessage("none")]) == []
    read = letters(*(prompt for shown in model.shown for prompt in shown), *view)
    for message in messages:
        if not isinstance(message, ToolMessage):
            assert letters(message) in read
