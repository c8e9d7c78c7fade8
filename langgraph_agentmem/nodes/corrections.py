"""How people set right what they have just said: "no, Munich", "I meant Munich", "scratch that".

Reads the words of a correction alone. Whether they fit what was said is for `rules.py`: a value
of another kind ("No, thanks", "Actually, it's raining") corrects nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_FILLER = r"(?:ah|oh|well|hm+|um+|uh|er|erm|and|but|or|so|yes|yeah|please|i'm|i am|i was|i)"
_CUE = (
    r"(?:no|nope|nah|not quite|(?:so |very )?sorry|oops|whoops|wait|hold on|hang on|actually|"
    r"rather|in fact|my mistake|my bad|apologies|pardon(?: me)?|i mean|wrong|typo|"
    r"(?:that's|that is|that was) (?:wrong|not right|incorrect)|i misspoke|mistyped|i mistyped)"
)
_PLAIN_CUE = (
    r"(?:correction|edit|scratch that|strike that|i (?:actually |really )?meant"
    r"(?: to (?:say|write|type))?|what i meant (?:is|was)|"
    r"i should have (?:said|written)|i wanted to (?:say|write)|i said|make (?:it|that)|"
    r"(?:it|that) should (?:be|have been)|should be|should have been|change (?:it|that) to|"
    r"let me correct (?:that|myself|it))"
)
_IT_IS = r"(?:it's|it is|its|that's|that is)"
_LEAD = re.compile(
    rf"\W{{0,9}}(?:(?P<plain>{_PLAIN_CUE})|(?P<cue>{_CUE})|(?P<it>{_IT_IS})|{_FILLER})"
    r"(?!\w|'\w)[^\w+(€$£¥₹]{0,9}",
    re.IGNORECASE,
)
_TRAIL = re.compile(
    r"[\s,.;\u2013\u2014-]{1,4}(?:(?P<cue>sorry|actually|i mean|i meant|rather|in fact|my mistake|"
    r"my bad)|instead|of course|please)$",
    re.IGNORECASE,
)
_IN_PASSING = re.compile(
    rf"(?:[,;:(]|\s-|[\u2013\u2014])\s{{0,3}}(?={_FILLER}?[\s,]{{0,3}}(?:{_PLAIN_CUE}|{_CUE}|not)\b)",
    re.IGNORECASE,
)
_NOT_BUT = re.compile(
    r"not (?:in |at |for |an? |the |on )?(?P<old>[^,;:?]{1,60}?)"
    r"(?:\s{0,2}[,;:.\u2013\u2014-]\s{0,2}(?:but )?| but )(?P<value>.{1,60})",
    re.IGNORECASE,
)
_BUT_NOT = re.compile(
    r"(?P<value>.{1,60}?),? (?:(?:and )?not|instead of|rather than) "
    r"(?:in |at |for |an? |the |on )?(?P<old>[^,;:?]{1,60})",
    re.IGNORECASE,
)
_NOT_THAT = re.compile(r"not (?:in |at )?[^,;:?]{1,60}", re.IGNORECASE)
_SHORT = re.compile(r"(?:[^,;:?!\n]|,(?=\s?\d)){1,60}")
_AROUND = re.compile(r"^(?:in|at|for|to|on|as an?|an?|the) | seats?$", re.IGNORECASE)

_EDGES = " .,;:!'\"()\u2013\u2014-"
_MOST_LEADS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """What a correction says.

    Args:
        value: What is right; "" when the words only take something back ("No, wait.").
        old: What was wrong, where it is named.
        plain: True for words that do nothing but correct ("I meant"); "no" and "actually" have
            other uses.
        cued: True when there is more than a value.
    """

    value: str
    old: str | None = None
    plain: bool = False
    cued: bool = False

    @property
    def readings(self) -> tuple[str, ...]:
        """The value as it may be meant: as it stands, and without "in" or "a" before it."""
        bare = _AROUND.sub("", self.value)
        return tuple(dict.fromkeys((self.value, bare)))


def read_correction(text: str) -> Correction | None:
    """What a sentence corrects, if that is all that it may do; None for a question and for what
    is too long.
    """
    if text.rstrip(" \"')").endswith("?") or len(text) > 200:  # noqa: PLR2004
        return None
    position, plain, cued, it_is = 0, False, False, False
    for _ in range(_MOST_LEADS):
        lead = _LEAD.match(text, position)
        if lead is None:
            break
        position = lead.end()
        plain, cued = plain or bool(lead["plain"]), cued or bool(lead["cue"])
        it_is = it_is or bool(lead["it"])
    said = text[position:].strip(_EDGES)
    while trail := _TRAIL.search(said):
        said, cued = said[: trail.start()].strip(_EDGES), cued or bool(trail["cue"])
    if named := _NOT_BUT.fullmatch(said) or _BUT_NOT.fullmatch(said):
        value, old = (named[group].strip(_EDGES) for group in ("value", "old"))
        cued = cued or it_is
    elif _NOT_THAT.fullmatch(said):
        value, old, cued = "", None, True
    else:
        value, old = said, None
        # Who types has a sign for it: "*Munich".
        cued = cued or re.fullmatch(r"\s{0,9}\*\w[^*\n]{0,60}", text) is not None
        value = value.removeprefix("*")
    if value and not _SHORT.fullmatch(value):
        return None
    return Correction(value=value, old=old, plain=plain, cued=plain or cued)


def in_passing(sentence: str) -> Correction | None:
    """The correction at the end of a sentence that says something first ("I live in Berlin, no,
    Munich"); the first one that is nothing else.
    """
    for _, cut in zip(range(_MOST_LEADS), _IN_PASSING.finditer(sentence), strict=False):
        found = read_correction(sentence[cut.end() :])
        if found and found.value and (found.cued or found.old):
            return found
    return None
