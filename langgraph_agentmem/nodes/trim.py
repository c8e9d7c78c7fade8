"""A window and nothing more: the newest turns that fit, for those who want no summary.

What langchain_core's `trim_messages` is for, by the rules of providers: whole user turns and whole
tool exchanges, the system's messages and the pinned memories kept, the open turn never cut.
"""

from __future__ import annotations

from langchain_core.messages import BaseMessage

from langgraph_agentmem.model import Recall
from langgraph_agentmem.protocols import TokenCounter

from .budget import Budget
from .context import build_context


def trim(
    messages: object,
    *,
    budget: int = 4000,
    system: str = "",
    memories: Recall | None = None,
    token_counter: TokenCounter | None = None,
    shorten_results: bool = False,
) -> list[BaseMessage]:
    """The newest turns that fit into a budget, as a list that every provider accepts.

    System messages become the one leading system message, after `system` and before the pinned
    memories. In a graph the event `gave_way` says how many turns were left out, and `not_messages`
    how many parts are no message.

    Args:
        messages: Messages, or whatever stands for them: dicts, tuples, text.
        budget: Tokens for the whole list.
        system: Instructions for the model.
        memories: What was recalled; its pinned memories are kept, the others are not shown.
        token_counter: Counts tokens of messages; an estimate by default.
        shorten_results: True cuts the open turn's tool results rather than raise; see
            `build_context`.

    Raises:
        BudgetTooSmall: System, pinned memories and open turn alone exceed the budget.
        ValueError: The budget is no positive number of tokens.
    """
    pinned = () if memories is None else memories.pinned
    namespace = () if memories is None else memories.namespace
    return build_context(
        {"messages": messages, "memories": Recall(namespace=namespace, query="", pinned=pinned)},
        system=system,
        budget=Budget(total=budget, summary=0, memories=0, turns=1),
        token_counter=token_counter,
        shorten_results=shorten_results,
        retrieve=None,
    )
