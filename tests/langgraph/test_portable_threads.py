"""What threads hold comes through an export as it was; the export grows with the thread."""

from __future__ import annotations

import json
import operator
from typing import Annotated, Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.base import empty_checkpoint
from langgraph.checkpoint.serde.types import _DeltaSnapshot
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import Command, Overwrite, Send, interrupt
from typing_extensions import TypedDict

from langgraph_agentmem import AgentMemory, Candidate, Source

ASHA = {"configurable": {"thread_id": "t", "user_id": "asha"}}


@pytest.fixture
def other(tmp_path):
    with AgentMemory.open(tmp_path / "other.db") as opened:
        yield opened


def exported(memory: AgentMemory) -> list[str]:
    return [json.dumps(line, ensure_ascii=False) for line in memory.export_user("asha")]


def chat(checkpointer: Any):
    def answer(state: MessagesState) -> dict[str, Any]:
        return {"messages": [AIMessage(f"I heard {len(state['messages'])}")]}

    builder = StateGraph(MessagesState).add_node("answer", answer).add_edge(START, "answer")
    return builder.compile(checkpointer=checkpointer)


def talk(graph: Any, turns: int) -> None:
    for number in range(turns):
        graph.invoke({"messages": [HumanMessage(f"question {number}")]}, ASHA)


def test_an_export_grows_with_the_chat_and_not_with_its_square(memory):
    graph = chat(memory.checkpointer)
    talk(graph, 40)
    first = sum(map(len, exported(memory)))
    talk(graph, 40)

    assert sum(map(len, exported(memory))) < 2.2 * first


def test_a_chat_longer_than_a_chunk_comes_as_it_was(memory, other):
    talk(chat(memory.checkpointer), 70)
    memory.checkpointer.prune(["t"])
    talk(chat(memory.checkpointer), 3)
    other.import_user(exported(memory))

    before = [one.values for one in chat(memory.checkpointer).get_state_history(ASHA)]
    assert before == [one.values for one in chat(other.checkpointer).get_state_history(ASHA)]
    assert 146 == len(before[0]["messages"])


def test_the_writes_of_tasks_stay_in_the_order_in_which_they_are_applied(memory, other):
    saver = memory.checkpointer
    config = {"configurable": {**ASHA["configurable"], "checkpoint_ns": ""}}
    at = saver.put(config, empty_checkpoint(), {"source": "loop", "step": 1, "parents": {}}, {})
    saver.put_writes(at, [("c", "second")], "a", "~1, 0000000002")
    saver.put_writes(at, [("c", "first")], "b", "~1, 0000000001")
    other.import_user(exported(memory))

    assert ["first", "second"] == [one[2] for one in saver.get_tuple(at).pending_writes]
    assert saver.get_tuple(at).pending_writes == other.checkpointer.get_tuple(at).pending_writes


def test_messages_inside_langgraphs_own_objects_come_too(memory, other):
    saver = memory.checkpointer
    said = [HumanMessage("one", id="1"), AIMessage("two", id="2")]
    values = {
        "send": [Send("node", {"messages": said, "last": said[-1]})],
        "over": Overwrite(said),
        "delta": _DeltaSnapshot(said),
        "raw": [{"role": "user", "content": "as a dict"}, ["ai", "as a list"]],
        "blocks": {"role": "user", "content": [{"type": "text", "text": "in a block"}]},
        "mixed": [said[0], "text", [said[1], b"\x00"], []],
    }
    config = {"configurable": {**ASHA["configurable"], "checkpoint_ns": ""}}
    checkpoint = {**empty_checkpoint(), "channel_values": values}
    at = saver.put(config, checkpoint, {"source": "loop", "step": 1, "parents": {}}, {})
    saver.put_writes(at, [("over", Overwrite(said)), ("raw", ("user", "a pair"))], "task")
    lines = exported(memory)
    other.import_user(lines)

    assert saver.get_tuple(at) == other.checkpointer.get_tuple(at)
    assert values == other.checkpointer.get_tuple(at).checkpoint["channel_values"]
    assert lines == exported(other)
    texts = [json.loads(one)["text"] for one in lines if '"type": "message"' in one]
    assert 2 == len([one for one in texts if one in {"one", "two"}])


def test_a_thread_in_which_something_was_forgotten_comes_out_as_it_went_in(memory, other):
    graph = chat(memory.checkpointer)
    talk(graph, 3)
    graph.invoke({"messages": [HumanMessage("It is XK-4711-QQ", id="m")]}, ASHA)
    graph.invoke({"messages": [("user", "Once more, XK-4711-QQ")]}, ASHA)
    memory.for_user("asha").remember("code", "XK-4711-QQ")
    told = Candidate(
        topic="code", value="XK-4711-QQ", source=Source(thread_id="t", message_ids=("m",))
    )
    memory.store.learn(("memories", "asha"), [told])
    memory.forget("asha", "code")
    talk(graph, 3)
    lines = exported(memory)
    other.import_user(lines)

    assert "4711" not in "".join(lines)
    assert lines == exported(other)


class Branches(TypedDict, total=False):
    found: Annotated[list[str], operator.add]


def test_branches_that_wait_for_an_answer_go_on_elsewhere(memory, other):
    def branch(state: dict[str, Any]) -> dict[str, Any]:
        if state["n"] % 3 == 0:
            return {"found": [f"{state['n']} {interrupt(state['n'])}"]}
        return {"found": [str(state["n"])]}

    def graph(saver: Any):
        builder = StateGraph(Branches).add_node("branch", branch)
        builder.add_conditional_edges(
            START, lambda _: [Send("branch", {"n": n}) for n in range(12)], ["branch"]
        )
        return builder.compile(checkpointer=saver)

    graph(memory.checkpointer).invoke({"found": []}, ASHA)
    other.import_user(exported(memory))

    asked = graph(other.checkpointer).get_state(ASHA).interrupts
    assert [0, 3, 6, 9] == [one.value for one in asked]
    resume = Command(resume={one.id: "yes" for one in asked})
    ended = [graph(one).invoke(resume, ASHA) for one in (memory.checkpointer, other.checkpointer)]
    assert ended[0] == ended[1]
    assert 12 == len(ended[0]["found"])


def test_a_thread_that_the_official_saver_began_comes_each_message_once(tmp_path, other):
    path = tmp_path / "official.db"
    with SqliteSaver.from_conn_string(str(path)) as saver:
        talk(chat(saver), 20)
    with AgentMemory.open(path) as memory:
        talk(chat(memory.checkpointer), 20)
        memory.claim_thread("t", "asha")
        lines = exported(memory)
        before = [one.values for one in chat(memory.checkpointer).get_state_history(ASHA)]
    other.import_user(lines)

    assert before == [one.values for one in chat(other.checkpointer).get_state_history(ASHA)]
    assert sum(map(len, lines)) < 1_000_000
