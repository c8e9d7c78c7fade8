"""What of a call's arguments may be kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from langgraph_agentmem.model import Candidate, Source
from langgraph_agentmem.protocols import WritePolicy

WITHHELD = "[withheld]"
"""Stands for an argument that the write policy refuses."""

LONGEST_ARGUMENT = 500
"""Characters of the longest text that is kept of an argument; a longer one leaves its length."""

DEEPEST, MOST_PARTS = 8, 200
"""Levels and parts of arguments that are kept."""


def masked(arguments: Mapping[str, Any], policy: WritePolicy) -> dict[str, Any]:
    """Arguments as they may be kept: JSON, short, and without what the policy refuses."""
    return dict(_Masking(policy).fields(arguments, (), 0))


class _Masking:
    """One call's arguments; counts the parts that may still be kept."""

    def __init__(self, policy: WritePolicy) -> None:
        self._policy = policy
        self._left = MOST_PARTS

    def fields(
        self, given: Mapping[Any, Any], keys: tuple[str, ...], depth: int
    ) -> Iterator[tuple[str, Any]]:
        """The masked fields of a mapping, under the keys that lead to it."""
        for key, value in given.items():
            name = self._name(str(key))
            yield name, self._masked(value, (*keys, name), depth + 1)

    def _name(self, key: str) -> str:
        """A key as it may be kept: some models put values there."""
        if len(key) > LONGEST_ARGUMENT:
            return f"[{len(key)} characters]"
        refused = self._policy(Candidate(topic=key, value=None, source=Source()))
        return WITHHELD if isinstance(refused, str) else key

    def _masked(self, value: Any, keys: tuple[str, ...], depth: int) -> Any:
        self._left -= 1
        if self._left < 0 or depth > DEEPEST:
            return "…"
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, Mapping):
            return dict(self.fields(value, keys, depth))
        if isinstance(value, str | int | float):
            return self._leaf(value, keys)
        if isinstance(value, Sequence | set | frozenset) and not isinstance(value, bytes):
            return [self._masked(inner, keys, depth + 1) for inner in [*value][:MOST_PARTS]]
        return f"<{type(value).__name__}>"

    def _leaf(self, value: str | float, keys: tuple[str, ...]) -> Any:
        if len(str(value)) > LONGEST_ARGUMENT:
            # Half of a text could not be found again when it is to be forgotten.
            return f"[{len(str(value))} characters]"
        bare = Candidate(topic=" ".join(keys), value=str(value), source=Source())
        return value if self._policy(bare) is None else WITHHELD
