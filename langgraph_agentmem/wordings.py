"""Forgotten values as texts, and every form in which they may be written elsewhere."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import date, datetime, time
from decimal import Decimal, InvalidOperation
from ipaddress import IPv4Address, IPv6Address
from itertools import pairwise
from typing import Any
from urllib.parse import quote, quote_plus
from uuid import UUID

SHORTEST = 4
"""Characters: a shorter value stands in too many innocent places, so it is scrubbed in its source
messages alone."""

WIDE = ("utf-16-le", "utf-16-be")
"""Encodings besides UTF-8 in which bytes in state may hold a text."""

_PIECE = re.compile(r"\d|[^\W\d_]+")
_DIGITS = re.compile(r"\d+")
_PLAIN = {"yes", "no", "true", "false", "none", "null"}

_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]"
)
"""Letters of scripts that put no space between words: Thai, Lao, Burmese, Khmer, kana, Han."""


def leaf_texts(values: Iterable[str]) -> set[str]:
    """The texts and numbers in JSON values, those that can be told from innocent words."""
    found: set[str] = set()

    def walk(value: Any) -> None:
        if isinstance(value, Mapping):
            for inner in value.values():
                walk(inner)
        elif isinstance(value, list):
            for inner in value:
                walk(inner)
        elif isinstance(value, str):
            found.add(value.strip())
        elif isinstance(value, int | float) and not isinstance(value, bool):
            found.add(str(value))

    for text in values:
        walk(json.loads(text))
    return {text for text in found if len(text) >= SHORTEST and text.casefold() not in _PLAIN}


def _escaped(text: str) -> set[str]:
    """The text as JSON inside a string holds it, non-ASCII characters escaped or not."""
    return {json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1]}


def literal_forms(text: str) -> set[str]:
    """The text as it is, as JSON escapes it, and as URLs hold it, accents composed or not."""
    return {one for form in _compositions(text) for one in (form, *_escaped(form), *_in_urls(form))}


def needles(texts: Iterable[str]) -> list[bytes]:
    """The texts as the bytes that a file may hold: UTF-8 and UTF-16, and as JSON and URLs escape
    them.
    """
    found: set[bytes] = set()
    for text in texts:
        found |= {encoded(one, "utf-8") for one in literal_forms(text)}
        found |= {encoded(form, encoding) for form in _compositions(text) for encoding in WIDE}
    return sorted(found)


def encoded(text: str, encoding: str) -> bytes:
    """A text as bytes, lone surrogates too."""
    return text.encode(encoding, errors="surrogatepass")


def _compositions(text: str) -> set[str]:
    """A text with its accents composed, decomposed, and as it is."""
    return {text, unicodedata.normalize("NFC", text), unicodedata.normalize("NFD", text)}


def _in_urls(text: str) -> set[str]:
    """A text as URLs hold it: percent-encoded, spaces as they may be."""
    return {
        quote(text, safe="", errors="surrogatepass"),
        quote(text, errors="surrogatepass"),
        quote_plus(text, errors="surrogatepass"),
    }


def _pattern(text: str) -> str:
    """A text as whole words, its spaces, dashes and brackets as they may be written elsewhere:
    as they are in it, or as few of them.

    A phone number is found whether it is written "+351 912" or "+351-912", and 1200 as "1,200".
    """
    pieces = [*_PIECE.finditer(text)]
    if not pieces:
        return re.escape(text)
    parts = [re.escape(pieces[0].group())]
    for before, piece in pairwise(pieces):
        gap = text[before.end() : piece.start()]
        between = _between(before.group(), piece.group(), _digits_from(text, piece.start()))
        parts.append(f"(?:{re.escape(gap)}|{between})" if gap else between)
        parts.append(re.escape(piece.group()))
    opens, closes = re.escape(text[: pieces[0].start()]), re.escape(text[pieces[-1].end() :])
    first, last = pieces[0].group()[0], pieces[-1].group()[-1]
    starts = "" if _UNSPACED.match(first) else r"(?<![^\W_])"
    ends = "" if _UNSPACED.match(last) else r"(?![^\W_])"
    return rf"(?:{opens})?{starts}" + "".join(parts) + rf"{ends}(?:{closes})?"


_BETWEEN_DIGITS = r"\s().\-/\u2010-\u2015\u2212"
"""What may stand between digits: spaces, brackets, stops, slashes, dashes."""


def _between(before: str, piece: str, digits: int) -> str:
    """What may stand between two pieces; `digits` so many that follow each other begin there."""
    if not (before.isdigit() and piece.isdigit()):
        return r"[\W_]{0,5}"
    thousands = "" if digits % 3 else ",'\u2019"
    return f"[{_BETWEEN_DIGITS}{thousands}]{{0,3}}"


def _digits_from(text: str, start: int) -> int:
    found = _DIGITS.match(text, start)
    return len(found.group()) if found else 0


def wordings(text: str) -> Iterator[str]:
    """A text as it may be written: letters beyond case ("ß" is "SS"), accents composed or not,
    JSON's escapes (of JSON inside JSON too), and percent signs.
    """
    for cased in {text} if text.isascii() else {text, text.casefold(), text.upper()}:
        for form in _compositions(cased):
            yield _pattern(form)
            for other in {*_escaped(form), *_in_urls(form)} - {form}:
                yield re.escape(other).replace(r"\\", r"\\+")


# Values of Python's own -------------------------------------------------------------------------


def plain_form(value: Any) -> Any:
    """What of a value is compared: a moment in a timezone is its date and clock alone."""
    if isinstance(value, Decimal) and not value.is_finite():
        return None
    return value.replace(tzinfo=None) if isinstance(value, datetime | time) else value


def read_as(texts: Iterable[str], read: Callable[[str], Any]) -> Iterator[Any]:
    """The texts that are values of a kind, as such values."""
    for text in texts:
        with suppress(ValueError, InvalidOperation):
            found = plain_form(read(text))
            if found is not None:
                yield found


OBJECTS: tuple[tuple[type, Callable[[str], Any], Any], ...] = (
    (date, date.fromisoformat, date.min),
    (datetime, datetime.fromisoformat, datetime.min),  # noqa: DTZ901 - it stands for no moment
    (time, time.fromisoformat, time.min),
    (UUID, UUID, UUID(int=0)),
    (Decimal, Decimal, Decimal(0)),
    (IPv4Address, IPv4Address, IPv4Address(0)),
    (IPv6Address, IPv6Address, IPv6Address(0)),
)
"""Values of Python's own, how a text becomes one, and one that says nothing."""
