"""What holds only at times, at places or on a condition: "on Mondays", "when I travel"."""

from __future__ import annotations

import re

from .sentences import after_lead_in, clauses

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
    r"(?:in|at|from) (?:this|that|your) (?:place|hotel|restaurant|caf[eé]|canteen|bar|country|city|"
    r"town|shop|house)\b|(?:here|there)(?=\W{0,9}$|,)|"
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
    *earlier, clause = clauses(sentence[:start])
    before = earlier[-1].strip(" ,;:()") if earlier and not after_lead_in(clause).strip() else ""
    if of_travel and _ON_THE_ROAD.match(before):
        return False
    return _LIMITED_BEFORE.match(before) is not None
