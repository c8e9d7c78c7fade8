"""How people speak of themselves in English: the table that `RuleExtractor` reads by.

A rule says: after these words stands such a value, and it belongs to this topic. Add a line to
teach a new phrase.
"""

from __future__ import annotations

from . import values
from .endings import ENDINGS
from .phrases import (
    A_ROLE,
    ADV,
    AMOUNT,
    BUDGETS,
    CHOOSE,
    DATE,
    DIET,
    EMAIL,
    FLUENCY,
    GOT,
    HAVE,
    IM,
    LANGUAGE,
    LODGING,
    MEMBERS,
    MY,
    NOT,
    NOT_A_JOB,
    PAYMENT,
    PERIOD,
    PHONE,
    REACH,
    RELATION,
    ROLE,
    SEAT,
    SELF,
    SOME,
    THING,
    WE_ARE,
)
from .rule import Rule, rules

RULES: tuple[Rule, ...] = (
    # What is so no longer comes first: "I'm no longer vegan" is not "I'm vegan".
    *ENDINGS,
    *rules(
        "name",
        r"\bmy (?:first |full |given |real )?name(?:'s| is)(?: actually| now)? ",
        r"^(?:the )?name's ",
        read=values.name,
    ),
    *rules("name", r"\bmy full name(?:'s| is)(?: actually| now)? ", read=values.full_name),
    *rules(
        "name.surname",
        r"\bmy (?:new )?(?:surname|last name|family name)(?:'s| is)(?: actually| now)? ",
        read=values.name,
    ),
    *rules(
        "name",
        r"\b(?:you can |please |just )?call me (?:just )?",
        r"\b(?:everyone|everybody|people|(?:my )?friends) calls? me (?:just )?",
        rf"{SELF} go by (?:the name (?:of )?)?",
        r"\b(?:I'm|I am) called (?:just )?",
        r"\b(?:I'm|I am) ",
        read=values.capitalised_name,
    ),
    *rules(
        "allergy.{member}",
        rf"{IM} allergic to (?:both |things like |stuff like |all kinds of )?",
        rf"{GOT} (?:an? )?(?:\w{{3,12}} )?allerg(?:y|ies) to ",
        rf"{HAVE} developed an? (?:\w{{3,12}} )?allergy to ",
        rf"{GOT} an? (?:(?:severe|serious|bad|strong|mild|slight|nasty) )?"
        r"(?P<value>[\w-]{3,20}(?: [\w-]{3,20})?) allergy\b",
        rf"{GOT} (?P<value>[\w-]{{3,20}}(?:,? (?:and )?[\w-]{{3,20}}){{0,4}}) allergies\b",
        r"\bI(?:'ve| have) (?:always )?been allergic to (?=.{2,60}(?:since|all my life|for)\b|"
        r"\w[\w ]{2,20}$)",
        r"\bI (?:have|get) (?:an? )?(?:(?:bad|severe|strong|nasty|serious|mild) )?"
        r"allergic reactions? to ",
        r"\bmy (?:food )?allerg(?:y is|ies are|y:|ies:) ",
        read=values.substances,
    ),
    *rules(
        "intolerance.{member}",
        rf"{IM} (?P<value>\w{{3,20}})[ -]intolerant\b",
        rf"{IM} intolerant (?:to|of) ",
        rf"{GOT} an? (?P<value>\w{{3,20}}) intolerance\b",
        r"\bI can(?:'t|not) (?:eat|tolerate|digest) (?!(?:more|much|enough|well|properly|alone|out|"
        r"outside|inside|late|early|before|after|until|without|with|right|then|when|like|in|on|at)\b)",
        r"\bI can(?:'t|not) have (?=(?:any )?(?:dairy|gluten|milk|nuts|wheat|soy|eggs|fish)\b)",
        read=values.substances,
    ),
    *rules(
        "intolerance.gluten",
        rf"{IM} (?:a )?(?P<value>coeliac|celiac)\b",
        r"\bI have (?P<value>(?:coeliac|celiac) disease)\b",
    ),
    *rules(
        "diet",
        rf"{WE_ARE} {DIET}",
        rf"{SELF} eat (?:only |strictly )?{DIET}(?: only)?(?: food)?(?=\W*$|[,.;!]| and | only)",
        rf"{SELF} only eat {DIET}",
        rf"\bmy diet is {DIET}",
        rf"{HAVE} (?:gone|become|became|went|turned|eat|keep|been|switched to) {DIET}",
        rf"(?:{IM} on|{HAVE} (?:follow|keep to|stick to|eat|started|switched to)) (?:an?|the) "
        r"(?P<value>[\w-]{3,20}(?: [\w-]{3,20})?) diet\b",
    ),
    *rules(
        "avoids.{member}",
        rf"\b(?:I|we){ADV} (?:{NOT}|never){ADV} (?:eat|drink) "
        r"(?!(?:out|late|early|much|often|before|after)\b)",
        rf"{SELF} avoid ",
        rf"\b(?:I|we){ADV} eat everything (?:except|but|apart from|"
        r"other than|besides) (?:for )?",
        rf"{SELF} (?:{NOT}|never) touch (?=(?:alcohol|meat|fish|seafood|pork|beef|dairy|sugar|"
        rf"caffeine|coffee|gluten|eggs)\b)",
        rf"{SELF} (?:stay away from|steer clear of) ",
        read=values.things,
    ),
    *rules(
        "home_city",
        rf"\b(?:I|we){ADV} live (?:in|(?:just )?outside(?: of)?|near|close to|not far from) ",
        rf"\b(?:I|we){ADV} reside in ",
        r"\b(?:I|we)(?:'ve| have)(?: been)? (?:lived|living) in (?=.{2,40} (?:since|for)\b)",
        rf"{IM} (?:living|based|settled) (?:in|out of) ",
        r"\b(?:I|we)(?:'m|'re)?(?: now| currently| still)? (?:live|living) in an? "
        r"(?:[\w-]{2,20} ){0,3}?(?:flat|apartment|house|studio|cottage|bungalow|condo) in ",
        r"\bmy (?:home city|current city|city|home)(?:'s| is)(?: now)?(?: in)? ",
        r"\bhome (?:for (?:me|us) )?(?:is|=) (?:now )?",
        r"\b(?:I|we)(?: now)? live in an? (?:[\w-]{2,20} ){0,3}?(?:village|town|city|suburb|hamlet)"
        r"(?: called| named|,)? (?-i:(?=[A-Z]))",
        read=values.place,
        ends=("home_country",),
    ),
    *rules(
        "home_city",
        rf"{HAVE} (?:moved|relocated)(?: back| over| here| house)?"
        r"(?: from(?: [^\s,.]{1,40}){1,4}?)?(?: back)? to "
        r"(?:an? (?:[\w-]{2,20} ){0,3}?(?:flat|apartment|house|place|home) in )?",
        r"^(?:just|recently|finally) (?:moved|relocated) to ",
        r"^(?:moved|relocated) to (?=[^.,;:!?]{2,40} (?:last|this) (?:week|month|year|weekend|"
        r"spring|summer|autumn|fall|winter)\W{0,9}$)",
        read=values.new_place,
        ends=("home_city", "home_country"),
    ),
    *rules(
        "work.role",
        rf"{SELF} work as an? ",
        rf"{IM} (?:working|employed)(?: (?:for|at|with|by)(?: [\w&.'-]{{1,20}}){{1,4}}?)? as an? ",
        r"\bmy (?:job|occupation|profession|job title)(?:'s| is)(?: being|"
        r" that of)? (?:an? )?(?=(?:[\w-]{2,20} ){0,4}[\w-]{2,20}\W*$)",
        rf"{HAVE} (?:work|joined|started)(?: [\w&.'-]{{1,20}}){{1,5}}? as an? ",
        read=values.role,
    ),
    *rules(
        "work.role",
        rf"{SELF} do (?P<value>(?!(?:nothing|something|everything|anything|it|this|that|what)\b)["
        rf"\w-]{{3,20}}(?: [\w-]{{3,20}}){{0,2}}) for a living\b",
        rf"(?:{HAVE}|^just|^finally)(?: been| got| was)?{ADV} promoted to (?:an? |the )?"
        rf"(?P<value>(?:(?:[\w-]{{3,20}} ){{0,3}}?{ROLE}|"
        r"(?:head|director|vice president|vp|chief) of [\w-]{2,20}))\b",
        rf"{IM} (?:the )?(?:new )?(?P<value>(?:head|director|vice president|vp) of "
        r"(?!the\b|my\b|our\b)[\w-]{2,20}) (?:at|for|in|of) ",
    ),
    *rules("work.role", rf"{IM} (?=(?P<value>{A_ROLE}))", read=values.without_article),
    *rules(
        "work.employer",
        rf"{SELF} work (?:for|at) ",
        rf"{IM} (?:working|employed) (?:for|at|by) ",
        r"\bmy employer(?:'s| is) ",
        rf"{SELF} work as an?(?: [\w-]{{2,20}}){{1,4}} (?:for|at|with) ",
        rf"{IM} {A_ROLE} (?:for|at|with) ",
        read=values.employer,
    ),
    *rules(
        "work.employer",
        rf"{HAVE} joined {NOT_A_JOB}",
        rf"{HAVE} started(?: working)? (?:at|with|for) ",
        rf"{HAVE} (?:started|got|taken|took|accepted|begun|began) (?:an?|my) (?:new |"
        rf"great )?job (?:at|with) ",
        rf"{HAVE} (?:switched|changed) (?:jobs|employers?)(?:,| and|, and)?(?: now)? I(?:'m| am) "
        r"(?:now )?(?:at|with) ",
        r"\bmy new (?:job is (?:at|with)|employer is) ",
        rf"{HAVE} (?:switched|changed) jobs to ",
        read=values.new_organisation,
    ),
    *rules(
        "seat",
        rf"{CHOOSE}"
        rf"(?: to (?:sit|be|have)(?: in| at| by)?)?(?: an?| the| my)? {SEAT}",
        rf"\bmy (?:preferred seat|seat preference) is (?:an? |the )?{SEAT}",
        r"(?:\bI want |\bI'd like )?(?P<value>window|aisle|exit[- ]row) seats?,? "
        r"(?:from now on|always from now on|in future|in the future)\b",
        r"^(?:always )?(?:an? )?(?P<value>window|aisle|exit[- ]row) seats?,? (?:for me|always|only|"
        r"please for me)\b",
        r"\b(?:please )?always (?:give|book|get|find) me (?:an?|the) "
        r"(?P<value>window|aisle|exit[- ]row) seat\b",
        rf"{SELF} (?:like|love|prefer|need|want)(?: to (?:sit|be))? (?:by|at|next to|"
        rf"near) the (?P<value>window|aisle)"
        r"(?= (?:on|when|in) (?:planes?|flights?|trains?|the plane|the train|I fly|flying)|\W*$)",
    ),
    *rules(
        "hotel",
        rf"{CHOOSE} {LODGING}",
        rf"{CHOOSE} [\w-]{{2,20}}(?: [\w-]{{2,20}}){{0,2}} and {LODGING}",
    ),
    # Before what somebody likes: "I prefer paying by card" is no hobby.
    *rules(
        "payment",
        rf"\bI(?:{ADV} (?:always|usually|normally|prefer to|only)|(?:'d| would) "
        rf"(?:rather|prefer to)| like to){ADV} pay (?:(?:with|by|via|using|in|through) )?{PAYMENT}",
        rf"\bmy (?:preferred|usual|favou?rite) (?:way to pay|payment method|method of payment) is "
        rf"{PAYMENT}",
        rf"\bI prefer (?:paying|to pay) (?:with|by|via|using|in|through) {PAYMENT}",
    ),
    *rules(
        "language",
        r"^(?=.{0,40}\b(?:always|from now on)\b)(?:(?:please|pls|can you|could you|always|"
        r"from now on),? ){1,4}(?:reply|answer|respond|write|talk|speak|text)"
        rf"(?: to me| me)? in (?P<value>{LANGUAGE})"
        r"(?=\W{0,9}$|[,.;!]| (?:please|from now on|thanks|and)\b)",
        rf"^please (?:reply|answer|respond|write|talk|speak)(?: to me)? in (?P<value>{LANGUAGE}) "
        r"(?:from now on|always|in future)\b",
        rf"\bI(?: would|'d)? prefer (?:to (?:speak|chat|talk|write|be addressed) in|"
        rf"(?:speaking|chatting|talking|writing)(?: in)?|to speak) (?P<value>{LANGUAGE})\b",
    ),
    *rules(
        "dislikes.{member}",
        rf"{SELF} (?:hate|dislike|detest|loathe|despise) ",
        rf"{SELF} (?:can't|cannot) (?:stand|bear) ",
        rf"{IM} no fan of ",
        rf"{SELF} {NOT}(?: really| much)? (?:like|enjoy|care for) ",
        r"\bI(?:'m| am)(?: really)? not(?: really)? (?:an? (?:big |huge |great )?fan of|into|"
        r"fond of|keen on) ",
        read=values.things,
        ends=("likes.{member}",),
    ),
    *rules(
        "likes.{member}",
        rf"{SELF} (?:like|love|enjoy|adore|prefer) ",
        rf"{IM} (?:an? (?:big |huge |great |real |massive )?(?:fan|lover) of|fond of|keen on|"
        rf"into) ",
        rf"{IM} (?:crazy|mad|nuts|passionate) about ",
        r"^(?:big|huge|massive|real) (?:fan|lover) of ",
        rf"{HAVE} always (?:loved|liked|enjoyed) ",
        read=values.things,
        ends=("dislikes.{member}",),
    ),
    *rules(
        "favourite.{thing}",
        rf"\bmy (?:all-time |absolute |current |new )?favou?rite {THING}"
        r"(?:'s| is| are| remains)(?: now| still)? ",
        read=values.phrase,
    ),
    *rules(
        "favourite.{thing}",
        r"\b(?P<value>[\w'&-]{2,20}(?: [\w'&-]{1,20})?) (?:is|are) my "
        rf"(?:all-time |absolute |current |new )?favou?rite {THING}(?=[,.!]|$| and | now\b)",
        read=values.things,
    ),
    *rules("budget.{period}", *(f"{cue}(?P<value>{AMOUNT}(?:{PERIOD})?)" for cue in BUDGETS)),
    *rules(
        "birthday",
        r"\bmy birthday(?:'s| is| was| falls)(?: on)? "
        rf"(?P<value>{DATE}|(?:yesterday|today|tomorrow)\b)",
        rf"\bI was born(?: on)? (?P<value>{DATE})",
        rf"\bI(?:'m| am|'ll)? turn(?:ing)? \d{{1,3}} on (?P<value>{DATE})",
        rf"\bmy (?:date of birth|d\.?o\.?b\.?|bday|b-day)(?:'s| is|:)(?: on)? (?P<value>{DATE})",
        read=values.birthday,
    ),
    *rules(
        "phone{which}",
        rf"{MY}(?P<which>work |office |business |home )?"
        r"(?:(?:cell|mobile|tele)?phone|mobile|cell|whatsapp)(?: phone)?(?: number| no\.?)?"
        rf"(?:'s| is|:)(?: now)? {PHONE}",
        rf"{MY}(?P<which>)(?:contact )?number(?:'s| is|:)(?: now)? {PHONE}",
        rf"{REACH}(?P<which>){PHONE}",
        rf"{MY}(?P<which>)(?:(?:cell|mobile|tele)?phone|mobile|cell)?(?: ?number)?(?: has|'s|'ve)?"
        rf" changed[,;:]?(?: to| and)?(?: it's| it is| the new one is)?(?: now)? {PHONE}",
    ),
    *rules(
        "email{which}",
        rf"{MY}(?P<which>work |office |business |home )?"
        rf"(?:e-?mail|mail)(?: address)?(?:'s| is|:)(?: now)? {EMAIL}",
        rf"{REACH}(?P<which>){EMAIL}",
        rf"{MY}(?P<which>)(?:e-?mail|mail)(?: address)?(?: has|'s)? changed[,;:]?(?: to| and)?"
        rf"(?: it's| it is| the new one is)?(?: now)? {EMAIL}",
        rf"^(?:best )?e-?mail for (?:me|this)(?P<which>)(?: is|:) {EMAIL}",
    ),
    *rules(
        "dislikes.{member}",
        rf"{IM} (?:scared|afraid|terrified|frightened) of (?P<value>flying|heights|spiders|snakes|"
        r"dogs|the dark|deep water|boats|cable cars|lifts|elevators)(?=\W{0,9}$|[,.;!]| and )",
    ),
    *rules(
        "language.native",
        r"\bmy (?:native language|native tongue|mother tongue|first language)(?:'s| is) "
        rf"(?P<value>{LANGUAGE})\b",
    ),
    *rules(
        "language.{member}",
        rf"\b(?:I|we){ADV} speak (?=(?:{FLUENCY}{LANGUAGE})\b)",
        rf"{IM} (?:fluent in|bilingual in|learning) (?={LANGUAGE}\b)",
        read=values.languages,
    ),
    *rules(
        "airport",
        rf"\b(?:I|we){ADV} (?:always|usually|normally|prefer to|mostly|generally) fly "
        r"(?:out of|from) (?-i:(?=[A-Z]))",
        r"\bmy (?:home|local|nearest|closest|usual|preferred) airport(?:'s| is) (?-i:(?=[A-Z]))",
        read=values.place,
    ),
    *rules(
        "car",
        r"\bI drive an? (?P<value>(?:\d{4} )?(?!Uber|Lyft|Taxi)(?-i:[A-Z])[\w-]{1,20}"
        r"(?: (?-i:[A-Z0-9])[\w-]{0,20}){0,3})(?=\W{0,9}$|[,.;!]| (?:and|now|these days)\b)",
    ),
    *rules(
        "anniversary",
        rf"\b(?:my|our)(?: wedding)? anniversary(?:'s| is| falls)(?: on)? (?P<value>{DATE})",
        read=values.birthday,
    ),
    # Several of a kind come first, each under a topic of its own.
    *rules(
        "family.{members}.{member}",
        rf"\b(?:my|our) (?:{SOME} ?){{0,2}}{MEMBERS}(?:' names)? (?:are|are called|"
        rf"are named)(?: called| named)? ",
        rf"\b(?:my|our) (?:{SOME} ?){{0,2}}{MEMBERS},? (?-i:(?=[A-Z]))",
        rf"\b(?:I|we)(?:'ve got| have got| have|'ve)(?: got)? (?:{SOME} ?){{1,2}}{MEMBERS}"
        r"(?:,|:| -| \(| called| named|, called|, named) ?(?-i:(?=[A-Z]))",
        read=values.given_names,
    ),
    *rules(
        "family.{relation}.name",
        rf"\b(?:my|our) {RELATION}(?:'s name is| is called| is named|'s called|"
        rf"'s name's)(?: now)? ",
        rf"\b(?:I|we)(?:'ve got| have got| have|'ve|(?: just| recently| finally)? (?:got|"
        rf"adopted|rescued))(?: got)? an? {RELATION},? (?:called|named) ",
        r"\b(?:I|we)(?:'ve got| have got| have|'ve) [^.;:!?]{1,60}? and an? "
        rf"{RELATION},? (?:called|named) ",
        rf"\b(?:I|we)(?:'ve got| have got| have|'ve)(?: just)?(?: got| had)? an? {RELATION}[,;]? "
        r"(?:and )?(?:his|her|its|their) name(?:'s| is) ",
        r"\b(?:I|we)(?:'ve| have)?(?:(?: just| recently) had an? (?:baby |little )?| had a baby )"
        r"(?P<relation>boy|girl|son|daughter)[,;]? (?:and )?(?:(?:his|her) name(?:'s| is)|"
        r"(?:we )?(?:called|named)(?: him| her)?) ",
        read=values.name,
    ),
    *rules(
        "family.{relation}.name",
        rf"\b(?:I|we)(?:'ve got| have got| have|'ve)(?: got)? an? {RELATION}, "
        r"(?-i:(?=[A-Z][\w'-]{1,20}(?:\W{0,9}$|[,.;!]| and )))",
        read=values.given_name,
    ),
    *rules(
        "family.{relation}.name",
        r"\b(?:I|we)(?:'m|'re)? (?:[\w-]{1,20} ){1,8}?(?:with|and) (?:my|our) "
        rf"{RELATION},? (?-i:(?=[A-Z][\w-]{{1,20}}(?:\W{{0,9}}$|[,.;!]|\s)))",
        read=values.given_name,
    ),
    *rules(
        "family.partner.name",
        rf"(?:{HAVE} (?:got|gotten) |{IM} )(?:now )?engaged to (?-i:(?=[A-Z]))",
        read=values.given_name,
    ),
    *rules(
        "family.{relation}.name",
        rf"\b(?:my|our) {RELATION},? (?-i:(?=[A-Z]))"
        r"(?!.{0,40}\b(?:died|passed away|is dead|was put down)\b)",
        read=values.given_name,
    ),
    *rules(
        "family.spouse.name",
        rf"{IM} married to (?-i:(?=[A-Z]))",
        read=values.given_name,
    ),
    *rules(
        "quit.{what}",
        rf"{HAVE} (?P<value>(?:quit|stopped|gave up|given up) (?P<what>(?:smoking|vaping|drinking|"
        r"gambling|eating)(?! (?:yesterday|today|at|in|on|for))(?: [\w-]{3,20})?|smoking|vaping|"
        r"drinking|gambling|coffee|sugar|meat|alcohol|cigarettes)\b"
        r"(?: (?:yesterday|today|the day before yesterday)\b)?)",
    ),
)
