"""Our nodes and functions in graphs that know nothing of them, and with input that is no good."""

from dataclasses import dataclass, field
from operator import add
from typing import Annotated, Any

import pytest
from langchain.agents import create_agent
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.func import entrypoint, task
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.graph.message import add_messages
from langgraph.store.memory import InMemoryStore
from langgraph.types import Command, Send, interrupt
from message_rules import broken_rules
from pydantic import BaseModel
from summarizing import Telling, ids, texts, told, turns
from typing_extensions import TypedDict

from langgraph_agentmem import (
    MemoryState,
    abuild_context,
    build_context,
    retrieve_memories,
    summarize_old_turns,
    trim,
)
from langgraph_agentmem.errors import StoreRequired

AS_U1 = {"configurable": {"user_id": "u1", "thread_id": "t"}}
U1 = ("memories", "u1")


def ask(text="Hi"):
    return {"messages": [HumanMessage(text)]}


def summarizer(**options):
    return summarize_old_turns(
        Telling().model, trigger=("messages", 3), keep=("messages", 1), **options
    )


def shown(view):
    return "\n".join(str(message.text) for message in view)


@pytest.fixture
def vegan(memory):
    memory.store.remember(U1, "diet", "strictly vegan", pinned=True)
    return memory


# States and graphs of others ---------------------------------------------------------------------


@dataclass
class Plain:
    messages: Annotated[list[AnyMessage], add_messages] = field(default_factory=list)
    summary: Annotated[Any, lambda _, new: new] = None


class Checked(BaseModel):
    messages: Annotated[list[AnyMessage], add_messages] = []
    summary: Annotated[Any, lambda _, new: new] = None


@pytest.mark.parametrize("kind", [Plain, Checked])
async def test_a_graphs_state_may_be_a_dataclass_or_a_pydantic_model(vegan, kind):
    views = []

    def assistant(state: kind):
        views.append(build_context(state))
        return {"messages": [AIMessage("fine")]}

    graph = (
        StateGraph(kind)
        .add_node("retrieve", retrieve_memories())
        .add_node("summarize", summarizer(remove=True))
        .add_node("assistant", assistant)
        .add_edge(START, "retrieve")
        .add_edge("retrieve", "summarize")
        .add_edge("summarize", "assistant")
        .compile(store=vegan.store)
    )
    given = {"messages": [*turns(2), HumanMessage("open")]}
    graph.invoke(given, AS_U1)
    await graph.ainvoke(given, AS_U1)

    for n, view in enumerate(views, start=1):
        assert "strictly vegan" in view[0].content
        assert f"S{n}" in view[0].content
        assert ["open"] == texts(view[1:])


def test_a_list_of_messages_is_a_state_too():
    messages = [*turns(2), HumanMessage("open", id="q")]

    update = summarizer().invoke(messages)

    assert "a1" == update["summary"]["through"]
    assert messages == build_context(messages)


@pytest.mark.parametrize("state", [None, 7, "text"])
def test_what_is_no_state_is_named(state):
    with pytest.raises(TypeError, match=type(state).__name__):
        build_context(state)
    with pytest.raises(TypeError, match=type(state).__name__):
        summarizer().invoke(state)


def test_fan_out_by_send_gives_each_branch_its_view_and_keeps_no_memory(vegan, path):
    views = []

    class Wide(MemoryState):
        found: Annotated[list, add]

    def fan_out(state: Wide):
        return [Send("worker", {**state, "place": place}) for place in ("Pune", "Oslo")]

    def worker(state):
        views.append(build_context(state))
        return {"found": [state["place"]]}

    graph = (
        StateGraph(Wide)
        .add_node("retrieve", retrieve_memories())
        .add_node("worker", worker)
        .add_edge(START, "retrieve")
        .add_conditional_edges("retrieve", fan_out, ["worker"])
        .compile(store=vegan.store, checkpointer=vegan.checkpointer)
    )
    state = graph.invoke(ask(), AS_U1)

    assert ["Oslo", "Pune"] == sorted(state["found"])
    assert [True, True] == ["strictly vegan" in view[0].content for view in views]
    assert_no_memory_in_threads(vegan)


