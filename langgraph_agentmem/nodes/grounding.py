"""Whether the user's words bear out what a model read in them, and whether it is theirs.

The value, or its quote and half of the value's words, must stand in the user's own sentences, and
the clause that says it must be about the user: not asked, supposed, wished, denied, reported, said
of somebody else, or quoted. A fact about somebody else is the user's own knowledge when its topic
names them (`family.sister.allergy`).

Whose fact it is is read in English, and from the commonest words in German, Spanish, French,
Italian and Portuguese, less in Chinese, Japanese and Hindi. In other languages the words must still
stand there, and questions and quotations are left out; the rest is the model's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from langgraph_agentmem.extraction.topics import normalise_topic

from .borrowed import QUOTED, own_text, plain_marks
from .render import one_line
from .sentences import only_asked, own_sentences, said_in_jest

LONGEST_VALUE = 300
"""Characters of a value; a longer one is no fact."""

_A_PERSON = (
    r"(?:wife|husband|partner|spouse|fianc[ée]e?|girlfriend|boyfriend|ex|daughters?|sons?|"
    r"bab(?:y|ies)|"
    r"child(?:ren)?|kids?|toddler|mother|mum|mom|father|dad|parents?|sisters?|brothers?|siblings?|"
    r"grand(?:mother|father|parents?|ma|pa|son|daughter|kids)|aunt|uncle|nieces?|nephews?|"
    r"cousins?|"
    r"in-laws?|(?:mother|father|sister|brother)-in-law|friends?|mates?|buddy|flatmates?|"
    r"roommates?|"
    r"housemates?|colleagues?|co-?workers?|boss|manager|team|neighbou?rs?|teacher|doctor|dentist|"
    r"landlord|landlady|client|customer|guests?|patient|student|dog|cat|pets?|horse|rabbit|"
    r"hamster|"
    r"narrator|character|waiter|waitress|driver|people|everyone|everybody|somebody|someone|nobody|"
    r"guy|man|woman|girl|boy|lady)"
)
_A_PERSON_ELSEWHERE = (
    r"(?:frau|mann|partnerin|freund(?:in|e)?|töchter|tochter|söhne|sohn|kind(?:er)?|mutter|vater|"
    r"eltern|schwester|bruder|geschwister|oma|opa|tante|onkel|kolleg(?:e|in|en)|chef(?:in)?|"
    r"nachbar(?:in|n)?|mama|papa|"
    r"mujer|esposa|esposo|marido|novi[oa]|hij[oa]s?|madre|padre|padres|herman[oa]s?|abuel[oa]s?|"
    r"amig[oa]s?|jef[ea]|compañer[oa]s?|vecin[oa]s?|tí[oa]|prim[oa]|"
    r"femme|mari|copine?|fille|fils|enfants?|mère|père|parents|sœur|soeur|frère|ami[es]?|"
    r"collègue|voisine?|patronne?|"
    r"moglie|marito|figli[oae]?|sorell[ae]|fratell[oi]|amic[oahi]+|colleg[ah]i?|nonn[oa]|"
    r"filh[oa]s?|mãe|pai|irmãos?|irmãs?|esposa|namorad[oa]|vizinh[oa])"
)
_MINE_ELSEWHERE = (
    r"(?:mein(?:e[nrms]?)?|unser(?:e[nrms]?)?|mis?|nuestr[oa]s?|mon|ma|mes|notre|nos|(?:il )?mio|"
    r"(?:la )?mia|nostr[oa]|(?:o )?meu|(?:a )?minha|noss[oa])"
)
_SOMEBODY_ELSEWHERE = re.compile(
    rf"\b{_MINE_ELSEWHERE} (?:\w+ )?{_A_PERSON_ELSEWHERE}\b"
    r"|(?:我的?|私の|僕の|मेर[ेाी]\s)\s?(?:\w*)?(?:朋友|姐姐|哥哥|妹妹|弟弟|妈妈|爸爸|老板|同事|妻子|丈夫|儿子|女儿|"
    r"友達|友人|母|父|姉|兄|妹|弟|上司|妻|夫|息子|娘|दोस्त|भाई|बहन|माँ|पिता|पति|पत्नी|बेट[ाी])",
    re.IGNORECASE,
)
_OF_SOMEBODY = re.compile(
    rf"\b(?:my|our|his|her|their|your|the|a|an|some|this|that|[A-Z]\w+'s)\s(?:[\w-]+\s){{0,2}}?"
    rf"{_A_PERSON}\b(?:'s)?",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"(?:^|[,;:]\s?|\band |\bbut |\bbecause |"
    r"\bwhile )(?!I\b)(?P<name>[A-Z][a-z]{1,20})(?:'s \w+)? "
    r"(?:is|was|has|had|hates?|likes?|loves?|lives?|works?|said|says|wants?|prefers?|can't|cannot|"
    r"doesn't|does|eats?|drinks?|needs?|thinks?|told|moved|enjoys?)\b"
)
_SUBJECT = re.compile(
    r"\b(?P<own>ich|wir|yo|nosotr[oa]s|je|j'\w+|nous|io|noi|eu|nós|im|ive|I|I'm|I've|I'd|I'll|"
    r"we|we're|"
    r"we've|we'd|me|myself|us)\b(?!')"
    r"|\b(?P<other>he|she|they|you|he's|she's|they're|you're|he'd|she'd|they've|you've)\b(?!')"
    r"|(?:^|[,;:]\s?|\band |\bbut |\bso |\bbecause |\bthat )(?P<theirs>his|her|their|your)\b",
    re.IGNORECASE,
)
_WHO = re.compile(rf"\b{_A_PERSON}\b,? (?:who|that|whose|called|named)\b", re.IGNORECASE)
_SAID_OF_ONE = re.compile(
    r"\b(?P<who>\w+)(?: (?:always|often|once|just|keeps?|still|also|never)){0,2} "
    r"(?:said|says|say|saying|claims?|claimed|thinks?|thought|reckons?|believes?|swears?|jokes?|"
    r"joked|"
    r"insists?|told (?:me|us|him|her|them)|asked|asks|wrote|writes|calls?)\b",
    re.IGNORECASE,
)
_WHO_KNOWS = frozenset(
    {"i", "doctor", "doc", "gp", "dentist", "physician", "specialist", "test", "tests", "results"}
)
"""Whose word about the user counts: their own, and that of those who examine them."""

_CUT = re.compile(
    r"[,;:()\u2013\u2014]|\s-\s|\b(?:and|but|so|because|since|plus|while|then)\b", re.IGNORECASE
)
_DENIED = re.compile(
    r"\b(?:not|never|no|neither|nobody|no one|without|hardly|no longer|nicht|kein(?:e[nrms]?)?|"
    r"nie|"
    r"nunca|jamás|pas|jamais|non|mai|não)\b|n't\b|[不没]|नहीं",
    re.IGNORECASE,
)
_DENYING_TOPIC = re.compile(
    r"not|no$|no_|dislik|avoid|never|without|hate|cannot|cant|free|restrict|exclu|"
    r"fear|limit|max|budget|spend|price|cost|quit|stop|refus|ban|former|past|previous"
)
_WHAT_ONE_IS = re.compile(r"allerg|intoler|diet")
_BEARS_DENIAL = re.compile(
    r"\b(?:can't|cannot|can not|(?:don't|do not|never|won't) (?!have|think|believe|know)|mustn't|"
    r"(?:kann|darf|esse|trinke|vertrage) (?:\w+ )?(?:nicht|kein)|no (?:puedo|como|tolero)|"
    r"ne (?:peux|mange|supporte))",
    re.IGNORECASE,
)
"""What one does not eat says what one is allergic to; what one is not says nothing."""
_UNSURE = re.compile(
    r"\b(?:wish(?:es)?|hop(?:e|es|ing) to|might|may (?:be|have|move)|maybe|perhaps|probably|"
    r"possibly|"
    r"almost|nearly|thinking (?:of|about)|considering|considered|toying with|"
    r"was (?:going|planning|about) to|(?:would|'d) (?:really )?(?:love|like) to (?:live|work|be|"
    r"move|"
    r"become|have)|want to (?:live|work|be|move|become)|dream(?:t|ed|ing|s)? (?:of|about|that)|"
    r"möchte|würde|wäre|hätte gern|wünschte|vielleicht|wenn ich|falls ich|quisiera|quiero vivir|"
    r"ojalá|quizás|tal vez|si (?:yo|je|j')|peut-être|voudrais|aimerais|vorrei|forse|se io|talvez|"
    r"gostaria|in my dreams?|if (?:i|we)|as if|feels? like|imagine|pretend|suppose|let's say|"
    r"used to)\b",
    re.IGNORECASE,
)
_WILL = re.compile(
    r"\b(?:(?:would|'d) (?:really |absolutely )?(?:love|enjoy|hate)(?! (?:an?|the|to) )|"
    r"(?:i|we)(?:'ll| will| shall)(?: \w+)? (?:live|work|be|move|become|have)|"
    r"going to (?:live|work|be|move|become|have)|appl(?:y|ied|ying) (?:at|to|for)|"
    r"(?:one|some) ?day,? (?:i|we)|in another life|se eu|si yo|si (?:vivi|fue|tuvi)\w+|s'il|"
    r"ich werde|voy a (?:vivir|trabajar|ser)|vais (?:habiter|vivre|travailler))\b"
    r"|如果|要是|もし|अगर|만약",
    re.IGNORECASE,
)
"""What will be, or would."""
_NOT_IN_EARNEST = re.compile(
    r"\baccording to (?!(?:my|the|our) (?:doctor|gp|dentist|test|blood))"
    r"|\b(?:isn't|is not|it's not|not) (?:true|correct|right|the case) that\b"
    r"|\b(?:goes|reads|states|lyrics?|caption|slogan|title)\b[^.!?:]{0,20}:"
    r"|\blet's (?:play|pretend|say|imagine|assume)\b"
    r"|\byou(?:'re| are) (?:now )?an? [^.,;:]{2,40},? and (?:i'm|i am)\b",
    re.IGNORECASE,
)
"""Before a statement that is another's, untrue, or of a part that is played."""
_DENIED_AFTER = re.compile(
    r"नहीं|ではな|じゃな|ありません|ません|ない|아니|않|\bdeğil|"
    r"\b(?:not|nicht) (?:true|wahr|correct)\b"
)
"""In languages in which the verb comes last, so does its denial."""

