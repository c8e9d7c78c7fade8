"""Which moment a run stands in: now, or that of the checkpoint it was started from.

A run that was given a checkpoint (a replay, a fork, a state that was updated) goes on from the
past; one that begins at the end of its thread, with new input, stands in the present. LangGraph
writes a checkpoint of today when it replays, and another when a state is updated: those are
skipped, back to one that the graph itself came to.
"""

from __future__ import annotations

import asyncio
import time
from datetime import datetime
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple

from langgraph_agentmem.steps import Call, Work

from .run import Run

_CHECKPOINTER = "__pregel_checkpointer"
_CHECKPOINTS = "checkpoint_map"
"""Where LangGraph puts a run's checkpointer, and the id of the checkpoint that each graph of it
stands at.
"""

_PATIENCE = 200
_PAUSE = 0.01
"""How often, and after how many seconds, a checkpoint is looked for that is being written in the
background. Only a run whose thread ends in a replay waits for one.
"""

_INTERRUPTED = {"__interrupt__", "__resume__"}
"""Channels of the pending writes of a run that was interrupted."""

_TODAYS = {"fork", "update"}
"""Sources of checkpoints that carry the time of a replay or of a correction."""


def moment_of_run(run: Run) -> Work[datetime | None]:
    """The moment of the checkpoint that the run goes on from; None for now.

    The same one each time it is asked, in a run and after that run was interrupted and resumed.
    """
    configurable = run.config.get("configurable", {})
    saver = configurable.get(_CHECKPOINTER)
    if not isinstance(saver, BaseCheckpointSaver) or run.thread_id is None:
        return None
    given = run.config.get("metadata", {}).get("checkpoint_id")
    if given is not None:
        start = yield _find(saver, _place(run.thread_id, str(given)))
        return (yield from _reached(saver, start))
    # Resumed without naming a checkpoint: the run that was interrupted may have named one.
    last: CheckpointTuple | None = yield _find(saver, _place(run.thread_id))
    moment = yield from _began_at(saver, last)
    stands_at = configurable.get(_CHECKPOINTS, {}).get("")
    if moment is None or last is None or last.checkpoint["id"] == stands_at:
        return moment
    # The thread's last run stood in the past. Whether this one goes on with it is written in a
    # checkpoint that may still be on its way.
    for _ in range(_PATIENCE):
        found: CheckpointTuple | None = yield _find(saver, _place(run.thread_id, str(stands_at)))
        if found is not None:
            return (yield from _began_at(saver, found))
        yield Call(lambda: time.sleep(_PAUSE), lambda: asyncio.sleep(_PAUSE))
    # Or nothing is written before the run ends.
    waited = {channel for _, channel, _ in last.pending_writes or ()}
    return moment if waited & _INTERRUPTED else None


def _began_at(
    saver: BaseCheckpointSaver[Any], one: CheckpointTuple | None
) -> Work[datetime | None]:
    """The moment in which the run stands that came to a checkpoint; None for the present."""
    while one is not None:
        source = one.metadata.get("source")
        if source in _TODAYS:
            return (yield from _reached(saver, one))
        if source == "input":
            before = yield from _before(saver, one)
            return (yield from _reached(saver, before)) if before is not None else None
        one = yield from _parent(saver, one)
    return None


def _reached(saver: BaseCheckpointSaver[Any], one: CheckpointTuple | None) -> Work[datetime | None]:
    """When the graph itself came to a checkpoint, or to the one that it was made of."""
    while one is not None and one.metadata.get("source") in _TODAYS:
        one = yield from _parent(saver, one)
    return None if one is None else datetime.fromisoformat(one.checkpoint["ts"])


def _before(saver: BaseCheckpointSaver[Any], one: CheckpointTuple) -> Work[CheckpointTuple | None]:
    """What input was added to, if that was not the end of the thread then; None if it was."""
    parent = yield from _parent(saver, one)
    if parent is None:
        return None
    place = _place(str(one.config["configurable"]["thread_id"]))

    async def asked() -> list[CheckpointTuple]:
        return [found async for found in saver.alist(place, before=one.config, limit=1)]

    newest: list[CheckpointTuple] = yield Call(
        lambda: [*saver.list(place, before=one.config, limit=1)], asked
    )
    if not newest or newest[0].checkpoint["id"] == parent.checkpoint["id"]:
        return None
    return parent


def _parent(saver: BaseCheckpointSaver[Any], one: CheckpointTuple) -> Work[CheckpointTuple | None]:
    if one.parent_config is None:
        return None
    found: CheckpointTuple | None = yield _find(saver, one.parent_config)
    return found


def _find(saver: BaseCheckpointSaver[Any], config: RunnableConfig) -> Call:
    return Call(lambda: saver.get_tuple(config), lambda: saver.aget_tuple(config))


def _place(thread_id: str, checkpoint_id: str | None = None) -> RunnableConfig:
    """The graph itself, whatever subgraph asks."""
    configurable: dict[str, Any] = {"thread_id": thread_id, "checkpoint_ns": ""}
    if checkpoint_id is not None:
        configurable["checkpoint_id"] = checkpoint_id
    return {"configurable": configurable}
