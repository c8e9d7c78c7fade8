"""The whole conversation of a thread, those messages included that have left its state.

`summarize_old_turns(remove=True)` takes messages out of the state; the thread's older checkpoints
still hold them, as long as they are kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.messages import BaseMessage
from langchain_core.runnables import RunnableConfig
from langgraph.pregel.protocol import PregelProtocol

from langgraph_agentmem.steps import Call, Work, await_all, call_all

from .turns import readable


def read_transcript(
    graph: PregelProtocol[Any, Any, Any, Any],
    config: RunnableConfig,
    *,
    messages_key: str = "messages",
) -> list[BaseMessage]:
    """Every message that a thread's checkpoints hold, from its first one to the config's.

    A message that was edited is read as it stands last. Messages that the application removed by
    itself are among them. Every checkpoint is read, so this takes a while for a long thread.

    Args:
        graph: The compiled graph, with its checkpointer.
        config: Names the thread, and perhaps a checkpoint of it.
        messages_key: The state's key for messages.

    Raises:
        ValueError: The graph has no checkpointer, or the config no thread.
    """
    return call_all(_read(graph, config, messages_key))


async def aread_transcript(
    graph: PregelProtocol[Any, Any, Any, Any],
    config: RunnableConfig,
    *,
    messages_key: str = "messages",
) -> list[BaseMessage]:
    """`read_transcript`, awaited."""
    return await await_all(_read(graph, config, messages_key))


def _read(
    graph: PregelProtocol[Any, Any, Any, Any], config: RunnableConfig, key: str
) -> Work[list[BaseMessage]]:
    whole: list[BaseMessage] = []
    at: RunnableConfig | None = config
    while at is not None:
        snapshot = yield _state_at(graph, at)
        older, _ = readable(snapshot.values.get(key) if snapshot.values else None)
        whole = _with_older(whole, older)
        at = snapshot.parent_config
    return whole


def _state_at(graph: PregelProtocol[Any, Any, Any, Any], config: RunnableConfig) -> Call:
    return Call(lambda: graph.get_state(config), lambda: graph.aget_state(config))


def _with_older(whole: Sequence[BaseMessage], older: Sequence[BaseMessage]) -> list[BaseMessage]:
    """Messages that are only in the older list, each after the one that it stood behind."""
    known = {message.id: at for at, message in enumerate(whole)}
    after: dict[int, list[BaseMessage]] = {}
    place = -1
    for message in older:
        if message.id in known:
            place = known[message.id]
        else:
            after.setdefault(place, []).append(message)
    if not after:
        return list(whole)
    return [
        *after.get(-1, ()),
        *(one for at, message in enumerate(whole) for one in (message, *after.get(at, ()))),
    ]
