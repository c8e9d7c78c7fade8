"""Forgetting reaches the turns: the one a fact was learnt from, and every one that states it."""

from __future__ import annotations

import sqlite3

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.graph import START, MessagesState, StateGraph

from langgraph_agentmem import (
    AgentMemory,
    Episode,
    Episodes,
    RuleExtractor,
    Source,
    extract_facts,
    remember_turns,
)

U1 = ("memories", "u1")
RUN = {"configurable": {"thread_id": "t1", "user_id": "u1"}}
NUMBER = "+351 912 345 678"


def answer(state):
    said = state["messages"][-1].text
    if "number" in said or "phone" in said:
        return {"messages": [AIMessage("I will call +351-912-345-678 if the boat is late.")]}
    return {"messages": [AIMessage("Noted.")]}


def graph(memory):
    builder = StateGraph(MessagesState)
    builder.add_node("assistant", answer)
    builder.add_node("extract_facts", extract_facts(RuleExtractor()))
    builder.add_node("remember_turns", remember_turns())
    builder.add_edge(START, "assistant").add_edge("assistant", "extract_facts")
    builder.add_edge("extract_facts", "remember_turns")
    return builder.compile(store=memory.store, checkpointer=memory.checkpointer)


def say(chat, text, run=RUN):
    return list(chat.stream({"messages": [HumanMessage(text)]}, run, stream_mode="custom"))


def texts(memory, namespace=U1):
    kept = memory.store.memories(namespace, kinds=["turn"])
    return [turn.text for turn in sorted(kept, key=lambda turn: turn.source.order)]


@pytest.fixture(params=[None, lambda texts: [[1.0, float(len(text))] for text in texts]])
def talked(request, path, clock):
    """A conversation in which a number is told, repeated by the assistant, and told elsewhere."""
    with AgentMemory.open(path, clock=clock, embed=request.param) as memory:
        chat = graph(memory)
        say(chat, f"My phone number is {NUMBER}.")
        say(chat, "I row on the Mur.")
        other = {"configurable": {"thread_id": "t2", "user_id": "u2"}}
        say(chat, f"My phone number is {NUMBER}.", other)
        yield memory, chat


def test_the_source_and_what_repeats_it_go_and_the_rest_stays(talked):
    memory, _ = talked
    receipt = memory.forget("u1", "phone")

    assert ["I row on the Mur.", "Noted."] == texts(memory)
    assert 2 == receipt.removed["episodes and turns"]
    assert 2 == len(texts(memory, ("memories", "u2")))
    for query in (NUMBER, "the phone number", "a late boat"):
        recalled = memory.store.recall(U1, query, floor=0).memories
        assert not any("912" in one.text for one in recalled)


def test_the_same_thread_goes_on_and_brings_nothing_back(talked):
    memory, chat = talked
    memory.forget("u1", "phone")
    say(chat, "And I swim.")

    assert ["I row on the Mur.", "Noted.", "And I swim.", "Noted."] == texts(memory)


def test_a_list_that_is_read_whole_again_brings_nothing_back(talked):
    memory, chat = talked
    memory.forget("u1", "phone")
    chat.update_state(RUN, {"turns_through": None}, as_node="extract_facts")
    events = say(chat, "And I swim.")

    assert ["I row on the Mur.", "Noted.", "And I swim.", "Noted."] == texts(memory)
    assert not any("912" in str(event) for event in events)


def test_said_again_it_is_kept_again(talked):
    memory, chat = talked
    memory.forget("u1", "phone")
    say(chat, f"My phone number is {NUMBER}.")

    assert f"My phone number is {NUMBER}." in texts(memory)


def test_nothing_of_it_is_left_in_the_file(path, clock):
    with AgentMemory.open(path, clock=clock) as memory:
        chat = graph(memory)
        say(chat, f"My phone number is {NUMBER}.")
        say(chat, "I row on the Mur.")
        receipt = memory.forget("u1", "phone")

        assert (True, 0) == (receipt.complete, receipt.left_in_files)
    with sqlite3.connect(path) as connection:
        dump = "\n".join(connection.iterdump())
    connection.close()
    # Not "912": keyed hashes may hold that by chance.
    assert not [form for form in ("912 345", "912-345") if form in dump]


def test_a_dry_run_counts_the_turns_and_keeps_them(talked):
    memory, _ = talked
    before = texts(memory)

    assert 2 == memory.forget("u1", "phone", dry_run=True).removed["episodes and turns"]
    assert before == texts(memory)


def in_thread(chat):
    return [message.text for message in chat.get_state(RUN).values["messages"]]


def test_a_dry_run_counts_as_the_forgetting_does(talked):
    memory, _ = talked
    dry = memory.forget("u1", "phone", dry_run=True)

    assert dry.removed == memory.forget("u1", "phone").removed


def test_what_an_episode_was_made_of_stays_in_its_thread_without_the_value(talked):
    memory, chat = talked
    ids = tuple(message.id for message in chat.get_state(RUN).values["messages"])
    source = Source(thread_id="t1", message_ids=ids)
    memory.store.remember(U1, "episode.1", f"Called {NUMBER}", kind="episode", source=source)
    memory.forget("u1", "phone")

    assert "I row on the Mur." in in_thread(chat)
    assert not any("912" in text for text in in_thread(chat))


def test_how_an_episode_ended_is_no_forgotten_value(talked):
    memory, chat = talked
    episode = Episode(task=f"Call {NUMBER}", outcome="success", sentiment="positive")
    Episodes(memory, "u1").record(episode, Source(thread_id="t1", message_ids=("m0",)))
    say(chat, "The trip was a success, and I am positive.")
    receipt = memory.forget("u1", "phone")

    assert 3 == receipt.removed["episodes and turns"]
    assert "The trip was a success, and I am positive." in in_thread(chat)


def test_forgetting_a_turn_by_its_topic_takes_that_turn(talked):
    memory, _ = talked
    turn = next(
        one for one in memory.store.memories(U1, kinds=["turn"]) if one.text.startswith("I row")
    )
    memory.forget("u1", turn.topic)

    assert not any(text.startswith("I row") for text in texts(memory))
    assert NUMBER in {one.text for one in memory.store.memories(U1, kinds=["fact"])}


def test_forgetting_a_user_takes_every_turn_of_theirs_alone(talked):
    memory, _ = talked
    memory.forget("u1")

    assert ([], 2) == (texts(memory), len(texts(memory, ("memories", "u2"))))


async def test_the_async_form_reaches_the_same(talked):
    memory, _ = talked
    await memory.aforget("u1", "phone")

    assert ["I row on the Mur.", "Noted."] == texts(memory)


def test_the_stores_own_forgetting_reaches_turns_too(talked):
    memory, _ = talked
    memory.store.forget(U1, "phone")

    assert ["I row on the Mur.", "Noted."] == texts(memory)
