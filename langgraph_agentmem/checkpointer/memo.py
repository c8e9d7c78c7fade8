"""What was stored or loaded lately: a step hashes and loads what is new, not its whole list.

A message is known again by identity, and by a copy of its fields: graphs change messages in place.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import Any

from langchain_core.messages import BaseMessage

from langgraph_agentmem.lifetime import lock
from langgraph_agentmem.steps.thread_messages import Letter

LIMIT = 16_000_000
"""Bytes of messages that are kept in memory: as many of stored ones as of live ones."""

_Key = tuple[str, bytes, str | None]
_ATOMS = {str, int, float, bool, type(None)}


class _NotPlain(Exception):
    """A message holds objects that may change without their being copied."""


class _Fields:
    """What a message is made of; never changed, so that it can be compared and copied.

    Raises:
        _NotPlain: It is made of more than plain data.
    """

    __slots__ = ("extra", "given", "inner", "kind", "mark", "size", "values")

    def __init__(self, message: BaseMessage, mark: str | None, size: int) -> None:
        if message.__pydantic_private__:
            raise _NotPlain
        extra = message.__pydantic_extra__
        self.kind = type(message)
        self.mark = mark
        self.size = size
        self.values = {name: _plain(value) for name, value in message.__dict__.items()}
        self.extra = None if extra is None else _plain(extra)
        self.given = frozenset(message.__pydantic_fields_set__)
        self.inner = [
            (name, value) for name, value in self.values.items() if type(value) not in _ATOMS
        ]

    def is_still(self, message: BaseMessage) -> bool:
        """Whether a message holds just this."""
        return (
            message.__dict__ == self.values
            and type(message) is self.kind
            and message.__pydantic_extra__ == self.extra
        )

    def message(self) -> BaseMessage:
        """A new message that holds this."""
        # As pydantic copies a model, which would validate nothing either.
        made = _make(self.kind)
        values = self.values.copy()
        for name, value in self.inner:
            values[name] = _plain(value) if value else type(value)()
        _set(made, "__dict__", values)
        _set(made, "__pydantic_fields_set__", set(self.given))
        _set(made, "__pydantic_extra__", None if self.extra is None else _plain(self.extra))
        _set(made, "__pydantic_private__", None)
        return made


_make: Callable[[type[BaseMessage]], BaseMessage] = object.__new__
_set = object.__setattr__


class Memo:
    """Marks of live messages, and stored messages as they come out of the serializer.

    Args:
        limit: Bytes of stored messages, and again of live ones.
    """

    def __init__(self, limit: int = LIMIT) -> None:
        self._limit = limit
        self._known: dict[int, _Fields] = {}
        self._loaded: dict[_Key, _Fields] = {}
        self._size = 0
        self._known_size = 0
        self._lock = lock()

    def mark_of(self, message: BaseMessage) -> str | None:
        """The mark of a message that holds what it held when it was noted."""
        # Another message may stand at this address by now: it counts only if it says the same.
        fields = self._known.get(id(message))
        return fields.mark if fields is not None and fields.is_still(message) else None

    def note(self, message: BaseMessage, mark: str, size: int) -> None:
        """Keep the mark of a message of so many bytes."""
        try:
            self._note(message, _Fields(message, mark, size))
        except _NotPlain:
            return

    def load(self, letter: Letter, loads: Callable[[tuple[str, bytes]], Any]) -> Any:
        """A stored message, a new object every time."""
        key = (letter.kind, letter.data, letter.message_id)
        fields = self._loaded.get(key)
        if fields is None:
            value = loads((letter.kind, letter.data))
            if not isinstance(value, BaseMessage):
                return value
            value.id = letter.message_id
            try:
                fields = _Fields(value, letter.mark, len(letter.data))
            except _NotPlain:
                return value
            self._keep(key, fields)
        message = fields.message()
        self._note(message, fields)
        return message

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._known = {}
            self._loaded = {}
            self._size = self._known_size = 0

    def _note(self, message: BaseMessage, fields: _Fields) -> None:
        self._known[id(message)] = fields
        # Those that are gone are never taken out one by one: most places are soon taken again.
        self._known_size += fields.size
        if self._known_size > self._limit:
            with self._lock:
                for key in [*islice(self._known, len(self._known) // 2 + 1)]:
                    self._known.pop(key, None)
                self._known_size = sum([one.size for one in [*self._known.values()]])

    def _keep(self, key: _Key, fields: _Fields) -> None:
        with self._lock:
            if key in self._loaded:
                return
            self._loaded[key] = fields
            self._size += len(key[1])
            while self._size > self._limit:
                oldest = next(iter(self._loaded))
                del self._loaded[oldest]
                self._size -= len(oldest[1])


def _plain(value: Any) -> Any:
    """A copy of plain data, which shares texts and numbers alone. Raises `_NotPlain`."""
    kind = type(value)
    if kind in _ATOMS:
        return value
    if kind is dict:
        return {_plain(name): _plain(inner) for name, inner in value.items()}
    if kind is list:
        return [_plain(one) for one in value]
    if kind is tuple:
        return tuple(map(_plain, value))
    raise _NotPlain
