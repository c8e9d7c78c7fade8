"""Wrong arguments of every kind: refused by name and type, before anything is written."""

from __future__ import annotations

import pytest
from langgraph.store.base import GetOp, ListNamespacesOp, MatchCondition, PutOp, SearchOp
from stored import CITY, NS, everything

from langgraph_agentmem import AgentMemStore, Retention
from langgraph_agentmem.errors import InvalidValue

SECRET = "attic key under the mat"  # noqa: S105 - content that no error may repeat
NO_FLAGS = ["false", 0, None, [], {"dry": True}]


@pytest.fixture
def store(path, clock):
    with AgentMemStore.from_conn_string(path, clock=clock) as opened:
        opened.remember(NS, CITY, "Oslo")
        opened.remember(NS, "town", "Oslo")
        yield opened


@pytest.mark.parametrize("flag", NO_FLAGS, ids=repr)
async def test_what_only_looks_like_a_dry_run_is_refused(store, path, flag):
    """An empty list counted as False, and erased; the text "false" as True, and did not."""
    before = everything(path)
    for verb, given in (
        ("forget", (NS,)),
        ("consolidate", (NS,)),
        ("sweep", (Retention(capacity=1),)),
    ):
        with pytest.raises(ValueError, match=r"dry_run is True or False \(found"):
            getattr(store, verb)(*given, dry_run=flag)
        with pytest.raises(ValueError, match=r"dry_run is True or False \(found"):
            await getattr(store, f"a{verb}")(*given, dry_run=flag)

    assert before == everything(path)


CALLS = {
    "kind": lambda store: store.remember(NS, CITY, "Rome", kind=SECRET),
    "kinds of recall": lambda store: store.recall(NS, "where", kinds=[SECRET]),
    "kinds as a text": lambda store: store.memories(NS, kinds=SECRET),
    "kinds as a number": lambda store: store.memories(NS, kinds=5),
    "least": lambda store: store.find_duplicates(NS, least=SECRET),
    "apply": lambda store: store.consolidate(NS, apply=5),
    "candidates": lambda store: store.learn(NS, [SECRET]),
    "progress": lambda store: store.forget(NS, progress=SECRET),
    "ops": lambda store: store.batch(5),
    "index": lambda store: store.put(NS, CITY, {"a": 1}, index=SECRET),
    "a path": lambda store: store.put(NS, CITY, {"a": 1}, index=["a", {"b": SECRET}]),
    "conditions": lambda store: store.batch([ListNamespacesOp(match_conditions=5)]),
    "refresh_ttl": lambda store: store.batch([GetOp(NS, CITY, refresh_ttl=SECRET)]),
    "filter": lambda store: store.search(NS, filter={"at": {"$gt": {"x": {SECRET}}}}),
    "value": lambda store: store.put(NS, CITY, {"at": [{1, SECRET}]}),
    "query": lambda store: store.search(NS, query=[SECRET]),
}


@pytest.mark.parametrize("name", CALLS)
def test_an_error_says_what_was_found_and_never_its_content(store, path, name):
    before = everything(path)

    with pytest.raises((ValueError, TypeError)) as caught:
        CALLS[name](store)
    assert "found" in str(caught.value)
    assert "attic" not in str(caught.value)
    assert before == everything(path)


def test_an_error_in_a_filter_names_its_field(store):
    for wanted in ({"home.at": object()}, {"home.at": {"$in": [1, {"x"}]}}):
        with pytest.raises(ValueError, match=r"home\.at"):
            store.search(NS, filter=wanted)


def test_a_kind_that_cannot_be_shown_is_refused_all_the_same(store):
    deep: list = []
    for _ in range(5000):
        deep = [deep]

    with pytest.raises(ValueError, match="found list"):
        store.memories(NS, kinds=[deep])


def test_conditions_that_are_an_iterator_are_not_used_up_by_being_checked(store):
    store.put(("other",), "k", {"a": 1})
    conditions = iter([MatchCondition("prefix", ("other",))])

    assert [[("other",)]] == store.batch([ListNamespacesOp(match_conditions=conditions)])


BAD_OPS = {
    "NaN": PutOp(NS, "k", {"n": float("nan")}),
    "a type": PutOp(NS, "k", {"n": [object()]}),
    "a namespace": PutOp(("a.b",), "k", {"n": 1}),
    "no key": PutOp(NS, "", {"n": 1}),
    "a ttl": PutOp(NS, "k", {"n": 1}, ttl=float("nan")),
    "a path": PutOp(NS, "k", {"n": 1}, index=[5]),
    "a label": GetOp((1,), "k"),
    "a limit": SearchOp(NS, limit=True),
    "an operator": SearchOp(NS, {"n": {"$near": 1}}),
    "a depth": ListNamespacesOp(max_depth=0),
    "no operation": object(),
}


@pytest.mark.parametrize("name", BAD_OPS)
async def test_one_bad_operation_among_two_thousand_stops_them_all(store, path, name):
    before = everything(path)
    ops = [PutOp((*NS, str(n % 7)), f"k{n}", {"text": SECRET}) for n in range(1000)]
    ops += [BAD_OPS[name], *ops]

    with pytest.raises((ValueError, TypeError)) as caught:
        store.batch(ops)
    with pytest.raises((ValueError, TypeError)):
        await store.abatch(ops)
    assert "attic" not in str(caught.value)
    assert before == everything(path)


def test_an_error_stays_short_whatever_it_names(store):
    long = "x" * 1_000_000
    calls = [
        lambda: store.get(NS, f"{long}\x00"),
        lambda: store.batch([GetOp((f"{long}.",), "k")]),
        lambda: store.put(NS, "k", {long: object()}),
        lambda: store.search(NS, filter={"a": {f"${long}": 1}}),
        lambda: store.search(NS, filter={f"${long}": 1}),
    ]
    for call in calls:
        with pytest.raises(ValueError, match=r"x{30}") as caught:
            call()
        assert len(str(caught.value)) < 1000


def test_an_integer_that_cannot_be_written_is_refused_in_a_filter_too(store):
    with pytest.raises(InvalidValue, match="too long"):
        store.search(NS, filter={"n": {"$gt": 10**5000}})
