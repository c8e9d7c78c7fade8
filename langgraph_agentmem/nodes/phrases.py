"""The pieces of which the rules are made: how people begin to speak of themselves in English, and
the words for diets, trades, sums, dates and the family.
"""

from __future__ import annotations

ADV = (
    r"(?: (?:really|also|now|currently|still|just|always|usually|actually|recently|truly|do|"
    r"absolutely|generally|mostly|only|finally|already|both|severely|deathly|highly|very|extremely|"
    r"mildly|definitely|particularly|especially|myself|personally|quite|so|much)){0,3}"
)
IM = rf"(?:\b(?:I'm|I am)|(?<=\band )I are){ADV}"
WE_ARE = rf"(?:\b(?:I'm|I am|we're|we are)|(?<=\band )I are){ADV}(?: all)?"
SELF = rf"\bI{ADV}"
HAVE = rf"\b(?:I|we)(?:'ve| have)?{ADV}"
GOT = r"\bI(?:'ve got| have got|'ve| have)"
NOT = r"(?:don't|do not|dont)"
LOOK_AHEAD = r"(?=.{0,80}\b(?:any ?more|any longer)\b)"

DIET_WORD = (
    r"(?:(?:strict|strictly|mostly|lacto-ovo|largely) )?(?:vegan|vegetarian|veggie|pescatarian|"
    r"pescetarian|flexitarian|fruitarian|halal|kosher|keto|ketogenic|paleo|plant-based|"
    r"(?:gluten|dairy|lactose|nut|sugar|meat)[- ]free|low[- ](?:carb|salt|fodmap|fat|sugar|sodium))"
    r"s?(?![\w-])(?! (?:shopping|restaurants?|leather|people|options?|cooking|recipes?|places?|"
    r"cruises?|salt|wine|shops?|friends?|colleagues?|guests?|blogs?|books?|chefs?|cooks?|bakers?|"
    r"crowd|festivals?|caf[eé]s?|protein)\b)"
)
DIET = rf"(?:an? )?(?P<value>{DIET_WORD}(?:(?:, |,? and |/){DIET_WORD}){{0,3}})"

