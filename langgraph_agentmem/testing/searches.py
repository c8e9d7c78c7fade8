"""Search without a query: prefixes, pages and order."""

from __future__ import annotations

from langgraph.store.base import PutOp, SearchItem

from .contract import HOME, Room, promise, put_all, refused, same, texts, true
from .embeddings import WordEmbeddings


@promise("SR01")
async def empty_prefix_is_the_whole_store(room: Room) -> None:
    """The empty prefix searches the whole store."""
    store = room.open()
    for namespace in (("a",), ("a", "b"), ("c",)):
        await store.put(namespace, "-".join(namespace), {"n": 1})
    same({"a", "a-b", "c"}, set(await store.keys(())))


@promise("SR02")
async def a_prefix_finds_what_is_below(room: Room) -> None:
    """A prefix finds its own namespace and every one below it."""
    store = room.open()
    for namespace in (("a",), ("a", "b"), ("a", "b", "c"), ("b", "a")):
        await store.put(namespace, "-".join(namespace), {"n": 1})
    same({"a", "a-b", "a-b-c"}, set(await store.keys(("a",))))
    same({"a-b", "a-b-c"}, set(await store.keys(("a", "b"))))


@promise("SR03")
async def a_prefix_is_whole_labels(room: Room) -> None:
    """A prefix matches whole labels: ('foo',) does not find ('foobar',)."""
    store = room.open()
    for label in ("foo", "foobar", "foo/x", "foo-x", "foo x", "fo"):
        await store.put((label,), label, {"n": 1})
    same(["foo"], await store.keys(("foo",)))


@promise("SR04")
async def ten_items_unless_told(room: Room) -> None:
    """Limit is 10 unless given."""
    store = room.open()
    await put_all(store, texts(f"k{number}" for number in range(12)))
    same(10, len(await store.search(HOME)))


@promise("SR05")
async def pages_hold_every_item_once(room: Room) -> None:
    """Limit and offset page through every item exactly once."""
    store = room.open()
    await store.batch([PutOp(HOME, f"k{number}", {"n": number}) for number in range(25)])
    for size in (1, 4, 25, 100):
        seen: list[str] = []
        while page := await store.keys(HOME, limit=size, offset=len(seen)):
            seen += page
        same(sorted(f"k{number}" for number in range(25)), sorted(seen), f"pages of {size}")


@promise("SR06")
async def pages_past_the_end_are_empty(room: Room) -> None:
    """An offset past the end, and limit=0, give []."""
    store = room.open()
    await put_all(store, texts("ab"))
    same([], await store.search(HOME, offset=2))
    same([], await store.search(HOME, offset=2**70))
    same([], await store.search(HOME, limit=0))
    same(2, len(await store.search(HOME, limit=2**70)))
    for wrong in ({"limit": -1}, {"offset": -1}):
        await refused(store.search(HOME, **wrong), ValueError)


@promise("SR07")
async def order_is_stable(room: Room) -> None:
    """The order of equal items is stable from call to call."""
    store = room.open()
    await store.batch([PutOp(HOME, f"k{number}", {"n": 1}) for number in range(30)])
    first = await store.keys(HOME, limit=30)
    await store.put(("other",), "x", {"n": 1})
    for _ in range(3):
        same(first, await store.keys(HOME, limit=30))


@promise("SR08")
async def a_result_is_a_search_item(room: Room) -> None:
    """A result is a SearchItem with its own namespace and timestamps, score None."""
    store = room.open()
    await store.put((*HOME, "deep"), "k", {"n": 1})
    (found,) = await store.search(HOME)
    true(isinstance(found, SearchItem), "it is a SearchItem")
    same(((*HOME, "deep"), "k", {"n": 1}, None), (*_place(found), found.value, found.score))
    item = await store.get((*HOME, "deep"), "k")
    same((item.created_at, item.updated_at), (found.created_at, found.updated_at))


def _place(item: SearchItem) -> tuple[tuple[str, ...], str]:
    return item.namespace, item.key


@promise("SR09")
async def newest_update_comes_first(room: Room) -> None:
    """Without a query the newest update comes first."""
    store = room.open()
    await put_all(store, texts("abc"))
    await store.put(HOME, "a", {"text": "again"})
    same(["a", "c", "b"], await store.keys(HOME))
    same(["b"], await store.keys(HOME, limit=1, offset=2))


@promise("SR10")
async def a_search_of_nothing_is_empty(room: Room) -> None:
    """A search of nothing is []."""
    store = room.open()
    same([], await store.search(()))
    same([], await store.search(HOME, query="x", filter={"a": 1}))


@promise("SR11")
async def a_query_without_an_index_is_ignored(room: Room) -> None:
    """A query on a store without an index is ignored: items come unranked."""
    store = room.open()
    await put_all(store, texts(["tea", "coffee"]))
    found = await store.search(HOME, query="tea")
    same([("coffee", None), ("tea", None)], [(item.key, item.score) for item in found])


@promise("SR12")
async def an_empty_query_is_none(room: Room) -> None:
    """An empty query string counts as no query."""
    embed = WordEmbeddings()
    store = room.open(index={"dims": embed.dims, "embed": embed})
    await put_all(store, texts("ab"))
    same(["b", "a"], await store.keys(HOME, query=""))
    same([None, None], [item.score for item in await store.search(HOME, query="  ")])
    same([], embed.query_calls)
