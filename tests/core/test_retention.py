"""Forgetting by rule, and duplicates."""

from __future__ import annotations

import sqlite3
from datetime import timedelta
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langgraph_agentmem import AgentMemory, Candidate, Source
from langgraph_agentmem.errors import InvalidNamespace
from langgraph_agentmem.retention import Duplicate, Retention

NS = ("memories", "asha")
BEN = ("memories", "ben")


@pytest.fixture
def store(memory):
    return memory.store


def topics(sweep) -> list[str]:
    return [one.topic for one in sweep.swept]


def held(store, namespace=NS) -> set[str]:
    return {one.topic for one in store.memories(namespace)}


# Rules -----------------------------------------------------------------------------------------


def test_what_was_not_written_for_long_goes_with_its_history_and_says_why(store, clock):
    store.remember(NS, "old", "one")
    store.remember(NS, "old", "two")
    store.remember(NS, "pin", "stays", pinned=True)
    clock.advance(days=31)
    store.remember(NS, "new", "three")

    swept = store.sweep(Retention(max_age=timedelta(days=30)))

    assert [("old", "max_age", NS)] == [(o.topic, o.reason, o.namespace) for o in swept.swept]
    assert {"new", "pin"} == held(store)
    assert [] == store.history(NS, "old")


def test_a_dry_run_lists_and_changes_nothing(store, clock):
    store.remember(NS, "old", "one")
    clock.advance(days=31)

    listed = store.sweep(Retention(max_age=timedelta(days=30)), dry_run=True)

    assert (["old"], True) == (topics(listed), listed.dry_run)
    assert {"old"} == held(store)
    assert listed.swept == store.sweep(Retention(max_age=timedelta(days=30))).swept


def test_recalls_count_as_uses_and_spare_what_is_used(store, clock):
    store.remember(NS, "pet", "a dog")
    store.remember(NS, "car", "a beetle")
    clock.advance(days=20)
    store.recall(NS, "which pet?")
    clock.advance(days=15)

    assert ["car"] == topics(store.sweep(Retention(unused_for=timedelta(days=30))))
    assert {"pet"} == held(store)


def test_what_was_used_often_is_spared(store, clock):
    for topic in ("pet", "car"):
        store.remember(NS, topic, f"a thing called {topic}")
    for _ in range(3):
        store.recall(NS, "pet")
    store.recall(NS, "car")
    clock.advance(days=90)

    assert ["car"] == topics(store.sweep(Retention(unused_for=timedelta(days=30), min_uses=3)))


def test_a_half_life_takes_what_has_faded_and_uses_make_it_fade_later(store, clock):
    store.remember(NS, "pet", "a dog")
    store.remember(NS, "car", "a beetle")
    for _ in range(7):
        store.recall(NS, "pet")
    week = Retention(half_life=timedelta(days=7))
    clock.advance(days=20)
    early = store.sweep(week)
    clock.advance(days=2)
    later = store.sweep(week)
    clock.advance(days=21)
    last = store.sweep(week)

    assert ([], ["car"], ["pet"]) == (topics(early), topics(later), topics(last))


def test_a_capacity_holds_for_each_namespace_and_keeps_what_was_used_last(store, clock):
    for namespace in (NS, BEN):
        for number in range(5):
            store.remember(namespace, f"t{number}", f"word{number}")
            clock.advance(minutes=1)
    store.remember(NS, "pin", "stays", pinned=True)
    store.recall(NS, "word0")

    swept = store.sweep(Retention(capacity=3))

    assert {"t0", "t3", "t4", "pin"} == held(store)
    assert {"t2", "t3", "t4"} == held(store, BEN)
    assert {"capacity"} == {one.reason for one in swept.swept}


def test_a_capacity_with_a_half_life_keeps_the_strongest(store, clock):
    for topic in ("a", "b", "c"):
        store.remember(NS, topic, f"thing {topic}x")
    for _ in range(5):
        store.recall(NS, "ax")
    clock.advance(days=5)
    store.recall(NS, "bx")

    store.sweep(Retention(capacity=1, half_life=timedelta(days=10)))

    assert {"a"} == held(store)


def test_only_the_given_kinds_and_the_given_namespace_are_swept(store, clock):
    store.remember(NS, "fact", "one")
    store.remember(NS, "turn", "two", kind="turn")
    store.remember((*NS, "work"), "turn", "three", kind="turn")
    store.remember(BEN, "turn", "four", kind="turn")
    clock.advance(days=2)

    swept = store.sweep(Retention(max_age=timedelta(days=1), kinds=("turn",)), namespace=NS)

    assert ["turn", "turn"] == topics(swept)
    assert {"fact"} == held(store)
    assert {"turn"} == held(store, BEN)


async def test_sweeping_is_there_for_one_user_and_awaited(memory, clock):
    memory.for_user("asha").remember("a", "x")
    memory.for_user("ben").remember("b", "y")
    clock.advance(days=2)

    swept = await memory.for_user("asha").asweep(Retention(max_age=timedelta(days=1)))

    assert ["a"] == topics(swept)
    assert {"b"} == held(memory.store, BEN)


