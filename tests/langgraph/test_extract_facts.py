"""What a user says in a graph is learnt once, under one topic, from their own words alone."""

from datetime import UTC, datetime
from operator import add
from typing import Annotated, TypedDict

import pytest
from extraction import (
    NOT_SAID_BY_THE_USER,
    U1,
    FailsOnce,
    Model,
    Scripted,
    fact,
    graph,
    held,
    past,
    run_of,
    say,
)
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.store.memory import InMemoryStore
from langgraph.types import Command, RetryPolicy, interrupt

from langgraph_agentmem import AgentMemory
from langgraph_agentmem.errors import StoreRequired, UserConflict, UserRequired
from langgraph_agentmem.nodes.extract import extract_facts
from langgraph_agentmem.nodes.rules import RuleExtractor
from langgraph_agentmem.nodes.state import MemoryState

# Values change --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("extractor", "topic"),
    [
        (RuleExtractor(), "favourite.player"),
        (
            Scripted({"sport.favourite_player": "Ronaldo"}, {"sport.favourite_player": "Messi"}),
            "sport.favourite_player",
        ),
    ],
)
def test_a_new_value_replaces_the_old_one_under_its_topic(memory, extractor, topic):
    chat = graph(memory, extractor)

    first = say(chat, "My favourite player is Ronaldo.")
    second = say(chat, "These days my favourite player is Messi.")

    assert held(memory) == {topic: "Messi"}
    assert past(memory, topic) == ["Ronaldo", "Messi"]
    assert [m.text for m in memory.store.recall(U1, "favourite player").memories] == ["Messi"]
    assert first == [{"agentmem": "kept", "count": 1, "topics": [topic]}]
    assert second == [{"agentmem": "replaced", "count": 1, "topics": [topic]}]


@pytest.mark.parametrize(
    "extractor",
    [
        RuleExtractor(),
        Scripted({"family.daughter.name": "Asha"}, {"family.daughter.name": "Aasha"}),
    ],
)
def test_a_correction_replaces_what_was_misspelt(memory, extractor):
    chat = graph(memory, extractor)

    say(chat, "My daughter is called Asha.")
    say(chat, "Actually, spelled Aasha.")

    assert held(memory) == {"family.daughter.name": "Aasha"}
    assert past(memory, "family.daughter.name") == ["Asha", "Aasha"]
    found = memory.store.recall(U1, "daughter name").memories
    assert [memory.text for memory in found] == ["Aasha"]


def test_an_ending_retires_the_topic_and_its_history_stays(memory):
    chat = graph(memory)

    say(chat, "I'm vegetarian and I'm allergic to peanuts.")
    events = say(chat, "I'm no longer allergic to peanuts.")

    assert held(memory) == {"diet": "vegetarian"}
    assert past(memory, "allergy.peanuts") == ["peanuts"]
    assert events == [{"agentmem": "retired", "count": 1, "topics": ["allergy.peanuts"]}]


def test_a_known_topic_keeps_its_spelling_whoever_proposes(memory):
    memory.store.remember(U1, "Home City", "Oslo")

    say(graph(memory, Scripted({"home-city": "Rome", "Seat Wish": "aisle"})), "Rome! Aisle!")

    assert held(memory) == {"Home City": "Rome", "seat_wish": "aisle"}


def test_what_every_answer_must_respect_is_pinned(memory):
    say(graph(memory), "I'm allergic to peanuts and I like tea.")

    assert {m.topic: m.pinned for m in memory.store.memories(U1)} == {
        "allergy.peanuts": True,
        "likes.tea": False,
    }


# Once -----------------------------------------------------------------------------------------


def test_an_interrupt_and_its_resume_learn_once(memory):
    def ask(state):
        return {"messages": [AIMessage(interrupt("sure?"))]}

    chat = graph(memory, then=ask)
    say(chat, HumanMessage("I like tea", id="h1"))
    chat.invoke(Command(resume="yes"), run_of())

    assert held(memory) == {"likes.tea": "tea"}
    assert past(memory, "likes.tea") == ["tea"]


