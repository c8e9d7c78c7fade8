"""Remember, pin, retire, forget: what is current, what was, and for how long."""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime, timedelta, timezone
from itertools import pairwise

import pytest

from langgraph_agentmem import AgentMemStore, Candidate, Source
from langgraph_agentmem.errors import (
    InvalidNamespace,
    InvalidTopic,
    InvalidValue,
    MemoryNotFound,
    VersionConflict,
)

NS = ("memories", "asha")
CITY = "home_city"
JAN, FEB, MAR = (datetime(2026, month, 1, tzinfo=UTC) for month in (1, 2, 3))
DAY = timedelta(days=1)


@pytest.fixture
def store(path, clock):
    with AgentMemStore.from_conn_string(path, clock=clock) as opened:
        yield opened


def everything(path) -> list[str]:
    """Every row of every table, as text."""
    with sqlite3.connect(path) as connection:
        dump = list(connection.iterdump())
    connection.close()
    return dump


def timeline(store, topic=CITY, namespace=NS) -> list[tuple]:
    """The history as (number, text, valid_from, valid_to)."""
    return [
        (version.number, version.text, version.valid_from, version.valid_to)
        for version in store.history(namespace, topic)
    ]


# One current value ----------------------------------------------------------------------------


def test_a_new_value_replaces_the_old_one_which_goes_to_the_history(store, clock):
    first = store.remember(NS, CITY, "Oslo")
    clock.advance(days=10)
    second = store.remember(NS, CITY, {"text": "Rome", "sure": True})

    assert (1, 2) == (first.version, second.version)
    assert {"text": "Rome", "sure": True} == store.look(NS, CITY).value == second.value
    assert [
        (1, "Oslo", first.valid_from, second.valid_from),
        (2, "Rome", second.valid_from, None),
    ] == timeline(store)
    assert first.created_at == second.created_at < second.updated_at


def test_put_and_remember_write_the_same_row(store):
    store.remember(NS, CITY, "Oslo", kind="procedure", pinned=True)
    store.put(NS, CITY, {"text": "Rome"})
    memory = store.look(NS, CITY)

    assert ("Rome", 2, True, "procedure") == (
        memory.text,
        memory.version,
        memory.pinned,
        memory.kind,
    )
    assert {"text": "Rome"} == store.get(NS, CITY).value
    assert ["Oslo", "Rome"] == [version.text for version in store.history(NS, CITY)]


def test_an_equal_value_makes_no_version_but_counts_as_an_update(store, clock):
    first = store.remember(NS, CITY, {"text": "Oslo", "since": 2020})
    clock.advance(days=1)
    again = store.remember(NS, CITY, {"since": 2020.0, "text": "Oslo"})

    assert (1, first.valid_from) == (again.version, again.valid_from)
    assert first.updated_at < again.updated_at
    assert 1 == len(store.history(NS, CITY))


def test_true_is_not_one_so_it_is_a_new_version(store):
    store.put(NS, "k", {"n": 1})
    store.put(NS, "k", {"n": True})

    assert [1, True] == [version.value["n"] for version in store.history(NS, "k")]
    assert True is store.get(NS, "k").value["n"]


def test_a_value_that_comes_back_is_a_new_version(store):
    for city in ("Oslo", "Rome", "Oslo"):
        store.remember(NS, CITY, city)

    assert [(1, "Oslo"), (2, "Rome"), (3, "Oslo")] == [line[:2] for line in timeline(store)]


def test_intervals_follow_each_other_without_a_gap(store, clock):
    for number in range(20):
        store.remember(NS, CITY, f"city {number}")
        clock.advance(hours=1)
    versions = store.history(NS, CITY)

    assert all(one.valid_to == other.valid_from for one, other in pairwise(versions))


def test_topics_and_users_are_kept_apart(store):
    store.remember(NS, CITY, "Oslo")
    store.remember(("memories", "asha1"), CITY, "Rome")
    store.remember(NS, "home", "a flat")

    assert "Oslo" == store.look(NS, CITY).text
    assert None is store.look(("memories",), CITY)
    assert [CITY] == [
        memory.topic for memory in store.memories(NS) if memory.text in {"Oslo", "Rome"}
    ]


