"""How text becomes words: the same way when it is kept and when it is asked for."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

_WORD = re.compile(r"[^\W_]+")
_LETTER_BEFORE_WORD = re.compile(r"\b([^\W\d_])[-\u2010\u2011](?=[^\W\d_]{2})")
"""A letter tied to a word is a part of it: an e-mail is an email, an x-ray an xray."""

LONGEST_WORD = 64
"""Characters of one word that are indexed; what is longer is not prose."""

MOST_QUERY_WORDS = 64
"""Different words of a query that are looked up; what is cut is reported."""

STOP_WORDS = frozenset(
    # English function words: they say nothing about what is asked.
    """
    a about above after again against all also am an and any are aren as at be because been
    before being below between both but by can cannot could couldn d did didn do does doesn doing
    don down during each few for from further get gets give got had hadn has hasn have haven
    having he her here hers herself him himself his how i if in into is isn it its itself just ll
    let m may me might more most much must my myself need no nor not now of off on once one only
    or other our ours ourselves out over own per quite re really s same shall she should shouldn
    so some such t than that the their theirs them themselves then there these they this those
    through to too under until up us very ve was wasn we well were weren what when where which
    while who whom why will with won would wouldn you your yours yourself yourselves
    """.split()  # noqa: SIM905 - a block of words reads better than a list of literals
    # How people open, close and ask: a greeting has no content. Who asks for the user asks for the
    # one whom all of it is about.
    + """
    afternoon again bye cheers day evening fine good goodbye great hello hey hi hiya howdy
    morning night nice ok okay please see soon sorry sure tell thank thanks welcome yeah yep yes
    anything something know like want wish could find help look looking make say show suggest
    recommend tonight today user users
    """.split()  # noqa: SIM905
)
"""Words that are not looked up. They are indexed all the same."""

_QUESTION_MARKS = re.compile(r"[?？؟;]\s*$|[?？؟]")  # noqa: RUF001 - question marks of other scripts
_ASKING = frozenset(
    """
    are book can could did do does find give has have how is list may might plan recommend remind
    shall should show suggest tell was what whats when where which who whom whose why will would
    """.split()  # noqa: SIM905
)


def words(text: str) -> Iterator[str]:
    """The words of a text, folded: canonical composition, no case, no underscores; a letter tied
    to a word is a part of it.
    """
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
    for found in _WORD.findall(_LETTER_BEFORE_WORD.sub(r"\1", text.casefold())):
        yield found[:LONGEST_WORD]


def token(namespace_id: int, word: str) -> str:
    """A word as the index holds it, with the id of the namespace that it belongs to."""
    return f"{namespace_id}_{word}"


def tokens(namespace_id: int, topic: str, text: str) -> str:
    """What the index holds of a memory: the words of its topic and of its text."""
    return " ".join(token(namespace_id, word) for word in words(f"{topic} {text}"))


def content_words(query: str) -> list[str]:
    """The different words of a query that say what is asked, in their order."""
    return list(dict.fromkeys(word for word in words(query) if word not in STOP_WORDS))


def is_question(query: str) -> bool:
    """Whether something is asked: a question mark, or an opening word that asks."""
    first = next(words(query), "")
    return bool(_QUESTION_MARKS.search(query)) or first in _ASKING
