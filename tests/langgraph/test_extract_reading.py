"""What counts as said, and when: messages without ids, corrections across runs, text in blocks."""

from operator import add
from typing import Annotated, TypedDict

import pytest
from extraction import FailsOnce, Model, fact, graph, held, past, run_of, say
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langgraph.graph import START, StateGraph
from langgraph.types import RetryPolicy

from langgraph_agentmem import AgentMemory
from langgraph_agentmem.extraction.evidence import said_since
from langgraph_agentmem.nodes.extract import extract_facts
from langgraph_agentmem.nodes.rules import RuleExtractor


class Recording(RuleExtractor):
    """Reads by rule, and keeps what it was given to read."""

    def __init__(self):
        self.read = []

    def extract(self, said, **options):
        self.read.append(said)
        return super().extract(said, **options)


class Plain(TypedDict):
    """Messages that are added up and get no ids."""

    messages: Annotated[list[AnyMessage], add]


class Replaced(TypedDict):
    """The messages of one call alone."""

    messages: list[AnyMessage]


def test_messages_without_ids_are_learnt_once_and_in_turn(memory):
    extractor = Recording()
    chat = graph(memory, extractor, state=Plain)
    for said in ("I live in Oslo.", "I've moved to Rome.", "I live in Oslo."):
        say(chat, said)
    events = say(chat, AIMessage("Fine."), "Thanks.")

    assert past(memory, "home_city") == ["Oslo", "Rome", "Oslo"]
    assert events == []
    assert [len(said) for said in extractor.read] == [1, 1, 1, 1]
    assert len({message.id for said in extractor.read for message in said}) == 4


def test_messages_without_ids_that_take_the_place_of_others_are_read(memory):
    chat = graph(memory, state=Replaced)
    for said in ("I live in Oslo.", "I've moved to Rome.", "I live in Oslo."):
        say(chat, said)

    assert past(memory, "home_city") == ["Oslo", "Rome", "Oslo"]


@pytest.mark.parametrize("state", [Plain, Replaced])
def test_a_retry_learns_once_from_messages_without_ids(memory, state):
    builder = StateGraph(state)
    policy = RetryPolicy(initial_interval=0.01, jitter=False)
    builder.add_node("extract_facts", FailsOnce(RuleExtractor()), retry_policy=policy)
    builder.add_edge(START, "extract_facts")
    chat = builder.compile(store=memory.store, checkpointer=memory.checkpointer)

    say(chat, "I live in Oslo.", "I've moved to Rome.")

    assert past(memory, "home_city") == ["Oslo", "Rome"]


def test_a_run_that_died_learns_once_from_messages_without_ids(path, clock):
    def built(memory, node):
        builder = StateGraph(Plain).add_node("extract_facts", node)
        builder.add_edge(START, "extract_facts")
        return builder.compile(store=memory.store, checkpointer=memory.checkpointer)

    with AgentMemory.open(path, clock=clock) as memory, pytest.raises(ConnectionError):
        say(built(memory, FailsOnce(RuleExtractor())), "I live in Oslo.", "I've moved to Rome.")
    with AgentMemory.open(path, clock=clock) as memory:
        built(memory, extract_facts(RuleExtractor())).invoke(None, run_of())

        assert past(memory, "home_city") == ["Oslo", "Rome"]


def test_the_name_of_a_message_does_not_come_from_its_text():
    ids = [
        [one.id for one in said_since([HumanMessage(text)] * 2, None, reading="r").messages]
        for text in ("I like tea.", "My phone is 0170 5550001.")
    ]

    assert ids[0] == ids[1]
    assert len(set(ids[0])) == 2


# Corrections ----------------------------------------------------------------------------------


def test_the_next_message_sets_right_what_was_just_said(memory):
    chat = graph(memory)
    say(chat, "I'm Asha and I live in Berlin.")
    say(chat, AIMessage("Nice! How can I help?"), "Actually, no, Munich.")

    assert held(memory) == {"home_city": "Munich", "name": "Asha"}
    assert past(memory, "home_city") == ["Berlin", "Munich"]


@pytest.mark.parametrize(
    ("answer", "words", "expected"),
    [
        ("Shall I look for flights to Rome?", "No, Munich.", "Berlin"),
        ("Shall I look for flights to Rome?", "Sorry, I meant Munich.", "Munich"),
        ("Nice. What can I do for you?", "No, Munich.", "Munich"),
        ("Nice.", "No, thanks.", "Berlin"),
        ("It rains in Berlin.", "Actually, it's raining everywhere.", "Berlin"),
    ],
)
def test_no_is_a_correction_unless_it_is_an_answer(memory, answer, words, expected):
    chat = graph(memory)
    say(chat, "I live in Berlin.")
    say(chat, AIMessage(answer), words)

    assert held(memory) == {"home_city": expected}


def test_what_another_thread_said_is_not_set_right(memory):
    chat = graph(memory)
    say(chat, "I live in Berlin.", config=run_of("t1"))
    say(chat, "No, Munich.", config=run_of("t2"))

    assert held(memory) == {"home_city": "Berlin"}


def test_each_block_of_text_is_a_text_of_its_own(memory):
    blocks = [
        {"type": "text", "text": "Berlin is nice."},
        {"type": "text", "text": "My phone is 0170 5550001"},
    ]
    model = Model(answers=[[fact("phone", "0170 5550001", "My phone is 0170 5550001")]])

    say(graph(memory), HumanMessage(blocks))
    say(graph(memory, model), HumanMessage(blocks), config=run_of("t2", "u2"))

    assert held(memory) == held(memory, ("memories", "u2")) == {"phone": "0170 5550001"}
    assert "Berlin is nice. My phone" in model.prompts[0][0].text
