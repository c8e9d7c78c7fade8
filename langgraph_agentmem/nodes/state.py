"""What the nodes share in a graph's state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Annotated, Any, NotRequired, TypeVar, cast, get_type_hints

from langchain_core.messages import AnyMessage, RemoveMessage
from langgraph.channels import UntrackedValue
from langgraph.graph import MessagesState
from langgraph.graph.message import REMOVE_ALL_MESSAGES, add_messages
from pydantic import BaseModel
from typing_extensions import TypedDict

from langgraph_agentmem.model import Recall

Written = TypeVar("Written")


class Summary(TypedDict):
    """One summary of the settled turns that the model no longer sees word for word.

    `text` is the prose, `exact` the values carried word for word beside it, `through` the id of
    the last message that it covers. `check` is a checksum of what people and the assistant said
    up to there; None where those messages were removed from the state; absent where nobody can
    tell. `stale` says that something in it was forgotten, so that it must be made anew.
    """

    text: str
    exact: list[str]
    through: str
    check: NotRequired[int | None]
    stale: NotRequired[bool]


def latest(_before: Written, written: Written) -> Written:
    """Keep the value written last, so that two branches may write in one step.

    Each value is whole (a summary carries its own `through`), so either of them is right.
    """
    return written


def add_or_remove(left: Any, right: Any) -> Any:
    """`add_messages` that lets a message be removed which is gone already, so that two branches
    may drop the same one in one step.
    """
    before = left if isinstance(left, list) else [left]
    updates = right if isinstance(right, list) else [right]
    known = {getattr(one, "id", None) for one in (*before, *updates) if not _removes(one)}
    known.add(REMOVE_ALL_MESSAGES)
    return add_messages(left, [one for one in updates if not _removes(one) or one.id in known])


def _removes(message: object) -> bool:
    return isinstance(message, RemoveMessage)


class MemoryState(MessagesState):
    """`messages`, and what the nodes add to them.

    A message may be removed that is gone already. `memories` is never checkpointed: recalled
    memories live in the store alone, so that forgetting has no copy to find.
    """

    # A lambda, because LangGraph takes any two of them for the same reducer: a graph whose own
    # state has `add_messages` may have nodes that are typed with this one.
    messages: Annotated[list[AnyMessage], lambda left, right: add_or_remove(left, right)]  # noqa: PLW0108
    summary: NotRequired[Annotated[Summary | None, latest]]
    extracted_through: NotRequired[Annotated[str | None, latest]]
    recorded_through: NotRequired[Annotated[str | None, latest]]
    consent_asked: NotRequired[Annotated[list[str] | None, latest]]
    turns_through: NotRequired[Annotated[str | None, latest]]
    memories: NotRequired[Annotated[Recall, UntrackedValue(Recall, guard=False)]]


def as_state(given: object, messages_key: str) -> Mapping[str, Any]:
    """What a node or function is given as a mapping: a mapping itself, a list of messages, a
    dataclass or a Pydantic model. Raises TypeError for anything else.
    """
    if isinstance(given, Mapping):
        return given
    if isinstance(given, list | tuple):
        return {messages_key: given}
    if isinstance(given, BaseModel):
        return dict(given)
    if is_dataclass(given):
        return {field.name: getattr(given, field.name) for field in fields(given)}
    raise TypeError(
        "a state is a mapping, a list of messages, a dataclass or a Pydantic model "
        f"(found {type(given).__name__})"
    )


def state_with(keys: Mapping[str, str]) -> type[MemoryState]:
    """These fields of `MemoryState`, each under the key that a graph has for it.

    `messages` comes without its reducer: how messages are added is the graph's own choice, and
    a node that only reads them must not contradict it.
    """
    hints = get_type_hints(MemoryState, include_extras=True) | {"messages": list[AnyMessage]}
    fields: dict[str, Any] = {key: hints[field] for field, key in keys.items()}
    # The keys are known only when the node is made, which is later than a type checker looks.
    return cast("type[MemoryState]", TypedDict("NodeState", fields))  # type: ignore[operator]
