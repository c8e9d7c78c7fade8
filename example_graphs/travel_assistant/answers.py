"""The rules by which the stand-in answers: a table of them, tried in order.

A rule reads the view and returns what to say, a tool to call, or None when it has nothing to say.
None of them knows anything of the user, of a city or of a place: those come from the view.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TypeAlias

from example_graphs.rule_model import Asking

from .proposals import amount, proposal
from .tools import EVERYTHING
from .view import Known, View

I_DO_NOT_KNOW = "I don't know that."
I_SEE = "I see."
WHICH_CITY = "Which city are you in?"

FIND_PLACES = "find_places"
FORGET, FORGET_TOPIC = "forget_about_me", "forget"
"""The assistant's own tool, and the package's, which asks for a confirmation."""


Answer: TypeAlias = str | Asking | None


def answer(view: View) -> str | Asking:
    """What the first rule that has something to say says."""
    said = next((found for rule in RULES if (found := rule(view)) is not None), None)
    if isinstance(said, Asking):
        return said
    greeting = _greeting(view)
    if said is None and not greeting:
        return I_DO_NOT_KNOW if view.asks else I_SEE
    return " ".join(filter(None, (greeting, said)))


# What tools have answered ------------------------------------------------------------------


def _from_results(view: View) -> Answer:
    if not view.results:
        return None
    *_, last = view.results
    if last.status == "error":
        return f"That did not work. {I_DO_NOT_KNOW}"
    return proposal(view, last.text) if last.name == FIND_PLACES else last.text


# Deletion ----------------------------------------------------------------------------------

_ERASE = (
    r"(?<!\bI )(?<!n't )(?<!n’t )(?<!do not )(?<!never )(?<!did you )(?<!do you )"
    r"\b(?:delete|erase|forget|remove|wipe)"
)
_END = r"(?: (?:from|for good|please|now|again|at once)\b.*)?(?=[.,;!?]|$)"
_YOU_KNOW = r"(?: (?:that )?(?:you|i)(?:['’]ve| have)? \w{2,12}(?: you)?)"

_DELETE_ALL = re.compile(
    rf"{_ERASE}(?: about)? (?:me|what(?= you\b)|it all|(?:all|everything|anything)"
    r"(?: of)?(?: (?:it|that|the|my|your))?(?: (?:data|memories|information|facts))?)"
    rf"{_YOU_KNOW}?(?: (?:about|of|on) me)?{_END}",
    re.IGNORECASE,
)
_DELETE = re.compile(
    rf"{_ERASE}(?: (?:all|everything|anything){_YOU_KNOW}? about(?: my)?|(?: about)?(?: that)? my)"
    rf" (?P<what>[^.,;!?]{{2,60}}?){_END}",
    re.IGNORECASE,
)


def _deletion(view: View) -> Answer:
    if _DELETE_ALL.search(view.said):
        what = EVERYTHING
    elif asked := _DELETE.search(view.said):
        what = asked["what"]
    else:
        return None
    if FORGET in view.tools:
        return Asking(tool=FORGET, arguments={"what": what})
    if FORGET_TOPIC in view.tools:
        return Asking(tool=FORGET_TOPIC, arguments={"topic": what})
    return "I have nothing to delete that with."


# Questions about the user --------------------------------------------------------------------

_ASKS_WHAT = re.compile(
    r"\b(?:what(?:'s| is| are| was)|what am i|who am i|am i|when(?:'s| is)|where (?:do|am) i|"
    r"which [\w ]{1,20} do i|what [\w ]{1,20} do i|how much can i|tell me|remind me|"
    r"do you (?:still )?(?:know|remember|have))\b",
    re.IGNORECASE,
)

_ABOUT_THE_USER: tuple[tuple[str, str, str], ...] = (
    # what the question speaks of, the topic, the answer
    (r"who am i|my name", "name", "Your name is {}."),
    (r"i live|i living|my (?:home|city|home ?town|home city)", "home_city", "You live in {}."),
    (r"allerg(?:y|ies|ic)", "allergy", "You are allergic to {}."),
    (r"diet", "diet", "Your diet is {}."),
    (r"seats?", "seat", "Your seat: {}."),
    (r"budget|can i (?:spend|pay|afford)", "budget", "Your budget is {}."),
    (r"phone|my number", "phone", "Your phone number is {}."),
    (r"e-?mail", "email", "Your e-mail address is {}."),
    (r"birthday|born", "birthday", "Your birthday is {}."),
    (r"i work|my (?:job|work|employer)", "work", "Your work: {}."),
)

_MY = re.compile(r"\bmy (?P<what>[\w' -]{2,40}?)(?=[.,;!?]|$)", re.IGNORECASE)


_ALL_OF_IT = re.compile(
    r"\bwhat (?:else )?do you (?:know|remember)(?: about me)?\W*$", re.IGNORECASE
)


def _about_the_user(view: View) -> Answer:
    if _ALL_OF_IT.search(view.said) and view.facts:
        return f"I was shown {', '.join(known.quoted for known in view.facts.values())}."
    if not _ASKS_WHAT.search(view.said):
        return None
    for speaks_of, topic, sentence in _ABOUT_THE_USER:
        if _names(view.said, speaks_of):
            return _said_of(view.about(topic), sentence)
    if asked := _MY.search(view.said):
        words = _words(asked["what"])
        facts = view.facts.values()
        named = [known for known in facts if words & _words(known.topic)] or [
            known for known in facts if words <= _words(known.text)
        ]
        return _said_of(named, f"Your {asked['what']}: {{}}.")
    return None


def _said_of(found: Iterable[Known], sentence: str) -> str:
    texts = [known.dated for known in found]
    return sentence.format(" and ".join(texts)) if texts else I_DO_NOT_KNOW


def _names(said: str, pattern: str) -> bool:
    return re.search(rf"\b(?:{pattern})\b", said, re.IGNORECASE) is not None


def _words(text: str) -> set[str]:
    return {word.removesuffix("s") for word in re.findall(r"[^\W_]+", text.casefold())}


# Places ------------------------------------------------------------------------------------

_KINDS: tuple[tuple[str, str], ...] = (
    ("hotel", r"hotels?|hostel|stay|sleep|spend the night|(?:a|the) (?:room|bed)"),
    (
        "restaurant",
        r"restaurants?|breakfast|lunch|dinner|supper|eat|dine|food|hungry|something to eat",
    ),
    ("sight", r"sights?|sightseeing|museums?|(?:worth|to) (?:see|visit)"),
)
_WANTS = re.compile(
    r"\?|\b(?:find|suggest|recommend|propose|book|look(?:ing)? for|show me|need|want|where|"
    r"i'd (?:like|love)|i would (?:like|love)|please)\b",
    re.IGNORECASE,
)
_PRICE = re.compile(
    r"\b(?:under|below|up to|less than|at most|max(?:imum)?|no more than) ?[€$£]? ?(\d{1,5})\b",
    re.IGNORECASE,
)
_IN_A_CITY = re.compile(r"\b[Ii]n ((?:[^\W\d_a-z][\w'-]*)(?: [^\W\d_a-z][\w'-]*){0,2})")


def _places(view: View) -> Answer:
    if FIND_PLACES not in view.tools:
        return None
    request, city = view.said, _city_named(view, view.said)
    if view.replied_before.endswith(WHICH_CITY) and (city or len(view.said.split()) == 1):
        request, city = f"{view.said_before} {view.said}", city or view.said.strip(" .!")
    kind = _kind_wanted(request)
    if kind is None:
        return None
    city = city or next((known.text for known in view.about("home_city")), None)
    if city is None:
        return WHICH_CITY
    wishes = {
        "cuisine": _option_named(view, "cuisine", request) if kind == "restaurant" else None,
        "max_price": _most(view, kind, request),
    }
    given = {name: wish for name, wish in wishes.items() if wish is not None}
    return Asking(tool=FIND_PLACES, arguments={"kind": kind, "city": city, **given})


def _kind_wanted(request: str) -> str | None:
    if not _WANTS.search(request):
        return None
    kinds = (kind for kind, words in _KINDS if _names(request, words))
    return next(kinds, None)


def _option_named(view: View, argument: str, said: str) -> str | None:
    options = view.options(FIND_PLACES, argument)
    return next((one for one in options if _names(said, re.escape(one))), None)


def _city_named(view: View, said: str) -> str | None:
    """The city that is meant: one the user has just moved to, one of the tool's, any other."""
    if moved := view.new.get("home_city"):
        return moved.text
    other = _IN_A_CITY.search(said)
    return _option_named(view, "city", said) or (other[1] if other else None)


