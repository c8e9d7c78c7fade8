"""The stand-in proposes what is safe, and quotes the line for which it leaves something out."""

from __future__ import annotations

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from shown_context import MODEL, WITH_PLACES, call_of, context

from example_graphs.travel_assistant.answers import I_DO_NOT_KNOW, WHICH_CITY
from example_graphs.travel_assistant.tools import find_places


def meal(memory, kept, said="A seafood dinner, please.", city="Berlin"):
    """What it proposes once the search has answered."""
    shown = context(memory, kept, said)
    arguments = {"kind": "restaurant", "city": city, "cuisine": "seafood"}
    asked = AIMessage("", tool_calls=[{"name": "find_places", "args": arguments, "id": "1"}])
    found = find_places.invoke({**asked.tool_calls[0], "type": "tool_call"})
    return WITH_PLACES.invoke([*shown, asked, found]).text


def bullets(reply):
    return [line for line in reply.splitlines() if line.startswith("• ")]


@pytest.mark.parametrize(
    ("kept", "said", "expected"),
    [
        (
            {"home_city": "Berlin"},
            "A seafood dinner, please.",
            {"kind": "restaurant", "city": "Berlin", "cuisine": "seafood"},
        ),
        (
            {"home_city": "Berlin"},
            "Where can I eat in Oslo?",
            {"kind": "restaurant", "city": "Oslo"},
        ),
        (
            {"home_city": "Berlin"},
            "I've just moved to Rome. Can you recommend a museum?",
            {"kind": "sight", "city": "Rome"},
        ),
        (
            {"home_city": "Berlin", "budget.night": "€1,120 per night"},
            "I need a hotel.",
            {"kind": "hotel", "city": "Berlin", "max_price": 1120},
        ),
        (
            {"home_city": "Berlin", "budget.night": "€120"},
            "Find me a hotel under €80 in lisbon",
            {"kind": "hotel", "city": "Lisbon", "max_price": 80},
        ),
        (
            {},
            "A dinner in Port Louis, please",
            {"kind": "restaurant", "city": "Port Louis"},
        ),
    ],
)
def test_it_searches_with_what_the_lines_and_the_request_say(memory, kept, said, expected):
    reply = WITH_PLACES.invoke(context(memory, kept, said))

    assert ("find_places", expected) == call_of(reply)


def test_it_asks_for_a_city_that_it_cannot_know_and_goes_on_with_the_answer(memory):
    said = [HumanMessage("A seafood dinner, please.")]
    reply = WITH_PLACES.invoke(said)
    answered = WITH_PLACES.invoke([*said, reply, HumanMessage("Oslo")])

    assert WHICH_CITY == reply.text
    assert "Oslo" == call_of(answered)[1]["city"]
    assert "seafood" == call_of(answered)[1]["cuisine"]


@pytest.mark.parametrize(
    "said",
    [
        "I had a seafood dinner yesterday.",
        "What's my hotel budget?",
        "I prefer quiet hotels.",
        "The food at home is good.",
    ],
)
def test_it_searches_only_when_somebody_asks_for_a_place(memory, said):
    reply = WITH_PLACES.invoke(context(memory, {"home_city": "Berlin"}, said))

    assert [] == reply.tool_calls


def test_without_the_tool_it_does_not_search(memory):
    shown = context(memory, {"home_city": "Berlin"}, "A seafood dinner, please.")
    reply = MODEL.invoke(shown)

    assert [] == reply.tool_calls


def test_it_leaves_out_what_the_user_is_allergic_to_and_quotes_the_line(memory):
    reply = meal(memory, {"allergy.peanuts": "peanuts"})

    assert not any("peanut" in line or "Satay" in line for line in bullets(reply))
    assert "Not Satay am Kanal, because of “allergy.peanuts: peanuts (since 2026-03-02)”." in reply


def test_without_the_line_it_proposes_the_best_rated_place_first(memory):
    reply = meal(memory, {})

    assert bullets(reply)[0].startswith("• Satay am Kanal: prawn satay in peanut sauce")
    assert reply.endswith("I know of no allergy or diet of yours.")


@pytest.mark.parametrize(
    ("kept", "gone", "stays"),
    [
        ({"allergy.shellfish": "shellfish"}, "lobster", "zander"),
        ({"allergy.fish": "fish"}, "zander", "mussels"),
        ({"intolerance.lactose": "milk"}, "zander", "mussels"),
        ({"intolerance.gluten": "coeliac"}, "lobster", "zander"),
        ({"dislikes.mussels": "mussels"}, "mussels", "zander"),
        ({"avoids.celery": "celery"}, "mussels", "zander"),
        ({"diet": "vegetarian"}, "zander", "beetroot"),
        ({"diet": "vegan and gluten-free"}, "trout", "beetroot"),
        ({"diet": "dairy-free", "allergy.milk": "milk"}, "zander", "mussels"),
    ],
)
def test_allergies_intolerances_dislikes_and_diets_are_all_respected(memory, kept, gone, stays):
    proposed = " ".join(bullets(meal(memory, {**kept, "allergy.peanuts": "peanuts"})))

    assert gone not in proposed
    assert stays in proposed


def test_it_says_so_when_nothing_is_safe(memory):
    kept = {"allergy.peanuts": "peanuts", "allergy.fish": "fish", "allergy.milk": "milk"}
    reply = meal(memory, kept | {"diet": "vegan", "allergy.celery": "celery"}, city="Oslo")

    assert [] == bullets(reply)
    assert reply.startswith("Nothing in Oslo is safe for you.")


def test_it_admits_that_the_list_is_silent_on_some_diets(memory):
    reply = meal(memory, {"diet": "halal"})

    assert reply.endswith(
        "Ask there about “diet: halal (since 2026-03-02)”: the list does not say."
    )


def test_it_can_say_why_nothing_was_found(memory):
    shown = context(memory, {"budget.night": "€20"}, "A hotel in Berlin, please.")
    asked = WITH_PLACES.invoke(shown)
    found = find_places.invoke({**asked.tool_calls[0], "type": "tool_call"})
    reply = WITH_PLACES.invoke([*shown, asked, found]).text

    assert (
        "I know no such hotel in Berlin.\nI kept to “budget.night: €20 (since 2026-03-02)”."
        == reply
    )


@pytest.mark.parametrize("broken", ["", "no JSON", "[]", '{"kind": "hotel"}'])
def test_an_answer_that_it_cannot_read_is_no_reason_to_invent_one(broken):
    asked = AIMessage("", tool_calls=[{"name": "find_places", "args": {}, "id": "1"}])
    found = ToolMessage(broken, tool_call_id="1", name="find_places")
    reply = WITH_PLACES.invoke([HumanMessage("A dinner in Oslo?"), asked, found]).text

    assert "I cannot read what the search has answered." == reply


def test_a_failed_search_is_said():
    asked = AIMessage("", tool_calls=[{"name": "find_places", "args": {}, "id": "1"}])
    failed = ToolMessage("boom", tool_call_id="1", name="find_places", status="error")
    reply = WITH_PLACES.invoke([HumanMessage("A dinner in Oslo?"), asked, failed]).text

    assert f"That did not work. {I_DO_NOT_KNOW}" == reply
