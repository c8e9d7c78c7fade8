"""LangGraph's configs, filters and tuples as the steps know them, and back."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import CheckpointTuple, get_checkpoint_id

from langgraph_agentmem.errors import ThreadRequired
from langgraph_agentmem.steps.saving import Delta, Listing, Point, Stored

_KEY = re.compile(r"[a-zA-Z0-9_.-]+")
_AROUND = "checkpoint_map"
"""Where LangGraph tells a subgraph on which checkpoints the graphs around it run."""


def point_of(config: RunnableConfig, checkpoint_id: str | None = None) -> Point:
    """The checkpoint that a config names, or the one with this id in its thread. Raises
    `ThreadRequired`.
    """
    named = config.get("configurable", {})
    if named.get("thread_id") is None:
        raise ThreadRequired
    return Point(
        thread_id=str(named["thread_id"]),
        checkpoint_ns=named.get("checkpoint_ns", ""),
        checkpoint_id=checkpoint_id or get_checkpoint_id(config),
    )


def upward(config: RunnableConfig) -> list[tuple[str, str]]:
    """(namespace, id) of what a write is built on: the checkpoint that it follows, and those of
    the graphs around.
    """
    named = config["configurable"]
    own = named.get("checkpoint_ns", "")
    around: Mapping[str, str] = named.get(_AROUND) or {}
    found = {name: str(one) for name, one in around.items() if name != own}
    if parent := get_checkpoint_id(config):
        found[own] = str(parent)
    return [*found.items()]


def asked(
    config: RunnableConfig | None, wanted: Mapping[str, Any] | None, before: RunnableConfig | None
) -> Listing:
    """Which checkpoints `list` was asked for. Raises ValueError for a key that is no path."""
    named = {} if config is None else config["configurable"]
    thread_id, checkpoint_id = named.get("thread_id"), named.get("checkpoint_id")
    last = None if before is None else get_checkpoint_id(before)
    return Listing(
        thread_id=None if config is None else str(thread_id),
        checkpoint_ns=named.get("checkpoint_ns"),
        checkpoint_id=None if checkpoint_id is None else str(checkpoint_id),
        before=None if last is None else str(last),
        wanted=filter_of(wanted or {}),
    )


def filter_of(wanted: Mapping[Any, Any]) -> str:
    """A metadata filter as JSON: paths and values. A period in a key goes one level down.

    Raises:
        ValueError: A key holds other characters than letters, digits, `_`, `.` and `-`.
    """
    for key in wanted:
        if not isinstance(key, str) or not _KEY.fullmatch(key):
            raise ValueError(
                "a key of a checkpoint filter is made of letters, digits, periods, hyphens and "
                f"underscores (found {str(key)[:40]!r})"
            )
    pairs = [{"path": f"$.{key}", "value": value} for key, value in wanted.items()]
    return json.dumps(pairs, default=str)


def tuple_of(stored: Stored, config: RunnableConfig | None = None) -> CheckpointTuple:
    """What LangGraph is given of a stored checkpoint."""
    row = stored.row
    place = {name: row[name] for name in ("thread_id", "checkpoint_ns", "checkpoint_id")}
    parent = row["parent_checkpoint_id"]
    return CheckpointTuple(
        config or {"configurable": place},
        stored.value.whole(stored.letters),
        json.loads(row["metadata"]) if row["metadata"] is not None else {},
        {"configurable": {**place, "checkpoint_id": parent}} if parent else None,
        [
            (write["task_id"], write["channel"], value.whole(stored.letters))
            for write, value in stored.writes
        ],
    )


def histories_of(found: Mapping[str, Delta]) -> dict[str, Any]:
    """What LangGraph is given of the history of delta channels."""
    wholes: dict[int, Any] = {}  # two channels may start from one checkpoint
    told: dict[str, Any] = {}
    for channel, delta in found.items():
        told[channel] = {
            "writes": [
                (row["task_id"], channel, value.whole(delta.letters)) for row, value in delta.writes
            ]
        }
        if delta.seed is not None:
            if id(delta.seed) not in wholes:
                wholes[id(delta.seed)] = delta.seed.whole(delta.letters)
            told[channel]["seed"] = wholes[id(delta.seed)]["channel_values"][channel]
    return told
