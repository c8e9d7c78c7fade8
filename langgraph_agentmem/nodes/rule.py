"""What one rule of the extractor without a model is: a way to say one kind of fact."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

from . import values
from .values import Reader

Meaning: TypeAlias = Literal["states", "ends", "denies"]
"""`states` that it is so now; `ends`: it is so no longer; `denies` that it is so, which ends it
where it is held and says nothing where it is not."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One way to say one kind of fact.

    Args:
        topic: Where it belongs; `{member}` is the value as a member topic, other names in braces
            are groups of `says`.
        says: The words before the value, or around it when they have a group `value`.
        read: Takes the group `value`, or else the rest of the sentence, and returns the values.
        meaning: See `Meaning`.
        ends: Topics that it ends where they are held, written as `topic` is.
    """

    topic: str
    says: re.Pattern[str]
    read: Reader = values.whole
    meaning: Meaning = "states"
    ends: tuple[str, ...] = ()


def rules(
    topic: str,
    *says: str,
    read: Reader = values.whole,
    meaning: Meaning = "states",
    ends: tuple[str, ...] = (),
) -> tuple[Rule, ...]:
    """One rule for each way to say the same kind of fact."""
    return tuple(Rule(topic, re.compile(each, re.IGNORECASE), read, meaning, ends) for each in says)
