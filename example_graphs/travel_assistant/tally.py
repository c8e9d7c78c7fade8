"""How the two assistants did, judged by what they said and by the list of places alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from .answers import WHICH_CITY
from .catalogue import PLACES, holds
from .proposals import BULLET, amount
from .scenes import ASSISTANT, Erased, Exchange, Scene, Utterances
from .script import Traveller

Row = tuple[str, str, str]
"""What is counted, with memory and without."""

_NIGHT = re.compile(r", €(?P<price>\d+) a night$")


def faults(reply: str, traveller: Traveller) -> Iterator[str]:
    """What is wrong with a reply, given what the traveller has told."""
    for line in reply.splitlines():
        if line.startswith(BULLET):
            yield from _faults_of_proposal(line, traveller)
        elif line == WHICH_CITY:
            yield "asks for a city that it was told"


def _faults_of_proposal(line: str, traveller: Traveller) -> Iterator[str]:
    dishes = (dish for place in PLACES for dish in place.dishes if dish.name in line)
    if any(holds(", ".join([dish.name, *dish.allergens]), traveller.allergy) for dish in dishes):
        yield f"proposes {traveller.allergy}"
    night, most = _NIGHT.search(line), amount(traveller.budget)
    if night and most is not None and int(night["price"]) > most:
        yield "exceeds the budget"


def tally(scenes: Sequence[Scene], traveller: Traveller) -> Iterator[Row]:
    """What a reader may want to compare, once all visits are over."""
    exchanges = [scene for scene in scenes if isinstance(scene, Exchange)]
    sides = [
        [reply for one in exchanges for reply in replies(one.remembering)],
        [reply for one in exchanges for reply in replies(one.plain)],
    ]
    for fault in (
        f"proposes {traveller.allergy}",
        "asks for a city that it was told",
        "exceeds the budget",
    ):
        yield _row(fault, *(_count(side, fault, traveller) for side in sides))
    hellos = [one for one in exchanges if one.said.startswith("Hello")]
    for hello in hellos:
        told = (
            traveller.name in " ".join(replies(one)) for one in (hello.remembering, hello.plain)
        )
        yield _row("greets by name a week later", *("yes" if name else "no" for name in told))
    for erased in (scene for scene in scenes if isinstance(scene, Erased)):
        yield _row(f"copies of {erased.topic} in its file", erased.after, erased.plain)


def replies(spoken: Utterances) -> list[str]:
    """What the assistant says."""
    return [text for who, text in spoken if who == ASSISTANT]


def _count(side: Sequence[str], fault: str, traveller: Traveller) -> int:
    return sum(list(faults(reply, traveller)).count(fault) for reply in side)


def _row(what: str, remembering: object, plain: object) -> Row:
    return (what, str(remembering), str(plain))
