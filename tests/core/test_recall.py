"""What one query gets, and what is left out and why."""

from __future__ import annotations

import pytest
from langgraph.store.base import PutOp

from langgraph_agentmem import AgentMemory, AgentMemStore, Source
from langgraph_agentmem.errors import InvalidNamespace
from langgraph_agentmem.ranking import line_tokens

NS = ("memories", "asha")

LIFE = {
    "allergy": "Asha is allergic to peanuts",
    "home_city": "Asha lives in Lisbon",
    "seat": "prefers a window seat on planes",
    "budget": "spends at most 150 euros a night on hotels",
    "sister": "her sister Meera is a doctor in Pune",
    "commute": "cycles to the office every day",
}


@pytest.fixture
def store(path, clock):
    with AgentMemStore.from_conn_string(path, clock=clock) as opened:
        for topic, text in LIFE.items():
            opened.remember(NS, topic, text)
        yield opened


def topics(hits) -> list[str]:
    return [hit.memory.topic for hit in hits]


def left_out(recall) -> dict[str, str]:
    return {one.topic: one.reason for one in recall.left_out}


# Words ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "topic"),
    [
        ("Which seat do I like on planes?", "seat"),
        ("hotel", "budget"),
        ("CYCLING", "commute"),
        ("any allergies?", "allergy"),
        ("where does Méera work", "sister"),
        ("my home city", "home_city"),
    ],
)
def test_a_word_finds_its_memory_whatever_its_ending_case_accents_or_place(store, query, topic):
    found = store.recall(NS, query)

    assert [topic] == topics(found.relevant)
    assert 0.3 <= found.relevant[0].score <= 1
    assert {"words": pytest.approx(found.relevant[0].score, abs=0.02)} == found.relevant[0].why


def test_accents_are_folded_in_what_is_stored_too(store):
    store.remember(NS, "cafe", "trifft Jörg im Café an der Straße")

    assert ["cafe"] == topics(store.recall(NS, "jorg cafe STRASSE").relevant)


def test_a_memory_that_holds_little_of_what_is_asked_is_below_the_floor(store):
    found = store.recall(NS, "doctor appointments near railway museum tomorrow evening")

    assert [] == topics(found.relevant)
    assert {"sister": "below floor"} == left_out(found)


def test_the_best_comes_first_and_a_rare_word_counts_more(store):
    found = store.recall(NS, "Asha window")

    assert ["seat", "allergy", "home_city"] == topics(found.relevant)
    assert found.relevant[0].score > found.relevant[1].score == found.relevant[2].score


def test_rarity_is_counted_in_this_namespace_alone(store):
    for number in range(50):
        store.remember(("memories", f"other{number}"), "note", "window planes seat")

    assert ["seat"] == topics(store.recall(NS, "window plans").relevant)


def test_stop_words_find_nothing_by_themselves(store):
    store.remember(NS, "song", "what is it that you want")

    assert [] == topics(store.recall(NS, "what is it that you want").relevant)


@pytest.mark.parametrize("query", ["", "  \n", "hi!", "Good morning :)", "thanks, bye", "🙂", "?!"])
def test_a_greeting_or_a_blank_gets_the_pinned_alone(store, query):
    store.pin(NS, "allergy")
    found = store.recall(NS, query)

    assert (["allergy"], []) == (topics(found.pinned), topics(found.relevant))
    assert () == found.left_out


def test_nonsense_gets_the_pinned_alone(store):
    store.pin(NS, "allergy")
    found = store.recall(NS, "asdf qwerty zxcv")

    assert (["allergy"], []) == (topics(found.pinned), topics(found.relevant))


def test_a_question_that_matches_nothing_gets_the_newest_facts_and_says_so(store):
    store.remember(NS, "trip", "went to Porto", kind="episode")
    found = store.recall(NS, "How long is my daily ride?", limit=3)

    assert ["commute", "sister", "budget"] == topics(found.relevant)
    assert {"no match": 1.0} == found.relevant[0].why
    assert ("no memory matched the words; these are the newest facts",) == found.notes


def test_the_newest_facts_keep_to_the_budget_and_nothing_is_named_twice(store):
    cost = line_tokens("commute", LIFE["commute"])
    found = store.recall(NS, "How long is my daily ride?", limit=2, token_budget=cost)

    assert ["commute"] == topics(found.relevant)
    assert [("sister", "over budget")] == [(one.topic, one.reason) for one in found.left_out]


@pytest.mark.parametrize(
    "query",
    [
        'seat"',
        "seat*",
        "(seat",
        "NEAR(seat, 2)",
        "seat AND",
        "tokens:seat",
        "^seat",
        "seat OR NOT",
        "-seat +{",
        "'; DROP TABLE seat; --",
        "seat\x00",
        "seat \ud800",
        "1_seat seat",
    ],
)
def test_search_syntax_in_a_query_is_plain_text(store, query):
    assert "seat" in topics(store.recall(NS, query).relevant)


def test_a_query_of_100000_characters_is_answered(store):
    found = store.recall(NS, "seat " + "; ".join(f"w{number}" for number in range(15_000)))

    assert [] == topics(found.relevant)
    assert "only the first 64 of 15001 words were looked up" in found.notes[0]
    assert ["seat"] == topics(store.recall(NS, "seat " * 20_000).relevant)


