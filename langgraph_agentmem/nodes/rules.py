"""An extractor without a model: it reads what people say of themselves by a table of phrases.

It would rather miss a fact than invent one. Words count only as a statement of the user's own
(`sentences.py`), the phrases are a table (`grammar.py`), and values are the user's own words
(`values.py`). English only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from difflib import SequenceMatcher
from typing import TypeAlias

from langchain_core.messages import HumanMessage

from langgraph_agentmem.model import Candidate

from .evidence import said_at, source_of
from .grammar import RULES, Rule
from .sentences import after_lead_in, asserted, own_sentences, takes_back
from .topics import Spelling, is_pinned, member_topic, normalise_topic
from .values import things, with_dates
from .vocabulary import COUNTRIES

Fact: TypeAlias = tuple[str, str | None]
"""A topic and its value; None ends the topic."""

_PERIOD = re.compile(r"\b(night|day|week|person|head)(?:s|ly)?\b|\b(daily)\b", re.IGNORECASE)
_PERIODS = {"head": "person", "daily": "day"}
"""Other words for what a budget is for."""

_SPELT = re.compile(
    r"(?:(?:it's|it is|its|that's|my name is|the name is) )?(?:actually )?(?:spelled|spelt|written)"
    r" (?:as )?(?P<value>\S{2,40})$",
    re.IGNORECASE,
)
_NOT_THE_OLD = re.compile(
    r"(?:it's|it is|i meant|i mean|i said|that's|should be|make it)?\s?"
    r"(?P<value>[^,;:?]{1,60}?),? (?:and )?not (?P<old>[^,;:?]{1,60})$",
    re.IGNORECASE,
)
_MEANT = re.compile(
    r"\W*(?P<sorry>(?:(?:sorry|no|oops|wait|actually)\W{1,3}){0,3})"
    r"(?P<verb>i meant(?: to say)?|i mean|make (?:it|that)|it should be) (?P<value>[^,;:?]{1,60})$",
    re.IGNORECASE,
)
_LIKE_ENOUGH = 0.6
"""Similarity from which one spelling corrects another: Asha and Aasha have 0.89."""

_EDGES = " .,;:!'\""


def _same_words(one: str, other: str) -> bool:
    """True when one text holds every word of the other."""
    first, second = (set(re.findall(r"\w+", text.casefold())) for text in (one, other))
    return first <= second or second <= first


class _Held:
    """What is known of the user while their messages are read, under the user's own spelling of
    topics. `latest` is the topic that was stated last.
    """

    def __init__(self, known: Mapping[str, str]) -> None:
        self._spelling = Spelling(known)
        self.values = dict(known)
        self.latest: str | None = None

    def topic(self, topic: str) -> str:
        """The topic as the user's memories spell it."""
        return self._spelling.of(topic)

    def learn(self, facts: Mapping[str, str | None]) -> None:
        """Take the facts of a message as known."""
        for topic, value in facts.items():
            self.values.pop(topic, None)
            if value is not None:
                self.values[topic], self.latest = value, topic


def _topic(template: str, match: re.Match[str], value: str, held: _Held) -> str:
    """The topic that a rule's template names for this value."""
    groups = match.groupdict(default="")
    which = normalise_topic(groups.get("which", ""))
    return held.topic(
        template.format(
            member=member_topic(value),
            which=f".{which}" if which else "",
            thing=member_topic(groups.get("thing", "")),
            relation=normalise_topic(groups.get("relation", "")),
            what=normalise_topic(groups.get("what", "")),
            period=_period(match[0], held) if "period" in template else "",
        )
    )


def _period(said: str, held: _Held) -> str:
    """What a budget is for: as said, else as the one budget that is held, else the trip."""
    if found := _PERIOD.search(said):
        word = found[0].casefold().removesuffix("s").removesuffix("ly")
        return _PERIODS.get(word, word)
    budgets = [name.removeprefix("budget.") for name in held.values if name.startswith("budget.")]
    return budgets[0] if len(budgets) == 1 else "trip"


def _by_rule(rule: Rule, match: re.Match[str], rest: str, held: _Held) -> Iterator[Fact]:
    """What one rule reads at one place."""
    for value in rule.read(match.groupdict().get("value") or rest):
        a_country = value.casefold().removeprefix("the ") in COUNTRIES
        template = "home_country" if rule.topic == "home_city" and a_country else rule.topic
        topic = _topic(template, match, value, held)
        ended = [_topic(end, match, value, held) for end in rule.ends]
        if rule.meaning == "states":
            yield from ((end, None) for end in ended if end in held.values and end != topic)
            again = "{member}" in rule.topic and topic in held.values
            yield topic, held.values[topic] if again else value
        elif _ends(rule, topic, value, held.values):
            yield from ((end, None) for end in (topic, *ended))


def _ends(rule: Rule, topic: str, value: str, held: Mapping[str, str]) -> bool:
    """True when the words end what is held: a denial needs something held, and an ending that
    names a value ("I no longer live in Berlin") leaves another value alone.
    """
    if topic not in held:
        return rule.meaning == "ends"
    return "{member}" in rule.topic or bool(rule.ends) or _same_words(value, held[topic])


