"""Namespaces: which are allowed, how they are matched, and how they are listed."""

from __future__ import annotations

from typing import Any

from langgraph.store.base import (
    GetOp,
    InvalidNamespaceError,
    ListNamespacesOp,
    MatchCondition,
    PutOp,
    SearchOp,
)

from .contract import HOME, Caller, Room, promise, refused, same, true

BAD: list[Any] = [("a.b",), ("a", ""), ("",), ("a", "b."), ("a", 3), ("a", None)]


async def _fill(store: Caller, *namespaces: tuple[str, ...]) -> None:
    for namespace in namespaces:
        await store.put(namespace, "k", {"n": 1})


@promise("NS01")
async def empty_namespace_is_refused(room: Room) -> None:
    """Put refuses an empty namespace with InvalidNamespaceError (a ValueError)."""
    store = room.open()
    error = await refused(store.put((), "k", {"n": 1}), InvalidNamespaceError)
    true(isinstance(error, ValueError), "it is a ValueError")
    same([], await store.search(()))


@promise("NS02")
async def bad_labels_are_refused(room: Room) -> None:
    """Put refuses a period, an empty label and a label that is no string."""
    store = room.open()
    for namespace in BAD:
        await refused(
            store.put(namespace, "k", {"n": 1}), InvalidNamespaceError, about=repr(namespace)
        )
    same([], await store.list_namespaces())


@promise("NS03")
async def root_label_langgraph_is_reserved(room: Room) -> None:
    """The root label 'langgraph' is reserved; lower down it is fine."""
    store = room.open()
    await refused(store.put(("langgraph", "a"), "k", {"n": 1}), InvalidNamespaceError)
    await refused(store.batch([PutOp(("langgraph",), "k", {"n": 1})]), ValueError)
    await store.put(("a", "langgraph"), "k", {"n": 1})
    same({"n": 1}, await store.value("k", ("a", "langgraph")))
    same([("a", "langgraph")], await store.list_namespaces(suffix=("langgraph",)))
    same(None, await store.get(("langgraph", "a"), "k"))
    same([], await store.search(("langgraph",)))


@promise("NS04")
async def every_verb_refuses_bad_labels(room: Room) -> None:
    """Get, search, delete and list_namespaces refuse bad labels too."""
    store = room.open()
    for namespace in BAD:
        about = repr(namespace)
        await refused(store.get(namespace, "k"), InvalidNamespaceError, about=about)
        await refused(store.search(namespace), InvalidNamespaceError, about=about)
        await refused(store.delete(namespace, "k"), InvalidNamespaceError, about=about)
        await refused(store.list_namespaces(prefix=namespace), InvalidNamespaceError, about=about)
        await refused(store.list_namespaces(suffix=namespace), InvalidNamespaceError, about=about)


@promise("NS05")
async def ops_do_not_reach_through_a_period(room: Room) -> None:
    """Ops given straight to batch cannot reach ('a','b') through ('a.b',)."""
    store = room.open()
    await store.put(("a", "b"), "k", {"n": 1})
    ops: list[Any] = [
        GetOp(("a.b",), "k"),
        SearchOp(("a.b",)),
        PutOp(("a.b",), "k", {"n": 2}),
        PutOp(("a.b",), "k", None),
        ListNamespacesOp((MatchCondition("prefix", ("a.b",)),)),
        ListNamespacesOp((MatchCondition("suffix", ("a.b",)),)),
    ]
    for op in ops:
        try:
            (found,) = await store.batch([op])
        except ValueError:
            continue
        true(not found, f"{op!r} finds nothing")
    same({"n": 1}, await store.value("k", ("a", "b")))
    same([("a", "b")], await store.list_namespaces())


@promise("NS06")
async def nul_in_a_label_is_refused(room: Room) -> None:
    """NUL in a label is refused."""
    store = room.open()
    await refused(store.put(("a\x00b",), "k", {"n": 1}), ValueError)
    await refused(store.get(("a\x00b",), "k"), ValueError)
    await refused(store.search(("a\x00b",)), ValueError)
    await refused(store.batch([PutOp(("a\x00b",), "k", {"n": 1})]), ValueError)
    same([], await store.list_namespaces())


