"""In what tone a sentence is said: in earnest or in jest, in English or not.

What is said in jest is no fact, and a phrase that only looks English ("I am Groot y tú no") says
nothing that the rules understand.
"""

from __future__ import annotations

import re

from langgraph_agentmem.extraction.vocabulary import NOT_ENGLISH

_IN_JEST = re.compile(
    r"\b(?:lo+l|lmao|rofl|(?:a?ha){2,6}h?|he(?:he){1,5}|/?jk)\b|(?<!\S)/s(?!\S)"
    r"|[\U0001f644\U0001f643\U0001f60f\U0001f921\U0001f602\U0001f923\U0001f61c]"
    r"|\bsaid no(?: |-)?(?:one|body) ever\b|,? not\s?!?\W{0,3}$",
    re.IGNORECASE,
)
_IRONIC_LEAD = re.compile(
    r"\W{0,9}(?:(?:oh|ah|wow|yay|hooray),? (?:great|joy|sure|wonderful|perfect|lovely|fantastic|"
    r"brilliant|super|nice)|yeah,? (?:right|sure)|yay|wow|(?:just|how) (?:great|lovely|perfect|"
    r"wonderful|what i needed)|as if|because of course|lovely|obviously|clearly|apparently|"
    r"evidently|oh,? yes\b(?=.{0,120}, who (?:doesn't|wouldn't|does not)\b))\b",
    re.IGNORECASE,
)
_IRONIC_END = re.compile(
    r",? (?:obviously|clearly|of course|naturally|as (?:we|you)(?: all)? know)\W*$", re.IGNORECASE
)
_PLEASED = re.compile(
    r"\W{0,9}(?:great|super|perfect|wonderful|fantastic|brilliant|sure|nice)\b", re.IGNORECASE
)
_JUST_LOVES = re.compile(r"\bI (?:just|so|simply) (?:love|adore)\b", re.IGNORECASE)
_OF_TASTE = re.compile(
    r"\b(?:lov(?:e|es|ed)|like|enjoy|adore|hate|fan of|favou?rite|keen on|fond of|into)\b",
    re.IGNORECASE,
)

_A_TITLE_MAY_FOLLOW = re.compile(r"\bfavou?rite\b", re.IGNORECASE)
_ENOUGH = 2


def in_jest(sentence: str) -> bool:
    """True for what laughs, for "I love queues, obviously", and for "oh great, I love queues"."""
    if _IN_JEST.search(sentence):
        return True
    ironic = (
        _IRONIC_LEAD.match(sentence)
        or _IRONIC_END.search(sentence)
        or (_PLEASED.match(sentence) and _JUST_LOVES.search(sentence))
    )
    return bool(ironic) and _OF_TASTE.search(sentence) is not None


def in_english(sentence: str) -> bool:
    """False for a sentence with two words or more that only another language has; the title of a
    favourite film may have them.
    """
    if _A_TITLE_MAY_FOLLOW.search(sentence):
        return True
    said = {word for word in re.findall(r"[^\W\d_]+", sentence) if word in NOT_ENGLISH}
    return len(said) < _ENOUGH
