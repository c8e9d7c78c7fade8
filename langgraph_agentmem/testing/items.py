"""Items: put, get, delete, values and keys."""

from __future__ import annotations

import json
from collections import UserDict
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import Any

from langgraph.store.base import Item

from .contract import HOME, Room, promise, refused, same, same_json, true, works_or_is_refused

NESTED: dict[str, Any] = {
    "text": "Nairobi",
    "none": None,
    "yes": True,
    "no": False,
    "whole": 3,
    "part": 2.5,
    "list": [1, "two", [3.0, None], {"four": [True]}],
    "map": {"a": {"b": {"c": []}}, "": "empty name", "a.b": "dotted"},
}


@promise("KV01")
async def item_comes_back(room: Room) -> None:
    """Put then get gives an Item with its key, namespace and value."""
    store = room.open()
    same(None, await store.put(HOME, "city", {"text": "Oslo"}))
    item = await store.get(HOME, "city")
    true(isinstance(item, Item), "get gives an Item")
    same((HOME, "city", {"text": "Oslo"}), (item.namespace, item.key, item.value))


@promise("KV02")
async def missing_key_is_none(room: Room) -> None:
    """Get of a missing key is None."""
    store = room.open()
    await store.put(HOME, "city", {"text": "Oslo"})
    same(None, await store.get(HOME, "cit"))
    same(None, await store.get((*HOME, "x"), "city"))


@promise("KV03")
async def a_miss_leaves_nothing(room: Room) -> None:
    """A get or a search that finds nothing leaves no namespace behind."""
    store = room.open()
    await store.get(("nobody",), "k")
    await store.search(("no", "one"), filter={"a": 1})
    await store.delete(("never",), "k")
    same([], await store.list_namespaces())


@promise("KV04")
async def put_replaces_the_whole_value(room: Room) -> None:
    """Put replaces the whole value."""
    store = room.open()
    await store.put(HOME, "k", {"a": 1, "b": {"c": 2}})
    await store.put(HOME, "k", {"b": {"d": 3}})
    same({"b": {"d": 3}}, await store.value("k"))
    await store.put(HOME, "k", {"first": 1, "second": 2})
    await store.put(HOME, "k", {"second": 2, "first": 1})
    same(["second", "first"], list(await store.value("k")), "the order of the last put")


@promise("KV05")
async def update_keeps_created_at(room: Room) -> None:
    """created_at is when the item was first created: an update keeps it."""
    store = room.open()
    await store.put(HOME, "k", {"a": 1})
    first = await store.get(HOME, "k")
    room.clock.advance(minutes=5)
    await store.put(HOME, "k", {"a": 2})
    same(first.created_at, (await store.get(HOME, "k")).created_at)


@promise("KV06")
async def update_moves_updated_at(room: Room) -> None:
    """updated_at moves on with an update."""
    store = room.open()
    await store.put(HOME, "k", {"a": 1})
    first = await store.get(HOME, "k")
    room.clock.advance(minutes=5)
    await store.put(HOME, "k", {"a": 1})
    second = await store.get(HOME, "k")
    true(second.updated_at - first.updated_at >= timedelta(minutes=5), "updated_at moved on")


@promise("KV07")
async def times_have_a_timezone(room: Room) -> None:
    """Timestamps carry a timezone."""
    store = room.open()
    await store.put(HOME, "k", {"a": 1})
    (found,) = await store.search(HOME)
    for item in (await store.get(HOME, "k"), found):
        same(timedelta(0), item.created_at.utcoffset(), "created_at")
        same(timedelta(0), item.updated_at.utcoffset(), "updated_at")


@promise("KV08")
async def times_are_about_now(room: Room) -> None:
    """Timestamps are about now (read as UTC)."""
    store = room.open()
    before = room.clock()
    await store.put(HOME, "k", {"a": 1})
    after = room.clock()
    item = await store.get(HOME, "k")
    true(before <= item.created_at.astimezone(UTC) <= after, "created_at is now")
    true(before <= item.updated_at.astimezone(UTC) <= after, "updated_at is now")


