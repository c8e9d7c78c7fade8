"""Tools with which a model keeps its user's memory: remember, recall, forget, history.

The model chooses topics and words. Whose memory it is, and which store holds it, come from the
run, so no argument can name another user. Whatever a model gets wrong is answered in words that
it can act on, and the run goes on; an error is raised only for what no model can mend, such as
a run without a user.
"""

from __future__ import annotations

from typing import Any

from langchain_core.tools import BaseTool

from langgraph_agentmem.policy import careful
from langgraph_agentmem.protocols import WritePolicy
from langgraph_agentmem.scope import Scope

from .base import MemoryTool
from .forget import CONFIRM_FORGET, ForgetTool
from .look import HistoryTool, RecallTool
from .remember import RememberTool

__all__ = [
    "CONFIRM_FORGET",
    "ForgetTool",
    "HistoryTool",
    "MemoryTool",
    "RecallTool",
    "RememberTool",
    "create_memory_tools",
]


def create_memory_tools(
    *,
    scope: Scope | None = None,
    policy: WritePolicy = careful,
    confirm: bool = True,
) -> list[BaseTool]:
    """The tools `remember`, `recall`, `forget` and `history`, for `ToolNode`, `create_agent` or
    `model.bind_tools`, sync and async.

    They work inside a graph compiled with `store=memory.store`, on the memory of the run's user.

    Args:
        scope: Whose memory it is.
        policy: Refuses what must not be kept, and holds what needs the user's consent.
        confirm: Whether `forget` asks the user first, through `interrupt()`, which needs a
            checkpointer; see `ForgetTool`.
    """
    shared: dict[str, Any] = {"scope": scope or Scope(), "policy": policy}
    return [
        RememberTool(**shared),
        RecallTool(**shared),
        ForgetTool(**shared, confirm=confirm),
        HistoryTool(**shared),
    ]
