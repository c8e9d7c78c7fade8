"""How languages besides English say "in May", "last summer", "yesterday".

Names of months, days and seasons are those of the Unicode CLDR. Each language says by itself what
stands before a month or a day, so that the Mars of an English question is no French March. What a
form has read comes out in English words, which `dates` turns into days.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

MONTHS = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")

_DAY = r"(?P<day>\d{1,2})"
_YEAR = r"(?<![0-9A-Za-z])(?P<year>(?:19|20)\d\d)(?![0-9A-Za-z])"
_MARKS = re.compile("[\u0300-\u036f]")


def folded(text: str) -> str:
    """A text without accents and case."""
    bare = _MARKS.sub("", unicodedata.normalize("NFKD", text.casefold()))
    return unicodedata.normalize("NFC", bare)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tongue:
    """How one language names days; words stand with spaces between them, other forms of the same
    word with a bar.

    Args:
        months: January first.
        weekdays: Monday first.
        seasons: Spring, summer, autumn, winter.
        units: Week, weekend, month, year.
        last: What says "last", before or after its noun.
        this: What says "this", before its noun.
        yesterday, today: These words.
        day: What a day of the month looks like before the month.
        of: What stands between month and year.
        before: What stands before a month that a question is about.
        after: What stands after it.
    """

    months: str
    weekdays: str
    seasons: str
    units: str
    last: str
    this: str
    yesterday: str
    today: str
    day: str = _DAY
    of: str = r"\s+"
    before: str = ""
    after: str = ""

    def english(self) -> Mapping[str, str]:
        """Each of its words, folded, in English."""
        pairs = [
            *zip(self.months.split(), MONTHS, strict=True),
            *zip(self.weekdays.split(), WEEKDAYS, strict=True),
            *zip(self.seasons.split(), ("spring", "summer", "autumn", "winter"), strict=True),
            *zip(self.units.split(), ("week", "weekend", "month", "year"), strict=True),
            *((word, "last") for word in self.last.split()),
            *((word, "this") for word in self.this.split()),
            (self.yesterday, "yesterday"),
            (self.today, "today"),
        ]
        return {
            folded(form): english for forms, english in pairs for form in forms.split("|") if form
        }


TONGUES = (
    Tongue(  # German
        months="januar|jänner februar märz april mai juni juli august september oktober november "
        "dezember",
        weekdays="montag dienstag mittwoch donnerstag freitag samstag|sonnabend sonntag",
        seasons="frühling|frühjahr sommer herbst winter",
        units="woche wochenende monat jahr",
        last="letzten|letzter|letztes|letzte|letztem|vorigen|voriges|vorige|vergangenen|"
        "vergangenes|vergangene",
        this="diesen|dieses|diese|diesem|dieser",
        yesterday="gestern",
        today="heute",
        day=rf"{_DAY}\.",
        before="im in seit bis ab anfang mitte ende",
    ),
    Tongue(  # Spanish
        months="enero febrero marzo abril mayo junio julio agosto septiembre|setiembre octubre "
        "noviembre diciembre",
        weekdays="lunes martes miércoles jueves viernes sábado domingo",
        seasons="primavera verano otoño invierno",
        units="semana finde mes año",
        last="pasado|pasada|último|última",
        this="este|esta",
        yesterday="ayer",
        today="hoy",
        day=rf"{_DAY}\s+de",
        of=r"\s+(?:del?\s+)?",
        before="en de desde hasta durante",
    ),
    Tongue(  # French
        months="janvier février mars avril mai juin juillet août septembre octobre novembre "
        "décembre",
        weekdays="lundi mardi mercredi jeudi vendredi samedi dimanche",
        seasons="printemps été automne hiver",
        units="semaine week-end mois an|année",
        last="dernier|dernière|passé|passée",
        this="ce|cet|cette",
        yesterday="hier",
        today="aujourd'hui|aujourd’hui",  # noqa: RUF001 - as it is printed
        day=rf"(?:le|du|au)\s+{_DAY}(?:er)?",
        before="en depuis début fin",
    ),
    Tongue(  # Italian
        months="gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre "
        "novembre dicembre",
        weekdays="lunedì martedì mercoledì giovedì venerdì sabato domenica",
        seasons="primavera estate autunno inverno",
        units="settimana weekend mese anno",
        last="scorso|scorsa|ultimo|ultima",
        this="questo|questa",
        yesterday="ieri",
        today="oggi",
        day=rf"(?:il|dal|al)\s+{_DAY}",
        before="a ad di da dal nel in",
    ),
    Tongue(  # Portuguese
        months="janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro "
        "dezembro",
        weekdays="segunda-feira terça-feira quarta-feira quinta-feira sexta-feira sábado domingo",
        seasons="primavera verão outono inverno",
        units="semana fim-de-semana mês ano",
        last="passado|passada|último|última",
        this="este|esta|neste|nesta",
        yesterday="ontem",
        today="hoje",
        day=rf"{_DAY}\s+de",
        of=r"\s+(?:de\s+)?",
        before="em de desde até",
    ),
    Tongue(  # Hindi, whose word for yesterday is also that for tomorrow
        months="जनवरी फरवरी|फ़रवरी मार्च अप्रैल मई जून जुलाई अगस्त सितंबर|सितम्बर अक्टूबर|अक्तूबर "
        "नवंबर|नवम्बर दिसंबर|दिसम्बर",
        weekdays="सोमवार मंगलवार बुधवार गुरुवार शुक्रवार शनिवार रविवार",
        seasons="वसंत गर्मी|गर्मियों शरद सर्दी|सर्दियों",
        units="हफ्ते|हफ़्ते|सप्ताह सप्ताहांत महीने|माह साल|वर्ष",
        last="पिछले|पिछली|पिछला|बीते",
        this="इस",
        yesterday="",
        today="आज",
        after="में से को तक के",
    ),
)


@dataclass(frozen=True, slots=True)
class Reader:
    """The forms of a language, the longest first, and its words in English."""

    forms: tuple[re.Pattern[str], ...]
    english: Mapping[str, str]

    def parts(self, match: re.Match[str]) -> dict[str, str | None]:
        """What a form has read, in English words and figures."""
        found = match.groupdict()
        return {name: word and self.english.get(word, word) for name, word in found.items()}


_NUMERALS = ("一", "二", "三", "四", "五", "六", "七", "八", "九", "十", "十一", "十二")

_EAST_ASIAN = {
    **dict.fromkeys(("去年", "昨年", "上个", "上個", "上", "先"), "last"),
    **dict.fromkeys(("今年", "这个", "這個", "这", "這", "今"), "this"),
    **dict.fromkeys(("昨天", "昨日"), "yesterday"),
    **dict.fromkeys(("今天", "今日"), "today"),
    **dict.fromkeys(("周", "週", "星期"), "week"),
    "月": "month",
    "春": "spring",
    "夏": "summer",
    "秋": "autumn",
    "冬": "winter",
    **{numeral: str(number) for number, numeral in enumerate(_NUMERALS, start=1)},
}


def _east_asian() -> Reader:
    """Chinese and Japanese, which write most of this alike, without spaces."""
    years = "(?P<years>去年|昨年|今年)"
    month = r"(?<!\d)(?P<month>1[0-2]|[1-9]|十[一二]?|[一二三四五六七八九])月(?!前|間|间)"
    forms = (
        rf"(?:{_YEAR}年)\s*{month}(?:(?P<day>\d{{1,2}})[日号號])?",
        rf"(?:{years}の?)?{month}(?:(?P<day>\d{{1,2}})[日号號])?",
        rf"(?:{years}|{_YEAR}年)の?(?P<season>[春夏秋冬])[天季]?",
        "(?P<which>上个|上個|这个|這個|上|先|今)(?P<unit>月)",
        "(?P<which>上个|上個|这个|這個|上|这|這|先|今)(?P<unit>周|週|星期)(?![一二三四五六日天末])",
        "(?P<word>昨天|昨日|今天|今日)",
        years,
        rf"{_YEAR}年",
    )
    return Reader(tuple(re.compile(form) for form in forms), _EAST_ASIAN)


def _reader(tongue: Tongue) -> Reader:
    english = tongue.english()

    def any_of(*wanted: str) -> str:
        forms = sorted((word for word, said in english.items() if said in wanted), key=len)
        return "|".join(re.escape(form) for form in reversed(forms)) or r"(?!)"

    def one_of(spaced: str) -> str:
        return "|".join(re.escape(folded(word)) for word in spaced.split())

    month = rf"(?P<name>{any_of(*MONTHS)})"
    season = rf"(?P<season>{any_of('spring', 'summer', 'autumn', 'winter')})"
    unit = rf"(?P<unit>{any_of('week', 'weekend', 'month', 'year')})"
    weekday = rf"(?P<weekday>{any_of(*WEEKDAYS)})"
    noun = rf"(?:{month}|{season}|{unit}|{weekday})"
    forms = [
        rf"{tongue.day}\s+{month}(?!\w)(?:{tongue.of}{_YEAR})?",
        rf"{_DAY}\s+{month}{tongue.of}{_YEAR}",
        rf"{month}{tongue.of}{_YEAR}",
        rf"(?P<which>{any_of('last')})\s+{noun}(?!\w)",
        rf"(?P<which>{any_of('this')})\s+(?:{month}|{season}|{unit})(?!\w)",
        rf"{noun}\s+(?P<which>{any_of('last')})(?!\w)",
        rf"{season}{tongue.of}{_YEAR}",
        rf"(?P<word>{any_of('yesterday', 'today')})(?!\w)",
    ]
    if tongue.before:
        forms.append(rf"(?:{one_of(tongue.before)})\s+{month}(?!\w)")
    if tongue.after:
        forms.append(rf"{month}\s+(?:{one_of(tongue.after)})(?!\w)")
    return Reader(tuple(re.compile(rf"(?<!\w){form}") for form in forms), english)


@cache
def _readers() -> tuple[Reader, ...]:
    return tuple(_reader(tongue) for tongue in TONGUES)


@cache
def _east_asian_reader() -> Reader:
    return _east_asian()


_WRITTEN = re.compile("[年月周週天日期]")
_APART = re.compile(r"[\s.,;:!?¿¡()\"«»]+")


def readers_for(text: str) -> Iterator[Reader]:
    """Those whose words stand in a folded text: in most texts none."""
    there = set(_APART.split(text))
    for reader in _readers():
        if not there.isdisjoint(reader.english):
            yield reader
    if _WRITTEN.search(text):
        yield _east_asian_reader()
