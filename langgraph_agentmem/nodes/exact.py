"""Values that no summary may lose: quotes, ids, amounts, dates, phone numbers, addresses, links.

They are found by rule and carried word for word, because a model that summarizes drops or
rounds just these. A rule that finds too much costs a line; one that finds too little costs a
booking. What stands inside a longer value is not listed again. A value that is a secret where it
stands ("my PIN is 4471") is not carried on.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, TypeAlias

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from langgraph_agentmem.extraction.evidence import words_of
from langgraph_agentmem.leaves import MARK

MOST_READ = 200_000
"""Characters of one message that are read for values, half of them from its end."""

MOST_OF_ONE = 50
"""Values of one message, half of them its last: a pasted table must not crowd out a booking."""

LONGEST = 300
"""Characters of a value; a longer quote is prose."""

_MONTHS = (
    r"jan(?:uary|uar|vier)?|feb(?:ruary|ruar)?|f[eé]v(?:rier)?|mar(?:ch|s|zo)?|märz?|apr(?:il|ile)?|"
    r"avr(?:il)?|may|mai|mayo|maggio|maio|june?|juni|juin|junio|giugno|july?|juli|juillet|julio|"
    r"luglio|aug(?:ust)?|ao[uû]t|ago(?:sto)?|sep(?:t|tember|tembre|tiembre)?|set(?:tembre)?|"
    r"o[ck]t(?:ober|obre|ubre)?|ott(?:obre)?|nov(?:ember|embre|iembre)?|de[cz](?:ember|embro)?|"
    r"d[ée]c(?:embre)?|dic(?:iembre|embre)?|enero|ene|gennaio|febbraio|febrero|abril|janeiro|"
    r"fevereiro|março|junho|julho|setembro|outubro|dezembro|januari|februari|maart|augustus"
)
_DAY = r"\d{1,2}(?:st|nd|rd|th|er|\.|º)?"
_OF = r"(?:of\s|de\s|di\s)?"
_CURRENCY = (
    r"US\$|R\$|[$€£¥₹₽₩₿฿₫₺₴]|(?:USD|EUR|GBP|INR|JPY|CHF|CAD|AUD|NZD|CNY|RMB|SEK|NOK|DKK|PLN|CZK|"
    r"BRL|MXN|ZAR|AED|SGD|HKD|KRW|TRY|ILS|THB|Rs\.?|kr|zł)(?![A-Za-z])"
)
_UNIT = (
    r"%|‰|°\s?[CF]\b|元|円|원|(?:percent|euros?|dollars?|pounds?|rupees?|yen|francs?|cents?|"
    r"kg|g|mg|km|m|cm|mm|mi|miles?|ft|feet|inch(?:es)?|lbs?|oz|l|ml|kwh|kw|gb|mb|tb|kb|hz|"
    r"nights?|days?|weeks?|months?|years?|hours?|hrs?|minutes?|mins?|seconds?|ms|people|persons?|"
    r"guests?|adults?|children|kids|rooms?|beds?|tickets?|seats?|bags?|pieces?|stars?)\b"
)
_FIGURE = r"\d{1,3}(?:[ \u00a0\u202f]\d{3})+(?:[.,]\d+)?|\d+(?:[.,'’]\d+)*"
_SCALE = r"(?:\s?(?:k|m|bn|thousand|million|billion|lakh|crore|Mio\.?|Mrd\.?)\b)?"
_STREET = (
    r"(?:street|st|road|rd|avenue|ave|lane|ln|drive|dr|boulevard|blvd|way|court|ct|place|pl|square|"
    r"sq|terrace|close|crescent|highway|hwy|parkway|pkwy|row|walk|gardens|quay|nagar|marg|colony|"
    r"sector|chowk|salai)\b\.?"
)
_NAME = r"[^\W\d_][\w'’.\-]{0,30}"
_PART = r"(?:[^\W\d_a-z][\w'’\-]{0,30}|\d[\w\-]{0,10})"
_REST = rf"(?:,\s?{_PART}(?:\s{_PART}){{0,4}}){{0,4}}"
"""What may follow a street: parts that start with a capital or a figure, such as a town."""

_QUOTES = (
    r'"[^"\n]{2,300}"',
    r"“[^“”\n]{2,300}”|„[^„“”\n]{2,300}[“”]|«[^«»\n]{2,300}»|`[^`\n]{2,300}`",
    r"「[^「」\n]{1,300}」|『[^『』\n]{1,300}』",
    # An apostrophe ends no quote.
    r"(?<!\w)['‘](?:[^'‘’\n]|(?<=\w)['’](?=\w)){2,300}['’](?!\w)",
)
_LINKS = (
    r"https?://[^\s<>\"'`]{1,290}",
    r"(?<![\w.+%-])[\w+%-][\w.+%-]{0,63}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}",
)
_CODES = (
    (
        r"(?i:\b(?:reference|ref|code|confirmation|booking|locator|pnr|id|tracking|ticket|order)\b"
        r"\.?(?:\s(?:number|code|id))?(?:\sis|\swas)?[\s:#]{1,3})(?P<value>[A-Z]{4,12})\b"
    ),
)
_ADDRESSES = (
    rf"(?<!\w)\d{{1,5}}[A-Za-z]?(?:[/-]\d{{1,4}})?,?\s(?:{_NAME}\s){{1,4}}?(?i:{_STREET}){_REST}",
    (
        rf"(?<!\w)(?:{_PART}\s){{0,2}}[\w.\-]{{0,30}}(?i:straße|strasse|str\.|gasse|weg|platz|allee|"
        rf"ufer|damm|straat|laan|gatan|vej|vägen)\s\d{{1,4}}\s?[a-z]?\b{_REST}"
    ),
    (
        r"(?<!\w)\d{1,4}(?:\s?(?:bis|ter))?,?\s(?:rue|avenue|boulevard|place|quai|chemin|impasse|"
        rf"allée)\s(?:[\w'’.\-]{{1,30}}\s?){{1,4}}{_REST}"
    ),
    (
        r"(?<!\w)(?i:calle|avenida|plaza|paseo|via|viale|piazza|corso|rua|praça)\s"
        rf"(?:{_NAME}\s){{0,4}}{_NAME},?\s(?:n\.?º?\s?)?\d{{1,5}}\b{_REST}"
    ),
)
_DATES = (
    (
        r"(?<!\d)\d{4}-\d{1,2}-\d{1,2}"
        r"(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?"
    ),
    r"(?<![\d.])\d{1,2}([./-])\d{1,2}\1\d{2,4}(?!\d)",
    rf"(?<!\d){_DAY}\s?{_OF}(?i:{_MONTHS})\b\.?,?(?:\s{_OF}\d{{4}})?",
    # A month in any language stands between a day and a year.
    rf"(?<!\d){_DAY}\s{_OF}[^\s\d.,;:]{{2,20}}\.?\s{_OF}(?:19|20)\d{{2}}(?!\d)",
    rf"\b(?i:{_MONTHS})\.?\s(?:{_DAY}(?!\d)(?:,?\s\d{{4}})?|\d{{4}})",
    r"(?:\d{2,4}\s?年\s?)?\d{1,2}\s?月(?:\s?\d{1,2}\s?日)?",
    r"\d{2,4}\s?년(?:\s?\d{1,2}\s?월\s?\d{1,2}\s?일)?",
    r"(?<!\d)\d{1,2}[:h]\d{2}(?::\d{2})?(?:\s?(?i:[ap]\.?m\.?\b|Uhr\b))?",
    r"(?<!\d)\d{1,2}\s?(?i:[ap]\.?m\.?)\b",
)
_AMOUNTS = (
    rf"(?:{_CURRENCY})\s?-?(?:{_FIGURE}){_SCALE}",
    rf"(?<![\w.,])[-+]?(?:{_FIGURE}){_SCALE}\s?(?i:{_CURRENCY}|{_UNIT})",
    r"(?<![\w.,])[-+]?\d+(?:[.,]\d+)+(?!\w)",
)
_NUMBERS = (
    # An account, a phone or a card, a flight, a British postcode, a number by itself.
    r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b",
    r"(?<![\w.])(?:\+\s?|00)?\(?\d(?:[ \u00a0().\-/]{0,2}\d){6,18}(?!\w)",
    r"\b[A-Z]{1,4}\s\d{2,5}[A-Z]?\b",
    r"\b[A-Z]{1,2}\d[A-Z\d]?\s\d[A-Z]{2}\b",
    r"(?<!\w)\d{3,}(?!\w)",
    (
        r"\b(?i:no\.|nr\.|number|room|seat|gate|flight|platform|floor|unit|flat|apartment|table|bus|"
        r"line|page|ticket|order|code|pin|id)\s\d{1,10}\b"
    ),
)
_IDS = (
    # Letters and figures together.
    (
        r"(?<![\w/@.-])(?=[\w./:#-]{0,120}?\d)(?=[\w./:#-]{0,120}?[^\W\d_])"
        r"[^\W_](?:[\w./:#-]{0,120}[^\W_])?(?!\w)"
    ),
    r"(?<![\w#])#\s?\w{1,40}",
)

_ELSEWHERE = (
    # Figures of other scripts.
    r"(?:(?![0-9])\d)+(?:[.,:/-]\d+)*",
)


def _compiled(rules: Iterable[str], *, latin: bool) -> tuple[re.Pattern[str], ...]:
    """The rules; `latin` ends words where Latin letters end, as where Chinese goes on."""
    return tuple(re.compile(f"(?a:{rule})" if latin else rule) for rule in rules)


_ALWAYS = (*_compiled(_QUOTES, latin=False), *_compiled((*_LINKS, *_CODES), latin=True))
_WITH_FIGURES = (
    *_compiled((*_ADDRESSES, *_ELSEWHERE), latin=False),
    *_compiled((*_DATES, *_AMOUNTS, *_NUMBERS, *_IDS), latin=True),
)
"""Rules for lines in which a figure stands; most lines have none."""

_FIGURES = re.compile(r"\d")

_CODE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)

_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th|s|x|er)", re.IGNORECASE)
"""What looks like an id and is none: 1st, 2x, 1990s."""


Secret = Callable[[str], bool]
"""Whether a few words hold a secret."""

_AROUND = 150
"""Characters before a value, and after it, that say what it is."""

_ANOTHER, _ANYTHING = "x", "q7x4z9k2"
"""What stands for the other values of a line, and for a value that is looked away from."""

_LIKE_AN_ID = re.compile(
    r"(?:(?![srp]k)[a-z]{2,10}[_-])?(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64})", re.IGNORECASE
)
"""Hex as databases and commits make their ids; a key only where it is called one."""

_MOST_PLACES = 20
"""Different places of one value that are looked at."""

Places: TypeAlias = dict[str, dict[tuple[str, str], None]]
"""Each value with the words before and after it, wherever it stands."""


def values_in(text: str) -> list[str]:
    """The values in a text, word for word, in the order in which they stand."""
    return list(_placed(text))


def _placed(text: str, label: str = "") -> Places:
    """The values of a text that is called `label`."""
    places: Places = {}
    said = label
    for line in text.splitlines():
        spans = _spans_in_line(line)
        edges = [0, *chain.from_iterable(spans), len(line)]
        gaps = [line[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True)]
        gaps[0] = f"{said[-_AROUND:]}\n{gaps[0]}"
        for at, (start, end) in enumerate(spans, start=1):
            if not _is_no_value(value := line[start:end]):
                before, after = gaps[max(at - 3, 0) : at], gaps[at : at + 3]
                place = _ANOTHER.join(before)[-_AROUND:], _ANOTHER.join(after)[:_AROUND]
                where = places.setdefault(value, {})
                if len(where) < _MOST_PLACES:
                    where[place] = None
        said = line if line.strip() else said
    return places


def _is_secret(value: str, places: Iterable[tuple[str, str]], secret: Secret) -> bool:
    """Whether a value is a secret in one of its places: it is called one, or has the shape."""
    # Ids of databases have the shape of keys.
    said = _ANYTHING if _LIKE_AN_ID.fullmatch(value) else value
    return any(
        secret(f"{before}{said}{after}") and not secret(f"{before}{_ANOTHER}{after}")
        for before, after in places
    )


def _spans_in_line(line: str) -> list[tuple[int, int]]:
    rules = (*_ALWAYS, *_WITH_FIGURES) if _FIGURES.search(line) else _ALWAYS
    spans: set[tuple[int, int]] = set()
    for rule in rules:
        group = "value" if "value" in rule.groupindex else 0
        for found in rule.finditer(line):
            start, end = found.span(group)
            end = start + len(line[start:end].rstrip(" \t.,;:!?"))
            if 0 < end - start <= LONGEST:
                spans.add((start, end))
    return list(_outermost(spans))


def _is_no_value(value: str) -> bool:
    return MARK in value or _ORDINAL.fullmatch(value) is not None


def _outermost(spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The spans that stand in no other, from left to right."""
    reach = 0
    for start, end in sorted(spans, key=lambda span: (span[0], -span[1])):
        if end > reach:
            yield start, end
            reach = end


