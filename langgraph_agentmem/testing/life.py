"""Opening, reopening and leaving."""

from __future__ import annotations

import asyncio
import threading

from langgraph.store.base import PutOp

from .contract import HOME, Room, promise, put_all, same, texts, true, until
from .embeddings import AngleEmbeddings


@promise("CC09")
async def reopening_finds_everything(room: Room) -> None:
    """Reopening a database finds items, timestamps and vectors; set-up is repeatable."""
    index = {"dims": 2, "embed": AngleEmbeddings(), "fields": ["text"]}
    store = room.open(index=index)
    await put_all(store, texts(["80", "10"]))
    first = await store.search(HOME, query="0")
    await room.close(store)
    for _ in range(2):
        again = room.open(index=index)
        same(first, await again.search(HOME, query="0"))
        same([item.score for item in first], [i.score for i in await again.search(HOME, query="0")])
        await room.close(again)


@promise("CC10")
async def an_index_added_later(room: Room) -> None:
    """An index added to a store that had none does not lose the old items."""
    store = room.open()
    await put_all(store, texts(["80", "10"]))
    await room.close(store)
    indexed = room.open(index={"dims": 2, "embed": AngleEmbeddings(), "fields": ["text"]})
    await indexed.put(HOME, "new", {"text": "40"})
    same({"80", "10", "new"}, set(await indexed.keys(HOME)))
    same({"text": "80"}, await indexed.value("80"))
    same("new", (await indexed.keys(HOME, query="40"))[0])
    if hasattr(indexed.store, "reindex"):
        await indexed.reindex()
        same(["10", "new", "80"], await indexed.keys(HOME, query="0"))


@promise("CC18", only="async")
async def no_task_is_left(room: Room) -> None:
    """Leaving the context leaves no task of the store behind."""
    before = asyncio.all_tasks()
    async with room.open().store as store:
        await asyncio.gather(*(store.aput(HOME, f"k{n}", {"n": n}) for n in range(20)))
        await store.asearch(HOME)
    same(before, asyncio.all_tasks())


@promise("CC19")
async def no_thread_is_left(room: Room) -> None:
    """Leaving the context leaves no thread of the store behind."""
    if room.lane == "async":
        await asyncio.to_thread(int)  # the loop's own thread starts with its first use
    before = set(threading.enumerate())
    store = room.open()
    await store.batch([PutOp(HOME, f"k{n}", {"n": n}) for n in range(20)])
    await store.search(HOME)
    if hasattr(store.store, "start_ttl_sweeper"):
        await store.start_ttl_sweeper(1)
    await room.close(store)

    def left() -> set[threading.Thread]:
        loop_threads = {one for one in threading.enumerate() if one.name.startswith("asyncio")}
        return set(threading.enumerate()) - before - loop_threads

    true(until(lambda: not left()), f"no thread is left (found {left()})")
