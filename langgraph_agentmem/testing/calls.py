"""Who calls, and from where: threads, tasks, event loops, other stores on one database."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from langgraph.store.base import PutOp

from .contract import HOME, Room, promise, refused, same, true, until

_PARTS = 20


def _in_threads(number: int, work: Any) -> list[Any]:
    """What `work(0)`, `work(1)` … return, each called in a thread of its own."""
    with ThreadPoolExecutor(number) as threads:
        return list(threads.map(work, range(number)))


@promise("CC01", only="sync")
async def sixteen_threads(room: Room) -> None:
    """16 threads use one sync store at once."""
    store = room.open().store

    def work(number: int) -> list[Any]:
        found = []
        for one in range(25):
            key = f"k{number}-{one}"
            store.put(HOME, key, {"n": one})
            found.append(store.get(HOME, key).value["n"])
            store.search(HOME, filter={"n": one}, limit=1)
        return found

    same([list(range(25))] * 16, _in_threads(16, work), "what each thread read")
    same(400, len(store.search(HOME, limit=1000)))


@promise("CC02", only="async")
async def five_hundred_puts_at_once(room: Room) -> None:
    """500 async puts at once all arrive."""
    store = room.open()
    await asyncio.gather(*(store.put(HOME, f"k{n}", {"n": n}) for n in range(500)))
    found = await store.search(HOME, limit=1000)
    same(list(range(500)), sorted(item.value["n"] for item in found), "the values")


@promise("CC03", only="async")
async def everything_at_once(room: Room) -> None:
    """Reads, writes, searches and lists run together in one loop."""
    store = room.open()
    await store.put(HOME, "k", {"n": 0})
    work: list[Any] = []
    for number in range(50):
        work.append(store.put(HOME, f"k{number}", {"n": number}))
        work.append(store.get(HOME, "k"))
        work.append(store.search(HOME, filter={"n": 0}))
        work.append(store.list_namespaces())
        work.append(store.delete(HOME, f"d{number}"))
    found = await asyncio.gather(*work)
    same([{"n": 0}] * 50, [item.value for item in found[1::5]])
    same([[HOME]] * 50, found[3::5])
    same(51, len(await store.search(HOME, limit=100)))


@promise("CC04", only="async")
async def one_failure_is_its_own(room: Room) -> None:
    """One failing op does not fail others issued in the same tick."""
    store = room.open()
    found = await asyncio.gather(
        store.put(HOME, "a", {"n": 1}),
        store.put(HOME, "bad", {"n": object()}),
        store.search(HOME, filter={"n": {"$unknown": 1}}),
        store.put(HOME, "b", {"n": 2}),
        store.get(HOME, "nothing"),
        return_exceptions=True,
    )
    same(
        [False, True, True, False, False],
        [isinstance(one, Exception) for one in found],
        "which of the calls failed",
    )
    same({"a", "b"}, set(await store.keys(HOME)))


@promise("CC05", only="async")
async def a_cancelled_call(room: Room) -> None:
    """A cancelled call does not break the store."""
    store = room.open()
    for number in range(30):
        ops = [PutOp(HOME, f"k{number}-{part}", {"n": number}) for part in range(_PARTS)]
        task = asyncio.ensure_future(store.batch(ops))
        for _ in range(number % 3):
            await asyncio.sleep(0)
        task.cancel()
        await refused(task, asyncio.CancelledError)
    await store.put(("after",), "k", {"n": 1})
    same({"n": 1}, await store.value("k", ("after",)))
    kept = Counter(item.value["n"] for item in await store.search(HOME, limit=1000))
    same(dict.fromkeys(kept, _PARTS), dict(kept), "each batch is there whole or not at all")


@promise("CC06", only="async")
async def sync_calls_from_another_thread(room: Room) -> None:
    """Sync methods of an async store work from another thread."""
    store = room.open()
    await asyncio.to_thread(store.store.put, HOME, "k", {"n": 1})
    same({"n": 1}, (await asyncio.to_thread(store.store.get, HOME, "k")).value)
    same({"n": 1}, await store.value("k"))


@promise("CC07", only="async")
async def a_sync_call_inside_the_loop(room: Room) -> None:
    """A sync call inside the running loop raises or works, but never hangs."""
    store = room.open()
    pending = [asyncio.ensure_future(store.put(HOME, f"k{n}", {"n": n})) for n in range(20)]
    await asyncio.sleep(0)
    try:
        store.store.put(HOME, "sync", {"n": 1})
        same({"n": 1}, store.store.get(HOME, "sync").value)
    except RuntimeError:  # asyncio.InvalidStateError is one
        await store.put(HOME, "sync", {"n": 1})
    await asyncio.gather(*pending)
    same(21, len(await store.search(HOME, limit=100)))


@promise("CC08", only="async")
async def a_second_loop(room: Room) -> None:
    """An async store works from a second event loop in another thread."""
    store = room.open()
    await store.put(HOME, "first", {"n": 1})

    async def elsewhere() -> Any:
        await store.put(HOME, "second", {"n": 2})
        return await store.value("first")

    found = await asyncio.gather(
        asyncio.to_thread(lambda: asyncio.run(elsewhere())),
        *(store.put(HOME, f"k{n}", {"n": n}) for n in range(10)),
    )
    same({"n": 1}, found[0])
    same({"n": 2}, await store.value("second"))


@promise("CC11")
async def two_stores_on_one_database(room: Room) -> None:
    """Two stores on one database see each other's writes."""
    one, other = room.open(), room.open()
    await one.put(HOME, "k", {"n": 1})
    same({"n": 1}, await other.value("k"))
    await other.put(HOME, "k", {"n": 2})
    same(["k"], await one.keys(HOME, filter={"n": 2}))
    await one.delete(HOME, "k")
    same([None, []], [await other.get(HOME, "k"), await other.list_namespaces()])


