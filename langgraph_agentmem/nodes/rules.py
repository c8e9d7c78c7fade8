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

from langgraph_agentmem.extraction.evidence import day_of, source_of, words_of
from langgraph_agentmem.extraction.topics import is_pinned, member_topic, normalise_topic
from langgraph_agentmem.extraction.vocabulary import COUNTRIES, NOT_A_CORRECTION
from langgraph_agentmem.model import Candidate

from .corrections import Correction, in_passing, read_correction
from .grammar import RULES
from .limits import limited
from .naming import LIKE_ENOUGH, PERIOD, SoFar, beside, topic_for
from .rule import Rule
from .sentences import after_lead_in, asserted, own_sentences, takes_back
from .tone import in_english
from .typing_out import with_apostrophes, with_subjects
from .values import things, with_dates

Fact: TypeAlias = tuple[str, str | None]
"""A topic and its value; None ends the topic."""

_SPELT = re.compile(
    r"(?:(?:it's|it is|its|that's|my name is|the name is) )?(?:actually )?(?:spelled|spelt|"
    r"written)"
    r" (?:as )?(?P<value>[^\s,]{2,40})"
    r"(?:,? (?:with|without|not|no|instead of|rather than)\b[^.!?]{0,60})?$",
    re.IGNORECASE,
)
_SAID_AS: Mapping[str, tuple[str, ...]] = {
    "name": ("my name is {value}",),
    "home": ("I live in {value}",),
    "work.employer": ("I work at {value}",),
    "work.role": ("I'm a {value}", "I work as a {value}"),
    "seat": ("I prefer a {value} seat",),
    "diet": ("I'm {value}",),
    "budget": ("my budget is {value}",),
    "birthday": ("my birthday is {value}",),
    "phone": ("my phone is {value}",),
    "email": ("my email is {value}",),
    "payment": ("I always pay by {value}",),
    "airport": ("my home airport is {value}",),
    "car": ("I drive a {value}",),
    "anniversary": ("my anniversary is {value}",),
    "family": ("my {of} is called {value}",),
    "hotel": ("I prefer {value}",),
    "favourite": ("my favourite {of} is {value}",),
    "allergy": ("I'm allergic to {value}",),
    "intolerance": ("I can't eat {value}",),
    "avoids": ("I don't eat {value}",),
    "likes": ("I like {value}",),
    "dislikes": ("I hate {value}",),
}
"""How a kind of value is stated, by which a value that stands alone is known to be of it."""

_PROPER = frozenset({"name", "home", "work.employer", "family", "airport", "car"})
"""Kinds whose values begin with a capital."""

_OPEN = frozenset({"hotel", "favourite", "allergy", "intolerance", "avoids", "likes", "dislikes"})
"""Kinds to which nearly every word belongs: "no, thanks" does not correct them, "I meant" does."""

_BY_MEMBER = frozenset({"home", "allergy", "intolerance", "avoids", "likes", "dislikes"})
"""Kinds in which another value may mean another topic."""

_LIMITABLE = frozenset(
    {"diet", "intolerance", "avoids", "home", "seat", "hotel", "budget", "phone", "email"}
    | {"likes", "dislikes", "favourite", "payment", "language", "airport"}
)
"""Kinds of which a statement "on Mondays" or "when I travel" does not say what holds."""

_ONCE = re.compile(
    r"\b(?:this|next) (?:time|trip|once|night|week(?:end)?|month)\b|\bton(?:ight|ite)\b",
    re.IGNORECASE,
)
_FOR_ELSE = re.compile(
    r"\s{1,3}for (?!(?:(?:the|this|my|our|an?|one|two|three|four|all|both|each|every|\d{1,2}|"
    r"whole|"
    r"entire|next|of) ){0,4}(?:trips?|stays?|holidays?|vacations?|journeys?|nights?|days?|weeks?|"
    r"weekends?|hotels?|rooms?|accommodations?|lodging|now|us|me|both|persons?|people|adults?|"
    r"family|everything|it all)\b)",
    re.IGNORECASE,
)
"""A sum for something else than where and how one travels."""

_EDGES = " .,;:!'\""


_OF_TRAVEL = frozenset({"seat", "hotel", "budget"})


def _same_words(one: str, other: str) -> bool:
    """True when one text holds every word of the other."""
    first, second = (set(re.findall(r"\w+", text.casefold())) for text in (one, other))
    return first <= second or second <= first


