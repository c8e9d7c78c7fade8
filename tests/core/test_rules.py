"""What the rules find in a sentence, and what they leave alone."""

from datetime import UTC, datetime

import pytest
from growth import grows_evenly, seconds
from langchain_core.messages import HumanMessage
from pasted_texts import NOT_PASTED, PASTED
from rule_sentences import (
    KEPT_BACK_STATED,
    KEPT_BACK_TRAPS,
    LATER_STATED,
    LATER_TRAPS,
    MISSED,
    STATED,
    TRAPS,
)

from langgraph_agentmem.extraction.topics import Spelling, normalise_topic
from langgraph_agentmem.model import Source
from langgraph_agentmem.nodes.rules import RuleExtractor
from langgraph_agentmem.protocols import Extractor

ALL_STATED = STATED | KEPT_BACK_STATED | LATER_STATED
NOW = datetime(2026, 3, 1, tzinfo=UTC)
SAID = "2023-05-24T10:00:00+00:00"


def candidates(*texts, known=None, thread_id="t1"):
    said = [
        HumanMessage(text, id=f"m{number}", additional_kwargs={"timestamp": SAID})
        for number, text in enumerate(texts)
    ]
    return RuleExtractor().extract(said, known=known or {}, now=NOW, thread_id=thread_id)


def facts(*texts, known=None):
    return {each.topic: each.value for each in candidates(*texts, known=known)}


@pytest.mark.parametrize("sentence", ALL_STATED)
def test_a_statement_of_the_user_is_found_whole(sentence):
    found = facts(sentence)

    assert ALL_STATED[sentence] == found


@pytest.mark.parametrize(("sentence", "expected"), MISSED.items())
def test_what_is_not_understood_is_missed_and_not_misread(sentence, expected):
    assert facts(sentence) == expected


@pytest.mark.parametrize("sentence", [*TRAPS, *KEPT_BACK_TRAPS, *LATER_TRAPS])
def test_what_is_not_the_users_fact_is_left_alone(sentence):
    assert facts(sentence) == {}


@pytest.mark.parametrize("text", PASTED)
def test_what_a_text_says_that_the_user_hands_over_is_not_the_users(text):
    assert facts(text) == {}


@pytest.mark.parametrize(("text", "expected"), NOT_PASTED.items())
def test_what_the_user_says_beside_such_words_is_theirs(text, expected):
    assert facts(text) == expected


@pytest.mark.parametrize(
    ("sentence", "known", "expected"),
    [
        ("It's Bern, not Berlin.", {"home_city": "Berlin"}, {"home_city": "Bern"}),
        ("Actually, spelled Aasha.", {"name": "Asha"}, {"name": "Aasha"}),
        (
            "Actually, spelled Aasha.",
            {"family.daughter.name": "Asha", "home_city": "Oslo"},
            {"family.daughter.name": "Aasha"},
        ),
        ("It's spelled A-a-s-h-a.", {"name": "Asha"}, {"name": "Aasha"}),
        ("Actually it's spelled Aasha, with two a's.", {"name": "Asha"}, {"name": "Aasha"}),
        ("It's spelled Aasha, not Asha.", {"name": "Asha"}, {"name": "Aasha"}),
        ("It's spelled with two a's.", {"name": "Asha"}, {}),
        ("It's spelled Xerxes.", {"name": "Asha"}, {}),
        ("Actually, spelled Aasha.", {"name": "Asha", "family.wife.name": "Asha"}, {}),
        ("I'm not allergic to peanuts.", {"allergy.peanuts": "peanuts"}, {"allergy.peanuts": None}),
        ("I'm not allergic to peanuts.", {"allergy.kiwi": "kiwi"}, {}),
        ("I'm not vegetarian.", {"diet": "vegetarian"}, {"diet": None}),
        ("I'm not vegetarian.", {"diet": "vegan"}, {}),
        ("I don't live in Berlin.", {"home_city": "Berlin"}, {"home_city": None}),
        ("I no longer live in Berlin.", {"home_city": "Lisbon"}, {}),
        ("I used to live in Berlin.", {"home_city": "Berlin"}, {"home_city": None}),
        (
            "I quit my job!",
            {"work.employer": "Siemens", "work.role": "nurse"},
            {"work.employer": None, "work.role": None},
        ),
        ("I hate tea.", {"likes.tea": "tea"}, {"likes.tea": None, "dislikes.tea": "tea"}),
        (
            "I've moved to Portugal.",
            {"home_city": "Berlin", "home_country": "Germany"},
            {"home_city": None, "home_country": "Portugal"},
        ),
        ("I live in Portugal.", {"home_city": "Lisbon"}, {"home_country": "Portugal"}),
        (
            "My budget is now 150 euros.",
            {"budget.night": "120 euros a night"},
            {"budget.night": "150 euros"},
        ),
        (
            "I have a peanut allergy.",
            {"allergy.peanuts": "peanuts"},
            {"allergy.peanuts": "peanuts"},
        ),
    ],
)
def test_what_is_known_decides_what_a_sentence_changes(sentence, known, expected):
    assert facts(sentence, known=known) == expected


