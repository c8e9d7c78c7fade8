"""What is said in a graph is kept word for word, each turn once: who said it, where and when."""

from __future__ import annotations

import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from operator import add
from pathlib import Path
from typing import Annotated, TypedDict

import pytest
from langchain_core.messages import (
    AIMessage,
    AnyMessage,
    HumanMessage,
    RemoveMessage,
    SystemMessage,
    ToolMessage,
)
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.store.memory import InMemoryStore
from langgraph.types import Command, RetryPolicy, interrupt

from langgraph_agentmem import (
    AgentMemory,
    MemoryState,
    RuleExtractor,
    Source,
    extract_facts,
    retrieve_memories,
)
from langgraph_agentmem.errors import StoreRequired, UserConflict, UserRequired
from langgraph_agentmem.nodes.remember_turns import RememberTurns, remember_turns
from langgraph_agentmem.policy import CarefulPolicy

U1 = ("memories", "u1")
PASSWORD = "My password is hunter2-Kestrel!"  # noqa: S105 - a text


def run_of(thread="t1", user="u1"):
    return {"configurable": {"thread_id": thread, "user_id": user}}


class FailsOnce(RememberTurns):
    """Keeps the turns, and fails the first time after it has."""

    def work(self, state, run):
        update = yield from super().work(state, run)
        if not vars(self).setdefault("failed", []):
            vars(self)["failed"].append(True)
            raise ConnectionError
        return update


def graph(memory, *, node=None, reply=None, state=MessagesState, then=None, retry=None):
    """The user's turn, an answer, and the node that keeps both."""
    builder = StateGraph(state)
    answer = reply or (lambda state: {"messages": [AIMessage("You said so.")]})
    builder.add_node("assistant", answer)
    builder.add_node("remember_turns", node or remember_turns(), retry_policy=retry)
    builder.add_edge(START, "assistant").add_edge("assistant", "remember_turns")
    if then is not None:
        builder.add_node("then", then).add_edge("remember_turns", "then")
    return builder.compile(store=memory.store, checkpointer=memory.checkpointer)


def silent(_state):
    return {}


def say(chat, *messages, config=None):
    """Run a turn; returns the events on the custom stream."""
    said = [HumanMessage(one) if isinstance(one, str) else one for one in messages]
    return list(chat.stream({"messages": said}, config or run_of(), stream_mode="custom"))


def turns(memory, namespace=U1):
    """The turns that are kept, in the order of their threads."""
    kept = memory.store.memories(namespace, kinds=["turn"])
    return sorted(kept, key=lambda turn: (turn.source.thread_id or "", turn.source.order))


def texts(memory, namespace=U1):
    return [turn.text for turn in turns(memory, namespace)]


# Word for word, with its source -------------------------------------------------------------


def test_both_sides_are_kept_word_for_word_with_who_where_and_when(memory, clock):
    chat = graph(memory)
    before = clock.moment
    events = say(chat, "  I live in Graz,\nnear the   river. ")
    say(chat, "And I row.")
    messages = chat.get_state(run_of()).values["messages"]
    kept = turns(memory)

    assert ["I live in Graz,\nnear the   river.", "You said so.", "And I row.", "You said so."] == [
        turn.text for turn in kept
    ]
    assert ["user", "assistant"] * 2 == [turn.source.author for turn in kept]
    assert [0, 1, 2, 3] == [turn.source.order for turn in kept]
    assert [(one.id,) for one in messages] == [turn.source.message_ids for turn in kept]
    assert {"t1"} == {turn.source.thread_id for turn in kept}
    assert all(before < turn.source.said_at <= clock.moment for turn in kept)
    assert {"turn"} == {turn.kind for turn in kept}
    assert [{"agentmem": "turns_kept", "count": 2}] == events


def test_a_name_is_the_speaker_and_a_timestamp_is_the_time(memory):
    said = datetime(2025, 5, 1, 8, 30, tzinfo=UTC)
    message = HumanMessage(
        "Hello.", name="Caroline", additional_kwargs={"timestamp": said.isoformat()}
    )
    say(graph(memory, reply=silent), message)
    (turn,) = turns(memory)

    assert ("Caroline", said, said) == (turn.source.author, turn.source.said_at, turn.valid_from)


def test_turns_from_before_the_node_was_there_have_no_time(memory):
    older = [HumanMessage("Long ago."), AIMessage("Yes."), HumanMessage("Now.")]
    say(graph(memory, reply=silent), *older)

    assert [None, None, True] == [turn.source.said_at and True for turn in turns(memory)]


