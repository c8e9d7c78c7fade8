"""The store inside LangGraph."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Annotated, Any, TypeAlias
from unittest import SkipTest
from warnings import catch_warnings, simplefilter

from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langgraph.config import get_store
from langgraph.func import entrypoint
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import MessagesState
from langgraph.prebuilt import InjectedStore, ToolNode
from langgraph.runtime import Runtime
from langgraph.store.base import BaseStore
from typing_extensions import TypedDict

from .contract import HOME, Caller, Room, promise, run_sync, same, true


class _State(TypedDict, total=False):
    found: Any


Work: TypeAlias = Callable[[Caller], Awaitable[Any]]


async def _remember(store: Caller) -> Any:
    """What a node does in these checks: write, and read it back."""
    await store.put(HOME, "city", {"text": "Oslo"})
    return {"found": await store.value("city")}


def _graph(node: Any, store: Caller) -> Any:
    builder = StateGraph(_State)
    builder.add_node("node", node)
    builder.add_edge(START, "node")
    builder.add_edge("node", END)
    return builder.compile(store=store.store)


async def _run(room: Room, graph: Any, given: Any) -> Any:
    return graph.invoke(given) if room.lane == "sync" else await graph.ainvoke(given)


async def _node_remembers(room: Room, in_sync: Any, in_async: Any) -> None:
    """Run one node, which finds the store in its own way, and look at what it did."""
    store = room.open()
    graph = _graph(in_sync if room.lane == "sync" else in_async, store)
    same({"text": "Oslo"}, (await _run(room, graph, {}))["found"])
    same({"text": "Oslo"}, await store.value("city"))


@promise("LG01")
async def the_store_argument(room: Room) -> None:
    """A node's `store` argument is the store the graph was compiled with."""
    seen: list[BaseStore] = []

    def in_sync(_: _State, *, store: BaseStore) -> Any:
        seen.append(store)
        return run_sync(_as_work(_remember(Caller(store, "sync"))))

    async def in_async(_: _State, *, store: BaseStore) -> Any:
        seen.append(store)
        return await _remember(Caller(store, "async"))

    await _node_remembers(room, in_sync, in_async)
    true(seen[0] is room.opened[0].store, "it is the same object")


async def _as_work(work: Awaitable[Any]) -> Any:
    return await work


@promise("LG02")
async def get_store_in_a_node(room: Room) -> None:
    """get_store() in a node."""

    def in_sync(_: _State) -> Any:
        return run_sync(_as_work(_remember(Caller(get_store(), "sync"))))

    async def in_async(_: _State) -> Any:
        return await _remember(Caller(get_store(), "async"))

    await _node_remembers(room, in_sync, in_async)


@promise("LG03")
async def runtime_store(room: Room) -> None:
    """Runtime.store in a node."""

    def in_sync(_: _State, runtime: Runtime[Any]) -> Any:
        true(runtime.store is not None, "the runtime has a store")
        return run_sync(_as_work(_remember(Caller(runtime.store, "sync"))))  # type: ignore[arg-type]

    async def in_async(_: _State, runtime: Runtime[Any]) -> Any:
        true(runtime.store is not None, "the runtime has a store")
        return await _remember(Caller(runtime.store, "async"))  # type: ignore[arg-type]

    await _node_remembers(room, in_sync, in_async)


@tool
def save_city(city: str, store: Annotated[BaseStore, InjectedStore()]) -> str:
    """Keep the user's city."""
    store.put(HOME, "city", {"text": city})
    return "kept"


@tool
async def asave_city(city: str, store: Annotated[BaseStore, InjectedStore()]) -> str:
    """Keep the user's city."""
    await store.aput(HOME, "city", {"text": city})
    return "kept"


@promise("LG04")
async def injected_into_a_tool(room: Room) -> None:
    """InjectedStore in a tool run by ToolNode."""
    store = room.open()
    keep = save_city if room.lane == "sync" else asave_city
    builder = StateGraph(MessagesState)
    builder.add_node("tools", ToolNode([keep]))
    builder.add_edge(START, "tools")
    graph = builder.compile(store=store.store)
    call = {"name": keep.name, "args": {"city": "Oslo"}, "id": "1", "type": "tool_call"}
    asked = {"messages": [AIMessage("", tool_calls=[call])]}
    answered = await _run(room, graph, asked)
    same("kept", answered["messages"][-1].content)
    same({"text": "Oslo"}, await store.value("city"))