ROLE = (
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
A_ROLE = (
    r"(?:an?|the) (?!(?:bad|terrible|good|great|big|huge|lousy|amateur|hobby|frequent|keen|decent|"
    rf"aspiring|wannabe|former|bit)\b)(?:[\w-]{{3,20}} ){{0,3}}?{ROLE}\b(?!'s| at heart|-)"
)

CHOOSE = (
    rf"\b(?:I|we)(?:{ADV} (?:prefer|like|love|always want|take|choose|book|pick|sit in|stay in|"
    r"stay at)"
    rf"|(?:'d| would){ADV} (?:prefer|rather (?:have|take|stay in|stay at|be in|book)))"
)
SEAT = r"(?P<value>window|aisle|middle|exit[- ]row|bulkhead)(?:[- ]seats?|\W{0,9}$)"
LODGING = (
    r"(?P<value>(?!(?:the|these|those|your|such|all|this|that)\b)"
    r"(?:(?!(?:and|or|but|seats?)\b)[\w-]{3,20} ){0,4}"
    r"(?:hotels|hostels|B&Bs|guesthouses|apartments|resorts|inns)"
    r"(?: (?:with|without|near|in|by|close to|away from|outside|far from) [^,.;:!?]{1,40})?)"
)

SUM = r"(?:\d{1,3}(?:[,.' ]\d{3}){1,3}|\d{1,9})(?:[.,]\d{1,2})?k?(?!\d)"
CURRENCY = (
    r"(?:€|\$|£|¥|₹|euros?\b|eur\b|dollars?\b|usd\b|bucks\b|pounds?\b|gbp\b|quid\b|chf\b|"
    r"francs?\b|yen\b|jpy\b|rupees?\b|inr\b|sek\b|nok\b|dkk\b|kr\b|zł|pln\b|cad\b|aud\b)"
)
PERIOD = (
    r"(?: ?/ ?| an? | per | each | every )(?:night|day|person|week|head)\b"
    r"|,? (?:in total|total|altogether|overall|for (?:the|this|my|our)(?: whole| entire)? "
    r"(?:trip|stay|holiday|vacation|journey))\b"
)
AMOUNT = (
    rf"(?:(?:(?:€|\$|£|¥|₹|US\$) ?|(?:EUR|USD|GBP|CHF|CAD|AUD|INR|JPY) ?){SUM}"
    rf"|{SUM}(?: ?(?:-|\u2013|to) ?{SUM})? ?{CURRENCY}|{SUM}(?=[,.;!]|$|{PERIOD}))"
)
ABOUT = (
    r"(?:(?: now| about| around| under| below| up to|"
    r" roughly| at most| max| maximum| still| only| just)){0,3}"
)
FOR_WHAT = r"(?: (?:for|per) (?:the |this |my |our |a )?(?:whole |entire |next )?[\w-]{2,20})?"
BUDGETS = (
    rf"\b(?:my|our) (?:[\w-]{{2,20}} ){{0,3}}?budget{FOR_WHAT}(?:'s| is|:){ABOUT} ",
    rf"\b(?:I|we){ADV}(?: have|'ve got|'ve)(?: got)? a budget of{ABOUT} ",
    rf"\b(?:I|we) can(?: only| just)? (?:spend|pay|afford){ABOUT} ",
    rf"\b(?:I|we) {NOT} want to (?:spend|pay) more than ",
    rf"\b(?:I'm|I am) willing to (?:spend|pay){ABOUT} ",
    r"\bI(?:'d| would) like to (?:stay|keep it) (?:under|below|within) ",
    r"^(?:budget|maximum|max|no more than|at most)(?: is|:)? ",
)

MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    r"sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
DATE = (
    rf"(?:(?:the )?\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {MONTH}(?:,? \d{{4}}\b)?"
    rf"|{MONTH} \d{{1,2}}(?:st|nd|rd|th)?\b(?:,? \d{{4}}\b)?"
    r"|\d{4}-\d{2}-\d{2}\b|\d{1,2}[./]\d{1,2}[./](?:\d{4}|\d{2})\b)"
)
MY = r"\bmy (?:new |personal |private |own )?"
PHONE = r"(?P<value>\+?\(?\d[\d ().\-/]{5,22}\d)(?!\w)"
EMAIL = r"(?P<value>[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5})"
REACH = (
    r"\b(?:you can |please |best to )?(?:call|text|reach|phone|ring|whatsapp|message|contact|"
    r"e-?mail|write to) me (?:at|on|via|under)(?: my \w{2,12})?:? "
)

_A_PET = (
    r"dog|cat|puppy|kitten|labrador|poodle|terrier|spaniel|beagle|collie|dachshund|pug|corgi|"
    r"retriever|greyhound|husky|alsatian|rottweiler|horse|pony|rabbit|hamster|guinea pig|parrot|"
    r"budgie|tortoise|goldfish"
)
PET = rf"(?P<relation>{_A_PET})"

RELATION = (
    r"(?P<relation>(?:(?:older|elder|eldest|oldest|younger|youngest|little|big|twin|step|ex|other|"
    r"second|third) )?"
    r"(?:wife|husband|partner|spouse|fiancée?|girlfriend|boyfriend|daughter|son|baby|child|mother|"
    r"mum|mom|father|dad|sister|brother|grandmother|grandma|grandfather|grandpa|granddaughter|"
    r"grandson|aunt|uncle|niece|nephew|cousin|" + _A_PET + r"))"
)
MEMBERS = (
    r"(?P<members>daughters|sons|kids|children|girls|boys|sisters|brothers|siblings|dogs|cats|"
    r"grandchildren|grandsons|granddaughters|nieces|nephews|cousins|uncles|aunts)"
)
SOME = (
    r"(?:two|three|four|five|six|seven|several|\d|"
    r"(?:twin|adult|teenage|grown-up|young|little|small|lovely) )"
)
THING = r"(?P<thing>[\w-]{2,20}(?: [\w-]{2,20}){0,2}?)"

PAYMENT = (
    r"(?P<value>(?:credit|debit) card|card|cash|PayPal|Apple Pay|Google Pay|bank transfer|"
    r"direct debit|invoice|American Express|Amex|Visa|Mastercard|Revolut|Klarna|iDEAL|Venmo|"
    r"Alipay|WeChat Pay|UPI|Wise|vouchers?|points|miles)"
    r"(?=\W{0,9}$|[,.;!]| (?:and|when|now|please|from|whenever|where|if|this|for|on|in|at)\b)"
)

LANGUAGE = (
    r"(?:(?:brazilian|swiss|british|american|mexican|simplified|traditional) )?(?:English|German|"
    r"French|Spanish|Portuguese|Italian|Dutch|Danish|Swedish|Norwegian|Finnish|Icelandic|Polish|"
    r"Czech|Slovak|Slovenian|Hungarian|Romanian|Bulgarian|Greek|Turkish|Russian|Ukrainian|"
    r"Serbian|Croatian|Bosnian|Albanian|Latvian|Lithuanian|Estonian|Irish|Welsh|Gaelic|Basque|"
    r"Catalan|Galician|Maltese|Arabic|Hebrew|Farsi|Persian|Pashto|Urdu|Hindi|Punjabi|Bengali|"
    r"Gujarati|Marathi|Tamil|Telugu|Kannada|Malayalam|Sinhala|Nepali|Chinese|Mandarin|Cantonese|"
    r"Japanese|Korean|Vietnamese|Thai|Khmer|Lao|Burmese|Malay|Indonesian|Tagalog|Filipino|Swahili|"
    r"Amharic|Somali|Hausa|Yoruba|Igbo|Zulu|Xhosa|Afrikaans|Esperanto|Latin)"
)
FLUENCY = (
    r"(?:(?:both|fluent|native|decent|good|some|basic|conversational|broken|"
    r"an? (?:bit|little)(?: of)?) )?"
)

PROPER = r"(?:(?-i:[A-Z])[\w&.-]{1,30}(?: (?-i:[A-Z])[\w&.-]{1,30}){0,3})"
FOR_GOOD = (
    r"(?:\W{0,9}$|[.,;!]| (?:and|to join|recently|yesterday|for good|because|after|ages|years|"
    r"\w{1,9} (?:days?|weeks?|months?|years?) ago|(?:last|this) \w{3,9}|"
    rf"in (?:\d{{4}}|{MONTH}|(?:the )?(?:spring|summer|autumn|winter)))\b)"
)
"""What follows an employer that somebody has left for more than lunch."""

NOT_A_JOB = (
    r"(?!(?:Facebook|Instagram|Tinder|LinkedIn|Twitter|Reddit|Discord|Telegram|WhatsApp|TikTok|"
    r"Netflix|Zoom|Teams|Slack|Mastodon|Bumble|Hinge)\b(?! as\b))"
)
"""What everybody joins."""
