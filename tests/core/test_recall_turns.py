"""Recall over what was said: beside its neighbours, by speaker and by day, facts before turns."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from langgraph_agentmem import AgentMemory, AgentMemStore, Source

NS = ("memories", "asha")
START = datetime(2025, 5, 1, 10, tzinfo=UTC)

TALK = [
    ("Ann", "Hello there! How was your week?"),
    ("Ben", "Busy. The garden needed all of my time."),
    ("Ann", "What did you plant by the fence?"),
    ("Ben", "Tomatoes, and a row of beans."),
    ("Ann", "Lovely, ours is all weeds."),
]


def say(store, thread, talk, *, at=START, namespace=NS):
    for order, (author, text) in enumerate(talk):
        store.remember(
            namespace,
            f"{thread}.{order}",
            text,
            kind="turn",
            source=Source(
                thread_id=thread,
                message_ids=(f"{thread}-{order}",),
                author=author,
                said_at=at,
                order=order,
            ),
        )


@pytest.fixture
def store(path, clock):
    clock.moment = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
    with AgentMemStore.from_conn_string(path, clock=clock) as opened:
        say(opened, "garden", TALK)
        for n in range(10):
            filler = [("Ann", f"the number is {n} today"), ("Ben", f"noted {n} down")]
            say(opened, f"filler{n}", filler, at=START + timedelta(days=40 + n))
        yield opened


def topics(found) -> list[str]:
    return [hit.memory.topic for hit in found.relevant]


@pytest.mark.parametrize(
    "query", ["What did Ben write last May?", "Was hat Ben letzten Mai notiert?", "Ben 去年5月"]
)
def test_a_day_is_named_in_the_language_of_the_question(store, query):
    found = store.recall(NS, query, limit=2)

    assert {datetime(2025, 5, 1, 10, tzinfo=UTC)} == {
        hit.memory.source.said_at for hit in found.relevant
    }
    assert all(hit.why["date"] == 1.0 for hit in found.relevant)


def test_an_answer_is_found_by_the_question_before_it(store):
    found = store.recall(NS, "plant by the fence")

    assert {"garden.2", "garden.3"} == set(topics(found)[:2])
    answer = next(hit for hit in found.relevant if hit.memory.topic == "garden.3")
    assert answer.why["words"] > 0
    assert answer.why["neighbours"] > 0


def test_what_the_named_one_said_comes_before_what_was_said_to_them(store):
    found = store.recall(NS, "What did Ben plant by the fence?")

    assert "garden.3" == topics(found)[0]
    assert 1.0 == found.relevant[0].why["speaker"]


def test_of_two_equals_the_turn_that_opens_a_conversation_comes_first(store):
    later = [("Ann", "One moment."), ("Ben", "The boat leaks badly."), ("Ann", "Fine.")]
    opening = [("Ben", "Our boat leaks below."), ("Ann", "Right."), ("Ann", "Fine by me.")]
    say(store, "later", later)
    say(store, "opening", opening, at=START - timedelta(days=1))
    found = store.recall(NS, "boat leaks")

    assert ["opening.0", "later.1"] == [one for one in topics(found) if one[-2:] in {".0", ".1"}][
        :2
    ]
    assert 1.0 == found.relevant[0].why["opening"]
    assert all("opening" not in hit.why for hit in found.relevant[1:])


def test_only_turns_of_the_same_thread_are_neighbours(store):
    say(store, "other", [("Ann", "We have a fence by the road, and plant nothing.")])
    say(store, "another", [("Ben", "It rained.")])
    found = store.recall(NS, "plant by the fence", limit=20)

    assert "other.0" in topics(found)
    assert "another.0" not in topics(found)


def test_the_order_of_a_thread_is_that_of_its_sources_not_of_writing(path, clock):
    with AgentMemStore.from_conn_string(path, clock=clock) as store:
        for order, text in ((2, "Purple."), (0, "Hi."), (1, "Which colour is the door?")):
            source = Source(thread_id="t", message_ids=(str(order),), order=order)
            store.remember(NS, f"t.{order}", text, kind="turn", source=source)

        assert ["t.1", "t.2"] == topics(store.recall(NS, "colour of the door"))


def test_a_fact_is_no_neighbour(store):
    source = Source(thread_id="garden", message_ids=("garden-2",), author="Ann", order=2)
    store.remember(NS, "pet", "a grey cat", source=source)

    assert "pet" not in topics(store.recall(NS, "plant by the fence", limit=20))


@pytest.mark.parametrize(
    "query", ["What did we note in June?", "What was noted on 11 June 2025?", "noted last summer"]
)
def test_what_was_said_on_the_day_that_is_named_comes_first(store, query):
    found = store.recall(NS, query)

    assert 6 == found.relevant[0].memory.source.said_at.month
    assert found.relevant[0].why["date"] > 0


def test_i_and_you_are_the_user_and_the_assistant(path, clock):
    with AgentMemStore.from_conn_string(path, clock=clock) as store:
        say(
            store, "t", [("user", "A hotel with a pool"), ("assistant", "The hotel Sol has a pool")]
        )

        mine = store.recall(NS, "my hotel with a pool").relevant[0]
        yours = store.recall(NS, "your hotel with a pool").relevant[0]

    assert ["user", "assistant"] == [hit.memory.source.author for hit in (mine, yours)]


def test_a_fact_comes_before_the_turn_that_says_the_same(store):
    turn = "By the way I moved to Lisbon and live there now"
    say(store, "move", [("user", turn)])
    source = Source(thread_id="move", message_ids=("move-0",), author="user")
    store.remember(NS, "home_city", "lives in Lisbon", source=source)

    assert ["home_city", "move.0"] == topics(store.recall(NS, "Where in Lisbon do I live?"))[:2]


def test_what_says_the_same_twice_comes_last(path, clock):
    with AgentMemStore.from_conn_string(path, clock=clock) as store:
        for number in range(6):
            say(store, f"t{number}", [("user", "Peanuts make me ill, remember that!")])
        store.remember(NS, "snack", "peanuts at the cinema")
        found = store.recall(NS, "peanuts", limit=2)

    assert 2 == len({hit.memory.text for hit in found.relevant})
    assert "snack" in topics(found)


def test_topics_with_the_same_value_are_not_the_same(path, clock):
    with AgentMemStore.from_conn_string(path, clock=clock) as store:
        for topic in ("home city", "work city", "zoo"):
            store.remember(NS, topic, "Lisbon is it")
        store.remember(NS, "zz trip", "Lisbon in spring and autumn")
        found = store.recall(NS, "Lisbon", limit=3)

    assert ["home city", "work city", "zoo"] == topics(found)


def test_of_two_equals_the_newer_comes_first(path, clock):
    with AgentMemStore.from_conn_string(path, clock=clock) as store:
        store.remember(NS, "a.trip", "went to Oslo by train")
        clock.advance(days=60)
        store.remember(NS, "b.trip", "flew to Oslo with Meera")

        assert ["b.trip", "a.trip"] == topics(store.recall(NS, "Oslo"))


def test_the_same_question_gets_the_same_answer_an_hour_later(store, clock):
    before = store.recall(NS, "What did Ben plant?")
    clock.advance(hours=1)

    assert before == store.recall(NS, "What did Ben plant?")


def test_others_who_say_the_same_change_no_score(store):
    before = store.recall(NS, "What did Ben plant by the fence in May?")
    for user in range(5):
        say(store, "garden", TALK * 4, namespace=("memories", f"other{user}"))
        say(store, "garden", TALK, namespace=(*NS, "below"))

    assert before == store.recall(NS, "What did Ben plant by the fence in May?")


def test_kinds_narrow_before_the_ranking(store):
    for number in range(80):
        say(store, f"x{number}", [("Ann", "the fence, the fence!")])
    store.remember(NS, "fence", "a wooden fence, painted green on one side")

    assert ["fence"] == topics(store.recall(NS, "fence", kinds=["fact"], limit=1))
    assert "fence" not in topics(store.recall(NS, "fence", kinds=["turn"], limit=50))
    assert [] == topics(store.recall(NS, "fence", kinds=["procedure", "episode"]))


def test_a_recall_sees_what_was_said_forgotten_and_changed_since_the_last_one(store, path):
    assert "garden.3" in topics(store.recall(NS, "plant by the fence"))
    with AgentMemory.open(path) as other:
        say(other.store, "late", [("Ann", "Shall I water by the fence?"), ("Ben", "Yes, twice.")])
        other.store.forget(NS, "garden.2")

    assert "late.1" in topics(store.recall(NS, "water by the fence"))
    assert "garden.3" not in topics(store.recall(NS, "plant by the fence"))
    store.remember(NS, "late.0", "Never mind.", kind="turn")
    assert "late.1" not in topics(store.recall(NS, "water by the fence"))


def test_the_past_is_ranked_by_speaker_and_neighbours_too(store):
    moment = datetime(2026, 3, 2, 9, 1, tzinfo=UTC)
    found = store.recall(NS, "What did Ben plant by the fence?", as_of=moment)

    assert "garden.3" == topics(found)[0]
    assert 1.0 == found.relevant[0].why["speaker"]


def test_an_expired_turn_lends_nothing_to_its_neighbours(path, clock):
    with AgentMemStore.from_conn_string(path, clock=clock) as store:
        for order, (text, ttl) in enumerate((("Which colour is the door?", 5), ("Purple.", None))):
            source = Source(thread_id="t", message_ids=(str(order),), order=order)
            store.remember(NS, f"t.{order}", text, kind="turn", source=source, ttl=ttl)
        assert "t.1" in topics(store.recall(NS, "colour of the door"))
        clock.advance(minutes=6)

        assert [] == topics(store.recall(NS, "colour of the door"))


def test_hybrid_search_has_the_order_of_recall(path, clock):
    def embed(texts):
        return [[float(text.lower().count(one)) + 0.01 for one in "abcdefgh"] for text in texts]

    index = {"embed": embed, "ranking": "hybrid", "dims": 8}
    with AgentMemStore.from_conn_string(path, clock=clock, index=index) as store:
        say(store, "garden", TALK)
        query = "What did Ben plant by the fence?"
        recalled = topics(store.recall(NS, query, floor=0.0, limit=5))
        pages = [
            item.key
            for at in (0, 2, 4)
            for item in store.search(NS, query=query, limit=2, offset=at)
        ]

    assert recalled == pages
