"""What waits for consent, and what was consented to: forgotten, kept by retention, exported."""

from __future__ import annotations

from datetime import timedelta

import pytest

from langgraph_agentmem import AgentMemory, Candidate, Retention, Source
from langgraph_agentmem.model import Hold

NS = ("memories", "asha")
GOUT = "has gout since 1999"


def ask(candidate: Candidate) -> Hold | None:
    return Hold(("health",)) if candidate.topic.startswith("health") else None


def learn(memory: AgentMemory, topic: str, value: str, message: str) -> None:
    source = Source(thread_id="t", message_ids=(message,), author="user")
    candidate = Candidate(topic=topic, value=value, source=source)
    memory.store.learn(NS, [candidate], policy=ask)


@pytest.fixture
def waiting(memory):
    learn(memory, "health", GOUT, "m1")
    return memory


def consent(memory: AgentMemory) -> None:
    (held,) = memory.store.held(NS)
    memory.store.consent(NS, held.id, yes=True)


def test_what_was_consented_to_is_swept_by_no_rule(waiting, clock):
    consent(waiting)
    waiting.store.remember(NS, "seat", "window")
    clock.advance(days=100)
    swept = waiting.store.sweep(
        Retention(max_age=timedelta(days=1), capacity=1, half_life=timedelta(days=1))
    )

    assert ["seat"] == [one.topic for one in swept.swept]
    assert GOUT == waiting.store.look(NS, "health").text


def test_what_waits_goes_with_its_topic(waiting, path):
    receipt = waiting.forget("asha", "health")

    assert 1 == receipt.removed["held"]
    assert [] == waiting.store.held(NS)
    assert waiting.verify(receipt, text=GOUT).clean
    learn(waiting, "health", GOUT, "m1")
    assert [] == waiting.store.held(NS)


def test_what_waits_under_another_topic_and_states_the_value_goes_too(memory):
    memory.store.remember(NS, "phone", "+351 912 345 678")
    learn(memory, "health.doctor", "call +351-912-345-678 about the gout", "m2")
    learn(memory, "health.other", "sleeps badly", "m3")
    listed = memory.forget("asha", "phone", dry_run=True)
    receipt = memory.forget("asha", "phone")

    assert ["sleeps badly"] == [one.value["text"] for one in memory.store.held(NS)]
    assert (1, 1) == (listed.removed["held"], receipt.removed["held"])
    assert "held memories/asha/health.doctor" in listed.would_go


def test_both_are_exported_and_come_back(waiting, tmp_path, clock):
    consent(waiting)
    learn(waiting, "health.other", "sleeps badly", "m3")
    lines = [*waiting.export_user("asha")]
    with AgentMemory.open(tmp_path / "other.db", clock=clock) as other:
        other.import_user(lines)
        held, consents = other.store.held(NS), other.store.consents(NS)
        again = [*other.export_user("asha")]
        other.store.consent(NS, held[0].id, yes=True)
        kept = other.store.look(NS, "health.other").text

    assert waiting.store.held(NS) == held
    assert waiting.store.consents(NS) == consents
    assert lines == again
    assert "sleeps badly" == kept


def test_what_waited_and_was_forgotten_since_does_not_come_back(waiting, clock):
    older = [*waiting.export_user("asha")]
    clock.advance(days=1)
    waiting.forget("asha", "health")
    done = waiting.import_user(older)

    assert ({}, {"topic": 1}) == (done.written, done.forgotten)
    assert [] == waiting.store.held(NS)
