"""langmem's memory manager, with a model that says what it is told to."""

from __future__ import annotations

import warnings
from typing import Any

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult

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
