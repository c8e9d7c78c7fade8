"""The write policy: what is never kept, what needs the user's consent first, and what is kept.

`CarefulPolicy` is asked before every write by a node or a tool. Secrets are refused whatever the
application says; sensitive categories are held for consent unless it says otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, cast, get_args

from langgraph_agentmem.model import Candidate, Hold

from .reading import LONGEST_CHECKED
from .secrets import refuse_secrets
from .sensitive import CATEGORIES, Category, sensitive

__all__ = [
    "CATEGORIES",
    "LONGEST_CHECKED",
    "CarefulPolicy",
    "Category",
    "Consent",
    "careful",
    "refuse_secrets",
    "sensitive",
]

Consent: TypeAlias = Literal["ask", "granted", "refuse"]
"""`ask` the user each time, `granted` for all that they say, or `refuse` to keep any of it."""


@dataclass(frozen=True, slots=True)
class CarefulPolicy:
    """Refuses secrets, and holds what is sensitive until the user consents.

    Args:
        consent: For all categories, or for some by name; those not named are asked about. See
            `CATEGORIES` and `Consent`.

    Raises:
        ValueError: When made, for a category or an answer that does not exist.
    """

    consent: Consent | Mapping[Category, Consent] = "ask"
    _by_category: Mapping[str, Consent] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        given: object = self.consent
        answers = dict(given) if isinstance(given, Mapping) else dict.fromkeys(CATEGORIES, given)
        for category, answer in answers.items():
            if category not in CATEGORIES:
                raise ValueError(
                    f"a category is one of {', '.join(CATEGORIES)} (found {category!r})"
                )
            if answer not in get_args(Consent):
                raise ValueError(f"consent is one of {get_args(Consent)} (found {answer!r})")
        object.__setattr__(self, "_by_category", cast("dict[str, Consent]", answers))

    def __call__(self, candidate: Candidate, /) -> str | Hold | None:
        """None to keep it, a `Hold` with the categories to ask about, or the reason for which
        it is refused. Never the text.
        """
        if (reason := refuse_secrets(candidate)) is not None:
            return reason
        found = sensitive(candidate)
        answers = {category: self._by_category.get(category, "ask") for category in found}
        if refused := [category for category in found if answers[category] == "refuse"]:
            return f"is of a kind that is not kept here: {', '.join(refused)}"
        asked = tuple(category for category in found if answers[category] == "ask")
        return Hold(asked) if asked else None


careful = CarefulPolicy()
"""Asks for consent in every sensitive category; the policy of nodes and tools that name none."""