@pytest.mark.parametrize("spelling", ["Home City", "home-city", "home.city", "HOME_CITY"])
def test_a_known_topic_keeps_its_spelling(spelling):
    assert facts("I've moved to Lisbon.", known={spelling: "Oslo"}) == {spelling: "Lisbon"}


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (
            ("My daughter is called Asha.", "Actually, spelled Aasha."),
            [("family.daughter.name", "Asha", "m0"), ("family.daughter.name", "Aasha", "m1")],
        ),
        (
            ("I live in Porto.", "Sorry, I meant Setúbal."),
            [("home_city", "Porto", "m0"), ("home_city", "Setúbal", "m1")],
        ),
        (("I live in Porto.", "I mean it."), [("home_city", "Porto", "m0")]),
        (("I live in Porto.", "I mean Portuguese food."), [("home_city", "Porto", "m0")]),
        (("I live in Porto.", "Sorry, I meant well."), [("home_city", "Porto", "m0")]),
        (
            ("My budget is 90 euros a night. Make it 120 euros.",),
            [("budget.night", "120 euros", "m0")],
        ),
        (("I like tea. No, sorry, I meant coffee.",), [("likes.coffee", "coffee", "m0")]),
        (
            ("I like tea.", "No, sorry, I meant coffee."),
            [
                ("likes.tea", "tea", "m0"),
                ("likes.tea", None, "m1"),
                ("likes.coffee", "coffee", "m1"),
            ],
        ),
        (("I live in Oslo. No, sorry: I live in Rome.",), [("home_city", "Rome", "m0")]),
        (("I live in Oslo. Just kidding!",), []),
        (("I'm vegan. Just kidding! I live in Rome.",), [("home_city", "Rome", "m0")]),
        (
            ("I'm allergic to peanuts.", "Oh, and I have a kiwi allergy."),
            [("allergy.peanuts", "peanuts", "m0"), ("allergy.kiwi", "kiwi", "m1")],
        ),
    ],
)
def test_a_later_sentence_sets_an_earlier_one_right(texts, expected):
    found = [(each.topic, each.value, each.source.message_ids[0]) for each in candidates(*texts)]

    assert expected == found


def test_a_candidate_says_where_it_comes_from():
    (found,) = candidates("I live in Lisbon.", thread_id="t7")

    assert found.source == Source(
        thread_id="t7",
        message_ids=("m0",),
        author="user",
        said_at=datetime(2023, 5, 24, 10, tzinfo=UTC),
    )


@pytest.mark.parametrize(
    ("place", "stamp", "expected"),
    [
        ("additional_kwargs", "2023-05-24T10:00:00Z", "quit smoking 2023-05-23"),
        ("response_metadata", "2023-05-24", "quit smoking 2023-05-23"),
        ("additional_kwargs", "not a time", "quit smoking 2026-02-28"),
        ("additional_kwargs", None, "quit smoking 2026-02-28"),
    ],
)
def test_yesterday_is_the_day_before_it_was_said(place, stamp, expected):
    said = HumanMessage("I quit smoking yesterday.", id="m", **{place: {"timestamp": stamp}})

    (found,) = RuleExtractor().extract([said], known={}, now=NOW, thread_id=None)

    assert found.value == expected


def test_what_every_answer_must_respect_is_proposed_pinned():
    found = candidates(
        "I'm Asha, I'm vegan, I'm allergic to nuts, I'm lactose intolerant and I live in Graz."
    )

    assert {each.topic: each.pinned for each in found} == {
        "name": True,
        "diet": True,
        "allergy.nuts": True,
        "intolerance.lactose": True,
        "home_city": None,
    }


