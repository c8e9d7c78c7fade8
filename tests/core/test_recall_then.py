"""Recall of what held at a moment."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

NS = ("memories", "asha")


@pytest.fixture
def moments(memory, clock):
    """Asha's life: Pune, then Berlin, then Lisbon; a job that ended; a diet that came last."""
    store, seen = memory.store, {}
    store.remember(NS, "home_city", "Pune")
    store.remember(NS, "job", "baker of breads")
    store.remember(NS, "name", "Asha", pinned=True)
    clock.advance(days=10)
    seen["in pune"] = clock()
    store.remember(NS, "home_city", "Berlin")
    store.retire(NS, "job")
    clock.advance(days=10)
    seen["in berlin"] = clock()
    store.remember(NS, "home_city", "Lisbon")
    store.remember(NS, "diet", "vegan")
    clock.advance(days=10)
    seen["now"] = clock()
    return seen


def texts(memory, query: str, as_of: datetime | None = None, **options) -> list[str]:
    found = memory.store.recall(NS, query, as_of=as_of, **options)
    return [hit.memory.text for hit in found.relevant]


@pytest.mark.parametrize(
    ("moment", "city", "job"),
    [("in pune", "Pune", ["baker of breads"]), ("in berlin", "Berlin", []), ("now", "Lisbon", [])],
)
def test_a_question_about_the_past_gets_the_value_of_then(memory, moments, moment, city, job):
    assert [city] == texts(memory, "Which city is home?", moments[moment])
    assert job == texts(memory, "breads baking", moments[moment])


def test_stemming_and_the_floor_hold_for_the_past_too(memory, moments):
    assert ["baker of breads"] == texts(memory, "bread", moments["in pune"])
    assert [] == texts(memory, "bread zeppelin quark tundra", moments["in pune"])


def test_what_came_later_is_not_there_yet(memory, moments):
    assert ["vegan"] == texts(memory, "vegan diet")
    assert [] == texts(memory, "vegan diet", moments["in berlin"])


def test_pinned_memories_come_with_their_value_of_then(memory, moments):
    memory.store.remember(NS, "name", "Aasha")
    then = memory.store.recall(NS, "hello", as_of=moments["in berlin"])

    assert ["Asha"] == [hit.memory.text for hit in then.pinned]
    assert ["Aasha"] == [hit.memory.text for hit in memory.store.recall(NS, "hello").pinned]


def test_a_question_that_matches_nothing_gets_the_newest_facts_of_then(memory, moments):
    found = memory.store.recall(NS, "How tall is the tower?", as_of=moments["in pune"], limit=1)

    assert ["baker of breads"] == [hit.memory.text for hit in found.relevant]
    assert ["no match"] == list(found.relevant[0].why)


def test_before_anything_was_said_there_is_nothing(memory, moments):
    assert [] == texts(memory, "home city", datetime.fromisoformat("2020-01-01T00:00:00+00:00"))


def test_what_was_forgotten_is_gone_from_the_past(memory, moments):
    memory.forget("asha", "home_city")

    assert [] == texts(memory, "home city", moments["in pune"])


async def test_the_async_form_and_the_users_view_give_the_same(memory, moments):
    asha, then = memory.for_user("asha"), moments["in berlin"]

    assert asha.recall("home city", as_of=then) == await asha.arecall("home city", as_of=then)


def test_a_moment_needs_a_timezone(memory):
    with pytest.raises(ValueError, match="timezone"):
        memory.store.recall(NS, "home", as_of=datetime(2026, 1, 1))  # noqa: DTZ001


def test_two_recalls_of_the_past_do_not_mix(memory, moments):
    memory.store.remember(("memories", "ben"), "home_city", "Oslo")
    texts(memory, "home city", moments["in pune"])
    ben = memory.store.recall(("memories", "ben"), "home city", as_of=moments["now"])

    assert [] == [hit.memory.text for hit in ben.relevant]
    assert ["Berlin"] == texts(memory, "home city", moments["in berlin"])


def test_what_was_known_at_a_moment_leaves_out_what_was_learnt_later(memory, clock):
    store = memory.store
    store.remember(NS, "home_city", "Oslo")
    store.remember(NS, "pet", "a home for a dog")
    clock.advance(days=10)
    known_at = clock.moment
    clock.advance(days=1)
    store.remember(NS, "home_city", "Rome", valid_from=known_at - timedelta(days=5))
    store.remember(NS, "home_garden", "roses")
    store.retire(NS, "pet")

    then = store.recall(NS, "home city, pet, garden", known_at=known_at)
    held = store.recall(NS, "home city, pet, garden", as_of=known_at)

    assert {"Oslo", "a home for a dog"} == {one.text for one in then.memories}
    assert {"Rome", "a home for a dog"} == {one.text for one in held.memories}
