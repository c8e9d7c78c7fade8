"""Prints the story: the traveller's words, and the two assistants side by side.

What memory did stands dimmed below an answer, where the terminal has dim; a fault has a cross.
"""

from __future__ import annotations

import os
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from shutil import get_terminal_size
from typing import TextIO, TypeAlias

from .scenes import TRAVELLER, Erased, Exchange, Opening, Scene, Shown, Utterances
from .script import Traveller
from .tally import Row, faults

Line: TypeAlias = tuple[str, str]
"""A line and its ink: "", "dim", "bold", "red" or "green"."""

_INKS = {"dim": "\x1b[2m", "bold": "\x1b[1m", "red": "\x1b[31m", "green": "\x1b[32m"}
_PLAIN = "\x1b[0m"

NARROW = 76
"""Below this width the two assistants stand one below the other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """How wide the terminal is, and whether it has colours."""

    width: int = 100
    colours: bool = False

    @classmethod
    def of(cls, out: TextIO) -> Page:
        """The page that a stream writes on."""
        width = min(get_terminal_size((100, 24)).columns, 112)
        return cls(width=width, colours=out.isatty() and "NO_COLOR" not in os.environ)

    @property
    def column(self) -> int:
        """The width of one assistant's column."""
        return (self.width - 5) // 2 if self.width >= NARROW else self.width - 4

    def inked(self, line: Line) -> str:
        """A line as it is printed."""
        text, ink = line
        return f"{_INKS[ink]}{text}{_PLAIN}" if ink and self.colours and text.strip() else text

    def rule(self, left: str, right: str = "") -> str:
        """A line across the page with a title."""
        dashes = max(self.width - len(left) - len(right) - 6, 3)
        return self.inked((f"── {left} {'─' * dashes} {right}".rstrip(), "bold"))


def tell(scene: Scene, traveller: Traveller, page: Page) -> Iterator[str]:
    """The lines of a scene."""
    match scene:
        case Opening():
            yield from (
                "",
                page.rule(f"{scene.title} · {scene.day}", f"process {scene.number} of 3"),
            )
            yield from _beside([("with memory", "dim")], [("without memory", "dim")], page)
        case Exchange():
            yield from _exchange(scene, traveller, page)
        case Shown():
            yield from ("", *_boxed(scene.title, [(line, "") for line in scene.lines], page))
        case Erased():
            yield from (
                "",
                *_boxed(f"erased between two runs: {scene.topic}", _erased(scene), page),
            )


def tell_tally(rows: Sequence[Row], page: Page) -> Iterator[str]:
    """The table at the end."""
    first = max(len(what) for what, _, _ in rows) + 2
    yield from ("", page.rule("What it comes to"), "")
    yield page.inked((f"  {'':{first}}{'with memory':>14}{'without memory':>17}", "dim"))
    for what, remembering, plain in rows:
        yield f"  {what:{first}}{remembering:>14}{plain:>17}"


def _exchange(scene: Exchange, traveller: Traveller, page: Page) -> Iterator[str]:
    yield ""
    yield page.inked((f"  {traveller.name}: {scene.said}", "bold"))
    left = [*_spoken(scene.remembering, traveller, page.column)]
    left += [
        (line, "dim") for line in _wrapped(" · ".join(["", *scene.notes]).strip(), page.column)
    ]
    yield from _beside(left, [*_spoken(scene.plain, traveller, page.column)], page)


def _spoken(spoken: Utterances, traveller: Traveller, width: int) -> Iterator[Line]:
    for who, text in spoken:
        said = f"{traveller.name}: {text}" if who == TRAVELLER else text
        for line in said.splitlines():
            ink = "bold" if who == TRAVELLER else ""
            yield from ((wrapped, ink) for wrapped in _wrapped(line, width))
            yield from ((f"  ✗ {fault}", "red") for fault in faults(line, traveller))


def _erased(scene: Erased) -> list[Line]:
    gone = scene.after == 0 and not scene.recalled and scene.versions == 0
    found = (
        f"recall finds {'it' if scene.recalled else 'nothing'}",
        f"{scene.versions or 'no'} versions in its history",
        f"{scene.after or 'no'} copies in the file, where {scene.before} were",
    )
    return [
        *((line, "") for line in scene.receipt),
        (f"Looked again: {', '.join(found)}.", "green" if gone else "red"),
        (f"The file of the assistant without memory holds {scene.plain} copies.", "dim"),
    ]


def _boxed(title: str, lines: Sequence[Line], page: Page) -> Iterator[str]:
    yield f"  ┌ {title}"
    for text, ink in lines:
        for wrapped in _wrapped(text, page.width - 4):
            yield f"  │ {page.inked((wrapped, ink))}"


def _wrapped(text: str, width: int) -> list[str]:
    indent = "  " if text.startswith(("• ", "· ")) else ""
    return textwrap.wrap(text, width, subsequent_indent=indent)


def _beside(left: Sequence[Line], right: Sequence[Line], page: Page) -> Iterator[str]:
    """Two columns, or where the page is narrow, one below the other."""
    if page.width < NARROW:
        yield from (f"  {page.inked(line)}" for line in left)
        yield from (f"  │ {page.inked(line)}" for line in right)
        return
    for one, other in zip_longest(left, right, fillvalue=("", "")):
        blank = " " * (page.column - len(one[0]))
        yield f"  {page.inked(one)}{blank} │ {page.inked(other)}".rstrip()