@pytest.mark.parametrize(
    "extractor", [RuleExtractor(), Scripted({"drink": "tea"}, {"drink": "tea"})]
)
def test_a_retry_after_the_write_learns_once(memory, extractor):
    builder = StateGraph(MemoryState)
    policy = RetryPolicy(initial_interval=0.01, jitter=False)
    builder.add_node("extract_facts", FailsOnce(extractor), retry_policy=policy)
    builder.add_edge(START, "extract_facts")
    compiled = builder.compile(store=memory.store, checkpointer=memory.checkpointer)

    say(compiled, HumanMessage("I like tea", id="h1"))

    (topic,) = held(memory)
    assert past(memory, topic) == ["tea"]


def test_a_run_that_died_after_the_write_is_resumed_and_learns_once(path, clock):
    def built(memory, node):
        builder = StateGraph(MemoryState)
        builder.add_node("extract_facts", node)
        builder.add_edge(START, "extract_facts")
        return builder.compile(store=memory.store, checkpointer=memory.checkpointer)

    with AgentMemory.open(path, clock=clock) as memory, pytest.raises(ConnectionError):
        say(built(memory, FailsOnce(RuleExtractor())), HumanMessage("I like tea", id="h1"))
    with AgentMemory.open(path, clock=clock) as memory:
        after_the_crash = past(memory, "likes.tea")
        state = built(memory, extract_facts(RuleExtractor())).invoke(None, run_of())

        assert after_the_crash == ["tea"]
        assert past(memory, "likes.tea") == ["tea"]
        assert state["extracted_through"] == "h1"


def test_the_same_messages_in_another_run_are_learnt_once(memory):
    chat = graph(memory)

    say(chat, HumanMessage("I like tea", id="h1"))
    chat.update_state(run_of(), {"extracted_through": None})
    events = say(chat, HumanMessage("Thanks", id="h2"))

    assert past(memory, "likes.tea") == ["tea"]
    assert events == [{"agentmem": "unchanged", "count": 1, "topics": ["likes.tea"]}]


def test_only_what_is_new_is_read(memory):
    extractor = Scripted({}, {}, {})
    chat = graph(memory, extractor)

    say(chat, HumanMessage("one", id="1"), AIMessage("an answer"), HumanMessage("two", id="2"))
    say(chat, HumanMessage("three", id="3"))
    say(chat, AIMessage("nothing from the user"))

    assert extractor.asked == [["one", "two"], ["three"]]
    assert chat.get_state(run_of()).values["extracted_through"] == "3"


def test_all_is_read_when_the_last_message_read_is_gone(memory):
    extractor = Scripted({}, {})
    chat = graph(memory, extractor)

    say(chat, HumanMessage("one", id="1"))
    chat.update_state(run_of(), {"extracted_through": "gone"})
    say(chat, HumanMessage("two", id="2"))

    assert extractor.asked == [["one"], ["one", "two"]]


# Evidence -------------------------------------------------------------------------------------


@pytest.mark.parametrize("messages", NOT_SAID_BY_THE_USER.values(), ids=NOT_SAID_BY_THE_USER)
def test_rules_take_nothing_from_what_the_user_did_not_say(memory, messages):
    memory.store.remember(U1, "home.city", "Oslo")
    chat = graph(memory)

    for turn in range(5):
        said = [message.model_copy(update={"id": None}) for message in messages]
        assert say(chat, *said, config=run_of(f"t{turn}")) == []

    assert held(memory) == {"home.city": "Oslo"}
    assert past(memory, "home.city") == ["Oslo"]


# Users, threads, graphs -----------------------------------------------------------------------


