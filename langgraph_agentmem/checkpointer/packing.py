"""Take a value apart into its messages and the rest, and put it together again.

Of a list of messages the rest keeps nothing but None; a path beside it says where the list stood.
Paths, not signs in the value: state may hold anything, and nothing in it is ever taken for one.
"""

from __future__ import annotations

import hashlib
import json
import marshal
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, cast

from langchain_core.messages import BaseMessage
from langgraph.checkpoint.serde.base import SerializerProtocol
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.serde.types import _DeltaSnapshot
from langgraph.types import Overwrite, Send

from langgraph_agentmem.errors import AgentMemError, CheckpointUnreadable
from langgraph_agentmem.model import Recall
from langgraph_agentmem.rewriting import DROP, GO_ON, copy_with, rewrite
from langgraph_agentmem.steps.thread_messages import Letter, Place, marked

from .memo import Memo

TAG = "agentmem:"
"""Before the type of a value that was taken apart. LangGraph's savers refuse what they do not know,
so none of them takes a value without its messages for whole."""

_ATOMS = {str, int, float, bool, type(None), bytes}
_ROLES = {"user", "human", "assistant", "ai", "system", "developer", "tool", "function"}
_HOLDERS: tuple[tuple[type, str], ...] = ((Send, "arg"), (Overwrite, "value"))
"""LangGraph's objects that carry state, and the attribute in which they do."""

_UNREAD = "a stored value is damaged, or was written with another serde, or another key of it"

_HEAD = 4
"""Bytes that tell the length of the list of places, which comes before the value."""

Step = int | str
Path = tuple[Step, ...]
"""How to come to a part of a value: keys that are text; places in lists, tuples and other keys;
attributes of LangGraph's objects."""

Admits = Callable[[Any], None]
"""Raises for a value of a type that could not be loaded again."""


class Messages:
    """The messages at one place of a value.

    Args:
        values: The messages.
        marks: Their keyed hashes.
        many: Whether they are a list.
        packing: How they are stored.
    """

    __slots__ = ("_packing", "_values", "many", "marks")

    def __init__(
        self, values: Sequence[Any], marks: Sequence[str], packing: Packing, *, many: bool
    ) -> None:
        self.many = many
        self.marks = marks
        self._values = values
        self._packing = packing

    def dumps(self, at: int) -> tuple[str, bytes]:
        """How one is stored."""
        return self._packing.dumps(self._values[at])


@dataclass(slots=True)
class Parts:
    """A value without its messages, and the messages with their paths."""

    rest: Any
    serde: SerializerProtocol
    holes: list[tuple[Path, Messages]] = field(default_factory=list)
    kept: list[tuple[Path, Place]] = field(default_factory=list)
    """Places that stood in the value already: messages that were never taken out of the store."""

    @property
    def lists(self) -> list[Messages]:
        """The messages, by place."""
        return [messages for _, messages in self.holes]

    def closed(self, places: Sequence[Place]) -> tuple[str, bytes]:
        """How the value is stored when its messages are at these places."""
        every = [
            *((path, place) for (path, _), place in zip(self.holes, places, strict=True)),
            *self.kept,
        ]
        if not every:
            return self.serde.dumps_typed(self.rest)
        # The numbers stand outside of what the serializer makes: which messages are in use can be
        # told without loading, or decrypting, anybody's state.
        numbers = [[place.many, place.chunks, place.numbers] for _, place in every]
        head = json.dumps(numbers, separators=(",", ":")).encode()
        kind, data = self.serde.dumps_typed([self.rest, [[*path] for path, _ in every]])
        return TAG + kind, len(head).to_bytes(_HEAD, "big") + head + data


@dataclass(slots=True)
class Unfolded:
    """A stored value, None where messages stand."""

    value: Any
    paths: Sequence[Path]
    places: Sequence[Place]
    serde: SerializerProtocol
    loads: Callable[[Letter], Any]

    def whole(self, letters: Mapping[Place, Sequence[Letter]]) -> Any:
        """The value with its messages. To be asked once: messages are put into the value."""
        loads = self.loads
        return self._filled(
            [
                [loads(one) for one in letters[place]] if place.many else loads(letters[place][0])
                for place in self.places
            ]
        )

    def is_faithful(self, kind: str, data: bytes) -> bool:
        """Whether this would be stored as it was: a type that cannot be loaded here comes as plain
        data, and storing that would lose it. Sets may come in another order.
        """
        if "+" in kind:  # encrypted, with another nonce every time
            return True
        if not kind.startswith(TAG):
            return sorted(self.serde.dumps_typed(self.value)[1]) == sorted(data)
        again = self.serde.dumps_typed([self.value, [[*path] for path in self.paths]])[1]
        return sorted(again) == sorted(_split(data)[1])

    def with_places(self) -> Any:
        """The value with `Place`s for its messages: taken apart again, it keeps them."""
        return self._filled(self.places)

    def _filled(self, things: Sequence[Any]) -> Any:
        value = self.value
        try:
            for path, thing in zip(self.paths, things, strict=True):
                value = _filled(value, path, thing)
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise CheckpointUnreadable("a stored value is damaged") from error
        return value