async def test_every_verb_has_an_async_form(store, clock):
    await store.aremember(NS, CITY, "Oslo", source=Source(thread_id="t", message_ids=("m",)))
    await store.apin(NS, CITY)
    await store.aremember(NS, CITY, "Rome")
    await store.aunpin(NS, CITY)

    assert store.look(NS, CITY) == await store.alook(NS, CITY)
    assert store.history(NS, CITY) == await store.ahistory(NS, CITY)
    assert store.memories(NS) == await store.amemories(NS)
    assert None is await store.awhy(NS, CITY)
    await store.aretire(NS, CITY)
    assert None is await store.alook(NS, CITY)
    receipt = await store.aforget(NS, CITY)
    assert 2 == receipt.removed["versions"]


# Valid time -----------------------------------------------------------------------------------


def test_a_value_that_held_before_goes_into_the_history_and_does_not_become_current(store):
    store.remember(NS, CITY, "Rome", valid_from=MAR)
    returned = store.remember(NS, CITY, "Oslo", valid_from=JAN)

    assert ("Rome", 1) == (returned.text, returned.version)
    assert [(2, "Oslo", JAN, MAR), (1, "Rome", MAR, None)] == timeline(store)


def test_a_late_value_ends_the_one_that_was_thought_to_hold(store):
    store.remember(NS, CITY, "Oslo", valid_from=JAN)
    store.remember(NS, CITY, "Rome", valid_from=MAR)
    store.remember(NS, CITY, "Pune", valid_from=FEB)

    assert [(1, "Oslo", JAN, FEB), (3, "Pune", FEB, MAR), (2, "Rome", MAR, None)] == timeline(store)
    assert "Pune" == store.look(NS, CITY, as_of=FEB + DAY).text


def test_a_late_value_that_was_known_makes_no_version(store):
    store.remember(NS, CITY, "Oslo", valid_from=JAN)
    store.remember(NS, CITY, "Rome", valid_from=MAR)
    for _ in range(2):
        store.remember(NS, CITY, "Oslo", valid_from=FEB)

    assert [(1, "Oslo", JAN, MAR), (2, "Rome", MAR, None)] == timeline(store)


def test_a_late_value_stays_within_what_had_ended(store, clock):
    store.remember(NS, CITY, "Oslo", valid_from=JAN)
    store.retire(NS, CITY)
    ended = store.history(NS, CITY)[0].valid_to
    clock.advance(days=30)
    store.remember(NS, CITY, "Rome")
    began = store.look(NS, CITY).valid_from
    store.remember(NS, CITY, "Pune", valid_from=FEB)

    assert [
        (1, "Oslo", JAN, FEB),
        (3, "Pune", FEB, ended),
        (2, "Rome", began, None),
    ] == timeline(store)


def test_a_value_from_before_the_end_of_a_topic_makes_it_current_again(store):
    store.remember(NS, CITY, "Oslo", valid_from=JAN)
    store.retire(NS, CITY)
    memory = store.remember(NS, CITY, "Rome", valid_from=FEB)

    assert ("Rome", 2, FEB) == (memory.text, memory.version, memory.valid_from)
    assert [(1, "Oslo", JAN, FEB), (2, "Rome", FEB, None)] == timeline(store)


def test_a_value_from_before_all_that_is_known_begins_when_the_topic_had_ended(store):
    store.remember(NS, CITY, "Oslo", valid_from=JAN)
    store.remember(NS, CITY, "Rome", valid_from=FEB)
    store.retire(NS, CITY)
    ended = store.history(NS, CITY)[-1].valid_to
    memory = store.remember(NS, CITY, "Pune", valid_from=JAN - DAY)

    assert ("Pune", ended) == (memory.text, memory.valid_from)
    assert ["Oslo", "Rome", "Pune"] == [line[1] for line in timeline(store)]


@pytest.mark.parametrize(
    ("moment", "expected"),
    [
        (JAN - DAY, None),
        (JAN, "Oslo"),
        (MAR - timedelta(microseconds=1), "Oslo"),
        (MAR, "Rome"),
        (MAR.astimezone(timezone(timedelta(hours=9))), "Rome"),
        (datetime(2126, 1, 1, tzinfo=UTC), "Rome"),
    ],
)
def test_look_as_of_a_moment_sees_what_held_then(store, moment, expected):
    store.remember(NS, CITY, "Oslo", valid_from=JAN)
    store.remember(NS, CITY, "Rome", valid_from=MAR)
    found = store.look(NS, CITY, as_of=moment)

    assert expected == (found.text if found else None)


