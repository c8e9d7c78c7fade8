"""A LangGraph filter becomes a SQL condition on the JSON of `memories.value`.

This is the only SQL that is built. Every piece of its text comes from the tables and templates
below; field names and values are bound. Where SQL is not exact (NUL in a text, integers past 64
bits) or does not take a filter of that size, the row is read by `matches_filter` instead: both
give the same answer.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from langgraph_agentmem.errors import InvalidValue

from .terms import Group, Term, canonical, kind_of, parse

_ORDER = {"$gt": ">", "$gte": ">=", "$lt": "<", "$lte": "<="}

_SQL_TYPES = {
    "null": "'null'",
    "true": "'true'",
    "false": "'false'",
    "number": "'integer', 'real'",
    "text": "'text'",
    "array": "'array'",
    "object": "'object'",
}
"""The kinds of JSON values, and SQLite's names of their types."""

_BELOW = "CASE WHEN {row}.type = 'object' THEN {row}.value ELSE '{{}}' END"
"""What lies below a field. SQLite may test conditions in any order, so only JSON is opened."""

_THERE = "EXISTS (SELECT 1 FROM {tables} WHERE {conditions})"
_LISTED = "(SELECT value FROM json_each({listed}))"

_NUL = "\\u0000"
"""How JSON writes the character at which SQLite ends a text."""

_MOST_TERMS = 100
_LONGEST_PATH = 12
_DEEPEST = 12
_PAST_64_BITS = 2**63


def _fits_sql(group: Group, text: str) -> bool:
    """Whether SQL answers a filter exactly, for values without NUL."""
    terms = list(_terms(group))
    return (
        _NUL not in text
        and len(terms) <= _MOST_TERMS
        and _depth(group) <= _DEEPEST
        and all(term.name.count(".") < _LONGEST_PATH for term in terms)
        and all(_is_small(number) for term in terms for number in _numbers(term.operand))
    )


def _terms(group: Group) -> Iterable[Term]:
    for part in group.parts:
        if isinstance(part, Group):
            yield from _terms(part)
        else:
            yield part


def _depth(group: Group) -> int:
    return 1 + max((_depth(one) for one in group.parts if isinstance(one, Group)), default=0)


def _numbers(operand: Any) -> list[int | float]:
    """The numbers that SQL compares: those in lists and mappings are compared as text."""
    found = operand if isinstance(operand, list) else [operand]
    return [one for one in found if kind_of(one) == "number"]


def _is_small(number: float) -> bool:
    # SQLite reads an integer past 64 bits as a double, so that the first one below them is -2**63.
    return -_PAST_64_BITS < number < _PAST_64_BITS


