"""What the nodes share in a graph's state."""

from __future__ import annotations

from typing import Annotated

from langgraph.channels import UntrackedValue
from langgraph.graph import MessagesState
from typing_extensions import NotRequired, TypedDict

from langgraph_agentmem.model import Recall


class Summary(TypedDict):
    """One summary of the settled turns that the model no longer sees word for word.

    `text` is the prose, `exact` the values carried word for word beside it, `through` the id of
    the last message that it covers.
    """

    text: str
    exact: list[str]
    through: str


class MemoryState(MessagesState):
    """`messages`, and what the nodes add to them.

    `memories` is never checkpointed: recalled memories live in the store alone, so that
    forgetting has no copy to find.
    """

    summary: NotRequired[Summary]
    extracted_through: NotRequired[str]
    memories: NotRequired[Annotated[Recall, UntrackedValue(Recall, guard=False)]]
