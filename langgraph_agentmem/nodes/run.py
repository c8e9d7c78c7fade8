"""What a node knows of the run that it is part of, and how one body serves sync and async."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from langchain_core.messages import BaseMessage
from langchain_core.runnables import Runnable, RunnableConfig
from langchain_core.runnables.config import ensure_config, merge_configs, patch_config
from langgraph.config import get_config
from langgraph.runtime import get_runtime

from langgraph_agentmem.errors import StoreRequired
from langgraph_agentmem.steps import Call, Work, await_all, call_all
from langgraph_agentmem.store import AgentMemStore

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langgraph.store.base import BaseStore

EVENT = "agentmem"
"""The key under which every event on the custom stream says what happened."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """The config, context, store and custom stream of the run that is going on here."""

    config: RunnableConfig
    context: Any = None
    store: BaseStore | None = None
    write: Callable[[Any], None] = lambda _: None

    @classmethod
    def here(cls, config: RunnableConfig | None = None) -> Run:
        """The run around the caller; outside a graph, one that has the config alone."""
        try:
            around = get_config()
        except RuntimeError:
            return cls(config=ensure_config(config))
        try:
            runtime = get_runtime()
        except (KeyError, RuntimeError):  # a chain outside a graph has a config and no runtime
            return cls(config=ensure_config(config or around))
        return cls(
            config=ensure_config(config or around),
            context=runtime.context,
            store=runtime.store,
            write=runtime.stream_writer,
        )

    @property
    def thread_id(self) -> str | None:
        """The thread of this run, if it has one."""
        found = self.config.get("configurable", {}).get("thread_id")
        return None if found is None else str(found)

    def emit(self, event: str, /, **data: object) -> None:
        """Say on the custom stream what happened. Data holds no content."""
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

    def ask(self, model: BaseChatModel | Runnable[Any, Any], messages: list[BaseMessage]) -> Call:
        """Call a model without letting its tokens into the chat: they carry the tag `nostream`."""
        config = merge_configs(
            patch_config(self.config, callbacks=self.config.get("callbacks")),
            {"tags": ["nostream"]},
        )
        return Call(
            lambda: model.invoke(messages, config), lambda: model.ainvoke(messages, config)
        )


class Node(Runnable[Any, dict[str, Any]]):
    """A graph node that works sync and async; its `work` is written once.

    Subclasses define `work(state, run)` and annotate `__call__` with their own state, so that
    `StateGraph` declares the channels in any graph.
    """

    def work(self, state: Mapping[str, Any], run: Run) -> Work[dict[str, Any]]:
        """The node itself: yields what it waits for, returns the state update."""
        raise NotImplementedError

    def invoke(
        self, input: Any, config: RunnableConfig | None = None, **kwargs: Any
    ) -> dict[str, Any]:
        """Run the node on a state."""
        return call_all(self.work(input, Run.here(config)))

    async def ainvoke(
        self, input: Any, config: RunnableConfig | None = None, **kwargs: Any
    ) -> dict[str, Any]:
        """Run the node on a state, awaited."""
        return await await_all(self.work(input, Run.here(config)))
