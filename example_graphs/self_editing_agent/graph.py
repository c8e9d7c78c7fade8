"""The agent: `create_agent`, the memory tools, and the middleware that recalls."""

from __future__ import annotations

from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langgraph.graph.state import CompiledStateGraph

from langgraph_agentmem import AgentMemMiddleware, AgentMemory, create_memory_tools

SYSTEM = """\
You are a personal assistant. Keep what the user wants remembered with your tools, replace what \
has changed, and erase what they ask you to. Say what your tools have answered, truthfully."""


def make_graph(memory: AgentMemory, model: BaseChatModel) -> CompiledStateGraph[Any, Any, Any, Any]:
    """The agent. The middleware recalls and learns nothing: what is kept is the model's choice."""
    return create_agent(
        model,
        create_memory_tools(),
        system_prompt=SYSTEM,
        middleware=[AgentMemMiddleware()],
        store=memory.store,
        checkpointer=memory.checkpointer,
        name="self_editing_agent",
    )
