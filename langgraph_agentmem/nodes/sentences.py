"""What a person asserts: which words of a message are a statement of their own.

Words count as the user's statement only when what stands before them in their clause is a known
lead-in ("by the way", "remember that", "my wife and"). Reported speech, hypotheticals, wishes,
doubts, negations and questions all put something else there, so none of them needs a rule.

Everything here takes linear time: a message is read up to `LONGEST_MESSAGE` characters, a
sentence of more than `LONGEST_SENTENCE` is passed over, and every quantifier is bounded.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from itertools import pairwise

from langgraph_agentmem.extraction.evidence import LONGEST_MESSAGE

from .tone import in_jest

LONGEST_SENTENCE = 600
"""Characters of the longest sentence that is understood."""

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

_SENTENCE_END = re.compile(
    r"(?<!\b(?:St|Mr|Ms|Dr|Mt|Ft|Jr|Sr))(?<!\bMrs)(?<!\b[A-HJ-Z])[.!?…。]{1,9}(?=\s|\Z)|。|\n+"
)

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
    r"please|actually|and|but|so|because|since|as|plus|also|well|oh|okay|ok|yes|yeah|yep|no|nope|"
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
    r"|\bin (?:the|this|my) (?:novel|story|dreams?|game|movie|film|song|play|book)\b",
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


_DAYS = (
    r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|week-?ends?|week-?days?|holidays?|vacation|"
    r"(?:work(?:ing)?|school|rest|odd|even|alternate|some|most|certain) ?days|special occasions|"
    r"occasion|business|duty|shifts?)"
)
_SEASON = (
    r"(?:lent|advent|ramadan|passover|veganuary|christmas|easter|summers?|winters?|springs?|"
    r"autumns?|january|february|march|april|may|june|july|august|september|october|november|"
    r"december|the (?:(?:early |late )?(?:day|night|week|weekend|month|season|year|rest of)|"
    r"(?:early |late )?(?:mornings?|afternoons?|evenings?|summers?|winters?|springs?|autumns?|"
    r"fall|holidays?))(?! moment))"
)
_SPAN = (
    r"(?:(?:an?|one|two|three|four|five|six|seven|ten|\d{1,3}|some|the next|a few|a couple of)"
    r"(?: \w{1,12})? (?:hours?|days?|weeks?|months?|years?|semesters?|summer|winter|while|bit))"
)
_PLACE = (
    r"(?:home|work|school|uni|university|weekends?|night|lunch|lunchtime|breakfast|dinner|"
    r"christmas|easter|parties|restaurants|conferences|(?:the|my) (?:office|moment of|parents\S*))"
)
_FLIGHTS = (
    r"(?:(?:long|short|night|overnight|early|late|red-eye|domestic|international|morning|evening|"
    r"day)(?:[ -](?:haul|distance|er))? ?(?:flights?|trips?|journeys?|trains?|stays?|hauls?)?)"
)
_LIMIT = (
    rf"(?:on (?:most |some |alternate |the |every )?{_DAYS}|(?:on|for) {_FLIGHTS}|"
    rf"(?:every|each) (?:other |second )?(?:{_DAYS}|day|week|month|summer|winter|year)|"
    rf"{_DAYS}(?: only)?(?=\W{{0,9}}$)|"
    rf"(?:during|throughout) \w|(?:in|for|over) {_SEASON}\b|for {_SPAN}|for (?:today|tonight|"
    r"this (?:\w+ )?(?:day|week|weekend|month|year|summer|winter|trip only))|"
    r"this (?:week|weekend|month|summer|winter|spring|autumn|evening|time|once)|"
    r"on (?:this|that|the (?:next|first|last|return|outbound|way)|my (?:next|return)|"
    r"(?-i:[A-Z]{2}) ?\d{2,4}\b)|for (?:tomorrow|next|\w{3,6}day)\b|"
    r"today|tonight|tomorrow|"
    r"(?:one|two|three|four|five|six|\d|a few|several|some|most) (?:days?|times?|nights?|months?)"
    r" (?:a|per|each|of) |half (?:of )?the |part[- ]time|(?:most|some|half|part) of the |"
    rf"at {_PLACE}|in (?:restaurants?|public|private|company|theory|spirit)|"
    r"(?:un)?till? |(?:before|after) (?:noon|six|dinner|\d)|"
    rf"from {_SEASON} (?:to|till?|until|through) |"
    r"(?:sometimes|occasionally|now and then|on and off|off and on|by day|by night)\b|"
    r"when(?:ever)? (?!possible|available|you\b|(?:is|are|was|do|does|did|can|could|will|would|"
    r"should|shall)\b)|(?:while|whilst|once) (?:I|we|at|in|on|pregnant|travel\w*)\b|"
    r"(?:as long as|provided|depending|except|apart from|aside from|unless) |"
    r"if (?!it helps|that helps|possible|available|you\b|there))"
)
_LIMITED_AFTER = re.compile(
    rf"(?:'s)?[\s,;(\u2013\u2014-]{{1,4}}(?:(?:but|and|though|however|or) )?(?:(?:at least|only|"
    rf"just|mostly|mainly|usually|not) ){{0,2}}{_LIMIT}",
    re.IGNORECASE,
)
_LIMITED_BEFORE = re.compile(
    r"(?:(?:but|and|so|only|well) ){0,2}(?:"
    rf"(?:on (?:most |some |the )?{_DAYS}|(?:on|for) {_FLIGHTS}|during \w[^,;]{{0,60}}|"
    rf"in {_SEASON}|at {_PLACE})\s{{0,3}}$"
    r"|(?:whenever|every time|as long as|until|while) "
    r"|when (?:I|we)(?:'m|'re| am| are| go| eat| stay| visit| work| cook| travel| fly)\b)",
    re.IGNORECASE,
)


_EVENT = re.compile(
    r"\b(?:moved|relocated|gone|became|become|went|turned|switched|started|joined)\b", re.IGNORECASE
)
_EVENT_UNDONE = re.compile(
    r"\W{1,4}(?:\w+ ){0,3}?(?:for|until|till|on|every|each|unless|except)\b", re.IGNORECASE
)
_SO_FAR = re.compile(rf"\W{{1,4}}for {_SPAN}", re.IGNORECASE)


_ON_THE_ROAD = re.compile(
    r"\W{0,4}when(?:ever)? (?:I|we)(?:'m|'re| am| are)? (?:fly|travel|flying|travell?ing)\W{0,9}$",
    re.IGNORECASE,
)


def limited(sentence: str, start: int, end: int, after: str, *, of_travel: bool) -> bool:
    """True when a statement holds only at times, at places or on a condition: what follows its
    value (`after`) says so, or the clause before its words, which stand from `start` to `end`.

    What holds "now" or "for now" holds, an event has a time of its own, and what is said of
    travelling (`of_travel`) is not limited by "when I travel".
    """
    words = sentence[start:end]
    if (found := _LIMITED_AFTER.match(after[:120])) and not (
        of_travel and (_ON_THE_ROAD.match(after) or _SO_FAR.match(found[0]))
    ):
        if _EVENT.search(words):
            return _EVENT_UNDONE.match(found[0]) is not None
        been = re.search(r"\b(?:been|have|i've|we've)\b", words, re.IGNORECASE)
        since = been or re.match(r" (?:now|already)\b", after[found.end() :])
        return not (since and _SO_FAR.match(found[0]))
    *earlier, clause = _clauses(sentence[:start])
    before = earlier[-1].strip(" ,;:()") if earlier and not after_lead_in(clause).strip() else ""
    if of_travel and _ON_THE_ROAD.match(before):
        return False
    return _LIMITED_BEFORE.match(before) is not None


def plain_marks(text: str) -> str:
    """A text with plain apostrophes and quotation marks, as not every keyboard types them."""
    return unicodedata.normalize("NFC", text).translate(_SPELLING)


def own_text(text: str) -> str:
    """A message without what its author took from others: code, quoted mail, quotations."""
    return _BORROWED_TEXT.sub(QUOTED, plain_marks(text[:LONGEST_MESSAGE]))


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
    said = own_text(text)
    letter = next(
        (each.start() for each in _LETTER_BELOW.finditer(said) if said[: each.start()].strip()),
        None,
    )
    for sentence in _sentences(said[:letter]):
        if in_jest(sentence):
            continue
        starts = [
            found.start()
            for pattern in (_BORROWED_FROM_HERE, _HANDED_OVER)
            if (found := pattern.search(sentence))
        ]
        yield sentence[: min(starts)] if starts else sentence
        if starts:
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


def _clauses(text: str) -> list[str]:
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
    *earlier, clause = _clauses(sentence[:start])
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
        supposed = any(_SUPPOSED.match(after_lead_in(each)) for each in _clauses(sentence[:end]))
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
