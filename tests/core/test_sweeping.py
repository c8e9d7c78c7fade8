"""Freeing the space of what has expired, beside others who write."""

from __future__ import annotations

import pytest
from langgraph.store.base import PutOp

from langgraph_agentmem import AgentMemStore
from langgraph_agentmem.testing import HandClock


@pytest.mark.parametrize("number", [0, 1, 499, 500, 501, 1200])
def test_other_writers_get_their_turn_while_many_memories_are_swept(path, number):
    clock = HandClock()
    with (
        AgentMemStore.from_conn_string(path, clock=clock) as store,
        AgentMemStore.from_conn_string(path, clock=clock, busy_timeout=0) as other,
    ):
        store.batch([PutOp(("n",), f"k{one}", {"n": one}, ttl=1) for one in range(number)])
        store.put(("n",), "stays", {"n": 1})
        clock.advance(minutes=2)
        perform = store.backend.perform
        turns = []

        def then_write(steps, **options):
            done = perform(steps, **options)
            other.put(("other",), "k", {"n": done})
            turns.append(done)
            return done

        store.backend.perform = then_write
        assert number == store.sweep_ttl()
        assert max(turns) <= 500
        assert number == sum(turns)

        clock.advance(days=-1)
        assert {"stays", "k"} == {item.key for item in other.search((), limit=5000)}
