"""Filters: a value compares as JSON."""

from __future__ import annotations

import math
from typing import Any

from .contract import HOME, Caller, Room, promise, put_all, refused, same
from .embeddings import AngleEmbeddings

NOTHING: set[str] = set()


async def _fill(room: Room, **values: Any) -> Caller:
    """A store with `{"v": value}` under each name, and `missing` without it."""
    store = room.open()
    await put_all(store, {name: {"v": value} for name, value in values.items()})
    await store.put(HOME, "missing", {"other": 1})
    return store


async def _found(store: Caller, wanted: dict[str, Any]) -> set[str]:
    return set(await store.keys(HOME, filter=wanted, limit=1000))


async def _finds(store: Caller, wanted: Any, *keys: str) -> None:
    same(set(keys), await _found(store, {"v": wanted}), f"filter {wanted!r}")


@promise("FL01")
async def match_on_a_string(room: Room) -> None:
    """Exact match on a string."""
    store = await _fill(room, a="red", b="Red", c="red ", d="blue", e=["red"])
    await _finds(store, "red", "a")


@promise("FL02")
async def every_key_is_required(room: Room) -> None:
    """Several keys are all required."""
    store = room.open()
    await put_all(store, {"a": {"x": 1, "y": 1}, "b": {"x": 1, "y": 2}, "c": {"x": 1}})
    same({"a"}, await _found(store, {"x": 1, "y": 1}))


@promise("FL03")
async def numbers_match_by_value(room: Room) -> None:
    """Numbers match by value: 1 and 1.0 are equal, 1 and '1' are not."""
    store = await _fill(room, whole=1, part=1.0, text="1", two=2)
    await _finds(store, 1, "whole", "part")
    await _finds(store, 1.0, "whole", "part")
    await _finds(store, "1", "text")


@promise("FL04")
async def true_is_not_one(room: Room) -> None:
    """True matches only true; 1 matches only numbers."""
    store = await _fill(room, yes=True, one=1, zero=0, no=False, text="true", listed=[True])
    await _finds(store, {"$eq": True}, "yes")
    same({"yes"}, await _found(store, {"v": True}))
    await _finds(store, 1, "one")
    await _finds(store, 0, "zero")
    await _finds(store, [1])


@promise("FL05")
async def true_and_false_are_told_apart(room: Room) -> None:
    """True and False are told apart."""
    store = await _fill(room, yes=True, no=False)
    same({"no"}, await _found(store, {"v": False}))
    await _finds(store, {"$ne": False}, "yes")


@promise("FL06")
async def none_matches_an_explicit_null(room: Room) -> None:
    """None matches an explicit null and no other value."""
    store = await _fill(room, null=None, zero=0, empty="", no=False, listed=[None])
    await _finds(store, None, "null")
    await _finds(store, {"$eq": None}, "null")


@promise("FL07")
async def a_list_matches_exactly(room: Room) -> None:
    """A list matches exactly: order and length count."""
    store = await _fill(room, ab=["a", "b"], ba=["b", "a"], abc=["a", "b", "c"], a="a", none=[])
    await _finds(store, ["a", "b"], "ab")
    await _finds(store, ["a"])
    await _finds(store, [], "none")


@promise("FL08")
async def a_dict_is_a_value(room: Room) -> None:
    """A nested dict without operators is matched as a value, not read as operators."""
    store = await _fill(room, x={"x": 1}, xy={"x": 1, "y": 2}, none={}, text="x")
    await _finds(store, {"x": 1}, "x")
    await _finds(store, {"y": 2.0, "x": 1}, "xy")
    await _finds(store, {}, "none")
    await refused(store.search(HOME, filter={"v": {"x": {"$gt": 0}}}), ValueError)