def test_a_sweep_leaves_no_tombstone(store, clock):
    source = Source(thread_id="t", message_ids=("m",))
    store.learn(NS, [Candidate(topic="a", value="x", source=source)])
    clock.advance(days=2)
    store.sweep(Retention(max_age=timedelta(days=1)))

    assert ["a"] == [
        one.topic for one in store.learn(NS, [Candidate(topic="a", value="x", source=source)]).kept
    ]


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ({}, "needs a rule"),
        ({"max_age": 30}, "max_age is a timedelta"),
        ({"max_age": timedelta(0)}, "max_age is a timedelta"),
        ({"min_uses": 2}, "give both"),
        ({"capacity": 0}, "capacity is a whole number"),
        ({"capacity": True}, "capacity is a whole number"),
        ({"max_age": timedelta(1), "kinds": ("facts",)}, "kinds are a tuple"),
        ({"max_age": timedelta(1), "kinds": "fact"}, "kinds are a tuple"),
    ],
)
def test_rules_that_make_no_sense_are_refused(rules, said):
    with pytest.raises(ValueError, match=said):
        Retention(**rules)


def test_a_sweep_without_rules_is_refused(store):
    with pytest.raises(TypeError, match="takes a Retention"):
        store.sweep({"max_age": 3})
    with pytest.raises(InvalidNamespace):
        store.sweep(Retention(capacity=1), namespace="asha")


# Counting uses ---------------------------------------------------------------------------------


def uses(path) -> dict[str, int]:
    connection = sqlite3.connect(path)
    found = dict(connection.execute("SELECT topic, uses FROM memories"))
    connection.close()
    return found


def test_recalling_writes_nothing_until_it_is_closed(path, clock):
    with AgentMemory.open(path, clock=clock) as memory:
        memory.store.remember(NS, "pet", "a dog")
        for _ in range(3):
            memory.store.recall(NS, "pet")
        before = uses(path)

    assert ({"pet": 0}, {"pet": 3}) == (before, uses(path))


def test_many_recalls_are_written_together(store, path):
    for number in range(510):
        store.remember(NS, f"t{number}", f"thing{number}")
    for number in range(499):
        store.recall(NS, f"thing{number}")
    before = sum(uses(path).values())
    store.recall(NS, "thing499")

    assert (0, 500) == (before, sum(uses(path).values()))


def test_a_recall_of_the_past_is_no_use(path, clock):
    with AgentMemory.open(path, clock=clock) as memory:
        memory.store.remember(NS, "pet", "a dog")
        memory.store.recall(NS, "pet", as_of=clock())

    assert {"pet": 0} == uses(path)


def test_a_new_value_keeps_the_uses_of_its_topic_and_counts_as_written(store, clock):
    store.remember(NS, "pet", "a dog")
    store.recall(NS, "pet")
    clock.advance(days=40)
    store.remember(NS, "pet", "a cat")

    assert [] == topics(store.sweep(Retention(unused_for=timedelta(days=30))))


# Duplicates --------------------------------------------------------------------------------------


def test_near_duplicates_are_reported_and_nothing_changes(store, clock):
    store.remember(NS, "hobby", "Asha loves bouldering in the hall on Saturdays")
    clock.advance(days=1)
    store.remember(NS, "hobby.sport", "asha loves  bouldering in the hall on saturdays!")
    store.remember(NS, "food", "Asha loves dumplings")

    (pair,) = store.find_duplicates(NS, least=0.8)

    assert ("hobby.sport", "hobby", False) == (pair.kept, pair.superseded, pair.exact)
    assert pair.likeness >= 0.8
    assert {"hobby", "hobby.sport", "food"} == held(store)


def test_equal_values_of_two_named_topics_are_two_facts(store):
    store.remember(NS, "home_city", "Berlin")
    store.remember(NS, "birth_city", "Berlin")

    assert [] == store.find_duplicates(NS)
    assert [] == store.consolidate(NS)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("home_city", "home city"),
        ("Home.City", "home_city"),
        ("0b7e8c1e-5a7d-4f7e-9a61-0d3f6f1b2c3d", "1b7e8c1e-5a7d-4f7e-9a61-0d3f6f1b2c3d"),
        ("home_city", "a3f09b2c4d5e"),
    ],
)
def test_exact_duplicates_end_when_consolidating_and_their_history_stays(store, clock, one, other):
    store.remember(NS, one, "Zoë lives in  BERLIN.")
    clock.advance(days=1)
    store.remember(NS, other, "zoe\u0308 lives in Berlin")

    dry = store.consolidate(NS, dry_run=True)
    kept_all = held(store)
    (pair,) = store.consolidate(NS)

    assert (dry, {one, other}) == ([pair], kept_all)
    assert (other, one, True) == (pair.kept, pair.superseded, pair.exact)
    assert {other} == held(store)
    (before,) = store.history(NS, one)
    store.remember(NS, one, before.value)
    assert {one, other} == held(store)


