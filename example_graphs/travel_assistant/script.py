"""Who travels and what they say. Change a fact here, and the story changes: no answer is written
down anywhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

FIRST_DAY = datetime(2026, 3, 2, 18, 0, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Traveller:
    """The facts that the story is about."""

    name: str = "Asha"
    allergy: str = "peanuts"
    city: str = "Berlin"
    moves_to: str = "Lisbon"
    seat: str = "window"
    budget: str = "€120"
    number: int = 1

    @property
    def user_id(self) -> str:
        """The traveller's id: a second one of this name in a file is somebody else."""
        plain = self.name.casefold()
        return plain if self.number == 1 else f"{plain}-{self.number}"

    @property
    def phone(self) -> str:
        """A number of their own, so that its traces can be told from another traveller's."""
        return f"+49 170 5550{self.number:03}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """A conversation in a thread of its own.

    Args:
        title: What happens.
        day: When.
        lines: What the traveller says.
        city: What the traveller answers when asked for the city.
        shows: A topic whose history is shown at the end, if any.
    """

    title: str
    day: datetime
    lines: tuple[str, ...]
    city: str
    shows: str | None = None


def visits(traveller: Traveller) -> tuple[Visit, ...]:
    """The three visits."""
    return (
        Visit(
            title="First visit",
            day=FIRST_DAY,
            city=traveller.city,
            lines=(
                f"Hi! My name is {traveller.name}.",
                f"I'm allergic to {traveller.allergy}.",
                f"I live in {traveller.city}.",
                f"I prefer {_a(traveller.seat)} seat.",
                f"My hotel budget is {traveller.budget} per night.",
                f"My phone number is {traveller.phone}.",
                "It has rained all day.",
                "The train was late again.",
                "I read a good book about lighthouses.",
                "My neighbour practises the trombone.",
                "Who won the chess olympiad in 1954?",
                "I'd love a seafood dinner tonight. Where should I go?",
            ),
        ),
        Visit(
            title="A week later",
            day=FIRST_DAY + timedelta(days=7),
            city=traveller.moves_to,
            lines=(
                "Hello again!",
                f"I've moved to {traveller.moves_to}.",
                "Where can I eat seafood tonight?",
                "Which seat do I like?",
                "I need a hotel for one night.",
            ),
            shows="home_city",
        ),
        Visit(
            title="The day after: a deletion",
            day=FIRST_DAY + timedelta(days=8),
            city=traveller.moves_to,
            lines=(
                "What's my phone number?",
                "Please delete my phone number.",
                "What's my phone number?",
            ),
        ),
    )


def _a(word: str) -> str:
    return f"an {word}" if word[:1].casefold() in "aeiou" else f"a {word}"
