"""Find forgotten values in whatever a graph has kept: messages, tool calls, other state.

Source messages are replaced whole by a marker, so that tool pairs and order stay valid.
Elsewhere the value, as whole words, becomes `[forgotten]`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from .rewriting import GO_ON, rewrite

MARK = "[forgotten]"

SHORTEST = 4
"""Characters: a shorter value stands in too many innocent places, so it is scrubbed in its source
messages alone."""

_PIECE = re.compile(r"\d|[^\W\d_]+")
_PLAIN = {"yes", "no", "true", "false", "none", "null"}


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


def needles(texts: Iterable[str]) -> list[bytes]:
    """The texts as the bytes that a file may hold: UTF-8, and JSON with escapes."""
    found = {text.encode() for text in texts}
    found |= {json.dumps(text)[1:-1].encode() for text in texts}
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
    return rf"(?:{before})?(?<![^\W_])" + "".join(parts) + rf"(?![^\W_])(?:{after})?"


def _edges(text: str) -> tuple[str, str]:
    """The punctuation before the first piece and after the last, such as a plus sign."""
    spans = [found.span() for found in _PIECE.finditer(text)]
    return text[: spans[0][0]], text[spans[-1][1] :]


class Scrubber:
    """Rewrites what holds forgotten values or is their source.

    Args:
        texts: Forgotten values, from `leaf_texts`.
        message_ids: Ids of the messages that they were learnt from.
    """

    def __init__(self, texts: Iterable[str], message_ids: Iterable[str]) -> None:
        patterns = [_pattern(text) for text in sorted(texts, key=len, reverse=True)]
        self._values = re.compile("|".join(patterns), re.IGNORECASE) if patterns else None
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
            text = value.text.strip()
            if value.id in self._messages and len(text) >= SHORTEST and text != MARK:
                self._said.add(text)
            return value
        return value if isinstance(value, str | bytes) else GO_ON

    def scrub(self, value: Any) -> Any:
        """The value with nothing forgotten in it; the same object if nothing was."""
        return rewrite(value, self._visit)

    def _visit(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, BaseMessage) and value.id in self._messages:
            if value.content == MARK:
                return value
            self.messages += 1
            return _marker(value)
        if isinstance(value, dict) and "content" in value and _id(value) in self._messages:
            # A message-like dict in raw input.
            if value["content"] == MARK:
                return value
            self.messages += 1
            return {**value, "content": MARK}
        return GO_ON

    def _text(self, text: str) -> str:
        if text.strip() in self._said:
            self.messages += 1
            return MARK
        if self._values is None:
            return text
        clean, count = self._values.subn(MARK, text)
        self.values += count
        return clean if count else text


def _id(message: dict[Any, Any]) -> str | None:
    found = message.get("id")
    return found if isinstance(found, str) else None


def _marker(message: BaseMessage) -> BaseMessage:
    """The message without its content: type, id and tool pairs stay."""
    kept: dict[str, Any] = {"content": MARK, "id": message.id}
    if isinstance(message, ToolMessage):
        kept["tool_call_id"] = message.tool_call_id
    if isinstance(message, AIMessage) and message.tool_calls:
        kept["tool_calls"] = [{**call, "args": {}} for call in message.tool_calls]
    return type(message)(**kept)
