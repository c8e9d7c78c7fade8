"""What the stand-in has before it: the lines of its context, and the user's own words.

Three places can say something of the user, and the newest wins: their words in earlier turns,
memory lines (`- topic: text (since 2026-03-02)`), and their words in this turn. Words are read
by `RuleExtractor`, which knows statements from questions, wishes and quotations.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)

from langgraph_agentmem import RuleExtractor

_PINNED = re.compile(r"<pinned_memories>\n(.*?)\n</pinned_memories>", re.DOTALL)
_RELEVANT = re.compile(r"\A<memories>\n(.*?)\n</memories>\s*", re.DOTALL)
_SUMMARY = re.compile(r"<summary>\n(.*?)\n</summary>", re.DOTALL)
_LINE = re.compile(r"- (?P<topic>.+?): (?P<text>.*) \(since (?P<since>\d{4}-\d\d-\d\d)\)")
_SPOKEN = re.compile(r"User: (?P<said>.*)")

_QUESTION = re.compile(
    r"\?|^\W*(?:what|which|where|who|when|why|how|can|could|do|does|did|is|are|am|will|would)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """Something that a line or the user's words say; `since` is a date, "" for words."""

    topic: str
    text: str
    since: str = ""

    @property
    def dated(self) -> str:
        """The text, with its date if it has one."""
        return f"{self.text} (since {self.since})" if self.since else self.text

    @property
    def quoted(self) -> str:
        """The line as it stands in the context."""
        return f"“{self.topic}: {self.dated}”"


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """One call's context, read.

    Args:
        said: The user's words in this turn.
        said_before: The user's words in the turn before.
        replied_before: The assistant's last words before this turn.
        held: What was known before this turn, by topic.
        new: What the user says in this turn, by topic.
        ended: Topics that the user ends in this turn.
        results: What tools have answered in this turn.
        tools: Descriptions of the tools that may be called, by name.
    """

    said: str
    said_before: str = ""
    replied_before: str = ""
    held: Mapping[str, Known] = field(default_factory=dict)
    new: Mapping[str, Known] = field(default_factory=dict)
    ended: tuple[str, ...] = ()
    results: Sequence[ToolMessage] = ()
    tools: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def facts(self) -> dict[str, Known]:
        """What is known now, by topic."""
        return {
            topic: known
            for topic, known in {**self.held, **self.new}.items()
            if topic not in self.ended
        }

    @property
    def asks(self) -> bool:
        """Whether the user asks something."""
        return _QUESTION.search(self.said) is not None

    def about(self, *topics: str) -> list[Known]:
        """What is known under these topics and their members."""
        return [
            known
            for topic, known in self.facts.items()
            if topic in topics or topic.partition(".")[0] in topics
        ]

    def options(self, tool: str, argument: str) -> list[str]:
        """What a tool's description offers for an argument: "One of: Berlin, Rome."."""
        parameters = self.tools.get(tool, {}).get("parameters", {}).get("properties", {})
        offered = re.search(r"One of: ([^.]+)", parameters.get(argument, {}).get("description", ""))
        return offered[1].split(", ") if offered else []


def view_of(messages: Sequence[BaseMessage], tools: Iterable[Mapping[str, Any]] = ()) -> View:
    """Read the messages of one call."""
    system = "\n\n".join(one.text for one in messages if isinstance(one, SystemMessage))
    turns = [at for at, one in enumerate(messages) if isinstance(one, HumanMessage)]
    start = turns[-1] if turns else len(messages)
    said = [_own_words(messages[at]) for at in turns]
    replies = [one.text for one in messages[:start] if isinstance(one, AIMessage) and one.text]

    earlier, _ = _heard([*_summarized(system), *said[:-1]], {})
    shown = "\n".join(
        [*_PINNED.findall(system), *(_RELEVANT.findall(messages[start].text) if turns else ())]
    )
    held = earlier | {known.topic: known for known in _lines(shown)}
    new, ended = _heard(said[-1:], held)
    return View(
        said=said[-1] if said else "",
        said_before=said[-2] if len(said) > 1 else "",
        replied_before=replies[-1] if replies else "",
        held=held,
        new=new,
        ended=ended,
        results=[one for one in messages[start:] if isinstance(one, ToolMessage)],
        tools={tool["function"]["name"]: tool["function"] for tool in tools},
    )


def _own_words(message: BaseMessage) -> str:
    return _RELEVANT.sub("", message.text).strip()


def _lines(text: str) -> Iterator[Known]:
    for line in text.splitlines():
        if found := _LINE.fullmatch(line):
            yield Known(**found.groupdict())


def _summarized(system: str) -> list[str]:
    """The user's words that a summary has kept."""
    lines = (line for text in _SUMMARY.findall(system) for line in text.splitlines())
    return [found["said"] for line in lines if (found := _SPOKEN.fullmatch(line))]


def _heard(
    said: Sequence[str], held: Mapping[str, Known]
) -> tuple[dict[str, Known], tuple[str, ...]]:
    """What the user states in these words, oldest first, and the topics that they end."""
    facts: dict[str, str | None] = {}
    for one in RuleExtractor().extract(
        [HumanMessage(words, id=str(at)) for at, words in enumerate(said)],
        known={topic: known.text for topic, known in held.items()},
        now=datetime.now(UTC),
        thread_id=None,
    ):
        facts[one.topic] = None if one.value is None else str(one.value)
    stated = {
        topic: Known(topic=topic, text=text) for topic, text in facts.items() if text is not None
    }
    return stated, tuple(topic for topic, text in facts.items() if text is None)
