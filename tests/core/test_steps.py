"""The rules, played by hand: no database, no event loop, no clock."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from langgraph_agentmem.errors import MemoryNotFound, SchemaTooNew, VersionConflict
from langgraph_agentmem.model import Candidate, Source
from langgraph_agentmem.sql import Migration
from langgraph_agentmem.steps import Call, adrive, await_all, call_all, drive
from langgraph_agentmem.steps.learn import Judged, learn
from langgraph_agentmem.steps.looking import look
from langgraph_agentmem.steps.memories import Draft, retire, set_pin, write
from langgraph_agentmem.steps.migrations import pending
from langgraph_agentmem.steps.places import micros

NS = ("memories", "asha")
T0 = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
DAY = timedelta(days=1)


def play(steps, **rows):
    """Answer each statement with the rows given under its name, none if there are none; an
    iterator gives the rows of one answer after the other.

    Returns the result and what was asked, as (name, parameters).
    """
    asked: list[tuple[str, dict]] = []

    def answer(statement):
        asked.append((statement.name, dict(statement.params)))
        found = rows.get(statement.name, [])
        return next(found) if isinstance(found, Iterator) else found

    return drive(steps, answer), asked


NO_ROW = {"id": None}


def row(value, *, version=1, since=T0, pinned=0, expires_at=None, ttl=None):
    return {
        "id": 1,
        "namespace_id": 7,
        "path": "memories.asha",
        "topic": "home_city",
        "value": json.dumps({"text": value}),
        "kind": "fact",
        "pinned": pinned,
        "version": version,
        "source": None,
        "valid_from": micros(since),
        "recorded_at": micros(since),
        "created_at": micros(since),
        "updated_at": micros(since),
        "ttl": ttl,
        "expires_at": expires_at,
        "fields": None,
    }


def standing(current=NO_ROW, *, number=None, started=None, ended=None):
    """What a topic has, as `find_standing` answers."""
    past = {"past_number": number, "past_started": started, "past_ended": ended}
    return [{"home": 7, **past, **current}]


def draft(value, **options):
    return Draft(
        namespace=NS, topic="home_city", value=json.dumps({"text": value}), kind="fact", **options
    )


def names(asked) -> list[str]:
    return [name for name, _ in asked]


def params(asked, name) -> dict:
    (found,) = [given for asked_name, given in asked if asked_name == name]
    return found


# Running work ---------------------------------------------------------------------------------


def two_questions():
    first = yield "one"
    try:
        second = yield "two"
    except LookupError as error:
        second = f"caught {error}"
    return first, second


def test_work_gets_an_answer_to_each_question_and_ends_in_a_result():
    assert ("ONE", "TWO") == drive(two_questions(), str.upper)


async def test_sync_and_async_callers_run_the_same_work():
    async def answer(asked):
        await asyncio.sleep(0)
        return asked.upper()

    assert ("ONE", "TWO") == await adrive(two_questions(), answer)


async def test_an_error_is_raised_where_the_work_waits_which_may_catch_it():
    def answer(asked):
        if asked == "two":
            raise LookupError("gone")
        return asked

    async def aanswer(asked):
        return answer(asked)

    assert ("one", "caught gone") == drive(two_questions(), answer)
    assert ("one", "caught gone") == await adrive(two_questions(), aanswer)


async def test_what_the_work_does_not_catch_reaches_the_caller_and_ends_the_work():
    ended: list[str] = []

    def work():
        try:
            yield "one"
        finally:
            ended.append("ended")

    def fail(_):
        raise ValueError("no")

    async def afail(_):
        raise asyncio.CancelledError

    with pytest.raises(ValueError, match="no"):
        drive(work(), fail)
    with pytest.raises(asyncio.CancelledError):
        await adrive(work(), afail)
    assert ["ended", "ended"] == ended


async def test_a_call_is_called_or_awaited():
    async def soon():
        return "awaited"

    def work():
        return (yield Call(lambda: "called", soon))

    assert "called" == call_all(work())
    assert "awaited" == await await_all(work())


# Writing --------------------------------------------------------------------------------------


def test_the_first_value_of_a_topic_is_number_one():
    _, asked = play(
        write(draft("Oslo"), now=T0),
        add_namespace=[{"id": 7}],
        add_memory=[{"id": 1}],
    )

    assert ["find_standing", "add_namespace", "add_memory"] == names(asked)[:3]
    assert 1 == params(asked, "add_memory")["version"]
    assert "7_home 7_city 7_oslo" == params(asked, "add_words")["tokens"]


def test_a_new_value_sends_the_old_one_to_the_history_and_takes_the_next_number():
    _, asked = play(
        write(draft("Rome"), now=T0 + DAY), find_standing=standing(row("Oslo", version=3))
    )
    old = params(asked, "add_version")

    assert (3, micros(T0), micros(T0 + DAY)) == (
        old["number"],
        old["valid_from"],
        old["valid_to"],
    )
    assert 4 == params(asked, "replace_memory")["version"]


def test_an_equal_value_makes_no_version_and_keeps_the_words():
    equal = Draft(namespace=NS, topic="home_city", value='{"text":   "Oslo"}')
    _, asked = play(write(equal, now=T0 + DAY), find_standing=standing(row("Oslo")))

    assert ["touch_memory", "remove_vectors"] == names(asked)[1:]


def test_a_conflict_writes_nothing():
    found = standing(row("Oslo", version=2))

    with pytest.raises(VersionConflict) as caught:
        play(write(draft("Rome", expected_version=1), now=T0), find_standing=found)
    assert {"namespace": NS, "topic": "home_city", "expected": 1, "found": 2} == caught.value.data


def test_a_value_that_held_earlier_takes_over_the_rest_of_the_version_it_ends():
    held = {"value": '{"text": "Pune"}', "valid_to": micros(T0)}
    _, asked = play(
        write(draft("Rome", valid_from=T0 - DAY), now=T0 + DAY),
        find_version_at=[held],
        next_start=[{"moment": micros(T0)}],
        find_standing=standing(
            row("Oslo", version=2), number=1, started=micros(T0 - 3 * DAY), ended=micros(T0)
        ),
    )
    added = params(asked, "add_version")

    assert (3, micros(T0 - DAY), micros(T0)) == (
        added["number"],
        added["valid_from"],
        added["valid_to"],
    )
    assert micros(T0 - DAY) == params(asked, "end_version_at")["moment"]
    assert "replace_memory" not in names(asked)


def test_a_clock_that_is_behind_ours_never_makes_a_backward_interval():
    _, asked = play(write(draft("Rome"), now=T0 - DAY), find_standing=standing(row("Oslo")))
    old = params(asked, "add_version")

    assert old["valid_from"] == old["valid_to"] == params(asked, "replace_memory")["valid_from"]


def test_an_expired_row_is_erased_and_the_topic_starts_anew():
    expired = row("Oslo", version=4, expires_at=micros(T0))
    _, asked = play(
        write(draft("Rome"), now=T0 + DAY),
        find_standing=iter([standing(expired), standing()]),
        count_index_rows=[{"words": 1, "vectors": 0}],
        add_memory=[{"id": 2}],
    )

    assert {"remove_memory", "remove_versions", "remove_sources"} <= set(names(asked))
    assert 1 == params(asked, "add_memory")["version"]


# Pins and endings -----------------------------------------------------------------------------


def test_unpinning_starts_the_timer_anew():
    pinned = row("Oslo", pinned=1, ttl=2.0, expires_at=micros(T0 - DAY))
    memory, asked = play(set_pin(NS, "home_city", pinned=False, now=T0), find_memory=[pinned])

    assert T0 + timedelta(minutes=2) == memory.expires_at
    assert micros(T0) + 120_000_000 == params(asked, "pin_memory")["expires_at"]


@pytest.mark.parametrize(
    "steps",
    [lambda: set_pin(NS, "x", pinned=True, now=T0), lambda: retire(NS, "x", now=T0)],
    ids=["pin", "retire"],
)
def test_what_is_not_there_can_be_neither_pinned_nor_retired(steps):
    with pytest.raises(MemoryNotFound) as caught:
        play(steps())
    assert {"namespace": NS, "topic": "x"} == caught.value.data


def test_what_has_expired_is_not_looked_at_nor_its_history():
    expired = row("Oslo", expires_at=micros(T0))
    found, asked = play(look(NS, "home_city", now=T0, as_of=T0 - DAY), find_memory=[expired])

    assert None is found
    assert ["find_memory"] == names(asked)


# Learning -------------------------------------------------------------------------------------


def candidate(value, message, *, said_at=T0):
    source = Source(thread_id="t", message_ids=(message,), said_at=said_at)
    return Candidate(topic="home_city", value=value, source=source)


def judged(proposed, *drafts):
    return Judged(candidates=[proposed], drafts=dict(enumerate(drafts)))


def test_a_message_that_was_learnt_from_before_changes_nothing():
    learned, asked = play(
        learn(NS, judged(candidate("Oslo", "m1"), draft("Oslo")), key="k", now=T0),
        find_source=[{"found": 1}],
    )

    assert ("home_city",) == learned.unchanged
    looked = {"list_brought_keys", "list_tombstones", "find_tombstone", "find_source", "find_held"}
    assert looked == set(names(asked))


def test_a_message_that_was_forgotten_is_refused():
    learned, asked = play(
        learn(NS, judged(candidate("Oslo", "m1"), draft("Oslo")), key="k", now=T0),
        list_tombstones=[{"found": 1}],
    )

    assert ["comes from a message that was forgotten"] == [one.reason for one in learned.refused]
    assert ["list_brought_keys", "list_tombstones"] == names(asked)


def test_an_ending_that_was_said_before_the_current_value_began_ends_nothing():
    learned, asked = play(
        learn(NS, judged(candidate(None, "m1", said_at=T0 - DAY)), key="k", now=T0 + DAY),
        find_memory=[row("Oslo")],
    )

    assert (("home_city",), ()) == (learned.unchanged, learned.retired)
    assert "remove_memory" not in names(asked)


def test_an_ending_ends_the_value_when_it_was_said():
    learned, asked = play(
        learn(NS, judged(candidate(None, "m1", said_at=T0 + DAY)), key="k", now=T0 + 9 * DAY),
        find_memory=[row("Oslo")],
    )

    assert ("home_city",) == learned.retired
    assert micros(T0 + DAY) == params(asked, "add_version")["valid_to"]


# Migrations -----------------------------------------------------------------------------------

KNOWN = [Migration(1, "one", ""), Migration(2, "two", ""), Migration(3, "three", "")]


@pytest.mark.parametrize(
    ("applied", "expected"), [([], [1, 2, 3]), ([1], [2, 3]), ([1, 3], [2]), ([1, 2, 3], [])]
)
def test_what_was_not_applied_is_pending_in_order(applied, expected):
    assert expected == [migration.number for migration in pending(applied, KNOWN)]


def test_a_database_that_knows_more_is_too_new():
    with pytest.raises(SchemaTooNew) as caught:
        pending([1, 2, 3, 4], KNOWN)
    assert {"found": 4, "needed": 3} == caught.value.data