@pytest.mark.parametrize("user", [{}, {"user_id": None}, {"user_id": ""}, {"user_id": "  "}])
def test_without_a_user_nothing_is_read_or_written(memory, user):
    extractor = Scripted()
    chat = graph(memory, extractor)

    with pytest.raises(UserRequired):
        chat.invoke(
            {"messages": [HumanMessage("I live in Oslo.")]},
            {"configurable": {"thread_id": "t", **user}},
        )

    assert extractor.asked == []
    assert memory.store.list_namespaces() == []


@pytest.mark.parametrize("store", [None, InMemoryStore()])
def test_without_our_store_the_error_says_how_to_get_one(store):
    builder = StateGraph(MessagesState)
    builder.add_node("extract_facts", extract_facts(RuleExtractor()))
    builder.add_edge(START, "extract_facts")

    with pytest.raises(StoreRequired, match="compile"):
        builder.compile(store=store).invoke(
            {"messages": [HumanMessage("I live in Oslo.")]}, run_of()
        )


def test_a_thread_is_the_users_who_spoke_in_it_first(memory):
    chat = graph(memory)
    say(chat, "Hello.")

    with pytest.raises(UserConflict):
        say(chat, "I live in Oslo.", config=run_of(user="u2"))

    assert held(memory, ("memories", "u2")) == {}


@pytest.mark.parametrize("user", ["a.b@example.com", "a/b", "Ünï", 42, "user1"])
def test_users_are_kept_apart(memory, user):
    chat = graph(memory)

    say(chat, "I live in Oslo.", config=run_of("t1", user))
    say(chat, "I live in Rome.", config=run_of("t2", "user10"))

    assert held(memory, memory.for_user(user).namespace) == {"home_city": "Oslo"}
    assert held(memory, memory.for_user("user10").namespace) == {"home_city": "Rome"}


def test_its_channel_is_declared_in_a_graph_of_messages_alone():
    builder = StateGraph(MessagesState)
    builder.add_node("extract_facts", extract_facts(RuleExtractor()))
    builder.add_node("more", extract_facts(RuleExtractor(), through_key="read_to"))
    builder.add_edge(START, "extract_facts")

    channels = builder.compile().channels

    assert {"messages", "extracted_through", "read_to"} <= set(channels)


def test_the_state_keys_are_options(memory):
    class Own(TypedDict):
        talk: Annotated[list[AnyMessage], add]

    chat = graph(memory, state=Own, messages_key="talk", through_key="read_to")
    said = {"talk": [{"role": "user", "content": "I live in Oslo."}]}
    chat.invoke(said, run_of())

    assert held(memory) == {"home_city": "Oslo"}
    assert chat.get_state(run_of()).values["read_to"].startswith("unnamed-")


async def test_async_learns_the_same(memory):
    model = Model(answers=[[fact("home_city", "Oslo", "I live in Oslo")]])
    said = {"messages": [HumanMessage("I live in Oslo.", id="m1")]}

    await graph(memory).ainvoke(said, run_of("t1", "u1"))
    events = [
        event
        async for event in graph(memory, model).astream(
            said, run_of("t2", "u2"), stream_mode="custom"
        )
    ]

    assert held(memory) == held(memory, ("memories", "u2")) == {"home_city": "Oslo"}
    assert events == [{"agentmem": "kept", "count": 1, "topics": ["home_city"]}]


def test_the_time_a_message_names_is_when_its_fact_began(memory):
    old = {"timestamp": "2024-01-01T00:00:00Z"}
    chat = graph(memory)

    say(chat, HumanMessage("I live in Oslo.", additional_kwargs=old))

    assert memory.store.look(U1, "home_city").valid_from == datetime(2024, 1, 1, tzinfo=UTC)


def test_when_something_was_learnt_is_seen_though_its_message_names_no_time(memory, clock):
    before = clock()
    say(graph(memory), "I live in Oslo.")

    (version,) = memory.store.history(U1, "home_city")
    assert memory.store.why(U1, "home_city").said_at is None
    assert before < version.recorded_at == version.valid_from < clock()
