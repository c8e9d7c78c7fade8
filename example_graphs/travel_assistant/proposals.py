"""How the stand-in answers from a list of places: what is safe, and why the rest is left out.

The reason for leaving something out is always a line of its context, which it quotes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from .catalogue import holds
from .view import Known, View

Row: TypeAlias = Mapping[str, Any]

MOST_PLACES = 2
MOST_DISHES = 2
MOST_NAMED = 3
BULLET = "• "
"""Starts a line that proposes something."""

_FREE_FROM = re.compile(r"([\w ]+)[- ]free$", re.IGNORECASE)


def proposal(view: View, answered: str) -> str:
    """What to propose of the places that the tool has answered with."""
    try:
        found = json.loads(answered)
        kind, city, places = found["kind"], found["city"], found["places"]
    except (ValueError, LookupError, TypeError):
        return "I cannot read what the search has answered."
    if not places:
        return "\n".join([f"I know no such {kind} in {city}.", *_price_reason(view, found)])
    if kind == "restaurant":
        return _meals(view, city, places)
    unit = " a night" if kind == "hotel" else ""
    lines = [f"{BULLET}{one['name']}, {_price(one)}{unit}" for one in places[:MOST_PLACES]]
    return "\n".join([_head(view, city), *lines, *_price_reason(view, found)])


def _head(view: View, city: str) -> str:
    at_home = any(known.text.casefold() == city.casefold() for known in view.about("home_city"))
    return f"In {city}, where you live:" if at_home else f"In {city}:"


def _price(row: Row) -> str:
    return f"€{row['price']}" if row["price"] else "free"


def _price_reason(view: View, found: Row) -> Iterator[str]:
    """What bounded the price of hotels: a line, the user's words, or nothing."""
    most = found["max_price"]
    budget = next((known for known in view.about("budget") if amount(known.text) == most), None)
    if found["kind"] != "hotel":
        return
    if most is None:
        yield "I know of no budget of yours."
    else:
        yield f"I kept to {budget.quoted}." if budget else f"I kept to €{most:g}, as you said."


def amount(text: str) -> int | None:
    """The number in a sum of money: 1200 in "€1,200 per night"."""
    found = re.search(r"\d+", text.replace(",", ""))
    return int(found[0]) if found else None


# Meals -------------------------------------------------------------------------------------


def _meals(view: View, city: str, places: Sequence[Row]) -> str:
    lines: list[str] = []
    left_out: dict[str, list[str]] = {}
    for place in places:
        reasons = [(dish, _reason(view, dish)) for dish in place["dishes"]]
        safe = [dish for dish, reason in reasons if reason is None]
        proposed = bool(safe) and len(lines) < MOST_PLACES
        if proposed:
            meals = " or ".join(f"{dish['name']} ({_price(dish)})" for dish in safe[:MOST_DISHES])
            lines.append(f"{BULLET}{place['name']}: {meals}")
        for dish, reason in reasons:
            if reason is not None and (proposed or not safe):
                name = f"{dish['name']} at {place['name']}" if safe else place["name"]
                left_out.setdefault(reason.quoted, []).append(name)
    head = _head(view, city) if lines else f"Nothing in {city} is safe for you."
    why = [
        f"Not {_listed([*dict.fromkeys(names)])}, because of {line}."
        for line, names in left_out.items()
    ]
    return "\n".join([head, *lines, *why, *_caution(view)])


def _listed(names: Sequence[str]) -> str:
    shown, more = names[:MOST_NAMED], len(names) - MOST_NAMED
    if more > 0:
        return f"{', '.join(shown)} and {more} more"
    *most, last = shown
    return f"{', '.join(most)} or {last}" if most else last


def _reason(view: View, dish: Row) -> Known | None:
    """The line that speaks against a dish, if one does."""
    contents = ", ".join([dish["name"], *dish["allergens"]])
    for known, ingredient in _avoided(view):
        if holds(contents, ingredient):
            return known
    for diet, wanted in _diets(view):
        if wanted in {"vegan", "vegetarian"} and wanted not in dish["suits"]:
            return diet
    return None


def _avoided(view: View) -> Iterator[tuple[Known, str]]:
    for known in view.about("allergy", "intolerance", "avoids", "dislikes"):
        yield known, known.text
        if "." in known.topic:
            yield known, known.topic.rpartition(".")[2].replace("_", " ")
    for known, diet in _diets(view):
        if free := _FREE_FROM.search(diet):
            yield known, free[1]


def _diets(view: View) -> Iterator[tuple[Known, str]]:
    for known in view.about("diet"):
        for diet in re.split(r",| and ", known.text.casefold()):
            yield known, diet.strip()


def _caution(view: View) -> Iterator[str]:
    if not any(_avoided(view)) and not any(_diets(view)):
        yield "I know of no allergy or diet of yours."
    for known, diet in _diets(view):
        if diet not in {"vegan", "vegetarian"} and not _FREE_FROM.search(diet):
            yield f"Ask there about {known.quoted}: the list does not say."