def _statements(sentence: str, held: _Held) -> Iterator[Fact]:
    """The facts that one sentence states, in the order in which they are said."""
    found: list[tuple[int, list[Fact]]] = []
    read: list[tuple[int, int]] = []
    for rule in RULES:
        for match in rule.says.finditer(sentence):
            start, end = match.span()
            if any(first < end <= last for first, last in read):
                continue
            if not asserted(sentence, start, end):
                continue
            facts = list(_by_rule(rule, match, sentence[end:], held))
            if facts or rule.meaning != "states":
                read.append((start if match.groupdict().get("value") else end - 1, end))
                found.append((start, facts))
    for _, facts in sorted(found, key=lambda each: each[0]):
        yield from facts


def _corrections(sentence: str, held: _Held) -> Iterator[Fact]:
    """What a sentence sets right: a spelling, a value that it names, or the latest fact."""
    said = after_lead_in(sentence).strip(_EDGES)
    if spelt := _SPELT.match(said):
        value = _joined(spelt["value"].strip(_EDGES))
        if topic := _misspelt(value, held.values):
            yield from _set_right(topic, held.values[topic], value)
    elif named := _NOT_THE_OLD.match(said):
        old, value = (named[group].strip(_EDGES) for group in ("old", "value"))
        topics = [topic for topic, one in held.values.items() if one.casefold() == old.casefold()]
        if len(topics) == 1 and things(value) == (value,):
            yield from _set_right(topics[0], old, value)
    elif held.latest in held.values and (meant := _MEANT.match(sentence.strip(_EDGES))):
        value, old = meant["value"].strip(_EDGES), held.values[held.latest]
        meant_it = bool(meant["sorry"]) or meant["verb"].casefold() != "i mean"
        if meant_it and _opening(value) == _opening(old) != "a":
            yield from _set_right(held.latest, old, value)


def _set_right(topic: str, old: str, new: str) -> Iterator[Fact]:
    """The new value under the topic; where the old value is itself the topic's last level, that
    member ends and another one takes its place.
    """
    *parents, member = normalise_topic(topic).split(".")
    if member == member_topic(old):
        yield topic, None
        topic = ".".join((*parents, member_topic(new)))
    yield topic, new


def _joined(value: str) -> str:
    """`A-a-s-h-a` as `Aasha`; other values as they are."""
    return re.sub("-", "", value).capitalize() if re.fullmatch(r"\w(?:-\w)+", value) else value


def _misspelt(value: str, held: Mapping[str, str]) -> str | None:
    """The one topic whose value is most like this spelling, if any is like it."""
    alike = sorted(
        (
            (SequenceMatcher(None, value.casefold(), old[:80].casefold()).ratio(), topic)
            for topic, old in held.items()
        ),
        reverse=True,
    )
    best = [topic for ratio, topic in alike if ratio == alike[0][0] >= _LIKE_ENOUGH]
    return best[0] if len(best) == 1 else None


def _opening(text: str) -> str:
    """What a value starts with: "A" for a capital, "1" for a number, "a" for all else. It tells
    "I meant Porto" from "I meant well".
    """
    first = text[:1]
    return "1" if first.isdigit() else "A" if first.isupper() else "a"


def _facts(text: str, held: _Held, day: date) -> dict[str, str | None]:
    """The facts of one message, each topic once: what is said last of it holds."""
    facts: dict[str, str | None] = {}
    before, latest = dict(held.values), held.latest
    for sentence in own_sentences(text):
        if takes_back(sentence):
            facts.clear()
            held.values, held.latest = dict(before), latest
            continue
        found = list(_statements(sentence, held)) or list(_corrections(sentence, held))
        stated = {topic: value and with_dates(value, day) for topic, value in found}
        held.learn(stated)
        facts |= stated
    return facts


class RuleExtractor:
    """Finds facts in what the user says, by rule: offline, in linear time, in English.

    It knows names, allergies and intolerances, diets, home, work, seats, hotels, likes and
    dislikes, favourites, budgets, birthdays, phone numbers, e-mail addresses and the family's
    names; moves and corrections replace, endings without a successor retire. Topics that can
    have several members keep one topic per member (`allergy.peanuts`, `allergy.kiwi`), so that
    two allergies do not overwrite each other; `diet` is one topic and its value names all of
    them. Names, allergies, intolerances, diets and what somebody avoids are proposed pinned.

    Questions, hypotheticals, negations, wishes, quotations and other people are not the user's
    facts. Nothing is raised for any text.
    """

    def extract(
        self,
        said: Sequence[HumanMessage],
        *,
        known: Mapping[str, str],
        now: datetime,
        thread_id: str | None,
    ) -> list[Candidate]:
        """Candidates in the order in which they were said, one per message and topic.

        Args:
            said: The user's own messages, oldest first; each has an id.
            known: The user's current memories, topic to text.
            now: Dates words like "yesterday" in messages without a time.
            thread_id: Becomes part of each candidate's source.
        """
        held = _Held(known)
        candidates: list[Candidate] = []
        for message in said:
            day = (said_at(message) or now).date()
            facts = _facts(str(message.text), held, day)
            candidates.extend(
                Candidate(
                    topic=topic,
                    value=value,
                    source=source_of(message, thread_id),
                    pinned=True if value and is_pinned(topic) else None,
                )
                for topic, value in facts.items()
            )
        return candidates

    async def aextract(
        self,
        said: Sequence[HumanMessage],
        *,
        known: Mapping[str, str],
        now: datetime,
        thread_id: str | None,
    ) -> list[Candidate]:
        """`extract`; it waits for nothing."""
        return self.extract(said, known=known, now=now, thread_id=thread_id)