# Pins, kinds, limits, budget ------------------------------------------------------------------


def test_pinned_memories_come_whatever_the_query_and_count_in_no_limit(store):
    store.pin(NS, "allergy")
    store.pin(NS, "budget")
    found = store.recall(NS, "window seat", limit=1, token_budget=1)

    assert ["allergy", "budget"] == topics(found.pinned)
    assert {"pinned": 1.0} == found.pinned[0].why
    assert ["allergy", "budget"] == [memory.topic for memory in found.memories]


def test_what_is_over_the_limit_is_named(store):
    found = store.recall(NS, "Asha Lisbon peanuts sister", limit=1)

    assert 1 == len(found.relevant)
    assert {"over limit"} <= set(left_out(found).values())


def test_the_budget_is_spent_in_rank_order_and_a_smaller_one_may_still_fit(path, clock):
    with AgentMemStore.from_conn_string(path, clock=clock) as store:
        store.remember(NS, "a", "peanut allergy confirmed")
        store.remember(NS, "b", "peanut allergy " + "and a long story about it " * 20)
        store.remember(NS, "c", "peanut allergy again")
        small = line_tokens("a", "peanut allergy confirmed") + line_tokens(
            "c", "peanut allergy again"
        )
        found = store.recall(NS, "peanut allergy", token_budget=small)

    assert ["a", "c"] == topics(found.relevant)
    assert {"b": "over budget"} == left_out(found)
    assert small == found.tokens


def test_only_the_kinds_asked_for_come_pinned_ones_too(store):
    store.remember(NS, "style", "answer in short sentences about seats", kind="procedure")
    store.pin(NS, "style")
    store.pin(NS, "allergy")
    found = store.recall(NS, "window seat", kinds=["fact"])

    assert (["allergy"], ["seat"]) == (topics(found.pinned), topics(found.relevant))
    assert ["style"] == topics(store.recall(NS, "window seat", kinds=("procedure",)).pinned)


def test_another_floor_lets_more_or_less_through(store):
    query = "window doctor"

    assert {"seat", "sister"} == set(topics(store.recall(NS, query).relevant))
    assert [] == topics(store.recall(NS, query, floor=0.9).relevant)


def test_nobody_elses_memories_come_and_none_from_below(store):
    store.remember(("memories", "asha2"), "seat", "window seat")
    store.remember(("memories", "ash"), "seat", "window seat")
    store.remember((*NS, "work"), "seat", "window seat")
    store.remember(("memories", "Asha"), "seat", "window seat", pinned=True)
    found = store.recall(NS, "window seat")

    assert [NS] == [memory.namespace for memory in found.memories]


def test_an_expired_memory_is_not_recalled_and_a_pinned_one_never_expires(store, clock):
    store.remember(NS, "seat", "window seat", ttl=5)
    store.remember(NS, "allergy", "peanuts", ttl=5, pinned=True)
    clock.advance(minutes=6)
    found = store.recall(NS, "window seat")

    assert (["allergy"], []) == (topics(found.pinned), topics(found.relevant))


def test_equal_scores_keep_the_order_of_topics(path, clock):
    with AgentMemStore.from_conn_string(path, clock=clock) as store:
        for topic in ("d", "b", "a", "c"):
            store.remember(NS, topic, "peanut")
        orders = [topics(store.recall(NS, "peanut").relevant) for _ in range(3)]

    assert [["a", "b", "c", "d"]] * 3 == orders


def test_of_many_equals_the_newest_come_first_though_only_some_are_looked_at(path, clock):
    old = [f"fact{number:03}" for number in range(200)]
    new = [f"fact{number:03}" for number in range(200, 203)]
    with AgentMemStore.from_conn_string(path, clock=clock) as store:
        store.batch([PutOp(NS, topic, {"text": f"peanut {topic[4:]}"}) for topic in old])
        clock.advance(days=90)
        store.batch([PutOp(NS, topic, {"text": f"peanut {topic[4:]}"}) for topic in new])
        some = store.recall(NS, "peanut", limit=5)
        all_of_them = store.recall(NS, "peanut", limit=300)

    assert [*new, *old[:2]] == topics(some.relevant)
    assert ("178 more were left out",) == some.notes
    assert [*new, *old] == topics(all_of_them.relevant)


async def test_the_async_form_gets_the_same(store):
    store.pin(NS, "allergy")

    assert store.recall(NS, "window seat") == await store.arecall(NS, "window seat")


@pytest.mark.parametrize(
    "wrong",
    [
        {"limit": 0},
        {"limit": True},
        {"limit": 1.5},
        {"token_budget": 0},
        {"token_budget": "many"},
        {"floor": -0.1},
        {"floor": 1.1},
        {"floor": float("nan")},
        {"kinds": ["fact", "opinion"]},
        {"query": None},
        {"query": b"seat"},
    ],
)
def test_a_wrong_argument_is_named(store, wrong):
    with pytest.raises(ValueError, match=next(iter(wrong)).removesuffix("s")):
        store.recall(NS, **{"query": "seat", **wrong})