@pytest.mark.parametrize("inner_state", [MessagesState, MemoryState])
def test_a_subgraph_sees_what_its_parent_recalled_and_keeps_no_memory(vegan, inner_state):
    views = []

    def assistant(state: inner_state):
        interrupt("sure?")
        views.append(build_context(state))
        return {"messages": [AIMessage("fine")]}

    inner = StateGraph(inner_state).add_node("a", assistant).add_edge(START, "a").compile()
    graph = (
        StateGraph(MemoryState)
        .add_node("retrieve", retrieve_memories())
        .add_node("inner", inner)
        .add_edge(START, "retrieve")
        .add_edge("retrieve", "inner")
        .compile(store=vegan.store, checkpointer=vegan.checkpointer)
    )
    graph.invoke(ask(), AS_U1)
    graph.invoke(Command(resume="yes"), AS_U1)

    assert "strictly vegan" in views[0][0].content
    assert_no_memory_in_threads(vegan)


def assert_no_memory_in_threads(memory):
    """No checkpoint and no pending write holds what was recalled."""
    stored = list(memory.checkpointer.list(None))
    assert stored
    assert not any("vegan" in repr(one) for one in stored)


def test_retriever_and_summarizer_may_live_in_a_subgraph(vegan):
    inner = (
        StateGraph(MemoryState)
        .add_node("retrieve", retrieve_memories())
        .add_node("summarize", summarizer(remove=True))
        .add_edge(START, "retrieve")
        .add_edge("retrieve", "summarize")
        .compile()
    )
    views = []

    def assistant(state: MemoryState):
        views.append(build_context(state))

    graph = (
        StateGraph(MemoryState)
        .add_node("inner", inner)
        .add_node("assistant", assistant)
        .add_edge(START, "inner")
        .add_edge("inner", "assistant")
        .compile(store=vegan.store)
    )
    graph.invoke({"messages": [*turns(2), HumanMessage("open")]}, AS_U1)

    assert "strictly vegan" in views[0][0].content
    assert "S1" in views[0][0].content


async def test_the_functional_api_summarizes_and_keeps_its_own_list(vegan):
    node = summarizer(remove=True)

    @task
    def shorten(state):
        return node.invoke(state)

    @entrypoint(store=vegan.store, checkpointer=vegan.checkpointer)
    def assist(given, *, previous=None):
        state = previous or {"messages": [], "summary": None}
        state["messages"] = add_messages(state["messages"], given)
        update = shorten(state).result()
        removed = update.pop("messages", [])
        state = {**state, **update, "messages": add_messages(state["messages"], removed)}
        view = build_context(state)
        state["messages"] = add_messages(state["messages"], [AIMessage("fine")])
        return entrypoint.final(value=view, save=state)

    views = [assist.invoke([HumanMessage(f"question {n}")], AS_U1) for n in range(3)]
    views.append(await assist.ainvoke([HumanMessage("question 3")], AS_U1))

    assert all([] == broken_rules(view) for view in views)
    assert "S1" in views[1][0].content
    assert ["question 3"] == texts(views[3][1:])


@tool
def find(city: str) -> str:
    """Find a place to eat."""
    return f"Vaishali in {city}, booking BK-{len(city)}4471"


class Calling(GenericFakeChatModel):
    def bind_tools(self, _tools, **_options):
        return self


async def test_the_agent_of_langchain_may_be_a_node_between_ours(vegan):
    def answers():
        for n in range(4):
            call = {"id": f"c{n}", "name": "find", "args": {"city": "Pune"}}
            yield AIMessage("", tool_calls=[call])
            yield AIMessage("At Vaishali.")

    agent = create_agent(Calling(messages=answers()), tools=[find])
    graph = (
        StateGraph(MemoryState)
        .add_node("retrieve", retrieve_memories())
        .add_node("agent", agent)
        .add_node("summarize", summarizer(remove=True))
        .add_edge(START, "retrieve")
        .add_edge("retrieve", "agent")
        .add_edge("agent", "summarize")
        .compile(store=vegan.store, checkpointer=vegan.checkpointer)
    )
    for n in range(2):
        graph.invoke(ask(f"Where to eat {n}?"), AS_U1)
        state = await graph.ainvoke(ask(f"and then {n}?"), AS_U1)

        assert [] == broken_rules(state["messages"][:-1])
    assert ["BK-44471"] == state["summary"]["exact"]
    assert 4 == len(state["messages"])


@pytest.mark.parametrize("store", [None, InMemoryStore()])
async def test_build_context_in_a_graph_with_a_foreign_store_names_what_is_needed(store):
    async def assistant(state: MessagesState):
        await abuild_context(state)

    graph = StateGraph(MessagesState).add_node(assistant).add_edge(START, "assistant")

    with pytest.raises(StoreRequired, match="compile"):
        await graph.compile(store=store).ainvoke(ask(), AS_U1)