def test_a_turn_is_recalled_beside_the_facts(memory):
    chat = graph(memory, then=extract_facts(RuleExtractor()))
    say(chat, "I live in Graz. The boathouse on the Mur opens at six.")
    found = memory.store.recall(U1, "When does the boathouse open?").relevant

    assert "turn" in {hit.memory.kind for hit in found}
    assert any("opens at six" in hit.memory.text for hit in found)


@pytest.mark.parametrize("with_embedder", [False, True])
def test_only_kinds_that_are_wanted_are_recalled(path, clock, with_embedder):
    embed = (lambda texts: [[1.0, 0.0] for _ in texts]) if with_embedder else None
    with AgentMemory.open(path, clock=clock, embed=embed) as memory:
        say(graph(memory), "The boathouse opens at six.")

        assert () == memory.store.recall(U1, "boathouse", kinds=["fact"]).relevant
        assert 0 < len(memory.store.recall(U1, "boathouse", kinds=["turn"]).relevant)


async def test_the_async_form_keeps_the_same(memory):
    chat = graph(memory)
    stream = chat.astream({"messages": [HumanMessage("I row.")]}, run_of(), stream_mode="custom")
    events = [event async for event in stream]

    assert ["I row.", "You said so."] == texts(memory)
    assert [{"agentmem": "turns_kept", "count": 2}] == events


# What counts as a turn ----------------------------------------------------------------------


CALL = {"name": "find", "args": {"city": "Graz"}, "id": "c1"}


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ([SystemMessage("Be kind."), HumanMessage("Hi there.")], ["Hi there."]),
        ([HumanMessage("   "), AIMessage("")], []),
        ([HumanMessage("Find."), AIMessage("", tool_calls=[CALL])], ["Find."]),
        (
            [
                HumanMessage("Find."),
                AIMessage("Let me look.", tool_calls=[CALL]),
                ToolMessage("three places", tool_call_id="c1"),
                AIMessage("Three."),
            ],
            ["Find.", "Let me look.", "Three."],
        ),
        (
            [
                HumanMessage([{"type": "text", "text": "Look:"}, {"type": "image", "url": "u"}]),
                AIMessage([{"type": "thinking", "thinking": "hm", "signature": "s"}, "A boat."]),
                HumanMessage([{"type": "image", "url": "u"}]),
                HumanMessage(["One.", {"type": "text", "text": "Two."}]),
            ],
            ["Look:", "A boat.", "One.\nTwo."],
        ),
        (
            [
                HumanMessage("Summary: …", additional_kwargs={"lc_source": "summarization"}),
                HumanMessage("Go on."),
            ],
            ["Go on."],
        ),
        ([HumanMessage("[forgotten]"), HumanMessage("Still here.")], ["Still here."]),
        ([HumanMessage("ok"), AIMessage("ok"), HumanMessage("ok")], ["ok", "ok", "ok"]),
        ([HumanMessage("東京に住んでいます 🙂")], ["東京に住んでいます 🙂"]),
    ],
    ids=[
        "system", "blank", "a call without a word", "an exchange", "blocks", "a summary",
        "forgotten", "the same words again", "other scripts",
    ],
)  # fmt: skip
def test_what_somebody_said_is_kept_and_nothing_else(memory, messages, expected):
    say(graph(memory, reply=silent), *messages)

    assert expected == texts(memory)


def test_a_text_that_no_store_can_hold_is_left_out_and_said(memory):
    events = say(graph(memory, reply=silent), "a \ud800 b", "Fine.")

    assert ["Fine."] == texts(memory)
    assert {"agentmem": "turns_dropped", "count": 1} in events


def test_a_very_long_turn_is_refused_with_its_reason(memory):
    events = say(graph(memory, reply=silent), "word " * 300_000)

    assert [] == texts(memory)
    (event,) = events
    assert ("turns_refused", 1) == (event["agentmem"], event["count"])
    assert "too long" in event["reasons"][0]


def test_a_long_turn_is_kept_whole(memory):
    long = "word " * 20_000 + "end"
    say(graph(memory, reply=silent), long)

    assert [long] == texts(memory)


# The write policy ---------------------------------------------------------------------------


def test_a_turn_with_a_password_is_not_kept_and_that_is_said_without_it(memory, path):
    chat = graph(memory, reply=silent)
    events = say(chat, PASSWORD, "I row on Mondays.")
    again = say(chat, "And on Fridays.")

    assert ["I row on Mondays.", "And on Fridays."] == texts(memory)
    assert {"agentmem": "turns_refused", "count": 1, "reasons": ["holds a password"]} in events
    assert "hunter2" not in repr(events)
    assert [{"agentmem": "turns_kept", "count": 1}] == again
    assert () == memory.store.recall(U1, "hunter2 Kestrel").relevant


