"""Whatever befalls its threads, a graph sees what it would see on LangGraph's own saver in memory.

What was forgotten is the only difference: it is in no message, and nowhere in the files.
"""

from __future__ import annotations

import copy
import json
import random
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, RemoveMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import Command, interrupt

from langgraph_agentmem import AgentMemory, Candidate, Source
from langgraph_agentmem.backends.scan import count

NS = ("memories", "asha")


def use_a_tool(state: MessagesState) -> dict[str, Any]:
    said, at = state["messages"][-1], len(state["messages"])
    call = {"id": f"c{at}", "name": "look_up", "args": {"q": said.text}}
    return {
        "messages": [
            AIMessage("", id=f"call-{said.id}", tool_calls=[call]),
            ToolMessage(f"found {said.text}", tool_call_id=f"c{at}", id=f"tool-{said.id}"),
        ]
    }


def repeat(state: MessagesState) -> dict[str, Any]:
    said = state["messages"][-1]
    return {"messages": [AIMessage(f"so it is {said.text}", id=f"so-{said.id}")]}


def ask(state: MessagesState) -> dict[str, Any]:
    said = state["messages"][-1]
    if "please ask" not in said.text:
        return {}
    return {"messages": [AIMessage(str(interrupt({"about": said.text})), id=f"told-{said.id}")]}


def build(saver: Any) -> Any:
    inner = StateGraph(MessagesState).add_node("repeat", repeat).add_node("ask", ask)
    inner = inner.add_edge(START, "repeat").add_edge("repeat", "ask")
    builder = StateGraph(MessagesState).add_node("tool", use_a_tool)
    builder.add_node("inner", inner.compile())
    builder.add_edge(START, "tool").add_edge("tool", "inner")
    return builder.compile(checkpointer=saver)


def config(thread: str) -> dict[str, Any]:
    return {"configurable": {"thread_id": thread, "user_id": "asha"}}


class Life:
    """A memory's file, LangGraph's saver in memory beside it, and the same graph on both."""

    def __init__(self, path: Path, seed: int) -> None:
        self.path = path
        self.chance = random.Random(seed)
        self.memory = AgentMemory.open(path)
        self.plain = InMemorySaver()
        self.threads = ["t0", "t1"]
        self.said = 0
        self.secrets: dict[str, str] = {}
        self.forgotten: list[str] = []

    @property
    def graphs(self) -> tuple[Any, Any]:
        return build(self.memory.checkpointer), build(self.plain)

    def step(self) -> None:
        verbs = [self.tell] * 4 + [self.tell_secret] * 3 + [self.forget, self.forget, self.prune]
        verbs += [self.copy, self.reopen, self.update, self.remove]
        thread = self.chance.choice(self.threads)
        verb = self.chance.choice(verbs)
        talks = verb in {self.tell, self.tell_secret, self.update, self.remove}
        if talks and self.graphs[1].get_state(config(thread)).next:
            for graph in self.graphs:  # it waits for an answer first
                graph.invoke(Command(resume=f"yes {self.said}"), config(thread))
        else:
            verb(thread)

    def say(self, thread: str, text: str) -> str:
        self.said += 1
        please = "please ask " if self.chance.random() < 0.3 else ""
        for graph in self.graphs:
            message = HumanMessage(f"{please}{text}", id=f"m{self.said}")
            graph.invoke({"messages": [message]}, config(thread))
        return f"m{self.said}"

    def tell(self, thread: str) -> None:
        self.say(thread, f"words of {self.said}")

    def tell_secret(self, thread: str) -> None:
        secret = f"canary-{self.said}-end"
        source = Source(thread_id=thread, message_ids=(self.say(thread, f"it is {secret}"),))
        told = Candidate(topic=f"topic {self.said}", value=secret, source=source)
        self.memory.store.learn(NS, [told])
        self.secrets[secret] = told.topic

    def forget(self, _: str) -> None:
        if self.secrets:
            secret = self.chance.choice([*self.secrets])
            receipt = self.memory.forget("asha", self.secrets.pop(secret))
            self.forgotten.append(secret)
            assert (True, 0) == (receipt.complete, receipt.left_in_files)
            assert self.memory.verify(receipt, text=secret).clean

    def prune(self, thread: str) -> None:
        self.memory.checkpointer.prune([thread])

    def copy(self, thread: str) -> None:
        if len(self.threads) == 5 or not self.graphs[1].get_state(config(thread)).values:
            return
        new = f"t{len(self.threads)}"
        self.memory.checkpointer.copy_thread(thread, new)
        plain = self.plain
        plain.storage[new] = copy.deepcopy(plain.storage[thread])
        for held in (plain.writes, plain.blobs):
            for (owner, *rest), value in [*held.items()]:
                if owner == thread:
                    held[(new, *rest)] = copy.deepcopy(value)
        self.threads.append(new)

    def reopen(self, _: str) -> None:
        self.memory.close()
        left = sum(count(self.path, [one.encode()]) for one in self.forgotten)
        self.memory = AgentMemory.open(self.path)
        assert 0 == left

    def update(self, thread: str) -> None:
        self.said += 1
        message = HumanMessage(f"put in {self.said}", id=f"m{self.said}")
        for graph in self.graphs:
            graph.update_state(config(thread), {"messages": [message]}, as_node="inner")

    def remove(self, thread: str) -> None:
        if held := self.graphs[1].get_state(config(thread)).values.get("messages"):
            gone = RemoveMessage(id=self.chance.choice(held).id)
            for graph in self.graphs:
                graph.update_state(config(thread), {"messages": [gone]}, as_node="inner")

    def check(self) -> None:
        for thread in self.threads:
            ours, plain = (graph.get_state(config(thread)) for graph in self.graphs)
            assert (plain.next, len(plain.interrupts)) == (ours.next, len(ours.interrupts))
            theirs = plain.values.get("messages", [])
            found = ours.values.get("messages", [])
            assert [(one.type, one.id) for one in theirs] == [(one.type, one.id) for one in found]
            for one, other in zip(theirs, found, strict=True):
                if not any(secret in str(one) for secret in self.forgotten):
                    assert one == other
                assert not any(secret in str(other) for secret in self.forgotten)


@pytest.mark.parametrize("seed", [1, 4, 11])
def test_a_graph_sees_what_it_would_see_on_langgraphs_own_saver(tmp_path, seed):
    life = Life(tmp_path / "memory.db", seed)
    for _ in range(40):
        life.step()
        life.check()
    assert len(life.forgotten) > 1

    with AgentMemory.open(tmp_path / "elsewhere.db") as elsewhere:
        lines = [json.dumps(line) for line in life.memory.export_user("asha")]
        elsewhere.import_user(lines)
        assert lines == [json.dumps(line) for line in elsewhere.export_user("asha")]
        for thread in life.threads:
            before, after = (
                [*build(one.checkpointer).get_state_history(config(thread))]
                for one in (life.memory, elsewhere)
            )
            assert [(one.values, one.next) for one in before] == [
                (one.values, one.next) for one in after
            ]
    life.memory.close()
    assert 0 == sum(count(life.path, [one.encode()]) for one in life.forgotten)