def _by_rule(rule: Rule, match: re.Match[str], rest: str, held: SoFar) -> Iterator[Fact]:
    """What one rule reads at one place."""
    named = match.groupdict().get("value")
    found = rule.read(named or rest)
    kind = _kind(rule.topic.split("{")[0])
    if found and rule.meaning == "states" and kind in _LIMITABLE:
        after = rest if named else rest[rest.find(found[-1]) + len(found[-1]) :]
        if _FOR_ELSE.match(after) if kind == "budget" else any(map(_ONCE.search, found)):
            return
        if limited(match.string, *match.span(), after, of_travel=kind in _OF_TRAVEL):
            return
    for value in found:
        a_country = value.casefold().removeprefix("the ") in COUNTRIES
        template = "home_country" if rule.topic == "home_city" and a_country else rule.topic
        topic = beside(topic_for(template, match, value, held), match, value, held)
        ended = [topic_for(end, match, value, held) for end in rule.ends]
        if rule.meaning == "states":
            yield from ((end, None) for end in ended if end in held.values and end != topic)
            again = "{member}" in rule.topic and topic in held.values
            yield topic, held.values[topic] if again else value
        elif _ends(rule, topic, value, held.values):
            yield from ((end, None) for end in (topic, *(e for e in ended if e in held.values)))


def _ends(rule: Rule, topic: str, value: str, held: Mapping[str, str]) -> bool:
    """True when the words end what is held: a denial needs something held, and an ending that
    names a value ("I no longer live in Berlin") leaves another value alone.
    """
    if topic not in held:
        return rule.meaning == "ends"
    return "{member}" in rule.topic or bool(rule.ends) or _same_words(value, held[topic])


def _statements(sentence: str, held: SoFar) -> Iterator[Fact]:
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


def _spelling(sentence: str, held: SoFar) -> Iterator[Fact]:
    """A spelling that a sentence sets right."""
    if spelt := _SPELT.match(after_lead_in(sentence).strip(_EDGES)):
        value = _joined(spelt["value"].strip(_EDGES))
        if topic := _misspelt(value, held.values):
            yield from _set_right(topic, held.values[topic], value)


def _kind(topic: str) -> str:
    """What kind of values a topic has."""
    spelt = normalise_topic(topic)
    if spelt.replace(".", "_") in {"home_city", "home_country"}:
        return "home"
    return spelt if spelt in _SAID_AS else spelt.split(".")[0]


def _corrections(found: Correction, held: SoFar) -> Iterator[Fact]:
    """What a correction sets right: the value that it names, or the one of its kind that was
    just said.
    """
    topics = [topic for topic in reversed(held.just) if topic in held.values]
    if found.old is not None:
        old = found.old.casefold()
        named = [topic for topic, value in held.values.items() if value.casefold() == old]
        topics = named if found.cued and len(named) == 1 else [t for t in topics if t in named]
    elif not found.plain and (held.asked or not found.cued):
        return
    plain = found.plain or found.old is not None
    for topic in topics:
        for value in found.readings:
            if target := _corrected(value, topic, held, plain=plain):
                if target != topic:
                    yield topic, None
                yield target, value
                return


def _corrected(value: str, topic: str, held: SoFar, *, plain: bool) -> str | None:
    """The topic that a value belongs to when it takes the place of this topic's value; None when
    it is of another kind.
    """
    kind, old = _kind(topic), held.values[topic]
    small = value.removeprefix("the ")[:1].islower() and not (plain and old[:1].islower())
    if (kind in _OPEN and not plain) or (kind in _PROPER and small):
        return None
    if NOT_A_CORRECTION.intersection(re.findall(r"[^\W\d_']+", value.casefold())):
        return None
    phrases = _SAID_AS.get(kind, ())
    if not phrases and plain and things(value) == (value,):
        return topic  # A kind that the rules do not know, in a memory that names its old value.
    _, *levels = normalise_topic(topic).split(".")
    of = "".join(levels[:1]).replace("_", " ")
    for phrase in phrases if plain else phrases[:1]:
        sentence = phrase.format(value=value, of=of)
        for stated, said in _statements(sentence, SoFar(held.values)):
            if said == value and _kind(stated) == kind:
                another = kind in _BY_MEMBER or (kind == "budget" and PERIOD.search(value))
                return stated if another else _renamed(topic, old, value)
    return None


def _set_right(topic: str, old: str, new: str) -> Iterator[Fact]:
    """The new spelling under the topic; where the old value is itself the topic's last level,
    that member ends and another one takes its place.
    """
    renamed = _renamed(topic, old, new)
    if renamed != topic:
        yield topic, None
    yield renamed, new


