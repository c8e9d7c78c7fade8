"""Whatever stands in the list of messages, the user's turn goes on and the event says so."""

import pytest
from extraction import Model, fact, graph, held, run_of, say
from langchain_core.messages import AIMessage, HumanMessage, RemoveMessage
from langgraph.graph import START, StateGraph
from typing_extensions import TypedDict

from langgraph_agentmem.nodes.extract import extract_facts
from langgraph_agentmem.nodes.rules import RuleExtractor

OSLO = HumanMessage("I live in Oslo.", id="m1")


class Loose(TypedDict):
    messages: object
    answer: str


def read(memory, messages, extractor=None):
    builder = StateGraph(Loose)
    builder.add_node("extract_facts", extract_facts(extractor or RuleExtractor()))
    builder.add_node("answer", lambda _: {"answer": "Hello!"})
    builder.add_edge(START, "extract_facts")
    builder.add_edge("extract_facts", "answer")
    compiled = builder.compile(store=memory.store)
    events, answer = [], None
    for mode, each in compiled.stream(
        {"messages": messages}, run_of(), stream_mode=["custom", "values"]
    ):
        if mode == "custom":
            events.append(each)
        else:
            answer = each.get("answer")
    return events, answer


@pytest.mark.parametrize(
    "broken",
    [
        ...,
        42,
        None,
        {"role": "martian", "content": "I live in Rome."},
        {"content": "I live in Rome."},
        ("human",),
        {"role": "user", "content": {"text": "I live in Rome."}},
        [],
        b"I live in Rome.",
    ],
    ids=repr,
)
def test_what_is_no_message_is_left_out_and_counted(memory, broken):
    events, answer = read(memory, [broken, OSLO, broken])

    assert answer == "Hello!"
    assert held(memory) == {"home_city": "Oslo"}
    assert events[0] == {"agentmem": "unreadable", "count": 2}
    assert events[1]["agentmem"] == "kept"


@pytest.mark.parametrize(
    "message",
    [
        {"role": "user", "content": None},
        HumanMessage.model_construct(
            content=None, id="m2", additional_kwargs={}, response_metadata={}
        ),
        HumanMessage([{"type": "hologram", "text": "I live in Rome."}], id="m2"),
        HumanMessage([{"type": "text"}, {"no": "type"}], id="m2"),
        HumanMessage("", id="m2"),
        AIMessage("I live in Rome.", id="m2"),
        RemoveMessage(id="m2"),
    ],
    ids=["none", "none inside", "unknown block", "empty blocks", "blank", "assistant", "removal"],
)
def test_what_says_nothing_of_the_user_costs_nothing(memory, message):
    events, answer = read(memory, [message, OSLO])

    assert answer == "Hello!"
    assert held(memory) == {"home_city": "Oslo"}
    assert [event["agentmem"] for event in events] == ["kept"]


@pytest.mark.parametrize("messages", [None, [], "I live in Oslo.", OSLO, 42, {"role": "user"}])
def test_what_is_no_list_is_read_as_far_as_it_goes(memory, messages):
    _, answer = read(memory, messages)

    assert answer == "Hello!"
    assert set(held(memory)) <= {"home_city"}


@pytest.mark.parametrize("extractor", ["rules", "model"])
def test_ten_megabytes_are_read_in_part_and_it_is_said(memory, extractor):
    text = "I live in Oslo. " + "blah " * 2_000_000
    model = Model(answers=[[fact("home_city", "Oslo", "I live in Oslo")]])

    events, answer = read(
        memory, [HumanMessage(text, id="m1")], model if extractor == "model" else None
    )

    assert answer == "Hello!"
    assert held(memory) == {"home_city": "Oslo"}
    assert events[0] == {"agentmem": "read_in_part", "count": 1}


def test_a_policy_that_raises_costs_no_turn(memory):
    def broken(_):
        raise ZeroDivisionError

    events = say(graph(memory, policy=broken), "I live in Oslo.")

    assert events == [{"agentmem": "extract_failed", "error": "ZeroDivisionError"}]
    assert held(memory) == {}


@pytest.mark.parametrize("answer", [True, 1, ["no"], b"no"])
def test_a_policy_that_answers_with_something_else_costs_no_turn(memory, answer):
    events = say(graph(memory, policy=lambda _: answer), "I live in Oslo.")

    assert events == [{"agentmem": "extract_failed", "error": "TypeError"}]
    assert held(memory) == {}
