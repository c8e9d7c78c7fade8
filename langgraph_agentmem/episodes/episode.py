"""`Episode`: what happened in a task; `Proposal`: a lesson that may become a procedure."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self, TypeAlias, get_args

from langgraph_agentmem.errors import InvalidValue

Outcome: TypeAlias = Literal["success", "failure", "partial"]
Sentiment: TypeAlias = Literal["positive", "neutral", "negative"]

LONGEST, MOST_POINTS = 500, 10
"""Characters of one text of an episode, and how many key points it has at most."""

_ENDED: Mapping[str, str] = {
    "success": "It succeeded",
    "failure": "It failed",
    "partial": "It succeeded in part",
}
_BETWEEN_WORDS = re.compile(r"[\W_]+")


def _plain(text: str) -> str:
    """A text by which two wordings of one lesson are told to be the same."""
    return _BETWEEN_WORDS.sub(" ", text.casefold()).strip() or text.strip()


def procedure_topic(lesson: str) -> str:
    """The topic of a procedure that is made of a lesson: its words, or the first of them and a
    mark by which lessons that begin alike are told apart.
    """
    words = _BETWEEN_WORDS.sub(" ", lesson.casefold()).split()
    begins = "_".join(words[:6])[:60]
    if begins and begins == "_".join(words):
        return begins
    return f"{begins or 'lesson'}_{lesson_key(lesson)[:6]}"


def lesson_key(lesson: str) -> str:
    """Names a lesson; alike for wordings that differ in case and punctuation alone."""
    return hashlib.sha256(_plain(lesson).encode(errors="replace")).hexdigest()[:16]


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """What happened in a task, and its lesson.

    Args:
        task: What was to be done.
        outcome: How it went.
        tried: What was tried.
        lesson: What to do, or not to do, next time.
        key_points: What else is worth knowing.
        sentiment: How the user took it.
        confirms: The topic of an episode whose lesson held here again. None finds the one that
            has the same lesson.

    Raises:
        InvalidValue: A text is none, blank where it must not be, or longer than 500 characters;
            or there are more than ten key points.
    """

    task: str
    outcome: Outcome
    tried: str = ""
    lesson: str = ""
    key_points: Sequence[str] = ()
    sentiment: Sentiment | None = None
    confirms: str | None = None

    def __post_init__(self) -> None:
        for name in ("task", "tried", "lesson"):
            check_text(name, getattr(self, name))
        if not self.task.strip():
            raise InvalidValue("an episode has a task", field="task")
        given: object = self.key_points
        if isinstance(given, str) or not isinstance(given, Sequence) or len(given) > MOST_POINTS:
            raise InvalidValue(
                f"key points are a list of at most {MOST_POINTS} texts", field="key_points"
            )
        for at, point in enumerate(self.key_points):
            check_text(f"key_points[{at}]", point)
        for name, choices in (("outcome", Outcome), ("sentiment", Sentiment)):
            found = getattr(self, name)
            if found not in get_args(choices) and (name == "outcome" or found is not None):
                raise InvalidValue(f"{name} is one of {get_args(choices)}", field=name)
        if self.confirms is not None:
            check_text("confirms", self.confirms)

    @property
    def text(self) -> str:
        """What the model and the word index read of it."""
        parts = [
            f"Task: {self.task.strip()}.",
            f"{_ENDED[self.outcome]}.",
            self.tried and f"Tried: {self.tried.strip()}.",
            self.lesson and f"Lesson: {self.lesson.strip()}.",
            *(f"Note: {point.strip()}." for point in self.key_points if point.strip()),
        ]
        return re.sub(r"([.!?])\.(?=\s|$)", r"\1", " ".join(filter(None, parts)))

    def value(self) -> dict[str, Any]:
        """The episode as a memory's value."""
        return {
            "text": self.text,
            "task": self.task,
            "outcome": self.outcome,
            "tried": self.tried,
            "lesson": self.lesson,
            "key_points": list(self.key_points),
            "sentiment": self.sentiment,
            "confirms": self.confirms,
        }

    @classmethod
    def of(cls, value: Mapping[str, Any]) -> Self:
        """The episode of a memory's value. Raises `InvalidValue`, TypeError for another value."""
        names = ("task", "outcome", "tried", "lesson", "key_points", "sentiment", "confirms")
        return cls(**{name: value[name] for name in names if name in value})


def check_text(name: str, text: object) -> None:
    """Raises `InvalidValue` for what is no short text."""
    if not isinstance(text, str):
        raise InvalidValue("a text of an episode is text", field=name, found=type(text).__name__)
    if len(text) > LONGEST:
        raise InvalidValue(f"a text of an episode has at most {LONGEST} characters", field=name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A lesson that was confirmed often enough to be a procedure, if the application accepts it.

    `topic` is that of the episode which taught it, `episodes` those that confirmed it.
    """

    topic: str
    lesson: str
    confirmations: int
    episodes: tuple[str, ...]

    @property
    def key(self) -> str:
        """Names the lesson; see `lesson_key`."""
        return lesson_key(self.lesson)