_PLANNING_TOPIC = re.compile(
    r"goal|plan|wish|want|dream|intent|trip|travel|task|todo|hope|interest|maybe|past|former|"
    r"previous|"
    r"history|childhood"
)
_OF_OTHERS = frozenset(
    {
        *("family", "friends", "friend", "people", "contacts", "contact", "pets", "pet"),
        *("relationships", "relationship", "colleagues", "household", "children", "kids"),
        *("relatives", "social"),
    }
)
"""First levels of topics that are about others."""

_WORKED_OUT = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|ago|last|next|gestern|heute|morgen|ayer|hoy|mañana|"
    r"hier|"
    r"demain|ieri|oggi|domani|ontem|hoje|amanhã)\b|昨|今|明|कल|आज"
)
"""Words from which a date is worked out."""

_TITLE_WORDS = 8


def bears_out(text: str, *, topic: str, value: str, quote: str, ends: bool) -> bool:
    """True when a message of the user says this of the user.

    Args:
        text: The message.
        topic: What the fact is about, which may name whose it is.
        value: The value; "" for an ending.
        quote: The words that are said to say it.
        ends: True when it holds no longer.
    """
    value, quote, plain = (one_line(plain_marks(each)) for each in (value, quote, text))
    lower = plain.casefold()
    if len(value) > LONGEST_VALUE or not (value or ends):
        return False
    quoted = bool(quote) and quote.casefold() in lower
    told = bool(value) and _stands_in(value, lower)
    if not (told or (quoted and (ends or _half_of_the_words(value, lower)))):
        return False
    words = _up_to(value, quote) if quoted else value
    if only_asked(text, words) or said_in_jest(text, words):
        return False
    if not ends and told and _is_denied_after(text, value, topic):
        return False
    evidence = list(_evidence(text, value if told else "", quote if quoted else ""))
    if not evidence:
        return _is_a_title(text, value)
    topic = normalise_topic(topic)
    return any(_is_own(before, topic, value, ends=ends) for before in evidence)


