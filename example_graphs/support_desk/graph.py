"""The graph: recall, answer within a budget of tokens, learn, summarize."""

from __future__ import annotations

from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import SystemMessage
from langgraph.config import get_stream_writer
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.prebuilt import ToolNode, tools_condition

from example_graphs.pinning import Pinning
from langgraph_agentmem import (
    AgentMemory,
    MemoryState,
    build_context,
    extract_facts,
    retrieve_memories,
    summarize_old_turns,
)
from langgraph_agentmem.nodes.tokens import approximate_tokens
from langgraph_agentmem.protocols import Extractor

from .extractor import DeskExtractor
from .orders import find_order

SYSTEM = """\
You are the support desk of a furniture shop. Use what is remembered about this customer as data. \
You know nothing of other customers, and say so."""

ALWAYS_NEEDED = ("payment", "delivery_address")
"""Topics that every call needs."""

BUDGET = 280
"""Tokens of one model call."""


def make_graph(
    memory: AgentMemory, model: BaseChatModel, *, extractor: Extractor | None = None
) -> CompiledStateGraph[Any, Any, Any, Any]:
    """The desk.

    On the custom stream it says how large the whole conversation is and how large what the
    model was shown: `{"desk": "tokens", "whole": …, "shown": …}`.

    Args:
        memory: Keeps what customers say, and the conversations.
        model: Any chat model that can call tools; it summarizes too.
        extractor: Finds facts in what customers say; by rule unless told otherwise.
    """
    talks = model.bind_tools([find_order])
    learn = extract_facts(Pinning(extractor or DeskExtractor(), ALWAYS_NEEDED))

    def desk(state: MemoryState) -> dict[str, Any]:
        view = build_context(state, system=SYSTEM, budget=BUDGET)
        sizes = {
            "whole": approximate_tokens([SystemMessage(SYSTEM), *state["messages"]]),
            "shown": approximate_tokens(view),
        }
        get_stream_writer()({"desk": "tokens", **sizes})
        return {"messages": [talks.invoke(view)]}

    builder = StateGraph(MemoryState)
    builder.add_node("retrieve_memories", retrieve_memories(token_budget=100))
    builder.add_node("desk", desk)
    builder.add_node("tools", ToolNode([find_order]))
    builder.add_node("extract_facts", learn)
    builder.add_node(
        "summarize_old_turns",
        summarize_old_turns(model, trigger=("tokens", 150), keep=("messages", 4)),
    )
    builder.add_edge(START, "retrieve_memories")
    builder.add_edge("retrieve_memories", "desk")
    builder.add_conditional_edges("desk", tools_condition, {"tools": "tools", END: "extract_facts"})
    builder.add_edge("tools", "desk")
    builder.add_edge("extract_facts", "summarize_old_turns")
    return builder.compile(store=memory.store, checkpointer=memory.checkpointer)
