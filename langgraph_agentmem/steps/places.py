"""Names of things, checked before anything is written: namespaces, topics, values, times."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from langgraph_agentmem.errors import InvalidNamespace, InvalidTopic, InvalidValue
from langgraph_agentmem.model import Namespace

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DEEPEST = 500
"""Levels of a value: well below where writing JSON would exhaust the stack."""

_MICROSECOND = timedelta(microseconds=1)


def micros(moment: datetime) -> int:
    """A moment as whole microseconds since 1970-01-01 UTC. Raises ValueError without a timezone."""
    if moment.tzinfo is None:
        raise ValueError(f"a moment needs a timezone, e.g. tzinfo=UTC (found {moment!r})")
    return (moment - _EPOCH) // _MICROSECOND


def moment_of(microseconds: int) -> datetime:
    """The moment of `micros`, in UTC."""
    return _EPOCH + microseconds * _MICROSECOND


def _well_formed(text: str) -> bool:
    """Whether every database can hold this text: no NUL, no lone surrogate."""
    return "\x00" not in text and _encodable(text)


def check_labels(namespace: object) -> Namespace:
    """A namespace or prefix with good labels; empty is allowed. Raises `InvalidNamespace`."""
    if not isinstance(namespace, tuple | list):
        raise InvalidNamespace(found=type(namespace).__name__)
    for label in namespace:
        if not isinstance(label, str):
            raise InvalidNamespace(found=f"a label of type {type(label).__name__}")
        if not label or "." in label or not _well_formed(label):
            raise InvalidNamespace(label=label.encode(errors="backslashreplace").decode())
    if namespace and namespace[0] == "langgraph":
        raise InvalidNamespace(label="langgraph")
    return tuple(namespace)


def check_namespace(namespace: object) -> Namespace:
    """A namespace of at least one good label. Raises `InvalidNamespace`."""
    labels = check_labels(namespace)
    if not labels:
        raise InvalidNamespace(found="()")
    return labels


def check_topic(topic: object) -> str:
    """A topic as text. Raises `InvalidTopic` for what is no string, blank, or holds NUL."""
    if not isinstance(topic, str):
        raise InvalidTopic(found=type(topic).__name__)
    if not topic.strip() or not _well_formed(topic):
        raise InvalidTopic(topic=topic.encode(errors="backslashreplace").decode())
    return topic


def path_of(namespace: Namespace) -> str:
    """The namespace as the database holds it: labels hold no period, so one joins them."""
    return ".".join(namespace)


def namespace_of(path: str) -> Namespace:
    """The namespace of `path_of`."""
    return tuple(path.split("."))


def below(namespace: Namespace) -> dict[str, str]:
    """Parameters for a namespace and all below it: `/` is the character after the period."""
    path = path_of(namespace)
    return {"path": path, "below": f"{path}.", "beyond": f"{path}/"}


def _check_json(value: Any, trail: str, depth: int = 0) -> None:
    if depth > _DEEPEST:
        raise InvalidValue(f"a value is nested at most {_DEEPEST} deep", field=trail[:80])
    if isinstance(value, str):
        if not _encodable(value):
            raise InvalidValue("text in a value must not hold a lone surrogate", field=trail)
    elif isinstance(value, float):
        if not math.isfinite(value):
            raise InvalidValue("a value must not hold NaN or infinity", field=trail)
    elif isinstance(value, Mapping | list | tuple):
        for name, inner in _members(value, trail):
            _check_json(inner, name, depth + 1)
    elif value is not None and not isinstance(value, bool | int):
        raise InvalidValue("a value must be JSON", field=trail, found=type(value).__name__)


def _members(value: Any, trail: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        for name, inner in value.items():
            _check_name(name, trail)
            yield f"{trail}.{name}", inner
    else:
        for index, inner in enumerate(value):
            yield f"{trail}[{index}]", inner


def _check_name(name: object, trail: str) -> None:
    if not isinstance(name, str):
        raise InvalidValue("keys of a value are strings", field=trail, found=type(name).__name__)
    if not _encodable(name):
        raise InvalidValue("text in a value must not hold a lone surrogate", field=trail)


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _plain(value: Any) -> Any:
    """Mappings as dicts, for `json`."""
    if isinstance(value, Mapping):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return value


def value_json(value: object) -> str:
    """A value as JSON text, keys in the order given. Raises `InvalidValue`; the error names the
    field and type, never the content.
    """
    if not isinstance(value, Mapping):
        raise InvalidValue(found=type(value).__name__)
    _check_json(value, "$")
    return json.dumps(_plain(value), ensure_ascii=False)


def content_value(content: object) -> Mapping[str, Any]:
    """The value of `remember`: text is stored as `{"text": …}`, a mapping as it is."""
    if isinstance(content, str):
        if not content.strip():
            raise InvalidValue("the content is blank; use `retire` to end a topic")
        return {"text": content}
    if isinstance(content, Mapping):
        return content
    raise InvalidValue(found=type(content).__name__)
