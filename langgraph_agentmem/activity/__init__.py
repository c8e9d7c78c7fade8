"""`Activity`: what a user's runs did, in the same database as their memories.

A callback handler for a run's config. It keeps each tool call (name, arguments, whether it
succeeded, how long it took) and each model call (tokens, cost) under the run's user and thread.
Arguments pass the write policy first, results are never kept, and forgetting a user forgets it.
"""

from __future__ import annotations

import json
import logging
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import BaseMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, LLMResult
from langgraph.errors import GraphBubbleUp

from langgraph_agentmem.errors import AgentMemError
from langgraph_agentmem.lifetime import lock
from langgraph_agentmem.memory import AgentMemory
from langgraph_agentmem.nodes.run import Run
from langgraph_agentmem.policy import careful
from langgraph_agentmem.protocols import WritePolicy
from langgraph_agentmem.scope import user_key
from langgraph_agentmem.steps import Work, await_all, call_all
from langgraph_agentmem.steps import activity as steps
from langgraph_agentmem.steps.places import check_moment, micros, moment_of
from langgraph_agentmem.store.core import check_whole

from .masking import masked
from .uses import ActivityCall, ActivitySummary, ModelUse, ToolUse

__all__ = ["Activity", "ActivityCall", "ActivitySummary", "ModelUse", "ToolUse"]

logger = logging.getLogger(__name__)

MOST_OPEN = 10_000
"""Calls that may be under way; the oldest of more are given up."""

