"""What four made-up travellers say to a travel assistant over a year, and what each task needs.

Every traveller comes six times, months apart, each time in a thread of its own. A line is a
statement, or a task with a check of what the assistant answers. The year is the same in outline
and different in words: what is told early is asked for late, what changes is asked for after it
has changed, a lesson of one stay is needed before the next, and what was deleted must stay away.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from example_graphs.travel_assistant.answers import I_DO_NOT_KNOW
from example_graphs.travel_assistant.catalogue import PLACES, holds
from example_graphs.travel_assistant.proposals import BULLET

Check = Callable[[str], str | None]
"""What is wrong with a reply, or None."""

_NIGHT = re.compile(r", €(?P<price>\d+) a night$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """Something that the traveller says; a task if it has a check.

    Args:
        said: The words.
        needs: What a task needs: pinned, changed, lesson, long ago, forgotten, never told.
        check: Judges the reply.
        city: Where the traveller is, who says so when asked.
    """

    said: str
    needs: str = ""
    check: Check | None = None
    city: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """Lines said on one day. `lesson` is what the application notes when it is over."""

    day: datetime
    lines: Sequence[Line]
    lesson: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Traveller:
    """Who travels, and what there is to know of them, early and late."""

    name: str
    allergy: str
    cities: tuple[str, str]
    budgets: tuple[int, int]
    employers: tuple[str, str]
    phone: str
    email: str
    birthday: str
    seat: str
    dog: str
    lesson: tuple[str, str]
    chat: Sequence[str]
    words: int
    """Which wordings this traveller uses."""

    @property
    def user_id(self) -> str:
        return self.name.casefold()


TRAVELLERS = (
    Traveller(
        name="Noor",
        allergy="peanuts",
        cities=("Berlin", "Lisbon"),
        budgets=(120, 80),
        employers=("Osprey Medical", "Quill House"),
        phone="+351 912 345 678",
        email="noor@example.org",
        birthday="4 May",
        seat="aisle",
        dog="Juno",
        lesson=("hotel_stay", "ask for a room to the yard, the street side is loud"),
        chat=("I love rowing.", "I like jazz.", "I don't like olives.", "I enjoy chess."),
        words=0,
    ),
    Traveller(
        name="Bela",
        allergy="shellfish",
        cities=("Rome", "Oslo"),
        budgets=(100, 130),
        employers=("Tern Street Studio", "Harbour Maps"),
        phone="+47 22 84 19 03",
        email="bela@example.net",
        birthday="17 September",
        seat="window",
        dog="Pepper",
        lesson=("airport_train", "buy the ticket at the machine, the app refuses foreign cards"),
        chat=("I like glaciers.", "I love old maps.", "I can't stand cilantro.", "I like opera."),
        words=1,
    ),
    Traveller(
        name="Tomas",
        allergy="milk",
        cities=("Lisbon", "Berlin"),
        budgets=(70, 115),
        employers=("Fjord Survey", "Linden Clinic"),
        phone="+49 30 5550 1177",
        email="tomas@example.com",
        birthday="29 January",
        seat="aisle",
        dog="Nori",
        lesson=("museum_visit", "book the first slot, the queue takes two hours after ten"),
        chat=("I love bouldering.", "I like trains.", "I don't like liver.", "I like choirs."),
        words=2,
    ),
    Traveller(
        name="Ines",
        allergy="celery",
        cities=("Oslo", "Rome"),
        budgets=(119, 60),
        employers=("Small Forum Press", "Kestrel Audio"),
        phone="+39 06 4455 9012",
        email="ines@example.eu",
        birthday="8 November",
        seat="window",
        dog="Moss",
        lesson=("car_rental", "photograph the bumper first, they charged for an old scratch"),
        chat=("I like kayaking.", "I love film music.", "I don't like beer.", "I like ferns."),
        words=3,
    ),
)


# Judging --------------------------------------------------------------------------------------


def says(*wanted: str, never: Sequence[str] = ()) -> Check:
    """The reply holds these words, and none of those."""

    def check(reply: str) -> str | None:
        for text in never:
            if text.casefold() in reply.casefold():
                return f"says {text!r}"
        missing = [text for text in wanted if text.casefold() not in reply.casefold()]
        return f"does not say {missing[0]!r}" if missing else None

    return check


def knows_nothing(secret: str) -> Check:
    """The reply says that it does not know, and does not hold the secret."""
    return says(I_DO_NOT_KNOW, never=[secret])


def proposes(city: str, *, allergy: str = "", most: int | None = None) -> Check:
    """Something is proposed in this city that is safe to eat and not too dear."""

    def check(reply: str) -> str | None:
        lines = [line for line in reply.splitlines() if line.startswith(BULLET)]
        if not lines:
            return "proposes nothing"
        if f"In {city}" not in reply:
            return f"is not about {city}"
        for line in lines:
            dishes = [dish for place in PLACES for dish in place.dishes if dish.name in line]
            for dish in dishes:
                if allergy and holds(", ".join([dish.name, *dish.allergens]), allergy):
                    return f"proposes {dish.name}, in spite of {allergy}"
            night = _NIGHT.search(line)
            if night and most is not None and int(night["price"]) > most:
                return f"proposes €{night['price']}, above {most}"
        return None

    return check


# The year -------------------------------------------------------------------------------------

DINNER = (
    "I'd love a seafood dinner tonight. Where should I go?",
    "Where can I eat tonight?",
    "Please suggest a restaurant.",
    "I'm hungry, where is a good dinner?",
)
HOTEL = (
    "I need a hotel for two nights.",
    "Can you find me a hotel?",
    "Please recommend a hotel for friends of mine.",
    "Where could I sleep, in which hotel?",
)
SEAT = (
    "What's my usual seat?",
    "Which seat do I like?",
    "Remind me of my seat.",
    "My seat, please: what is it?",
)
LIVE = (
    "Where do I live?",
    "What's my home city?",
    "Do you know where I live?",
    "Where do I live now?",
)
WORK = (
    "Where do I work?",
    "What's my employer called?",
    "Do you remember where I work?",
    "Where do I work now?",
)
BORN = (
    "When's my birthday?",
    "When is my birthday?",
    "What's my birthday?",
    "Do you know my birthday?",
)
MAIL = (
    "What's my e-mail address?",
    "Do you have my e-mail?",
    "Tell me my email.",
    "What is my e-mail?",
)
DOG = (
    "What's my dog called?",
    "Do you remember my dog?",
    "Tell me about my dog.",
    "What is my dog called?",
)
PHONE = (
    "What's my phone number?",
    "Do you know my phone number?",
    "Tell me my phone number.",
    "What is my phone number?",
)
DELETE = (
    "Please delete my phone number.",
    "Forget my phone number, please.",
    "Please erase my phone number for good.",
    "Can you remove my phone number?",
)


def visits(who: Traveller) -> Iterator[Visit]:
    """The six visits of one traveller."""
    early, late = who.cities
    low = who.words

    def line(said: str) -> Line:
        return Line(said=said)

    def task(wordings: Sequence[str], needs: str, check: Check, city: str, shift: int = 0) -> Line:
        return Line(
            said=wordings[(low + shift) % len(wordings)], needs=needs, check=check, city=city
        )

    def dinner(city: str, needs: str = "pinned", shift: int = 0) -> Line:
        return task(DINNER, needs, proposes(city, allergy=who.allergy), city, shift)

    def hotel(city: str, most: int, needs: str, shift: int = 0) -> Line:
        return task(HOTEL, needs, proposes(city, most=most), city, shift)

    def lesson(city: str) -> Line:
        topic, text = who.lesson
        asked = f"Remind me, what did we learn about my {topic.replace('_', ' ')}?"
        return Line(said=asked, needs="lesson", check=says(text), city=city)

    def hello(city: str) -> Line:
        return Line(said="Hello again!", needs="pinned", check=says(who.name), city=city)

    def gone(city: str, shift: int = 0) -> Line:
        return task(PHONE, "forgotten", knows_nothing(who.phone), city, shift)

    yield Visit(
        day=datetime(2025, 3, 3 + low, 9, tzinfo=UTC),
        lines=[
            line(f"Hi! My name is {who.name}."),
            line(f"I'm allergic to {who.allergy}."),
            line(f"I live in {early}."),
            line(f"My hotel budget is {who.budgets[0]} euros per night."),
            line(f"My phone number is {who.phone}."),
            line(f"My e-mail is {who.email}."),
            line(f"I prefer the {who.seat} seat."),
            line(f"My birthday is {who.birthday}."),
            line(f"I work at {who.employers[0]}."),
            line(f"My dog is called {who.dog}."),
            dinner(early),
            hotel(early, who.budgets[0], "pinned"),
        ],
    )
    yield Visit(
        day=datetime(2025, 4, 14 + low, 18, tzinfo=UTC),
        lines=[
            hello(early),
            *map(line, who.chat),
            dinner(early, shift=1),
            hotel(early, who.budgets[0], "pinned", shift=1),
            task(SEAT, "long ago", says(who.seat), early),
        ],
        lesson=who.lesson,
    )
    yield Visit(
        day=datetime(2025, 6, 20 + low, 12, tzinfo=UTC),
        lines=[
            hello(early),
            line(f"I've moved to {late}."),
            line(f"My budget is now {who.budgets[1]} euros per night."),
            dinner(late, "changed", shift=2),
            hotel(late, who.budgets[1], "changed", shift=2),
            lesson(late),
            task(LIVE, "changed", says(late, never=[early]), late),
        ],
    )
    yield Visit(
        day=datetime(2025, 9, 1 + low, 8, tzinfo=UTC),
        lines=[
            line(f"I work at {who.employers[1]}."),
            task(WORK, "changed", says(who.employers[1], never=[who.employers[0]]), late),
            dinner(late, "changed", shift=3),
            task(DOG, "long ago", says(who.dog), late),
            lesson(late),
            task(BORN, "long ago", says(who.birthday), late),
        ],
    )
    yield Visit(
        day=datetime(2025, 12, 8 + low, 20, tzinfo=UTC),
        lines=[
            hello(late),
            task(PHONE, "long ago", says(who.phone), late),
            line(DELETE[low]),
            gone(late),
            task(MAIL, "long ago", says(who.email), late),
            hotel(late, who.budgets[1], "changed"),
        ],
    )
    yield Visit(
        day=datetime(2026, 3, 2 + low, 10, tzinfo=UTC),
        lines=[
            hello(late),
            dinner(late, "pinned"),
            task(LIVE, "changed", says(late, never=[early]), late, shift=1),
            task(WORK, "changed", says(who.employers[1], never=[who.employers[0]]), late, shift=1),
            gone(late, shift=1),
            task(BORN, "long ago", says(who.birthday), late, shift=1),
            task(SEAT, "long ago", says(who.seat), late, shift=1),
            task(MAIL, "long ago", says(who.email), late, shift=1),
            lesson(late),
            Line(
                said="What's my passport number?",
                needs="never told",
                check=knows_nothing(who.phone),
                city=late,
            ),
        ],
    )
