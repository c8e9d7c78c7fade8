"""The days that a question names: "in May", "last summer", "on 3 July 2023", "yesterday".

English first, then what `tongues` reads; dates in figures in any language. Seasons are those of
the north.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from .tongues import MONTHS, WEEKDAYS, folded, readers_for

_MONTH = "|".join([*MONTHS, *(name[:3] for name in MONTHS), "sept"])
_NUMBER = {name[:3]: at for at, name in enumerate(MONTHS, start=1)}
_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
_SEASON = "|".join(_SEASONS)
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>(?:19|20)\d\d)(?![0-9A-Za-z])"
_START = r"(?<![0-9A-Za-z])"

Parts = Callable[[re.Match[str]], Mapping[str, str | None]]
"""What a form has read, by the names of its groups."""

_MOST = 16
"""Spans that are looked at of one question."""

# The longest form first: what one has read is taken out before the next looks.
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"{_START}{_YEAR}[-/.年](?P<month>\d{{1,2}})[-/.月](?P<day>\d{{1,2}})日?(?![0-9A-Za-z])",
        rf"{_START}(?P<day>\d{{1,2}})\.\s?(?P<month>\d{{1,2}})\.\s?{_YEAR}",
        rf"\b{_DAY}\s+(?:of\s+)?(?P<name>{_MONTH})\b\.?(?:,?\s*{_YEAR})?",
        rf"\b(?P<name>{_MONTH})\.?\s+{_DAY}\b(?!\s*:)(?:,?\s*{_YEAR})?",
        rf"\b(?P<name>{_MONTH})\b\.?,?\s+(?:of\s+)?{_YEAR}",
        rf"\b(?P<which>last|this)\s+(?P<name>{_MONTH})\b",
        rf"\b(?:in|of|on|since|during|from|until|by|early|mid|late|around)[\s-]+(?P<name>{_MONTH})\b",
        rf"\b(?:(?P<which>last|this)\s+)?(?P<season>{_SEASON})\b(?:\s+(?:of\s+)?{_YEAR})?",
        r"\b(?P<which>last|this)\s+(?P<unit>week|month|year|weekend)\b",
        rf"\blast\s+(?P<weekday>{'|'.join(WEEKDAYS)})\b",
        r"\b(?P<word>yesterday|today)\b",
    )
)
_YEAR_ALONE = re.compile(rf"{_START}{_YEAR}")


@dataclass(frozen=True, slots=True)
class Days:
    """A span of days that a question names, as ordinals, both ends in it.

    `month` and `day` without a year come again every year: then `first` and `last` are those of
    the year of the question, and `every_year` is true.
    """

    first: int
    last: int
    every_year: bool = False

    def between(self, first: int, last: int) -> Iterator[Days]:
        """The span itself; one that comes every year once for each of the years from one day to
        another, which is as near to it as the calendar allows.
        """
        if not self.every_year:
            yield self
            return
        start, length = date.fromordinal(self.first), self.last - self.first
        for year in range(date.fromordinal(first).year - 1, date.fromordinal(last).year + 1):
            moved = date(year, start.month, min(start.day, 28)).toordinal()
            moved += max(start.day - 28, 0)
            yield Days(moved, moved + length)


def days_named(query: str, today: date) -> tuple[tuple[Days, ...], str]:
    """The spans of days that a question names, and the question without them.

    Args:
        query: The question.
        today: The day on which it is asked.
    """
    found: dict[Days, None] = {}

    def taken(match: re.Match[str], parts: Mapping[str, str | None]) -> str:
        span = _span(parts, today)
        if span is None:
            return match[0]
        found.setdefault(span)
        return " "

    def without(text: str, forms: Sequence[re.Pattern[str]], parts_of: Parts) -> str:
        for form in forms:
            text = form.sub(lambda match: taken(match, parts_of(match)), text)
        return text

    rest = without(query, _FORMS, re.Match.groupdict)
    bare, count = folded(rest), len(found)
    for reader in readers_for(bare):
        bare = without(bare, reader.forms, reader.parts)
    rest = bare if len(found) > count else rest
    rest = without(rest, [_YEAR_ALONE], re.Match.groupdict)
    return tuple(found)[:_MOST], rest


def _span(parts: Mapping[str, str | None], today: date) -> Days | None:
    try:
        return next(_spans(parts, today), None)
    except ValueError:  # 31 February
        return None


def _spans(parts: Mapping[str, str | None], today: date) -> Iterator[Days]:
    year = int(parts.get("year") or 0)
    which = (parts.get("which") or "").lower()
    if years := parts.get("years"):
        year = today.year - (years == "last")
    if word := parts.get("word"):
        yield _days(today - timedelta(days=word.lower() == "yesterday"))
    elif weekday := parts.get("weekday"):
        back = (today.weekday() - WEEKDAYS.index(weekday.lower())) % 7 or 7
        yield _days(today - timedelta(days=back))
    elif unit := parts.get("unit"):
        yield _unit(unit.lower(), which, today)
    elif season := parts.get("season"):
        if year or which:
            month = _SEASONS[season.lower()]
            yield _months(year or _year_of(month, which, today, length=3), month, 3)
    elif parts.get("name") or parts.get("month"):
        name = parts.get("name")
        month = _NUMBER[name[:3].lower()] if name else int(parts["month"] or 0)
        given = year or (_year_of(month, which, today, length=1) if which else 0)
        if day := int(parts.get("day") or 0):
            one = date(given or today.year, month, day).toordinal()
            yield Days(one, one, every_year=not given)
        else:
            span = _months(given or today.year, month, 1)
            yield Days(span.first, span.last, every_year=not given)
    elif year:
        yield _months(year, 1, 12)


def _days(day: date) -> Days:
    return Days(day.toordinal(), day.toordinal())


def _months(year: int, month: int, count: int) -> Days:
    """Some months from the first day of one."""
    end = year * 12 + month - 1 + count
    first, after = date(year, month, 1), date(end // 12, end % 12 + 1, 1)
    return Days(first.toordinal(), after.toordinal() - 1)


def _year_of(month: int, which: str, today: date, *, length: int) -> int:
    """The year of the last such months that are over, or of this year's."""
    if which == "this" or _months(today.year, month, length).last < today.toordinal():
        return today.year
    return today.year - 1


def _unit(unit: str, which: str, today: date) -> Days:
    back = which == "last"
    if unit == "year":
        return _months(today.year - back, 1, 12)
    if unit == "month":
        at = today.year * 12 + today.month - 1 - back
        return _months(at // 12, at % 12 + 1, 1)
    monday = today.toordinal() - today.weekday() - 7 * back
    return Days(monday + 5 * (unit == "weekend"), monday + 6)