def test_an_explicit_pin_counts_with_a_late_value_too(store):
    store.remember(NS, CITY, "Rome", valid_from=MAR)

    assert store.remember(NS, CITY, "Oslo", valid_from=JAN, pinned=True).pinned


def test_a_start_in_the_future_is_refused(store):
    with pytest.raises(ValueError, match="future"):
        store.remember(NS, CITY, "Oslo", valid_from=datetime(2126, 1, 1, tzinfo=UTC))
    assert None is store.look(NS, CITY)


@pytest.mark.parametrize("moment", [datetime(2025, 1, 1), "2025-01-01", 5])  # noqa: DTZ001
def test_a_moment_is_a_datetime_with_a_timezone(store, moment):
    with pytest.raises(ValueError, match="a moment"):
        store.remember(NS, CITY, "Oslo", valid_from=moment)
    store.remember(NS, CITY, "Oslo")
    with pytest.raises(ValueError, match="a moment"):
        store.look(NS, CITY, as_of=moment)


# Versions to compare and swap -----------------------------------------------------------------


def test_expected_version_lets_one_of_two_writers_win(store):
    store.remember(NS, CITY, "Oslo", expected_version=0)
    seen = store.look(NS, CITY).version
    store.remember(NS, CITY, "Rome", expected_version=seen)

    with pytest.raises(VersionConflict, match="look") as caught:
        store.remember(NS, CITY, "Pune", expected_version=seen)
    assert (1, 2) == (caught.value.expected, caught.value.found)
    assert ["Oslo", "Rome"] == [version.text for version in store.history(NS, CITY)]


def test_expected_version_zero_means_there_is_none(store):
    store.remember(NS, CITY, "Oslo")

    with pytest.raises(VersionConflict):
        store.remember(NS, CITY, "Rome", expected_version=0)
    store.retire(NS, CITY)
    assert 2 == store.remember(NS, CITY, "Rome", expected_version=0).version


def test_a_conflict_on_a_new_namespace_leaves_no_trace(store, path):
    before = everything(path)

    with pytest.raises(VersionConflict):
        store.remember(("new",), CITY, "Oslo", expected_version=3)
    assert before == everything(path)


@pytest.mark.parametrize("number", [-1, 1.0, "1", True])
def test_an_expected_version_is_a_whole_number(store, number):
    with pytest.raises(ValueError, match="expected_version"):
        store.remember(NS, CITY, "Oslo", expected_version=number)


# Pins and time to live ------------------------------------------------------------------------


def test_a_newer_value_replaces_a_pinned_one_and_stays_pinned(store):
    store.remember(NS, "allergy", "peanuts", pinned=True)
    replaced = store.remember(NS, "allergy", "peanuts and sesame")

    assert replaced.pinned
    assert ["peanuts and sesame"] == [hit.memory.text for hit in store.recall(NS, "").pinned]


def test_pin_and_unpin_return_the_memory_and_change_no_version(store):
    store.remember(NS, CITY, "Oslo")

    assert (True, 1) == (store.pin(NS, CITY).pinned, store.pin(NS, CITY).version)
    assert store.look(NS, CITY).pinned
    assert not store.unpin(NS, CITY).pinned
    assert not store.look(NS, CITY).pinned
    assert 1 == len(store.history(NS, CITY))


def test_a_pinned_memory_never_expires_and_unpinning_starts_its_time_anew(store, clock):
    store.remember(NS, "allergy", "peanuts", pinned=True, ttl=5)
    clock.advance(minutes=10)

    assert (0, "peanuts", None) == (
        store.sweep_ttl(),
        store.look(NS, "allergy").text,
        store.look(NS, "allergy").expires_at,
    )
    store.unpin(NS, "allergy")
    clock.advance(minutes=4)
    assert "peanuts" == store.look(NS, "allergy").text
    clock.advance(minutes=2)
    assert None is store.look(NS, "allergy")


def test_what_has_expired_is_gone_with_its_history_before_any_sweep(store, clock):
    store.remember(NS, CITY, "Oslo")
    store.remember(NS, CITY, "Rome", ttl=1)
    clock.advance(minutes=2)

    assert ([], None) == (store.history(NS, CITY), store.look(NS, CITY, as_of=MAR))
    assert [] == store.memories(NS)
    for verb in (store.pin, store.unpin, store.retire, store.why):
        with pytest.raises(MemoryNotFound):
            verb(NS, CITY)
    assert 1 == store.remember(NS, CITY, "Pune").version


