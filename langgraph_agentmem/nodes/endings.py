"""How people say that something of theirs is so no longer, or is not so."""

from __future__ import annotations

from . import values
from .phrases import ADV, DIET, FOR_GOOD, HAVE, LOOK_AHEAD, NOT, PET, PROPER, SELF
from .rule import Rule, rules

ENDINGS: tuple[Rule, ...] = (
    *rules(
        "allergy.{member}",
        r"\bI(?:'m| am) no longer allergic to ",
        rf"\bI(?:'m| am) not allergic to {LOOK_AHEAD}",
        r"\bI used to be allergic to ",
        read=values.substances,
        meaning="ends",
    ),
    *rules(
        "diet",
        rf"\bI(?:'m| am) no longer {DIET}",
        rf"\bI(?:'m| am) not {DIET}{LOOK_AHEAD}",
        rf"\bI (?:used to be|(?:have )?stopped being|gave up being) {DIET}",
        meaning="ends",
    ),
    *rules(
        "home_city",
        r"\b(?:I|we) no longer live in ",
        r"\b(?:I|we)(?:'m|'re| am| are) no longer (?:living|based) in ",
        rf"\b(?:I|we)(?:'m|'re| am| are) not (?:living|based) in {LOOK_AHEAD}",
        rf"\b(?:I|we) {NOT} live in {LOOK_AHEAD}",
        rf"{HAVE} moved (?:away from|out of) ",
        read=values.place,
        meaning="ends",
    ),
    *rules(
        "work.employer",
        r"\bI no longer work (?:for|at) ",
        r"\bI(?:'m| am) no longer (?:at|employed (?:at|by)|working (?:for|at)) ",
        rf"\bI {NOT} work (?:for|at) {LOOK_AHEAD}",
        read=values.employer,
        meaning="ends",
    ),
    *rules(
        "work.employer",
        rf"{HAVE} (?P<value>(?:quit|lost|left) my job)\b",
        rf"{SELF}(?:'ve been|'m being)?{ADV}(?: was| got| have been)?{ADV} "
        r"(?P<value>(?:laid off|made redundant|let go|fired|sacked))\b",
        meaning="ends",
        ends=("work.role",),
    ),
    *rules(
        "intolerance.{member}",
        r"\b(?:I'm|I am) no longer (?P<value>\w{3,20})[ -]intolerant\b",
        rf"\b(?:I'm|I am) not (?P<value>\w{{3,20}})[ -]intolerant\b{LOOK_AHEAD}",
        meaning="ends",
    ),
    *rules(
        "intolerance.{member}",
        rf"\b(?:I'm|I am) not{ADV} (?P<value>\w{{3,20}})[ -]intolerant\b",
        meaning="denies",
    ),
    *rules(
        "family.{relation}.name",
        rf"\b(?:my|our) {PET},? (?P<value>(?-i:[A-Z])[\w-]{{1,20}}),? (?:has |just |sadly ){{0,2}}"
        r"(?:died|passed away)\b",
        meaning="denies",
    ),
    *rules(
        "work.employer",
        rf"{HAVE} stopped working (?:for|at|with) ",
        rf"{HAVE} left (?={PROPER}{FOR_GOOD})(?!.{{0,80}}\bback\b)",
        rf"{HAVE} (?:quit|resigned from|retired from|handed in my notice at) "
        rf"(?-i:(?={PROPER}(?!'s)\b))",
        rf"\bI(?:'ve| have)?{ADV} (?:left|quit|resigned from) my (?:old |last )?job (?:at|with) ",
        read=values.organisation,
        meaning="denies",
    ),
    *rules(
        "work.employer",
        r"\bI(?:'ve| have)?(?: just| now| recently| finally| already){0,2} (?P<value>retired)\b"
        r"(?=\W{0,9}$|[,.;!]| (?:in|last|this|at|from|recently|early(?! to)|two|three|a|after|now|"
        r"and|because)\b)",
        meaning="denies",
        ends=("work.role",),
    ),
    *rules(
        "car",
        r"\b(?:I|we)(?:'ve| have)?(?: just| now| recently| finally)? (?:sold|scrapped|got rid of) "
        rf"(?:my|our|the) (?P<value>{PROPER})(?=\W{{0,9}}$|[.,;!])",
        meaning="denies",
    ),
    *rules(
        "car",
        r"\b(?:I|we)(?:'ve| have)?(?: just| now| recently| finally)? (?:sold|scrapped|got rid of) "
        r"(?:my|our) (?P<value>car)\b",
        rf"\b(?:I|we) (?:no longer (?:have|own)|{NOT} (?:have|own)) a (?P<value>car)"
        r"(?=\W{0,9}$|[,.;!]| (?:any ?more|any longer|now|because|so|since|and)\b)",
        meaning="denies",
        ends=("car",),
    ),
    *rules(
        "avoids.{member}",
        rf"{HAVE} (?:started|begun|gone back to|went back to|resumed) (?:eating|drinking) "
        r"(?P<value>[\w-]{2,20}(?: [\w-]{2,20})?) again\b",
        rf"\b(?:I|we){ADV} (?:eat|drink) (?P<value>[\w-]{{2,20}}(?: [\w-]{{2,20}})?) again\b",
        read=values.things,
        meaning="denies",
    ),
    *rules(
        "intolerance.{member}",
        r"\b(?:I|we) can(?: now| finally)? (?:eat|drink|have|tolerate) "
        r"(?P<value>[\w-]{2,20}(?: [\w-]{2,20})?) (?:again|now(?! and))\b",
        read=values.substances,
        meaning="denies",
    ),
    *rules(
        "likes.{member}",
        rf"\bI (?:no longer|{NOT}(?: really)?) (?:like|love|enjoy) {LOOK_AHEAD}",
        r"\bI no longer (?:like|love|enjoy) ",
        r"\bI used to (?:like|love|enjoy) ",
        rf"{HAVE} gone off ",
        rf"{HAVE} stopped (?:liking|loving|enjoying) ",
        read=values.things,
        meaning="ends",
    ),
    # What is not so.
    *rules(
        "allergy.{member}",
        rf"\bI(?:'m| am) not{ADV} allergic to ",
        read=values.substances,
        meaning="denies",
    ),
    *rules("diet", rf"\bI(?:'m| am) not{ADV} {DIET}", meaning="denies"),
    *rules(
        "home_city",
        rf"\b(?:I|we) {NOT}(?: actually)? live in ",
        r"\b(?:I|we) used to live in ",
        read=values.place,
        meaning="denies",
    ),
    *rules(
        "work.employer",
        rf"\bI {NOT}(?: actually)? work (?:for|at) ",
        r"\bI used to work (?:for|at) ",
        read=values.employer,
        meaning="denies",
    ),
)
