"""A LangGraph filter is read into terms of one field each, joined by and/or, and a value is held
against them.

A value compares as JSON: true is not 1, and 1 is 1.0. A comparison with a missing field, null or
another type matches nothing; `$ne` and `$nin` need the field to be there.
"""

from __future__ import annotations

import json
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, TypeAlias, cast

from .places import plain

Compare: TypeAlias = Literal["$eq", "$ne", "$gt", "$gte", "$lt", "$lte", "$in", "$nin", "$exists"]

_ORDER: dict[str, Callable[[Any, Any], bool]] = {
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
}
_GROUPS: dict[str, Literal["AND", "OR"]] = {"$and": "AND", "$or": "OR"}
_COMPARES = ("$eq", "$ne", *_ORDER, "$in", "$nin", "$exists")

_DEEPEST = 100


@dataclass(frozen=True, slots=True)
class Term:
    """One question about one field."""

    name: str
    compare: Compare
    operand: Any


@dataclass(frozen=True, slots=True)
class Group:
    """Terms of which all must hold, or any."""

    word: Literal["AND", "OR"]
    parts: tuple[Term | Group, ...]


# Reading a filter ----------------------------------------------------------------------------


def parse(wanted: object, depth: int = 0) -> Group:
    """The terms of a filter. Raises ValueError for an unknown operator, an operand that the
    operator does not take, and a value that is not JSON.
    """
    if not isinstance(wanted, Mapping):
        raise ValueError(f"a filter is a mapping (found {type(wanted).__name__})")  # noqa: TRY004
    if depth > _DEEPEST:
        raise ValueError(f"a filter is nested at most {_DEEPEST} deep")
    parts: list[Term | Group] = []
    for name, value in wanted.items():
        if not isinstance(name, str):
            raise ValueError(f"a filter's keys are strings (found {type(name).__name__})")  # noqa: TRY004
        if name in _GROUPS:
            inner = [parse(one, depth + 1) for one in _listed(name, value)]
            parts.append(Group(_GROUPS[name], tuple(inner)))
        elif name.startswith("$"):
            raise ValueError(f"{name[:40]!r} is no field; at the top a filter knows $and and $or")
        else:
            plain(name)
            parts.append(_field(name, value, depth + 1))
    return Group("AND", tuple(parts))


def _listed(name: str, value: object) -> Sequence[Any]:
    if not isinstance(value, list | tuple):
        raise ValueError(f"{name} takes a list (found {type(value).__name__})")  # noqa: TRY004
    return value


def _field(name: str, wanted: object, depth: int) -> Term | Group:
    """The terms of one field. A mapping without operators is a value to be equal to."""
    if depth > _DEEPEST:
        raise ValueError(f"a filter is nested at most {_DEEPEST} deep")
    if not isinstance(wanted, Mapping) or not _has_operators(wanted):
        operand = _operand(name, wanted)
        _refuse_hidden_operators(operand)
        return Term(name, "$eq", operand)
    parts: list[Term | Group] = []
    for found, value in wanted.items():
        if found in _GROUPS:
            inner = [_field(name, one, depth + 1) for one in _listed(found, value)]
            parts.append(Group(_GROUPS[found], tuple(inner)))
        else:
            parts.append(_term(name, found, value))
    return Group("AND", tuple(parts))


def _has_operators(wanted: Mapping[Any, Any]) -> bool:
    operators = [isinstance(name, str) and name.startswith("$") for name in wanted]
    if any(operators) and not all(operators):
        raise ValueError(
            "a filter mixes operators and plain keys; to compare with a mapping that has keys "
            'like "$ref", write {"$eq": mapping}'
        )
    return any(operators)


def _refuse_hidden_operators(value: object) -> None:
    """An operator inside a plain mapping would silently match nothing."""
    if isinstance(value, Mapping):
        for inner in value.values():
            if isinstance(inner, Mapping) and _has_operators(inner):
                raise ValueError(
                    'an operator stands inside a plain mapping; write a path, {"a.b": {"$gt": 1}}, '
                    'or compare with the mapping itself, {"a": {"$eq": mapping}}'
                )
            _refuse_hidden_operators(inner)


def _term(name: str, compare: object, value: object) -> Term:
    if compare not in _COMPARES:
        raise ValueError(
            f"unknown filter operator {str(compare)[:40]!r}; there are "
            f"{', '.join(_COMPARES)}, $and and $or"
        )
    operand: Any = value
    if compare == "$exists":
        if not isinstance(value, bool):
            raise ValueError(f"$exists takes true or false (found {type(value).__name__})")
    elif compare in {"$in", "$nin"}:
        operand = [_operand(name, one) for one in _listed(str(compare), value)]
    else:
        operand = _operand(name, value)
    return Term(name, cast("Compare", compare), operand)


def _operand(name: str, value: object) -> Any:
    """A value to compare with: JSON, or infinity, a bound that no value reaches."""
    if isinstance(value, float) and math.isinf(value):
        return value
    return plain(value, (None, name))


# Values as JSON ------------------------------------------------------------------------------


def kind_of(value: object) -> str:
    """The kind of a JSON value: null, true, false, number, text, array or object."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return "number"
    if isinstance(value, str):
        return "text"
    if isinstance(value, list):
        return "array"
    return "null" if value is None else "object"


def _whole(digits: str) -> int | float:
    number = float(digits)
    return int(number) if number.is_integer() else number


def canonical_json(text: str) -> str:
    """JSON text in one form: keys sorted, whole numbers without a fraction. SQLite calls it by
    this name.
    """
    found = json.loads(text, parse_float=_whole)
    return json.dumps(found, sort_keys=True, ensure_ascii=False)


def canonical(value: Any) -> str:
    """`canonical_json` of a value."""
    return canonical_json(json.dumps(value))


# Exactly, row by row -------------------------------------------------------------------------

_MISSING = object()


def matches(group: Group, value: Mapping[str, Any]) -> bool:
    """Whether a value passes."""
    found = (
        matches(part, value) if isinstance(part, Group) else _holds(part, value)
        for part in group.parts
    )
    return all(found) if group.word == "AND" else any(found)


def _holds(term: Term, value: Mapping[str, Any]) -> bool:
    found = _find(value, term.name)
    if term.compare == "$exists":
        return (found is not _MISSING) is term.operand
    if found is _MISSING:
        return False
    if term.compare in _ORDER:
        kind = kind_of(found)
        ordered = kind in {"number", "text"} and kind == kind_of(term.operand)
        return ordered and _ORDER[term.compare](found, term.operand)
    wanted = term.operand if term.compare in {"$in", "$nin"} else [term.operand]
    return any(_same(found, one) for one in wanted) is (term.compare in {"$eq", "$in"})


def _find(value: Mapping[str, Any], name: str) -> Any:
    """The field of that name, else what stands at the dotted path."""
    if name in value or "." not in name:
        return value.get(name, _MISSING)
    found: Any = value
    for part in name.split("."):
        if not isinstance(found, Mapping) or part not in found:
            return _MISSING
        found = found[part]
    return found


def _same(one: Any, other: Any) -> bool:
    if kind_of(one) != kind_of(other):
        return False
    if isinstance(one, list | dict):
        return canonical(one) == canonical(other)
    return bool(one == other)


@lru_cache(maxsize=64)
def _parsed(text: str) -> Group:
    return parse(json.loads(text))


def matches_filter(value: str, wanted: str) -> bool:
    """Whether a value passes a filter, both JSON text. SQLite calls it by this name."""
    return matches(_parsed(wanted), json.loads(value))
