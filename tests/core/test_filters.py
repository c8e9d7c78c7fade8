"""Filters: what is refused, and that SQL and the exact reading agree."""

from __future__ import annotations

import json
import sqlite3
from types import MappingProxyType

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from langgraph_agentmem import AgentMemStore
from langgraph_agentmem.steps.filters import condition
from langgraph_agentmem.steps.terms import (
    canonical_json,
    matches,
    matches_filter,
    parse,
)

NS = ("memories", "asha")


def passes(value, wanted) -> bool:
    return matches(parse(wanted), value)


@pytest.fixture(scope="module")
def database():
    connection = sqlite3.connect(":memory:")
    connection.create_function("canonical_json", 1, canonical_json, deterministic=True)
    connection.create_function("matches_filter", 2, matches_filter, deterministic=True)
    yield connection
    connection.close()


def passes_in_sql(database, value, wanted) -> bool:
    sql, params = condition(wanted)
    text = json.dumps(value, ensure_ascii=False)
    query = f"SELECT COUNT(*) FROM (SELECT :value AS value) AS m WHERE 1 {sql}"
    return bool(database.execute(query, {**params, "value": text}).fetchone()[0])


# What is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wanted", "says"),
    [
        ({"n": {"$regex": "x"}}, r"unknown filter operator '\$regex'.*\$eq.*\$exists"),
        ({"n": {"$gt": 1, "plain": 2}}, "mixes operators and plain keys"),
        ({"n": {"inner": {"$gt": 1}}}, "operator stands inside a plain mapping"),
        ({"n": {"a": {"b": {"$gt": 1}}}}, "operator stands inside a plain mapping"),
        ({"$gt": 1}, r"at the top a filter knows \$and and \$or"),
        ({"$or": {"n": 1}}, r"\$or takes a list \(found dict\)"),
        ({"$and": [1]}, "a filter is a mapping"),
        ({"n": {"$in": "abc"}}, r"\$in takes a list \(found str\)"),
        ({"n": {"$nin": {"a"}}}, r"\$nin takes a list"),
        ({"n": {"$exists": 1}}, r"\$exists takes true or false \(found int\)"),
        ({1: "n"}, "keys are strings"),
        ({"n": {1: 2}}, "keys of a value are strings"),
        ({"n": float("nan")}, "NaN"),
        ({"n": [float("inf")]}, "infinity"),
        ({"n": {"$lt": object()}}, r"must be JSON \(.*found='object'"),
        ({"n": "\ud800"}, "lone surrogate"),
        ({"\ud800": 1}, "lone surrogate"),
        ({"n": b"x"}, "must be JSON"),
        ("n", "a filter is a mapping"),
        ([("n", 1)], "a filter is a mapping"),
    ],
)
def test_a_filter_that_says_nothing_sensible_is_refused(path, wanted, says):
    with (
        AgentMemStore.from_conn_string(path) as store,
        pytest.raises(ValueError, match=says),
    ):
        store.search(NS, filter=wanted)


def test_nesting_without_end_is_refused():
    wanted = {"n": 1}
    for _ in range(300):
        wanted = {"$or": [wanted]}

    with pytest.raises(ValueError, match="nested at most"):
        parse(wanted)


def test_a_value_without_end_is_refused():
    circle: dict = {}
    circle["self"] = circle
    lists: list = []
    lists.append({"$or": lists})

    for wanted in ({"n": circle}, {"n": {"$in": [circle]}}, {"$or": lists}):
        with pytest.raises(ValueError, match="nested at most"):
            parse(wanted)


def test_an_error_holds_no_value():
    with pytest.raises(ValueError, match="found dict") as caught:
        parse({"n": {"$in": {"secret": "attic"}}})
    assert "attic" not in str(caught.value)


# What passes ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "wanted", "expected"),
    [
        ({"n": 1}, {"n": True}, False),
        ({"n": True}, {"n": 1}, False),
        ({"n": [1, True]}, {"n": [1.0, True]}, True),
        ({"n": [1]}, {"n": [True]}, False),
        (
            {"n": {"b": 1, "a": [{"y": 1, "x": 2}]}},
            {"n": {"a": [{"x": 2, "y": 1}], "b": 1.0}},
            True,
        ),
        ({}, {"n": {"$ne": 1}}, False),
        ({"n": None}, {"n": {"$ne": 1}}, True),
        ({"n": "1"}, {"n": {"$ne": 1}}, True),
        ({}, {"n": {"$nin": []}}, False),
        ({"n": 1}, {"n": {"$nin": []}}, True),
        ({"n": 1}, {"n": {"$in": []}}, False),
        ({"n": None}, {"n": {"$exists": True}}, True),
        ({"n": None}, {"n": {"$exists": False}}, False),
        ({"n": 5}, {"n": {"$gt": 1, "$lt": 9, "$ne": 6, "$exists": True}}, True),
        ({"n": 5}, {"n": {"$or": [{"$lt": 1}, {"$and": [{"$gt": 4}, {"$lt": 6}]}]}}, True),
        ({}, {"n": {"$or": [{"$exists": False}, 1]}}, True),
        ({"a": {"b": None}}, {"a.b": None}, True),
        ({"a": {}}, {"a.b": None}, False),
        ({"a": [1]}, {"a.0": 1}, False),
        ({"a": "text"}, {"a.b": {"$exists": False}}, True),
        ({"a.b": 1, "a": {"b": 2}}, {"a.b": 2}, False),
        ({"": {"": 1}}, {".": 1}, True),
        ({"n": 2**63}, {"n": {"$gt": 2**63 - 1}}, True),
        ({"n": 2**64 + 1}, {"n": 2.0**64}, False),
        ({"n": -(10**400)}, {"n": {"$gt": -float("inf")}}, True),
        ({"n": 0.1 + 0.2}, {"n": 0.3}, False),
        ({"n": -0.0}, {"n": 0}, True),
        ({"n": "a\x00b"}, {"n": "a"}, False),
        ({"n\x00": 1}, {"n": 1}, False),
        ({"n": "\uffff"}, {"n": {"$lt": "😀"}}, True),
        ({"n": 1}, {"$and": []}, True),
        ({"n": 1}, {"$or": []}, False),
        ({"n": {"$gt": 1}}, {"n": {"$eq": {"$gt": 1}}}, True),
        ({"n": {}}, {"n": {}}, True),
        ({"n": {"a": 1}}, {"n": {}}, False),
        ({"n": {"a": 1}}, {"n": MappingProxyType({"a": 1})}, True),
        ({"n": [1, 2]}, {"n": (1, 2)}, True),
        ({"n": 7}, {"n": {"$in": [*range(3000, 9000), "x", None, [1], 7.0]}}, True),
    ],
)
def test_a_value_compares_as_json(database, value, wanted, expected):
    assert expected is passes(value, wanted)
    assert expected is passes_in_sql(database, value, wanted)