@promise("KV09")
async def updates_within_a_second_differ(room: Room) -> None:
    """Two updates within one second are told apart by updated_at."""
    store = room.open()
    await store.put(HOME, "k", {"a": 1})
    first = await store.get(HOME, "k")
    room.clock.advance(microseconds=1)
    await store.put(HOME, "k", {"a": 2})
    second = await store.get(HOME, "k")
    true(first.updated_at < second.updated_at, "the later update has the later time")


@promise("KV10")
async def delete_removes_only_its_item(room: Room) -> None:
    """Delete removes the item, and only it."""
    store = room.open()
    for namespace, key in ((HOME, "a"), (HOME, "b"), ((*HOME, "x"), "a"), (("other",), "a")):
        await store.put(namespace, key, {"n": 1})
    await store.delete(HOME, "a")
    same(None, await store.get(HOME, "a"))
    same({"n": 1}, await store.value("b"))
    same({"n": 1}, await store.value("a", (*HOME, "x")))
    same({"n": 1}, await store.value("a", ("other",)))


@promise("KV11")
async def delete_of_nothing_does_nothing(room: Room) -> None:
    """Delete of what is not there does nothing."""
    store = room.open()
    await store.put(HOME, "a", {"n": 1})
    same(None, await store.delete(HOME, "b"))
    same(None, await store.delete(("nobody",), "a"))
    same({"n": 1}, await store.value("a"))


@promise("KV12")
async def put_after_delete_is_a_new_item(room: Room) -> None:
    """Put after delete starts a new item (new created_at)."""
    store = room.open()
    await store.put(HOME, "k", {"a": 1})
    first = await store.get(HOME, "k")
    await store.delete(HOME, "k")
    room.clock.advance(minutes=1)
    await store.put(HOME, "k", {"a": 1})
    second = await store.get(HOME, "k")
    true(second.created_at - first.created_at >= timedelta(minutes=1), "created_at is new")


@promise("KV13")
async def nested_json_comes_back(room: Room) -> None:
    """Nested JSON values come back as they went in."""
    store = room.open()
    await store.put(HOME, "k", NESTED)
    same_json(NESTED, await store.value("k"))
    same_json(NESTED, (await store.search(HOME))[0].value)
    deep: dict[str, Any] = {"end": "here"}
    for _ in range(50):
        deep = {"down": [deep]}
    await store.put(HOME, "deep", deep)
    same_json(deep, await store.value("deep"))


@promise("KV14")
async def empty_dict_is_a_value(room: Room) -> None:
    """An empty dict is a value, not a deletion."""
    store = room.open()
    await store.put(HOME, "k", {})
    same({}, await store.value("k"))
    same(["k"], await store.keys(HOME))


@promise("KV15")
async def large_value_comes_back(room: Room) -> None:
    """A value of 5 MB comes back whole."""
    store = room.open()
    large = {"text": "täglich " * 600_000, "list": list(range(50_000))}
    await store.put(HOME, "k", large)
    same(large, await store.value("k"), "the large value")


@promise("KV16")
async def unicode_is_kept_apart(room: Room) -> None:
    """Unicode in keys, labels and values; canonical forms are not merged."""
    store = room.open()
    composed, decomposed = "caf\u00e9", "cafe\u0301"
    for name in (composed, decomposed, "東京", "😀", "ß", "ss", "\ufb01", "fi"):
        await store.put(("people", name), name, {"text": name})
    for name in (composed, decomposed, "東京", "😀", "ß", "ss", "\ufb01", "fi"):
        same({"text": name}, await store.value(name, ("people", name)))
        same([name], await store.keys(("people", name)))
        same([name], await store.keys(("people",), filter={"text": name}))


