"""Find forgotten values in whatever a graph has kept: messages, tool calls, other state.

Source messages are replaced whole by a marker, so that tool pairs and order stay valid. Elsewhere
the value, as whole words, becomes `[forgotten]`. What the graph is built of stays: names of
channels, nodes, fields and tools, message types and ids.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from itertools import pairwise
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langgraph.types import Interrupt, Send

from .rewriting import GO_ON, copy_with, rewrite

MARK = "[forgotten]"

SHORTEST = 4
"""Characters: a shorter value stands in too many innocent places, so it is scrubbed in its source
messages alone."""

LONGEST_WORDING = 1000
"""Characters: a longer value is looked for as it is written, not as words."""

_PIECE = re.compile(r"\d|[^\W\d_]+")
_PLAIN = {"yes", "no", "true", "false", "none", "null"}

_ROLES = {"user", "human", "assistant", "ai", "system", "developer", "tool", "function"}
"""Who speaks, in messages given as dicts and tuples: never data."""

_TYPES = _ROLES | {
    *("text", "input_text", "output_text", "refusal", "image", "image_url", "audio", "input_audio"),
    *("video", "file", "document", "tool_use", "tool_call", "tool_result", "server_tool_use"),
    *("thinking", "redacted_thinking", "reasoning", "non_standard", "invalid_tool_call"),
}
"""Types of messages and of their blocks."""

_SAYING = (
    *("content", "additional_kwargs", "response_metadata", "tool_calls", "invalid_tool_calls"),
    "tool_call_chunks",
)
"""Fields of messages that hold what was said."""

_BUILT_OF = {"type", "id", "role", "tool_call_id", "index", "status"}
"""Fields of messages and blocks that say what they are."""

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


def _escaped(text: str) -> str:
    """The text as JSON inside a string holds it, non-ASCII characters escaped."""
    return json.dumps(text)[1:-1]


def needles(texts: Iterable[str]) -> list[bytes]:
    """The texts as the bytes that a file may hold: UTF-8, and JSON with escapes."""
    found = {form.encode() for text in texts for form in (text, _escaped(text))}
    return sorted(found)


def _pattern(text: str) -> str:
    """A text as whole words, its spaces, dashes and brackets as they may be written elsewhere.

    A phone number is found whether it is written "+351 912" or "+351-912".
    """
    pieces = _PIECE.findall(text)
    if not pieces:
        return re.escape(text)
    parts = [re.escape(pieces[0])]
    for before, piece in pairwise(pieces):
        between = r"[\s().\-/]{0,3}" if before.isdigit() and piece.isdigit() else r"[\W_]{0,5}"
        parts.append(between + re.escape(piece))
    before, after = (re.escape(edge) for edge in _edges(text))
    starts = "" if _UNSPACED.match(pieces[0]) else r"(?<![^\W_])"
    ends = "" if _UNSPACED.match(pieces[-1][-1]) else r"(?![^\W_])"
    return rf"(?:{before})?{starts}" + "".join(parts) + rf"{ends}(?:{after})?"


def _edges(text: str) -> tuple[str, str]:
    """The punctuation before the first piece and after the last, such as a plus sign."""
    spans = [found.span() for found in _PIECE.finditer(text)]
    return text[: spans[0][0]], text[spans[-1][1] :]


def _wordings(text: str) -> Iterable[str]:
    """A text as it may be written: letters beyond case ("ß" is "SS"), and JSON's escapes."""
    for form in {text, text.casefold(), text.upper()}:
        yield _pattern(form)
        if _escaped(form) != form:
            yield re.escape(_escaped(form))


