"""Names of things, checked before anything is written: namespaces, topics, values, times."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias

from langgraph_agentmem.errors import InvalidNamespace, InvalidTopic, InvalidValue
from langgraph_agentmem.model import Namespace, Source

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DEEPEST = 200
"""Levels of a value: well below where writing JSON would exhaust the stack."""

_FURTHEST = 2**53
"""Whole numbers below this are the same in JSON, in Python and in every database."""

_LONGEST_FIELD = 80
_MICROSECOND = timedelta(microseconds=1)

# Made once: `json.dumps` with an option and `json.loads` cost a small value twice the time.
_encode = json.JSONEncoder(ensure_ascii=False).encode
_decode = json.JSONDecoder().decode


def check_moment(moment: object) -> datetime:
    """A moment with a timezone. Raises ValueError."""
    if not isinstance(moment, datetime):
        raise ValueError(f"a moment is a datetime (found {type(moment).__name__})")  # noqa: TRY004
    if moment.tzinfo is None:
        raise ValueError(f"a moment needs a timezone, e.g. tzinfo=UTC (found {moment!r})")
    return moment


def micros(moment: datetime) -> int:
    """A moment as whole microseconds since 1970-01-01 UTC. Raises ValueError without a timezone."""
    return (check_moment(moment) - _EPOCH) // _MICROSECOND


def moment_of(microseconds: int) -> datetime:
    """The moment of `micros`, in UTC."""
    return _EPOCH + microseconds * _MICROSECOND


def _well_formed(text: str) -> bool:
    """Whether every database can hold this text: no NUL, no lone surrogate."""
    return "\x00" not in text and _encodable(text)


def check_labels(namespace: object) -> Namespace:
    """Good labels; none at all is allowed, and so is the reserved root, under which nothing is
    ever found. Raises `InvalidNamespace`.
    """
    if not isinstance(namespace, tuple | list):
        raise InvalidNamespace(found=type(namespace).__name__)
    for label in namespace:
        if not isinstance(label, str):
            raise InvalidNamespace(found=f"a label of type {type(label).__name__}")
        if not label or "." in label or not _well_formed(label):
            raise InvalidNamespace(label=label.encode(errors="backslashreplace").decode())
    return tuple(namespace)


def check_namespace(namespace: object) -> Namespace:
    """A namespace that may hold memories: at least one good label, and not below the reserved
    root. Raises `InvalidNamespace`.
    """
    labels = check_labels(namespace)
    if not labels:
        raise InvalidNamespace(found="()")
    if labels[0] == "langgraph":
        raise InvalidNamespace(label="langgraph")
    return labels


def check_topic(topic: object, *, blank: bool = True) -> str:
    """A topic as text. Raises `InvalidTopic` for what is no string, empty, or holds NUL.

    Args:
        topic: What is checked.
        blank: Whether it may be white space alone, as a LangGraph key may be.
    """
    if not isinstance(topic, str):
        raise InvalidTopic(found=type(topic).__name__)
    if not topic or not _well_formed(topic) or not (blank or topic.strip()):
        raise InvalidTopic(topic=topic.encode(errors="backslashreplace").decode())
    return topic


def check_source(source: object) -> Source | None:
    """A source whose texts every database can hold, or None. Raises `InvalidValue`."""
    if source is None:
        return None
    if not isinstance(source, Source):
        raise InvalidValue("a source is a Source or None", found=type(source).__name__)
    texts: dict[str, object] = {"thread_id": source.thread_id, "author": source.author}
    texts |= {f"message_ids[{at}]": one for at, one in enumerate(source.message_ids)}
    for name, text in texts.items():
        if not isinstance(text, str | None) or not _well_formed(text or ""):
            raise InvalidValue(
                "a source's texts hold no NUL and no lone surrogate",
                field=f"source.{name}",
                found=type(text).__name__,
            )
    if not isinstance(source.said_at, datetime | None):
        raise InvalidValue(
            "a source's time is a datetime or None",
            field="source.said_at",
            found=type(source.said_at).__name__,
        )
    order: object = source.order
    if order is not None and not (
        isinstance(order, int) and not isinstance(order, bool) and abs(order) < _FURTHEST
    ):
        raise InvalidValue(
            "a source's order is a whole number below 2**53, or None",
            field="source.order",
            found=type(order).__name__,
        )
    return source


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


def in_order(namespace: Namespace) -> dict[str, object]:
    """Parameters for a namespace and all below it where namespaces stand in the order of their
    labels: as no label holds NUL, the end is beyond all that begins so; a blob is beyond any text.
    """
    start = "\x00".join(namespace)
    return {"first": start, "beyond": f"{start}\x01" if namespace else b""}


Where: TypeAlias = "tuple[Where, str | int] | None"
"""A place inside a value, from the inside out; written out only when an error names it."""


def _field(where: Where) -> str:
    names: list[str] = []
    while where is not None:
        where, name = where
        names.append(f".{name}" if isinstance(name, str) else f"[{name}]")
    return ("$" + "".join(reversed(names)))[:_LONGEST_FIELD]


def plain(value: Any, where: Where = None, depth: int = 0) -> Any:
    """A value as `json` takes it: mappings as dicts, sequences as lists.

    Raises:
        InvalidValue: Something in it is not JSON; the error names the field and the type, never
            the content.
    """
    if isinstance(value, str):
        if not _encodable(value):
            raise InvalidValue(
                "text in a value must not hold a lone surrogate", field=_field(where)
            )
        return value
    if value is None or isinstance(value, int):  # True and False are integers too
        return value
    if isinstance(value, Mapping):
        return _plain_mapping(value, where, depth)
    if isinstance(value, list | tuple):
        return _plain_list(value, where, depth)
    if not isinstance(value, float):
        raise InvalidValue("a value must be JSON", field=_field(where), found=type(value).__name__)
    if not math.isfinite(value):
        raise InvalidValue("a value must not hold NaN or infinity", field=_field(where))
    return value


# Loops, not comprehensions: fewer frames per level keep deep values within the stack.
def _plain_mapping(value: Mapping[Any, Any], where: Where, depth: int) -> dict[str, Any]:
    _check_depth(where, depth)
    named: dict[str, Any] = {}
    for name, inner in value.items():
        if not isinstance(name, str):
            raise InvalidValue(
                "keys of a value are strings", field=_field(where), found=type(name).__name__
            )
        if not name.isascii():
            plain(name, where)
        named[name] = plain(inner, (where, name), depth + 1)
    return named


def _plain_list(value: Sequence[Any], where: Where, depth: int) -> list[Any]:
    _check_depth(where, depth)
    listed: list[Any] = []
    for index, inner in enumerate(value):
        listed.append(plain(inner, (where, index), depth + 1))
    return listed


def _check_depth(where: Where, depth: int) -> None:
    if depth >= _DEEPEST:
        raise InvalidValue(f"a value is nested at most {_DEEPEST} deep", field=_field(where))


def _encodable(text: str) -> bool:
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def value_json(value: object) -> str:
    """A value as JSON text, keys in the order given. Raises `InvalidValue`."""
    if not isinstance(value, Mapping):
        raise InvalidValue(found=type(value).__name__)
    try:
        return _encode(plain(value))
    except InvalidValue:
        raise
    except ValueError:  # Python writes no integer of more than some 4,300 digits
        raise InvalidValue("an integer in a value is too long to be written") from None


def value_of(text: str) -> dict[str, Any]:
    """The value of `value_json`."""
    value: dict[str, Any] = _decode(text)
    return value


def content_value(content: object) -> Mapping[str, Any]:
    """The value of `remember`: text is stored as `{"text": …}`, a mapping as it is."""
    if isinstance(content, str):
        if not content.strip():
            raise InvalidValue("the content is blank; use `retire` to end a topic")
        return {"text": content}
    if isinstance(content, Mapping):
        return content
    raise InvalidValue(found=type(content).__name__)
