"""What a person asserts: which words of a message are a statement of their own.

Words count as the user's statement only when what stands before them in their clause is a known
lead-in ("by the way", "remember that", "my wife and"). Reported speech, hypotheticals, wishes,
doubts, negations and questions all put something else there, so none of them needs a rule.

Everything here takes linear time: a message is read up to `LONGEST_MESSAGE` characters, a
sentence of more than `LONGEST_SENTENCE` is passed over, and every quantifier is bounded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from .borrowed import before_letter, handed_over, own_text
from .tone import in_jest

LONGEST_SENTENCE = 600
"""Characters of the longest sentence that is understood."""

_SENTENCE_END = re.compile(
    r"(?<!\b(?:St|Mr|Ms|Dr|Mt|Ft|Jr|Sr))(?<!\bMrs)(?<!\b[A-HJ-Z])[.!?…。]{1,9}(?=\s|\Z)|。|\n+"
)

_TAKEN_BACK = re.compile(
    r"\W*(?:(?:just |only |i'm |i am )?(?:kidding|joking|jk)\b|not\W*$)", re.IGNORECASE
)

_BOUNDARY = re.compile(
    r"[,;:()\u2013\u2014]|\s-\s"
    r"|\b(?:and|but|(?<!just )so|because|since|plus|while|then|(?<!as )though|although)\b",
    re.IGNORECASE,
)

_PLEASE_REMEMBER = (
    r"(?:can|could|would|will) you (?:please )?(?:remember|note|keep in mind|save|store)(?: that)?"
)
_REQUEST = re.compile(
    rf"{_PLEASE_REMEMBER}|^(?:please )?(?:remember|note|keep in mind|don't forget)(?: that)?\b",
    re.IGNORECASE,
)

_LEAD_IN = re.compile(
    r"[\s,.:;!()•*\u2013\u2014-]{1,20}|(?:"
    r"as of (?:now|today|this (?:week|month|year)|last (?:week|month|year)|\w{3,9}day)|"
    r"please|pls|plz|actually|and|but|so|because|since|as|plus|also|well|oh|okay|ok|yes|yeah|yep|no|nope|"
    r"thanks|thank you|sorry|oops|btw|by the way|fyi|ps|p\.s|honestly|unfortunately|sadly|luckily|"
    r"update|correction|wait|scratch that|i meant(?: to say)?|i mean|i should have said|"
    r"about (?:me|myself)|(?:here are )?my details|hi there|"
    r"hello there|hi|hello|hey|hiya|"
    r"good (?:morning|afternoon|evening|day)|although|though|while|"
    r"fun fact|(?:for )?context|anyway|just so you know|for the record|to be (?:clear|honest)|"
    r"as i (?:said|"
    r"mentioned)|like i said|"
    r"(?:remember|note|keep in mind|bear in mind|don't forget|be aware|save|store|know)(?: that)?|"
    rf"{_PLEASE_REMEMBER}|"
    r"you should know(?: that)?|(?:i )?forgot to (?:mention|say)(?: that)?|"
    r"i (?:should|must|want to|wanted to|need to) (?:mention|say|add|tell you)(?: that)?|"
    r"i told you(?: that)?|let me (?:add|tell you|mention|introduce myself)(?: that)?|"
    r"the (?:thing|truth|fact) is(?: that)?|(?:a )?(?:quick|small) (?:note|heads[- ]up|update)|"
    r"heads[- ]up|"
    r"(?:one|two|three|a few|a couple of|some) (?:more |other |quick |small )?"
    r"(?:things?|notes?|facts?|points?|details?)(?: about (?:me|us))?|"
    r"by (?:trade|profession|training|day)|(?:it )?(?:turns|turned) out(?: that)?|"
    r"(?:i|we)(?:'ve| have)? (?:just |recently |only |finally )?"
    r"(?:found out|discovered|learn(?:ed|t)|reali[sz]ed)"
    r"(?: (?:yesterday|today|recently|(?:last|this) (?:week|month|year|weekend|summer|winter)))?"
    r"(?: that)?|please (?:be aware|note)(?: that)?|"
    r"if (?:it|that|this) (?:helps|matters)|if you (?:must know|need it|'re wondering)|"
    r"in case you (?:need it|'re wondering|ask)|"
    r"now|today|yesterday|nowadays|these days|currently|at the moment|recently|"
    r"(?:last|this) (?:week|weekend|month|year|spring|summer|autumn|fall|winter)|"
    r"in general|generally|normally|usually|personally|for me|always|then"
    r")(?!\w)",
    re.IGNORECASE,
)

_SUPPOSED = re.compile(
    r"(?:if|unless|suppose|supposing|assume|assuming|imagine|imagining|pretend|pretending|what if|"
    r"let's say|say|in case|had i|were i|in (?:my|the|a|this) (?:\w+ )?(?:dreams?|novel|story|"
    r"book|"
    r"game|film|movie|song|play))\b",
    re.IGNORECASE,
)

_REPORTED = re.compile(
    r"(?<!\bI )\b(?:said|says|say|goes|told (?:me|us|him|her|them)|wrote|writes|asked|asks|"
    r"replied|sang|sings|claims?|thinks?)\s{0,9}$",
    re.IGNORECASE,
)

_NOT_MEANT = re.compile(
    r"\b(?:just kidding|kidding|joking|jk)\b"
    r"|(?:,|\s)\s{0,9}(?:(?:he|she|they|nobody|no one) (?:said|says)|(?:said|says) \w+|"
    r"according to)\b"
    r"|\bin (?:act|chapter|scene) \w+|\bin (?:the|this|my|that) (?:scenario|example|exercise|role|"
    r"hypothetical|sketch|novel|story|dreams?|game|movie|film|song|play|book)\b",
    re.IGNORECASE,
)

_JEST = re.compile(r"\b(?:just kidding|kidding|joking|jk|lol|haha|ha ha)\b", re.IGNORECASE)

_TAG = re.compile(
    r"\W{0,3}\b(?:right|correct|true|no|yes|(?:don't|aren't|haven't|am|do) (?:i|we)(?: not)?|"
    r"isn't it|"
    r"oder|nicht wahr|stimmt's|verdad|n'est-ce pas|né|certo)\W{0,3}$",
    re.IGNORECASE,
)
"""What makes a question of a statement."""

_ASKING = re.compile(
    r"\b(?:what|where|which|who|whose|how|why|when|can|could|would|will|should|shall|may|do|does|"
    r"did|is|are|was|were|any)\b",
    re.IGNORECASE,
)


def _sentences(text: str) -> Iterator[str]:
    start = 0
    for end in (*(match.end() for match in _SENTENCE_END.finditer(text)), len(text)):
        sentence = text[start:end].strip()
        start = end
        if 0 < len(sentence) <= LONGEST_SENTENCE:
            yield sentence


def own_sentences(text: str) -> Iterator[str]:
    """The sentences of a message up to where it turns into a text for others: a translation, a
    story, a role.
    """
    for sentence in _sentences(before_letter(own_text(text))):
        if in_jest(sentence):
            continue
        borrowed = handed_over(sentence)
        yield sentence[:borrowed]
        if borrowed is not None:
            return


def takes_back(sentence: str) -> bool:
    """True for "just kidding", which unsays the message before it."""
    return _TAKEN_BACK.match(sentence) is not None


def after_lead_in(text: str) -> str:
    """`text` without the lead-ins at its start."""
    position = 0
    while (lead := _LEAD_IN.match(text, position)) is not None:
        position = lead.end()
    return text[position:]


def clauses(text: str) -> list[str]:
    """`text` cut at its boundaries; each clause but the first begins with what divides it."""
    starts = [0, *(match.start() for match in _BOUNDARY.finditer(text))]
    return [text[start:end] for start, end in zip(starts, (*starts[1:], len(text)), strict=True)]


def _asked(sentence: str, start: int, end: int) -> bool:
    """True when a question mark reaches back to the words from `start` to `end`: no question
    begins after them, and they are not what somebody is asked to remember.
    """
    if not sentence.rstrip(" \"')").endswith("?"):
        return False
    return not (_ASKING.search(sentence, end) or _REQUEST.search(sentence, 0, start))


def asserted(sentence: str, start: int, end: int) -> bool:
    """True when the words from `start` to `end` are a statement of the one who speaks."""
    *earlier, clause = clauses(sentence[:start])
    if after_lead_in(clause).strip():
        return False
    spoken_by_another = any(
        _REPORTED.search(before) or (after.startswith(":") and after_lead_in(before).strip())
        for before, after in pairwise((*earlier, clause))
    )
    supposed = any(_SUPPOSED.match(after_lead_in(before)) for before in earlier)
    taken_back = _NOT_MEANT.search(sentence, end) is not None
    return not (spoken_by_another or supposed or taken_back or _asked(sentence, start, end))


def only_asked(text: str, words: str) -> bool:
    """True when these words stand in a message only inside questions and suppositions.

    Says less than `asserted`, and nothing of words in other languages but that the last clause
    before a question mark is a question.
    """
    sought, found = own_text(words).casefold(), False
    for sentence in _sentences(own_text(text)):
        start = sentence.casefold().find(sought)
        if not sought or start < 0:
            continue
        found, end = True, min(start + len(sought), len(sentence))
        supposed = any(_SUPPOSED.match(after_lead_in(each)) for each in clauses(sentence[:end]))
        asked = sentence.endswith("?") and not (
            (_BOUNDARY.search(sentence, end) and not _TAG.match(sentence, end))
            or _REQUEST.search(sentence, 0, end)
        )
        if not (supposed or asked):
            return False
    return found


def said_in_jest(text: str, words: str) -> bool:
    """True when a message takes these words back: "just kidding" in their sentence, or in the
    one after it.
    """
    sought, found = own_text(words).casefold(), False
    for sentence in _sentences(own_text(text)):
        if found and takes_back(sentence):
            return True
        place = sentence.casefold().find(sought)
        found = bool(sought) and place >= 0
        if found and _JEST.search(sentence, place):
            return True
    return False