@promise("CC12")
async def eight_stores_write_at_once(room: Room) -> None:
    """Eight stores write to one database at once without 'locked' errors."""
    stores = [room.open() for _ in range(8)]

    def work(number: int) -> None:
        for one in range(15):
            key = f"k{number}-{one}"
            if room.lane == "sync":
                stores[number].store.put(HOME, key, {"n": one})
                stores[number].store.put(HOME, "shared", {"n": number})
            else:
                asyncio.run(_put_two(stores[number], key, one, number))

    await room.wait(lambda: _in_threads(8, work))
    same(121, len(await stores[0].search(HOME, limit=1000)))


async def _put_two(store: Any, key: str, one: int, number: int) -> None:
    await store.put(HOME, key, {"n": one})
    await store.put(HOME, "shared", {"n": number})


@promise("CC13")
async def after_an_error_the_next_call_works(room: Room) -> None:
    """After an error the next call works (no transaction is left open)."""
    store, other = room.open(), room.open()
    bad: list[Any] = [object(), float("nan"), "\ud800"]
    for number, wrong in enumerate(bad):
        await refused(store.put(HOME, "bad", {"n": wrong}), ValueError, TypeError)
        await refused(store.search(HOME, filter={"n": {"$x": 1}}), ValueError)
        await store.put(HOME, f"k{number}", {"n": number})
        await other.put(HOME, f"o{number}", {"n": number})
    same(6, len(await store.search(HOME)))


@promise("CC14", only="sync")
async def a_sync_store_awaits_too(room: Room) -> None:
    """A sync store's a* methods work too."""
    store = room.open().store
    store.put(HOME, "sync", {"n": 1})

    async def awaited() -> Any:
        await store.aput(HOME, "async", {"n": 2})
        await store.adelete(HOME, "nothing")
        found = await store.asearch(HOME)
        names = await store.alist_namespaces()
        return {item.key for item in found}, names, (await store.aget(HOME, "sync")).value

    same(({"sync", "async"}, [HOME], {"n": 1}), asyncio.run(awaited()))


@promise("CC15", only="sync")
async def sync_and_async_calls_mix(room: Room) -> None:
    """Sync and async calls to one store mix without loss."""
    store = room.open().store

    async def many(number: int) -> None:
        await asyncio.gather(*(store.aput(HOME, f"a{number}-{n}", {"n": n}) for n in range(20)))

    def work(number: int) -> None:
        if number % 2:
            asyncio.run(many(number))
        else:
            for one in range(20):
                store.put(HOME, f"s{number}-{one}", {"n": one})

    _in_threads(8, work)
    same(160, len(store.search(HOME, limit=1000)))


@promise("CC16", only="async")
async def a_task_sees_its_own_writes(room: Room) -> None:
    """The writes of one task are seen by its next read."""
    store = room.open()

    await asyncio.gather(*(_reads_own(store, number) for number in range(10)))


async def _reads_own(store: Any, number: int) -> None:
    for one in range(10):
        await store.put(HOME, f"own{number}", {"n": one})
        same({"n": one}, await store.value(f"own{number}"))
        true(
            f"own{number}" in await store.keys(HOME, filter={"n": one}, limit=100),
            "a search finds what was just written",
        )


@promise("CC17", only="sync")
async def readers_never_see_a_torn_value(room: Room) -> None:
    """200 threads' worth of reads while a writer writes: never a torn value."""
    store = room.open().store
    store.put(HOME, "k", {"a": 0, "b": 0})
    stop = threading.Event()

    def write() -> None:
        number = 0
        while not stop.is_set():
            number += 1
            both = {"a": number, "b": number}
            store.batch([PutOp(HOME, "k", both), PutOp(HOME, "other", both)])

    def read(_: int) -> bool:
        value = store.get(HOME, "k").value
        pair = [item.value["a"] for item in store.search(HOME)]
        return value["a"] == value["b"] and len(set(pair)) == 1

    writer = threading.Thread(target=write)
    writer.start()
    try:
        with ThreadPoolExecutor(20) as threads:
            true(until(lambda: store.get(HOME, "other") is not None), "the writer writes")
            same([True] * 200, list(threads.map(read, range(200))), "whole values")
    finally:
        stop.set()
        writer.join()
