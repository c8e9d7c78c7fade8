"""Find forgotten values in whatever a graph has kept: messages, tool calls, other state.

Source messages are replaced whole by a marker, so that tool pairs and order stay valid. Elsewhere
the value, as whole words, becomes `[forgotten]`. What the graph is built of stays: names of
channels, nodes, fields and tools, message types and ids.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from typing import Any

from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    RemoveMessage,
    ToolMessage,
)
from langgraph.types import Interrupt, Send

from .leaves import LEAVES, MARK, Leaves, Wanted
from .rewriting import GO_ON, copy_with, rewrite
from .wordings import SHORTEST, leaf_texts

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

_SUMMARY = {"text", "exact", "through"}
"""The fields of a summary in `MemoryState`."""

STALE = "stale"
"""The field that says of a summary that it must be made anew."""

_TOOLS = {"remember", "history"}
"""The tools of this package that are asked about a topic and may say what is held of it."""

_BUILT_OF = {"type", "id", "role", "tool_call_id", "index", "status"}
"""Fields of messages and blocks that say what they are."""


def states(values: Iterable[str]) -> Callable[[str], bool]:
    """Whether a text states one of these values (JSON texts), as whole words."""
    scrubber = Scrubber(leaf_texts(values), ())
    return lambda text: scrubber.scrub(text) != text


def messages_in(value: Any) -> list[str]:
    """The ids of the messages in a value that still say something."""
    found: list[str] = []

    def note(inner: Any) -> Any:
        if isinstance(inner, BaseMessage):
            says = inner.content != MARK and not isinstance(inner, RemoveMessage)
            if inner.id is not None and says:
                found.append(inner.id)
            return inner
        return inner if isinstance(inner, str | bytes) else GO_ON

    rewrite(value, note)
    return found


class Scrubber:
    """Rewrites what holds forgotten values or is their source.

    Args:
        texts: Forgotten values, from `leaf_texts`; or `Wanted`, made of them for many threads.
        message_ids: Ids of the messages that they were learnt from.
        topics: Forgotten topics: what our own tools were asked of them, and answered, goes whole,
            for it may say the same in other words.
    """

    def __init__(
        self,
        texts: Iterable[str] | Wanted,
        message_ids: Iterable[str],
        topics: Iterable[str] = (),
    ) -> None:
        self._topics = frozenset(topics)
        self._calls: set[str] = set()
        self._leaves = Leaves(texts if isinstance(texts, Wanted) else Wanted(texts))
        self._messages = frozenset(message_ids)
        self._sources = self._whole = 0

    @property
    def messages(self) -> int:
        """Source messages replaced so far."""
        return self._sources + self._leaves.whole

    @property
    def values(self) -> int:
        """Values replaced elsewhere so far, calls and answers of our own tools among them."""
        return self._whole + self._leaves.marked

    def learn(self, value: Any) -> None:
        """Note what the source messages say, for raw input holds them before they have an id, and
        which calls of our own tools were about a forgotten topic.
        """
        rewrite(value, self._note)

    def _note(self, value: Any) -> Any:
        if isinstance(value, BaseMessage):
            if value.id in self._messages:
                self._leaves.said.update(text for text in _texts_of(value) if len(text) >= SHORTEST)
            for call in getattr(value, "tool_calls", ()) if self._topics else ():
                if self._is_ours(call["name"], call["args"]):
                    self._calls.add(str(call["id"]))
            return value
        return value if isinstance(value, str | bytes) else GO_ON

    def _is_ours(self, name: object, args: object) -> bool:
        """Whether this is a call of one of our tools on a forgotten topic."""
        return (
            name in _TOOLS and isinstance(args, Mapping) and _text_at(args, "topic") in self._topics
        )

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
        if isinstance(value, LEAVES) and not isinstance(value, bool):
            return self._leaves.clean(value)
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
        return text if text in _ROLES else self._leaves.text(text)

    def _marker(self, message: BaseMessage) -> BaseMessage:
        """The message without its content: type, id and tool pairs stay."""
        kept: dict[str, Any] = {"content": MARK, "id": message.id}
        if isinstance(message, AIMessage) and message.tool_calls:
            kept["tool_calls"] = [{**call, "args": {}} for call in message.tool_calls]
        # A role, the id of a tool call: without them it would be no message of its type.
        needed = {
            name: getattr(message, name)
            for name, field in type(message).model_fields.items()
            if field.is_required() and name not in kept
        }
        return type(message)(**kept, **self.scrub_values(needed))

    def _message(self, message: BaseMessage) -> BaseMessage:
        if isinstance(message, RemoveMessage):  # it says nothing, but which message went
            return message
        if message.id in self._messages:
            if message.content == MARK:
                return message
            self._sources += 1
            return self._marker(message)
        if isinstance(message, ToolMessage) and message.tool_call_id in self._calls:
            if message.content == MARK:
                return message
            self._whole += 1
            return self._marker(message)
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
        if _is_summary(value):
            return self._summary(value)
        is_call = "name" in value and ("args" in value or "arguments" in value)
        for name in ("args", "input", "arguments") if self._topics else ():
            if self._is_ours(value.get("name"), _arguments(value.get(name))):
                return self._call(value, name)
        is_part = _text_at(value, "type") in _TYPES or _text_at(value, "role") in _ROLES
        if not (is_call or is_part):
            return self.scrub_fields(value)
        if "content" in value and _text_at(value, "id") in self._messages:
            if value["content"] == MARK:
                return value
            self._sources += 1
            return {**value, "content": MARK}
        kept = _BUILT_OF | {"name"} if is_call or value.get("type") == "tool_use" else _BUILT_OF
        clean = {
            name: inner if name in kept and isinstance(inner, str) else self.scrub(inner)
            for name, inner in value.items()
        }
        return value if all(clean[name] is value[name] for name in value) else clean

    def _call(self, value: Mapping[Any, Any], name: str) -> Any:
        """A call of our own with its topic alone."""
        given = _arguments(value[name])
        kept = {key: inner for key, inner in given.items() if key == "topic"}
        if len(kept) == len(given):
            return value
        self._whole += 1
        return {**value, name: json.dumps(kept) if isinstance(value[name], str) else kept}

    def _summary(self, value: Mapping[Any, Any]) -> Any:
        """A summary without the value, and without marks in its list of exact ones. It may say
        what a source said in other words, so it is marked to be made anew.
        """
        clean = {
            name: inner if name == "through" else self.scrub(inner) for name, inner in value.items()
        }
        if clean["exact"] is not value["exact"]:
            clean["exact"] = [one for one in clean["exact"] if one != MARK]
        is_same = all(inner is value[name] for name, inner in clean.items())
        if (is_same and not self._messages) or (is_same and value.get(STALE)):
            return value
        return {**clean, STALE: True}

    def scrub_fields(self, value: Mapping[Any, Any]) -> Any:
        """A mapping of the user's state with nothing forgotten in it; the same object if nothing
        was. A key that could be a field's name stays: it is how code finds the value.
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


def _arguments(value: object) -> Any:
    """A call's arguments, as some providers write them: JSON."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except ValueError:
        return None


def _is_summary(value: Mapping[Any, Any]) -> bool:
    """Whether a mapping is the `Summary` of `MemoryState`."""
    return (
        value.keys() >= _SUMMARY
        and isinstance(value["text"], str)
        and isinstance(value["exact"], list)
    )


def _text_at(value: Mapping[Any, Any], name: str) -> str | None:
    """A field of a mapping, if it is text: state may hold anything under any name."""
    found = value.get(name)
    return found if isinstance(found, str) else None


def _texts_of(message: BaseMessage) -> Iterator[str]:
    """The text of a message, or of each of its blocks."""
    content = message.content
    for block in [content] if isinstance(content, str) else content:
        text = block if isinstance(block, str) else block.get("text")
        if isinstance(text, str) and text.strip() != MARK:
            yield text.strip()
