"""What a visit tells: a scene a line, as JSON, from the process that plays it to the one that
prints.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

Utterances: TypeAlias = list[list[str]]
"""Pairs of a speaker and what they say."""

TRAVELLER = "traveller"
ASSISTANT = "assistant"


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """A visit begins, in a process of its own."""

    number: int
    title: str
    day: str
    thread: str
    pid: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """The traveller says something, and two assistants go on from there.

    Args:
        said: The traveller's words.
        remembering: What follows with memory.
        plain: What follows without.
        notes: What memory did.
    """

    said: str
    remembering: Utterances
    plain: Utterances
    notes: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """The program shows what is kept."""

    title: str
    lines: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Erased:
    """The program has erased a topic between two runs, and looked for it everywhere.

    Args:
        topic: What was erased.
        receipt: The receipt, in lines.
        before: Occurrences of the value in the bytes of the database before.
        after: The same, afterwards.
        recalled: Whether a recall still finds the topic.
        versions: Versions left in its history.
        plain: Occurrences in the database of the assistant without memory.
    """

    topic: str
    receipt: list[str]
    before: int
    after: int
    recalled: bool
    versions: int
    plain: int


Scene: TypeAlias = Opening | Exchange | Shown | Erased

_KINDS: Mapping[str, type[Scene]] = {
    kind.__name__: kind for kind in (Opening, Exchange, Shown, Erased)
}


def to_line(scene: Scene) -> str:
    """A scene as one line of ASCII."""
    return json.dumps({"scene": type(scene).__name__, **asdict(scene)})


def from_line(line: str) -> Scene:
    """The scene that `to_line` wrote."""
    told: dict[str, Any] = json.loads(line)
    return _KINDS[told.pop("scene")](**told)
