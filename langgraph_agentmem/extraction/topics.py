"""How topics are spelt, so that a changed fact lands under the topic that it replaces.

A topic is lower case with underscores; a dot leads to a member (`allergy.peanuts`). Topics whose
members stand side by side keep one topic per member, so that two allergies do not overwrite each
other; a member in the singular and in the plural is one topic.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator

from .vocabulary import IN_IE, SAID_IN_THE_PLURAL

LONGEST_TOPIC = 120
"""Characters of a normalised topic; the rest is cut."""

_PINNED = frozenset({"name", "allergy", "intolerance", "diet", "avoids"})
"""First levels of the topics that every answer must respect."""

_LEVEL = re.compile(r"[./:>\\|]+")
_BETWEEN_WORDS = re.compile(r"[\W_]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")

_ENDINGS = (
    ("ies", "y"),
    ("sses", "ss"),
    ("shes", "sh"),
    ("ches", "ch"),
    ("xes", "x"),
    ("oes", "o"),
)
_NOT_A_PLURAL = ("ss", "us", "is", "as")


def _singular(word: str) -> str:
    """An English noun without its plural ending; other words as they are, nearly always."""
    if word in IN_IE:
        return word[:-1]
    for plural, singular in _ENDINGS:
        if word.endswith(plural) and len(word) > len(plural) + 1:
            return word.removesuffix(plural) + singular
    if word.endswith("s") and len(word) > 3 and not word.endswith(_NOT_A_PLURAL):  # noqa: PLR2004
        return word[:-1]
    return word


_PLURALS = {_singular(word): word for word in SAID_IN_THE_PLURAL}


def _words(text: str) -> Iterator[str]:
    plain = unicodedata.normalize("NFKC", text[: 4 * LONGEST_TOPIC])
    apart = _CAMEL.sub("_", plain).replace("'", "").replace("\u2019", "")
    for level in _LEVEL.split(apart):
        yield _BETWEEN_WORDS.sub("_", level.casefold()).strip("_")


def normalise_topic(text: str) -> str:
    """A topic as this package spells it: `Home City`, `home-city` and `HomeCity` are
    `home_city`; `allergy/Tree nuts` is `allergy.tree_nuts`.

    Letters and digits of every script stay; at most 120 characters. "" when nothing is left.
    """
    whole = ".".join(level for level in _words(text) if level)
    return whole[:LONGEST_TOPIC].strip("._")


def member_topic(text: str) -> str:
    """The last level of a topic that has members, spelt alike for one thing and for many:
    `Peanut` and `peanuts` are `peanuts`, `cruises` and `cruise` are `cruise`.
    """
    *before, last = normalise_topic(text.casefold()).replace(".", "_").split("_")
    last = _singular(last)
    return "_".join((*before, _PLURALS.get(last, last)))


def _key(topic: str) -> str:
    """Equal for topics that are plainly the same. Only in topics with members does a plural make
    no difference: `new` and `news` are two topics.
    """
    levels = [level.split("_") for level in normalise_topic(topic).split(".")]
    if len(levels) > 1:
        levels = [[*words, _singular(last)] for *words, last in levels]
    return "_".join(word for words in levels for word in words)


def is_pinned(topic: str) -> bool:
    """True for topics that every answer must respect: the name, allergies, diets."""
    return normalise_topic(topic).split(".")[0] in _PINNED


class Spelling:
    """The user's own spelling of topics, where one is known.

    Args:
        known: Topics that the user has now.
    """

    def __init__(self, known: Iterable[str]) -> None:
        self._known: dict[str, str] = {}
        for topic in known:
            self._known.setdefault(_key(topic), topic)

    def of(self, topic: str) -> str:
        """The known topic that is plainly the same, else the normalised one, which is known
        from now on. "" when nothing is left of it.
        """
        spelt = normalise_topic(topic)
        return self._known.setdefault(_key(spelt), spelt) if spelt else ""
