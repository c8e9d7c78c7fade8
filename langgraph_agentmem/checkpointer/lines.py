"""How a thread stands in an export: each message once, and its number wherever it stood."""

from __future__ import annotations

import base64
import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from langchain_core.messages import BaseMessage
from langgraph.checkpoint.serde.base import SerializerProtocol
from langgraph.checkpoint.serde.types import _DeltaSnapshot
from langgraph.types import Overwrite, Send

from langgraph_agentmem.errors import InvalidExport
from langgraph_agentmem.rewriting import GO_ON, rewrite
from langgraph_agentmem.steps.checkpoints import Codec
from langgraph_agentmem.steps.portable_threads import Leaving
from langgraph_agentmem.steps.thread_messages import Place

MESSAGE = "langgraph-agentmem:message"
"""The key of what stands for a message: its number."""

MESSAGES = "langgraph-agentmem:messages"
"""The key of what stands for a list of messages: runs of numbers, each with its first and last. A
chat is one run, so that an export grows with the chat and not with its square.
"""

_HOLDERS = {dict, list, tuple, Send, Overwrite, _DeltaSnapshot}
"""What is looked inside of. Messages in other objects stay there: those say what they hold."""


class ThreadLines:
    """Writes the checkpoints of one thread, oldest first, and each message before the first of
    them that holds it.

    Args:
        thread_id: The thread.
        serde: Writes what is no plain JSON.
        codec: Reads stored messages.
    """

    def __init__(self, thread_id: str, serde: SerializerProtocol, codec: Codec) -> None:
        self._thread_id = thread_id
        self._serde = serde
        self._codec = codec
        self._count = 0
        # What stands for each stored message: its number here; what is like one stands for itself.
        self._stored: dict[int, Any] = {}
        # By what they say: two of one id may be stored, as one given without it, or in a file of
        # the official saver, where each checkpoint holds its messages.
        self._told: defaultdict[object, list[tuple[BaseMessage, int]]] = defaultdict(list)

    @property
    def written(self) -> Iterable[int]:
        """The stored messages that were written already."""
        return self._stored.keys()

    def lines_of(self, one: Leaving) -> Iterator[dict[str, Any]]:
        """A checkpoint, after the messages in it that were not written yet."""
        fresh: list[dict[str, Any]] = []

        def standing(number: int) -> Any:
            if number not in self._stored:  # in the order in which they are met, which is stable
                message = self._codec.loads(one.letters[number])
                is_one = isinstance(message, BaseMessage)
                self._stored[number] = self._ref(message, fresh) if is_one else message
            return self._stored[number]

        def visit(value: Any) -> Any:
            if isinstance(value, Place):
                found = [standing(number) for number in one.numbers[value]]
                if value.many:
                    return _standing(found)
                return {MESSAGE: found[0]} if isinstance(found[0], int) else found[0]
            if isinstance(value, BaseMessage):
                return {MESSAGE: self._ref(value, fresh)}
            if type(value) is list and value and all(isinstance(x, BaseMessage) for x in value):
                return _standing([self._ref(message, fresh) for message in value])
            return GO_ON if type(value) in _HOLDERS else value

        row = one.row
        told = json.loads(row["metadata"]) if row["metadata"] is not None else {}
        line = {
            "type": "checkpoint",
            "thread_id": self._thread_id,
            "checkpoint_ns": row["checkpoint_ns"],
            "checkpoint_id": row["checkpoint_id"],
            "parent_id": row["parent_checkpoint_id"],
            "data": self._data(rewrite(one.value, visit)),
            "metadata": self._data(told),
            "writes": [
                [
                    write["task_id"],
                    write["channel"],
                    self._data(rewrite(value, visit)),
                    write["task_path"],
                ]
                for write, value in one.writes
            ],
        }
        yield from fresh
        yield line

    def _ref(self, message: BaseMessage, fresh: list[dict[str, Any]]) -> int:
        known = self._told[type(message), message.id, str(message.text)]
        for other, ref in known:
            if other is message or other == message:
                return ref
        ref = self._add(message, fresh)
        known.append((message, ref))
        return ref

    def _add(self, message: BaseMessage, fresh: list[dict[str, Any]]) -> int:
        self._count += 1
        fresh.append(
            {
                "type": "message",
                "thread_id": self._thread_id,
                "ref": self._count,
                "role": message.type,
                "text": str(message.text),
                "data": self._data(message),
            }
        )
        return self._count

    def _data(self, value: Any) -> list[str]:
        kind, data = self._serde.dumps_typed(value)
        return [kind, base64.b64encode(data).decode("ascii")]


def _standing(found: Sequence[Any]) -> Any:
    """What stands for a list of messages: numbers, or what is like a message."""
    if not all(isinstance(one, int) for one in found):
        return [{MESSAGE: one} if isinstance(one, int) else one for one in found]
    runs: list[list[int]] = []
    for number in found:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return {MESSAGES: runs}


def read_data(
    data: Sequence[str], loads: Callable[[tuple[str, bytes]], Any], messages: Mapping[int, Any]
) -> Any:
    """A value of a line, with its messages.

    Args:
        data: How it was written.
        loads: The serializer's.
        messages: Those that stood before it, by number.

    Raises:
        InvalidExport, TypeNotAllowed.
        KeyError: It names a message that did not stand before it.
    """
    kind, text = data
    try:
        value = loads((kind, base64.b64decode(text)))
    except (ValueError, NotImplementedError) as error:
        raise InvalidExport(line="data", error=type(error).__name__) from None

    def visit(inner: Any) -> Any:
        if type(inner) is dict and inner.keys() == {MESSAGE}:
            return messages[inner[MESSAGE]]
        if type(inner) is dict and inner.keys() == {MESSAGES}:
            runs = inner[MESSAGES]
            return [messages[at] for first, last in runs for at in range(first, last + 1)]
        return GO_ON if type(inner) in _HOLDERS else inner

    return rewrite(value, visit)
