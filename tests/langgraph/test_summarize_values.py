"""No value is lost between the window and the list of exact values, whoever summarizes."""

import string

from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.runnables import RunnableLambda
from langgraph.graph.message import add_messages

from langgraph_agentmem.nodes.context import build_context
from langgraph_agentmem.nodes.summarize import summarize_old_turns

LETTERS = st.text(string.ascii_uppercase, min_size=2, max_size=4)
FIGURES = st.integers(100, 9_999_999).map(str)
HEX = st.uuids().map(lambda one: one.hex)
IDS = st.one_of(
    st.builds("{}-{}".format, LETTERS, FIGURES),
    st.builds("{}{}".format, LETTERS, FIGURES),
    st.uuids().map(str),
    st.builds(
        "{}_{}".format, st.sampled_from(["bk", "cus", "ord"]), st.uuids().map(lambda u: u.hex)
    ),
    FIGURES,
)
UNITS = st.sampled_from(["EUR", "USD", "kg", "km", "%"])
AMOUNTS = st.one_of(
    st.builds("{}{:,.2f}".format, st.sampled_from("$€£₹"), st.floats(0.01, 99_999)),
    st.builds(
        "{} {}".format, st.integers(1, 9_999), st.sampled_from(["EUR", "USD", "kg", "km", "%"])
    ),
    st.builds("{:.2f} {}".format, st.floats(1, 9_999), st.sampled_from(["€", "CHF", "INR"])),
)
DAY = st.dates()
DATES = st.one_of(
    DAY.map(lambda day: day.isoformat()),
    DAY.map(lambda day: f"{day:%d %B} {day.year:04}"),
    DAY.map(lambda day: f"{day:%B} {day.day}, {day.year:04}"),
    DAY.map(lambda day: f"{day:%d.%m.}{day.year:04}"),
    st.times().map(lambda time: f"{time:%H:%M}"),
)
DIGITS = st.text(string.digits, min_size=3, max_size=4)
PHONES = st.one_of(
    st.builds("+49 30 {}{}".format, DIGITS, DIGITS),
    st.builds("({}) {}-{}".format, DIGITS, DIGITS, DIGITS),
    st.builds("+1-415-{}-{}".format, DIGITS, DIGITS),
    st.builds("0{} {}".format, DIGITS, DIGITS),
)
WORD = st.text(string.ascii_lowercase, min_size=2, max_size=9)
EMAILS = st.builds("{}.{}@{}.example".format, WORD, WORD, WORD)
NAME = WORD.map(str.title)
STREETS = st.sampled_from(["Street", "Road", "Avenue", "Lane", "Square"])
CODES = st.integers(10_000, 99_999)
ADDRESSES = st.one_of(
    st.builds("{} {} {}, {}".format, st.integers(1, 999), NAME, STREETS, NAME),
    st.builds(
        "{}straße {}, {} {}".format, NAME, st.integers(1, 99), st.integers(10000, 99999), NAME
    ),
)
QUOTES = st.lists(WORD, min_size=2, max_size=5).map(lambda words: f'"{" ".join(words)}"')
VALUES = st.one_of(IDS, AMOUNTS, DATES, PHONES, EMAILS, ADDRESSES, QUOTES)
AROUND = st.sampled_from(
    [
        "Please note {}.",
        "It is {}, as I said",
        "({})",
        "wo ist {}?",
        "The answer: {}; nothing else.",
        "{}",
        "first line\n{}\nlast line",
        "请记住 {} 。",
        "I'd take {} if that's fine",
    ]
)


@st.composite
def conversations(draw):
    """Settled turns with values planted in what users, assistants and tools say; and the values."""
    messages, planted = [], []

    def said():
        value = draw(VALUES)
        planted.append(value)
        return draw(AROUND).format(value)

    for turn in range(draw(st.integers(2, 6))):
        messages.append(HumanMessage(said(), id=f"h{turn}"))
        if draw(st.booleans()):
            call = {"id": f"c{turn}", "name": "find", "args": {"what": said()}}
            messages.append(AIMessage("", id=f"t{turn}", tool_calls=[call]))
            messages.append(ToolMessage(said(), tool_call_id=f"c{turn}", id=f"r{turn}"))
        messages.append(AIMessage(said(), id=f"a{turn}"))
    return messages, planted


SUMMARIZERS = {
    "loses everything": lambda _: AIMessage("They talked."),
    "keeps what it was shown": lambda shown: AIMessage(shown[0].text.replace("transcript", "t")),
    "fails now and then": lambda shown: 1 / (len(shown[0].text) % 2) and AIMessage("They talked."),
}


@given(
    conversation=conversations(),
    summarizer=st.sampled_from(sorted(SUMMARIZERS)),
    remove=st.booleans(),
    rounds=st.integers(1, 3),
)
def test_every_value_is_in_the_window_or_among_the_exact_ones(
    conversation, summarizer, remove, rounds
):
    messages, planted = conversation
    node = summarize_old_turns(
        RunnableLambda(SUMMARIZERS[summarizer]),
        trigger=("messages", 2),
        keep=("messages", 1),
        remove=remove,
        longest=40,
    )
    state = {"messages": [], "summary": None}
    size = -(-len(messages) // rounds)
    for start in range(0, len(messages), size):
        state["messages"] = add_messages(state["messages"], messages[start : start + size])
        update = node.invoke(state)
        if "messages" in update:
            state["messages"] = add_messages(state["messages"], update["messages"])
        state["summary"] = update.get("summary", state["summary"])

    summary = state["summary"] or {"exact": [], "text": ""}
    view = build_context({**state, "summary": {**summary, "text": "They talked."}}, budget=10**6)
    window = [message for message in view if not isinstance(message, SystemMessage)]
    kept = [*summary["exact"], *(str(message.content) for message in window), *calls_in(window)]
    assert [value for value in planted if not any(value in text for text in kept)] == []
    # What is kept is shown, too.
    shown = [*(str(message.content) for message in view), *calls_in(view)]
    assert [value for value in planted if not any(value in text for text in shown)] == []


def calls_in(messages):
    return [
        call["args"]["what"]
        for message in messages
        if isinstance(message, AIMessage)
        for call in message.tool_calls
    ]
