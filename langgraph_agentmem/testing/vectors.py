"""The semantic index and ranked search."""

from __future__ import annotations

import math
from typing import Any

from langgraph.store.base import PutOp

from .contract import HOME, Caller, Room, promise, put_all, same, texts, true
from .embeddings import AngleEmbeddings, WordEmbeddings, angles, cosine, later_angles


def by_angle(room: Room, **options: Any) -> Caller:
    """A store that ranks by the first number in the field `text`."""
    index = {"dims": 2, "embed": AngleEmbeddings(), "fields": ["text"], **options}
    return room.open(index=index)


def by_word(room: Room, *fields: str) -> Caller:
    """A store that ranks by common words in these fields, or in the whole document."""
    embed = WordEmbeddings()
    index: dict[str, Any] = {"dims": embed.dims, "embed": embed}
    return room.open(index={**index, "fields": list(fields)} if fields else index)


async def scores(store: Caller, query: str, **options: Any) -> dict[str, float]:
    """The scores of the keys that a query finds in HOME."""
    return {item.key: item.score for item in await store.search(HOME, query=query, **options)}


async def hits(store: Caller, query: str) -> set[str]:
    """The keys in HOME that have a word in common with the query."""
    return {key for key, score in (await scores(store, query, limit=100)).items() if score > 0}


@promise("IX01")
async def a_query_ranks_by_similarity(room: Room) -> None:
    """A query ranks by similarity, best first, with float scores."""
    store = by_angle(room)
    await put_all(store, texts(["80", "10", "170", "40"]))
    found = await store.search(HOME, query="0")
    same(["10", "40", "80", "170"], [item.key for item in found])
    true(all(isinstance(item.score, float) for item in found), "scores are floats")
    same(sorted((item.score for item in found), reverse=True), [item.score for item in found])


@promise("IX02")
async def the_score_is_the_cosine(room: Room) -> None:
    """The default score is the cosine: 1 for the same direction, 0 for none in common."""
    store = by_angle(room)
    await put_all(store, texts(["0", "60", "90", "180"]))
    found = await scores(store, "0")
    for angle in (0, 60, 90, 180):
        true(
            math.isclose(found[str(angle)], cosine(0, angle), abs_tol=1e-6),
            f"the score at {angle} degrees is the cosine (found {found[str(angle)]})",
        )


@promise("IX03")
async def index_false_is_never_ranked(room: Room) -> None:
    """index=False: found by get and by plain search, never ranked."""
    store = by_angle(room)
    await store.put(HOME, "in", {"text": "10"})
    await store.put(HOME, "out", {"text": "0"}, index=False)
    same({"text": "0"}, await store.value("out"))
    same({"in", "out"}, set(await store.keys(HOME)))
    same(["in"], await store.keys(HOME, query="0"))


@promise("IX04")
async def index_names_the_field(room: Room) -> None:
    """index=[path] indexes just that field of the item."""
    store = by_word(room, "text")
    await store.put(HOME, "k", {"text": "tea", "note": "milk"}, index=["note"])
    same({"k"}, await hits(store, "milk"))
    same(set(), await hits(store, "tea"))


@promise("IX05")
async def fields_say_what_is_embedded(room: Room) -> None:
    """The index config's `fields` say what is embedded."""
    store = by_word(room, "text", "meta.title")
    await store.put(HOME, "k", {"text": "tea", "meta": {"title": "milk"}, "other": "rum"})
    same({"k"}, await hits(store, "tea"))
    same({"k"}, await hits(store, "milk"))
    same(set(), await hits(store, "rum"))
    await room.close(store)
    embed = WordEmbeddings()
    alias = room.open(index={"dims": embed.dims, "embed": embed, "text_fields": ["note"]})
    await alias.put(("other",), "k", {"text": "tea", "note": "gin"})
    same([["gin"]], embed.document_calls)


@promise("IX06")
async def the_whole_document_is_embedded_once(room: Room) -> None:
    """Without `fields` the whole document is embedded once."""
    embed = WordEmbeddings()
    store = room.open(index={"dims": embed.dims, "embed": embed})
    await store.put(HOME, "k", {"text": "tea", "list": ["milk", {"deep": "rum"}]})
    same([1], [len(call) for call in embed.document_calls])
    for word in ("tea", "milk", "rum"):
        same({"k"}, await hits(store, word))


@promise("IX07")
async def every_element_on_its_own(room: Room) -> None:
    """list[*].field embeds every element on its own; the item comes once, with its best score."""
    store = by_angle(room, fields=["parts[*].text"])
    await store.put(HOME, "many", {"parts": [{"text": "170"}, {"text": "5"}, {"text": "90"}]})
    await store.put(HOME, "one", {"parts": [{"text": "45"}]})
    found = await store.search(HOME, query="0")
    same(["many", "one"], [item.key for item in found])
    true(math.isclose(found[0].score, cosine(0, 5), abs_tol=1e-6), "the best part counts")


@promise("IX08")
async def paths_into_values(room: Room) -> None:
    """Paths: nested a.b, [0], [-1], tags[*]."""
    store = by_word(room, "a.b", "list[0]", "list[-1]", "tags[*]")
    value = {"a": {"b": "tea"}, "list": ["milk", "rum", "gin"], "tags": ["red", "blue"]}
    await store.put(HOME, "k", value)
    for word in ("tea", "milk", "gin", "red", "blue"):
        same({"k"}, await hits(store, word), f"hits of {word}")
    same(set(), await hits(store, "rum"))