def test_a_turn_that_would_need_consent_is_not_kept_unless_that_is_granted(memory):
    said = "I was diagnosed with diabetes last year."
    events = say(graph(memory, reply=silent), said, "I row on Mondays.")
    kept = texts(memory)
    granted = remember_turns(policy=CarefulPolicy(consent="granted"))
    say(graph(memory, node=granted, reply=silent), said, config=run_of("t2"))

    assert ["I row on Mondays."] == kept
    (refused,) = [one for one in events if one["agentmem"] == "turns_refused"]
    assert "needs consent: " in refused["reasons"][0]
    assert said in texts(memory)


def test_a_policy_of_ones_own_is_asked_with_the_words_and_the_source(memory):
    asked = []

    def no_boats(candidate):
        asked.append((candidate.topic, candidate.kind, candidate.source.author))
        return "is about boats" if "boat" in candidate.value else None

    node = remember_turns(policy=no_boats)
    events = say(graph(memory, node=node, reply=silent), "My boat is red.", "My hat is blue.")

    assert ["My hat is blue."] == texts(memory)
    assert {("turn", "turn", "user")} == set(asked)
    assert {"agentmem": "turns_refused", "count": 1, "reasons": ["is about boats"]} in events


# Once ---------------------------------------------------------------------------------------


def test_a_retry_keeps_each_turn_once(memory):
    chat = graph(
        memory, node=FailsOnce(), retry=RetryPolicy(retry_on=ConnectionError, max_attempts=2)
    )
    say(chat, "I row.")

    assert ["I row.", "You said so."] == texts(memory)


def test_a_run_that_failed_and_is_invoked_again_keeps_each_turn_once(memory):
    chat = graph(memory, node=FailsOnce())
    with pytest.raises(ConnectionError):
        say(chat, "I row.")
    chat.invoke(None, run_of())

    assert ["I row.", "You said so."] == texts(memory)


def test_an_interrupt_and_its_resume_keep_each_turn_once(memory):
    def ask(_state):
        return {"messages": [AIMessage(f"You chose {interrupt('which?')}.")]}

    chat = graph(memory, then=ask, reply=silent)
    say(chat, "Book a boat.")
    chat.invoke(Command(resume="the red one"), run_of())
    say(chat, "Thanks a lot, friend.")

    assert ["Book a boat.", "You chose the red one.", "Thanks a lot, friend."] == texts(memory)


def test_a_replay_keeps_nothing_twice(memory):
    chat = graph(memory, reply=silent)
    say(chat, "I row.")
    past = next(one for one in chat.get_state_history(run_of()) if one.next == ("remember_turns",))
    chat.invoke(None, past.config, context={"user_id": "u1"})

    assert ["I row."] == texts(memory)


def test_the_messages_again_under_their_ids_keep_nothing_twice(memory):
    said = [HumanMessage("I row.", id="m1"), AIMessage("Good.", id="m2")]
    chat = graph(memory, reply=silent)
    say(chat, *said)
    say(chat, *said)
    say(chat, HumanMessage("I row and swim.", id="m1"))

    assert ["I row.", "Good."] == texts(memory)


def test_the_same_id_in_another_thread_is_another_turn(memory):
    for thread in ("t1", "t2"):
        say(graph(memory, reply=silent), HumanMessage("I row.", id="m1"), config=run_of(thread))

    assert ["t1", "t2"] == [turn.source.thread_id for turn in turns(memory)]


def test_messages_that_are_taken_out_leave_their_turns_and_new_ones_come_after(memory):
    chat = graph(memory)
    say(chat, HumanMessage("One.", id="m1"))
    everything = [one.id for one in chat.get_state(run_of()).values["messages"]]
    say(chat, *[RemoveMessage(id=one) for one in everything], HumanMessage("Two.", id="m2"))

    assert ["One.", "You said so.", "Two.", "You said so."] == texts(memory)
    assert [0, 1, 2, 3] == [turn.source.order for turn in turns(memory)]


def test_runs_at_the_same_time_keep_each_turn_once(path, clock):
    said = [HumanMessage(f"Fact {number}.", id=f"m{number}") for number in range(5)]
    with AgentMemory.open(path) as memory:
        node = remember_turns()
        chat = (
            StateGraph(MemoryState)
            .add_node("remember_turns", node)
            .add_edge(START, "remember_turns")
            .compile(store=memory.store)
        )
        with ThreadPoolExecutor(6) as pool:
            list(pool.map(lambda _: chat.invoke({"messages": said}, run_of()), range(12)))

        assert [one.text for one in said] == texts(memory)
        assert {1} == {turn.version for turn in turns(memory)}


