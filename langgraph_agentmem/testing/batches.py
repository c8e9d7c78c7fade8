"""Batches: many operations, whole or not at all."""

from __future__ import annotations

from typing import Any

from langgraph.store.base import GetOp, ListNamespacesOp, PutOp, SearchOp

from .contract import HOME, Room, promise, put_all, refused, same
from .embeddings import WordEmbeddings


@promise("BT01")
async def results_are_in_order(room: Room) -> None:
    """Results come in the order of the ops."""
    store = room.open()
    await put_all(store, {"a": {"n": 1}, "b": {"n": 2}})
    found = await store.batch(
        [
            GetOp(HOME, "b"),
            PutOp(HOME, "c", {"n": 3}),
            SearchOp(HOME, {"n": 1}),
            GetOp(HOME, "nothing"),
            ListNamespacesOp(),
            GetOp(HOME, "a"),
        ]
    )
    same("b", found[0].key)
    same([None, None], [found[1], found[3]])
    same(["a"], [item.key for item in found[2]])
    same([HOME], found[4])
    same("a", found[5].key)


@promise("BT02")
async def the_last_put_wins(room: Room) -> None:
    """Two puts of one key in a batch: the last wins."""
    store = room.open()
    await store.batch([PutOp(HOME, "k", {"n": 1}), PutOp(HOME, "k", {"n": 2})])
    same({"n": 2}, await store.value("k"))
    same(1, len(await store.search(HOME)))


@promise("BT03")
async def put_and_delete_in_a_batch(room: Room) -> None:
    """Put then delete of one key in a batch deletes; delete then put stores."""
    store = room.open()
    await store.batch([PutOp(HOME, "k", {"n": 1}), PutOp(HOME, "k", None)])
    same(None, await store.get(HOME, "k"))
    await store.batch([PutOp(HOME, "k", None), PutOp(HOME, "k", {"n": 2})])
    same({"n": 2}, await store.value("k"))


@promise("BT04")
async def reads_see_the_store_before(room: Room) -> None:
    """Reads of a batch see the store as it was before the batch's puts."""
    store = room.open()
    await store.put(HOME, "k", {"n": 1})
    found = await store.batch(
        [
            PutOp(HOME, "k", {"n": 2}),
            PutOp(("new",), "k", {"n": 3}),
            GetOp(HOME, "k"),
            SearchOp(()),
            ListNamespacesOp(),
        ]
    )
    same({"n": 1}, found[2].value)
    same([{"n": 1}], [item.value for item in found[3]])
    same([HOME], found[4])


@promise("BT05")
async def any_iterable_of_ops(room: Room) -> None:
    """An empty batch gives []; any iterable of ops will do."""
    store = room.open()
    same([], await store.batch([]))
    same([], await store.batch(iter(())))
    await store.batch(PutOp(HOME, f"k{number}", {"n": number}) for number in range(3))
    found = await store.batch((GetOp(HOME, "k1"), GetOp(HOME, "k2")))
    same([1, 2], [item.value["n"] for item in found])


@promise("BT06")
async def what_is_no_op_is_refused(room: Room) -> None:
    """An object that is not an op raises."""
    store = room.open()
    for wrong in ("get", None, ("a", "b"), object()):
        ops: list[Any] = [PutOp(HOME, "k", {"n": 1}), wrong]
        await refused(store.batch(ops), TypeError, ValueError)
    same(None, await store.get(HOME, "k"))


@promise("BT07")
async def ten_thousand_ops(room: Room) -> None:
    """10,000 puts and 10,000 gets in one batch."""
    store = room.open()
    number = 10_000
    await store.batch([PutOp(HOME, f"k{one}", {"n": one}) for one in range(number)])
    found = await store.batch([GetOp(HOME, f"k{one}") for one in range(number)])
    same(list(range(number)), [item.value["n"] for item in found], "the values")


@promise("BT08")
async def one_op_twice_answers_twice(room: Room) -> None:
    """One op twice in a batch answers twice."""
    store = room.open()
    await store.put(HOME, "k", {"n": 1})
    get, search = GetOp(HOME, "k"), SearchOp(HOME)
    found = await store.batch([get, search, get, search])
    same([{"n": 1}] * 2, [found[0].value, found[2].value])
    same([1, 1], [len(found[1]), len(found[3])])


@promise("BT09")
async def a_bad_put_stores_none(room: Room) -> None:
    """A batch with a bad put stores none of its puts."""
    store = room.open()
    await store.put(HOME, "old", {"n": 1})
    bad: list[Any] = [
        PutOp(("a.b",), "k", {"n": 1}),
        PutOp((), "k", {"n": 1}),
        PutOp(HOME, "k", {"n": object()}),
        PutOp(HOME, "k", {"n": 1}, ttl=-1),
        PutOp(HOME, "k", {"n": 1}, index="text"),  # type: ignore[arg-type]
        SearchOp(HOME, {"n": {"$unknown": 1}}),
    ]
    for op in bad:
        ops = [PutOp(HOME, "new", {"n": 2}), PutOp(HOME, "old", None), op]
        await refused(store.batch(ops), ValueError, TypeError, about=repr(op))
        same(["old"], await store.keys(()))


@promise("BT10")
async def searches_keep_their_own(room: Room) -> None:
    """Several searches in a batch keep their own query, filter and prefix."""
    embed = WordEmbeddings()
    store = room.open(index={"dims": embed.dims, "embed": embed, "fields": ["text"]})
    await store.put(("a",), "tea", {"text": "tea", "hot": True})
    await store.put(("a",), "ice", {"text": "ice", "hot": False})
    await store.put(("b",), "milk", {"text": "milk", "hot": False})
    found = await store.batch(
        [
            SearchOp(("a",), query="ice", limit=1),
            SearchOp(("b",)),
            SearchOp((), {"hot": True}),
            SearchOp((), query="milk", limit=1),
            SearchOp(("a",), {"hot": True}, query="ice"),
        ]
    )
    keys = [[item.key for item in some] for some in found]
    same([["ice"], ["milk"], ["tea"], ["milk"], ["tea"]], keys)


@promise("BT11")
async def a_failed_embedding_changes_nothing(room: Room) -> None:
    """A batch whose embedding fails changes nothing."""
    embed = WordEmbeddings()
    store = room.open(index={"dims": embed.dims, "embed": embed})
    await store.put(HOME, "old", {"text": "tea"})
    embed.fails = True
    ops = [PutOp(HOME, "old", None), PutOp(HOME, "new", {"text": "milk"})]
    await refused(store.batch(ops), Exception)
    embed.fails = False
    same(["old"], await store.keys(()))
    same(["old"], await store.keys(HOME, query="tea"))
