"""When a value held: valid time, intervals, and versions to compare and swap."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from stored import CITY, NS, everything, timeline

from langgraph_agentmem import AgentMemStore
from langgraph_agentmem.errors import VersionConflict

JAN, FEB, MAR = (datetime(2026, month, 1, tzinfo=UTC) for month in (1, 2, 3))
DAY = timedelta(days=1)


@pytest.fixture
def store(path, clock):
    with AgentMemStore.from_conn_string(path, clock=clock) as opened:
        yield opened


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
