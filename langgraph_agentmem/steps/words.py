"""How text becomes words: the same way when it is kept and when it is asked for."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

_WORD = re.compile(r"[^\W_]+")
_LETTER_BEFORE_WORD = re.compile(r"\b([^\W\d_])[-\u2010\u2011](?=[^\W\d_]{2})")
"""A letter tied to a word is a part of it: an e-mail is an email, an x-ray an xray."""

_ACCENT = re.compile("[\u0300-\u036f]")
_SIGNS = frozenset({"Mn", "Mc"})
"""Categories of signs that belong to the letter before them, such as the vowels of Hindi."""

_HAN = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_THAI_AND_KIN = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
_IDEOGRAPHS = re.compile(f"[{_HAN}]+")
_THAI = re.compile(f"[{_THAI_AND_KIN}]+")
_UNSPACED = re.compile(f"[{_HAN}]+|[{_THAI_AND_KIN}]+")
"""Chinese, Japanese, Korean (its particles are tied to their words), Thai, Lao, Burmese, Khmer."""

LONGEST_WORD = 64
"""Characters of one word that are indexed; what is longer is not prose."""

MOST_QUERY_WORDS = 64
"""Different words of a query that are looked up; what is cut is reported."""

STOP_WORDS = frozenset(
    # English function words: they say nothing about what is asked.
    """
    a about above after again against all also am an and any are aren as at be because been
    before being below between both but by can cannot could couldn d did didn do does doesn doing
    don down during each few for from further get gets give got had hadn has hasn have haven
    having he her here hers herself him himself his how i if in into is isn it its itself just ll
    let m may me might more most much must my myself need no nor not now of off on once one only
    or other our ours ourselves out over own per quite re really s same shall she should shouldn
    so some such t than that the their theirs them themselves then there these they this those
    through to too under until up us very ve was wasn we well were weren what when where which
    while who whom why will with won would wouldn you your yours yourself yourselves
    """.split()  # noqa: SIM905 - a block of words reads better than a list of literals
    # How people open, close and ask: a greeting has no content. Who asks for the user asks for the
    # one whom all of it is about.
    + """
    afternoon again bye cheers day evening fine good goodbye great hello hey hi hiya howdy
    morning night nice ok okay please see soon sorry sure tell thank thanks welcome yeah yep yes
    anything something know like want wish could find help look looking make say show suggest
    recommend tonight today user users
    """.split()  # noqa: SIM905
)
"""Words that are not looked up. They are indexed all the same."""

_FEWEST_OF_A_LANGUAGE = 2
"""Its words that a query must have to be of that language: one may be a name."""

_QUESTION_MARKS = re.compile(r"[?？؟;]\s*$|[?？؟]")  # noqa: RUF001 - question marks of other scripts
_ASKING = frozenset(
    """
    are book can could did do does find give has have how is list may might plan recommend remind
    shall should show suggest tell was what whats when where which who whom whose why will would
    """.split()  # noqa: SIM905
)


def words(text: str) -> Iterator[str]:
    """The words of a text, folded: no case, no accents, no width, no underscores.

    Scripts that put no spaces between words give every two letters (every three in Thai and its
    kin) that stand side by side in their place.
    """
    text = _LETTER_BEFORE_WORD.sub(r"\1", text.casefold())
    if text.isascii():
        for found in _WORD.findall(text):
            yield found[:LONGEST_WORD]
        return
    for run in _runs(text):
        start = 0
        for unspaced in _UNSPACED.finditer(run):
            if before := run[start : unspaced.start()]:
                yield before[:LONGEST_WORD]
            yield from _grams(unspaced[0])
            start = unspaced.end()
        if rest := run[start:]:
            yield rest[:LONGEST_WORD]


def _runs(text: str) -> Iterator[str]:
    """Letters and digits that stand together, with the signs that belong to them."""
    text = _ACCENT.sub("", unicodedata.normalize("NFKD", text))
    text = unicodedata.normalize("NFC", text).casefold()
    spaced = "".join(
        sign if sign.isalnum() or unicodedata.category(sign) in _SIGNS else " " for sign in text
    )
    return (run for run in spaced.split() if any(sign.isalnum() for sign in run))


def _grams(run: str) -> Iterator[str]:
    size = 3 if _THAI.match(run) else 2
    for at in range(max(len(run) - size, 0) + 1):
        yield run[at : at + size]


_OTHER_STOP_WORDS = tuple(
    frozenset(words(some))
    for some in (
        # German
        """
        aber alle allem allen aller alles als also am an auch auf aus bei beim bin bis bist bitte da
        damit dann danke das dass dein deine dem den denn der des dich die dir doch du durch ein
        eine einem einen einer eines eigentlich er es etwa etwas euch eure für gegen gerade gibt
        gut guten hab habe haben hallo hast hat hatte hatten ich ihm ihn ihr ihre im in ins ist ja
        jetzt kann kannst kein keine könnte man mein meine meinem meinen meiner meines mich mir mit
        morgen nach nein nicht noch nun nur ob oder schon sehr sein seine seit sich sie sind so soll
        über um und uns unser unsere unter vom von vor wann war waren warum was weiß welche welchem
        welchen welcher welches wem wen wenn wer werde werden wessen wie wieder wir wird wo woher
        wohin womit wogegen würde zu zum zur
        """,
        # Spanish
        """
        a adiós ahora al algo algún alguna alguno antes aquí así aún aunque buenas buenos cada como
        cómo con cuál cuáles cualquier cuándo cuando cuánta cuánto cuántos de del desde día días
        donde dónde el él ella ellas ellos en entre era eran eres es esa ese eso esta está están
        este esto estos estoy fue fueron gracias ha había han has hay he hola la las le les lo los
        más me mi mí mis mismo muy nada ni no nos nosotros nuestra nuestro o os otra otro para pero
        por porque puede puedo que qué quien quién quiénes se sea ser si sí sido sin sobre son soy
        su sus también tan te tener tengo ti tiene tienen todo todos tu tú tus tuve un una unas uno
        unos usted va vez y ya yo
        """,
        # French
        """
        ai aie as au aussi aux avais avait avec avez avoir avons bon bonjour bonsoir c ce cela ces
        cet cette ceux chez comme comment d dans de depuis des dois dont du elle elles en encore es
        est et étaient était été être eu fait fais faire il ils j je jusque l la là le les leur
        leurs lui m ma mais me merci même mes moi moment mon n ne ni nos notre nous on ont où ou par
        parce pas peu peut peux plus pour pourquoi puis qu quand que quel quelle quelles quels qui
        quoi s sa salut sans se ses si son sont sous suis sur t ta te tes toi ton tous tout toute
        très tu un une va vais vers vos votre vous y à ça
        """,
    )
)
"""The same for languages whose function words many queries repeat and few memories hold."""


def is_gram(word: str) -> bool:
    """Whether a word is a part of a run without spaces, which may lie across two real words."""
    return bool(_UNSPACED.match(word))


def token(namespace_id: int, word: str) -> str:
    """A word as the index holds it, with the id of the namespace that it belongs to. Vowel signs
    become letters, at which the index would cut the word.
    """
    if not word.isascii():
        word = "".join(sign if sign.isalnum() else f"x{ord(sign):x}" for sign in word)
    return f"{namespace_id}_{word}"


def tokens(namespace_id: int, topic: str, text: str) -> str:
    """What the index holds of a memory: the words of its topic and of its text, and each letter
    of a script without spaces, which may be a word by itself.
    """
    both = f"{topic} {text}"
    found = list(words(both))
    if not both.isascii():
        found += [sign for run in _IDEOGRAPHS.findall(both) if len(run) > 1 for sign in run]
    return " ".join(token(namespace_id, word) for word in found)


def content_words(query: str) -> list[str]:
    """The different words of a query that say what is asked, in their order.

    Those that say nothing are English, unless more of its words are another language's: "die" and
    "son" are names of things in one, articles and verbs in the other.
    """
    found = list(dict.fromkeys(words(query)))
    content = [word for word in found if word not in STOP_WORDS]
    most = max(len(found) - len(content), _FEWEST_OF_A_LANGUAGE - 1)
    for others in _OTHER_STOP_WORDS:
        left = [word for word in found if word not in others]
        if left and len(found) - len(left) > most:
            content, most = left, len(found) - len(left)
    return content


def is_question(query: str) -> bool:
    """Whether something is asked: a question mark, or an opening word that asks."""
    first = next(words(query), "")
    return bool(_QUESTION_MARKS.search(query)) or first in _ASKING
