"""What a message takes from others: quotations, code, quoted mail, and the texts of others that
it hands over. None of it is the user's own word.
"""

from __future__ import annotations

import re
import unicodedata

from langgraph_agentmem.extraction.evidence import LONGEST_MESSAGE

QUOTED = "\ufffc"
"""Stands where a quotation stood."""

_SPELLING = str.maketrans(
    dict(zip("\u2018\u2019\u02bc\u201c\u201d\u201e\uff1f\uff01", "'''\"\"\"?!", strict=True))
    | {"\uff0c": ", ", "\u3001": ", ", "\uff1b": "; ", "\uff1a": ": "}
)
"""Curly apostrophes and quotation marks, and full-width marks, to plain ones."""

_BORROWED_TEXT = re.compile(
    r"```.{0,20000}?(?:```|\Z)"  # fenced code
    r"|^[ \t]{0,8}>[^\n]{0,20000}"  # a quoted mail
    # a line of a chat, which names its time and who speaks
    r"|^[ \t]{0,8}\[?(?:\d{1,4}[./-]\d{1,2}[./-]\d{1,4}[, T]{1,3})?\d{1,2}:\d{2}(?::\d{2})?"
    r"(?: ?[AaPp]\.?[Mm]\.?)?\]?[ \t]{0,3}[-\u2013|]?[ \t]{0,3}[^\W\d][^\n:]{0,40}: [^\n]{0,20000}"
    r'|(?<![\w"])"[^"]{1,4000}(?:"|\Z)'
    r"|«[^»]{1,4000}»|「[^」]{1,4000}」"
    r"|(?<!\w)'(?:[^'\n]|(?<=\w)'(?=\w)){1,1000}'(?!\w)",
    re.DOTALL | re.MULTILINE,
)

_FAMOUS_LINE = re.compile(
    r"\b(?:my name is|i am|i'm|the name's|the name is) (?:inigo montoya|forrest(?:, forrest)? "
    r"gump|maximus decimus meridius|slim shady|tyler durden)\b[^\n]{0,200}"
    r"|\b(?:(?:my name is|the name's|the name is) )?bond[.,]{1,3} {0,3}james bond\b"
    r"|\bcall me ishmael\b|\bi am (?:your father|groot|iron man|legend|the walrus)\b",
    re.IGNORECASE,
)
"""What nobody says of themselves, however often it is said."""

_A_TEXT = (
    r"(?:text|article|(?:e-?)?mail|message|letter|note|document|page|web ?site|web ?page|"
    r"paragraph|"
    r"passage|post|tweet|review|transcript|chat|conversation|essay|story|poem|lyrics|cv|résumé|"
    r"resume|bio|"
    r"report|contract|prompt|comment|thread|file|pdf|paper|abstract|statement|testimonial|"
    r"excerpt)s?\b"
)
_HANDED_OVER = re.compile(
    r"\b(?:summari[sz]e|analy[sz]e|classify|shorten|simplify|condense|tl;?dr)\b"
    r"(?=\s*:|\s*$| (?:this|the|these|it|below|for|my|what)\b)"
    rf"|\b(?:read|check|review|fix|edit|correct|improve|polish|format|convert|explain|extract)\b"
    rf"[^.!?\n]{{0,40}}?\b(?:this|the|these|following|below|\w+'s) (?:\w+ ){{0,3}}?{_A_TEXT}"
    r"|\b(?:turn|make|put) (?:this|it|the following) (?:into|in|more|less|shorter|longer|sound)\b"
    rf"|\b(?:here(?:'s| is| are)|below (?:is|are)|this is) (?:the|an?|some|this|what) "
    rf"(?:\w+ ){{0,3}}?{_A_TEXT}"
    rf"|\b(?:got|received|found|copied|pasted|saw) (?:this|the following)\b"
    rf"|\b(?:the|this) {_A_TEXT} (?:reads|says|goes|states|read|said)\b"
    r"|^(?:whats-?app |chat|call|meeting|conversation|e-?mail)[ -]?(?:log|history|transcript|"
    r"thread|export)?\s?:$"
    r"|^(?:subject|from|to|cc|sent|betreff|von|asunto|objet): "
    rf"|\b(?:\w+'s|his|her|their|this|that|the|an?|"
    rf"old) (?:\w+ ){{0,3}}?{_A_TEXT}[^.!?\n:]{{0,40}}:$"
    r"|\b(?<!\bI )(?:wrote|writes|sent(?: me| us)?|forwarded|says|said)"
    r"(?: (?:this|that|me|us|it|today|yesterday|back)){0,2}\s?:?$",
    re.IGNORECASE,
)
"""Words that hand over a text of somebody: from there on it is not the user who speaks."""

_SAID_AFTERWARDS = re.compile(
    r"(?:,| or so| so| as) ?(?:he|she|they|it|(?-i:[A-Z])\w{1,20}|(?:my|the|our|his|her) \w{1,20}) "
    r"(?:said|says|wrote|writes|replied|claims|claimed|told (?:me|us))"
    r"(?: (?:to )?(?:me|us))?\W{0,5}$",
    re.IGNORECASE,
)
"""What names the speaker once the words are said."""

_LETTER_BELOW = re.compile(
    r"(?<=\n)[ \t]{0,8}(?:dear|hi|hello|hey)\b(?! (?:again|there)\b)"
    r"(?: (?!i\b|i'm\b|my\b|we\b)[\w.'-]{1,20}){1,4}[ \t]{0,3}(?:[,:!\u2013-]|$)",
    re.IGNORECASE | re.MULTILINE,
)
"""A salutation below something else: the letter of another."""

_BORROWED_FROM_HERE = re.compile(
    r"(?<!\bI )(?<!\bto )(?<!can't )(?<!cannot )(?<!can )\b"
    r"(?:translate|proofread|paraphrase|rewrite|rephrase|correct this|role-?play|"
    r"pretend|imagine|act as|acting as|hypothetically|suppose|"
    r"how (?:do|would) (?:you|i|we) say|summari[sz]e (?:this|the following)|"
    r"(?:write|draft|compose|tell)\b.{0,40}\b(?:story|poem|letter|e-?mail|message|song|lyrics|"
    r"dialogue|scene|essay|bio|joke|script))\b",
    re.IGNORECASE,
)


def plain_marks(text: str) -> str:
    """A text with plain apostrophes and quotation marks, as not every keyboard types them."""
    return unicodedata.normalize("NFC", text).translate(_SPELLING)


def own_text(text: str) -> str:
    """A message without what its author took from others: code, quoted mail, quotations."""
    said = _BORROWED_TEXT.sub(QUOTED, plain_marks(text[:LONGEST_MESSAGE]))
    return _FAMOUS_LINE.sub(QUOTED, said)


def before_letter(text: str) -> str:
    """A text up to the letter of another that stands below it."""
    for found in _LETTER_BELOW.finditer(text):
        if text[: found.start()].strip():
            return text[: found.start()]
    return text


def handed_over(sentence: str) -> int | None:
    """Where a sentence turns into a text for or of others: a translation, a story, a role."""
    if _SAID_AFTERWARDS.search(sentence):
        return 0
    starts = [
        found.start()
        for pattern in (_BORROWED_FROM_HERE, _HANDED_OVER)
        if (found := pattern.search(sentence))
    ]
    return min(starts, default=None)