class Packing:
    """How values are stored: with which serializer, and under which key messages are hashed.

    Args:
        serde: Writes and reads values and messages.
        memo: What was stored or loaded lately.
        key: Of the hashes; None to read only.
        admits: Refuses values that could not be loaded again.
    """

    def __init__(
        self,
        serde: SerializerProtocol,
        memo: Memo,
        *,
        key: str | None = None,
        admits: Admits | None = None,
    ) -> None:
        self._serde = serde
        self._memo = memo
        self._key = None if key is None else hashlib.blake2b(key.encode(), digest_size=32).digest()
        self._admits = admits or (lambda _: None)

    # Apart ---------------------------------------------------------------------------------

    def apart(self, value: Any) -> Parts:
        """A value taken apart; recalled memories are left out of it.

        Raises:
            TypeNotAllowed: It holds a type that could not be loaded again.
        """
        parts = Parts(None, self._serde)
        rest = self._apart(value, (), parts)
        parts.rest = None if rest is DROP else rest
        return parts

    def _apart(self, value: Any, path: Path, parts: Parts) -> Any:  # noqa: C901, PLR0911 - by kind
        kind = type(value)
        if kind in _ATOMS:
            return value
        if _is_message(value):
            parts.holes.append((path, self._messages([value], many=False)))
            return None
        if kind is dict:
            return self._apart_dict(value, path, parts)
        if kind is list and value and all(_is_message(one) for one in value):
            parts.holes.append((path, self._messages(value, many=True)))
            return None
        if kind is list or kind is tuple:
            return self._apart_items(value, path, parts)
        if kind is _DeltaSnapshot:
            inner = self._apart(value.value, (*path, 0), parts)
            return value if inner is value.value else _DeltaSnapshot(inner)
        if kind is Place:
            parts.kept.append((path, value))
            return None
        if kind is Recall:
            return DROP
        for holder, name in _HOLDERS:
            if kind is holder:
                held = getattr(value, name)
                return copy_with(value, {name: self._apart(held, (*path, name), parts)})
        return rewrite(value, self._visit)

    def _apart_dict(self, value: dict[Any, Any], path: Path, parts: Parts) -> Any:
        clean: dict[Any, Any] = {}
        for key, inner in value.items():
            step = key if type(key) is str else len(clean)
            new = self._apart(inner, (*path, step), parts)
            if new is not DROP:
                clean[key] = new
        same = len(clean) == len(value) and all(clean[key] is inner for key, inner in value.items())
        return value if same else clean

    def _apart_items(self, value: Any, path: Path, parts: Parts) -> Any:
        clean: list[Any] = []
        for inner in value:
            new = self._apart(inner, (*path, len(clean)), parts)
            if new is not DROP:
                clean.append(new)
        same = len(clean) == len(value) and all(
            one is other for one, other in zip(clean, value, strict=True)
        )
        return value if same else type(value)(clean)

    def _visit(self, value: Any) -> Any:
        if isinstance(value, Recall):
            return DROP
        if type(value) in _ATOMS:
            return value
        self._admits(value)
        return value if isinstance(value, BaseMessage) else GO_ON

    def _messages(self, values: Sequence[Any], *, many: bool) -> Messages:
        known = self._memo.mark_of
        held = [*values]
        marks = []
        for at, value in enumerate(values):
            if isinstance(value, BaseMessage):
                mark = known(value)
                if mark is None:
                    held[at] = self._lean(value)
                    mark, size = self.mark_of(held[at])
                    self._memo.note(held[at], mark, size)
            else:
                held[at] = rewrite(value, self._visit)
                mark, _ = self.mark_of(held[at])
            marks.append(mark)
        return Messages(held, marks, self, many=many)

    def _lean(self, message: BaseMessage) -> BaseMessage:
        """A message without recalled memories; a copy if it has no id, for the graph is about to
        give it one in another thread.
        """
        self._admits(message)
        changed: dict[str, Any] = {}
        for name, inner in {**message.__dict__, **(message.__pydantic_extra__ or {})}.items():
            new = rewrite(inner, self._visit)
            if new is not inner:
                changed[name] = None if new is DROP else new
        return message.model_copy(update=changed) if changed or message.id is None else message

    def mark_of(self, value: Any) -> tuple[str, int]:
        """The keyed hash of a message with its id, and how many bytes were hashed."""
        said: Any = value
        message_id = None
        if isinstance(value, BaseMessage):
            message_id = None if value.id is None else str(value.id)
            name = f"{type(value).__module__}.{type(value).__qualname__}"
            said = (name, {**value.__dict__, "id": None}, value.__pydantic_extra__)
        elif isinstance(value, dict) and isinstance(value.get("id"), str):
            message_id = value["id"]
        try:
            # Deterministic in this version, and many times as fast as serializing.
            data = marshal.dumps(said, 2)
        except ValueError:  # it holds something else than plain data
            data = _serialized(value, self._serde)
        mark = hashlib.blake2b(data, digest_size=12, key=cast("bytes", self._key)).hexdigest()
        return marked(mark, message_id), len(data)

    def loads(self, letter: Letter) -> Any:
        """A stored message."""
        return self._memo.load(letter, self._loaded)

    def dumps(self, value: Any) -> tuple[str, bytes]:
        """A message as it is stored."""
        return self._serde.dumps_typed(value)

    # Together ------------------------------------------------------------------------------

    def opens(self, kind: str | None, data: bytes) -> Unfolded:
        """A stored value, its messages in their places.

        Raises:
            CheckpointUnreadable: The row is damaged.
            TypeNotAllowed: It holds a type that may not be loaded.
        """
        if kind is None or not kind.startswith(TAG):
            value = self._loaded((kind or "", data))
            return Unfolded(value, (), (), self._serde, self.loads)
        places, rest = _split(data)
        loaded = self._loaded((kind.removeprefix(TAG), rest))
        try:
            value, paths = loaded
            steps = [tuple(path) for path in paths]
            return Unfolded(value, steps, places, self._serde, self.loads)
        except (TypeError, ValueError) as error:
            raise CheckpointUnreadable("a stored value is damaged") from error

    def _loaded(self, typed: tuple[str, bytes]) -> Any:
        try:
            return self._serde.loads_typed(typed)
        except AgentMemError:
            raise
        except Exception as error:  # the serializer may be anybody's, and so are its errors
            raise CheckpointUnreadable(_UNREAD, error=type(error).__name__) from error


