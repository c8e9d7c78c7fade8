"""The year with the travel assistant, as `python -m benchmarks.assistant` plays it."""

from __future__ import annotations

from statistics import fmean

import pytest

from benchmarks.assistant import Counting, WholeHistory, WithMemory, WithoutMemory, play
from benchmarks.visits import TRAVELLERS, says, visits


@pytest.fixture(scope="module")
def year(tmp_path_factory):
    folder = tmp_path_factory.mktemp("year")
    model = Counting()
    lanes = [
        WithMemory(folder, model, None),
        WithoutMemory(folder, model),
        WholeHistory(folder, model),
    ]
    return [play(lane, model) for lane in lanes]


def test_the_script_is_long_enough_and_asks_for_everything():
    every = [visit for who in TRAVELLERS for visit in visits(who)]
    tasks = [line for visit in every for line in visit.lines if line.check is not None]

    assert len(every) >= 12
    assert len(tasks) >= 60
    assert {"pinned", "changed", "lesson", "long ago", "forgotten", "never told"} == {
        task.needs for task in tasks
    }


@pytest.mark.parametrize("needs", ["pinned", "changed", "lesson", "forgotten", "never told"])
def test_with_memory_every_task_of_a_kind_is_completed(year, needs):
    remembering, _, _ = year

    assert [] == [one for one in remembering.failures if f", {needs}: " in one]
    assert all(remembering.done[needs])


def test_with_memory_nothing_is_asked_twice(year):
    remembering, plain, _ = year

    assert not any(remembering.repeated)
    assert any(plain.repeated)


def test_memory_sends_less_than_the_whole_history_and_completes_more_than_either(year):
    remembering, plain, whole = year
    completed = [fmean(one for some in lane.done.values() for one in some) for lane in year]

    assert completed[0] == max(completed)
    assert completed[0] > 0.9
    assert sum(remembering.tokens) < sum(whole.tokens) / 2
    assert sum(remembering.tokens) > sum(plain.tokens)


def test_the_whole_history_gives_away_what_was_deleted(year):
    *_, whole = year

    assert not any(whole.done["forgotten"])


def test_a_check_sees_what_is_missing_and_what_must_not_be_there():
    check = says("Oslo", never=["Rome"])

    assert None is check("You live in Oslo.")
    assert "does not say 'Oslo'" == check("I don't know that.")
    assert "says 'Rome'" == check("You live in Oslo, no longer Rome.")
