"""What a node knows of the run that it is part of, and how one body serves sync and async."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextvars import copy_context
from dataclasses import dataclass
from functools import partial
from threading import Thread
from types import MethodType
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage
from langchain_core.runnables import Runnable, RunnableConfig
from langchain_core.runnables.config import ensure_config, patch_config
from langgraph.config import get_config
from langgraph.constants import TAG_NOSTREAM
from langgraph.runtime import ExecutionInfo, Runtime, get_runtime
from langgraph.store.base import BaseStore

from langgraph_agentmem.errors import StoreRequired
from langgraph_agentmem.steps import Call, Work, await_all, call_all
from langgraph_agentmem.store import AgentMemStore

from .state import MemoryState, as_state, state_with
from .turns import readable

EVENT = "agentmem"
"""The key under which every event on the custom stream says what happened, and the name under
which a node's own model calls are traced."""

EVENTS, CONTENT = "agentmem_events", "content"
"""What the config's `configurable` says, `{"agentmem_events": "content"}`, to have the content of
memories in events too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """The config, context, store and custom stream of the run that is going on here.

    `in_graph` is False for a call outside any graph, where there is no store to ask for.
    """

    config: RunnableConfig
    context: Any = None
    store: BaseStore | None = None
    write: Callable[[Any], None] = lambda _: None
    in_graph: bool = False
    execution: ExecutionInfo | None = None

    @classmethod
    def here(cls, config: RunnableConfig | None = None) -> Run:
        """The run around the caller; outside a graph, one that has the config alone."""
        try:
            around = get_config()
        except RuntimeError:
            return cls(config=ensure_config(config))
        # A chain outside a graph has a config and no runtime in it.
        runtime: Runtime[Any] | None = get_runtime() if "configurable" in around else None
        if runtime is None:
            return cls(config=ensure_config(config or around))
        return cls(
            config=ensure_config(config or around),
            context=runtime.context,
            store=runtime.store,
            write=runtime.stream_writer,
            in_graph=True,
            execution=runtime.execution_info,
        )

    @property
    def thread_id(self) -> str | None:
        """The thread of this run, if it has one."""
        found = self.config.get("configurable", {}).get("thread_id")
        return None if found is None else str(found)

    def emit(self, event: str, /, *, content: object = None, **data: object) -> None:
        """Say on the custom stream what happened. Data holds no content; `content`, a mapping
        from topics to texts, goes along only where whoever runs the graph has asked for it.
        """
        if content and self.config.get("configurable", {}).get(EVENTS) == CONTENT:
            data["content"] = content
        self.write({EVENT: event, **data})

    def memory_store(self) -> AgentMemStore:
        """The run's store. Raises `StoreRequired` when it is none, or not ours.

        A store that wraps ours says so in an attribute `agentmem_store`.
        """
        found: object = self.store
        if found is not None and not isinstance(found, AgentMemStore):
            found = getattr(found, "agentmem_store", found)
        if not isinstance(found, AgentMemStore):
            raise StoreRequired(found=type(self.store).__name__)
        return found

    def unforgotten(
        self, store: AgentMemStore, messages: Sequence[BaseMessage]
    ) -> list[BaseMessage]:
        """The messages without what was forgotten since this run began: they are in memory still,
        and nothing must be learnt from them again. None of them if its user was forgotten.
        """
        whole, thread = store.whole, self.thread_id
        if whole is None or thread is None:
            return list(messages)
        if whole.is_run_over(thread):
            return []
        return [whole.as_written(thread, message) for message in messages]

    def messages(self, found: object) -> list[BaseMessage]:
        """What stands under a state's key for messages, as messages. Parts that are none are
        left out, with the event `not_messages`.
        """
        messages, others = readable(found)
        if others:
            self.emit("not_messages", count=others)
        return messages

    def ask(
        self,
        model: BaseChatModel | Runnable[Any, Any],
        messages: list[BaseMessage],
        *,
        timeout: float | None = None,
    ) -> Call:
        """Call a model without letting a word of it into the chat.

        Its tokens carry the tag `nostream`; its own run name keeps a chain that happens to be
        called like the node from being taken for the node's output.

        Args:
            model: A chat model or a Runnable.
            messages: What it is asked.
            timeout: Seconds after which TimeoutError is raised; None waits for ever. A sync
                model cannot be stopped: its answer comes to nothing when it comes.
        """
        config = patch_config(self.config, callbacks=self.config.get("callbacks"))  # type: ignore[arg-type]
        config["run_name"] = EVENT
        config["tags"] = [*config.get("tags", []), TAG_NOSTREAM]
        return Call(
            lambda: _within(timeout, lambda: model.invoke(messages, config)),
            lambda: asyncio.wait_for(model.ainvoke(messages, config), timeout),
        )


def check_timeout(timeout: object) -> None:
    """Raises ValueError for what is neither None nor a number of seconds above 0."""
    is_number = isinstance(timeout, int | float) and not isinstance(timeout, bool)
    if timeout is not None and not (is_number and timeout > 0):  # type: ignore[operator]
        found = str(timeout)[:40]
        raise ValueError(f"timeout is a number of seconds above 0, or None (found {found})")


def _within(timeout: float | None, call: Callable[[], Any]) -> Any:
    """What a call returns or raises, if it does so within some seconds."""
    if timeout is None:
        return call()
    ended: list[Callable[[], Any]] = []
    context = copy_context()

    def run() -> None:
        try:
            result = context.run(call)
        except BaseException as error:  # noqa: BLE001 - raised where it is waited for
            ended.append(partial(_raise, error))
        else:
            ended.append(lambda: result)

    # A daemon, so that a model which never answers does not keep the program from ending.
    thread = Thread(target=run, name="agentmem model call", daemon=True)
    thread.start()
    thread.join(timeout)
    if not ended:
        raise TimeoutError
    return ended[0]()


def _raise(error: BaseException) -> None:
    raise error


class Node(Runnable[Any, dict[str, Any]]):
    """A graph node that works sync and async; its `work` is written once.

    Subclasses define `work(state, run)` and say with `declare` which state they use.
    """

    messages_key: str = "messages"
    _reads_messages = False

    def declare(self, **keys: str) -> None:
        """Name the fields of `MemoryState` that this node uses, and the graph's key for each.

        `StateGraph` reads the annotation of `__call__` when the node is added and declares the
        channels from it, whatever state the graph itself is typed with.
        """

        def call(
            self: Node, state: MemoryState, config: RunnableConfig | None = None
        ) -> dict[str, Any]:
            return self.invoke(state, config)

        call.__annotations__["state"] = state_with(keys)
        call.__annotations__["config"] = RunnableConfig | None
        vars(self)["__call__"] = MethodType(call, self)
        vars(self)["_reads_messages"] = "messages" in keys

    def take_all(self) -> None:
        """Take the graph's whole state, whatever its type, and declare nothing."""

        def call(self: Node, state: Any, config: RunnableConfig | None = None) -> dict[str, Any]:
            return self.invoke(state, config)

        call.__annotations__["config"] = RunnableConfig | None
        vars(self)["__call__"] = MethodType(call, self)

    def __call__(self, state: MemoryState, config: RunnableConfig | None = None) -> dict[str, Any]:
        """Run the node as a function of a state."""
        return self.invoke(state, config)

    def work(self, state: Mapping[str, Any], run: Run) -> Work[dict[str, Any]]:
        """The node itself: yields what it waits for, returns the state update."""
        raise NotImplementedError

    def invoke(
        self,
        input: Any,  # noqa: A002 - Runnable's name for it
        config: RunnableConfig | None = None,
        **_kwargs: Any,
    ) -> dict[str, Any]:
        """Run the node on a state."""
        return call_all(self.work(*self._given(input, config)))

    async def ainvoke(
        self,
        input: Any,  # noqa: A002 - Runnable's name for it
        config: RunnableConfig | None = None,
        **_kwargs: Any,
    ) -> dict[str, Any]:
        """Run the node on a state, awaited."""
        return await await_all(self.work(*self._given(input, config)))

    def _given(self, given: object, config: RunnableConfig | None) -> tuple[Mapping[str, Any], Run]:
        """The state and the run; a state without a message says so: its key may be another."""
        state, run = as_state(given, self.messages_key), Run.here(config)
        if self._reads_messages and state.get(self.messages_key) in (None, [], ()):
            run.emit("no_messages", key=self.messages_key)
        return state, run
