"""langmem's memory managers, with a model that says what it is told to."""

from __future__ import annotations

import asyncio
import re
import warnings
from typing import Any

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult

from langgraph_agentmem import AgentMemory
from langgraph_agentmem.testing import AngleEmbeddings

NS = ("memories", "asha")


class Scripted(BaseChatModel):
    """Calls the tool `Memory` with one content after the other."""

    contents: list[str]

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, _tools, **_options):
        return self

    def _generate(self, messages, stop=None, run_manager=None, **kwargs: Any) -> ChatResult:
        calls = [
            {"name": "Memory", "args": {"content": text}, "id": text, "type": "tool_call"}
            for text in self.contents
        ]
        self.contents = []
        return ChatResult(generations=[ChatGeneration(message=AIMessage("", tool_calls=calls))])


@pytest.fixture
def manager(memory):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it imports by names that LangGraph has moved
        langmem = pytest.importorskip("langmem")
        model = Scripted(contents=["lives in Oslo"])
        yield langmem.create_memory_store_manager(model, namespace=NS, store=memory.store)


def test_a_manager_keeps_what_its_model_extracts(manager, memory):
    manager.invoke({"messages": [{"role": "user", "content": "I live in Oslo"}]})

    assert ["lives in Oslo"] == [
        item.value["content"]["content"] for item in memory.store.search(NS)
    ]
    assert ["lives in Oslo"] == [item.value.content for item in manager.search(query="where")]


async def test_a_manager_keeps_it_asynchronously_too(manager, memory):
    await manager.ainvoke({"messages": [{"role": "user", "content": "I live in Oslo"}]})

    assert 1 == len(await memory.store.asearch(NS))
    assert 1 == len(memory.store.recall(NS, "Where in Oslo?").memories)


class Editing(BaseChatModel):
    """Calls each of some tools on the one memory that it is shown, one round after the other."""

    rounds: list[dict[str, Any]]

    @property
    def _llm_type(self) -> str:
        return "editing"

    def bind_tools(self, _tools, **_options):
        return self.bind()

    def _generate(self, messages, stop=None, run_manager=None, **kwargs: Any) -> ChatResult:
        shown = re.search(r"<instance id=(\w+)", str(messages))
        call = self.rounds.pop(0)
        args = {**call["args"], **({"json_doc_id": shown[1]} if shown else {})}
        made = {**call, "args": args, "id": "1", "type": "tool_call"}
        return ChatResult(generations=[ChatGeneration(message=AIMessage("", tool_calls=[made]))])


CREATE = {"name": "Memory", "args": {"content": "lives in Oslo"}}
PATCH = {
    "name": "PatchDoc",
    "args": {
        "planned_edits": "the city",
        "patches": [{"op": "replace", "path": "/content", "value": "lives in Rome"}],
    },
}
REMOVE = {"name": "RemoveDoc", "args": {}}


@pytest.mark.parametrize("lane", ["sync", "async"])
@pytest.mark.parametrize("ranking", [None, "cosine", "hybrid"])
async def test_a_manager_finds_updates_and_removes_what_it_kept(path, lane, ranking):
    langmem = pytest.importorskip("langmem")
    index = {} if ranking is None else {"embed": AngleEmbeddings(), "ranking": ranking}
    user = {"configurable": {"langgraph_user_id": "asha"}}
    with AgentMemory.open(path, **index) as memory:
        manager = langmem.create_memory_store_manager(
            Editing(rounds=[CREATE, PATCH, REMOVE]),
            namespace=("memories", "{langgraph_user_id}"),
            store=memory.store,
            enable_deletes=True,
        )

        async def say(text: str) -> list[str]:
            given = {"messages": [{"role": "user", "content": text}]}
            if lane == "sync":
                await asyncio.to_thread(manager.invoke, given, user)
            else:
                await manager.ainvoke(given, user)
            return [item.value["content"]["content"] for item in memory.store.search(NS)]

        assert ["lives in Oslo"] == await say("10 I live in Oslo")
        assert ["lives in Rome"] == await say("20 I moved to Rome")
        (item,) = memory.store.search(NS)
        assert [1, 2] == [version.number for version in memory.store.history(NS, item.key)]
        assert [] == await say("30 Forget where I live")