@promise("NS07")
async def one_key_in_many_namespaces(room: Room) -> None:
    """One key in many namespaces is many items."""
    store = room.open()
    namespaces = [("a",), ("a", "b"), ("a", "b", "c"), ("b",), ("b", "a")]
    for number, namespace in enumerate(namespaces):
        await store.put(namespace, "k", {"n": number})
    for number, namespace in enumerate(namespaces):
        same({"n": number}, await store.value("k", namespace))


@promise("NS08")
async def case_matters(room: Room) -> None:
    """Namespaces and keys are case sensitive in get, search, list and delete."""
    store = room.open()
    await store.put(("users", "Alice"), "K", {"n": 1})
    await store.put(("users", "alice"), "k", {"n": 2})
    same(None, await store.get(("users", "Alice"), "k"))
    same(["K"], await store.keys(("users", "Alice")))
    same([], await store.keys(("Users",)))
    same([("users", "alice")], await store.list_namespaces(suffix=("alice",)))
    await store.delete(("users", "alice"), "K")
    await store.delete(("users", "ALICE"), "k")
    same({"n": 2}, await store.value("k", ("users", "alice")))


@promise("NS09")
async def pattern_characters_are_literal(room: Room) -> None:
    """Pattern characters in labels are literal in search and list_namespaces."""
    store = room.open()
    odd = ["a%", "a_", "a*", "a?", "[ab]", "a", "ab", "a/", "a-b", "^a", "a$", "\\a"]
    for label in odd:
        await store.put(("x", label), label, {"n": 1})
    await store.put(("x", "a", "deep"), "deep", {"n": 1})
    for label in odd:
        expected = {label, "deep"} if label == "a" else {label}
        same(expected, set(await store.keys(("x", label))), f"search for {label!r}")
        found = await store.list_namespaces(prefix=("x", label))
        true(all(namespace[1] == label for namespace in found), f"list for {label!r} is exact")
        same([("x", label)], await store.list_namespaces(suffix=(label,)))
    same([], await store.keys(("x", "%")))
    same([], await store.keys(("*",)))


@promise("NS10")
async def deep_and_long_namespaces(room: Room) -> None:
    """30 levels deep and a 500 character label."""
    store = room.open()
    deep = tuple(f"level{number}" for number in range(30))
    long = ("x", "l" * 500)
    await _fill(store, deep, long)
    same({"n": 1}, await store.value("k", deep))
    same({"n": 1}, await store.value("k", long))
    same(["k"], await store.keys(deep[:29]))
    same([deep[:3]], await store.list_namespaces(prefix=deep[:1], max_depth=3))


@promise("NS11")
async def ops_with_an_empty_namespace_are_refused(room: Room) -> None:
    """A PutOp with an empty namespace given straight to batch is refused."""
    store = room.open()
    await refused(store.batch([PutOp((), "k", {"n": 1})]), ValueError)
    same([], await store.search(()))


@promise("LN01")
async def namespaces_are_listed_once_and_sorted(room: Room) -> None:
    """Every namespace once, sorted."""
    store = room.open()
    names = [("b",), ("a", "c"), ("a",), ("a", "b", "c"), ("a-b",), ("B",), ("é",)]
    await _fill(store, *names)
    await store.put(("a",), "second", {"n": 2})
    same(sorted(names), await store.list_namespaces())


@promise("LN02")
async def list_by_prefix(room: Room) -> None:
    """Prefix, by whole labels."""
    store = room.open()
    await _fill(store, ("a", "b"), ("a",), ("ab",), ("a", "bc"), ("b", "a"))
    same([("a",), ("a", "b"), ("a", "bc")], await store.list_namespaces(prefix=("a",)))
    same([("a", "b")], await store.list_namespaces(prefix=("a", "b")))


@promise("LN03")
async def list_by_suffix(room: Room) -> None:
    """Suffix, by whole labels."""
    store = room.open()
    await _fill(store, ("a", "v1"), ("v1",), ("a", "xv1"), ("v1", "a"), ("b", "a", "v1"))
    same([("a", "v1"), ("b", "a", "v1"), ("v1",)], await store.list_namespaces(suffix=("v1",)))
    same([("a", "v1"), ("b", "a", "v1")], await store.list_namespaces(suffix=("a", "v1")))