CRASH = """
import os, signal, sys
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.graph import START, MessagesState, StateGraph
from langgraph_agentmem import AgentMemory, remember_turns
memory = AgentMemory.open(sys.argv[1])
def die(state):
    if sys.argv[2] == "die":
        os.kill(os.getpid(), signal.SIGKILL)
builder = StateGraph(MessagesState)
builder.add_node("assistant", lambda state: {"messages": [AIMessage("Yes.")]})
class Dies(type(remember_turns())):
    def work(self, state, run):
        update = yield from super().work(state, run)
        die(state)
        return update
builder.add_node("remember_turns", Dies())
builder.add_edge(START, "assistant").add_edge("assistant", "remember_turns")
chat = builder.compile(store=memory.store, checkpointer=memory.checkpointer)
given = {"messages": [HumanMessage("I row.")]} if sys.argv[2] == "die" else None
config = {"configurable": {"thread_id": "t1", "user_id": "u1"}}
chat.invoke(given, config, durability="sync")
memory.close()
"""


def test_a_process_that_is_killed_after_keeping_and_resumed_keeps_each_turn_once(path):
    def run(how):
        return subprocess.run(
            [sys.executable, "-c", CRASH, str(path), how],
            capture_output=True,
            text=True,
            check=False,
            timeout=500,
            cwd=Path(__file__).parents[2],
        )

    assert -signal.SIGKILL == run("die").returncode
    with AgentMemory.open(path) as memory:
        assert ["I row.", "Yes."] == texts(memory)
    done = run("resume")
    with AgentMemory.open(path) as memory:
        assert ("", ["I row.", "Yes."]) == (done.stderr, texts(memory))


def test_an_embedder_that_fails_keeps_nothing_says_so_and_the_next_run_makes_up_for_it(path, clock):
    answers = []

    def embed(texts):
        if not answers:
            answers.append(texts)
            raise ConnectionError
        return [[1.0, 0.0] for _ in texts]

    with AgentMemory.open(path, clock=clock, embed=embed) as memory:
        chat = graph(memory, reply=silent)
        first = say(chat, "I row.")
        kept = texts(memory)
        say(chat, "I swim.")

        assert [{"agentmem": "turns_failed", "error": "EmbeddingFailed", "count": 1}] == first
        assert ([], ["I row.", "I swim."]) == (kept, texts(memory))


# Messages without ids -------------------------------------------------------------------------


class Grows(TypedDict, total=False):
    messages: Annotated[list[AnyMessage], add]


class Replaced(TypedDict, total=False):
    messages: list[AnyMessage]


def test_a_list_without_ids_that_grows_is_kept_once(memory):
    chat = graph(memory, state=Grows)
    for text in ("One.", "Two.", "Three."):
        say(chat, text)

    assert ["One.", "You said so.", "Two.", "You said so.", "Three.", "You said so."] == texts(
        memory
    )


def test_a_list_without_ids_that_is_another_each_time_is_kept_each_time(memory):
    chat = graph(memory, state=Replaced, reply=silent)
    for text in ("One.", "Two.", "Two."):
        say(chat, text)

    assert ["One.", "Two.", "Two."] == texts(memory)


def test_a_retry_of_a_list_without_ids_keeps_it_once(memory):
    chat = graph(
        memory,
        state=Replaced,
        reply=silent,
        node=FailsOnce(),
        retry=RetryPolicy(retry_on=ConnectionError, max_attempts=2),
    )
    say(chat, "One.")

    assert ["One."] == texts(memory)


def test_a_run_without_a_thread_keeps_the_open_turn(memory):
    chat = (
        StateGraph(MessagesState)
        .add_node("remember_turns", remember_turns())
        .add_edge(START, "remember_turns")
        .compile(store=memory.store)
    )
    user = {"configurable": {"user_id": "u1"}}
    history = [HumanMessage("One."), AIMessage("Yes."), HumanMessage("Two."), AIMessage("Oh.")]
    chat.invoke({"messages": history[:2]}, user)
    chat.invoke({"messages": history}, user)

    assert {"One.", "Yes.", "Two.", "Oh."} == set(texts(memory))
    assert 4 == len(turns(memory))


# Whose, and where ----------------------------------------------------------------------------


