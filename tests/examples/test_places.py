"""The catalogue is fit for the story, and the tool finds what it is asked for."""

from __future__ import annotations

import pytest

from example_graphs.travel_assistant.catalogue import CITIES, CUISINES, KINDS, PLACES, holds
from example_graphs.travel_assistant.tools import find_places


def names(**wanted):
    return [place["name"] for place in find_places.invoke(wanted)["places"]]


@pytest.mark.parametrize("city", CITIES)
def test_every_city_has_one_satay_house_and_it_is_the_best_rated_seafood(city):
    seafood = names(kind="restaurant", city=city, cuisine="seafood")

    assert [True, False, False] == [name.startswith("Satay") for name in seafood]


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.name)
def test_only_a_satay_house_cooks_with_peanuts_and_all_of_it(place):
    with_peanuts = ["peanuts" in dish.allergens for dish in place.dishes]

    assert place.name.startswith("Satay") == (bool(with_peanuts) and all(with_peanuts))
    assert place.name.startswith("Satay") == any(with_peanuts)


@pytest.mark.parametrize("city", CITIES)
def test_every_city_has_something_of_every_kind_and_a_choice_of_prices(city):
    hotels = [place.price for place in PLACES if place.city == city and place.kind == "hotel"]

    assert set(KINDS) == {place.kind for place in PLACES if place.city == city}
    assert min(hotels) < 120 < max(hotels)


def test_names_are_unique_so_that_a_reply_can_be_judged_by_them():
    dishes = {}
    for dish in (dish for place in PLACES for dish in place.dishes):
        dishes.setdefault(dish.name, set()).add(dish)

    assert len(PLACES) == len({place.name for place in PLACES})
    assert [] == [name for name, those in dishes.items() if len(those) > 1]


def test_places_come_best_rated_first_within_a_price():
    assert ["Grand Spree", "Hotel Linde", "Hof 12"] == names(kind="hotel", city="Berlin")
    assert ["Satay am Kanal", "Spree & Salz", "Kiezgarten", "Nordhafen"] == names(
        kind="restaurant", city="Berlin"
    )
    assert ["Hotel Linde", "Hof 12"] == names(kind="hotel", city=" berlin ", max_price=110)
    assert [] == names(kind="hotel", city="Atlantis")


def test_the_tool_says_which_cities_and_cuisines_there_are():
    described = find_places.args

    assert f"One of: {', '.join(CITIES)}." == described["city"]["description"]
    assert f"One of: {', '.join(CUISINES)}." == described["cuisine"]["description"]


@pytest.mark.parametrize(
    ("words", "ingredient", "expected"),
    [
        ("peanuts", "peanuts", True),
        ("peanuts", "peanut", True),
        ("tofu in peanut sauce", "Peanuts", True),
        ("peanuts", "nuts", True),
        ("goat cheese, tree nuts", "tree nuts", True),
        ("shellfish", "fish", True),
        ("eggs", "egg", True),
        ("radishes", "radish", True),
        ("veggie soup", "egg", False),
        ("celery", "peanuts", False),
        ("peanuts", "tree nuts", False),
        ("fish", "shellfish", False),
    ],
)
def test_an_ingredient_is_found_by_its_words(words, ingredient, expected):
    assert expected == holds(words, ingredient)