@promise("KV17")
async def keys_hold_any_punctuation(room: Room) -> None:
    """Keys may hold any punctuation."""
    store = room.open()
    keys = ["a.b", "a/b", "a\\b", "'", '"', "%", "_", "*", "?", "[a]", "--", ";", "a b", " ", "\n"]
    keys += ["$gt", "{}", "a|b", "a:b", "#", "@", "DROP TABLE memories", "langgraph", "~", "\t"]
    for number, key in enumerate(keys):
        await store.put(HOME, key, {"n": number})
    for number, key in enumerate(keys):
        same({"n": number}, await store.value(key), f"key {key!r}")
    await store.delete(HOME, "%")
    same(len(keys) - 1, len(await store.search(HOME, limit=100)))


@promise("KV18")
async def long_keys_work(room: Room) -> None:
    """A key of 2,000 characters works."""
    store = room.open()
    one, other = "k" * 1999 + "a", "k" * 1999 + "b"
    await store.put(HOME, one, {"n": 1})
    await store.put(HOME, other, {"n": 2})
    same([{"n": 1}, {"n": 2}], [await store.value(one), await store.value(other)])


@promise("KV19")
async def keys_are_taken_as_text(room: Room) -> None:
    """A key that is not a string is taken as str(key)."""
    store = room.open()
    await store.put(HOME, 123, {"n": 1})
    same({"n": 1}, await store.value(123))
    same("123", (await store.get(HOME, "123")).key)
    await store.delete(HOME, 123)
    same(None, await store.get(HOME, "123"))


@promise("KV20")
async def numbers_come_back_exact(room: Room) -> None:
    """64-bit integers and doubles come back exact."""
    store = room.open()
    numbers = [2**63 - 1, -(2**63), 2**53 + 1, 0.1, 1e308, 5e-324, -0.5, 1.0, 1, 0]
    await store.put(HOME, "k", {"numbers": numbers})
    found = (await store.value("k"))["numbers"]
    same(numbers, found)
    same([type(one) for one in numbers], [type(one) for one in found])
    for number in (1, 1.0, 1, 0.0, -0.0, 0, 2**53, float(2**53), True, 1):
        await store.put(HOME, "equal", {"n": number})
        same(repr(number), repr((await store.value("equal"))["n"]), "over one that is equal")


@promise("KV21")
async def huge_integers_are_exact_or_refused(room: Room) -> None:
    """An integer past 64 bits comes back exact or is refused."""
    store = room.open()
    for number in (2**63, 2**64 + 1, -(2**100) - 1, 10**400):
        if await works_or_is_refused(store.put(HOME, "k", {"n": number})):
            same({"n": number}, await store.value("k"))
            await store.delete(HOME, "k")
        same(None, await store.get(HOME, "k"))


@promise("KV22")
async def nan_and_infinity_are_refused(room: Room) -> None:
    """NaN and infinity come back or are refused, not turned into null."""
    store = room.open()
    for number in (float("nan"), float("inf"), -float("inf")):
        for value in ({"n": number}, {"list": [1, {"n": number}]}):
            if await works_or_is_refused(store.put(HOME, "k", value)):
                same(repr(value), repr(await store.value("k")))
            else:
                same(None, await store.get(HOME, "k"))


@promise("KV23")
async def what_was_put_is_a_copy(room: Room) -> None:
    """Changing the dict after put does not change the stored value."""
    store = room.open()
    value: dict[str, Any] = {"list": [1], "map": {"a": 1}}
    await store.put(HOME, "k", value)
    value["list"].append(2)
    value["map"]["a"] = 2
    value["new"] = 3
    same({"list": [1], "map": {"a": 1}}, await store.value("k"))


@promise("KV24")
async def what_is_returned_is_a_copy(room: Room) -> None:
    """Changing what get and search returned does not change the store."""
    store = room.open()
    await store.put(HOME, "k", {"list": [1]})
    (await store.get(HOME, "k")).value["list"].append(2)
    (await store.search(HOME))[0].value["list"].append(3)
    same({"list": [1]}, await store.value("k"))


