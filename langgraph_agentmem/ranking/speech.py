"""What a question says of who spoke, and whether it asks for a time. Cues are English words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_ROLES: Mapping[str, frozenset[str]] = {
    "user": frozenset({"i", "me", "my", "mine", "myself"}),
    "human": frozenset({"i", "me", "my", "mine", "myself"}),
    "assistant": frozenset({"you", "your", "yours", "yourself"}),
    "ai": frozenset({"you", "your", "yours", "yourself"}),
}
"""Authors that are roles, and how the one who asks speaks of them."""

_NO_NAMES = frozenset({"system", "tool", "function"})

_SHORTEST_NAME = 2

_ASKS_WHEN = re.compile(
    r"^\W*(when|how long|since when|(what|which) (year|month|day|date))\b", re.IGNORECASE
)

_TELLS_TIME = re.compile(
    r"""\b(yesterday|today|tonight|tomorrow|ago|since|recently|lately
        |(last|next|this)\s+(week|month|year|night|weekend|summer|winter|spring|autumn|fall)\w*
        |(mon|tues|wednes|thurs|fri|satur|sun)days?
        |january|february|march|april|june|july|august|september|october|november|december
        |weeks?|months?|years?|(19|20)\d\d)\b""",
    re.IGNORECASE | re.VERBOSE,
)

_OF_ONESELF = re.compile(r"\b(i|me|my|mine|we|us|our|ours)\b", re.IGNORECASE)

_QUESTION_MARKS = ("?", "？", "؟")  # noqa: RUF001 - of other scripts
_AFTER_THE_MARK = " \t\r\n\"'”’»)]!.…"  # noqa: RUF001


@dataclass(frozen=True, slots=True)
class Naming:
    """Whom a question speaks of.

    `authors` are positions in the list of authors, in the order in which the question names them;
    `words` the words that name them. `by_role` says that it was "I" or "you", no name.
    """

    authors: tuple[int, ...] = ()
    words: frozenset[str] = frozenset()
    by_role: bool = False


def naming(
    asked: Sequence[str], authors: Sequence[Sequence[str]], ignored: frozenset[str]
) -> Naming:
    """Whom a question names, by name; else by "I" or "you", where authors are roles.

    Args:
        asked: The words of the question, folded, in their order.
        authors: The words of each author's name, folded.
        ignored: Words that are never a name, such as "will".
    """
    places = {word: at for at, word in reversed(list(enumerate(asked)))}
    named: dict[int, int] = {}
    words: set[str] = set()
    for number, name in enumerate(authors):
        if len(name) == 1 and (name[0] in _ROLES or name[0] in _NO_NAMES):
            continue
        found = [
            word
            for word in name
            if word in places
            and len(word) >= _SHORTEST_NAME
            and word.isalpha()
            and word not in ignored
        ]
        if found:
            named[number] = min(places[word] for word in found)
            words.update(found)
    if named:
        return Naming(tuple(sorted(named, key=named.__getitem__)), frozenset(words))
    roles = [
        number
        for number, name in enumerate(authors)
        if len(name) == 1 and _ROLES.get(name[0], frozenset()) & places.keys()
    ]
    # "What did you tell me" is about both; then it says nothing.
    return Naming((roles[0],), by_role=True) if len(roles) == 1 else Naming()


def first_person(query: str, names: Sequence[str]) -> str:
    """The question as the one whom it names would ask it: what people say of themselves, they
    say with "I", and a name in a vector drowns what the question is about.
    """
    for name in names:
        word = re.escape(name)
        query = re.sub(rf"\b{word}['’]s?(?!\w)", "my", query, flags=re.IGNORECASE)  # noqa: RUF001
        query = re.sub(rf"\b{word}\b", "I", query, flags=re.IGNORECASE)
    return query


def asks_when(query: str) -> bool:
    """Whether a question asks for a time."""
    return bool(_ASKS_WHEN.search(query))


def tells_time(text: str) -> bool:
    """Whether a text tells a time."""
    return bool(_TELLS_TIME.search(text))


def ends_asking(text: str) -> bool:
    """Whether a text ends with a question."""
    return text.rstrip(_AFTER_THE_MARK).endswith(_QUESTION_MARKS)


def speaks_of_self(text: str) -> bool:
    """Whether the one who speaks tells of themselves. Cues are English words."""
    return bool(_OF_ONESELF.search(text))