@promise("FL09")
async def eq_is_the_bare_form(room: Room) -> None:
    """$eq equals the bare form for strings, numbers, lists and dicts."""
    values = {"text": "a", "number": 1.5, "list": [1, {"b": 1}], "dict": {"x": [2]}, "yes": True}
    store = await _fill(room, **values)
    for name, value in values.items():
        await _finds(store, value, name)
        await _finds(store, {"$eq": value}, name)
    await store.put(HOME, "like an operator", {"v": {"$ref": "x"}})
    await _finds(store, {"$eq": {"$ref": "x"}}, "like an operator")


@promise("FL10")
async def ne_on_plain_values(room: Room) -> None:
    """$ne on strings, numbers and null (items that have the key)."""
    store = await _fill(room, a="a", b="b", one=1, null=None)
    await _finds(store, {"$ne": "a"}, "b", "one", "null")
    await _finds(store, {"$ne": 1.0}, "a", "b", "null")
    await _finds(store, {"$ne": None}, "a", "b", "one")


@promise("FL11")
async def ne_on_lists_and_dicts(room: Room) -> None:
    """$ne with a list or a dict."""
    store = await _fill(room, ab=["a", "b"], a=["a"], x={"x": 1, "y": 2}, text="t")
    await _finds(store, {"$ne": ["a", "b"]}, "a", "x", "text")
    await _finds(store, {"$ne": {"y": 2, "x": 1.0}}, "ab", "a", "text")


@promise("FL12")
async def numbers_are_ordered_as_numbers(room: Room) -> None:
    """$gt $gte $lt $lte order numbers as numbers."""
    store = await _fill(room, nine=9, ten=10, half=0.5, minus=-3, hundred=100.0)
    await _finds(store, {"$gt": 9}, "ten", "hundred")
    await _finds(store, {"$gte": 9}, "nine", "ten", "hundred")
    await _finds(store, {"$lt": 0.5}, "minus")
    await _finds(store, {"$lte": 0.5}, "minus", "half")
    await _finds(store, {"$gt": 0, "$lt": 10}, "half", "nine")


@promise("FL13")
async def nothing_compares_with_nothing(room: Room) -> None:
    """A comparison with a missing key or null matches nothing and raises nothing."""
    store = await _fill(room, null=None, one=1, text="a")
    await _finds(store, {"$gt": 0}, "one")
    await _finds(store, {"$lt": "b"}, "text")
    for operator in ("$gt", "$gte", "$lt", "$lte"):
        await _finds(store, {operator: None})
        same(NOTHING, await _found(store, {"absent": {operator: 1}}))


@promise("FL14")
async def strings_are_ordered(room: Room) -> None:
    """Comparisons work on strings, such as ISO dates."""
    store = await _fill(room, old="2025-12-31", new="2026-01-02", accent="é", capital="Z")
    await _finds(store, {"$gte": "2026-01-01", "$lt": "2027"}, "new")
    await _finds(store, {"$lt": "2026"}, "old")
    await _finds(store, {"$gt": "z"}, "accent")


@promise("FL15")
async def types_do_not_compare(room: Room) -> None:
    """Comparing across types matches nothing and raises nothing."""
    store = await _fill(room, text="5", number=5, yes=True, listed=[5], map={"v": 5}, null=None)
    await _finds(store, {"$gte": 5}, "number")
    await _finds(store, {"$gte": "5"}, "text")
    for operand in (True, [5], {"v": 5}):
        for operator in ("$gt", "$gte", "$lt", "$lte"):
            await _finds(store, {operator: operand})


@promise("FL16")
async def unknown_operators_are_refused(room: Room) -> None:
    """An unknown operator raises ValueError."""
    store = await _fill(room, a=1)
    for operator in ("$regex", "$near", "$", "$GT", "$not"):
        await refused(store.search(HOME, filter={"v": {operator: 1}}), ValueError, about=operator)
    await refused(store.search(HOME, filter={"v": {"$gt": 0, "plain": 1}}), ValueError)
    bad: list[Any] = [{"$in": "text"}, {"$in": 1}, {"$nin": {}}, {"$exists": 1}, {"$gt": object()}]
    for wrong in bad:
        await refused(store.search(HOME, filter={"v": wrong}), ValueError, about=repr(wrong))


