"""Each message of a thread is stored once, and comes back as it was put."""

from __future__ import annotations

import sqlite3
from collections import OrderedDict, deque
from dataclasses import dataclass
from operator import add
from typing import Annotated, Any

import pytest
from chats import chat, count, rows, said, talk, texts, thread
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    RemoveMessage,
    SystemMessage,
    ToolMessage,
)
from langgraph.checkpoint.base import empty_checkpoint
from langgraph.checkpoint.base.id import uuid6
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import Command, Overwrite, Send, interrupt
from typing_extensions import TypedDict

from langgraph_agentmem import AgentMemSaver


@pytest.fixture
def saver(path):
    with AgentMemSaver.from_conn_string(path) as opened:
        yield opened


def put(saver: AgentMemSaver, **values: Any) -> dict[str, Any]:
    checkpoint = {**empty_checkpoint(), "id": str(uuid6()), "channel_values": values}
    return saver.put(thread(checkpoint_ns=""), checkpoint, {"source": "loop"}, {})


def held(saver: AgentMemSaver, config: dict[str, Any]) -> dict[str, Any]:
    return saver.get_tuple(config).checkpoint["channel_values"]


def test_the_text_of_a_message_stands_once_in_the_file(path):
    with AgentMemSaver.from_conn_string(path) as saver:
        graph = chat(saver)
        for number in range(70):
            graph.invoke({"messages": [HumanMessage(f"CANARY{number:04}x")]}, thread())

    data = path.read_bytes()
    # As it was said, and as the answer repeats it.
    assert [2] * 70 == [data.count(f"CANARY{number:04}x".encode()) for number in range(70)]


def test_every_checkpoint_of_a_long_chat_comes_back_whole(path, saver):
    graph = chat(saver)
    talk(graph, thread(), 100)

    states = [snapshot.values.get("messages", []) for snapshot in graph.get_state_history(thread())]

    assert said(100) == [message.text for message in states[0]]
    assert all(said(100)[: len(one)] == [message.text for message in one] for one in states)
    assert 3 * 100 == len(states)
    assert 3 == count(path, "thread_chunks")


def test_the_file_is_a_small_part_of_the_official_savers_and_grows_with_the_chat(tmp_path):
    sizes: dict[tuple[str, int], int] = {}
    for kind in (SqliteSaver, AgentMemSaver):
        for turns in (50, 100, 200):
            file = tmp_path / f"{kind.__name__}{turns}.db"
            with kind.from_conn_string(str(file)) as saver:
                talk(chat(saver), thread(), turns)
            connection = sqlite3.connect(file)
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            connection.close()
            sizes[kind.__name__, turns] = file.stat().st_size

    assert sizes["AgentMemSaver", 200] * 15 <= sizes["SqliteSaver", 200]
    assert sizes["AgentMemSaver", 200] <= 2.2 * sizes["AgentMemSaver", 100]
    assert sizes["AgentMemSaver", 100] <= 2.2 * sizes["AgentMemSaver", 50]


def test_a_message_that_is_changed_in_place_is_stored_as_it_is(saver):
    message = AIMessage("first", id="a1", additional_kwargs={"parts": [1, {"two": 2}]})
    before = put(saver, messages=[message])

    message.content = "second"
    between = put(saver, messages=[message])
    message.additional_kwargs["parts"][1]["two"] = 3
    after = put(saver, messages=[message])

    assert ["first", "second", "second"] == [
        held(saver, one)["messages"][0].text for one in (before, between, after)
    ]
    assert [2, 2, 3] == [
        held(saver, one)["messages"][0].additional_kwargs["parts"][1]["two"]
        for one in (before, between, after)
    ]


def test_what_a_reader_does_to_a_message_changes_nothing_that_others_read(saver):
    config = put(saver, messages=[AIMessage("as it was", id="a1", tool_calls=[])])

    mine = held(saver, config)["messages"][0]
    mine.content = "changed"
    mine.tool_calls.append({"name": "f", "args": {}, "id": "c"})
    mine.response_metadata["seen"] = True
    mine.said_by = "somebody"  # messages allow further fields

    again = held(saver, config)["messages"][0]
    assert ("as it was", [], {}) == (again.content, again.tool_calls, again.response_metadata)
    assert not hasattr(again, "said_by")


