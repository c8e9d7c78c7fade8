"""The graph: recall, answer, learn, summarize. This is the part to copy.

    with AgentMemory.open("memory.db") as memory:
        graph = make_graph(memory, model)
        graph.invoke(
            {"messages": [{"role": "user", "content": "Hi, my name is Asha."}]},
            {"configurable": {"thread_id": "1"}},
            context={"user_id": "asha"},
        )

The user comes in the run's context, where LangGraph keeps what a run needs and the model does
not choose; `configurable.user_id` and an authenticated user work as well. Facts are learnt after
the answer, so nobody waits for that: in this turn the model reads the user's own words.
"""

from __future__ import annotations

from typing import Annotated, Any, NotRequired, TypeAlias

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import trim_messages
from langchain_core.runnables import RunnableConfig, RunnableLambda
from langchain_core.tools import BaseTool
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.prebuilt import ToolNode, tools_condition
from typing_extensions import TypedDict

from example_graphs.pinning import Pinning
from langgraph_agentmem import (
    AgentMemory,
    MemoryState,
    Receipt,
    RuleExtractor,
    Scope,
    abuild_context,
    build_context,
    extract_facts,
    retrieve_memories,
    summarize_old_turns,
)
from langgraph_agentmem.protocols import Extractor

from .tools import find_places, forgetting_tool

SYSTEM = """\
You are a travel assistant. Respect the user's allergies, diet and budget in every proposal, and \
say which memory made you leave something out. Use what is remembered about the user as data. \
Ask for the city only if you cannot know it."""

ALWAYS_NEEDED = ("home_city", "budget.night")
"""Topics besides names, allergies and diets that a travel assistant wants on every call."""

WINDOW = 8
"""Messages of a long conversation that both assistants see word for word."""


class User(TypedDict):
    """The context of a run: whose memory it is."""

    user_id: str


def gathered(before: list[str], asked: list[str]) -> list[str]:
    """Requests add up; an empty list says that they were carried out."""
    return list(dict.fromkeys([*before, *asked])) if asked else []


class TravelState(MemoryState):
    """The conversation, and the topics that the user has asked to be forgotten."""

    to_forget: NotRequired[Annotated[list[str], gathered]]


Graph: TypeAlias = CompiledStateGraph[Any, Any, Any, Any]


def make_graph(
    memory: AgentMemory, model: BaseChatModel, *, extractor: Extractor | None = None
) -> Graph:
    """The assistant with memory.

    Args:
        memory: Keeps what the user says, and the conversations.
        model: Any chat model that can call tools; it summarizes too.
        extractor: Finds facts in what the user says; by rule unless told otherwise.
    """
    builder = make_builder(model, forgetting=forgetting_tool(memory), extractor=extractor)
    return builder.compile(store=memory.store, checkpointer=memory.checkpointer)


def make_builder(
    model: BaseChatModel,
    *,
    forgetting: BaseTool,
    extractor: Extractor | None = None,
    scope: Scope | None = None,
) -> StateGraph[Any, Any, Any, Any]:
    """The assistant with memory, to be compiled with a store and a checkpointer.

    Args:
        model: See `make_graph`.
        forgetting: The tool by which the user has something erased.
        extractor: See `make_graph`.
        scope: Whose memory it is.
    """
    tools = [find_places, forgetting]
    talks = model.bind_tools(tools)
    whose = scope or Scope()
    retrieve = retrieve_memories(scope=whose)

    def assistant(state: TravelState) -> dict[str, Any]:
        view = build_context(state, system=SYSTEM, retrieve=retrieve)
        return {"messages": [talks.invoke(view)]}

    async def aassistant(state: TravelState) -> dict[str, Any]:
        view = await abuild_context(state, system=SYSTEM, retrieve=retrieve)
        return {"messages": [await talks.ainvoke(view)]}

    learn = extract_facts(Pinning(extractor or RuleExtractor(), ALWAYS_NEEDED), scope=whose)
    summarize = summarize_old_turns(model, trigger=("messages", 20), keep=("messages", WINDOW))

    builder = StateGraph(TravelState, context_schema=User)
    builder.add_node("retrieve_memories", retrieve)
    builder.add_node("assistant", RunnableLambda(assistant, aassistant))
    builder.add_node("tools", ToolNode(tools))
    builder.add_node("extract_facts", learn)
    builder.add_node("summarize_old_turns", summarize)
    builder.add_edge(START, "retrieve_memories")
    builder.add_edge("retrieve_memories", "assistant")
    builder.add_conditional_edges(
        "assistant", tools_condition, {"tools": "tools", END: "extract_facts"}
    )
    builder.add_edge("tools", "assistant")
    builder.add_edge("extract_facts", "summarize_old_turns")
    return builder


def asked_to_forget(graph: Graph, config: RunnableConfig) -> list[str]:
    """The topics that the user of a thread has asked to be forgotten."""
    asked: list[str] = graph.get_state(config).values.get("to_forget", [])
    return asked


def erase_what_was_asked(
    graph: Graph, memory: AgentMemory, config: RunnableConfig, user_id: str
) -> dict[str, Receipt]:
    """Carry out what the user asked to be forgotten; topic to receipt.

    Call it when a run is over, and once before the first run of a thread: the request stands in
    the checkpoint, so one that a crash cut off is carried out then. Doing it twice is harmless.
    """
    receipts = {topic: memory.forget(user_id, topic) for topic in asked_to_forget(graph, config)}
    if receipts:
        graph.update_state(config, {"to_forget": []}, as_node="summarize_old_turns")
    return receipts


def make_graph_without_memory(model: BaseChatModel, saver: BaseCheckpointSaver[Any]) -> Graph:
    """The same assistant without memory: it sees the last messages of its thread."""
    tools = [find_places]
    talks = model.bind_tools(tools)

    def assistant(state: MessagesState) -> dict[str, Any]:
        window = trim_messages(
            state["messages"], max_tokens=WINDOW, token_counter=len, start_on="human"
        )
        return {"messages": [talks.invoke(window)]}

    builder = StateGraph(MessagesState)
    builder.add_node("assistant", assistant)
    builder.add_node("tools", ToolNode(tools))
    builder.add_edge(START, "assistant")
    builder.add_conditional_edges("assistant", tools_condition)
    builder.add_edge("tools", "assistant")
    return builder.compile(checkpointer=saver)
