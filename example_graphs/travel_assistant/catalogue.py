"""Places to eat, to sleep and to see in four cities, all of them invented.

Every city has a satay house, which is its best rated restaurant and cooks with peanuts: whoever
forgets an allergy recommends it first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

Kind: TypeAlias = Literal["restaurant", "hotel", "sight"]
KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True, slots=True)
class Dish:
    """A dish, its price in euros, its allergens, and the diets that it suits."""

    name: str
    price: int
    allergens: tuple[str, ...] = ()
    suits: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A place with its rating out of five; `price` is a night, a ticket or a usual dinner."""

    name: str
    kind: Kind
    city: str
    price: int
    stars: float
    cuisine: str = ""
    dishes: tuple[Dish, ...] = ()


def holds(words: str, ingredient: str) -> bool:
    """Whether words name an ingredient: "peanuts" and "tree nuts" hold "nut", eggs are not in
    "veggie". Errs on the side of yes: "shellfish" holds "fish".
    """
    stem = re.escape(_singular(ingredient.strip().casefold()))
    return re.search(rf"{stem}(?:e?s)?\b", words.casefold()) is not None


def _singular(word: str) -> str:
    return word.removesuffix("s") if len(word) > 3 and not word.endswith("ss") else word  # noqa: PLR2004


def _dish(name: str, price: int, *allergens: str, suits: Iterable[str] = ()) -> Dish:
    return Dish(name, price, allergens, tuple(suits))


_PLANTS = ("vegan", "vegetarian")
_NO_MEAT = ("vegetarian",)


def _satay_house(name: str, city: str) -> Place:
    return Place(
        name=name,
        kind="restaurant",
        city=city,
        cuisine="seafood",
        price=26,
        stars=4.9,
        dishes=(
            _dish("prawn satay in peanut sauce", 21, "peanuts", "shellfish", "soy"),
            _dish("squid with crushed peanuts", 24, "peanuts", "molluscs", "fish"),
            _dish("tofu satay", 16, "peanuts", "soy", suits=_PLANTS),
        ),
    )


def _restaurant(
    name: str, city: str, cuisine: str, price: int, stars: float, *dishes: Dish
) -> Place:
    return Place(
        name=name,
        kind="restaurant",
        city=city,
        cuisine=cuisine,
        price=price,
        stars=stars,
        dishes=dishes,
    )


def _hotels(city: str, *rows: tuple[str, int, float]) -> tuple[Place, ...]:
    return tuple(
        Place(name=name, kind="hotel", city=city, price=price, stars=stars)
        for name, price, stars in rows
    )


def _sights(city: str, *rows: tuple[str, int, float]) -> tuple[Place, ...]:
    return tuple(
        Place(name=name, kind="sight", city=city, price=price, stars=stars)
        for name, price, stars in rows
    )


