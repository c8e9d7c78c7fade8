"""A LangGraph filter becomes a SQL condition on the JSON of `memories.value`.

This is the only SQL that is built. Every piece of text comes from the tables below; field names
and values are bound. A comparison with a missing field, null or another type matches nothing.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

# One field of an object, bound by name; `{row}` is the alias of this level's json_each.
_FIELD = "EXISTS (SELECT 1 FROM json_each({json}) AS {row} WHERE {row}.key = :{name} AND {test})"
# What lies below a field: SQLite may test conditions in any order, so only JSON is opened.
_BELOW = "CASE WHEN {row}.type = 'object' THEN {row}.value ELSE '{{}}' END"

_TYPES: dict[type, tuple[str, ...]] = {
    bool: ("true", "false"),
    int: ("integer", "real"),
    float: ("integer", "real"),
    str: ("text",),
    type(None): ("null",),
    list: ("array",),
    dict: ("object",),
}

_INT64 = 2**63
_LARGEST = 2**1023

_ORDER = {"$gt": ">", "$gte": ">=", "$lt": "<", "$lte": "<="}


@dataclass(slots=True)
class _Builder:
    params: dict[str, object] = field(default_factory=dict)
    rows: int = 0

    def bind(self, value: object) -> str:
        name = f"f{len(self.params)}"
        if isinstance(value, int) and not -_INT64 <= value < _INT64:
            # SQLite reads such a number in JSON as a double too.
            value = float(value) if abs(value) < _LARGEST else math.copysign(math.inf, value)
        self.params[name] = value
        return name

    def row(self) -> str:
        self.rows += 1
        return f"j{self.rows}"

    # Tests of one field, whose JSON is at `{row}` ------------------------------------------

    def equals(self, row: str, value: Any) -> str:
        types = ", ".join(f"'{name}'" for name in _TYPES[_type(value)])
        if value is None:
            return f"{row}.type IN ({types})"
        if isinstance(value, bool):
            return f"{row}.type = '{'true' if value else 'false'}'"
        if isinstance(value, list | dict):
            # Key order and 1 against 1.0 do not matter: both sides are put into one form.
            name = self.bind(canonical(value))
            return f"({row}.type IN ({types}) AND canonical_json({row}.value) = :{name})"
        return f"({row}.type IN ({types}) AND {row}.value = :{self.bind(value)})"

    def orders(self, row: str, operator: str, value: Any) -> str:
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            return "0"
        types = ", ".join(f"'{name}'" for name in _TYPES[_type(value)])
        return f"({row}.type IN ({types}) AND {row}.value {_ORDER[operator]} :{self.bind(value)})"

    def operator(self, row: str, operator: str, value: Any) -> str:
        if operator == "$eq":
            return self.equals(row, value)
        if operator == "$ne":
            return f"NOT {self.equals(row, value)}"
        if operator in _ORDER:
            return self.orders(row, operator, value)
        if operator in {"$in", "$nin"}:
            if isinstance(value, str) or not isinstance(value, Sequence):
                raise ValueError(f"{operator} takes a list of values")
            anyone = " OR ".join(self.equals(row, _plain(one)) for one in value) or "0"
            return f"({anyone})" if operator == "$in" else f"NOT ({anyone})"
        raise ValueError(
            f"unknown filter operator {operator[:40]!r}; there are $eq, $ne, $gt, $gte, $lt, "
            "$lte, $in, $nin, $exists, $and, $or"
        )

    # One field, by its literal name or as a dotted path ------------------------------------

    def at(self, source: str, path: Sequence[str], wanted: Any) -> str:
        """The condition that the field at `path` below `source` is what is wanted."""
        row = self.row()
        if len(path) > 1:
            test = self.at(_BELOW.format(row=row), path[1:], wanted)
        else:
            test = self.test(row, wanted)
        return _FIELD.format(json=source, row=row, name=self.bind(path[0]), test=test)

    def test(self, row: str, wanted: Any) -> str:
        if _is_operators(wanted):
            return " AND ".join(
                self.operator(row, operator, _plain(value)) for operator, value in wanted.items()
            )
        return self.equals(row, _plain(wanted))

    def field(self, source: str, name: str, wanted: Any) -> str:
        """A field by name. A dotted name finds the literal key first, else the path."""
        if _is_operators(wanted) and "$exists" in wanted:
            others = {key: value for key, value in wanted.items() if key != "$exists"}
            if not isinstance(wanted["$exists"], bool):
                raise ValueError("$exists takes true or false")
            there = self.present(source, name)
            condition = there if wanted["$exists"] else f"NOT {there}"
            return f"({condition} AND {self.field(source, name, others)})" if others else condition
        literal = self.at(source, [name], wanted)
        if "." not in name:
            return literal
        nested = self.at(source, name.split("."), wanted)
        return f"({literal} OR (NOT {self.here(source, [name])} AND {nested}))"

    def present(self, source: str, name: str) -> str:
        literal = self.here(source, [name])
        if "." not in name:
            return literal
        return f"({literal} OR {self.here(source, name.split('.'))})"

    def here(self, source: str, path: Sequence[str]) -> str:
        row = self.row()
        test = "1" if len(path) == 1 else self.here(_BELOW.format(row=row), path[1:])
        return _FIELD.format(json=source, row=row, name=self.bind(path[0]), test=test)

    def all_of(self, source: str, wanted: Mapping[str, Any]) -> str:
        parts = []
        for name, value in wanted.items():
            if not isinstance(name, str):
                raise ValueError(f"a filter's keys are strings (found {type(name).__name__})")
            if name in {"$and", "$or"}:
                if not isinstance(value, list | tuple) or not all(
                    isinstance(one, Mapping) for one in value
                ):
                    raise ValueError(f"{name} takes a list of filters")
                joined = (" AND " if name == "$and" else " OR ").join(
                    self.all_of(source, one) for one in value
                )
                parts.append(f"({joined or ('1' if name == '$and' else '0')})")
            elif name.startswith("$"):
                raise ValueError(
                    f"{name[:40]!r} is no field; at the top a filter knows $and and $or"
                )
            else:
                parts.append(self.field(source, name, value))
        return "(" + (" AND ".join(parts) or "1") + ")"


def _type(value: Any) -> type:
    for known in _TYPES:
        if type(value) is known:
            return known
    raise ValueError(f"a filter's value must be JSON (found {type(value).__name__})")


def _is_operators(wanted: Any) -> bool:
    """Whether a mapping is operators: a plain dict is a value to be equal to."""
    return (
        isinstance(wanted, Mapping)
        and bool(wanted)
        and all(isinstance(name, str) and name.startswith("$") for name in wanted)
    )


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return value


def _whole_numbers(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {name: _whole_numbers(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_whole_numbers(inner) for inner in value]
    return value


def canonical(value: Any) -> str:
    """JSON in one form: keys sorted, whole numbers without a fraction."""
    return json.dumps(_whole_numbers(value), sort_keys=True, ensure_ascii=False)


def canonical_json(text: str) -> str:
    """`canonical` of JSON text; SQLite calls it by this name."""
    return canonical(json.loads(text))


def condition(wanted: Mapping[str, Any] | None) -> tuple[str, dict[str, object]]:
    """A filter as SQL, to follow other conditions, and its parameters.

    Args:
        wanted: `{"field": value}`, `{"field": {"$gt": 1}}`, `{"$or": [filter, …]}`; None or
            empty matches everything.

    Raises:
        ValueError: An operator is unknown or has an operand that it does not take.
    """
    if not wanted:
        return "", {}
    builder = _Builder()
    sql = builder.all_of("m.value", wanted)
    return f"AND {sql}", builder.params
