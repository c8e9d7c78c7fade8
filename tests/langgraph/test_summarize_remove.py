"""With `remove=True` summarized messages leave the state, and nothing breaks or is lost."""

import os
import subprocess
import sys

import pytest
from langchain_core.messages import AIMessage, HumanMessage, RemoveMessage, SystemMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.graph.message import add_messages
from langgraph.types import Command, interrupt
from message_rules import broken_rules
from summarizing import THREAD, Telling, chat_graph, ids, texts, told, turns

from langgraph_agentmem import (
    AgentMemory,
    MemoryState,
    aread_transcript,
    build_context,
    read_transcript,
    summarize_old_turns,
)


def remover(telling=None, **options):
    options = {"trigger": ("messages", 4), "keep": ("messages", 1)} | options
    return summarize_old_turns((telling or Telling()).model, remove=True, **options)


def last(text, id="q"):  # noqa: A002 - a message's own word for it
    return [HumanMessage(text, id=id)]


@pytest.mark.parametrize("state", [MemoryState, MessagesState])
async def test_summarized_messages_leave_the_state(state):
    graph = chat_graph(remover(), state=state, checkpointer=InMemorySaver())

    values = graph.invoke({"messages": [*turns(3), *last("and now?")]}, THREAD)
    other = {"configurable": {"thread_id": "async", "user_id": "u1"}}
    awaited = await graph.ainvoke({"messages": [*turns(3), *last("and now?")]}, other)

    assert ["and now?", "answer"] == texts(values["messages"])
    assert ["and now?", "answer"] == texts(awaited["messages"])
    assert "S1" == graph.get_state(THREAD).values["summary"]["text"]


def test_system_messages_the_open_turn_and_what_is_kept_stay():
    system = SystemMessage("Be brief.", id="s")
    messages = [*turns(2), system, *turns(1, start=2), *last("open")]
    node = remover(keep=("messages", 3))

    state = {"messages": add_messages(messages, node.invoke({"messages": messages})["messages"])}

    assert ["s", "h2", "a2", "q"] == [message.id for message in state["messages"]]


def test_the_summary_is_carried_from_round_to_round_though_its_messages_are_gone():
    telling = Telling()
    graph = chat_graph(remover(telling), checkpointer=InMemorySaver())

    for n in range(5):
        state = graph.invoke({"messages": [HumanMessage(f"question {n}")]}, THREAD)

    assert len(telling.prompts) >= 2
    for n, prompt in enumerate(telling.prompts[1:], start=1):
        assert f"<previous_summary>\nS{n}\n</previous_summary>" in prompt
    said = "\n".join(telling.shown)
    assert all(said.count(f"User: question {n}\n") == 1 for n in range(3))
    assert f"S{len(telling.prompts)}" in build_context(state, retrieve=None)[0].content


def test_without_anything_new_no_model_is_called():
    telling = Telling()
    graph = chat_graph(remover(telling), checkpointer=InMemorySaver())
    graph.invoke({"messages": [*turns(3), *last("open")]}, THREAD)

    graph.update_state(THREAD, {"messages": []})
    for _ in range(3):
        graph.invoke(None, graph.get_state(THREAD).config)
        told(remover(telling), graph.get_state(THREAD).values)

    assert 1 == len(telling.prompts)


# Messages that are gone already ------------------------------------------------------------------


# In MessagesState a bare removal that comes after another one is refused by add_messages itself.
@pytest.mark.parametrize(
    ("state", "also"),
    [
        (MemoryState, "a node before"),
        (MemoryState, "z node after"),
        (MessagesState, "a node before"),
    ],
)
def test_case_a05_two_summaries_and_user_code_remove_the_same_message(state, also):
    def forgetful(state: MessagesState):
        return {"messages": [RemoveMessage(id=state["messages"][0].id)]}

    graph = chat_graph(
        remover(trigger=("messages", 2)),
        state=state,
        before={"other": remover(trigger=("messages", 2)), also: forgetful},
    )

    values = graph.invoke({"messages": [HumanMessage("x", id="1"), HumanMessage("y", id="2")]})

    assert ["2"] == ids(values["messages"])[:1]
    assert "answer" == values["messages"][-1].content