@promise("FL17")
async def filter_keys_are_any_text(room: Room) -> None:
    """Filter keys may hold spaces, accents, quotes and dashes."""
    store = room.open()
    names = ["a b", "é", '"', "'", "a-b", "[0]", "*", "", " ", "😀", "a\\b", "%", "x" * 1000]
    await put_all(store, {f"k{number}": {name: "here"} for number, name in enumerate(names)})
    for number, name in enumerate(names):
        same({f"k{number}"}, await _found(store, {name: "here"}), f"key {name!r}")
        same({f"k{number}"}, await _found(store, {name: {"$exists": True}}), f"key {name!r}")


@promise("FL18")
async def dotted_keys_are_names_first(room: Room) -> None:
    """A filter key with a dot finds the key of that name (a path a.b may be found besides)."""
    store = room.open()
    await put_all(
        store,
        {
            "name": {"a.b": 1},
            "path": {"a": {"b": 1}},
            "both": {"a.b": 2, "a": {"b": 1}},
            "dots": {"...": 1, ".": {"x": 1}},
        },
    )
    same({"name", "path"}, await _found(store, {"a.b": 1}))
    same({"both"}, await _found(store, {"a.b": {"$ne": 1}}))
    same({"dots"}, await _found(store, {"...": 1}))
    same(NOTHING, await _found(store, {"." * 300: 1}))


@promise("FL19")
async def sql_in_a_filter_is_text(room: Room) -> None:
    """SQL in a filter key, operator or value changes nothing."""
    store = await _fill(room, a="x", b="' OR 1=1 --")
    evil = ["' OR 1=1 --", "x') OR ('1'='1", "'; DROP TABLE memories; --", '" OR ""="', "a')--"]
    for text in evil:
        same({"b"} if text == evil[0] else NOTHING, await _found(store, {"v": text}))
        same(NOTHING, await _found(store, {text: "x"}))
        await refused(store.search(HOME, filter={"v": {f"$eq{text}": "x"}}), ValueError)
    same({"a", "b", "missing"}, await _found(store, {}))


@promise("FL20")
async def filters_come_before_pages(room: Room) -> None:
    """The filter is applied before limit and offset."""
    store = room.open()
    await put_all(store, {f"k{number:02}": {"odd": number % 2 == 1} for number in range(20)})
    same(["k19", "k17", "k15"], await store.keys(HOME, filter={"odd": True}, limit=3))
    same(["k05", "k03", "k01"], await store.keys(HOME, filter={"odd": True}, limit=5, offset=7))


@promise("FL21")
async def an_empty_filter_is_none(room: Room) -> None:
    """An empty filter is no filter."""
    store = await _fill(room, a=1)
    same({"a", "missing"}, await _found(store, {}))


@promise("FL22")
async def large_integers_are_exact(room: Room) -> None:
    """Large integers are not compared as doubles."""
    large = (2**53, 2**53 + 1, 2**63 - 1, 2**63, 2**63 + 1, 2**64, 2**64 + 1)
    numbers = {f"n{number}": number for one in large for number in (one, -one)}
    store = await _fill(room, **numbers)
    for name, number in numbers.items():
        await _finds(store, number, name)
        await _finds(store, {"$in": [number]}, name)
        above = {other for other, one in numbers.items() if one > number}
        await _finds(store, {"$gt": number}, *above)
        await _finds(store, {"$lt": number}, *(numbers.keys() - above - {name}))
    await _finds(store, float(2**53), f"n{2**53}")