def test_an_ending_is_not_pinned():
    (found,) = candidates("I'm no longer vegan.")

    assert (found.value, found.pinned) == (None, None)


@pytest.mark.parametrize(
    "sentence",
    [
        "I'm allergic to peanuts.",
        "I'm allergic to peanut.",
        "I have a peanut allergy.",
        "I have a bad Peanut allergy!",
    ],
)
def test_one_and_many_of_an_allergen_are_one_topic(sentence):
    assert list(facts(sentence)) == ["allergy.peanuts"]


def test_many_memories_do_not_slow_a_long_message():
    known = {f"note.number_{number}": f"value {number}" for number in range(10_000)}
    long = "I live in Lisbon. " * 1000
    apart = seconds(facts, long) + seconds(lambda text: facts(text, known=known), "I ski.")

    assert seconds(lambda text: facts(text, known=known), long) < 8 * max(apart, 0.05)


def test_each_block_of_text_is_a_text_of_its_own():
    said = HumanMessage(
        [
            "I live in Berlin",
            {"type": "text", "text": "Berlin is nice."},
            {"type": "text", "text": "My phone is 0170 5550001"},
            {"type": "text"},
            {"type": "text", "text": "I like tea"},
        ],
        id="m",
    )

    found = RuleExtractor().extract([said], known={}, now=NOW, thread_id=None)

    assert {each.topic: each.value for each in found} == {
        "home_city": "Berlin",
        "phone": "0170 5550001",
        "likes.tea": "tea",
    }


def test_text_may_come_in_blocks():
    said = HumanMessage(
        [
            {"type": "text", "text": "I live in Lisbon."},
            {"type": "image_url", "image_url": {"url": "https://example.com/x.png"}},
        ],
        id="m",
    )

    (found,) = RuleExtractor().extract([said], known={}, now=NOW, thread_id=None)

    assert (found.topic, found.value) == ("home_city", "Lisbon")


async def test_async_finds_the_same():
    said = [HumanMessage("I live in Lisbon.", id="m")]
    extractor = RuleExtractor()

    found = await extractor.aextract(said, known={}, now=NOW, thread_id=None)

    assert found == extractor.extract(said, known={}, now=NOW, thread_id=None)
    assert isinstance(extractor, Extractor)


@pytest.mark.parametrize(
    "text",
    [
        "I like " * 1_500_000,
        "I'm allergic to a, " * 500_000,
        "and but so because " * 500_000,
        "please remember " * 600_000 + "I live in Lisbon",
        "my budget is " + "1" * 10_000_000,
        "'a" * 5_000_000,
        '"' * 10_000_000,
        "```" * 3_000_000,
        "my favourite " + "a " * 5_000_000,
        "I moved from " + "a " * 5_000_000,
        "x@" * 5_000_000,
        "\u202e\u0301\ud83d\ude00\ufffc" * 2_000_000,
        "I live in " + "Ü\u0308" * 5_000_000,
    ],
    ids=lambda text: ascii(text[:12]),
)
def test_ten_megabytes_of_anything_take_no_more_than_their_length(text):
    assert grows_evenly(facts, text)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("Home City", "home_city"),
        ("home-city", "home_city"),
        ("homeCity", "home_city"),
        ("  home_city ", "home_city"),
        ("home.city", "home.city"),
        ("allergy/Tree nuts", "allergy.tree_nuts"),
        ("user's name", "users_name"),
        ("Straße", "strasse"),
        ("城市", "城市"),
        ("..", ""),
        ("\ud800\x00", ""),
        ("a" * 500, "a" * 120),
    ],
)
def test_a_topic_has_one_spelling(said, expected):
    found = normalise_topic(said)

    assert (found, normalise_topic(found)) == (expected, expected)


def test_spelling_keeps_what_it_met_first():
    spelling = Spelling(["Allergies/Peanut"])

    assert spelling.of("allergy.peanuts") == "Allergies/Peanut"
    assert spelling.of("Seat Preference") == "seat_preference"
    assert spelling.of("seat.preference") == "seat_preference"
    assert spelling.of("news") == "news"
    assert spelling.of("new") == "new"