def test_the_same_words_said_twice_without_an_id_become_two_messages(saver):
    """The raw input holds them before they have an id."""
    graph = chat(saver)
    for _ in range(3):
        graph.invoke({"messages": [{"role": "user", "content": "hello"}]}, thread())
        graph.invoke({"messages": [("user", "hello")]}, thread())
        graph.invoke({"messages": [HumanMessage("hello")]}, thread())

    messages = graph.get_state(thread()).values["messages"]
    assert 18 == len({message.id for message in messages}) == len(messages)


def test_raw_input_comes_back_without_the_id_that_it_got_later(saver):
    """A graph gives an id to the very object that was stored, at once or a moment later."""
    given = [HumanMessage("hello"), HumanMessage("hello")]
    raw = [put(saver, __start__={"messages": [one]}) for one in given]

    for number, message in enumerate(given):
        message.id = f"h{number}"
    after = put(saver, messages=given)

    inputs = [held(saver, one)["__start__"]["messages"][0] for one in raw]
    assert [("hello", None), ("hello", None)] == [(one.text, one.id) for one in inputs]
    assert ["h0", "h1"] == [one.id for one in held(saver, after)["messages"]]


VALUES = {
    "a list of messages": [HumanMessage("a", id="1"), AIMessage("b", id="2")],
    "one message": SystemMessage("c", id="3"),
    "a removal": [RemoveMessage("1"), HumanMessage("x", id="4")],
    "messages among others": [HumanMessage("a", id="1"), "text", 3, None],
    "message-like": [{"role": "user", "content": "hi"}, {"type": "ai", "content": [{"x": 1}]}],
    "nested": {"deep": {"down": [[HumanMessage("d", id="5")], {"m": AIMessage("e", id="6")}]}},
    "other keys": {1: [HumanMessage("f", id="7")], "1": [HumanMessage("g", id="8")], None: 2},
    "a Send": [Send("node", {"messages": [HumanMessage("h", id="9")], "n": 1}), Send("n", None)],
    "an Overwrite": Overwrite([HumanMessage("i", id="10")]),
    "a tool exchange": [
        AIMessage("", id="11", tool_calls=[{"name": "f", "args": {"a": [1]}, "id": "c1"}]),
        ToolMessage("42", tool_call_id="c1", id="12", artifact={"rows": [1, 2]}),
    ],
    "no message at all": {"role": "user", "note": "content is missing", "list": [], "t": {}},
    "like our own storage": ["agentmem:msgpack", [[True, [1], [2]]], {"chunks": [1]}],
    "containers": {"set": {1, 2}, "frozen": frozenset({"a"}), "deque": deque([1], maxlen=None)},
    "many": [HumanMessage(f"m{number}", id=f"m{number}") for number in range(200)],
    "the same one often": [HumanMessage("same", id="s")] * 130,
    "surrogates and unicode": [HumanMessage("héllo 🎈 \x00 end", id="u")],
    "bytes": {"b": b"\x00\xff", "empty": b""},
}


@pytest.mark.parametrize("name", VALUES)
def test_a_value_comes_back_from_a_checkpoint_as_from_the_official_saver(saver, name):
    value = VALUES[name]

    config = put(saver, value=value, beside="x")
    saver.put_writes(config, [("value", value), ("other", 1)], "task")

    official = saver.serde.loads_typed(saver.serde.dumps_typed(value))
    found = saver.get_tuple(config)
    assert {"value": official, "beside": "x"} == found.checkpoint["channel_values"]
    assert [("task", "value", official), ("task", "other", 1)] == found.pending_writes


SIMPLE = st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.text(max_size=5)
MESSAGES = st.builds(
    lambda kind, text, ident: kind(text, id=ident),
    st.sampled_from([HumanMessage, AIMessage, SystemMessage]),
    st.text(max_size=5),
    st.none() | st.sampled_from(["1", "2", "3"]),
)
LIKE = st.fixed_dictionaries({"role": st.sampled_from(["user", "ai", "x"]), "content": SIMPLE})
STATE = st.recursive(
    SIMPLE | MESSAGES | LIKE | st.tuples(st.sampled_from(["user", "no"]), st.text(max_size=3)),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=3) | st.integers(0, 5), inner, max_size=3)
        | st.tuples(inner, inner)
        | st.builds(lambda arg: Send("n", arg), inner)
    ),
    max_leaves=12,
)


@given(value=STATE)
def test_any_state_comes_back(value):
    with AgentMemSaver.from_conn_string(":memory:") as saver:
        config = put(saver, value=value)

        official = saver.serde.loads_typed(saver.serde.dumps_typed(value))
        assert official == held(saver, config)["value"]