class Scrubber:
    """Rewrites what holds forgotten values or is their source.

    Args:
        texts: Forgotten values, from `leaf_texts`.
        message_ids: Ids of the messages that they were learnt from.
    """

    def __init__(self, texts: Iterable[str], message_ids: Iterable[str]) -> None:
        every = sorted(texts, key=len, reverse=True)
        self._long = [text for text in every if len(text) > LONGEST_WORDING]
        patterns = [
            wording
            for text in every
            if len(text) <= LONGEST_WORDING
            for wording in sorted(_wordings(text), key=len, reverse=True)
        ]
        self._values = re.compile("|".join(patterns), re.IGNORECASE) if patterns else None
        self._numbers = set(_numbers(every))
        self._known: dict[str, tuple[str, int]] = {}
        self._messages = frozenset(message_ids)
        self._said: set[str] = set()
        self.messages = 0
        """Source messages replaced so far."""
        self.values = 0
        """Values replaced elsewhere so far."""

    def learn(self, value: Any) -> None:
        """Note what the source messages say: raw input holds them before they have an id."""
        rewrite(value, self._note)

    def _note(self, value: Any) -> Any:
        if isinstance(value, BaseMessage):
            if value.id in self._messages:
                self._said.update(text for text in _texts_of(value) if len(text) >= SHORTEST)
            return value
        return value if isinstance(value, str | bytes) else GO_ON

    def scrub(self, value: Any) -> Any:
        """The value with nothing forgotten in it; the same object if nothing was."""
        return rewrite(value, self._visit)

    def scrub_values(self, named: Mapping[str, Any]) -> Mapping[str, Any]:
        """A mapping whose keys are the graph's own, such as channels; the same object if nothing
        was forgotten in its values.
        """
        clean = {name: self.scrub(value) for name, value in named.items()}
        return named if all(clean[name] is named[name] for name in named) else clean

    def _visit(self, value: Any) -> Any:  # noqa: PLR0911 - one answer for each kind of value
        if isinstance(value, Enum):
            return value  # one of the program's own names
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, bytes):
            return self._bytes(value)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return self._number(value)
        if isinstance(value, BaseMessage):
            return self._message(value)
        if isinstance(value, Send):
            return copy_with(value, {"arg": self.scrub(value.arg)})
        if isinstance(value, Interrupt):
            return copy_with(value, {"value": self.scrub(value.value)})
        if isinstance(value, Mapping):
            return self._mapping(value)
        return GO_ON

    def _text(self, text: str) -> str:
        if text in _ROLES:
            return text
        if text.strip() in self._said:
            self.messages += 1
            return MARK
        # Every checkpoint holds the same messages again.
        if text not in self._known:
            self._known[text] = self._clean(text)
        clean, count = self._known[text]
        self.values += count
        return clean if count else text

    def _clean(self, text: str) -> tuple[str, int]:
        """The text with marks, and how many."""
        count = 0
        clean = text
        for long in self._long:
            count += clean.count(long)
            clean = clean.replace(long, MARK)
        if self._values is not None:
            clean, more = self._values.subn(MARK, clean)
            count += more
        return clean, count

    def _bytes(self, data: bytes) -> bytes:
        try:
            text = data.decode()
        except UnicodeDecodeError:
            return data
        clean = self._text(text)
        return data if clean is text else clean.encode()

    def _number(self, number: float) -> float:
        """A forgotten number becomes 0: a text in its place might not load again."""
        try:
            is_forgotten = float(number) in self._numbers
        except OverflowError:  # larger than any float, and so than any forgotten number
            return number
        if not is_forgotten:
            return number
        self.values += 1
        return 0 if isinstance(number, int) else 0.0

    def _message(self, message: BaseMessage) -> BaseMessage:
        if message.id in self._messages:
            if message.content == MARK:
                return message
            self.messages += 1
            return _marker(message)
        fields = {name: getattr(message, name) for name in _SAYING if hasattr(message, name)}
        fields |= message.__pydantic_extra__ or {}
        if isinstance(message, ToolMessage):
            fields["artifact"] = message.artifact
        if isinstance(message, HumanMessage):
            fields["name"] = message.name  # a person's; another message's is the graph's
        clean = self.scrub_values(fields)
        changed = {name: value for name, value in clean.items() if value is not fields[name]}
        return message.model_copy(update=changed) if changed else message

    def _mapping(self, value: Mapping[Any, Any]) -> Any:
        is_call = "name" in value and ("args" in value or "arguments" in value)
        is_part = _text_at(value, "type") in _TYPES or _text_at(value, "role") in _ROLES
        if not (is_call or is_part):
            return self._fields(value)
        if "content" in value and _text_at(value, "id") in self._messages:
            if value["content"] == MARK:
                return value
            self.messages += 1
            return {**value, "content": MARK}
        kept = _BUILT_OF | {"name"} if is_call or value.get("type") == "tool_use" else _BUILT_OF
        clean = {
            name: inner if name in kept and isinstance(inner, str) else self.scrub(inner)
            for name, inner in value.items()
        }
        return value if all(clean[name] is value[name] for name in value) else clean

    def _fields(self, value: Mapping[Any, Any]) -> Any:
        """A mapping of the user's state. A key that could be a field's name stays: it is how
        code finds the value.
        """
        if not any(isinstance(key, str) and not key.isidentifier() for key in value):
            clean = self.scrub_values(value)
        else:
            clean = {
                self._text(key)
                if isinstance(key, str) and not key.isidentifier()
                else key: self.scrub(inner)
                for key, inner in value.items()
            }
        same = len(clean) == len(value) and all(
            new_key is key and clean[new_key] is value[key]
            for new_key, key in zip(clean, value, strict=True)
        )
        if same:
            return value
        if isinstance(value, dict) and type(value) is not dict:
            copied = value.copy()
            copied.clear()
            copied.update(clean)
            return copied
        return clean


def _text_at(value: Mapping[Any, Any], name: str) -> str | None:
    """A field of a mapping, if it is text: state may hold anything under any name."""
    found = value.get(name)
    return found if isinstance(found, str) else None


def _numbers(texts: Iterable[str]) -> Iterator[float]:
    for text in texts:
        try:
            yield float(text)
        except ValueError:
            continue


def _texts_of(message: BaseMessage) -> Iterator[str]:
    """The text of a message, or of each of its blocks."""
    content = message.content
    for block in [content] if isinstance(content, str) else content:
        text = block if isinstance(block, str) else block.get("text")
        if isinstance(text, str) and text.strip() != MARK:
            yield text.strip()


def _marker(message: BaseMessage) -> BaseMessage:
    """The message without its content: type, id and tool pairs stay."""
    kept: dict[str, Any] = {"content": MARK, "id": message.id}
    if isinstance(message, ToolMessage):
        kept["tool_call_id"] = message.tool_call_id
    if isinstance(message, AIMessage) and message.tool_calls:
        kept["tool_calls"] = [{**call, "args": {}} for call in message.tool_calls]
    return type(message)(**kept)