Cost = Callable[[str, int, int], float | None]
"""From a model's name, its input tokens and its output tokens to a price, in any currency."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Open:
    """A call that is under way, and whose it is."""

    user_id: str | None
    thread_id: str | None
    name: str
    node: str | None
    started: float
    arguments: dict[str, Any] | None = None


class Activity(BaseCallbackHandler):
    """Keeps what runs do: `graph.invoke(…, {"callbacks": [Activity(memory)], …})`.

    The user is the run's, as nodes find it, else the owner of the run's thread. Outside a graph
    name them in the config: `{"metadata": {"user_id": …, "thread_id": …}}`. Calls of nobody
    are not kept, because no forgetting would reach them; a warning says so once.

    Args:
        memory: Where it is kept.
        cost: From a model's name, input tokens and output tokens to a price.
        policy: What it refuses in an argument is masked.
        timer: Seconds of a steady clock, for durations.
    """

    def __init__(
        self,
        memory: AgentMemory,
        *,
        cost: Cost | None = None,
        policy: WritePolicy = careful,
        timer: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._memory, self._store, self._scope = memory, memory.store, memory.scope
        self._cost, self._policy, self._timer = cost, policy, timer
        self._open: OrderedDict[UUID, _Open] = OrderedDict()
        self._opening = lock()
        self._warned = False

    # Looking ---------------------------------------------------------------------------------

    def summary(
        self,
        user_id: str | int,
        since: datetime | None = None,
        *,
        thread_id: str | None = None,
    ) -> ActivitySummary:
        """What a user's runs did.

        Args:
            user_id: Whose runs.
            since: Only what ended at this moment or later; None for all.
            thread_id: Only this thread; None for all.

        Raises:
            UserRequired: The id is blank or no id.
            ValueError: The moment has no timezone.
        """
        return call_all(self._summary(user_id, since, thread_id))

    async def asummary(
        self,
        user_id: str | int,
        since: datetime | None = None,
        *,
        thread_id: str | None = None,
    ) -> ActivitySummary:
        """`summary`, awaited."""
        return await await_all(self._summary(user_id, since, thread_id))

    def _summary(
        self, user_id: str | int, since: datetime | None, thread_id: str | None
    ) -> Work[ActivitySummary]:
        user = user_key(user_id)
        moment = None if since is None else check_moment(since)
        rows, threads = yield self._store.perform(
            steps.sums(user, since=moment, thread_id=thread_id), write=False
        )
        shared = ("name", "calls", "failures")
        tools = (
            ToolUse(**{key: row[key] for key in shared}, duration=steps.seconds(row))
            for row in rows
            if row["kind"] == "tool"
        )
        models = (
            ModelUse(
                **{key: row[key] for key in (*shared, "unmeasured", "cost")},
                duration=steps.seconds(row),
                input_tokens=row["input_tokens"] or 0,
                output_tokens=row["output_tokens"] or 0,
            )
            for row in rows
            if row["kind"] == "model"
        )
        return ActivitySummary(
            user_id=user, since=moment, threads=threads, tools=tuple(tools), models=tuple(models)
        )

    def calls(
        self,
        user_id: str | int,
        since: datetime | None = None,
        *,
        thread_id: str | None = None,
        limit: int = 100,
    ) -> list[ActivityCall]:
        """A user's calls, newest first. For arguments and errors see `summary`."""
        return call_all(self._calls(user_id, since, thread_id, limit))

    async def acalls(
        self,
        user_id: str | int,
        since: datetime | None = None,
        *,
        thread_id: str | None = None,
        limit: int = 100,
    ) -> list[ActivityCall]:
        """`calls`, awaited."""
        return await await_all(self._calls(user_id, since, thread_id, limit))

    def _calls(
        self, user_id: str | int, since: datetime | None, thread_id: str | None, limit: int
    ) -> Work[list[ActivityCall]]:
        check_whole("limit", limit, least=1)
        user = user_key(user_id)
        moment = None if since is None else check_moment(since)
        rows = yield self._store.perform(
            steps.calls(user, since=moment, thread_id=thread_id, limit=limit), write=False
        )
        kept = ("thread_id", "kind", "name", "node", "error", "input_tokens", "output_tokens")
        return [
            ActivityCall(
                at=moment_of(row["at"]),
                arguments=None if row["arguments"] is None else json.loads(row["arguments"]),
                duration=steps.seconds(row),
                cost=row["cost"],
                **{key: row[key] for key in kept},
            )
            for row in rows
        ]

    # Clearing --------------------------------------------------------------------------------

    def prune(self, before: datetime) -> int:
        """Remove the calls of all users that ended before a moment; returns how many.

        Nothing is removed by itself: a program that runs for years calls it now and then.

        Raises:
            ValueError: The moment has no timezone.
        """
        return call_all(self._prune(before))

    async def aprune(self, before: datetime) -> int:
        """`prune`, awaited."""
        return await await_all(self._prune(before))

    def _prune(self, before: datetime) -> Work[int]:
        removed: int = yield self._store.perform(steps.remove_before(check_moment(before)))
        return removed

    # What LangChain tells ----------------------------------------------------------------------

    def on_tool_start(
        self,
        serialized: dict[str, Any] | None,
        input_str: str,
        *,
        run_id: UUID,
        metadata: dict[str, Any] | None = None,
        inputs: dict[str, Any] | None = None,
        **_others: Any,
    ) -> None:
        """A tool is called."""
        given = {"input": input_str} if inputs is None else inputs
        name = str((serialized or {}).get("name") or "tool")
        self._begin(run_id, name, metadata, masked(given, self._policy))

    def on_tool_end(self, output: Any, *, run_id: UUID, **_others: Any) -> None:
        """A tool has answered."""
        failed = isinstance(output, ToolMessage) and output.status == "error"
        self._end(run_id, "tool", error="error answer" if failed else None)

    def on_tool_error(self, error: BaseException, *, run_id: UUID, **_others: Any) -> None:
        """A tool has raised."""
        self._failed(run_id, "tool", error)

    def on_llm_start(
        self,
        serialized: dict[str, Any] | None,
        prompts: list[str],  # noqa: ARG002 - never kept
        *,
        run_id: UUID,
        metadata: dict[str, Any] | None = None,
        **_others: Any,
    ) -> None:
        """A model without chat messages is called."""
        self._begin(run_id, _model_name(serialized, metadata), metadata)

    def on_chat_model_start(
        self,
        serialized: dict[str, Any] | None,
        messages: list[list[BaseMessage]],  # noqa: ARG002 - never kept
        *,
        run_id: UUID,
        metadata: dict[str, Any] | None = None,
        **_others: Any,
    ) -> None:
        """A chat model is called."""
        self._begin(run_id, _model_name(serialized, metadata), metadata)

    def on_llm_end(self, response: LLMResult, *, run_id: UUID, **_others: Any) -> None:
        """A model has answered."""
        self._end(run_id, "model", tokens=_tokens(response))

    def on_llm_error(self, error: BaseException, *, run_id: UUID, **_others: Any) -> None:
        """A model has raised."""
        self._failed(run_id, "model", error)

    # Keeping -----------------------------------------------------------------------------------

    def _begin(
        self,
        run_id: UUID,
        name: str,
        metadata: Mapping[str, Any] | None,
        arguments: dict[str, Any] | None = None,
    ) -> None:
        run, found = Run.here(), metadata or {}
        try:
            user = self._scope.named(run.config, run.context)
            if user is None and "user_id" in found:  # a model that is called outside any graph
                user = user_key(found["user_id"])
        except AgentMemError:  # the node itself says so to whoever runs it
            user = None
        thread = run.thread_id or found.get("thread_id")
        opened = _Open(
            user_id=user,
            thread_id=None if thread is None else str(thread),
            name=name,
            node=found.get("langgraph_node"),
            started=self._timer(),
            arguments=arguments,
        )
        with self._opening:
            self._open[run_id] = opened
            if len(self._open) > MOST_OPEN:
                self._open.popitem(last=False)

    def _failed(self, run_id: UUID, kind: str, error: BaseException) -> None:
        if isinstance(error, GraphBubbleUp):  # it waits for somebody, and is called again
            self._open.pop(run_id, None)
        else:
            self._end(run_id, kind, error=type(error).__name__)

    def _end(
        self,
        run_id: UUID,
        kind: str,
        *,
        error: str | None = None,
        tokens: tuple[int, int] | None = None,
    ) -> None:
        opened = self._open.pop(run_id, None)
        if opened is None:
            return
        spent, made = tokens or (None, None)
        adding = steps.add(
            {
                "at": micros(self._store.clock()),
                "kind": kind,
                "name": opened.name,
                "node": opened.node,
                "arguments": self._kept(opened),
                "error": error,
                "duration": round((self._timer() - opened.started) * 1_000_000),
                "input_tokens": spent,
                "output_tokens": made,
                "cost": None if tokens is None else self._price(opened.name, *tokens),
            },
            user_id=opened.user_id,
            thread_id=opened.thread_id,
        )
        if not self._store.backend.perform(adding) and not self._warned:
            self._warned = True
            logger.warning("activity of runs without a user is not kept")

    def _kept(self, opened: _Open) -> str | None:
        """The arguments, without what was forgotten since the run began."""
        if opened.arguments is None:
            return None
        arguments = opened.arguments
        if opened.thread_id is not None:
            if self._memory.is_run_over(opened.thread_id):
                return None
            arguments = {
                name: self._memory.as_written(opened.thread_id, value)
                for name, value in arguments.items()
            }
        return json.dumps(arguments)

    def _price(self, name: str, spent: int, made: int) -> float | None:
        if self._cost is None:
            return None
        try:
            found = self._cost(name, spent, made)
        except Exception as error:  # noqa: BLE001 - the application's own; the call is kept
            logger.warning("the cost function failed (%s)", type(error).__name__)
            return None
        return None if found is None else float(found)


def _model_name(serialized: dict[str, Any] | None, metadata: Mapping[str, Any] | None) -> str:
    found = (metadata or {}).get("ls_model_name") or (serialized or {}).get("name")
    return str(found or "model")


def _tokens(response: LLMResult) -> tuple[int, int] | None:
    """Input and output tokens, if the model tells."""
    spent = [
        (usage["input_tokens"], usage["output_tokens"])
        for generations in response.generations
        for one in generations
        if isinstance(one, ChatGeneration)
        and (usage := getattr(one.message, "usage_metadata", None))
    ]
    return (sum(one for one, _ in spent), sum(one for _, one in spent)) if spent else None