@promise("FL23")
async def odd_values_are_ordinary(room: Room) -> None:
    """An empty string, zero and unicode are ordinary filter values."""
    values = {"empty": "", "zero": 0, "smile": "😀", "nul": "a\x00b", "nul2": "a\x00c", "a": "a"}
    store = await _fill(room, **values)
    for name, value in values.items():
        await _finds(store, value, name)
        await _finds(store, {"$in": [value]}, name)


@promise("FL24")
async def key_order_does_not_matter(room: Room) -> None:
    """A list of dicts matches whatever the order of their keys."""
    store = await _fill(room, a=[{"x": 1, "y": {"p": 1, "q": 2}}])
    await _finds(store, [{"y": {"q": 2, "p": 1.0}, "x": 1}], "a")
    await _finds(store, [{"y": {"q": 2, "p": True}, "x": 1}])


@promise("FL25")
async def json_in_a_string_is_a_string(room: Room) -> None:
    """A string value that looks like JSON is a string."""
    store = await _fill(
        room, text='{"a":1}', map={"a": 1}, list_text="[1]", listed=[1], null="null"
    )
    await _finds(store, '{"a":1}', "text")
    await _finds(store, {"a": 1}, "map")
    await _finds(store, "[1]", "list_text")
    await _finds(store, [1], "listed")
    await _finds(store, None)


@promise("FL26")
async def infinite_bounds_are_allowed(room: Room) -> None:
    """Infinite bounds are allowed in comparisons."""
    store = await _fill(room, small=-5, large=1e308, text="a")
    await _finds(store, {"$lt": math.inf}, "small", "large")
    await _finds(store, {"$gt": -math.inf, "$lt": 0}, "small")
    await _finds(store, {"$gt": math.inf})
    await refused(store.search(HOME, filter={"v": {"$lt": math.nan}}), ValueError)


@promise("FL27")
async def no_name_is_special(room: Room) -> None:
    """A filter on the JSON key 'score', 'key', 'prefix' or 'value' works, with a query too."""
    store = room.open(index={"dims": 2, "embed": AngleEmbeddings(), "fields": ["text"]})
    names = ["score", "key", "prefix", "value", "created_at", "namespace", "id", "rowid"]
    await put_all(store, {name: {"text": "10", name: 1} for name in names})
    for name in names:
        same({name}, await _found(store, {name: 1}))
        same([name], await store.keys(HOME, filter={name: 1}, query="10"))


@promise("FL28")
async def and_and_or_work(room: Room) -> None:
    """`$and` and `$or` work at top level and nested; any other top-level `$…` raises ValueError
    instead of silently matching nothing.
    """
    store = await _fill(room, one=1, five=5, nine=9, text="a")
    same({"one", "nine"}, await _found(store, {"$or": [{"v": 1}, {"v": {"$gt": 5}}]}))
    same({"five"}, await _found(store, {"$and": [{"v": {"$gt": 1}}, {"v": {"$lt": 9}}]}))
    nested = {"$or": [{"$and": [{"v": {"$gte": 5}}, {"$or": [{"v": 9}]}]}, {"other": 1}]}
    same({"nine", "missing"}, await _found(store, nested))
    same({"nine"}, await _found(store, {"v": {"$ne": 1}, "$or": [{"v": 9}, {"v": 1}]}))
    await _finds(store, {"$or": [1, {"$gt": 5}]}, "one", "nine")
    await _finds(store, {"$in": [1, "a", 7]}, "one", "text")
    await _finds(store, {"$nin": [1, "a", 7]}, "five", "nine")
    await _finds(store, {"$in": []})
    await _finds(store, {"$in": list(range(5, 5000))}, "five", "nine")
    await _finds(store, {"$exists": True}, "one", "five", "nine", "text")
    await _finds(store, {"$exists": False}, "missing")
    bad: list[Any] = [{"$gt": 1}, {"$not": {"v": 1}}, {"$or": {"v": 1}}, {"$and": [1]}, {"$x": []}]
    for wrong in bad:
        await refused(store.search(HOME, filter=wrong), ValueError, about=repr(wrong))
