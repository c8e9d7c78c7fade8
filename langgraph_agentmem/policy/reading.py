"""How a candidate is read by the write policy: every text in it, with what it is called."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from langgraph_agentmem.model import Candidate

Finder: TypeAlias = Callable[[str], bool]

_INVISIBLE = dict.fromkeys([*range(0x200B, 0x2010), *range(0x202A, 0x202F), 0x2060, 0xFEFF, 0xAD])
_DASHES = {ord(dash): "-" for dash in "\u2010\u2011\u2012\u2013\u2014\u2212"}

LONGEST_CHECKED = 1_000_000
"""Characters of the longest value that is looked through, which takes a few seconds."""

_LABEL_LEVELS = 4
"""Keys nearest to a text that say what it is."""


def plain(text: str) -> str:
    """Full-width letters and digits, special spaces and dashes as plain ones; nothing hidden."""
    return unicodedata.normalize("NFKC", text).translate(_INVISIBLE | _DASHES)


_BREAK = re.compile(r"[ \t\r]{0,9}\n\s{0,99}")


def words(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


def any_of(*patterns: str, flags: re.RegexFlag = re.IGNORECASE) -> Finder:
    """Finds a text in which one of the patterns occurs."""
    compiled = [re.compile(pattern, flags) for pattern in patterns]
    return lambda text: any(pattern.search(text) for pattern in compiled)


_SHORT_PIECE = 9
"""Characters of a piece that may be one part of a number or phrase: `["4111", "1111", ...]`."""


def leaves(value: Any) -> Iterator[tuple[tuple[str, ...], str]]:
    """Every text and number in a value, with the keys that lead to it; and the short texts of a
    list as one, too.
    """
    waiting: list[tuple[tuple[str, ...], Any]] = [((), value)]
    while waiting:
        keys, found = waiting.pop()
        if isinstance(found, Mapping):
            waiting.extend(
                ((*keys, str(key))[-_LABEL_LEVELS:], each) for key, each in found.items()
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
    for keys, text in leaves(candidate.value):
        called = [topic_words(key) for key in keys]
        as_written = [key for key, word in zip(keys, called, strict=True) if key != word]
        said.append(f"{' '.join((*as_written, topic, *called))}: {text}")
    return said


def readings(text: str) -> Iterator[str]:
    """A text in plain characters; and without its line breaks, if it has any."""
    yield (one := plain(text))
    if "\n" in one:
        yield _BREAK.sub(" ", one)