def test_without_a_user_or_our_store_nothing_is_kept(memory):
    chat = graph(memory)
    with pytest.raises(UserRequired):
        say(chat, "I row.", config={"configurable": {"thread_id": "t1"}})
    say(chat, "I row.")
    with pytest.raises(UserConflict):
        say(chat, "I row.", config=run_of(user="u2"))
    for store in (None, InMemoryStore()):
        other = (
            StateGraph(MessagesState)
            .add_node("remember_turns", remember_turns())
            .add_edge(START, "remember_turns")
            .compile(store=store)
        )
        with pytest.raises(StoreRequired):
            say(other, "I row.")

    assert [] == memory.store.memories(("memories", "u2"))


def test_users_keep_their_own(memory):
    for user in ("user1", "user10"):
        say(graph(memory, reply=silent), f"I am {user}.", config=run_of(user, user))

    assert ["I am user1."] == texts(memory, ("memories", "user1"))
    assert ["I am user10."] == texts(memory, ("memories", "user10"))


def test_it_can_be_dropped_into_a_graph_with_keys_of_its_own(memory):
    class Other(TypedDict, total=False):
        chat: Annotated[list[AnyMessage], add]

    builder = StateGraph(Other)
    builder.add_node("remember_turns", remember_turns(messages_key="chat", through_key="read"))
    builder.add_edge(START, "remember_turns")
    chat = builder.compile(store=memory.store, checkpointer=memory.checkpointer)
    chat.invoke({"chat": [HumanMessage("I row.", id="m1")]}, run_of())

    assert ["I row."] == texts(memory)
    assert "m1" == chat.get_state(run_of()).values["read"]


def test_what_an_extractor_knows_of_the_user_holds_no_turns(memory):
    known_to = []

    class Listening:
        def extract(self, said, *, known, now, thread_id):
            known_to.append(dict(known))
            return []

        async def aextract(self, said, **options):
            return self.extract(said, **options)

    memory.store.remember(U1, "home_city", "Graz")
    chat = graph(memory, then=extract_facts(Listening()))
    say(chat, "I row.")
    say(chat, "I swim.")

    assert [{"home_city": "Graz"}] * 2 == known_to


def test_a_turn_that_the_application_remembers_itself_is_counted_in_the_order(memory):
    memory.store.remember(
        U1, "turn.a", "Before.", kind="turn", source=Source(thread_id="t1", order=41)
    )
    say(graph(memory, reply=silent), "After.")

    assert [41, 42] == [turn.source.order for turn in turns(memory)]


# Recalled beside facts --------------------------------------------------------------------------


def recalled(chat, text, config=None):
    """What a run recalls for this message."""
    stream = chat.stream(
        {"messages": [HumanMessage(text)]}, config or run_of(), stream_mode="updates"
    )
    for update in stream:
        if found := (update.get("retrieve_memories") or {}).get("memories"):
            return [hit.memory.text for hit in found.relevant]
    return []


def remembering(memory):
    builder = StateGraph(MemoryState)
    builder.add_node("retrieve_memories", retrieve_memories())
    builder.add_node("assistant", lambda _: {"messages": [AIMessage("Noted.")]})
    builder.add_node("remember_turns", remember_turns())
    builder.add_edge(START, "retrieve_memories").add_edge("retrieve_memories", "assistant")
    builder.add_edge("assistant", "remember_turns")
    return builder.compile(store=memory.store, checkpointer=memory.checkpointer)


def test_what_the_model_sees_anyway_is_not_recalled_and_what_is_further_back_is(memory):
    chat = remembering(memory)
    say(chat, "The boathouse on the Mur opens at six.")
    near = recalled(chat, "When does the boathouse open?")
    for number in range(4):
        say(chat, f"I counted {number} ducks.")
    far = recalled(chat, "When does the boathouse open?")
    elsewhere = recalled(chat, "When does the boathouse open?", run_of("t2"))

    assert [] == near
    assert "The boathouse on the Mur opens at six." == far[0]
    assert "The boathouse on the Mur opens at six." == elsewhere[0]


@pytest.mark.parametrize("with_embedder", [False, True])
def test_a_fact_comes_before_the_turns_that_say_the_same(path, clock, with_embedder):
    embed = (lambda texts: [[1.0, 0.0] for _ in texts]) if with_embedder else None
    with AgentMemory.open(path, clock=clock, embed=embed) as memory:
        chat = graph(memory, then=extract_facts(RuleExtractor()))
        say(chat, "My phone number is +351 912 345 678.")
        say(chat, "I row on Mondays.")
        found = memory.store.recall(U1, "What is my phone number?").relevant

        assert "fact" == found[0].memory.kind
        assert "+351 912 345 678" == found[0].memory.text