@dataclass(frozen=True, slots=True)
class Found:
    """Values in messages: those that people and the assistant wrote, and those that only tools
    did (what calls were given and what they returned). `crowded_out` counts those of a message
    that has too many, `secrets` those that are not carried on, `unread` characters of messages
    that are too long.
    """

    said: list[str]
    by_tools: list[str]
    crowded_out: int
    secrets: int
    unread: int


def _harmless(_words: str) -> bool:
    return False


def exact_values(messages: Iterable[BaseMessage], secret: Secret = _harmless) -> Found:
    """The values in these messages, but for those that `secret` finds in a few words. Code that
    the assistant wrote has none: it is full of quotes and numbers that nobody will ask for.
    """
    said: dict[str, None] = {}
    by_tools: dict[str, None] = {}
    hidden: set[str] = set()
    crowded_out = unread = 0

    def shown(places: Places) -> dict[str, None]:
        secrets = {each for each, where in places.items() if _is_secret(each, where, secret)}
        hidden.update(secrets)
        return {value: None for value in places if value not in secrets}

    for message in messages:
        words = words_of(message)
        unread += max(len(words) - MOST_READ, 0)
        is_result = isinstance(message, ToolMessage)
        if isinstance(message, AIMessage):
            words = _CODE.sub("", words)
        read = _read(words)
        places = _placed_by_tool(read) if is_result else _placed(read)
        found, half = list(places), MOST_OF_ONE // 2
        kept = found if len(found) <= MOST_OF_ONE else [*found[:half], *found[-half:]]
        crowded_out += len(found) - len(kept)
        # Most messages hold no secret, which is seen in one look; data is read with its labels.
        doubtful = bool(kept) and (is_result or secret(read))
        looked_at = {each: places[each] if doubtful else {} for each in kept}
        (by_tools if is_result else said).update(shown(looked_at))
        if isinstance(message, AIMessage):
            for call in message.tool_calls:
                by_tools.update(shown(_placed_in_data(call["args"])))
    # What is called a secret in one message is none elsewhere either.
    told = [value for value in said if value not in hidden]
    returned = [value for value in by_tools if value not in said and value not in hidden]
    return Found(told, returned, crowded_out, len(hidden), unread)


