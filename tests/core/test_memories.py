"""Remember, pin, retire, forget: what is current, what was, and for how long."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import pairwise

import pytest
from stored import CITY, NS, everything, timeline

from langgraph_agentmem import AgentMemStore, Candidate, Source
from langgraph_agentmem.errors import MemoryNotFound

JAN, FEB, MAR = (datetime(2026, month, 1, tzinfo=UTC) for month in (1, 2, 3))


@pytest.fixture
def store(path, clock):
    with AgentMemStore.from_conn_string(path, clock=clock) as opened:
        yield opened


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
    source = Source(thread_id="t", message_ids=("m1", "m2"), author="asha", said_at=MAR, order=7)
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
