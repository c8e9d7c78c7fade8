"""Every promise of the store, in every lane."""

from __future__ import annotations

import pytest

from langgraph_agentmem import AgentMemStore
from langgraph_agentmem.testing import CHECKS, every_check


def open_sqlite(place, *, index, ttl, clock):
    return AgentMemStore.from_conn_string(place / "memory.db", index=index, ttl=ttl, clock=clock)


@pytest.mark.parametrize(
    ("check", "lane"),
    [pytest.param(check, lane, id=f"{check.id}-sqlite-{lane}") for check, lane in every_check()],
)
def test_the_store_keeps(check, lane, tmp_path):
    check.run(lane, open_sqlite, tmp_path)


def test_every_promise_has_a_check():
    series = {
        "KV": 31, "NS": 11, "SR": 12, "FL": 28, "BT": 11,
        "LN": 12, "IX": 35, "TT": 21, "CC": 19, "LG": 9,
    }  # fmt: skip
    promised = {
        f"{name}{number:02}" for name, last in series.items() for number in range(1, last + 1)
    }
    never_applies = {"TT02"}  # a store without TTL: this one always has it

    assert promised - never_applies == set(CHECKS)
    assert all(check.says for check in CHECKS.values())