@pytest.mark.parametrize("namespace", [(), ("a.b",), "asha", ("langgraph",), None])
def test_a_wrong_namespace_is_refused(store, namespace):
    with pytest.raises(InvalidNamespace):
        store.recall(namespace, "seat")


def test_many_that_are_below_the_floor_are_counted(path, clock):
    with AgentMemStore.from_conn_string(path, clock=clock) as store:
        for number in range(30):
            store.remember(NS, f"topic{number}", "peanut")
        found = store.recall(NS, "peanut " + " ".join("abcdefgh"), floor=1.0)

    assert 20 == len(found.left_out)
    assert ("10 more were left out",) == found.notes


@pytest.mark.parametrize(
    ("held", "query"),
    [
        ("email", "What's my e-mail address?"),
        ("e-mail", "Which email do I have?"),
        ("e\u2011mail", "my E-Mail"),
        ("x-ray", "Where is the xray?"),
    ],
)
def test_a_letter_tied_to_a_word_is_a_part_of_it(store, held, query):
    store.remember(NS, f"{held} of mine", "asha@example.org")
    store.remember(NS, "mail", "comes at nine")

    assert f"{held} of mine" == store.recall(NS, query).relevant[0].memory.topic


def test_a_question_about_the_user_is_about_what_is_asked(store):
    store.remember(NS, "seat", "aisle")
    store.remember(NS, "group", "the user group meets on Mondays")

    assert ["seat"] == [
        hit.memory.topic for hit in store.recall(NS, "Which seat does the user like?").relevant
    ]


def test_the_members_of_a_topic_come_along_behind_the_one_that_was_found(store):
    for topic, text in {
        "hobby.rowing": "rowing on the river",
        "hobby.chess": "a game on Sundays",
        "hobby.choir": "singing",
    }.items():
        store.remember(NS, topic, text)
    found = store.recall(NS, "Where does she go rowing?").relevant

    assert ["hobby.rowing", "hobby.chess", "hobby.choir"] == topics(found)
    assert [False, True, True] == ["kin" in hit.why for hit in found]
    assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)


def by_hand(texts):
    """Vectors of two dimensions: of the river, hardly of it, and not at all."""
    return [
        [1.0, 0.0] if "river" in text else [0.05, 1.0] if "singing" in text else [0.0, 1.0]
        for text in texts
    ]


@pytest.mark.parametrize("embed", [None, by_hand])
def test_what_comes_along_also_says_what_it_has_of_its_own(path, embed):
    with AgentMemory.open(path, embed=embed) as memory:
        asha = memory.for_user("asha")
        asha.remember("hobby.rowing", "rowing on the river")
        asha.remember("hobby.chess", "a game on Sundays")
        asha.remember("hobby.choir", "singing")
        found = asha.recall("rowing river boats oars singing").relevant
        why = {hit.memory.topic: dict(hit.why) for hit in found}

    meaning = {} if embed is None else {"meaning": 0.0}
    assert {"words": 0.0, **meaning, "kin": 1.0} == why["hobby.chess"]
    assert why["hobby.choir"]["kin"] == 1.0
    assert 0 < why["hobby.choir"]["words"] < 0.3
    if embed is not None:
        assert 0 < why["hobby.choir"]["meaning"] < 0.25
    assert "kin" not in why["hobby.rowing"]


def test_a_topic_of_many_members_is_no_list_and_nobodys_kin(store):
    for number in range(20):
        store.remember(NS, f"likes.thing{number}", "rowing" if number == 7 else f"thing {number}")

    assert ["likes.thing7"] == topics(store.recall(NS, "Where does she go rowing?").relevant)


def test_kin_keep_to_limit_budget_kind_and_user(store):
    other = ("memories", "bo")
    for namespace in (NS, other):
        store.remember(namespace, "hobby.rowing", "rowing on the river")
        store.remember(namespace, "hobby.chess", "a game on Sundays")
    store.remember(NS, "hobby.pinned", "always there", pinned=True)
    query = "Where does she go rowing?"

    assert ["hobby.rowing"] == topics(store.recall(NS, query, limit=1).relevant)
    assert ["hobby.rowing"] == topics(store.recall(NS, query, token_budget=30).relevant)
    assert [] == topics(store.recall(NS, query, kinds=["episode"]).relevant)
    assert {NS} == {hit.memory.namespace for hit in store.recall(NS, query).relevant}
    assert ["hobby.rowing", "hobby.chess"] == topics(store.recall(NS, query).relevant)


def test_turns_that_the_caller_has_before_it_are_left_out(store):
    for message in ("m1", "m2"):
        said = Source(thread_id="t1", message_ids=(message,), author="user")
        store.remember(NS, f"turn.{message}", f"rowing {message}", kind="turn", source=said)
    seen = Source(thread_id="t1", message_ids=("m1",))
    elsewhere = Source(thread_id="t2", message_ids=("m1", "m2"))

    assert ["turn.m2"] == topics(store.recall(NS, "rowing", seen=seen).relevant)
    assert 2 == len(store.recall(NS, "rowing", seen=elsewhere).relevant)