def test_near_ones_end_only_when_they_are_given(store, clock):
    store.remember(NS, "sport", "Asha climbs boulders every Saturday morning")
    clock.advance(days=1)
    store.remember(NS, "hobby", "Asha climbs boulders every Saturday morning early")
    (pair,) = store.find_duplicates(NS, least=0.6)

    assert [] == store.consolidate(NS)
    assert [pair] == store.consolidate(NS, apply=[pair])
    assert {"hobby"} == held(store)
    assert [] == store.consolidate(NS, apply=[pair])


def test_pinned_ones_never_end(store, clock):
    store.remember(NS, "home_city", "lives in Berlin", pinned=True)
    clock.advance(days=1)
    store.remember(NS, "home city", "lives in Berlin")
    store.remember(NS, "home-city", "lives in Berlin", pinned=True)

    ended = store.consolidate(NS)

    assert ["home city"] == [pair.superseded for pair in ended]
    assert {"home_city", "home-city"} == held(store)


def test_users_and_kinds_are_never_mixed(store):
    store.remember(NS, "a1b2c3d4", "loves bouldering on Saturdays")
    store.remember(BEN, "a1b2c3d5", "loves bouldering on Saturdays")
    store.remember(NS, "a1b2c3d6", "loves bouldering on Saturdays", kind="procedure")

    assert [] == store.find_duplicates(NS)
    ben = Duplicate(namespace=BEN, kept="a", superseded="b", likeness=1.0, exact=True)
    with pytest.raises(ValueError, match="own namespace"):
        store.consolidate(NS, apply=[ben])


def test_turns_are_compared_only_when_they_are_asked_for(store):
    store.remember(NS, "a1b2c3d4", "loves bouldering on Saturdays", kind="turn")
    store.remember(NS, "a1b2c3d5", "loves bouldering on Saturdays", kind="turn")

    assert [] == store.find_duplicates(NS)
    assert [] == store.consolidate(NS)
    assert 1 == len(store.find_duplicates(NS, kind="turn"))


def test_vectors_tell_what_words_do_not(path):
    near = {"commute": [1.0, 0.1], "way to work": [1.0, 0.0]}

    def embed(texts: list[str]) -> list[list[float]]:
        return [next((v for k, v in near.items() if k in text), [0.0, 1.0]) for text in texts]

    with AgentMemory.open(path, embed=embed) as memory:
        memory.store.remember(NS, "a", "my commute takes an hour")
        memory.store.remember(NS, "b", "sixty minutes is my way to work")
        memory.store.remember(NS, "c", "a dog")

        (pair,) = memory.store.find_duplicates(NS)
    assert {"a", "b"} == {pair.kept, pair.superseded}
    assert 0.9 < pair.likeness < 1


@pytest.mark.parametrize(
    "value", ["bouldering hall", "मुझे चाय बहुत पसंद है", "ฉันชอบชามาก", "私は緑茶が好きです", "Größe 42"]
)
def test_what_is_learnt_supersedes_its_exact_duplicate(store, clock, value):
    def learn(topic: str, message: str):
        source = Source(thread_id="t", message_ids=(message,))
        return store.learn(NS, [Candidate(topic=topic, value=value, source=source)])

    learn("hobby_place", "m1")
    clock.advance(days=1)
    learned = learn("hobby place", "m2")

    assert ["hobby place"] == [one.topic for one in learned.kept]
    assert {"hobby place"} == held(store)
    assert 1 == len(store.history(NS, "hobby_place"))
    assert ["hobby_place"] == list(learned.retired)


@pytest.mark.parametrize("least", [0, 1.5, True, "0.9"])
def test_a_likeness_out_of_range_is_refused(store, least):
    with pytest.raises(ValueError, match="least is a number"):
        store.find_duplicates(NS, least=least)


@given(
    texts=st.lists(
        st.lists(st.sampled_from("abcdefghij"), min_size=1, max_size=6), min_size=2, max_size=12
    ),
    least=st.sampled_from([0.3, 0.5, 0.75, 0.9, 1.0]),
)
def test_every_pair_that_is_so_alike_is_found_and_no_other(texts, least):
    with AgentMemory.open(":memory:") as memory:
        said = {f"t{at}": {f"w{word}word" for word in words} for at, words in enumerate(texts)}
        for topic, words in said.items():
            memory.store.remember(NS, topic, " ".join(sorted(words)))
        found = memory.store.find_duplicates(NS, least=least)
        pairs = {frozenset((one.kept, one.superseded)) for one in found}
        # A topic's own words count too: each has one that no other has, but for equal texts.
        alike = {topic: {*words, topic} for topic, words in said.items()}
        expected = {
            frozenset((one, other))
            for one, other in combinations(said, 2)
            if len(alike[one] & alike[other]) / len(alike[one] | alike[other]) >= least
        }

    assert expected <= pairs
    assert all(said[one] == said[other] for one, other in map(sorted, pairs - expected))
