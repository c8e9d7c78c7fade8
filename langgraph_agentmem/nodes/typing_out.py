"""Writes out what people leave away when they type: apostrophes, and the subject of a second verb.

"im vegan" is read as "I'm vegan", "I live in Ghent and work at Zeiss" as "I live in Ghent and I
work at Zeiss". Only where nothing else can be meant: what somebody wants, denies, supposes or says
of others is left as it stands.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from .sentences import asserted

_CONTRACTED: Mapping[str, str] = {
    word.replace("'", ""): word
    for word in (
        *("i'm", "i've", "you're", "we've", "they're", "they've", "that's", "what's"),
        *("don't", "doesn't", "didn't", "can't", "couldn't", "wouldn't", "shouldn't"),
        *("isn't", "aren't", "wasn't", "weren't", "haven't", "hasn't", "hadn't"),
    )
}
"""Not "were", "well", "ill", "id", "wont", "hes": they are words, or may be."""

_WITHOUT_APOSTROPHE = re.compile(
    rf"\b(?:{'|'.join((*_CONTRACTED, *(word.capitalize() for word in _CONTRACTED)))})\b"
)

_SAYS_MORE = (
    r"(?:I|we|you|he|she|they|it|who|whom|whose|which|that|where|what|"
    r"(?:my|our)(?! (?:job|wife|husband|partner|girlfriend|boyfriend|family|kids|dog|cat)\b)|"
    r"your|his|her|their|people|friends?|someone|somebody|everyone|if|when|while|unless|until|than|not|no|never|"
    r"don't|didn't|can't|couldn't|won't|wasn't|isn't|would|could|should|might|may|must|will|shall|"
    r"can|want|wanted|wish|hope|hoped|plan|planned|need|try|tried|used|going|like to|love to|think|"
    r"thought|said|say|told|heard|read|saw|know|knew|met|imagine|pretend|suppose|considered|almost|"
    r"nearly|was|were|went|had|role|part|character|and|or|but|"
    r"(?<!moved )(?<!relocated )(?<!allergic )(?<!switched )to)\b"
)
_PLAIN_WORD = rf"(?!{_SAYS_MORE})[\w'&.-]{{1,30}}"
_PLAINLY = rf"(?:{_PLAIN_WORD} ){{0,7}}?{_PLAIN_WORD}"
_SECOND_VERB = re.compile(
    rf"\b(?:(?:I'm|I've|I|we're|we've|we) {_PLAINLY})(?:,? (?:and|but)|,(?! love (?-i:[A-Z]))) "
    r"(?=(?:now |also |currently |still |really |just |recently )?"
    r"(?:live|work|love|hate|enjoy|prefer|eat|avoid|speak|joined|started|moved|"
    r"can't (?:eat|stand)|(?:don't|never) (?:eat|drink)|have (?:a|an|two|three|four|one)|"
    r"am (?:allergic|a|an|vegan|vegetarian))\b)",
    re.IGNORECASE,
)
_ONE_WORD = (
    r"(?:(?!(?:with|not|never|no|and|or|but|sure|told|afraid|here|looking|wondering|asking|"
    r"reading|cooking|hosting|feeding|meeting|called)\b)[\w'-]{1,20})"
)
_SECOND_TRAIT = re.compile(
    rf"\b(?:(?:I'm|I am) {_ONE_WORD}(?:, {_ONE_WORD}){{0,4}}(?:, and|,| and)) "
    r"(?=(?:(?:severely |very |also |strictly )?(?:allergic to|vegan\b|vegetarian\b|pescatarian\b|"
    r"kosher\b|halal\b|married to|based in|living in|intolerant to|(?:lactose|gluten|dairy)"
    r"[ -]intolerant\b(?! \w{1,20}s\b)(?! people\b))))",
    re.IGNORECASE,
)
_ENTRANCE = (
    r"^(?P<lead>\W{0,3}(?:(?:btw|by the way|fyi|also|oh|ps|p\.s\.|yes|yeah|ok|okay|hi|hey|hello|"
    r"and|careful|heads up|update|note)\b[,:!. ]{1,3}){0,2})"
)
_I_DROPPED = re.compile(
    rf"{_ENTRANCE}(?=(?:can't (?:eat|stand|bear|drink|tolerate)|(?:just|recently|finally) (?:moved|"
    r"relocated|started|joined|quit|left|got|became|went|turned|switched)|"
    r"(?:got|started) (?:a (?:new |great )?job|working|at)) )",
    re.IGNORECASE,
)
_AM_DROPPED = re.compile(
    rf"{_ENTRANCE}(?=(?:(?:(?:severely|deathly|mildly|very|not|no longer) )?allergic to|"
    r"(?:lactose|gluten|dairy)[ -]intolerant\b|(?:really )?not (?:really )?"
    r"(?:an? (?:big |huge |great )?fan of|into|fond of|keen on))(?=[^:]*$))",
    re.IGNORECASE,
)
_ROUNDS = 4
"""Verbs or traits of one sentence that are given a subject."""


def with_apostrophes(sentence: str) -> str:
    """A sentence with the apostrophes that nobody types on a telephone."""

    def written(found: re.Match[str]) -> str:
        whole = _CONTRACTED[found[0].casefold()]
        keeps_capital = found[0][0].isupper() or whole in {"i'm", "i've"}
        return whole[0].upper() + whole[1:] if keeps_capital else whole

    return _WITHOUT_APOSTROPHE.sub(written, sentence)


def with_subjects(sentence: str) -> str:
    """A sentence in which each verb, and each trait, of the one who speaks says whose it is."""

    def trait(found: re.Match[str]) -> str:
        return f"{found[0]}I'm " if _is_said(found) else found[0]

    def verb(found: re.Match[str]) -> str:
        who = "we" if found[0].casefold().startswith("we") else "I"
        return f"{found[0]}{who} " if _is_said(found) else found[0]

    sentence = _AM_DROPPED.sub(r"\g<lead>I'm ", _I_DROPPED.sub(r"\g<lead>I ", sentence))
    for _ in range(_ROUNDS):
        said = _SECOND_VERB.sub(verb, _SECOND_TRAIT.sub(trait, sentence))
        if said == sentence:
            break
        sentence = said
    return sentence


def _is_said(found: re.Match[str]) -> bool:
    start = found.start()
    return asserted(found.string, start, start + 1)
