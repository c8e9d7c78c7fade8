"""A turn that tells an older value does not stand without the one that holds now."""

from __future__ import annotations

import pytest

from langgraph_agentmem import AgentMemory, Candidate, RuleExtractor, Source

TOLD = "I live in Berlin, near the park."


@pytest.fixture
def asha(path, clock):
    with AgentMemory.open(path, clock=clock) as memory:
        yield memory.for_user("asha")


def say(asha, message_id: str, text: str, *, thread_id: str | None = "monday") -> None:
    """As `extract_facts` and `remember_turns` keep a message of the user."""
    source = Source(thread_id=thread_id, message_ids=(message_id,), author="user")
    message = {"role": "user", "content": text, "id": message_id}
    asha.learn([message], extractor=RuleExtractor(), thread_id=thread_id)
    asha.remember(f"turn.{message_id}", text, kind="turn", source=source)


def found(asha, **options) -> list[str]:
    return [hit.memory.topic for hit in asha.recall("Where do I live?", **options).relevant]


@pytest.fixture
def moved(asha, clock):
    say(asha, "m1", TOLD)
    clock.advance(days=7)
    say(asha, "m2", "I moved to Lisbon.")
    return asha


def test_the_value_that_holds_now_comes_before_the_turn_that_told_the_old_one(moved):
    recall = moved.recall("Where do I live?")

    assert ["home_city", "turn.m1"] == [hit.memory.topic for hit in recall.relevant][:2]
    assert ("Lisbon", 1.0) == (recall.relevant[0].memory.text, recall.relevant[0].why["newer"])


def test_of_one_place_the_value_that_holds_now_takes_it(moved):
    assert ["home_city"] == found(moved, limit=1)


def test_a_turn_that_tells_what_still_holds_brings_nothing_along(asha):
    say(asha, "m1", TOLD)

    assert "newer" not in {
        part for hit in asha.recall("Where do I live?").relevant for part in hit.why
    }


def test_what_is_pinned_comes_once(moved):
    moved.pin("home_city")
    recall = moved.recall("Where do I live?")

    assert ["home_city"] == [hit.memory.topic for hit in recall.pinned]
    assert "home_city" not in found(moved)


def test_a_value_that_the_application_set_is_newer_too(moved):
    moved.remember("home_city", "Oslo")

    assert ["home_city", "turn.m1"] == found(moved)[:2]


def test_who_asks_for_turns_alone_gets_turns_alone(moved):
    assert "turn.m1" == found(moved, kinds=["turn"])[0]
    assert "home_city" not in found(moved, kinds=["turn"])


def test_an_ended_forgotten_or_expired_value_does_not_come(moved, clock):
    moved.retire("home_city")
    assert "home_city" not in found(moved)

    moved.remember("home_city", "Oslo", ttl=10)
    clock.advance(minutes=11)
    assert "home_city" not in found(moved)

    moved.forget("home_city")
    assert "home_city" not in found(moved)


def test_the_past_is_recalled_as_it_was(moved, clock):
    then = moved.recall("Where do I live?", as_of=clock.moment.replace(day=clock.moment.day - 3))

    assert "Lisbon" not in [hit.memory.text for hit in then.relevant]


def test_the_same_message_id_in_another_thread_is_another_message(asha):
    say(asha, "m1", TOLD, thread_id="monday")
    other = Source(thread_id="tuesday", message_ids=("m1",), author="user")
    store = asha._store
    store.learn(asha.namespace, [Candidate(topic="seat", value="window", source=other)])
    asha.remember("seat", "aisle")

    assert "seat" not in found(asha)


def test_a_turn_without_a_thread_has_its_newer_value_too(asha, clock):
    say(asha, "m1", TOLD, thread_id=None)
    clock.advance(days=7)
    say(asha, "m2", "I moved to Lisbon.", thread_id=None)

    assert ["home_city", "turn.m1"] == found(asha)[:2]