class _Builder:
    """Conditions with what they bind."""

    def __init__(self) -> None:
        self.params: dict[str, object] = {}
        self._rows = 0

    def bind(self, value: object) -> str:
        name = f"f{len(self.params)}"
        self.params[name] = value
        return f":{name}"

    def group(self, group: Group) -> str:
        parts = [
            self.group(part) if isinstance(part, Group) else self.term(part) for part in group.parts
        ]
        return _joined(parts, group.word)

    def term(self, term: Term) -> str:
        there = [term.name]
        if "." not in term.name:
            return self._at(there, term)
        path = term.name.split(".")
        if term.compare == "$exists":
            word = "OR" if term.operand else "AND"
            return f"({self._at(there, term)} {word} {self._at(path, term)})"
        literal = self._at(there, Term(term.name, "$exists", operand=True))
        return f"(CASE WHEN {literal} THEN {self._at(there, term)} ELSE {self._at(path, term)} END)"

    def _at(self, path: Sequence[str], term: Term) -> str:
        """Whether the field at `path` is there and is what is wanted."""
        tables, conditions = [], []
        source = "m.value"
        for name in path:
            self._rows += 1
            row = f"j{self._rows}"
            tables.append(f"json_each({source}) AS {row}")
            conditions.append(f"{row}.key = {self.bind(name)}")
            source = _BELOW.format(row=row)
        if term.compare != "$exists":
            conditions.append(self._compare(f"j{self._rows}", term))
        there = _THERE.format(tables=", ".join(tables), conditions=" AND ".join(conditions))
        return f"NOT {there}" if term.compare == "$exists" and not term.operand else there

    def _compare(self, row: str, term: Term) -> str:
        match term.compare:
            case "$eq":
                return self._among(row, [term.operand])
            case "$ne":
                return f"NOT {self._among(row, [term.operand])}"
            case "$in":
                return self._among(row, term.operand)
            case "$nin":
                return f"NOT {self._among(row, term.operand)}"
        kind = kind_of(term.operand)
        if kind not in {"number", "text"}:
            return "0"
        sign = _ORDER[term.compare]
        return (
            f"({row}.type IN ({_SQL_TYPES[kind]}) AND {row}.value {sign} {self._one(term.operand)})"
        )

    def _among(self, row: str, values: Sequence[Any]) -> str:
        """Whether the field is one of these values, which are grouped by their kind."""
        by_kind: dict[str, list[Any]] = {}
        for value in values:
            by_kind.setdefault(kind_of(value), []).append(value)
        parts = []
        for kind, some in by_kind.items():
            is_kind = f"{row}.type IN ({_SQL_TYPES[kind]})"
            if kind in {"array", "object"}:
                # Key order and 1 against 1.0 do not matter: both sides are put into one form.
                forms = self._many([canonical(one) for one in some])
                parts.append(f"({is_kind} AND canonical_json({row}.value) IN {forms})")
            elif kind in {"number", "text"}:
                parts.append(f"({is_kind} AND {row}.value IN {self._many(some)})")
            else:
                parts.append(is_kind)
        return _joined(parts, "OR")

    def _one(self, value: Any) -> str:
        if isinstance(value, float):
            # Read from JSON as the stored number is, so that equal digits are equal.
            return f"json_extract({self.bind(json.dumps(value))}, '$')"
        return self.bind(value)

    def _many(self, values: Sequence[Any]) -> str:
        if len(values) == 1:
            return f"({self._one(values[0])})"
        listed = self.bind(json.dumps(values, ensure_ascii=False))
        return _LISTED.format(listed=listed)


def _joined(parts: Sequence[str], word: Literal["AND", "OR"]) -> str:
    """Conditions joined as a balanced tree: SQLite bounds the depth of an expression."""
    if not parts:
        return "1" if word == "AND" else "0"
    if len(parts) == 1:
        return parts[0]
    half = len(parts) // 2
    return f"({_joined(parts[:half], word)} {word} {_joined(parts[half:], word)})"


def condition(wanted: Mapping[str, Any] | None) -> tuple[str, dict[str, object]]:
    """A filter as SQL, to follow other conditions, and its parameters.

    Args:
        wanted: `{"field": value}`, `{"field": {"$gt": 1}}`, `{"a.b": value}`,
            `{"$or": [filter, …]}`; None or empty matches everything.

    Raises:
        ValueError: An operator is unknown or has an operand that it does not take.
    """
    if wanted is None:
        return "", {}
    group = parse(wanted)
    if not group.parts:
        return "", {}
    try:
        text = json.dumps(wanted, default=dict)
    except ValueError:  # Python writes no integer of more than some 4,300 digits
        raise InvalidValue("an integer in a filter is too long to be written") from None
    exactly = "matches_filter(m.value, :wanted)"
    if not _fits_sql(group, text):
        return f"AND {exactly}", {"wanted": text}
    builder = _Builder()
    sql = builder.group(group)
    # A text with NUL ends early in SQL: such a row is read exactly.
    sql = f"AND CASE WHEN instr(m.value, '{_NUL}') THEN {exactly} ELSE {sql} END"
    return sql, {**builder.params, "wanted": text}