def places_in(kind: str | None, data: bytes) -> list[Place]:
    """Where the messages of a stored value are, without loading it."""
    return _split(data)[0] if kind is not None and kind.startswith(TAG) else []


def _split(data: bytes) -> tuple[list[Place], bytes]:
    end = _HEAD + int.from_bytes(data[:_HEAD], "big")
    try:
        places = [
            Place(bool(many), tuple(map(int, chunks)), tuple(map(int, numbers)))
            for many, chunks, numbers in json.loads(data[_HEAD:end])
        ]
    except (TypeError, ValueError) as error:
        raise CheckpointUnreadable("a stored value is damaged") from error
    return places, data[end:]


def _is_message(value: Any) -> bool:
    """A message, or what LangGraph makes one of: a dict with a role, a pair of role and text."""
    if isinstance(value, BaseMessage):
        return True
    kind = type(value)
    if kind is dict:
        role = value.get("role", value.get("type"))
        return type(role) is str and role in _ROLES and "content" in value
    if kind is tuple and len(value) == 2:  # noqa: PLR2004 - role and text
        return type(value[0]) is str and value[0] in _ROLES and type(value[1]) in {str, list}
    return False


def _serialized(value: Any, serde: SerializerProtocol) -> bytes:
    try:
        return JsonPlusSerializer().dumps_typed(value)[1]
    except Exception:  # noqa: BLE001 - the user's serializer may know what this one does not
        return serde.dumps_typed(value)[1]


def _filled(value: Any, path: Path, thing: Any) -> Any:
    """The value with a thing at a path; containers are changed in place where they can be."""
    if not path:
        return thing
    step, rest = path[0], path[1:]
    if isinstance(value, dict):
        key = step if isinstance(step, str) else _nth(value, step)
        value[key] = _filled(value[key], rest, thing)
        return value
    if isinstance(value, tuple):
        items = [*value]
        items[cast("int", step)] = _filled(items[cast("int", step)], rest, thing)
        make: Any = type(value)
        return make(*items) if hasattr(value, "_fields") else make(items)
    if isinstance(value, list):
        value[cast("int", step)] = _filled(value[cast("int", step)], rest, thing)
        return value
    for holder, name in _HOLDERS:
        if type(value) is holder and step == name:
            return copy_with(value, {name: _filled(getattr(value, name), rest, thing)})
    raise TypeError(type(value).__name__)


def _nth(value: Mapping[Any, Any], number: int) -> Any:
    keys: Iterator[Any] = islice(value, number, None)
    for key in keys:
        return key
    raise IndexError(number)