def test_a_list_that_loses_its_beginning_or_middle_comes_back(saver):
    messages = [HumanMessage(f"m{number}", id=str(number)) for number in range(300)]
    lists = [messages, messages[1:], messages[:100] + messages[170:], messages[::-1], []]

    configs = [put(saver, messages=one) for one in lists]

    assert lists == [held(saver, config)["messages"] for config in configs]


def test_messages_of_two_threads_do_not_mix(path, saver):
    graph = chat(saver)
    talk(graph, thread("a"), 3)
    talk(graph, thread("b"), 3, first=100)

    assert (said(3), said(3, first=100)) == (texts(graph, thread("a")), texts(graph, thread("b")))
    saver.delete_thread("a")
    assert said(3, first=100) == texts(graph, thread("b"))
    assert [("b",)] == rows(path, "SELECT DISTINCT thread_id FROM thread_messages")


# Graphs ---------------------------------------------------------------------------------------


class Fan(TypedDict, total=False):
    messages: Annotated[list[BaseMessage], add]
    seen: Annotated[list[str], add]


def test_messages_sent_to_nodes_and_subgraphs_arrive_after_an_interrupt(path):
    def fan_out(state: Fan) -> list[Send]:
        return [Send("inner", {"messages": state["messages"]}) for _ in range(2)]

    def ask(state: Fan) -> dict[str, Any]:
        answer = interrupt({"about": state["messages"][0]})
        return {"seen": [f"{state['messages'][0].text}: {answer}"]}

    inner = StateGraph(Fan).add_node("ask", ask).add_edge(START, "ask").compile()

    def build(saver: AgentMemSaver):
        builder = StateGraph(Fan).add_node("start", lambda _: {}).add_node("inner", inner)
        builder.add_edge(START, "start").add_conditional_edges("start", fan_out, ["inner"])
        builder.add_edge("inner", END)
        return builder.compile(checkpointer=saver)

    with AgentMemSaver.from_conn_string(path) as saver:
        paused = build(saver).invoke({"messages": [HumanMessage("Oslo", id="1")]}, thread())
    with AgentMemSaver.from_conn_string(path) as saver:
        graph = build(saver)
        answers = {one.id: "yes" for one in graph.get_state(thread()).interrupts}
        done = graph.invoke(Command(resume=answers), thread())

    assert ["Oslo", "Oslo"] == [one.value["about"].text for one in paused["__interrupt__"]]
    assert ["Oslo: yes", "Oslo: yes"] == done["seen"]


def test_two_parallel_nodes_that_say_the_same_say_it_twice_after_a_resume(path):
    """Their messages have no id yet when they are stored as pending writes."""

    def say(state: MessagesState) -> dict[str, Any]:
        return {"messages": [AIMessage("same")]}

    def ask(state: MessagesState) -> dict[str, Any]:
        return {"messages": [AIMessage(interrupt("?"))]}

    builder = StateGraph(MessagesState).add_node("a", say).add_node("b", say).add_node("c", ask)
    for name in "abc":
        builder.add_edge(START, name)
    with AgentMemSaver.from_conn_string(path) as saver:
        builder.compile(checkpointer=saver).invoke({"messages": [("user", "go")]}, thread())
    with AgentMemSaver.from_conn_string(path) as saver:
        done = builder.compile(checkpointer=saver).invoke(Command(resume="done"), thread())

    assert ["go", "same", "same", "done"] == [message.text for message in done["messages"]]


@dataclass
class Own:
    message: BaseMessage
    names: dict[str, int]


def test_messages_inside_ones_own_types_stay_there(path):
    with AgentMemSaver.from_conn_string(path, allowed_types=[Own]) as saver:
        own = Own(HumanMessage("inside", id="1"), OrderedDict(a=1))

        config = put(saver, value=[own])

        assert [own] == held(saver, config)["value"]


def test_a_chat_goes_on_when_other_savers_wrote_to_it_meanwhile(path):
    with (
        AgentMemSaver.from_conn_string(path) as one,
        AgentMemSaver.from_conn_string(path) as other,
    ):
        for turn in range(0, 90, 2):
            talk(chat(one), thread(), 1, first=turn)
            talk(chat(other), thread(), 1, first=turn + 1)

        assert said(90) == texts(chat(one), thread()) == texts(chat(other), thread())