@promise("IX09")
async def a_missing_field_is_skipped(room: Room) -> None:
    """A missing or null field is skipped; the item is stored all the same."""
    store = by_word(room, "text", "note")
    await store.put(HOME, "none", {"other": 1})
    await store.put(HOME, "null", {"text": None, "note": "tea"})
    same({"null"}, await hits(store, "tea"))
    same({"other": 1}, await store.value("none"))
    same({"none", "null"}, set(await store.keys(HOME)))


@promise("IX10")
async def ranked_pages_lose_nothing(room: Room) -> None:
    """Limit and offset page through a ranked search without loss."""
    store = by_angle(room)
    await put_all(store, texts(str(angle) for angle in range(7)))
    for size in (1, 2, 3, 10):
        seen: list[str] = []
        while page := await store.keys(HOME, query="0", limit=size, offset=len(seen)):
            seen += page
        same([str(angle) for angle in range(7)], seen, f"pages of {size}")


@promise("IX11")
async def many_vectors_do_not_crowd_out(room: Room) -> None:
    """Items with many vectors do not crowd others out of limit."""
    store = by_angle(room, fields=["parts[*]"])
    await store.put(HOME, "many", {"parts": [f"{angle}" for angle in range(60)]})
    await store.put(HOME, "b", {"parts": ["80"]})
    await store.put(HOME, "c", {"parts": ["100"]})
    same(["many", "b", "c"], await store.keys(HOME, query="0", limit=3))


@promise("IX12")
async def an_update_embeds_anew(room: Room) -> None:
    """An update embeds anew: the old text no longer matches."""
    store = by_word(room, "text")
    await store.put(HOME, "k", {"text": "tea"})
    await store.put(HOME, "k", {"text": "milk"})
    same(set(), await hits(store, "tea"))
    same({"k"}, await hits(store, "milk"))


@promise("IX13")
async def a_dropped_field_drops_its_vector(room: Room) -> None:
    """An update that drops an indexed field drops its vector."""
    store = by_word(room, "text", "note")
    await store.put(HOME, "k", {"text": "tea", "note": "milk"})
    await store.put(HOME, "k", {"text": "tea"})
    same(set(), await hits(store, "milk"))
    same({"k"}, await hits(store, "tea"))


@promise("IX14")
async def an_update_without_index(room: Room) -> None:
    """An update with index=False takes the item out of the index."""
    store = by_word(room, "text")
    await store.put(HOME, "k", {"text": "tea"})
    await store.put(HOME, "k", {"text": "tea"}, index=False)
    same({}, await scores(store, "tea"))
    await store.put(HOME, "k", {"text": "tea"})
    same({"k"}, await hits(store, "tea"))


@promise("IX15")
async def a_shorter_list_leaves_nothing(room: Room) -> None:
    """A list that gets shorter leaves no vectors of its old elements."""
    store = by_word(room, "tags[*]")
    await store.put(HOME, "k", {"tags": ["tea", "milk", "rum"]})
    await store.put(HOME, "k", {"tags": ["gin"]})
    for word in ("tea", "milk", "rum"):
        same(set(), await hits(store, word), f"hits of {word}")
    same({"k"}, await hits(store, "gin"))


@promise("IX16")
async def delete_takes_the_vector(room: Room) -> None:
    """Delete, then put with index=False: the old vector is gone."""
    store = by_word(room, "text")
    await store.put(HOME, "k", {"text": "tea"})
    await store.delete(HOME, "k")
    await store.put(HOME, "k", {"text": "tea"}, index=False)
    same({}, await scores(store, "tea"))


@promise("IX17")
async def filter_and_prefix_come_first(room: Room) -> None:
    """Query with filter and prefix: both narrow before limit."""
    store = by_angle(room)
    ops = [PutOp(HOME, f"near{n}", {"text": str(n), "kind": "near"}) for n in range(30)]
    ops += [PutOp(HOME, f"far{n}", {"text": str(90 + n), "kind": "far"}) for n in range(3)]
    ops += [PutOp(("other",), f"other{n}", {"text": "0", "kind": "far"}) for n in range(30)]
    await store.batch(ops)
    found = await store.keys(HOME, query="0", filter={"kind": "far"}, limit=2)
    same(["far0", "far1"], found)


@promise("IX18")
async def embed_may_be_a_function(room: Room) -> None:
    """Embed may be a plain function."""
    store = by_angle(room, embed=angles)
    await put_all(store, texts(["80", "10"]))
    same(["10", "80"], await store.keys(HOME, query="0"))


@promise("IX19", only="async")
async def embed_may_be_an_async_function(room: Room) -> None:
    """Embed may be an async function (async store)."""
    store = by_angle(room, embed=later_angles)
    await put_all(store, texts(["80", "10"]))
    same(["10", "80"], await store.keys(HOME, query="0"))


@promise("IX20")
async def queries_and_documents_are_told_apart(room: Room) -> None:
    """Queries are embedded with embed_query, documents with embed_documents."""
    embed = WordEmbeddings()
    store = room.open(index={"dims": embed.dims, "embed": embed, "fields": ["text"]})
    await store.put(HOME, "k", {"text": "tea"})
    await store.search(HOME, query="milk")
    same(([["tea"]], ["milk"]), (embed.document_calls, embed.query_calls))