@promise("LN04")
async def list_by_prefix_and_suffix(room: Room) -> None:
    """Prefix and suffix together."""
    store = room.open()
    await _fill(store, ("a", "x", "z"), ("a", "z"), ("b", "z"), ("a", "x"), ("a",))
    found = await store.list_namespaces(prefix=("a",), suffix=("z",))
    same([("a", "x", "z"), ("a", "z")], found)


@promise("LN05")
async def star_in_a_prefix(room: Room) -> None:
    """'*' in a prefix stands for exactly one label."""
    store = room.open()
    await _fill(store, ("a", "x", "c"), ("a", "y", "c", "d"), ("a", "c"), ("a", "x", "d"))
    same(
        [("a", "x", "c"), ("a", "y", "c", "d")], await store.list_namespaces(prefix=("a", "*", "c"))
    )
    same(
        [("a", "x", "c"), ("a", "x", "d"), ("a", "y", "c", "d")],
        await store.list_namespaces(prefix=("*", "*", "*")),
    )


@promise("LN06")
async def star_in_a_suffix(room: Room) -> None:
    """'*' in a suffix stands for exactly one label."""
    store = room.open()
    await _fill(store, ("a", "b", "c"), ("b", "x"), ("b",), ("z", "b", "y"))
    same(
        [("a", "b", "c"), ("b", "x"), ("z", "b", "y")],
        await store.list_namespaces(suffix=("b", "*")),
    )


@promise("LN07")
async def max_depth_cuts_and_merges(room: Room) -> None:
    """max_depth cuts deeper namespaces and merges what becomes equal."""
    store = room.open()
    await _fill(store, ("a", "b", "c"), ("a", "b", "d", "e"), ("a", "b", "d", "i"), ("a", "c", "f"))
    same([("a", "b"), ("a", "c")], await store.list_namespaces(max_depth=2))
    found = await store.list_namespaces(prefix=("a", "b"), max_depth=3)
    same([("a", "b", "c"), ("a", "b", "d")], found)
    for depth in (0, -1):
        await refused(store.list_namespaces(max_depth=depth), ValueError)


@promise("LN08")
async def pages_of_namespaces_are_cut_last(room: Room) -> None:
    """Limit and offset count namespaces after max_depth."""
    store = room.open()
    await _fill(store, *((top, low) for top in "abcde" for low in "xyz"))
    same([("b",), ("c",)], await store.list_namespaces(max_depth=1, limit=2, offset=1))
    same([], await store.list_namespaces(offset=15))
    same([], await store.list_namespaces(limit=0))
    for wrong in ({"limit": -1}, {"offset": -1}):
        await refused(store.list_namespaces(**wrong), ValueError)


@promise("LN09")
async def hundred_namespaces_unless_told(room: Room) -> None:
    """Limit is 100 unless given."""
    store = room.open()
    await store.batch([PutOp((f"n{number:03}",), "k", {"n": 1}) for number in range(120)])
    same(100, len(await store.list_namespaces()))
    same(120, len(await store.list_namespaces(limit=500)))


@promise("LN10")
async def an_empty_namespace_is_gone(room: Room) -> None:
    """A namespace is gone once its last item is deleted."""
    store = room.open()
    await _fill(store, ("a",), ("a", "b"))
    await store.delete(("a", "b"), "k")
    same([("a",)], await store.list_namespaces())


@promise("LN11")
async def suffix_is_tested_before_the_cut(room: Room) -> None:
    """Suffix is tested on the whole namespace, not on what max_depth left."""
    store = room.open()
    await _fill(store, ("a", "b", "v1"), ("c", "d", "v2"))
    same([("a", "b")], await store.list_namespaces(suffix=("v1",), max_depth=2))
    same([], await store.list_namespaces(suffix=("b",), max_depth=2))


@promise("LN12")
async def all_conditions_are_required(room: Room) -> None:
    """Several match conditions of one op are all required."""
    store = room.open()
    await _fill(store, ("a", "b", "c"), ("a", "c"), ("b", "c"), HOME)
    conditions = (
        MatchCondition("prefix", ("a",)),
        MatchCondition("suffix", ("c",)),
        MatchCondition("prefix", ("*", "b")),
    )
    same([[("a", "b", "c")]], await store.batch([ListNamespacesOp(conditions)]))