@promise("KV25")
async def any_mapping_is_a_value(room: Room) -> None:
    """Any Mapping is accepted as a value."""
    store = room.open()
    await store.put(HOME, "a", MappingProxyType({"n": 1}))
    await store.put(HOME, "b", UserDict({"inner": UserDict({"n": [MappingProxyType({})]})}))
    same({"n": 1}, await store.value("a"))
    same({"inner": {"n": [{}]}}, await store.value("b"))


@promise("KV26")
async def what_is_not_json_is_refused(room: Room) -> None:
    """A value that is not JSON is refused and nothing is stored."""
    store = room.open()
    await store.put(HOME, "old", {"n": 1})
    circle: dict[str, Any] = {}
    circle["self"] = circle
    bad: list[Any] = [object(), {1, 2}, b"bytes", datetime(2026, 1, 1, tzinfo=UTC), 1j, circle]
    for value in ({"deep": [{"in": one}]} for one in bad):
        await refused(store.put(HOME, "new", value), ValueError, TypeError)
        await refused(store.put(HOME, "old", value), ValueError, TypeError)
    await refused(store.put(HOME, "new", {"map": {1: "a number as key"}}), ValueError, TypeError)
    same(None, await store.get(HOME, "new"))
    same({"n": 1}, await store.value("old"))


@promise("KV27")
async def nul_in_values_comes_back(room: Room) -> None:
    """NUL characters in values come back."""
    store = room.open()
    value = {"text": "a\x00b", "\x00": ["\x00", {"k\x00": "\\u0000"}]}
    await store.put(HOME, "k", value)
    same(value, await store.value("k"))
    same([value], [item.value for item in await store.search(HOME)])


@promise("KV28")
async def nul_in_a_key_is_never_cut(room: Room) -> None:
    """A NUL in a key works or is refused; a cut-off key is never the same item."""
    store = room.open()
    await store.put(HOME, "k", {"n": 1})
    if await works_or_is_refused(store.put(HOME, "k\x00x", {"n": 2})):
        same({"n": 2}, await store.value("k\x00x"))
    await works_or_is_refused(store.delete(HOME, "k\x00y"))
    same({"n": 1}, await store.value("k"))


@promise("KV29")
async def lone_surrogates_do_no_harm(room: Room) -> None:
    """A lone surrogate comes back or is refused; the store works on."""
    store = room.open()
    lone = "\ud800"
    if await works_or_is_refused(store.put(HOME, "k", {"text": lone})):
        same({"text": lone}, await store.value("k"))
    if await works_or_is_refused(store.put(HOME, lone, {"n": 1})):
        same({"n": 1}, await store.value(lone))
    await works_or_is_refused(store.put(("a", lone), "k", {"n": 1}))
    await works_or_is_refused(store.put(HOME, "k", {lone: 1}))
    await works_or_is_refused(store.search(HOME, filter={"text": lone}))
    await works_or_is_refused(store.search(HOME, query=lone))
    await store.put(HOME, "after", {"n": 2})
    same({"n": 2}, await store.value("after"))


@promise("KV30")
async def an_item_is_rebuilt_from_its_dict(room: Room) -> None:
    """Item.dict() is JSON, and an Item is rebuilt from it."""
    store = room.open()
    await store.put(HOME, "k", NESTED)
    item = await store.get(HOME, "k")
    same(item, Item(**json.loads(json.dumps(item.dict()))))
    (found,) = await store.search(HOME)
    same(found, type(found)(**json.loads(json.dumps(found.dict()))))


@promise("KV31")
async def what_is_no_mapping_is_refused(room: Room) -> None:
    """Put of something that is not a mapping is refused."""
    store = room.open()
    for value in ("text", ["a"], 3, True, [("a", 1)]):
        await refused(store.put(HOME, "k", value), ValueError, TypeError, about=repr(value))
    same(None, await store.get(HOME, "k"))
    same([], await store.list_namespaces())