def _read(text: str) -> str:
    half = MOST_READ // 2
    return text if len(text) <= MOST_READ else f"{text[:half]}\n{text[-half:]}"


def _placed_by_tool(text: str) -> Places:
    """JSON is read leaf by leaf: its own quotes quote nobody."""
    if text.lstrip()[:1] in {"{", "["}:
        try:
            data = json.loads(text)
        except (ValueError, RecursionError):
            pass
        else:
            return _placed_in_data(data)
    return _placed(text)


def _placed_in_data(data: Any) -> Places:
    places: Places = {}
    waiting = [("", data)]
    while waiting:
        label, found = waiting.pop()
        match found:
            case str() | int() | float() if not isinstance(found, bool):
                for value, where in _placed(str(found), label).items():
                    places.setdefault(value, {}).update(where)
            case Mapping() as inner:
                waiting.extend((f"{key}:", each) for key, each in reversed(list(inner.items())))
            case Sequence() as inner if not isinstance(inner, str):
                waiting.extend((label, each) for each in reversed(list(inner)))
    return places


def missing_from(text: str, values: Iterable[str]) -> list[str]:
    """The values that do not stand word for word in a text."""
    return [
        value
        for value in values
        if re.search(rf"(?a:(?<!\w){re.escape(value)}(?!\w))", text) is None
    ]
