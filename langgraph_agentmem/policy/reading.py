"""How a candidate is read by the write policy: every text in it, with what it is called."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from langgraph_agentmem.model import Candidate

Finder: TypeAlias = Callable[[str], bool]


class Reading(NamedTuple):
    """A text in plain characters, and the same in lower case, character by character."""

    text: str
    low: str


ReadingFinder: TypeAlias = Callable[[Reading], bool]

_INVISIBLE = dict.fromkeys([*range(0x200B, 0x2010), *range(0x202A, 0x202F), 0x2060, 0xFEFF, 0xAD])
# The one capital whose small letter is two characters, and the small letter that stands alone.
_TURKISH_I = {0x130: "i", 0x131: "i"}
_DASHES = {ord(dash): "-" for dash in "\u2010\u2011\u2012\u2013\u2014\u2212"}

_PLAIN: Mapping[int, str | None] = {**dict.fromkeys(_INVISIBLE), **_DASHES, **_TURKISH_I}

LONGEST_CHECKED = 1_000_000
"""Characters of the longest value that is looked through, which takes about a second."""

_LABEL_LEVELS = 4
"""Keys nearest to a text that say what it is."""


def plain(text: str) -> str:
    """Full-width letters and digits, special spaces and dashes as plain ones; nothing hidden."""
    return unicodedata.normalize("NFKC", text).translate(_PLAIN)


def words(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


def any_of(*patterns: str, flags: re.RegexFlag = re.IGNORECASE) -> Finder:
    """Finds a text in which one of the patterns occurs."""
    compiled = [re.compile(pattern, flags) for pattern in patterns]
    return lambda text: any(pattern.search(text) for pattern in compiled)


_BEFORE, _AFTER = 200, 500
"""Characters before and after a telling word that nearly no pattern beside it exceeds."""


class _Tell(NamedTuple):
    """A word near which something is looked for: as written, or in any case; a word's beginning."""

    word: str
    in_any_case: bool
    begins_word: bool


def _tell(written: str) -> _Tell:
    word = written.removeprefix("^")
    return _Tell(word, word == word.lower(), word != written)


def _spots(text: str, tell: _Tell) -> Iterator[tuple[int, int]]:
    """Where a telling word begins and ends."""
    spot = text.find(tell.word)
    while spot >= 0:
        ends = spot + len(tell.word)
        if not (tell.begins_word and spot and text[spot - 1].isalnum()):
            yield spot, ends
        spot = text.find(tell.word, ends)


def near(tells: str, finder: Finder, *, after: int = _AFTER) -> ReadingFinder:
    """Asks a finder only about the text around telling words, one of which is in all it finds.

    To seek a few words takes a hundredth of the time of a pattern that may begin anywhere.

    Args:
        tells: Parted by `|`; in small letters for any case; after `^` where a word begins.
        finder: Finds nothing that begins more than 200 characters before such a word, or ends
            more than `after` characters after it.
        after: In characters.
    """
    in_any_case = [each for each in map(_tell, tells.split("|")) if each.in_any_case]
    as_written = [each for each in map(_tell, tells.split("|")) if not each.in_any_case]

    def found_near(reading: Reading) -> bool:
        text, low = reading
        seen = [(low, tell) for tell in in_any_case if tell.word in low]
        seen += [(text, tell) for tell in as_written if tell.word in text]
        if not seen:
            return False
        if len(text) <= _BEFORE + after:
            return finder(text)
        spots = sorted(spot for where, tell in seen for spot in _spots(where, tell))
        if not spots:
            return False
        first, last = spots[0]
        for begins, ends in spots:
            if begins - _BEFORE > last + after:
                if finder(text[max(0, first - _BEFORE) : last + after]):
                    return True
                first = begins
            last = max(last, ends)
        return finder(text[max(0, first - _BEFORE) : last + after])

    return found_near


def anywhere(finder: Finder) -> ReadingFinder:
    """Asks a finder about the whole text."""
    return lambda reading: finder(reading.text)


_LONGEST_KIND = 40
_SHORT_PIECE = 9
"""Characters of a piece that may be one part of a number or phrase: `["4111", "1111", ...]`."""


_KINDS = words("type kind name label title what document field key category")
"""Keys whose value says what stands beside it: `{"type": "passport", "number": "…"}`."""


def _kind_told_in(found: Mapping[Any, Any]) -> Iterator[str]:
    for key, told in found.items():
        if str(key).casefold() in _KINDS and isinstance(told, str) and len(told) <= _LONGEST_KIND:
            yield told


def leaves(value: Any, *, with_kinds: bool = False) -> Iterator[tuple[tuple[str, ...], str]]:
    """Every text and number in a value, with the keys that lead to it; and the short texts of a
    list as one, too.

    Args:
        value: Any JSON value.
        with_kinds: What `{"type": "passport", "number": "…"}` says of the number stands before
            "number".
    """
    waiting: list[tuple[tuple[str, ...], Any]] = [((), value)]
    while waiting:
        keys, found = waiting.pop()
        if isinstance(found, Mapping):
            kinds = tuple(_kind_told_in(found)) if with_kinds else ()
            waiting.extend(
                (
                    (*keys, *(() if str(key).casefold() in _KINDS else kinds), str(key))[
                        -_LABEL_LEVELS:
                    ],
                    each,
                )
                for key, each in found.items()
            )
        elif isinstance(found, str):
            yield keys, found
        elif isinstance(found, Sequence | set | frozenset):
            waiting.extend((keys, each) for each in found)
            if len(found) > 1 and all(
                isinstance(each, str) and len(each) <= _SHORT_PIECE for each in found
            ):
                yield keys, " ".join(found)
        elif isinstance(found, int | float):
            yield keys, str(found)


_JOINTS = re.compile(r"[._/:-]|(?<=[a-z])(?=[A-Z])")


def topic_words(topic: str) -> str:
    """A topic or a key as words: `ops.db_password` and `ops.dbPassword` are `ops db password`."""
    return _JOINTS.sub(" ", topic)


def said_in(candidate: Candidate) -> list[str]:
    """Every text of a candidate's value after what it is called, such as "ops db password: …";
    where keys are written as one word, what they are called stands before that as they are.
    """
    topic, said = topic_words(candidate.topic), []
    for keys, text in leaves(candidate.value, with_kinds=True):
        called = [topic_words(key) for key in keys]
        as_written = [key for key, word in zip(keys, called, strict=True) if key != word]
        said.append(f"{' '.join((*as_written, topic, *called))}: {text}")
    return said


def readings(text: str) -> Iterator[Reading]:
    """A text in plain characters; and without its line breaks, if it has any."""
    yield (one := read(text))
    if "\n" in one.text:
        yield read(" ".join(filter(None, map(str.strip, one.text.split("\n")))))


def read(text: str) -> Reading:
    """A text as the finders read it."""
    return Reading(one := plain(text), one.lower())