def test_filters_of_any_size_are_answered(database):
    many = {f"k{number}": number for number in range(500)}
    deep = {"n": 1}
    for _ in range(45):
        deep = {"$and": [deep], "$or": [deep, {"n": 2}]} if "n" in deep else {"$and": [deep]}
    path = ".".join(["a"] * 150)
    nested = 1
    for _ in range(150):
        nested = {"a": nested}

    assert passes_in_sql(database, many, many)
    assert not passes_in_sql(database, {**many, "k499": 0}, many)
    assert passes_in_sql(database, {"n": 1}, deep)
    assert passes_in_sql(database, nested, {path: 1})
    assert passes_in_sql(database, {"." * 5000: 1}, {"." * 5000: 1})


@pytest.mark.parametrize(("levels", "width"), [(0, 100), (1, 50), (2, 25), (4, 6)])
def test_a_filter_that_is_as_large_as_sql_takes_runs_as_sql(database, levels, width):
    among = {"$in": [[1], "x", 1, None, True, {}]}
    wanted = {".".join(f"n{number}" for number in range(12)): among}
    for _ in range(levels):
        wanted = {"$or": [wanted, wanted]}
    wanted = {"$and": [wanted] * width}
    value = 1
    for number in reversed(range(12)):
        value = {f"n{number}": value}
    sql, _ = condition(wanted)

    assert "EXISTS" in sql
    assert passes_in_sql(database, value, wanted)


def test_names_and_values_are_bound_and_never_in_the_sql():
    sql, params = condition({"na'me": {"$in": ["va'lue"], "$gt": 1.5}, "$or": [{"x.y": [1]}]})

    assert not [text for text in ("na'me", "va'lue", "1.5", "x.y", "[1") if text in sql]
    assert {"na'me", "x.y", "va'lue"} <= set(params.values())


# Both readings agree --------------------------------------------------------------------------

names = st.sampled_from(["a", "b", "a.b", "b.a", "", ".", "é", "x'\"", "a\x00"])
numbers = st.one_of(
    st.sampled_from([0, 1, 1.0, -0.0, 2**53 + 1, 2**63 - 1, -(2**63), 2**64, 2.0**64, 1e308]),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
)
letters = st.one_of(
    st.sampled_from(["", "a", "A", "1", "true", "null", "[1]", "a\x00b", "a\x00", "\\u0000", "😀"]),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=5),
)
leaves = st.one_of(st.none(), st.booleans(), numbers, letters)
values = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=6,
)
compares = st.one_of(
    st.builds(lambda one, value: {one: value}, st.sampled_from(["$eq", "$ne"]), values),
    st.builds(
        lambda one, value: {one: value},
        st.sampled_from(["$gt", "$gte", "$lt", "$lte"]),
        leaves | st.sampled_from([float("inf"), -float("inf")]),
    ),
    st.builds(
        lambda one, some: {one: some},
        st.sampled_from(["$in", "$nin"]),
        st.lists(values, max_size=4),
    ),
    st.builds(lambda there: {"$exists": there}, st.booleans()),
)
terms = st.recursive(
    values | compares,
    lambda inner: st.builds(
        lambda word, some: {word: some},
        st.sampled_from(["$and", "$or"]),
        st.lists(inner, max_size=3),
    ),
    max_leaves=4,
)
filters = st.recursive(
    st.dictionaries(names, terms, max_size=2),
    lambda inner: st.builds(
        lambda word, some, rest: {word: some, **rest},
        st.sampled_from(["$and", "$or"]),
        st.lists(inner, max_size=3),
        st.dictionaries(names, terms, max_size=1),
    ),
    max_leaves=4,
)


@given(value=st.dictionaries(names, values, max_size=4), wanted=filters)
@example(value={"a": 0.1}, wanted={"a": {"$lte": 0.1}})
def test_sql_and_the_exact_reading_agree(database, value, wanted):
    expected = passes(value, wanted)

    assert expected is passes_in_sql(database, value, wanted)
    assert expected is matches_filter(json.dumps(value), json.dumps(wanted))


@given(values)
def test_every_value_equals_itself_in_another_form(value):
    again = json.loads(json.dumps(value, sort_keys=True))

    assert passes({"n": value}, {"n": {"$eq": again}})
    assert not passes({"n": value}, {"n": {"$ne": again}})
