"""What a person may not want to be remembered, though it is no secret: health, faith, money owed.

A category is known by what a memory is called (`religion`, `health.condition`) or by what its
text says. Allergies, intolerances, diets, budgets and contact details are never held: an answer
that does not respect them does harm.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Literal, TypeAlias, get_args

from langgraph_agentmem.model import Candidate

from .reading import Finder, ReadingFinder, any_of, leaves, near, plain, read, topic_words

Category: TypeAlias = Literal[
    "diagnosis",
    "medication",
    "religion",
    "politics",
    "sexuality",
    "ethnicity",
    "biometrics",
    "income",
    "debts",
]
CATEGORIES: tuple[Category, ...] = get_args(Category)

_ALWAYS_KEPT = re.compile(
    r"\b(?:allerg\w*|intoleran\w*|diets?|dietary|avoids?|budgets?|phones?|e-?mails?|address)\b",
    re.IGNORECASE,
)
"""In a topic: what is kept whatever it says, as the design of this package promises."""

_NAMES = re.compile(
    r"\b(?:names?|cuisines?|food|dish|colou?rs?|cars?|hair|favou?rites?|likes|dislikes|"
    r"employers?|company|school|book|film|movie|song|band|"
    r"artist|author|team|club|hotel|restaurant|bar|brand|street|pets?|project|game|player|team)\b",
    re.IGNORECASE,
)
"""In a topic: its value is a name or a taste, in which "Christian" or "Stroke" may stand."""

_AMOUNT = (
    r"(?:(?:[€$£¥₹]|\b(?:eur|usd|gbp|chf|inr|rs\.?)\s?)\s?\d[\d.,' ]{0,15}k?\b"
    r"|\b\d[\d.,']{0,15}\s?(?:k|grand|lakhs?|crores?|million|mio)?\s?"
    r"(?:€|\$|£|₹|euros?|dollars?|pounds?|quid|bucks|francs?|rupees?|yen|eur|usd|gbp|chf|inr)(?!\w)"
    r"|\b\d{1,4}(?:k|\sgrand|\slakhs?)\b)"
)
_EACH = (
    r"\s?(?:(?:an?|per|/|each|every|im|pro|al|par|la)\s?(?:year|annum|month|week|hour|day|jahr|"
    r"monat|"
    r"stunde|mes|año|mois|an|heure)\b|yearly\b|monthly\b|annually\b|hourly\b|p\.?a\b)"
)
_ILLNESS = (
    r"(?:diabet(?:es|ic)|cancer|carcinoma|tumou?rs?|leuk(?:a)?emia|lymphoma|hiv(?:[- ]positive)?|"
    r"depress(?:ion|ive disorder)|clinically depressed|bipolar(?: disorder)?|schizophreni[ac]|"
    r"adhd|autis(?:m|tic)|asperger'?s?|asthma(?:tic)?|epilep(?:sy|tic)|migraines?|hypertension|"
    r"high blood pressure|arthritis|crohn'?s|ulcerative colitis|irritable bowel|ibs|dementia|"
    r"alzheimer'?s|parkinson'?s|multiple sclerosis|lupus|endometriosis|pcos|hepatitis|"
    r"tuberculosis|anorexi[ac]|bulimi[ac]|eating disorder|ptsd|ocd|copd|fibromyalgia|"
    r"(?:heart|kidney|liver|lung|thyroid|autoimmune) (?:disease|failure|condition|attack)|"
    r"anxiety(?: disorder)?|panic (?:attacks|disorder)|insomnia|sleep apn(?:o)?ea|psoriasis|eczema|"
    r"glaucoma|sickle cell|cystic fibrosis|h(?:a)?emophilia|chlamydia|herpes|syphilis|"
    r"miscarriage|abortion|infertil(?:e|ity)|alcoholi(?:c|sm)|drug addict(?:ion)?|in rehab|"
    r"burn-?out|long covid|dyslexi[ac]|wheelchair user|disabled|disability|"
    r"epilessia|emicrania|cancro|tumore|depressione|ipertensione|epilepsia|depress[ãa]o|c[âa]ncer|"
    r"cukrzyc[aęy]|depresj[aęi]|padaczk[aęi]|krebs|depressionen|bluthochdruck|c[áa]ncer|"
    r"depresi[óo]n|d[ée]pression|diab[èe]te|"
    r"epilepsie|épilepsie|diabete|मधुमेह|कैंसर|अवसाद|糖尿病|うつ病|癌|がん|抑郁症|고혈압|당뇨(?:병)?)"
)
_OF_NO_PATIENT = (
    r"(?!-(?!free|related|positive)\w)(?! (?:research\w*|specialists?|nurses?|doctors?|"
    r"surgeons?|charit\w+|wards?|coach\w*|therapists?|"
    r"advocates?|scientists?|biologists?|transistors?|junctions?|jokes?|museums?|awareness|"
    r"fundrais\w+|unit|walk|run|drive|app)\b)"
)
"""After the name of an illness: somebody or something that deals with it."""
_DRUG = (
    r"(?:metformin|insulin|ozempic|wegovy|semaglutide|sertraline|zoloft|fluoxetine|prozac|"
    r"citalopram|escitalopram|lexapro|paroxetine|venlafaxine|bupropion|wellbutrin|trazodone|"
    r"mirtazapine|amitriptyline|xanax|alprazolam|valium|diazepam|lorazepam|ativan|clonazepam|"
    r"lithium carbonate|lamotrigine|lamictal|quetiapine|seroquel|olanzapine|risperidone|"
    r"aripiprazole|abilify|clozapine|ritalin|methylphenidate|adderall|vyvanse|lisdexamfetamine|"
    r"concerta|levothyroxine|synthroid|warfarin|eliquis|apixaban|xarelto|statins?|atorvastatin|"
    r"lipitor|simvastatin|lisinopril|ramipril|losartan|amlodipine|metoprolol|bisoprolol|omeprazole|"
    r"pantoprazole|salbutamol|albuterol|ventolin|prednisone|prednisolone|cortisone|methotrexate|"
    r"humira|adalimumab|tamoxifen|chemotherapy|methadone|buprenorphine|suboxone|oxycodone|"
    r"oxycontin|tramadol|morphine|gabapentin|pregabalin|lyrica|viagra|sildenafil|truvada|"
    r"prep pills|"
    r"antiretrovirals?|antidepress(?:ants?|iva|ivi)|antidepresivos|antid[ée]presseurs|"
    r"antipsychotics?|anticoagulants?|blood thinners|"
    r"beta[- ]blockers?|birth control pills?|contraceptives?|hormone replacement)"
)
_FAITH = (
    r"(?:muslim|christian|catholic|protestant|lutheran|anglican|methodist|baptist|evangelical|"
    r"pentecostal|mormon|jehovah's witness|orthodox jew|jew|jewish|hindu|buddhist|sikh|jain|"
    r"bah[áa]'?[íi]|zoroastrian|atheist|agnostic|quaker|wiccan|pagan|scientologist|"
    r"katholi(?:k(?:in)?|sch)|evangelisch|muslimin?|jüdisch|atheistin?|musulm[áa]n[ae]?|"
    r"cat[óo]lic[oa]|jud[íi][oa]|ate[oa]|cattolic[oa]|chr[ée]tienne?|juive?|"
    r"मुस्लिम|हिंदू|ईसाई|सिख|イスラム教徒|仏教徒|キリスト教徒|穆斯林|佛教徒|基督徒)"
)
_PARTY = (
    r"(?:labour(?: party)?|tor(?:y|ies)|conservatives?|lib dems?|liberal democrats?|republicans?|"
    r"democrats?|(?:the )?greens?|green party|socialists?|communists?|ukip|reform uk|snp|"
    r"cdu|csu|spd|fdp|afd|die linke|(?:die )?grünen|bjp|aap|congress party|trump|biden|harris|"
    r"macron|le pen|corbyn|sunak|starmer|modi|podemos|vox|psoe)"
)
_ORIENTATION = (
    r"(?:gay|lesbian|bisexual|homosexual|heterosexual|asexual|pansexual|queer|transgender|"
    r"trans(?:sexual| (?:man|woman|person))|non-?binary|intersex|polyamorous|"
    r"schwul|lesbisch|bisexuell|gei|lesbiana|homosexuel(?:le)?|lesbienne)"
)
_PEOPLE = (
    r"(?:black|white|african[- ]american|hispanic|latin[oax]|asian|south asian|mixed[- ]race|"
    r"biracial|arab|romani?|roma|sinti|kurdish|native american|aboriginal|m[āa]ori|"
    r"caucasian|indigenous|dalit|brahmin|han chinese|uyghur|ashkenazi|sephardi)"
)
_I_AM = (
    r"(?:\b(?:i'm|i am|we're|we are|she's|he's|is|was|am|are|identif(?:y|ies) as|as|came out as|"
    r"bin|"
    r"ich bin|soy|es|je suis|est|sono)(?: (?:an?|the|eine?|un[ae]?|"
    r"(?:very|quite|openly|devout|practi[sc]ing|lapsed|strict|proud|born-again|recovering|half|"
    r"ethnically|"
    r"secular|lifelong|registered)))*\s)"
)


def _whole(words: str) -> str:
    """These words as all that a value says, with next to nothing around them."""
    return (
        rf"^\W*(?:an? |the )?(?:(?:devout|practi[sc]ing|lapsed|openly|proud|strict|registered|"
        rf"lifelong|"
        rf"type [12]|chronic|severe|mild|stage \w+|early|half) )*{words}"
        r"(?:,? type [12]| (?:person|man|woman|voter|party|supporter|member|descent|heritage))?\W*$"
    )


_TOPICS: Mapping[str, re.Pattern[str]] = {
    category: re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE)
    for category, words in {
        "diagnosis": "diagnos(?:is|es|ed)|diseases?|illness(?:es)?|disorders?|"
        "medical(?: (?:condition|"
        "history|record)s?)?|health(?: (?:conditions?|issues?|problems?|status))?|disabilit(?:y|"
        "ies)|"
        "mental health|pregnan(?:t|cy)|symptoms?|blood type|surger(?:y|ies)|therap(?:y|ist)|"
        "addiction",
        "medication": "medications?|medicines?|meds|prescriptions?|prescribed|dosage|pills",
        "religion": "religion|religious|faith|denomination|church|mosque|synagogue|parish",
        "politics": "politics|political(?: (?:view|party|opinion|affiliation|leaning)s?)?|"
        "votes?|voted|voting|ideology|trade union|union membership",
        "sexuality": "sexuality|sexual(?: (?:orientation|preference|identity))?|sex life|"
        "gender identity|orientation sexual",
        "ethnicity": "ethnicit(?:y|ies)|ethnic(?: (?:group|origin|background))?|ancestry|"
        "racial(?: \\w+)?|skin colou?r|caste",
        "biometrics": "biometrics?|biometric \\w+|fingerprints?|face ?id|face ?print|voice ?print|"
        "retina|iris scan|dna|genome|genetic \\w+",
        "income": "income|salar(?:y|ies)|wages?|earnings|earns|paycheck|net worth|pension|bonus|"
        "savings",
        "debts": "debts?|indebted|loans?|mortgage|overdraft|bankrupt(?:cy)?|credit (?:score|rating|"
        "card debt)|arrears|owes|repossession",
    }.items()
}

_TEXTS: Mapping[Category, Finder] = {
    "diagnosis": any_of(
        _whole(_ILLNESS),
        rf"\b(?:diagnosed with|suffer(?:s|ing)? from|liv(?:e|es|ing) with|treated for|battling|"
        rf"have|has|had|having|got|survived|leide an|habe|tengo|tiene|tenho|mam|j'ai|ho)\b"
        rf"[^.!?;\n]{{0,40}}?(?<!\w){_ILLNESS}(?!\w){_OF_NO_PATIENT}",
        rf"{_I_AM}(?<!sign is ){_ILLNESS}(?!\w){_OF_NO_PATIENT}",
        rf"\b(?:my|her|his|our) (?:\w+ )?{_ILLNESS}(?= (?:is|was|has|gets?|got|makes?|means|"
        rf"came|flares?|"
        rf"returned|comes|started|diagnosis)\b|[.,;!]|$)",
        r"\b(?:had|after|since|suffered|survived) (?:a|the|my|his|her) (?:mini-?)?stroke\b(?! of)",
        r"\b(?:have|has|got|with) (?-i:(?:MS|ME/CFS)\b(?! [A-Z\d]))",
        r"\b(?:is|i'm|i am|we're|got) (?:\w+ ){0,3}pregnant\b",
        r"\bdiagnosed (?:with|as)\b",
        r"\b(?:in|do|does|doing|did|undergo\w*|had|having|needs?|start\w*|my|her|"
        r"his) (?:\w+ ){0,2}?"
        r"(?:physical therapy|physiotherapy|psychotherapy|chemo(?:therapy)?|dialysis|rehab)\b",
        r"(?:मधुमेह|कैंसर|अवसाद|糖尿病|うつ病|抑郁症|고혈압|당뇨)",
    ),
    "medication": any_of(
        _whole(_DRUG),
        rf"\b(?:tak(?:e|es|ing)|on|prescribed|inject(?:s|ing)?|uses?|using|need|dose of|nehme|tomo|"
        rf"prends)\b[^.!?;\n]{{0,30}}?(?<!\w){_DRUG}(?!\w){_OF_NO_PATIENT}",
        rf"(?<!\w){_DRUG}\b[^.!?;\n]{{0,20}}?\b\d{{1,4}} ?(?:mg|mcg|µg|ml|units)\b",
        r"\b(?:i'm|i am|is) on (?:the pill|medication|meds|chemo)\b",
        r"\bmedication for\b",
        rf"\b(?:my|her|his) (?:\w+ )?{_DRUG}(?!\w){_OF_NO_PATIENT}",
    ),
    "religion": any_of(
        _whole(_FAITH),
        rf"{_I_AM}(?:orthodox )?{_FAITH}s?(?!\w)(?! (?:dior|louboutin|bale|street|restaurant|"
        rf"name|school))",
        r"\b(?:converted to|practi[sc]es?|believes? in|my faith is) "
        r"(?:islam|christianity|judaism|hinduism|buddhism|catholicism|god|allah|jesus)\b",
        r"\b(?:pray|prays|worship|worships|attends? (?:church|mosque|mass|synagogue|temple|"
        r"services)|go(?:es)? to (?:church|mosque|mass|synagogue|temple))\b"
        r"(?=[^.!?;\n]{0,30}\b(?:every|each|daily|weekly|on|five|regularly|times)\b)",
        r"\b(?:fast(?:s|ing)?(?: during| for| in)?|observ(?:e|es|ing)|keep|keeps) (?:ramadan|"
        r"lent|shabbat|"
        r"sabbath|yom kippur)\b",
        r"\b(?:join(?:s|ed)?|attend(?:s|ed)?|member of|belongs? to|friends from) (?:an? |the |"
        r"my |our )?"
        r"(?:\w+ )?(?:church|mosque|synagogue|parish|congregation)\b",
        r"\b(?:my|our|her|his|their) (?:own |local )?(?:church|faith|religion|parish|"
        r"congregation|mosque|"
        r"synagogue)\b(?! (?:in (?:you|him|her|them|the team)))",
        r"^(?:islam|christianity|judaism|hinduism|buddhism|catholicism|sikhism)\W*$",
    ),
    "politics": any_of(
        rf"\b(?:vot(?:e|es|ed|ing|er)(?: for)?|member of|support(?:s|er of)?|donat(?:e|es|ed) to|"
        rf"campaign(?:s|ed)? for|joined|backs|wähle|vot[oé](?: a)?) (?:the )?{_PARTY}(?!\w)",
        rf"{_I_AM}{_PARTY}(?: party)?(?: (?:voter|supporter|member))?(?=\W*$|"
        rf"[,.;!])(?<!green)(?<!greens)",
        _whole(_PARTY.replace("(?:the )?greens?|", "").replace("conservatives?|", "")),
        r"(?<!credit )(?<!student )(?<!students )(?<!students' )(?<!european )(?<!rugby )"
        r"\bunion (?:member|steward|rep|representative|organi[sz]er|dues|membership)\b",
        r"\bshop steward\b|\b(?:my|our|his|her|in a|in the) (?:trade|labou?r) union\b",
        r"\b(?:join(?:s|ed)?|member of|belongs? to|dues to|active in) (?:the |a |my )?"
        r"(?:(?:trade|labou?r) union|unison|ver\.?di|ig metall|ig bce|cgt|cfdt|cgil|ccoo|teamsters|"
        r"afl-cio|seiu|solidarno[śs][ćc]|union(?=\W*$|[.,;!]| (?:last|in|at|when|this)\b))(?!\w)",
        r"\b(?:gewerkschaftsmitglied|in der gewerkschaft|syndiqu[ée]e?|sindicalizad[oa]|"
        r"afiliad[oa] al sindicato|iscritt[oa] al sindacato)(?!\w)",
        r"\b(?:left|right)-wing\b(?! of)|\b(?:far|alt)[- ]right\b|\bpro-(?:life|choice)\b",
    ),
    "sexuality": any_of(
        _whole(_ORIENTATION),
        rf"{_I_AM}{_ORIENTATION}(?!\w)",
        r"\b(?:my|her|his|their|your) (?:own |gender )?"
        r"(?:transition|transgender \w+|gender identity|sexuality|sexual orientation)\b",
        r"\b(?:attend(?:s|ed|ing)?|went to|go(?:es|ing)? to|join(?:s|ed)?|member of|part of|"
        r"belongs? to|"
        r"volunteer\w* (?:at|for|with)|mentors?|our|my)\b[^.!?;\n]{0,25}\b(?:lgbtq?i?a?\+?|"
        r"transgender|queer)(?!\w)",
        r"\bcame out (?:as|to)\b|\b(?:attracted to (?:men|women|both))\b",
    ),
    "ethnicity": any_of(
        _whole(_PEOPLE.replace("black|white|", "")),
        rf"\b(?:i'm|i am|he's|she's|we're|we are|identif(?:y|ies) as) (?:an? |half |ethnically )*"
        rf"{_PEOPLE}(?: (?:man|woman|guy|girl|person|myself))?(?=\W*$|[,.;!]| on (?:my|his|"
        rf"her)\b| by birth)",
        rf"\b(?:is|am) (?:an? |half )*{_PEOPLE.replace('black|white|', '')}(?=\W*$|[,.;!])",
        r"\b(?:black|white) (?:man|woman|guy|girl|person|male|female)\b",
        r"\bof (?:\w+[- ]){1,3}(?:descent|origin|ancestry|heritage)\b",
        r"\bethnic(?:ally)? \w+",
    ),
    "biometrics": any_of(
        r"\b(?:fingerprint|face|iris|retina|voice)[- ]?(?:print|scan)?(?:'s)? "
        r"(?:template|hash|embedding|vector|data|pattern)\b",
        r"\bmy (?:fingerprint|iris|retina|voiceprint|dna)\b(?: \w+)? (?:is|are|has|shows?)\b",
    ),
    "income": any_of(
        rf"\b(?:earn(?:s|ed|ing)?|salar(?:y|ies)|wages?|income|take[- ]home|pension|paycheck|"
        rf"pay is|verdiene|gano|gagne|gehalt|sueldo|salaire)\b[^.!?;\n]{{0,30}}?{_AMOUNT}"
        rf"(?:{_EACH}|\W*$|[^.!?;\n]{{0,25}}\b(?:net|gross|before|after)\b)",
        rf"\b(?:paid|make|makes|making)\b (?:about |around |roughly |over |under |only )?"
        rf"{_AMOUNT}{_EACH}",
        rf"{_AMOUNT}{_EACH}[^.!?;\n]{{0,20}}\b(?:salary|income|gross|net|before tax|after tax)\b",
        r"\bon (?:benefits|unemployment benefits?|food stamps|universal credit|welfare)\b",
    ),
    "debts": any_of(
        rf"\b(?:owe|owes|owed|owing|debts?|loans?|mortgage|overdraft|schulden|deuda|dette)\b"
        rf"[^.!?;\n]{{0,40}}?{_AMOUNT}",
        rf"{_AMOUNT}[^.!?;\n]{{0,30}}?\b(?:in debt|of debt|overdraft|in arrears|student loans?|"
        r"credit card debt|schulden)\b",
        r"\b(?:i'm|i am|is|are|went|been|declared|filed for) (?:\w+ )?(?:bankrupt(?:cy)?|in debt|"
        r"overdrawn|insolvent)\b",
        r"\bcredit score\b[^.!?;\n]{0,15}\d{3}\b|\b(?:student|payday) loans?\b|"
        r"\bcredit card debt\b",
    ),
}


_TELLS: Mapping[Category, str] = {
    "diagnosis": "diabet|cancer|carcino|tumo|leuk|lymphom|hiv|depress|bipolar|schizo|adhd|autis|"
    "asperger|asthma|epilep|épilep|migraine|hypertens|blood pressure|arthrit|crohn|colitis|"
    "irritable bowel|^ibs|stroke|^ms|^me/|epiless|emicran|cancro|depresj|ipertens|câncer|cukrz|"
    "padacz|dement|alzheim|parkins|sclerosis|lupus|endometri|pcos|hepatit|tubercul|"
    "anorex|bulimi|eating disorder|ptsd|^ocd|copd|fibromyal|heart|kidney|liver|lung|thyroid|"
    "autoimm|anxiety|panic|insomni|sleep ap|psoria|eczema|glaucoma|sickle|cystic fib|emophil|"
    "chlamyd|herpes|syphil|miscarr|abortion|infertil|alcoholi|drug addict|rehab|burnout|burn-out|"
    "long covid|dyslex|wheelchair|disab|krebs|bluthoch|cáncer|depresi|dépress|diabèt|मधुमेह|कैंसर|"
    "अवसाद|糖尿病|うつ病|癌|がん|抑郁|고혈압|당뇨|pregnan|diagnosed|therapy|chemo|dialysis|physio",
    "medication": "metformin|insulin|ozempic|wegovy|semaglut|sertral|zoloft|fluoxet|prozac|"
    "citalopram|lexapro|paroxet|venlafax|bupropion|wellbutrin|trazodone|mirtazap|amitript|xanax|"
    "alprazol|valium|diazepam|lorazepam|ativan|clonazepam|lithium|lamotrig|lamictal|quetiap|"
    "seroquel|olanzap|risperid|aripipr|abilify|clozapine|ritalin|methylphen|adderall|vyvanse|"
    "lisdexam|concerta|levothyr|synthroid|warfarin|eliquis|apixaban|xarelto|statin|lipitor|"
    "lisinopril|ramipril|losartan|amlodip|metoprolol|bisoprolol|omeprazole|pantopraz|salbutamol|"
    "albuterol|ventolin|predniso|cortisone|methotrex|humira|adalimum|tamoxifen|chemo|methadone|"
    "buprenorph|suboxone|oxycod|oxycontin|tramadol|morphine|gabapent|pregabal|lyrica|viagra|"
    "sildenafil|truvada|prep pills|antiretrov|antidepr|antidépr|antipsych|anticoag|thinners|"
    "blocker|"
    "birth control|contracept|hormone|the pill|medication|^meds",
    "religion": "muslim|christ|cathol|katholi|protest|luther|anglic|method|baptis|evangel|"
    "pentecost|"
    "mormon|jehovah|jew|hind|buddh|sikh|jain|bah|zoroast|athe|agnost|quaker|wicca|pagan|"
    "scientol|jüdisch|musulm|catól|católic|catolic|jud|juif|juiv|cattolic|ateo|atea|chrét|chret|"
    "मुस्लिम|हिंदू|ईसाई|सिख|イスラム|仏教|キリスト|穆斯林|佛教|基督|islam|god|allah|jesus|^pray|worship|"
    "church|mosque|^mass|synagog|temple|services|ramadan|^lent|shabbat|sabbath|kippur|parish|"
    "congregat|faith|religion",
    "politics": "labour|^tor|conservativ|lib dem|liberal dem|republic|democrat|green|socialis|"
    "communis|ukip|reform uk|^snp|^cdu|^csu|^spd|^fdp|^afd|linke|grünen|^bjp|^aap|congress|trump|"
    "biden|harris|macron|le pen|corbyn|sunak|starmer|^modi|podemos|^vox|psoe|wing|right|pro-|"
    "union|steward|"
    "unison|^ver|metall|^ig |^cgt|cfdt|cgil|ccoo|teamsters|afl-cio|seiu|solidarno|gewerksch|syndiq|"
    "sindical|sindicato|sindacato",
    "sexuality": "gay|lesb|bise|homosex|heterosex|asexual|pansex|queer|trans|nonbin|non-bin|inters|"
    "polyam|schwul|^gei|sexual|gender|lgbt|came out|attracted",
    "ethnicity": "black|white|african|hispanic|latin|asian|race|bira|arab|roma|sint|kurd|native|"
    "abori|maori|māori|indigen|dalit|brahm|han chinese|uyghur|ashke|sephar|descent|origin|ancestry|"
    "heritage|ethnic",
    "biometrics": "finger|face|iris|retina|voice|^dna",
    "income": "earn|salar|wage|income|take-home|take home|pension|paycheck|pay is|verdien|gano|"
    "gagne|gehalt|sueldo|paid|make|making|before tax|after tax|gross|^net|benefits|"
    "food stamps|universal credit|welfare",
    "debts": "^owe|^owing|debt|loan|mortgage|overdra|schuld|deuda|dette|arrears|bankrupt|insolv|"
    "credit",
}
"""One of these words stands in all that a pattern of `_TEXTS` finds."""

_SAID: Mapping[Category, ReadingFinder] = {
    category: near(_TELLS[category], finder) for category, finder in _TEXTS.items()
}


def _in_words(text: str) -> str:
    return plain(text).replace("_", " ")


def _seen(candidate: Candidate) -> Iterator[Category]:
    topic = _in_words(topic_words(candidate.topic))
    if _ALWAYS_KEPT.search(topic):
        return
    found = [(_in_words(" ".join(keys)), text) for keys, text in leaves(candidate.value)]
    labels = {topic, *(label for label, _ in found)}
    # `text` is where plain words stand, and says nothing of them.
    texts = [
        read(text if label in {"", "text"} else f"{label} {text}".replace("_", " "))
        for label, text in found
    ]
    named = _NAMES.search(topic) is not None
    for category in CATEGORIES:
        by_label = any(map(_TOPICS[category].search, labels))
        if by_label or (not named and any(map(_SAID[category], texts))):
            yield category


def sensitive(candidate: Candidate) -> tuple[Category, ...]:
    """The sensitive categories of a candidate, in the order of `CATEGORIES`; () for none."""
    return tuple(_seen(candidate))