def test_a_summarizer_needs_no_store():
    graph = StateGraph(MemoryState).add_node("s", summarizer()).add_edge(START, "s")

    state = graph.compile().invoke({"messages": [*turns(2), HumanMessage("open")]})

    assert "S1" == state["summary"]["text"]


def test_a_summary_is_made_in_one_thread_and_not_seen_in_another():
    graph = (
        StateGraph(MemoryState)
        .add_node("s", summarizer())
        .add_edge(START, "s")
        .compile(checkpointer=InMemorySaver())
    )
    graph.invoke({"messages": [*turns(2), HumanMessage("open")]}, AS_U1)

    other = graph.invoke(ask(), {"configurable": {"thread_id": "other"}})

    assert "summary" not in other


# Input that is no good ---------------------------------------------------------------------------

NO_MESSAGES = [
    7,
    {"no": "message"},
    {"role": "nobody", "content": "x"},
    ("too", "many", "parts"),
    ...,
    None,
]


@pytest.mark.parametrize("wrong", NO_MESSAGES, ids=repr)
def test_what_is_no_message_is_left_out_and_counted(vegan, wrong):
    said = []
    views = []

    class Loose(TypedDict):
        messages: list

    def assistant(state: Loose):
        views.append(build_context(state, retrieve=None))

    graph = (
        StateGraph(Loose)
        .add_node("retrieve", retrieve_memories())
        .add_node("summarize", summarizer())
        .add_node("assistant", assistant)
        .add_edge(START, "retrieve")
        .add_edge("retrieve", "summarize")
        .add_edge("summarize", "assistant")
        .compile(store=vegan.store)
    )
    given = {"messages": [*turns(2), wrong, HumanMessage("open", id="q")]}
    said = list(graph.stream(given, AS_U1, stream_mode="custom"))

    assert 3 == said.count({"agentmem": "not_messages", "count": 1})
    assert ["q"] == ids(views[0])[-1:]
    assert [] == broken_rules(views[0])


@pytest.mark.parametrize(
    "messages",
    [
        "Hi",
        {"role": "user", "content": "Hi"},
        ("user", "Hi"),
        [{"role": "user", "content": "Hi"}],
        [("user", "Hi")],
        HumanMessage("Hi"),
        iter([HumanMessage("Hi")]),
    ],
)
def test_a_message_may_come_in_any_form(messages):
    view = trim(messages) if not isinstance(messages, tuple) else trim([messages])

    assert ["Hi"] == texts(view)


TYPES = {HumanMessage: "human", AIMessage: "ai", ToolMessage: "tool"}


@pytest.mark.parametrize("content", [None, 7, [None, 7, "Hi"], [["Hi"]]])
@pytest.mark.parametrize("kind", [HumanMessage, AIMessage, ToolMessage])
def test_content_that_is_none_or_worse_stops_nobody(content, kind):
    odd = kind.model_construct(
        content=content,
        id="odd",
        type=TYPES[kind],
        additional_kwargs={},
        response_metadata={},
        tool_calls=[],
        invalid_tool_calls=[],
        tool_call_id="c",
        status="success",
    )
    messages = [*turns(2), odd, HumanMessage("open", id="q")]

    update, said = told(summarizer(), {"messages": messages})
    view = build_context({"messages": messages, **update})

    assert "summarized" in [event["agentmem"] for event in said]
    assert [] == broken_rules(view)
    assert "q" == view[-1].id


def test_a_message_of_ten_megabytes_may_be_asked_and_read():
    large = "word " * 2_000_000

    view = build_context(
        {"messages": [HumanMessage(large), AIMessage("ok"), HumanMessage("short", id="q")]}
    )

    assert ["q"] == ids(view)


def test_a_block_of_an_unknown_kind_is_named_to_the_summarizer_and_handed_on_to_the_model():
    block = {"type": "hologram", "data": "x"}
    telling = Telling()
    node = summarize_old_turns(telling.model, trigger=("messages", 2), keep=("messages", 1))
    messages = [HumanMessage([block], id="1"), HumanMessage([block, "look"], id="q")]

    update, _ = told(node, {"messages": messages})
    view = build_context({"messages": messages, **update})

    assert "User: [hologram]" == telling.shown[0]
    assert block == view[-1].content[0]