def test_a_message_that_another_branch_adds_in_the_same_step_stays():
    def adds(_state: MessagesState):
        return {"messages": [HumanMessage("from another branch", id="new")]}

    graph = chat_graph(remover(), before={"adds": adds}, checkpointer=InMemorySaver())

    values = graph.invoke({"messages": [*turns(3), *last("open")]}, THREAD)

    assert ["q", "new"] == ids(values["messages"])[:2]


def test_two_branches_run_at_once_and_one_summary_is_left():
    graph = chat_graph(remover(), before={"other": remover()}, checkpointer=InMemorySaver())

    values = graph.invoke({"messages": [*turns(3), *last("open")]}, THREAD)

    assert ["open", "answer"] == texts(values["messages"])
    assert "S1" == values["summary"]["text"]


def test_a_history_from_which_the_user_took_messages_is_summarized_as_it_is():
    graph = chat_graph(remover(), checkpointer=InMemorySaver())
    graph.invoke({"messages": [*turns(3), *last("open")]}, THREAD)
    graph.update_state(THREAD, {"messages": [RemoveMessage(id="q")]})

    values = graph.invoke({"messages": [*turns(3, start=7), *last("more", "m")]}, THREAD)

    assert broken_rules(build_context(values, retrieve=None)) == []
    assert "S2" == values["summary"]["text"]


# Where nothing can be removed --------------------------------------------------------------------


def test_messages_without_ids_are_hidden_and_not_removed():
    messages = [HumanMessage("a"), *turns(2), *last("open")]

    update, said = told(remover(), {"messages": messages})

    assert "messages" not in update
    assert ["q"] == ids(build_context({"messages": messages, **update}))
    assert "cannot_remove" in [event["agentmem"] for event in said]


def test_a_graph_that_keeps_removals_as_messages_is_seen_and_told():
    node = remover()
    messages = [*turns(3), *last("open")]
    messages += node.invoke({"messages": messages})["messages"]

    update, said = told(node, {"messages": messages})

    assert "messages" not in update
    assert "cannot_remove" in [event["agentmem"] for event in said]


# The stream --------------------------------------------------------------------------------------


@pytest.mark.parametrize("state", [MemoryState, MessagesState])
async def test_case_a07_neither_removals_nor_the_summary_appear_in_the_chat(state):
    graph = chat_graph(remover(Telling("SUMTOKEN")), state=state)
    given = {"messages": [*turns(3), *last("open")]}

    chunks = [chunk for chunk, _ in graph.stream(given, stream_mode="messages")]
    awaited = [chunk async for chunk, _ in graph.astream(given, stream_mode="messages")]

    assert "answer" == "".join(chunk.content for chunk in chunks)
    assert "answer" == "".join(chunk.content for chunk in awaited)


def test_progress_and_decisions_are_events():
    graph = chat_graph(remover(reads=12))
    given = {"messages": [*turns(3), *last("open")]}

    said = list(graph.stream(given, stream_mode="custom"))

    parts = [event for event in said if event["agentmem"] == "summarizing"]
    assert [(n + 1, len(parts)) for n in range(len(parts))] == [
        (event["part"], event["parts"]) for event in parts
    ]
    assert {"agentmem": "summarized", "messages": 6, "exact": 0} == said[-1]
    assert not any("question" in str(event) for event in said)


# Reading back ------------------------------------------------------------------------------------


@pytest.mark.parametrize("durability", ["sync", "async", "exit"])
async def test_the_whole_transcript_can_be_read_back(memory, durability):
    graph = chat_graph(remover(), checkpointer=memory.checkpointer)
    asked = [f"question {n}" for n in range(6)]
    for text in asked:
        graph.invoke({"messages": [HumanMessage(text)]}, THREAD, durability=durability)

    whole = read_transcript(graph, THREAD)

    assert len(graph.get_state(THREAD).values["messages"]) < 12
    assert asked == texts(whole)[::2]
    assert {"answer"} == set(texts(whole)[1::2])
    assert whole == await aread_transcript(graph, THREAD)


def test_a_transcript_is_that_of_its_branch(memory):
    graph = chat_graph(remover(), checkpointer=memory.checkpointer)
    for n in range(3):
        graph.invoke({"messages": [HumanMessage(f"question {n}")]}, THREAD)
    fork = next(
        state.config
        for state in graph.get_state_history(THREAD)
        if not state.next and len(read_transcript(graph, state.config)) == 4
    )
    branch = graph.update_state(fork, {"messages": [HumanMessage("another way")]})

    assert ["question 0", "answer", "question 1", "answer", "another way"] == texts(
        read_transcript(graph, branch)
    )


