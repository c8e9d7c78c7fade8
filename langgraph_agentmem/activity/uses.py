"""What `Activity` hands out: single calls, and their sums."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class ActivityCall:
    """One call. `error` is the type of what went wrong, None when it succeeded; `duration` is in
    seconds; tokens and cost are None where they are not known.
    """

    at: datetime
    thread_id: str | None
    kind: Literal["tool", "model"]
    name: str
    node: str | None
    arguments: Mapping[str, Any] | None
    error: str | None
    duration: float
    input_tokens: int | None
    output_tokens: int | None
    cost: float | None

    @property
    def succeeded(self) -> bool:
        """Whether nothing went wrong."""
        return self.error is None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolUse:
    """All calls of one tool; `duration` is in seconds, over all of them."""

    name: str
    calls: int
    failures: int
    duration: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelUse:
    """All calls of one model; `unmeasured` of them told no tokens. `cost` is None when no call
    has one.
    """

    name: str
    calls: int
    failures: int
    duration: float
    input_tokens: int
    output_tokens: int
    unmeasured: int
    cost: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ActivitySummary:
    """What a user's runs did since a moment, None for always: most called first."""

    user_id: str
    since: datetime | None
    threads: int
    tools: tuple[ToolUse, ...]
    models: tuple[ModelUse, ...]

    @property
    def tokens(self) -> int:
        """Input and output tokens of all models."""
        return sum(one.input_tokens + one.output_tokens for one in self.models)

    @property
    def cost(self) -> float | None:
        """The cost of all models; None when no call has one."""
        known = [one.cost for one in self.models if one.cost is not None]
        return sum(known) if known else None
