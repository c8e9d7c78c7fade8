"""Walk whatever a graph keeps in its state, and copy only what changes.

A value that nothing changed comes back as the same object, so callers can tell.
"""

from __future__ import annotations

import dataclasses
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from pydantic import BaseModel


class _Sign:
    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name


GO_ON: Final = _Sign("GO_ON")
"""A visitor's answer: look inside."""

DROP: Final = _Sign("DROP")
"""A visitor's answer: leave this out of the mapping or list that holds it."""

Visit = Callable[[Any], Any]
"""Gets a value; answers `GO_ON`, `DROP`, or what stands in its place."""


def rewrite(value: Any, visit: Visit) -> Any:
    """The value as `visit` wants it: inside mappings, sequences, dataclasses, Pydantic models
    and LangGraph's own objects such as `Send`.
    """
    answer = visit(value)
    if answer is not GO_ON:
        return answer
    for kind, inside in _INSIDE:
        if isinstance(value, kind):
            return inside(value, visit)
    return _attributes(value, _names(value), visit)


def _mapping(value: Mapping[Any, Any], visit: Visit) -> Any:
    pairs = [(rewrite(key, visit), rewrite(inner, visit)) for key, inner in value.items()]
    if all(
        new_key is key and new is inner
        for (new_key, new), (key, inner) in zip(pairs, value.items(), strict=True)
    ):
        return value
    kept = {key: inner for key, inner in pairs if inner is not DROP}
    if isinstance(value, dict) and type(value) is not dict:
        copied = value.copy()
        copied.clear()
        copied.update(kept)
        return copied
    return kept


def _sequence(value: Any, visit: Visit) -> Any:
    items = list(value)
    clean = [rewrite(one, visit) for one in items]
    if all(one is other for one, other in zip(items, clean, strict=True)):
        return value
    if isinstance(value, deque):
        return deque((one for one in clean if one is not DROP), maxlen=value.maxlen)
    make: Any = type(value)
    if hasattr(value, "_fields"):  # a named tuple
        return make(*(None if one is DROP else one for one in clean))
    return make(one for one in clean if one is not DROP)


def _model(value: BaseModel, visit: Visit) -> BaseModel:
    fields = {name: getattr(value, name) for name in type(value).model_fields}
    fields |= value.__pydantic_extra__ or {}
    changed = dict(_changed(fields, visit))
    return value.model_copy(update=changed) if changed else value


def _names(value: Any) -> list[str]:
    """Attributes of dataclasses, and of LangGraph's objects that are none."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return [field.name for field in dataclasses.fields(value)]
    if type(value).__module__.partition(".")[0] == "langgraph":
        return [name for name in getattr(type(value), "__slots__", ()) if hasattr(value, name)]
    return []


def _attributes(value: Any, names: list[str], visit: Visit) -> Any:
    fields = {name: getattr(value, name) for name in names}
    return copy_with(value, dict(_changed(fields, visit)))


def copy_with(value: Any, changed: Mapping[str, Any]) -> Any:
    """A copy of a dataclass or of LangGraph's own object with other attributes; the same object
    if they are the same.
    """
    if all(getattr(value, name) is inner for name, inner in changed.items()):
        return value
    # Not through __init__: it may check, count or convert, and frozen ones refuse assignment.
    copied = object.__new__(type(value))
    for name in _names(value):
        object.__setattr__(copied, name, changed.get(name, getattr(value, name)))
    return copied


def _changed(fields: Mapping[str, Any], visit: Visit) -> Iterator[tuple[str, Any]]:
    for name, inner in fields.items():
        new = rewrite(inner, visit)
        if new is not inner:
            yield name, None if new is DROP else new


_INSIDE: tuple[tuple[Any, Callable[[Any, Visit], Any]], ...] = (
    (Mapping, _mapping),
    (list | tuple | set | frozenset | deque, _sequence),
    (BaseModel, _model),
)
