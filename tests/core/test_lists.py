"""Things of one kind stand side by side: nobody's second child takes the place of the first."""

from datetime import UTC, datetime

import pytest
from langchain_core.messages import HumanMessage

from langgraph_agentmem.nodes.rules import RuleExtractor

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def held_after(*texts, known=None):
    held, before = dict(known or {}), None
    for number, text in enumerate(texts):
        said = [HumanMessage(text, id=f"m{number}")]
        options = {"known": dict(held), "now": NOW, "thread_id": None, "before": before}
        before = said[0]
        for each in RuleExtractor().extract(said, **options):
            held.pop(each.topic, None)
            if each.value is not None:
                held[each.topic] = each.value
    return held


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (
            ("I'm allergic to peanuts.", "I'm allergic to kiwi."),
            {"allergy.peanuts": "peanuts", "allergy.kiwi": "kiwi"},
        ),
        (
            ("I have three kids: Leo, Ada and Finn.",),
            {"family.kid.leo": "Leo", "family.kid.ada": "Ada", "family.kid.finn": "Finn"},
        ),
        (
            ("My daughter is called Mira.", "My daughter is called Saanvi."),
            {"family.daughter.name": "Mira", "family.daughter.saanvi": "Saanvi"},
        ),
        (
            (
                "My daughters are Mira and Saanvi.",
                "My daughter Mira sings.",
                "My daughter Zoe too.",
            ),
            {
                "family.daughter.mira": "Mira",
                "family.daughter.saanvi": "Saanvi",
                "family.daughter.zoe": "Zoe",
            },
        ),
        (
            ("We have a dog called Rex.", "My other dog is called Bo."),
            {"family.dog.name": "Rex", "family.dog.bo": "Bo"},
        ),
        (
            ("I like tea and jazz.", "I like rain."),
            {"likes.tea": "tea", "likes.jazz": "jazz", "likes.rain": "rain"},
        ),
    ],
)
def test_members_of_a_kind_do_not_overwrite_each_other(texts, expected):
    assert held_after(*texts) == expected


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (("My daughter is called Asha.", "My daughter's name is Aasha."), "Aasha"),
        (("My daughter is called Asha.", "Actually, spelled Aasha."), "Aasha"),
        (("My daughter is called Asha.", "Sorry, I meant Mira."), "Mira"),
        (("My sons are Al and Bo.", "Sorry, I meant Bob."), "Bob"),
        (("My wife is called Ngozi.", "My wife's name is Ada."), "Ada"),
    ],
)
def test_a_name_set_right_and_what_one_has_one_of_is_replaced(texts, expected):
    held = held_after(*texts)

    assert [name for name in held.values() if name != "Al"] == [expected]


@pytest.mark.parametrize(
    "sentence",
    [
        "My kids are Vegan.",
        "My brothers are Irish and Scottish.",
        "I have two sisters.",
        "We have two cats and a dog.",
        "My kids are in Paris and Rome.",
        "My friend's kids are Leo and Ada.",
        "Her daughters are Mira and Saanvi.",
        "Are your kids Leo and Ada?",
    ],
)
def test_what_is_no_list_of_names_is_none(sentence):
    assert not [topic for topic in held_after(sentence) if topic.startswith("family.")]