@promise("LG05", only="async")
async def a_sync_node_of_ainvoke(room: Room) -> None:
    """An async store's sync methods in a sync node of ainvoke (it runs in a thread)."""
    store = room.open()

    def node(_: _State, *, store: BaseStore) -> Any:
        return run_sync(_as_work(_remember(Caller(store, "sync"))))

    same({"text": "Oslo"}, (await _graph(node, store).ainvoke({}))["found"])
    same({"text": "Oslo"}, await store.value("city"))


@promise("LG06")
async def entrypoint_hands_it_in(room: Room) -> None:
    """The functional API's entrypoint(store=...) hands it in."""
    store = room.open()

    @entrypoint(store=store.store)
    def in_sync(_: Any, *, store: BaseStore) -> Any:
        return run_sync(_as_work(_remember(Caller(store, "sync"))))

    @entrypoint(store=store.store)
    async def in_async(_: Any, *, store: BaseStore) -> Any:
        return await _remember(Caller(store, "async"))

    found = await _run(room, in_sync if room.lane == "sync" else in_async, {})
    same({"found": {"text": "Oslo"}}, found)


@promise("LG07")
async def ten_parallel_nodes(room: Room) -> None:
    """Ten parallel nodes of one step write through one store."""
    store = room.open()
    builder = StateGraph(_State)
    for number in range(10):
        builder.add_node(f"node{number}", _writer(number, room))
        builder.add_edge(START, f"node{number}")
    await _run(room, builder.compile(store=store.store), {})
    found = await store.search(HOME, limit=1000)
    same(sorted([*range(10)] * 10), sorted(item.value["n"] for item in found), "the values")


def _writer(number: int, room: Room) -> Any:
    def in_sync(_: _State, *, store: BaseStore) -> None:
        for one in range(10):
            store.put(HOME, f"k{number}-{one}", {"n": number})

    async def in_async(_: _State, *, store: BaseStore) -> None:
        for one in range(10):
            await store.aput(HOME, f"k{number}-{one}", {"n": number})

    return in_sync if room.lane == "sync" else in_async


@promise("LG08")
async def a_subgraph_sees_it(room: Room) -> None:
    """A subgraph sees its parent's store."""
    store = room.open()

    def in_sync(_: _State, *, store: BaseStore) -> Any:
        return run_sync(_as_work(_remember(Caller(store, "sync"))))

    async def in_async(_: _State, *, store: BaseStore) -> Any:
        return await _remember(Caller(store, "async"))

    inner = StateGraph(_State)
    node: Any = in_sync if room.lane == "sync" else in_async
    inner.add_node("inner", node)
    inner.add_edge(START, "inner")
    graph = _graph(inner.compile(), store)
    same({"text": "Oslo"}, (await _run(room, graph, {}))["found"])
    same({"text": "Oslo"}, await store.value("city"))


@promise("LG09")
async def langmem_tools(room: Room) -> None:
    """The memory tools of langmem work on the store."""
    store = room.open()
    manage, search = _langmem_tools(store)

    async def use(one: Any, **given: Any) -> Any:
        return one.invoke(given) if room.lane == "sync" else await one.ainvoke(given)

    await use(manage, action="create", content="lives in Oslo")
    (item,) = await store.search(HOME)
    same({"content": "lives in Oslo"}, item.value)
    await use(manage, action="update", id=item.key, content="lives in Rome")
    true("Rome" in str(await use(search, query="where")), "the search tool finds it")
    same({"content": "lives in Rome"}, await store.value(item.key))
    await use(manage, action="delete", id=item.key)
    same([], await store.search(HOME))


def _langmem_tools(store: Caller) -> tuple[Any, Any]:
    with catch_warnings():
        simplefilter("ignore")  # langmem imports by names that LangGraph has moved
        try:
            from langmem import (  # noqa: PLC0415 - optional
                create_manage_memory_tool,
                create_search_memory_tool,
            )
        except ImportError as error:
            raise SkipTest("langmem is not installed") from error
    options: Mapping[str, Any] = {"namespace": HOME, "store": store.store}
    return create_manage_memory_tool(**options), create_search_memory_tool(**options)
