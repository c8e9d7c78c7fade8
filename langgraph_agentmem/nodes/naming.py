"""What is known while messages are read, and which topic a value belongs to.

Topics whose members stand side by side have one level per member: two allergies, three children
and two dogs do not overwrite each other.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import SequenceMatcher

from langgraph_agentmem.extraction.topics import Spelling, member_topic, normalise_topic

PERIOD = re.compile(r"\b(night|day|week|person|head)(?:s|ly)?\b|\b(daily)\b", re.IGNORECASE)
_PERIODS = {"head": "person", "daily": "day"}
"""Other words for what a budget is for."""

LIKE_ENOUGH = 0.6
"""Similarity from which one spelling corrects another: Asha and Aasha have 0.89."""


class SoFar:
    """What is known of the user while their messages are read, under the user's own spelling of
    topics. `just` are the topics of the sentence before, which a correction is about; `asked` is
    true when the user may be answering somebody.
    """

    def __init__(self, known: Mapping[str, str]) -> None:
        self._spelling = Spelling(known)
        self.values = dict(known)
        self.just: tuple[str, ...] = ()
        self.asked = False

    def topic(self, topic: str) -> str:
        """The topic as the user's memories spell it."""
        return self._spelling.of(topic)

    def learn(self, facts: Mapping[str, str | None]) -> None:
        """Take the facts of a sentence as known."""
        for topic, value in facts.items():
            self.values.pop(topic, None)
            if value is not None:
                self.values[topic] = value
        self.just = tuple(topic for topic, value in facts.items() if value is not None)


_ONE_OF: Mapping[str, str] = {"children": "child", "kids": "kid", "grandchildren": "grandchild"}
"""Members whose one is not their name without an s."""

_KIND_OF: Mapping[str, str] = {
    **dict.fromkeys(("boy",), "son"),
    **dict.fromkeys(("girl",), "daughter"),
    **dict.fromkeys(
        (
            *("puppy", "labrador", "poodle", "terrier", "spaniel", "beagle", "collie", "dachshund"),
            *("pug", "corgi", "retriever", "greyhound", "husky", "alsatian", "rottweiler"),
        ),
        "dog",
    ),
    "kitten": "cat",
}
"""What somebody's baby boy, labrador or kitten is."""

_SEVERAL = frozenset(
    {
        *("daughter", "son", "kid", "child", "girl", "boy", "baby", "sister", "brother", "sibling"),
        *("dog", "cat", "horse", "pony", "rabbit", "hamster", "guinea_pig", "parrot", "budgie"),
        *("tortoise", "goldfish", "grandchild", "grandson", "granddaughter"),
        *("niece", "nephew", "cousin", "uncle", "aunt"),
    }
)
"""Relations of which one can have several."""


def _relative(topic: str, value: str, held: SoFar) -> str:
    """The topic of a name: `family.daughter.name` for the first daughter, `family.daughter.mia`
    for one beside her. A name that is plainly the same, or nearly, is no second daughter.
    """
    _, relation, _ = topic.split(".")
    kind = relation.split("_")[-1]
    own = held.topic(f"family.{kind}.{member_topic(value)}")
    if kind not in _SEVERAL or own in held.values:
        return own if own in held.values else topic
    before = held.values.get(topic)
    several = any(each.startswith(f"family.{kind}.") and each != topic for each in held.values)
    another = relation.split("_")[0] in {"other", "second", "third"}
    if before is None:
        return own if several or another else topic
    alike = SequenceMatcher(None, value.casefold(), before[:80].casefold()).ratio()
    return topic if alike >= LIKE_ENOUGH else own


def topic_for(template: str, match: re.Match[str], value: str, held: SoFar) -> str:
    """The topic that a rule's template names for this value."""
    groups = match.groupdict(default="")
    if template == "family.{relation}.name":
        relation = normalise_topic(groups["relation"])
        relation = _KIND_OF.get(relation, relation)
        return _relative(held.topic(template.format(relation=relation)), value, held)
    members = groups.get("members", "").casefold()
    which = normalise_topic(groups.get("which", ""))
    return held.topic(
        template.format(
            member=member_topic(value),
            which=f".{which}" if which else "",
            thing=member_topic(groups.get("thing", "")),
            members=_ONE_OF.get(members, members.removesuffix("s")),
            what=normalise_topic(groups.get("what", "")),
            period=_period(match[0], held) if "period" in template else "",
        )
    )


_SECOND_ONE = re.compile(r"\b(?:I|we|my) (?:\w+ )?also\b", re.IGNORECASE)
_ONE_EACH = frozenset({"work.employer", "work.role", "home_city"})


def beside(topic: str, match: re.Match[str], value: str, held: SoFar) -> str:
    """The topic of a second job or home ("I also work for Oxfam"), which takes the place of no
    first one: `work.employer.oxfam`. The topic itself for everything else.
    """
    if normalise_topic(topic) not in _ONE_EACH:
        return topic
    own = held.topic(f"{topic}.{member_topic(value)}")
    first = held.values.get(topic)
    if own in held.values:
        return own
    another = first is not None and first.casefold() != value.casefold()
    return own if another and _SECOND_ONE.search(match[0]) else topic


def _period(said: str, held: SoFar) -> str:
    """What a budget is for: as said, else as the one budget that is held, else the trip."""
    if found := PERIOD.search(said):
        word = found[0].casefold().removesuffix("s").removesuffix("ly")
        return _PERIODS.get(word, word)
    budgets = [name.removeprefix("budget.") for name in held.values if name.startswith("budget.")]
    return budgets[0] if len(budgets) == 1 else "trip"