def _up_to(value: str, quote: str) -> str:
    """A quote up to where the value ends: what is asked after it does not make it a question."""
    at = quote.casefold().find(value.casefold()) if value else -1
    return quote[: at + len(value)] if at >= 0 else quote


def _evidence(text: str, value: str, quote: str) -> Iterator[str]:
    """What leads up to the value, in each own sentence of the user that says it; the quote says
    in which one, where there is a quote.
    """
    found = False
    for sentence, start in _places(text, quote) if quote else ():
        at = sentence.casefold().find(value.casefold(), start) if value else -1
        if at >= 0 or not value:
            found = True
            yield sentence[:at] if at >= 0 else sentence[: start + len(quote)]
    if value and not found:
        yield from (sentence[:start] for sentence, start in _places(text, value))
    elif quote and not found:
        yield from (sentence for sentence, _ in _places(text, quote))


def _is_denied_after(text: str, value: str, topic: str) -> bool:
    """True when each sentence that says the value denies it in the clause after it."""
    if _DENYING_TOPIC.search(normalise_topic(topic)) or _DENIED_AFTER.search(value):
        return False
    after = [sentence[start + len(value) :] for sentence, start in _places(text, value)]
    clauses = [re.split(r"[,;:]", each, maxsplit=1)[0] for each in after]
    return bool(clauses) and all(map(_DENIED_AFTER.search, clauses))


