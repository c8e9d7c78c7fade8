"""The semantic index where things go wrong, are missing, or are many."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from langgraph.store.base import PutOp

from .contract import HOME, Caller, Room, promise, put_all, refused, same, texts, true
from .embeddings import WordEmbeddings
from .vectors import by_angle, by_word, hits, scores


def _by(room: Room, embed: Any, dims: int) -> Caller:
    return room.open(index={"dims": dims, "embed": embed, "fields": ["text"]})


@promise("IX21")
async def a_failed_embedding_stores_nothing(room: Room) -> None:
    """An embedding that fails: put raises, nothing is stored, the store works on."""
    embed = WordEmbeddings()
    store = _by(room, embed, embed.dims)
    await store.put(HOME, "old", {"text": "tea"})
    embed.fails = True
    await refused(store.put(HOME, "new", {"text": "milk"}), Exception)
    await refused(store.put(HOME, "old", {"text": "milk"}), Exception)
    await refused(store.search(HOME, query="tea"), Exception)
    same({"text": "tea"}, await store.value("old"))
    same(None, await store.get(HOME, "new"))
    embed.fails = False
    await store.put(HOME, "new", {"text": "milk"})
    same([{"old"}, {"new"}], [await hits(store, "tea"), await hits(store, "milk")])


@promise("IX22")
async def one_call_serves_a_batch(room: Room) -> None:
    """One embedding call serves a whole batch of puts."""
    embed = WordEmbeddings()
    store = _by(room, embed, embed.dims)
    await store.batch([PutOp(HOME, f"k{n}", {"text": f"word{n}"}) for n in range(20)])
    same([20], [len(call) for call in embed.document_calls])


@promise("IX23")
async def a_zero_vector_does_no_harm(room: Room) -> None:
    """A zero vector does no harm: no exception, no NaN, the other items rank."""
    store = by_angle(room)
    await put_all(store, texts(["no number", "60", "0"]))
    found = await scores(store, "0")
    same(["0", "60"], [key for key in found if key != "no number"])
    true(not any(math.isnan(score) for score in found.values()), "no score is NaN")
    same("0", next(iter(found)))


@promise("IX24")
async def a_zero_query_does_no_harm(room: Room) -> None:
    """A zero query vector does no harm."""
    store = by_angle(room)
    await put_all(store, texts(["60", "0"]))
    found = await scores(store, "no number")
    true(not any(math.isnan(score) for score in found.values()), "no score is NaN")
    same(found, await scores(store, "no number"))


@promise("IX25")
async def an_empty_text_does_no_harm(room: Room) -> None:
    """An empty text in an indexed field does no harm."""
    store = by_angle(room)
    await put_all(store, {"empty": {"text": ""}, "blank": {"text": " \n"}, "ten": {"text": "10"}})
    same("ten", (await store.keys(HOME, query="0"))[0])
    same({"text": ""}, await store.value("empty"))


@promise("IX26")
async def one_text_in_two_items(room: Room) -> None:
    """Two items with the same text in one batch are both indexed."""
    store = by_angle(room)
    await store.batch([PutOp(HOME, key, {"text": "10"}) for key in ("a", "b")])
    same(["a", "b"], sorted(await store.keys(HOME, query="10")))


@promise("IX27")
async def one_text_in_two_fields(room: Room) -> None:
    """One item with the same text in two fields is indexed."""
    store = by_angle(room, fields=["text", "note"])
    await store.put(HOME, "k", {"text": "10", "note": "10"})
    same(["k"], await store.keys(HOME, query="10"))


@promise("IX28")
async def a_wrong_length_is_refused(room: Room) -> None:
    """An embedding of the wrong length is refused at put."""
    store = _by(room, lambda some: [[1.0, 0.0, 0.0] for _ in some], 2)
    await refused(store.put(HOME, "k", {"text": "10"}), Exception)
    same(None, await store.get(HOME, "k"))


@promise("IX29")
async def too_few_embeddings_raise(room: Room) -> None:
    """Too few embeddings from the model raise instead of dropping items."""

    def one_less(some: Sequence[str]) -> list[list[float]]:
        return [[1.0, 0.0]] * (len(some) - 1)

    store = _by(room, one_less, 2)
    await refused(store.batch([PutOp(HOME, key, {"text": "x"}) for key in "abc"]), Exception)
    same([], await store.keys(HOME))


@promise("IX30")
async def an_empty_namespace_ranks_nothing(room: Room) -> None:
    """A query on an indexed but empty namespace is []."""
    store = by_angle(room)
    same([], await store.search(HOME, query="0"))
    await store.put(("other",), "k", {"text": "0"})
    same([], await store.search(HOME, query="0"))


@promise("IX31")
async def the_last_put_wins_in_the_index(room: Room) -> None:
    """Last write wins for the index too when a batch puts one key twice."""
    store = by_word(room, "text")
    await store.batch([PutOp(HOME, "k", {"text": word}) for word in ("tea", "milk")])
    same([set(), {"k"}], [await hits(store, "tea"), await hits(store, "milk")])


@promise("IX32")
async def index_of_nothing_indexes_nothing(room: Room) -> None:
    """index=[] indexes nothing."""
    store = by_word(room, "text")
    await store.put(HOME, "k", {"text": "tea"}, index=[])
    same({}, await scores(store, "tea"))
    same(["k"], await store.keys(HOME))


@promise("IX33")
async def three_thousand_items(room: Room) -> None:
    """A ranked search over 3,000 items finds the best ones."""
    store = by_angle(room)
    angles = [(number * 7919 % 3000) / 20 for number in range(3000)]
    await store.batch([PutOp(HOME, f"k{angle}", {"text": str(angle)}) for angle in angles])
    best = [f"k{number / 20}" for number in range(5)]
    same(best, await store.keys(HOME, query="0", limit=5))


@promise("IX34")
async def no_item_is_on_two_pages(room: Room) -> None:
    """No item comes on two pages of a ranked search, unindexed ones included."""
    store = by_angle(room)
    for number in range(6):
        await store.put(HOME, f"in{number}", {"text": str(number % 2)})
        await store.put(HOME, f"out{number}", {"text": "0"}, index=False)
    seen: list[str] = []
    for page in range(7):
        seen += await store.keys(HOME, query="0", limit=2, offset=2 * page)
    same(sorted(set(seen)), sorted(seen))
    true({f"in{number}" for number in range(6)} <= set(seen), "every indexed item is on a page")


@promise("IX35")
async def vectors_are_not_mixed_up(room: Room) -> None:
    """A batch of puts with several indexed fields each gives every item its own vectors."""
    store = by_word(room, "text", "tags[*]")
    values: dict[str, dict[str, Any]] = {
        "a": {"text": "tea", "tags": ["red", "blue"]},
        "b": {"tags": []},
        "c": {"text": "milk", "tags": ["green"]},
        "d": {"text": "rum"},
    }
    await store.batch([PutOp(HOME, key, value) for key, value in values.items()])
    owners = {"tea": "a", "red": "a", "blue": "a", "milk": "c", "green": "c", "rum": "d"}
    for word, owner in owners.items():
        same({owner}, await hits(store, word), f"hits of {word}")
