"""The words that the rules know: a list for each thing that a phrase may not be, or may."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


PARTICLES = _words(
    """
    al am ben bin da das de del den der des di do dos du el ibn la las le los of the upon
    van von y zu
    """
)
"""Lower-case words inside names of people and places."""

DEMONYMS_AND_CREEDS = _words(
    """
    african albanian algerian american arab argentinian asian atheist australian austrian
    belgian brazilian british buddhist bulgarian canadian catholic chilean chinese christian
    colombian croatian cuban czech danish dutch egyptian english estonian european filipino
    finnish french german greek hindu hungarian indian indonesian iranian iraqi irish
    israeli italian japanese jewish kenyan korean latvian lebanese lithuanian malaysian
    mexican moroccan muslim nigerian norwegian pakistani peruvian polish portuguese
    protestant romanian russian scottish serbian sikh singaporean slovak slovenian spanish
    swedish swiss syrian taiwanese thai tunisian turkish ukrainian venezuelan vietnamese
    welsh
    """
)
"""What people say they are, with a capital that makes no name of it."""

NOT_A_NAME = DEMONYMS_AND_CREEDS | _words(
    """
    allergic back busy called done fine free gluten going good great happy here home hungry
    interested late looking lost new not ok okay out pretty ready sad safe sick single sorry
    sure team there tired traveling travelling vegan vegetarian very well the a an in on at
    by from it its i my your spelled spelt written unusual easy hard long short common rare
    none nobody important irrelevant wrong incorrect correct misspelled misspelt missing mine
    hidden private secret taken blank invalid changed urgent regarding about monday tuesday
    wednesday thursday friday saturday sunday
    batman superman spiderman groot hulk spartacus gandalf yoda voldemort zorro santa
    """
)
"""What follows "I'm" or "my name is" and is no name either."""

NOT_A_PLACE = _words(
    """
    a an another any chaos comfort constant denial dread exile fear here hiding hope hotels
    luxury misery my our pain peace poverty shared sin someone squalor student terror that
    their there this those town your i different separate opposite same parallel interesting
    strange both between terms worlds sadness despair regret boredom madness
    anger grief debt what which where how
    """
)
"""What people live in besides cities: fear, a flat, my car."""

NOT_A_THING = _words(
    """
    it its that this these those the you your his him her hers their them they he she we our
    my me us how what when where why who which to one all both any some such anything
    everything nothing something being having a an i i'm i'd i've i'll so can can't could
    did do does don't not and or but there here while any anymore have has had is am are was
    were would will want need please thanks also just no nope sorry actually oops wait scratch
    correction number option version if now today tonight tomorrow yet another fyi btw tbh ngl imo
    imho pls plz thx ty atm lol ok okay cheers hence
    """
)
"""First words of what follows "I like" and names nothing to remember: it, your idea, how."""

NOT_AN_ALLERGEN = _words(
    """
    anything nothing something mondays monday mornings morning work bullshit nonsense
    stupidity people meetings meeting exercise drama commitment boredom fun idiots small
    hard bad early waiting queues emails spreadsheets politics
    criticism stress change noise failure
    many food severe seasonal several multiple two three some getting worse under acting mild
    """
)
"""First words of what people are allergic to in jest."""

NOT_AN_EMPLOYER = _words(
    """
    night nights day days home weekends speed sea height heights free myself yourself fun money
    peanuts pennies food lunch breakfast dinner noon midnight dawn once it this that them him her
    us you me people clients customers someone somebody everyone anyone work school uni university
    college hours times random will least most all first last present best cash tips pay love
    others both two three god gods nothing nobody christmas easter full capacity height ease
    retirement years months weeks here there now both
    """
)
"""What people work at or for besides employers, in lower case."""

NOT_A_CORRECTION = DEMONYMS_AND_CREEDS | _words(
    """
    no nope yes yeah yep ok okay thanks thank please sorry great good fine nice cool sure right
    wrong wait well never nothing nobody none it that this these those them there here what why
    how when where who you me us we i is are was were be do don does did not can could would
    will should have has all both either neither maybe perhaps really just only still better
    worse so too very sense fun way time work sure stop cancel forget nevermind hello hi hey bye
    monday tuesday wednesday thursday friday saturday sunday today tomorrow yesterday tonight
    january february march april june july august september october november december
    two three four five six seven eight nine ten first second twice double single quick quickly
    dad mum mom sir madam guys everyone asap lol omg haha hmm btw
    siri alexa claude gemini chatgpt copilot google everything anything something one another
    """
) - _words("polish")
"""Words that follow "no" and "I meant" and put nothing in the place of what was said."""

NOT_A_FAVOURITE = _words(
    """
    closed full gone dead open out injured always not too very so sold on in at back playing
    still now only also about when what where how because that this it they there here being
    getting going coming the to up down fully probably already
    """
)
"""First words of what a favourite is at the moment (closed, sold out) instead of which it is."""

NOT_ENGLISH = _words(
    """
    aber auch bin bist das dein deine dich dir habe haben hast ich ist kein keine mehr mein meine
    mich mir nicht oder sagt sehr sind und weil wenn wie wir wohne
    como con conmigo eres esa eso esta está esto estoy hermana hermano los mi mis muy para pero
    porque que siempre soy tener tengo tú una yo
    avec chez dans elle est je mais mes moi mon nous pas que qui suis très une vous
    ela ele estou isso mas meu meus minha muito não sou também tenho uma você
    aur bahut hai hain hoon kya mein mera meri mujhe nahi nahin rehta rehti
    """
)
"""Words of every second sentence in German, Spanish, French, Portuguese and romanised Hindi."""

SAID_IN_THE_PLURAL = _words(
    """
    almonds bees berries cashews cats clams crabs dogs eggs hazelnuts lentils mites mussels
    nuts oats oysters peanuts peas pecans pistachios prawns shrimps strawberries sulphites
    sulfites tomatoes walnuts wasps
    """
)
"""Members that people name in the plural, so that this is how their topic is spelt."""

IN_IE = _words(
    """
    brownies calories cookies hoodies movies pies selfies smoothies ties zombies
    """
)
"""Plurals in -ies whose singular is not in -y."""

COUNTRIES = frozenset(
    name.strip()
    for name in """
    afghanistan, albania, algeria, andorra, angola, argentina, armenia, australia, austria,
    azerbaijan, bahamas, bahrain, bangladesh, barbados, belarus, belgium, belize, benin, bhutan,
    bolivia, bosnia, botswana, brazil, brunei, bulgaria, burkina faso, burundi, cambodia,
    cameroon, canada, cape verde, chad, chile, china, colombia, comoros, congo, costa rica,
    croatia, cuba, cyprus, czechia, czech republic, denmark, dominican republic, ecuador, egypt,
    el salvador, england, eritrea, estonia, eswatini, ethiopia, fiji, finland, france, gabon,
    gambia, georgia, germany, ghana, greece, grenada, guinea, guyana, haiti, honduras, hungary,
    iceland, india, indonesia, iran, iraq, ireland, israel, italy, ivory coast, jamaica, japan,
    jordan, kazakhstan, kenya, kosovo, kuwait, kyrgyzstan, laos, latvia, lebanon, lesotho,
    liberia, libya, liechtenstein, lithuania, madagascar, malawi, malaysia, maldives, mali, malta,
    mauritania, mauritius, moldova, mongolia, montenegro, morocco, mozambique, myanmar, namibia,
    nepal, netherlands, holland, new zealand, nicaragua, niger, nigeria, north korea,
    north macedonia, northern ireland, norway, oman, pakistan, palestine, papua new guinea,
    paraguay, peru, philippines, poland, portugal, qatar, romania, russia, rwanda, samoa,
    saudi arabia, scotland, senegal, serbia, seychelles, sierra leone, slovakia, slovenia,
    somalia, south africa, south korea, spain, sri lanka, sudan, suriname, sweden, switzerland,
    syria, taiwan, tajikistan, tanzania, thailand, togo, tonga, tunisia, turkey, türkiye,
    turkmenistan, uganda, ukraine, uae, united arab emirates, uk, united kingdom, great britain,
    us, usa, united states, united states of america, uruguay, uzbekistan, vanuatu, venezuela,
    vietnam, wales, yemen, zambia, zimbabwe
    """.replace("\n", " ").split(",")
)
"""In lower case and without "the". City states (Singapore, Luxembourg, Monaco, Panama, Djibouti)
are left to the cities."""
