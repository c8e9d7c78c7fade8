"""What the nodes share in a graph's state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, NotRequired, TypeVar, cast, get_type_hints

from langchain_core.messages import AnyMessage
from langgraph.channels import UntrackedValue
from langgraph.graph import MessagesState
from typing_extensions import TypedDict

from langgraph_agentmem.model import Recall

Written = TypeVar("Written")


class Summary(TypedDict):
    """One summary of the settled turns that the model no longer sees word for word.

    `text` is the prose, `exact` the values carried word for word beside it, `through` the id of
    the last message that it covers.
    """

    text: str
    exact: list[str]
    through: str


def latest(_before: Written, written: Written) -> Written:
    """Keep the value written last, so that two branches may write in one step.

    Each value is whole (a summary carries its own `through`), so either of them is right.
    """
    return written


class MemoryState(MessagesState):
    """`messages`, and what the nodes add to them.

    `memories` is never checkpointed: recalled memories live in the store alone, so that
    forgetting has no copy to find.
    """

    summary: NotRequired[Annotated[Summary | None, latest]]
    extracted_through: NotRequired[Annotated[str | None, latest]]
    recorded_through: NotRequired[Annotated[str | None, latest]]
    turns_through: NotRequired[Annotated[str | None, latest]]
    memories: NotRequired[Annotated[Recall, UntrackedValue(Recall, guard=False)]]


def state_with(keys: Mapping[str, str]) -> type[MemoryState]:
    """These fields of `MemoryState`, each under the key that a graph has for it.

    `messages` comes without its reducer: how messages are added is the graph's own choice, and
    a node that only reads them must not contradict it.
    """
    hints = get_type_hints(MemoryState, include_extras=True) | {"messages": list[AnyMessage]}
    fields: dict[str, Any] = {key: hints[field] for field, key in keys.items()}
    # The keys are known only when the node is made, which is later than a type checker looks.
    return cast("type[MemoryState]", TypedDict("NodeState", fields))  # type: ignore[operator]
