"""Reads the short value at the start of what follows "my name is", "I live in", "I like".

A reader takes the rest of a sentence and returns the values that stand at its start, in the
user's own words; none when what stands there is not such a value ("I live in fear").
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import date, timedelta
from typing import TypeAlias

from langgraph_agentmem.extraction.vocabulary import (
    NOT_A_FAVOURITE,
    NOT_A_NAME,
    NOT_A_PLACE,
    NOT_A_THING,
    NOT_AN_ALLERGEN,
    NOT_AN_EMPLOYER,
    NOT_ENGLISH,
    PARTICLES,
)

from .phrases import FLUENCY, LANGUAGE

Reader: TypeAlias = Callable[[str], tuple[str, ...]]

_PLACES_WITH_ARTICLE = re.compile(
    r"the (?=Hague\b|Netherlands|Philippines|Bahamas|Maldives|Gambia|UK\b|US\b|USA\b|UAE\b|United|"
    r"Czech|Dominican|Bronx)",
    re.IGNORECASE,
)

_THING_ENDS = re.compile(
    r"(?<!\b(?-i:[A-HJ-Z]))[.]|[,;:!?()\n…\u2013\u2014\ufffc]|\s-\s"
    r"|\s(?:and|or|but|so|because|since|as|though|although|"
    r"please|pls|plz|too|also|again|btw|by the way|fyi|tbh|ngl|imo|imho|atm|thx|thanks|"
    r"very much|a lot|so much|the most|the best|now|"
    r"these days|at the moment|in (?:my|our|the) (?:spare|free) time|in general|as well|"
    r"anymore|any more|which|who|that|than|over|rather|instead)\b",
    re.IGNORECASE,
)
_UNCLEAR = re.compile(
    r"\s(?:if|unless|until|when|whenever|only|is|are|was|were|it|them|him|her|this|these|those)\b"
    r"|\s(?:to|of|for|with|like)$",
    re.IGNORECASE,
)
"""Conditions, and words that point outside the sentence: the thing is not what it says."""
_AN_ADJECTIVE = re.compile(r"\w an? \w+$", re.IGNORECASE)
"""Before a comma: "creating a safe, inviting place" goes on."""

_SUBSTANCE_ENDS = re.compile(
    _THING_ENDS.pattern + r"|\s(?:in|on|at|for|from|if|unless|when|whenever|only|badly|severely|"
    r"myself|i|after|ever|"
    r"(?:last|this) (?:week|month|year|spring|summer|autumn|winter)|recently|yesterday)\b",
    re.IGNORECASE,
)
_JOINT = re.compile(r"\s{0,3},?\s{0,3}(?:\band\b|\bor\b|&|,)\s{0,3}", re.IGNORECASE)
_AND_TO = re.compile(_JOINT.pattern + r"(?:(?:also )?to\s)?", re.IGNORECASE)
_TRIM = " \t.,;:!?'\"*-\u2013\u2014"

_FOREIGN = NOT_ENGLISH - {"soy", "bin", "como", "para", "mas"}
"""What somebody likes in a sentence of two languages ("I love dich"); soy is food in English."""

_FIRST_WORDS, _NEXT_WORDS = 5, 2
"""Words of the longest first thing, and of each further one: what is longer there is the start
of another clause ("I like tea and Jack hates coffee")."""


_NO_NAME_IN_HAN = re.compile("[\u4e00-\u9fff]{5}|[的是在们們嗎吗]")


def _names(rest: str, most: int) -> Iterator[str]:
    """The capitalised words (and particles between them) at the start of `rest`.

    A letter without case, as in 東京, counts as a capital.
    """
    for word in rest.split(maxsplit=most)[:most]:
        bare = word.strip(_TRIM + "()")
        capital = bool(bare) and bare[0].isalpha() and not bare[0].islower()
        if _NO_NAME_IN_HAN.search(bare):
            return
        if not (capital or bare in PARTICLES) or bare == "I" or word[0] in "(-\u2013\u2014":
            return
        yield bare if not re.fullmatch(r"(?:[A-Z]|St)\.", word) else word
        if word[-1] in ",;:!?)" or (word.endswith(".") and len(bare) > 2):  # noqa: PLR2004
            return


def _proper(rest: str, most: int = 5) -> str:
    words = list(_names(rest, most))
    while words and words[-1] in PARTICLES:
        words.pop()
    return " ".join(words) if words and words[0] not in PARTICLES else ""


_GOES_ON = (
    r"\W{0,9}(?:$|(?:(?:and|but|so) )?(?:[iI]|[iI]'m|my|we)\b|(?:now|nowadays|these days|"
    r"currently|atm|at the moment|btw|by the way|fyi|please|pls|thanks|thx|since|"
    r"(?:last|this) (?:week|month|year|weekend|spring|summer|autumn|fall|winter)|"
    r"with my (?:\w{2,12}))\b)"
)
"""What may follow a value that has no capital to end it."""


def _lower_case(rest: str, most: int, unlike: frozenset[str]) -> str:
    """One or two lower-case words that end the sentence, from people who type no capitals."""
    said = re.match(
        rf"([^\W\d_][\w'-]{{1,30}}(?: [^\W\d_][\w'-]{{1,30}}){{0,{most - 1}}}?){_GOES_ON}", rest
    )
    if said is None or said[1] != said[1].lower():
        return ""
    words = said[1].split()
    return said[1] if len(words) <= most and not unlike.intersection(words) else ""


def name(rest: str) -> tuple[str, ...]:
    """What "my name is" introduces: `Asha Rao`, `asha`."""
    found = _proper(rest) or _lower_case(rest, 2, NOT_A_NAME | PARTICLES)
    follows = rest[rest.find(found) + len(found) :]
    a_title = re.match(r"\s(?:is|was|are)\b", follows)
    told_twice = re.match(rf"\s{{0,3}},\s{{0,3}}[\w'-]{{1,20}} {re.escape(found)}\b", follows)
    if not found or a_title or told_twice or found.split()[0].lower() in NOT_A_NAME:
        return ()
    return (found,)


def full_name(rest: str) -> tuple[str, ...]:
    """A name in lower case, of two words to five: `jan willem de vries`."""
    found = "" if _proper(rest) else _lower_case(rest, 5, NOT_A_NAME)
    return (found,) if " " in found and found.split()[0] not in PARTICLES else ()


_AFTER_A_NAME = re.compile(
    r"\s{0,3}(?:$|[,.;:!()\u2013\u2014-]|(?:and|but|from|by the way|here)\b)", re.IGNORECASE
)


def capitalised_name(rest: str) -> tuple[str, ...]:
    """What "I'm" introduces, when it can only be a name: `Asha`, but not `Italian` or `OK`."""
    found = _proper(rest, 3)
    if not found or not rest.startswith(found) or not _AFTER_A_NAME.match(rest, len(found)):
        return ()
    parts = re.split(r"[\s-]|(?<=\b[OD])'|(?<=\bMc)(?=[A-Z])", found)
    plain = all(part[1:].islower() or not part.isascii() for part in parts)
    described = any(word.lower() in NOT_A_NAME for word in found.split())
    return (found,) if plain and not described else ()


def given_name(rest: str) -> tuple[str, ...]:
    """The name right after "my daughter": `Mia`."""
    found = _proper(rest, 1)
    return (found,) if found and found.lower() not in NOT_A_NAME and not found.isupper() else ()


_NAMES_APART = re.compile(r"\s{0,3}(?:,\s{0,3}(?:and |& )?|\s(?:and|&)\s)")
_MOST_NAMES = 8


def given_names(rest: str) -> tuple[str, ...]:
    """Names that are joined by commas and "and": `Mira`, `Saanvi`; none for a single one."""
    names: list[str] = []
    position = 0
    for _ in range(_MOST_NAMES):
        word = re.compile(r"[^\W\d_][\w'-]{1,20}").match(rest, position)
        if word is None or not word[0][0].isupper() or word[0].lower() in NOT_A_NAME:
            if len(names) > 1 and re.match(r"(?:an?|one) ", rest[position:]):
                return tuple(names)  # "Rex and Bo, and a cat"
            return ()
        names.append(word[0])
        position = word.end()
        joint = _NAMES_APART.match(rest, position)
        if joint is None:
            break
        position = joint.end()
    follows = rest[position:]
    ended = re.match(r"\s{0,3}(?:$|[.,;:!?()\u2013\u2014-])|\s[a-z]", follows)
    return tuple(names) if len(names) > 1 and ended else ()


def place(rest: str) -> tuple[str, ...]:
    """A city or country: `Lisbon`, `New York City`, `the Netherlands`, `lisbon`."""
    article = _PLACES_WITH_ARTICLE.match(rest)
    found = _proper(rest[article.end() :] if article else rest)
    if found and found.split()[0].lower() not in NOT_A_PLACE:
        return ((article[0] if article else "") + found,)
    small = _lower_case(rest, 3, NOT_A_PLACE | PARTICLES)
    return (small,) if small else ()


_PASSED = re.compile(
    r".{0,60}?\b(?:when I was|as a (?:child|kid|student)|"
    r"for (?:an?|one|two|three|four|five|six|\d{1,2}|some) (?:\w{2,9} )?"
    r"(?:while|time|days?|weeks?|months?|years?|semesters?|summer|winter))\b",
    re.IGNORECASE,
)


def new_place(rest: str) -> tuple[str, ...]:
    """The `place` that somebody moved to, unless it was for a time ("when I was six")."""
    return () if _PASSED.match(rest) else place(rest)


def organisation(rest: str) -> tuple[str, ...]:
    """An organisation by its name alone: `Siemens`, `Red Cross`."""
    found = _proper(re.sub(r"^the (?=[A-Z])", "", rest))
    return (found,) if found else ()


def new_organisation(rest: str) -> tuple[str, ...]:
    """The `organisation` that somebody joined, unless it was for a time ("for a day")."""
    return () if _PASSED.match(rest) else organisation(rest)


def employer(rest: str) -> tuple[str, ...]:
    """An organisation by its name, or "a hospital"."""
    if found := organisation(rest):
        return found
    if small := _lower_case(rest, 1, NOT_AN_EMPLOYER):
        return (small,)
    kind = re.match(r"an? [\w-]{3,30}(?: [\w-]{3,30})?(?=\W{0,9}$|[,.;]| (?:as|and|in)\b)", rest)
    return (kind[0],) if kind else ()


def _list(
    rest: str, ends: re.Pattern[str], unlike: frozenset[str], between: re.Pattern[str] = _JOINT
) -> Iterator[str]:
    """The things at the start of `rest`, which are joined by commas, "and" or "or"."""
    most, position = _FIRST_WORDS, 0
    while True:
        end = ends.search(rest, position)
        thing = rest[position : end.start() if end else len(rest)].strip(_TRIM)
        words = thing.lower().split()
        clear = 0 < len(words) <= most and not _UNCLEAR.search(thing)
        if end is not None and end[0].strip().lower() in {"who", "which", "that"}:
            return  # "Hotels that are noisy" are not hotels.
        if end is not None and end[0] == "," and _AN_ADJECTIVE.search(thing):
            return
        if not clear or words[0] in unlike or thing in _FOREIGN or words[0].endswith("'s"):
            return
        yield thing
        joint = between.match(rest, end.start()) if end else None
        if joint is None:
            return
        most, position = _NEXT_WORDS, joint.end()


def things(rest: str) -> tuple[str, ...]:
    """What "I like" introduces: `tea`, `spicy food`; not `it`, `the second one`, `your idea`."""
    return tuple(_list(rest, _THING_ENDS, NOT_A_THING))


def substances(rest: str) -> tuple[str, ...]:
    """What "I'm allergic to" introduces: `peanuts`, `tree nuts`; not `Mondays`."""
    return tuple(_list(rest, _SUBSTANCE_ENDS, NOT_A_THING | NOT_AN_ALLERGEN, _AND_TO))


def phrase(rest: str) -> tuple[str, ...]:
    """What "my favourite colour is" introduces: up to six words, and not `closed`."""
    found = re.split(_THING_ENDS, rest, maxsplit=1)[0].strip(_TRIM)
    words = found.lower().split()
    return (found,) if 0 < len(words) <= 6 and words[0] not in NOT_A_FAVOURITE else ()  # noqa: PLR2004


_ONE_LANGUAGE = re.compile(
    rf"{FLUENCY}(?P<named>{LANGUAGE})\b(?:(?P<joint>,? and |, ?)|(?=\W{{0,9}}$|[.;!]| (?:or|but|"
    r"well|fluently|natively|too|also|as|at|with|better|because|so|since|now|pretty|quite|very)\b))",
    re.IGNORECASE,
)


def languages(rest: str) -> tuple[str, ...]:
    """What "I speak" introduces: `Portuguese`, `Japanese`."""
    found: list[str] = []
    position = 0
    while said := _ONE_LANGUAGE.match(rest, position):
        found.append(said["named"])
        position = said.end()
        if not said["joint"]:
            break
    return tuple(found)


def role(rest: str) -> tuple[str, ...]:
    """What "I work as a" introduces: up to four words, before "at", "for" and "in"."""
    found = re.split(
        _THING_ENDS.pattern + r"|\s(?:at|for|in|with|on|from)\b",
        rest,
        maxsplit=1,
        flags=re.IGNORECASE,
    )[0].strip(_TRIM)
    return (found,) if 0 < len(found.split()) <= 4 else ()  # noqa: PLR2004


def without_article(rest: str) -> tuple[str, ...]:
    """The words without "a", "an" or "the" before them."""
    return whole(re.sub(r"^(?:an?|the) ", "", rest))


def whole(rest: str) -> tuple[str, ...]:
    """The words as they are."""
    found = rest.strip(_TRIM)
    return (found,) if found else ()


_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_EARLIEST, _LATEST = 1880, 2100
_A_LEAP_YEAR = 2000


def _is_day(year: str | None, month: int, day: str) -> bool:
    number = int(year) if year and len(year) > 2 else _A_LEAP_YEAR + int(year or 0)  # noqa: PLR2004
    try:
        return _EARLIEST <= date(number, month, int(day)).year < _LATEST
    except ValueError:
        return False


def birthday(said: str) -> tuple[str, ...]:
    """A date on which somebody can have been born, in words or figures, or "yesterday"; not 31
    February.
    """
    numbers = re.findall(r"\d+", said)
    word = re.search(r"[a-z]{3,}", said.replace("the ", ""), re.IGNORECASE)
    if not numbers:
        return whole(said)
    if word is not None:
        day, year = numbers[0], numbers[1] if len(numbers) > 1 else None
        possible = _is_day(year, _MONTHS.index(word[0][:3].lower()) + 1, day)
    elif len(numbers[0]) > 2:  # noqa: PLR2004
        possible = _is_day(numbers[0], int(numbers[1]), numbers[2])
    else:
        one, other, year = numbers
        possible = _is_day(year, int(other), one) or _is_day(year, int(one), other)
    return whole(said) if possible else ()


_DAYS: Mapping[str, int] = {
    "the day before yesterday": -2,
    "yesterday": -1,
    "last night": -1,
    "today": 0,
    "tonight": 0,
    "this morning": 0,
    "the day after tomorrow": 2,
    "tomorrow": 1,
}
_UNITS: Mapping[str, int] = {"day": 1, "week": 7}
_NUMBERS: Mapping[str, int] = {"a": 1, "an": 1} | {
    word: number
    for number, word in enumerate(
        ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"), 1
    )
}
_WEEK = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_RELATIVE = re.compile(
    rf"\b(?:(?P<day>{'|'.join(_DAYS)})"
    rf"|(?P<many>\d{{1,3}}|{'|'.join(_NUMBERS)}) (?P<unit>days?|weeks?) ago"
    rf"|in (?P<soon>\d{{1,3}}|{'|'.join(_NUMBERS)}) (?P<soon_unit>days?|weeks?)"
    rf"|(?P<which>last|next) (?:(?P<weekday>(?i:{'|'.join(_WEEK)}))|(?P<span>month|year)))\b"
)
"""In lower case alone: "Yesterday" with a capital inside a value is a song."""

_NO_DAYS = frozenset({"favourite", "favorite", "likes", "dislikes", "name", "family", "work"})
"""First levels of topics whose values are names and tastes, in which no day is meant."""


def with_dates(text: str, said: date, *, topic: str = "") -> str:
    """`text` with "yesterday", "two weeks ago", "last Friday" and their kind as the dates, months
    and years that they were when it was said.

    Args:
        text: A value.
        said: The day on which it was said, where it was said.
        topic: What it is about: a favourite song may be called "yesterday".
    """
    if topic.split(".", maxsplit=1)[0] in _NO_DAYS:
        return text
    return _RELATIVE.sub(lambda found: _date_of(found, said), text)


def _date_of(found: re.Match[str], said: date) -> str:
    if found["day"]:
        days = _DAYS[found["day"]]
    elif found["many"] or found["soon"]:
        many, unit = found["many"] or found["soon"], found["unit"] or found["soon_unit"]
        number = _NUMBERS.get(many) or int(many)
        days = number * _UNITS[unit.removesuffix("s")] * (-1 if found["many"] else 1)
    elif found["weekday"]:
        away = (_WEEK.index(found["weekday"].lower()) - said.weekday()) % 7
        days = (away or 7) - (7 if found["which"] == "last" else 0)
        days = days - 7 if found["which"] == "last" and not away else days
    else:
        step = -1 if found["which"] == "last" else 1
        if found["span"] == "year":
            return str(said.year + step)
        months = said.year * 12 + said.month - 1 + step
        return f"{months // 12:04d}-{months % 12 + 1:02d}"
    try:
        return (said + timedelta(days)).isoformat()
    except OverflowError:
        return found[0]