def test_an_answer_that_was_made_anew_stands_beside_the_first(memory):
    graph = chat_graph(remover(), checkpointer=memory.checkpointer)
    graph.invoke({"messages": [HumanMessage("question", id="h")]}, THREAD)
    first = graph.get_state(THREAD).values["messages"][-1]
    update = [RemoveMessage(id=first.id), AIMessage("better", id="b")]
    graph.update_state(THREAD, {"messages": update})

    assert ["question", "answer", "better"] == texts(read_transcript(graph, THREAD))


def test_a_thread_that_nobody_used_has_no_transcript(memory):
    graph = chat_graph(remover(), checkpointer=memory.checkpointer)

    assert [] == read_transcript(graph, THREAD)


# Runs that stop and go on ------------------------------------------------------------------------


@pytest.mark.parametrize("remove", [True, False])
@pytest.mark.parametrize("durability", ["sync", "async", "exit"])
def test_an_interrupt_after_the_summary_resumes_without_paying_again(memory, remove, durability):
    telling = Telling()
    node = summarize_old_turns(
        telling.model, trigger=("messages", 4), keep=("messages", 1), remove=remove
    )

    def confirm(state: MemoryState):
        return {"messages": [AIMessage(f"you said {interrupt('sure?')}", id="confirmed")]}

    graph = (
        StateGraph(MemoryState)
        .add_node("summarize", node)
        .add_node("confirm", confirm)
        .add_edge(START, "summarize")
        .add_edge("summarize", "confirm")
        .compile(checkpointer=memory.checkpointer)
    )
    graph.invoke({"messages": [*turns(3), *last("open")]}, THREAD, durability=durability)

    values = graph.invoke(Command(resume="yes"), THREAD, durability=durability)

    assert 1 == len(telling.prompts)
    assert ["open", "you said yes"] == texts(build_context(values, retrieve=None)[1:-1])
    assert remove is (len(values["messages"]) == 2)


def test_a_replay_from_before_the_summary_makes_it_again_from_the_same_messages(memory):
    telling = Telling()
    graph = chat_graph(remover(telling), checkpointer=memory.checkpointer)
    graph.invoke({"messages": [*turns(3), *last("open")]}, THREAD)
    before = next(
        state.config for state in graph.get_state_history(THREAD) if state.next == ("summarize",)
    )

    before["configurable"]["user_id"] = "u1"
    graph.invoke(None, before)

    assert telling.shown[0] == telling.shown[1]


DYING = """
import os
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.runnables import RunnableLambda
from langgraph.graph import START, StateGraph
from langgraph_agentmem import AgentMemory, MemoryState, summarize_old_turns

def die(state: MemoryState):
    os._exit(9)

with AgentMemory.open("memory.db") as memory:
    node = summarize_old_turns(
        RunnableLambda(lambda _: AIMessage("S1")), trigger=("messages", 2), keep=("messages", 1),
        remove=True,
    )
    graph = (
        StateGraph(MemoryState)
        .add_node("summarize", node).add_node("assistant", die)
        .add_edge(START, "summarize").add_edge("summarize", "assistant")
        .compile(checkpointer=memory.checkpointer)
    )
    given = [HumanMessage("a", id="1"), AIMessage("b", id="2"), HumanMessage("c", id="3")]
    graph.invoke({"messages": given}, {"configurable": {"thread_id": "t", "user_id": "u1"}},
                 durability="sync")
"""


def test_a_process_that_dies_after_the_summary_goes_on_from_it(path):
    dead = subprocess.run(
        [sys.executable, "-c", DYING], cwd=path.parent, env=dict(os.environ), check=False
    )
    telling = Telling("never asked")
    with AgentMemory.open(path) as memory:
        graph = chat_graph(remover(telling), checkpointer=memory.checkpointer)
        values = graph.invoke(None, THREAD)

    assert 9 == dead.returncode
    assert ["c", "answer"] == texts(values["messages"])
    assert "S1" == values["summary"]["text"]
    assert [] == telling.prompts