def test_a_write_without_ttl_takes_the_timer_away(store, clock):
    store.remember(NS, CITY, "Oslo", ttl=1)
    store.remember(NS, CITY, "Oslo")
    clock.advance(days=1)

    assert "Oslo" == store.look(NS, CITY).text


def test_what_expired_takes_its_namespace_along(store, clock, path):
    store.remember(("memories", "b@example-com"), CITY, "Oslo", ttl=1)
    clock.advance(minutes=2)

    assert 1 == store.sweep_ttl()
    assert not [line for line in everything(path) if "example-com" in line]


# Retire and forget ----------------------------------------------------------------------------


def test_a_retired_topic_leaves_recall_and_keeps_its_history(store):
    store.remember(NS, CITY, "Oslo")
    store.remember(NS, CITY, "Rome")
    store.retire(NS, CITY)

    assert (None, None, []) == (store.look(NS, CITY), store.get(NS, CITY), store.search(NS))
    assert () == store.recall(NS, "Rome city").relevant
    assert ["Oslo", "Rome"] == [version.text for version in store.history(NS, CITY)]
    assert all(version.valid_to for version in store.history(NS, CITY))
    assert [] == store.list_namespaces()


def test_a_retired_topic_goes_on_with_the_next_number(store):
    store.remember(NS, CITY, "Oslo")
    store.retire(NS, CITY)

    assert 2 == store.remember(NS, CITY, "Oslo").version


def test_forget_removes_every_trace_of_a_topic_and_nothing_else(store, path):
    store.remember(NS, "seat", "window")
    kept = [line for line in everything(path) if "window" in line or "seat" in line]
    store.remember(NS, CITY, "Oslo", source=Source(thread_id="t", message_ids=("m",)))
    store.remember(NS, CITY, "Rome")
    receipt = store.forget(NS, CITY)

    assert {"memories": 1, "versions": 1, "search text": 1, "vectors": 0} == receipt.removed
    assert receipt.complete
    assert 0 == receipt.left_in_files
    dump = everything(path)
    assert not [line for line in dump if "Oslo" in line or "Rome" in line or CITY in line]
    assert set(kept) <= set(dump)


def test_forget_of_a_namespace_takes_all_below_it_and_its_name(store, path):
    for namespace in (NS, (*NS, "work"), ("memories", "asha-2")):
        store.remember(namespace, CITY, "Oslo")
    receipt = store.forget(NS)

    assert 2 == receipt.removed["memories"]
    assert [("memories", "asha-2")] == store.list_namespaces()
    assert not [line for line in everything(path) if "memories.asha'" in line]


def test_a_dry_run_counts_and_changes_nothing(store, path):
    store.remember(NS, CITY, "Oslo")
    store.remember(NS, CITY, "Rome")
    before = everything(path)
    receipt = store.forget(NS, CITY, dry_run=True)

    assert (True, 1, 1) == (
        receipt.dry_run,
        receipt.removed["memories"],
        receipt.removed["versions"],
    )
    assert before == everything(path)


def test_forgetting_what_is_not_there_removes_nothing_and_says_so(store):
    assert 0 == store.forget(NS, CITY).total
    assert 0 == store.forget(("nobody",)).total


def test_after_forgetting_the_topic_starts_anew(store):
    store.remember(NS, CITY, "Oslo")
    store.forget(NS, CITY)

    assert 1 == store.remember(NS, CITY, "Oslo").version


@pytest.mark.parametrize("verb", ["pin", "unpin", "retire", "why"])
def test_what_is_not_there_is_named(store, verb):
    with pytest.raises(MemoryNotFound, match="history") as caught:
        getattr(store, verb)(NS, CITY)
    assert (NS, CITY) == (caught.value.namespace, caught.value.topic)


# Sources --------------------------------------------------------------------------------------


def test_why_says_where_the_current_value_came_from(store):
    source = Source(thread_id="t", message_ids=("m1", "m2"), author="asha", said_at=MAR)
    store.remember(NS, CITY, "Oslo", source=source)
    store.remember(NS, "seat", "window")

    assert source == store.why(NS, CITY) == store.history(NS, CITY)[0].source
    assert None is store.why(NS, "seat")


