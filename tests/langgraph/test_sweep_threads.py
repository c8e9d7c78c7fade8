"""Deleting threads by rule: idle time, age, number."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from chats import chat, talk, thread
from langgraph.checkpoint.sqlite import SqliteSaver

from langgraph_agentmem import AgentMemory, ThreadRetention


def reasons(sweep: Any) -> dict[str, str]:
    return {one.thread_id: one.reason for one in sweep.swept}


@pytest.fixture
def aged(path, clock):
    with AgentMemory.open(path, clock=clock) as memory:
        graph = chat(memory.checkpointer)
        for name, user in (("old", "asha"), ("older", "asha"), ("bens", "ben")):
            talk(graph, thread(name, user_id=user), 1)
        clock.advance(days=30)
        talk(graph, thread("old", user_id="asha"), 1, first=1)
        talk(graph, thread("new", user_id="asha"), 1)
        clock.advance(days=1)
        yield memory


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ({"idle_days": 7}, {"older": "idle", "bens": "idle"}),
        ({"max_days": 7}, {"old": "max_age", "older": "max_age", "bens": "max_age"}),
        ({"keep_last": 1}, {"old": "keep_last", "older": "keep_last"}),
        ({"idle_days": 7, "keep_last": 1}, {"old": "keep_last", "older": "idle", "bens": "idle"}),
        ({"idle_days": 60}, {}),
    ],
)
async def test_threads_go_by_rule_each_with_its_reason(aged, rule, expected):
    retention = make(rule)

    listed = aged.sweep_threads(retention, dry_run=True)
    assert expected == reasons(listed)
    assert 4 == len(
        {one.config["configurable"]["thread_id"] for one in aged.checkpointer.list(None)}
    )
    swept = await aged.asweep_threads(retention)

    assert (listed.swept, True, False) == (swept.swept, listed.dry_run, swept.dry_run)
    left = {one.config["configurable"]["thread_id"] for one in aged.checkpointer.list(None)}
    assert {"old", "older", "bens", "new"} - expected.keys() == left
    assert {} == reasons(aged.sweep_threads(retention))


def make(rule: dict[str, int]) -> ThreadRetention:
    idle, oldest = rule.get("idle_days"), rule.get("max_days")
    return ThreadRetention(
        idle=None if idle is None else timedelta(days=idle),
        max_age=None if oldest is None else timedelta(days=oldest),
        keep_last=rule.get("keep_last"),
    )


def test_a_sweep_of_one_user_touches_nobody_elses_thread(aged):
    assert {"older": "idle"} == reasons(aged.sweep_threads(make({"idle_days": 7}), user_id="asha"))
    assert {} == reasons(aged.sweep_threads(make({"idle_days": 7}), user_id="ash"))
    assert {"bens": "idle"} == reasons(aged.sweep_threads(make({"idle_days": 7})))


def test_threads_of_the_official_saver_are_dated_by_their_checkpoints(path, clock):
    with SqliteSaver.from_conn_string(str(path)) as official:
        talk(chat(official), thread(), 1)
        last = official.get_tuple(thread())
        official.put(thread("imported", checkpoint_ns=""), {**last.checkpoint, "id": "7"}, {}, {})
    clock.moment = datetime.fromisoformat(last.checkpoint["ts"]) + timedelta(days=6)
    with AgentMemory.open(path, clock=clock, require_user=False) as memory:
        week = make({"idle_days": 7})
        assert {} == reasons(memory.sweep_threads(week))
        clock.advance(days=2)
        swept = memory.sweep_threads(week)

        assert {"t1": "idle"} == reasons(swept)
        assert ("imported",) == swept.undated


@pytest.mark.parametrize(
    "wrong",
    [{}, {"idle": 3}, {"idle": -1}, {"max_age": "1d"}, {"keep_last": 0}, {"keep_last": True}],
)
def test_a_rule_that_is_none_is_refused(wrong):
    with pytest.raises(ValueError, match=r"rule|timedelta above 0|whole number"):
        ThreadRetention(**wrong)