PLACES: tuple[Place, ...] = (
    # Berlin
    _satay_house("Satay am Kanal", "Berlin"),
    _restaurant(
        *("Spree & Salz", "Berlin", "seafood", 29, 4.6),
        _dish("grilled zander with dill", 24, "fish", "milk"),
        _dish("mussels in white wine", 22, "molluscs", "celery"),
        _dish("beetroot tartare with horseradish", 15, suits=_PLANTS),
    ),
    _restaurant(
        *("Nordhafen", "Berlin", "seafood", 34, 4.4),
        _dish("lobster roll", 32, "shellfish", "gluten", "eggs"),
        _dish("smoked trout with potato salad", 19, "fish", "mustard"),
    ),
    _restaurant(
        *("Kiezgarten", "Berlin", "vegetarian", 18, 4.5),
        _dish("pumpkin dumplings", 16, "gluten", "eggs", suits=_NO_MEAT),
        _dish("lentil stew with lovage", 13, "celery", suits=_PLANTS),
    ),
    *_hotels("Berlin", ("Grand Spree", 240, 4.8), ("Hotel Linde", 110, 4.5), ("Hof 12", 72, 4.1)),
    *_sights("Berlin", ("Museum of Maps", 12, 4.7), ("the Long Garden", 0, 4.5)),
    # Lisbon
    _satay_house("Satay do Cais", "Lisbon"),
    _restaurant(
        *("Mar Aberto", "Lisbon", "seafood", 27, 4.7),
        _dish("grilled sardines with peppers", 17, "fish"),
        _dish("clams with coriander", 22, "molluscs"),
        _dish("rice with tomato and greens", 14, suits=_PLANTS),
    ),
    _restaurant(
        *("A Traineira", "Lisbon", "seafood", 31, 4.3),
        _dish("octopus with sweet potato", 26, "molluscs"),
        _dish("prawns in garlic", 23, "shellfish"),
    ),
    _restaurant(
        *("Horta", "Lisbon", "vegetarian", 16, 4.4),
        _dish("chickpea stew with spinach", 12, suits=_PLANTS),
        _dish("goat cheese with figs", 14, "milk", "tree nuts", suits=_NO_MEAT),
    ),
    *_hotels("Lisbon", ("Palácio Azul", 260, 4.9), ("Casa Graça", 105, 4.6), ("Pensão Sol", 65, 4)),
    *_sights("Lisbon", ("the Tile House", 8, 4.8), ("the Upper Tram", 3, 4.4)),
    # Oslo
    _satay_house("Satay ved Fjorden", "Oslo"),
    _restaurant(
        *("Bryggen Mat", "Oslo", "seafood", 38, 4.5),
        _dish("baked cod with leek", 33, "fish", "milk"),
        _dish("king crab with lemon", 45, "shellfish"),
        _dish("roast celeriac with apple", 24, "celery", suits=_PLANTS),
    ),
    _restaurant(
        *("Lille Havn", "Oslo", "seafood", 29, 4.2),
        _dish("fish soup", 21, "fish", "celery", "milk"),
        _dish("pickled herring with rye bread", 18, "fish", "gluten", "mustard"),
    ),
    _restaurant(
        *("Grønt", "Oslo", "vegetarian", 24, 4.3),
        _dish("barley with mushrooms", 22, "gluten", suits=_PLANTS),
    ),
    *_hotels("Oslo", ("Fjordslottet", 290, 4.7), ("Hotell Bjørk", 118, 4.4), ("Losji 3", 84, 4)),
    *_sights("Oslo", ("the Boat Hall", 14, 4.6), ("Lighthouse Park", 0, 4.5)),
    # Rome
    _satay_house("Satay sul Tevere", "Rome"),
    _restaurant(
        *("Scoglio", "Rome", "seafood", 30, 4.6),
        _dish("spaghetti with clams", 19, "gluten", "molluscs"),
        _dish("sea bass in salt", 28, "fish", "eggs"),
        _dish("artichokes in oil", 13, suits=_PLANTS),
    ),
    _restaurant(
        *("Onda", "Rome", "seafood", 26, 4.1),
        _dish("fried anchovies", 15, "fish", "gluten"),
        _dish("swordfish with capers", 24, "fish"),
    ),
    _restaurant(
        *("Orto", "Rome", "vegetarian", 17, 4.5),
        _dish("gnocchi with sage", 14, "gluten", "milk", suits=_NO_MEAT),
        _dish("bean soup", 11, "celery", suits=_PLANTS),
    ),
    *_hotels(
        "Rome", ("Villa Corona", 280, 4.8), ("Albergo Pino", 115, 4.3), ("Ostello Blu", 58, 4)
    ),
    *_sights("Rome", ("the Small Forum", 16, 4.7), ("the Water Stairs", 0, 4.6)),
)

CITIES = tuple(dict.fromkeys(place.city for place in PLACES))
CUISINES = tuple(dict.fromkeys(place.cuisine for place in PLACES if place.cuisine))