def _renamed(topic: str, old: str, new: str) -> str:
    """The topic with the new value's name where the old value is itself its last level."""
    *parents, member = normalise_topic(topic).split(".")
    return ".".join((*parents, member_topic(new))) if member == member_topic(old) else topic


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
    best = [topic for ratio, topic in alike if ratio == alike[0][0] >= LIKE_ENOUGH]
    return best[0] if len(best) == 1 else None


def _facts(text: str, held: SoFar, day: date) -> dict[str, str | None]:
    """The facts of one message, each topic once: what is said last of it holds."""
    facts: dict[str, str | None] = {}
    before, stated_here = dict(held.values), set[str]()
    waiting = ""
    for typed in filter(in_english, own_sentences(text)):
        sentence = with_subjects(with_apostrophes(typed))
        if takes_back(sentence):
            facts.clear()
            held.values, held.just = dict(before), ()
            continue
        found, waiting = _said(sentence, waiting, held)
        for stated in found:
            dated = {
                topic: value and with_dates(value, day, topic=topic) for topic, value in stated
            }
            held.learn(dated)
            facts |= dated
            for topic in [one for one, value in dated.items() if value is None]:
                if topic not in before and topic in stated_here:
                    del facts[topic]  # It came and went in this message.
            stated_here |= held.values.keys() & dated.keys()
        if not (found or waiting):
            held.just = ()
    held.asked = False
    return facts


def _said(sentence: str, waiting: str, held: SoFar) -> tuple[list[list[Fact]], str]:
    """What a sentence states, then what it corrects; and the beginning of a correction whose
    value is still to come ("No, wait.").
    """
    if stated := list(_statements(sentence, held)):
        return [stated, *_in_passing(sentence, stated, held)], ""
    if spelt := list(_spelling(sentence, held)):
        return [spelt], ""
    correction = read_correction(f"{waiting} {sentence}")
    if correction is None:
        return [], ""
    if not correction.value:
        return [], sentence if correction.cued else ""
    corrected = list(_corrections(correction, held))
    return [corrected] if corrected else [], ""


def _in_passing(sentence: str, stated: Sequence[Fact], held: SoFar) -> Iterator[list[Fact]]:
    """What a sentence sets right of its own statement."""
    if correction := in_passing(sentence):
        then = SoFar(held.values)
        then.learn(dict(stated))
        if corrected := list(_corrections(correction, then)):
            yield corrected


def _just_said(message: HumanMessage, known: Mapping[str, str], now: datetime) -> tuple[str, ...]:
    """The topics of the last sentence of a message, as far as its values are still held."""
    then = SoFar(known)
    _facts(words_of(message), then, day_of(message, now))
    return tuple(topic for topic in then.just if known.get(topic) == then.values.get(topic))


class RuleExtractor:
    """Finds facts in what the user says, by rule: offline, in linear time, in English.

    It knows names, allergies and intolerances, diets, home, work, seats, hotels, likes and
    dislikes, favourites, budgets, ways to pay, languages, the airport one flies from, the car,
    birthdays, phone numbers, e-mail addresses and the family's names; moves and corrections
    replace, endings without a successor retire. Topics that can have several members keep one
    topic per member (`allergy.peanuts`, `allergy.kiwi`), so that two allergies do not overwrite
    each other; `diet` is one topic and its value names all of them. Names, allergies,
    intolerances, diets and what somebody avoids are proposed pinned.

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
        before: HumanMessage | None = None,
        asked: bool = False,
    ) -> list[Candidate]:
        """Candidates in the order in which they were said, one per message and topic.

        Args:
            said: The user's own messages, oldest first; each has an id.
            known: The user's current memories, topic to text.
            now: Dates words like "yesterday" in messages without a time, and says in which zone
                the day of a message begins that names none.
            thread_id: Becomes part of each candidate's source.
            before: The user's message before them, which "No, Munich" sets right.
            asked: True when the assistant has asked something since.
        """
        held = SoFar(known)
        if before is not None:
            held.just, held.asked = _just_said(before, known, now), asked
        candidates: list[Candidate] = []
        for message in said:
            day = day_of(message, now)
            facts = _facts(words_of(message), held, day)
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
        before: HumanMessage | None = None,
        asked: bool = False,
    ) -> list[Candidate]:
        """`extract`; it waits for nothing."""
        return self.extract(
            said, known=known, now=now, thread_id=thread_id, before=before, asked=asked
        )