def test_learning_twice_from_a_message_writes_once_even_after_it_was_retired(store):
    source = Source(thread_id="t", message_ids=("m1",), said_at=MAR)
    moved = Candidate(topic=CITY, value="Oslo", source=source)

    assert [CITY] == [memory.topic for memory in store.learn(NS, [moved]).kept]
    store.retire(NS, CITY)
    assert (CITY,) == store.learn(NS, [moved]).unchanged
    assert None is store.look(NS, CITY)


def test_what_was_said_before_a_topic_ended_does_not_bring_it_back(store):
    def said(value, message, when):
        source = Source(thread_id="t", message_ids=(message,), said_at=when)
        return Candidate(topic=CITY, value=value, source=source)

    store.learn(NS, [said("Oslo", "m1", JAN)])
    store.learn(NS, [said(None, "m3", MAR)])
    learned = store.learn(NS, [said("Pune", "m2", FEB)])

    assert ((), (CITY,)) == (learned.kept, learned.unchanged)
    assert [(1, "Oslo", JAN, FEB), (2, "Pune", FEB, MAR)] == timeline(store)


# Bad input leaves no trace --------------------------------------------------------------------

BAD_CALLS = [
    ({"namespace": ()}, InvalidNamespace),
    ({"namespace": ("a.b",)}, InvalidNamespace),
    ({"namespace": "memories"}, InvalidNamespace),
    ({"namespace": ("langgraph", "x")}, InvalidNamespace),
    ({"namespace": ("a", "\ud800")}, InvalidNamespace),
    ({"topic": ""}, InvalidTopic),
    ({"topic": " \n"}, InvalidTopic),
    ({"topic": "a\x00b"}, InvalidTopic),
    ({"topic": "\udfff"}, InvalidTopic),
    ({"topic": 5}, InvalidTopic),
    ({"content": ""}, InvalidValue),
    ({"content": "  "}, InvalidValue),
    ({"content": None}, InvalidValue),
    ({"content": ["a"]}, InvalidValue),
    ({"content": {"n": float("nan")}}, InvalidValue),
    ({"content": {"n": {1: 2}}}, InvalidValue),
    ({"content": {"n": object()}}, InvalidValue),
    ({"content": "\ud800"}, InvalidValue),
    ({"content": {"n": 10**5000}}, InvalidValue),
    ({"kind": "opinion"}, ValueError),
    ({"ttl": 0}, ValueError),
    ({"ttl": -1}, ValueError),
    ({"ttl": float("nan")}, ValueError),
    ({"ttl": 1e300}, ValueError),
    ({"source": "m1"}, InvalidValue),
    ({"source": Source(message_ids=("\ud800",))}, InvalidValue),
    ({"source": Source(message_ids=(5,))}, InvalidValue),
    ({"source": Source(thread_id="a\x00b")}, InvalidValue),
    ({"source": Source(said_at="yesterday")}, InvalidValue),
]


@pytest.mark.parametrize(("wrong", "error"), BAD_CALLS, ids=[next(iter(w)) for w, _ in BAD_CALLS])
async def test_bad_input_is_refused_and_leaves_no_trace(store, path, wrong, error):
    good = {"namespace": ("new",), "topic": CITY, "content": "Oslo"}
    before = everything(path)

    with pytest.raises(error):
        store.remember(**{**good, **wrong})
    with pytest.raises(error):
        await store.aremember(**{**good, **wrong})
    assert before == everything(path)


def test_an_error_names_the_field_and_the_type_and_never_the_content(store):
    with pytest.raises(InvalidValue) as caught:
        store.remember(NS, CITY, {"address": [{"street": {"attic"}}]})

    assert "$.address[0].street" in str(caught.value)
    assert "found='set'" in str(caught.value)
    assert "attic" not in str(caught.value)


def test_a_value_may_be_200_levels_deep_even_far_down_a_stack(store):
    deep: dict = {"end": 1}
    for _ in range(199):
        deep = {"n": deep}

    def call(levels: int) -> None:
        if levels:
            call(levels - 1)
        else:
            store.put(NS, "deep", deep)

    call(200)
    assert deep == store.get(NS, "deep").value
    assert ["deep"] == [item.key for item in store.search(NS, filter={"n": deep["n"]})]
    with pytest.raises(InvalidValue, match="200 deep"):
        store.put(NS, "deeper", {"n": deep})