def _stands_in(value: str, lower: str) -> bool:
    """Whether a value stands in a text as whole words; in scripts without spaces, anywhere."""
    sought = value.casefold()
    before = r"(?<!\w)" if re.match(r"\w", sought) and sought[0].isascii() else ""
    after = r"(?!\w)" if sought[-1:].isascii() and re.search(r"\w$", sought) else ""
    return re.search(f"{before}{re.escape(sought)}{after}", lower) is not None


def _half_of_the_words(value: str, lower: str) -> bool:
    """True when at least half of the words of a value stand in the text; numbers stand aside,
    because a date may be worked out from "yesterday".
    """
    words = [word for word in re.findall(r"\w{2,}", value.casefold()) if not word.isdigit()]
    if not words:
        return _WORKED_OUT.search(lower) is not None
    return 2 * sum(word in lower for word in words) >= len(words)


def _places(text: str, words: str) -> Iterator[tuple[str, int]]:
    """Each own sentence in which the words stand, and where in it; a quote of several sentences
    counts where its first one stands.
    """
    sought = one_line(own_text(words)).casefold().strip(" .!?")
    for sentence in own_sentences(text):
        line = " ".join(sentence.split())
        place = line.casefold().find(sought)
        if place < 0 and len(line) > 3 and sought.startswith(line.casefold().strip(" .!?")):  # noqa: PLR2004
            place = 0
        if place >= 0:
            yield line, place


def _is_a_title(text: str, value: str) -> bool:
    """True when a value stands in quotation marks, as titles and names do, in a statement of the
    user's own ("My favourite book is 'Dune'").
    """
    a_statement = re.search(r"\b(?:i|i'm|my)\b", value, re.IGNORECASE)
    if not value or len(value.split()) > _TITLE_WORDS or a_statement:
        return False
    for sentence in own_sentences(text):
        line = " ".join(sentence.split())
        place = line.find(QUOTED)
        before = line[:place] if place > 0 else ""
        own = re.search(r"\b(?:my|our|i|we)\b", before, re.IGNORECASE)
        if own and not (_SAID_OF_ONE.search(before) or before.rstrip().endswith(":")):
            return True
    return False


def _is_own(before: str, topic: str, value: str, *, ends: bool) -> bool:
    """True when what leads up to a value is said by the user of the user."""
    clause_start = max((cut.end() for cut in _CUT.finditer(before)), default=0)
    clause = before[clause_start:]
    called = re.search(r"\bcalls? (?:me|us)\b", before)
    for said in _SAID_OF_ONE.finditer(before):
        if _DENIED.search(said[0]):
            return False
        if not (said["who"].casefold() in _WHO_KNOWS or called or _names(topic, before)):
            return False
    if _NOT_IN_EARNEST.search(before):
        return False
    if (_UNSURE.search(clause) or _WILL.search(clause)) and not (
        _PLANNING_TOPIC.search(topic) or ends
    ):
        return False
    if not ends and _DENIED.search(clause) and not _DENIED.search(value):
        of_health = _WHAT_ONE_IS.search(topic) is not None
        if not (_BEARS_DENIAL.search(clause) if of_health else _DENYING_TOPIC.search(topic)):
            return False
    return _is_of_the_user(before, clause_start, topic)


def _is_of_the_user(before: str, clause_start: int, topic: str) -> bool:
    """True unless the subject of the clause is somebody whom the topic does not name."""
    who = _last(_WHO, before)
    if who is not None and who.end() > clause_start:
        return _names(topic, who[0])
    # A clause without a subject of its own has that of the clause before it.
    for stretch in (before[clause_start:], before[:clause_start]):
        subject, somebody, elsewhere, name = (
            _last(pattern, stretch)
            for pattern in (_SUBJECT, _OF_SOMEBODY, _SOMEBODY_ELSEWHERE, _NAMED)
        )
        person = somebody or elsewhere
        if subject is not None and (person is None or subject.start() >= person.start()):
            # "my wife and I" is the user; whom "he" means may stand anywhere before it.
            return bool(subject["own"]) or _names(topic, before)
        if person is not None or name is not None:
            return _names(topic, stretch)
    return True


def _last(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    return max(pattern.finditer(text), key=lambda found: found.start(), default=None)


def _names(topic: str, said: str) -> bool:
    """Whether a topic says that it is about somebody who is named here."""
    levels = re.split(r"[._]", topic)
    if levels[0] in _OF_OTHERS:
        return True
    named = {level.rstrip("s") for level in levels}
    people = re.findall(rf"\b(?:{_A_PERSON}|(?-i:[A-Z][a-z]+))\b", said, re.IGNORECASE)
    return any(person.casefold().rstrip("s") in named for person in people)
