"""How people speak of themselves in English: the table that `RuleExtractor` reads by.

A rule says: after these words stands such a value, and it belongs to this topic. Add a line to
teach a new phrase.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

from . import values
from .values import Reader

Meaning: TypeAlias = Literal["states", "ends", "denies"]
"""`states` that it is so now; `ends`: it is so no longer; `denies` that it is so, which ends it
where it is held and says nothing where it is not."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One way to say one kind of fact.

    Args:
        topic: Where it belongs; `{member}` is the value as a member topic, other names in braces
            are groups of `says`.
        says: The words before the value, or around it when they have a group `value`.
        read: Takes the group `value`, or else the rest of the sentence, and returns the values.
        meaning: See `Meaning`.
        ends: Topics that it ends where they are held, written as `topic` is.
    """

    topic: str
    says: re.Pattern[str]
    read: Reader = values.whole
    meaning: Meaning = "states"
    ends: tuple[str, ...] = ()


_ADV = (
    r"(?: (?:really|also|now|currently|still|just|always|usually|actually|recently|truly|do|"
    r"absolutely|generally|mostly|only|finally|already|both|severely|deathly|highly|very|extremely|"
    r"mildly|definitely|particularly|especially|myself|personally|quite|so|much)){0,3}"
)
_IM = rf"\b(?:I'm|I am|(?-i:im)|and I are){_ADV}"
_WE_ARE = rf"\b(?:I'm|I am|(?-i:im)|and I are|we're|we are){_ADV}(?: all)?"
_I = rf"\bI{_ADV}"
_HAVE = rf"\b(?:I|we)(?:'ve| have)?{_ADV}"
_GOT = r"\bI(?:'ve got| have got|'ve| have)"
_NOT = r"(?:don't|do not|dont)"
_LOOK_AHEAD = r"(?=.{0,80}\b(?:any ?more|any longer)\b)"

_DIET_WORD = (
    r"(?:(?:strict|strictly|mostly|lacto-ovo|largely) )?(?:vegan|vegetarian|veggie|pescatarian|"
    r"pescetarian|flexitarian|fruitarian|halal|kosher|keto|ketogenic|paleo|plant-based|"
    r"(?:gluten|dairy|lactose|nut|sugar|meat)[- ]free|low[- ](?:carb|salt|fodmap|fat|sugar|sodium))"
    r"s?(?![\w-])"
)
_DIET = rf"(?:an? )?(?P<value>{_DIET_WORD}(?:(?:, |,? and |/){_DIET_WORD}){{0,3}})"

_ROLE = (
    r"(?:accountant|actor|actress|analyst|anaesthetist|architect|artist|attorney|baker|barber|"
    r"barista|bartender|biologist|bookkeeper|builder|butcher|carpenter|cashier|chef|chemist|"
    r"cleaner|coach|composer|consultant|cook|counsellor|counselor|curator|dancer|dentist|designer|"
    r"developer|diplomat|director|doctor|driver|economist|editor|electrician|engineer|farmer|"
    r"firefighter|florist|gardener|geologist|guide|hairdresser|historian|illustrator|interpreter|"
    r"investor|janitor|journalist|judge|lawyer|lecturer|librarian|manager|mathematician|mechanic|"
    r"midwife|model|musician|nurse|optician|painter|paramedic|pharmacist|photographer|physicist|"
    r"physiotherapist|pilot|plumber|police officer|postman|producer|professor|programmer|"
    r"psychologist|receptionist|reporter|researcher|sailor|salesperson|scientist|sculptor|"
    r"secretary|singer|social worker|soldier|solicitor|statistician|student|surgeon|tailor|"
    r"teacher|technician|therapist|translator|tutor|vet|veterinarian|waiter|waitress|welder|"
    r"writer|CEO|CTO|CFO|COO)"
)
_A_ROLE = (
    r"(?:an?|the) (?!(?:bad|terrible|good|great|big|huge|lousy|amateur|hobby|frequent|keen|decent|"
    rf"aspiring|wannabe|former|bit)\b)(?:[\w-]{{3,20}} ){{0,3}}?{_ROLE}\b(?!'s| at heart|-)"
)

_CHOOSE = (
    rf"\bI(?:{_ADV} (?:prefer|like|love|always want|take|choose|book|pick|sit in|stay in|stay at)"
    rf"|(?:'d| would){_ADV} (?:prefer|rather (?:have|take|stay in|stay at|be in|book)))"
)
_SEAT = r"(?P<value>window|aisle|middle|exit[- ]row|bulkhead)(?:[- ]seats?|\W{0,9}$)"
_LODGING = (
    r"(?P<value>(?!(?:the|these|those|your|such|all|this|that)\b)(?:[\w-]{3,20} ){0,4}"
    r"(?:hotels|hostels|B&Bs|guesthouses|apartments|resorts|inns)"
    r"(?: (?:with|without|near|in|by|close to|away from|outside|far from) [^,.;:!?]{1,40})?)"
)

_SUM = r"(?:\d{1,3}(?:[,.' ]\d{3}){1,3}|\d{1,9})(?:[.,]\d{1,2})?k?(?!\d)"
_CURRENCY = (
    r"(?:€|\$|£|¥|₹|euros?\b|eur\b|dollars?\b|usd\b|bucks\b|pounds?\b|gbp\b|quid\b|chf\b|"
    r"francs?\b|yen\b|jpy\b|rupees?\b|inr\b|sek\b|nok\b|dkk\b|kr\b|zł|pln\b|cad\b|aud\b)"
)
_PERIOD = (
    r"(?: ?/ ?| an? | per | each | every )(?:night|day|person|week|head)\b"
    r"|,? (?:in total|total|altogether|overall|for (?:the|this|my|our)(?: whole| entire)? "
    r"(?:trip|stay|holiday|vacation|journey))\b"
)
_AMOUNT = (
    rf"(?:(?:(?:€|\$|£|¥|₹|US\$) ?|(?:EUR|USD|GBP|CHF|CAD|AUD|INR|JPY) ?){_SUM}"
    rf"|{_SUM}(?: ?(?:-|\u2013|to) ?{_SUM})? ?{_CURRENCY}|{_SUM}(?=[,.;!]|$|{_PERIOD}))"
)
_ABOUT = (
    r"(?:(?: now| about| around| under| below| up to|"
    r" roughly| at most| max| maximum| still| only| just)){0,3}"
)
_FOR_WHAT = r"(?: (?:for|per) (?:the |this |my |our |a )?(?:whole |entire |next )?[\w-]{2,20})?"
_BUDGETS = (
    rf"\b(?:my|our) (?:[\w-]{{2,20}} ){{0,3}}?budget{_FOR_WHAT}(?:'s| is|:){_ABOUT} ",
    rf"\b(?:I|we){_ADV}(?: have|'ve got|'ve)(?: got)? a budget of{_ABOUT} ",
    rf"\b(?:I|we) can(?: only| just)? (?:spend|pay|afford){_ABOUT} ",
    rf"\b(?:I|we) {_NOT} want to (?:spend|pay) more than ",
    rf"\b(?:I'm|I am) willing to (?:spend|pay){_ABOUT} ",
    r"\bI(?:'d| would) like to (?:stay|keep it) (?:under|below|within) ",
    r"^(?:budget|maximum|max|no more than|at most)(?: is|:)? ",
)

_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    r"sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_DATE = (
    rf"(?:(?:the )?\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}(?:,? \d{{4}}\b)?"
    rf"|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?\b(?:,? \d{{4}}\b)?"
    r"|\d{4}-\d{2}-\d{2}\b|\d{1,2}[./]\d{1,2}[./](?:\d{4}|\d{2})\b)"
)
_MY = r"\bmy (?:new |personal |private |own )?"
_PHONE = r"(?P<value>\+?\(?\d[\d ().\-/]{5,22}\d)(?!\w)"
_EMAIL = r"(?P<value>[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5})"
_REACH = (
    r"\b(?:you can |please |best to )?(?:call|text|reach|phone|ring|whatsapp|message|contact|"
    r"e-?mail|write to) me (?:at|on|via|under)(?: my \w{2,12})?:? "
)

_RELATION = (
    r"(?P<relation>(?:(?:older|elder|eldest|oldest|younger|youngest|little|big|twin|step|ex|other|"
    r"second|third) )?"
    r"(?:wife|husband|partner|spouse|fiancée?|girlfriend|boyfriend|daughter|son|baby|child|mother|"
    r"mum|mom|father|dad|sister|brother|grandmother|grandma|grandfather|grandpa|granddaughter|"
    r"grandson|aunt|uncle|niece|nephew|cousin|dog|cat))"
)
_MEMBERS = (
    r"(?P<members>daughters|sons|kids|children|girls|boys|sisters|brothers|siblings|dogs|cats|"
    r"grandchildren|grandsons|granddaughters|nieces|nephews|cousins|uncles|aunts)"
)
_SOME = r"(?:two|three|four|five|six|seven|several|\d|(?:young|little|small|lovely) )"
_THING = r"(?P<thing>[\w-]{2,20}(?: [\w-]{2,20}){0,2}?)"


def _rules(
    topic: str,
    *says: str,
    read: Reader = values.whole,
    meaning: Meaning = "states",
    ends: tuple[str, ...] = (),
) -> tuple[Rule, ...]:
    return tuple(Rule(topic, re.compile(each, re.IGNORECASE), read, meaning, ends) for each in says)


RULES: tuple[Rule, ...] = (
    # What is so no longer comes first: "I'm no longer vegan" is not "I'm vegan".
    *_rules(
        "allergy.{member}",
        r"\bI(?:'m| am) no longer allergic to ",
        rf"\bI(?:'m| am) not allergic to {_LOOK_AHEAD}",
        r"\bI used to be allergic to ",
        read=values.substances,
        meaning="ends",
    ),
    *_rules(
        "diet",
        rf"\bI(?:'m| am) no longer {_DIET}",
        rf"\bI(?:'m| am) not {_DIET}{_LOOK_AHEAD}",
        rf"\bI (?:used to be|(?:have )?stopped being|gave up being) {_DIET}",
        meaning="ends",
    ),
    *_rules(
        "home_city",
        r"\b(?:I|we) no longer live in ",
        r"\b(?:I|we)(?:'m|'re| am| are) no longer (?:living|based) in ",
        rf"\b(?:I|we) {_NOT} live in {_LOOK_AHEAD}",
        rf"{_HAVE} moved (?:away from|out of) ",
        read=values.place,
        meaning="ends",
    ),
    *_rules(
        "work.employer",
        r"\bI no longer work (?:for|at) ",
        r"\bI(?:'m| am) no longer (?:at|employed (?:at|by)|working (?:for|at)) ",
        rf"\bI {_NOT} work (?:for|at) {_LOOK_AHEAD}",
        read=values.employer,
        meaning="ends",
    ),
    *_rules(
        "work.employer",
        rf"{_HAVE} (?P<value>(?:quit|lost|left) my job)\b",
        rf"{_I} (?:was|got|have been) (?P<value>(?:laid off|made redundant|let go|fired|sacked))\b",
        meaning="ends",
        ends=("work.role",),
    ),
    *_rules(
        "likes.{member}",
        rf"\bI (?:no longer|{_NOT}(?: really)?) (?:like|love|enjoy) {_LOOK_AHEAD}",
        r"\bI no longer (?:like|love|enjoy) ",
        r"\bI used to (?:like|love|enjoy) ",
        rf"{_HAVE} gone off ",
        rf"{_HAVE} stopped (?:liking|loving|enjoying) ",
        read=values.things,
        meaning="ends",
    ),
    # What is not so.
    *_rules(
        "allergy.{member}",
        rf"\bI(?:'m| am) not{_ADV} allergic to ",
        read=values.substances,
        meaning="denies",
    ),
    *_rules("diet", rf"\bI(?:'m| am) not{_ADV} {_DIET}", meaning="denies"),
    *_rules(
        "home_city",
        rf"\b(?:I|we) {_NOT}(?: actually)? live in ",
        r"\b(?:I|we) used to live in ",
        read=values.place,
        meaning="denies",
    ),
    *_rules(
        "work.employer",
        rf"\bI {_NOT}(?: actually)? work (?:for|at) ",
        r"\bI used to work (?:for|at) ",
        read=values.employer,
        meaning="denies",
    ),
    # What is so.
    *_rules(
        "name",
        r"\bmy (?:first |full |given |real )?name(?:'s| is)(?: actually| now)? ",
        read=values.name,
    ),
    *_rules(
        "name",
        r"\b(?:you can |please |just )?call me (?:just )?",
        r"\b(?:everyone|everybody|people|(?:my )?friends) calls? me (?:just )?",
        rf"{_I} go by (?:the name (?:of )?)?",
        r"\b(?:I'm|I am) called (?:just )?",
        r"\b(?:I'm|I am) ",
        read=values.capitalised_name,
    ),
    *_rules(
        "allergy.{member}",
        rf"{_IM} allergic to (?:both |things like |stuff like |all kinds of )?",
        rf"{_GOT} (?:an? )?(?:\w{{3,12}} )?allerg(?:y|ies) to ",
        rf"{_HAVE} developed an? (?:\w{{3,12}} )?allergy to ",
        rf"{_GOT} an? (?:(?:severe|serious|bad|strong|mild|slight|nasty) )?"
        r"(?P<value>[\w-]{3,20}(?: [\w-]{3,20})?) allergy\b",
        rf"{_GOT} (?P<value>[\w-]{{3,20}}(?:,? (?:and )?[\w-]{{3,20}}){{0,4}}) allergies\b",
        r"\bI(?:'ve| have) (?:always )?been allergic to (?=.{2,60}(?:since|all my life|for)\b|"
        r"\w[\w ]{2,20}$)",
        r"\bmy (?:food )?allerg(?:y is|ies are|y:|ies:) ",
        read=values.substances,
    ),
    *_rules(
        "intolerance.{member}",
        rf"{_IM} (?P<value>\w{{3,20}})[ -]intolerant\b",
        rf"{_IM} intolerant (?:to|of) ",
        rf"{_GOT} an? (?P<value>\w{{3,20}}) intolerance\b",
        r"\bI can(?:'t|not) (?:eat|tolerate|digest) ",
        r"\bI can(?:'t|not) have (?=(?:any )?(?:dairy|gluten|milk|nuts|wheat|soy|eggs|fish)\b)",
        read=values.substances,
    ),
    *_rules(
        "intolerance.gluten",
        rf"{_IM} (?:a )?(?P<value>coeliac|celiac)\b",
        r"\bI have (?P<value>(?:coeliac|celiac) disease)\b",
    ),
    *_rules(
        "diet",
        rf"{_WE_ARE} {_DIET}",
        rf"{_I} eat (?:only |strictly )?{_DIET}(?: only)?(?: food)?(?=\W*$|[,.;!]| and | only)",
        rf"{_I} only eat {_DIET}",
        rf"\bmy diet is {_DIET}",
        rf"{_HAVE} (?:gone|become|became|went|turned|eat|keep|been|switched to) {_DIET}",
        rf"(?:{_IM} on|{_HAVE} (?:follow|keep to|stick to|eat|started|switched to)) (?:an?|the) "
        r"(?P<value>[\w-]{3,20}(?: [\w-]{3,20})?) diet\b",
    ),
    *_rules(
        "avoids.{member}",
        rf"{_I} (?:{_NOT}|never) (?:eat|drink) (?!(?:out|late|early|much|often|before|after)\b)",
        rf"{_I} avoid ",
        rf"{_I} (?:{_NOT}|never) touch (?=(?:alcohol|meat|fish|seafood|pork|beef|dairy|sugar|"
        rf"caffeine|coffee|gluten|eggs)\b)",
        rf"{_I} (?:stay away from|steer clear of) ",
        read=values.things,
    ),
    *_rules(
        "home_city",
        rf"\b(?:I|we){_ADV} live (?:in|(?:just )?outside(?: of)?|near|close to|not far from) ",
        rf"\b(?:I|we){_ADV} reside in ",
        r"\b(?:I|we)(?:'ve| have)(?: been)? (?:lived|living) in (?=.{2,40} (?:since|for)\b)",
        rf"{_IM} (?:living|based|settled) (?:in|out of) ",
        r"\bmy (?:home city|current city|city|home)(?:'s| is)(?: now)?(?: in)? ",
        r"^home (?:for (?:me|us) )?(?:is|=) (?:now )?",
        read=values.place,
        ends=("home_country",),
    ),
    *_rules(
        "home_city",
        rf"{_HAVE} (?:moved|relocated)(?: back| over| here| house)?"
        r"(?: from(?: [^\s,.]{1,40}){1,4}?)?(?: back)? to "
        r"(?:an? (?:[\w-]{2,20} ){0,3}?(?:flat|apartment|house|place|home) in )?",
        r"^just (?:moved|relocated) to ",
        read=values.new_place,
        ends=("home_city", "home_country"),
    ),
    *_rules(
        "work.role",
        rf"{_I} work as an? ",
        rf"{_IM} (?:working|employed)(?: (?:for|at|with|by)(?: [\w&.'-]{{1,20}}){{1,4}}?)? as an? ",
        r"\bmy (?:job|occupation|profession|job title)(?:'s| is)(?: being|"
        r" that of)? (?:an? )?(?=(?:[\w-]{2,20} ){0,4}[\w-]{2,20}\W*$)",
        rf"{_HAVE} (?:work|joined|started)(?: [\w&.'-]{{1,20}}){{1,5}}? as an? ",
        read=values.role,
    ),
    *_rules("work.role", rf"{_IM} (?=(?P<value>{_A_ROLE}))", read=values.without_article),
    *_rules(
        "work.employer",
        rf"{_I} work (?:for|at) ",
        rf"{_IM} (?:working|employed) (?:for|at|by) ",
        r"\bmy employer(?:'s| is) ",
        rf"{_I} work as an?(?: [\w-]{{2,20}}){{1,4}} (?:for|at|with) ",
        rf"{_IM} {_A_ROLE} (?:for|at|with) ",
        read=values.employer,
    ),
    *_rules(
        "work.employer",
        rf"{_HAVE} (?:joined|started(?: working)? (?:at|with|for)) ",
        rf"{_HAVE} (?:started|got|taken|took|accepted|begun|began) (?:an?|my) (?:new |"
        rf"great )?job (?:at|with) ",
        read=values.organisation,
    ),
    *_rules(
        "seat",
        rf"{_CHOOSE}"
        rf"(?: to (?:sit|be|have)(?: in| at| by)?)?(?: an?| the| my)? {_SEAT}",
        rf"\bmy (?:preferred seat|seat preference) is (?:an? |the )?{_SEAT}",
        r"^(?:an? )?(?P<value>window|aisle|exit[- ]row) seats?,? (?:for me|always|only|"
        r"please for me)\b",
        r"\b(?:please )?always (?:give|book|get|find) me (?:an?|the) "
        r"(?P<value>window|aisle|exit[- ]row) seat\b",
        rf"{_I} (?:like|love|prefer|need|want)(?: to (?:sit|be))? (?:by|at|next to|"
        rf"near) the (?P<value>window|aisle)"
        r"(?= (?:on|when|in) (?:planes?|flights?|trains?|the plane|the train|I fly|flying)|\W*$)",
    ),
    *_rules(
        "hotel",
        rf"{_CHOOSE} {_LODGING}",
    ),
    *_rules(
        "dislikes.{member}",
        rf"{_I} (?:hate|dislike|detest|loathe|despise) ",
        rf"{_I} (?:can't|cannot) (?:stand|bear) ",
        rf"{_IM} no fan of ",
        rf"{_I} {_NOT}(?: really| much)? (?:like|enjoy|care for) ",
        r"\bI(?:'m| am) not(?: really)? (?:an? (?:big |huge |great )?fan of|into|fond of|keen on) ",
        read=values.things,
        ends=("likes.{member}",),
    ),
    *_rules(
        "likes.{member}",
        rf"{_I} (?:like|love|enjoy|adore|prefer) ",
        rf"{_IM} (?:an? (?:big |huge |great |real |massive )?(?:fan|lover) of|fond of|keen on|"
        rf"into) ",
        rf"{_IM} (?:crazy|mad|nuts|passionate) about ",
        r"^(?:big|huge|massive|real) (?:fan|lover) of ",
        rf"{_HAVE} always (?:loved|liked|enjoyed) ",
        read=values.things,
        ends=("dislikes.{member}",),
    ),
    *_rules(
        "favourite.{thing}",
        rf"\bmy (?:all-time |absolute |current |new )?favou?rite {_THING}"
        r"(?:'s| is| are| remains)(?: now| still)? ",
        read=values.phrase,
    ),
    *_rules(
        "favourite.{thing}",
        r"\b(?P<value>[\w'&-]{2,20}(?: [\w'&-]{1,20})?) (?:is|are) my "
        rf"(?:all-time |absolute |current |new )?favou?rite {_THING}(?=[,.!]|$| and | now\b)",
        read=values.things,
    ),
    *_rules("budget.{period}", *(f"{cue}(?P<value>{_AMOUNT}(?:{_PERIOD})?)" for cue in _BUDGETS)),
    *_rules(
        "birthday",
        r"\bmy birthday(?:'s| is| was| falls)(?: on)? "
        rf"(?P<value>{_DATE}|(?:yesterday|today|tomorrow)\b)",
        rf"\bI was born(?: on)? (?P<value>{_DATE})",
        rf"\bmy (?:date of birth|d\.?o\.?b\.?|bday|b-day)(?:'s| is|:)(?: on)? (?P<value>{_DATE})",
        read=values.birthday,
    ),
    *_rules(
        "phone{which}",
        rf"{_MY}(?P<which>work |office |business |home )?"
        r"(?:(?:cell|mobile|tele)?phone|mobile|cell|whatsapp)(?: phone)?(?: number| no\.?)?"
        rf"(?:'s| is|:)(?: now)? {_PHONE}",
        rf"{_MY}(?P<which>)(?:contact )?number(?:'s| is|:)(?: now)? {_PHONE}",
        rf"{_REACH}(?P<which>){_PHONE}",
    ),
    *_rules(
        "email{which}",
        rf"{_MY}(?P<which>work |office |business |home )?"
        rf"(?:e-?mail|mail)(?: address)?(?:'s| is|:)(?: now)? {_EMAIL}",
        rf"{_REACH}(?P<which>){_EMAIL}",
        rf"^(?:best )?e-?mail for (?:me|this)(?P<which>)(?: is|:) {_EMAIL}",
    ),
    # Several of a kind come first, each under a topic of its own.
    *_rules(
        "family.{members}.{member}",
        rf"\b(?:my|our) (?:{_SOME} ?){{0,2}}{_MEMBERS}(?:' names)? (?:are|are called|"
        rf"are named)(?: called| named)? ",
        rf"\b(?:my|our) (?:{_SOME} ?){{0,2}}{_MEMBERS},? (?-i:(?=[A-Z]))",
        rf"\b(?:I|we)(?:'ve got| have got| have|'ve)(?: got)? (?:{_SOME} ?){{1,2}}{_MEMBERS}"
        r"(?:,|:| -| \(| called| named|, called|, named) ?(?-i:(?=[A-Z]))",
        read=values.given_names,
    ),
    *_rules(
        "family.{relation}.name",
        rf"\b(?:my|our) {_RELATION}(?:'s name is| is called| is named|'s called|"
        rf"'s name's)(?: now)? ",
        rf"\b(?:I|we)(?:'ve got| have got| have|'ve)(?: got)? an? {_RELATION},? (?:called|named) ",
        read=values.name,
    ),
    *_rules(
        "family.{relation}.name",
        rf"\b(?:my|our) {_RELATION},? (?-i:(?=[A-Z]))",
        read=values.given_name,
    ),
    *_rules(
        "family.spouse.name",
        rf"{_IM} married to (?-i:(?=[A-Z]))",
        read=values.given_name,
    ),
    *_rules(
        "quit.{what}",
        rf"{_HAVE} (?P<value>(?:quit|stopped|gave up|given up) (?P<what>(?:smoking|vaping|drinking|"
        r"gambling|eating)(?! (?:yesterday|today|at|in|on|for))(?: [\w-]{3,20})?|smoking|vaping|"
        r"drinking|gambling|coffee|sugar|meat|alcohol|cigarettes)\b"
        r"(?: (?:yesterday|today|the day before yesterday)\b)?)",
    ),
)