def _most(view: View, kind: str, request: str) -> int | None:
    """The highest price: as said in the request, else the nightly budget for a hotel."""
    if said := _PRICE.search(request):
        return int(said[1])
    budgets = view.about("budget.night") if kind == "hotel" else []
    return next((amount(known.text) for known in budgets), None)


# Statements and courtesy ---------------------------------------------------------------------


def _noted(view: View) -> Answer:
    if set(view.new) == {"name"}:
        return ""  # the greeting says it
    said = [_change(view, known) for topic, known in view.new.items() if topic != "name"]
    said += [_ended(view.held[topic]) for topic in view.ended if topic in view.held]
    listed = "; ".join(said)
    return f"Noted. {listed[0].upper()}{listed[1:]}." if listed else None


def _change(view: View, known: Known) -> str:
    before = view.held.get(known.topic)
    if before is None or before.text == known.text:
        return _spoken(known)
    return f"{_spoken(known)}, no longer {before.text}"


def _ended(known: Known) -> str:
    return _spoken(known, f"no longer {known.text}")


def _spoken(known: Known, text: str | None = None) -> str:
    """A fact as people say it: "allergy: peanuts", "home city: Oslo"."""
    first, *members = (part.replace("_", " ") for part in known.topic.split("."))
    named = [first, *(part for part in members if part.casefold() not in known.text.casefold())]
    return f"{' '.join(named)}: {text or known.text}"


_HELLO = re.compile(r"\W*(?:hi|hello|hey|good (?:morning|afternoon|evening))\b", re.IGNORECASE)
_THANKS = re.compile(r"\W*(?:(?:many )?thanks|thx|thank you)\b", re.IGNORECASE)
_BYE = re.compile(r"\W*(?:bye|goodbye|good night|see you)\b", re.IGNORECASE)


def _courtesy(view: View) -> Answer:
    name = f", {names[0].text}" if (names := view.about("name")) else ""
    if _THANKS.match(view.said):
        return f"You're welcome{name}."
    return f"Goodbye{name}!" if _BYE.match(view.said) else None


def _greeting(view: View) -> str:
    """What comes before the answer: a name when one is known, a question when none is."""
    names = view.about("name")
    if "name" in view.new:
        return f"Nice to meet you, {names[0].text}."
    if not _HELLO.match(view.said):
        return ""
    return f"Hello {names[0].text}!" if names else "Hello! We have not met: what is your name?"


RULES: tuple[Callable[[View], Answer], ...] = (
    _from_results,
    _deletion,
    _about_the_user,
    _places,
    _noted,
    _courtesy,
)
