"""Put marks where forgotten values stand in texts, bytes, numbers and dates: the leaves of a state.

A value is found as whole words, however it is written (see `wordings`); a long one as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import datetime, time
from pathlib import PurePath
from typing import Any

from .wordings import (
    OBJECTS,
    WIDE,
    encoded,
    literal_forms,
    plain_form,
    read_as,
    wordings,
)

MARK = "[forgotten]"

LONGEST_WORDING = 1000
"""Characters: a longer value is looked for as it is written, not as words."""

_PLAIN_OBJECTS = (*(kind for kind, _, _ in OBJECTS), PurePath)

LEAVES = (str, bytes, bytearray, int, float, *_PLAIN_OBJECTS)
"""What `Leaves.clean` takes."""


class Wanted:
    """What is looked for. To make the patterns takes longer than to look through a thread, so they
    are made once for many.

    Args:
        texts: Forgotten values, from `leaf_texts`.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        every = sorted(texts, key=len, reverse=True)
        self.long = [
            form
            for text in every
            if len(text) > LONGEST_WORDING
            for form in sorted(literal_forms(text), key=len, reverse=True)
        ]
        # One pattern for each: of two that overlap in a text, both are found.
        self.values = [
            re.compile("|".join(sorted(set(wordings(text)), key=len, reverse=True)), re.IGNORECASE)
            for text in every
            if len(text) <= LONGEST_WORDING
        ]
        self.wide = [encoded(text, encoding) for text in every for encoding in WIDE]
        self.numbers = set(_numbers(every))
        self.objects = {kind: set(read_as(every, read)) for kind, read, _ in OBJECTS}


class Leaves:
    """Finds forgotten values in what holds no other values.

    Args:
        wanted: The values.
    """

    def __init__(self, wanted: Wanted) -> None:
        self._wanted = wanted
        self._known: dict[str, tuple[str, int]] = {}
        self.said: set[str] = set()
        """Texts that go whole, wherever they stand: what source messages say."""
        self.whole = 0
        """How many of those went."""
        self.marked = 0
        """How many values were marked elsewhere."""

    def clean(self, value: Any) -> Any:
        """The value without what is forgotten; the same object if nothing is."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, bytes | bytearray):
            return self._bytes(value)
        if isinstance(value, int | float):
            return self._number(value)
        return self._object(value)

    def text(self, text: str) -> str:
        """`clean` for a text."""
        if text.strip() in self.said:
            self.whole += 1
            return MARK
        # Every checkpoint holds the same messages again.
        if text not in self._known:
            self._known[text] = self._marked(text)
        clean, count = self._known[text]
        self.marked += count
        return clean if count else text

    def _marked(self, text: str) -> tuple[str, int]:
        """The text with marks, and how many."""
        spans = sorted(self._spans(text))
        if not spans:
            return text, 0
        parts, end, count = [], 0, 0
        for start, stop in spans:
            if start > end or not count:
                parts += [text[end:start], MARK]
                count += 1
            end = max(end, stop)
        return "".join([*parts, text[end:]]), count

    def _spans(self, text: str) -> Iterator[tuple[int, int]]:
        for long in self._wanted.long:
            start = text.find(long)
            while start >= 0:
                yield start, start + len(long)
                start = text.find(long, start + len(long))
        for value in self._wanted.values:
            for found in value.finditer(text):
                yield found.span()

    def _bytes(self, data: bytes | bytearray) -> bytes | bytearray:
        # A file's bytes hold text too: what is none stays as it is.
        text = data.decode(errors="surrogateescape")
        known = self.text(text)
        clean = bytes(data) if known is text else known.encode(errors="surrogateescape")
        for wide in self._wanted.wide:
            if wide in clean:
                encoding = WIDE[0] if wide[1:2] == b"\x00" else WIDE[1]
                self.marked += clean.count(wide)
                clean = clean.replace(wide, MARK.encode(encoding))
        return data if clean == data else type(data)(clean)

    def _object(self, value: Any) -> object:
        """A date, an id or another value of Python's own that stands for a forgotten text: one of
        its kind that says nothing takes its place.
        """
        if isinstance(value, PurePath):
            clean = self.text(str(value))
            return value if clean == str(value) else type(value)(clean)
        for kind, _, nothing in OBJECTS:
            # Not a subclass: it may be made in another way.
            if type(value) is kind and plain_form(value) in self._wanted.objects[kind]:
                self.marked += 1
                if isinstance(value, datetime | time):  # a naive one compares with no other
                    return nothing.replace(tzinfo=value.tzinfo)
                return nothing
        return value

    def _number(self, number: float) -> float:
        """A forgotten number becomes 0: a text in its place might not load again."""
        try:
            is_forgotten = float(number) in self._wanted.numbers
        except OverflowError:  # larger than any float, and so than any forgotten number
            return number
        if not is_forgotten:
            return number
        self.marked += 1
        return 0 if isinstance(number, int) else 0.0


def _numbers(texts: Iterable[str]) -> Iterator[float]:
    for text in texts:
        try:
            yield float(text)
        except ValueError:
            continue
