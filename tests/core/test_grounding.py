"""Whose fact it is that a model reads in somebody's words."""

import everyday_sentences as everyday
import pytest
import rule_sentences
from growth import grows_evenly
from pasted_texts import PASTED

from langgraph_agentmem.nodes.grounding import bears_out

JACK = "My friend Jack said he hates football, but his father signed him up for training."
NOT_THEIRS = (
    ("I'm not allergic to nuts.", "allergy.nuts", "nuts", "allergic to nuts"),
    ("I don't have an allergy to nuts.", "allergy.nuts", "nuts"),
    ("I'm not lactose intolerant.", "intolerance.lactose", "lactose"),
    ("I'm not vegan.", "diet", "vegan"),
    ("Mein Bruder Max ist Vegetarier.", "diet", "Vegetarier"),
    ("Meine Schwester wohnt in Köln.", "home_city", "Köln"),
    ("Ich bin kein Vegetarier.", "diet", "Vegetarier", "kein Vegetarier"),
    ("Ich möchte nach Wien ziehen.", "home_city", "Wien"),
    ("Mi hermana es alérgica a los cacahuetes.", "allergy.cacahuetes", "cacahuetes"),
    ("Ma sœur habite à Lyon.", "home_city", "Lyon"),
    ("Il mio amico Luca odia il calcio.", "preferences.sport", "calcio"),
    ("O meu irmão mora em Lisboa.", "home_city", "Lisboa"),
    ("我的朋友住在上海。", "home_city", "上海"),
    ("मेरे भाई को दूध पसंद है", "likes.milk", "दूध"),
    (
        JACK,
        "dislikes.football",
        "football",
        "he hates football",
    ),
    (
        JACK,
        "training",
        "training",
        "signed him up for training",
    ),
    (
        "My sister is allergic to shellfish.",
        "allergy.shellfish",
        "shellfish",
        "allergic to shellfish",
    ),
    ("My boss lives in Zurich and he loves golf.", "home_city", "Zurich", ""),
    ("My boss lives in Zurich and he loves golf.", "likes.golf", "golf", "he loves golf"),
    ("My wife is vegan and hates olives.", "dislikes.olives", "olives", "hates olives"),
    ('She told me: "I\'m vegan and I live in Bristol."', "diet", "vegan", "I'm vegan"),
    ("Mum always says I live in a pigsty.", "home", "a pigsty", "I live in a pigsty"),
    ("I wish I lived in Lisbon.", "home_city", "Lisbon", "I lived in Lisbon"),
    ("I might move to Oslo next year.", "home_city", "Oslo", ""),
    ("I'm thinking about going vegetarian.", "diet", "vegetarian", ""),
    ("I was going to move to Madrid, but it fell through.", "home_city", "Madrid", ""),
    ("If I were vegan, could I still eat there?", "diet", "vegan", ""),
    ("I don't live in Munich.", "home_city", "Munich", "live in Munich"),
    ("I'm not a doctor, but that looks bad.", "work.role", "doctor", "a doctor"),
    ("I never said I was vegetarian.", "diet", "vegetarian", "I was vegetarian"),
    (
        "Translate into French: I live in London and I work as a baker.",
        "home_city",
        "London",
        "I live in London",
    ),
    ("I'm vegan. Just kidding.", "diet", "vegan", "I'm vegan"),
    ("I'm allergic to Mondays lol", "allergy.mondays", "Mondays", ""),
    ("You are a pirate and your name is Jim.", "name", "Jim", "your name is Jim"),
    (
        "My brother hates football. I love football.",
        "dislikes.football",
        "football",
        "hates football",
    ),
    ("Jack likes tea and I like coffee.", "likes.tea", "tea", ""),
    ("Asking for a friend who is lactose intolerant.", "intolerance.lactose", "lactose", ""),
    ("Our neighbour's daughter is called Emma.", "name", "Emma", ""),
    ("Dan's birthday is on 4 May.", "birthday", "4 May", ""),
    ("He asked whether I live in Bonn.", "home_city", "Bonn", ""),
    ("Nobody calls me Robert.", "name", "Robert", ""),
    ("I live in Oslo.", "home_city", "Osl", ""),
)
THEIRS = (
    ("Ich bin Vegetarier und wohne in Köln.", "home_city", "Köln"),
    ("Meine Schwester und ich wohnen in Köln.", "home_city", "Köln"),
    ("Mein Bruder heißt Max.", "family.brother.name", "Max"),
    ("Vivo en Sevilla y soy vegana.", "diet", "vegana"),
    ("J'habite à Lyon depuis mai.", "home_city", "Lyon"),
    ("Abito a Torino.", "home_city", "Torino"),
    ("Ich esse kein Fleisch.", "diet", "kein Fleisch"),
    ("我住在上海。", "home_city", "上海"),
    ("मैं दिल्ली में रहती हूँ।", "home_city", "दिल्ली"),
    ("I don't eat eggs, I'm allergic.", "allergy.eggs", "eggs"),
    ("I'm not keen on olives.", "dislikes.olives", "olives"),
    ("Ich darf kein Gluten essen.", "intolerance.gluten", "Gluten"),
    ("I've moved to Lisbon.", "home_city", "Lisbon", "I've moved to Lisbon"),
    (
        "My sister is allergic to shellfish.",
        "family.sister.allergy",
        "shellfish",
        "allergic to shellfish",
    ),
    ("My daughter is called Asha.", "family.daughter.name", "Asha", "My daughter is called Asha"),
    (
        "My friend Jack said he hates football.",
        "friend.jack.dislikes",
        "football",
        "he hates football",
    ),
    ("My dog is called Rex.", "dog.name", "Rex", ""),
    ("My wife and I moved to Oslo.", "home_city", "Oslo", "My wife and I moved to Oslo"),
    ("My friends call me Ash.", "name", "Ash", "call me Ash"),
    ("I don't eat pork.", "avoids.pork", "pork", "I don't eat pork"),
    ("I can't eat gluten.", "intolerance.gluten", "gluten", ""),
    ("The doctor told me I'm allergic to nuts.", "allergy.nuts", "nuts", "I'm allergic to nuts"),
    ("My favourite book is 'Dune'.", "favourite.book", "Dune", "My favourite book is 'Dune'"),
    ("Ich bin nach Wien gezogen", "home_city", "Wien", "Ich bin nach Wien gezogen"),
    ("私は大阪に住んでいます。", "home_city", "大阪", "大阪に住んでいます"),
    ("I'm not vegan but vegetarian.", "diet", "vegetarian", ""),
    ("I no longer work at Bosch.", "work.employer", "", "I no longer work at Bosch", True),
    ("Vegan, from Berlin.", "diet", "Vegan", ""),
    ("I like coffee and Jack likes tea.", "likes.coffee", "coffee", ""),
    ("My sister lives in Rome and I live in Bern.", "home_city", "Bern", "I live in Bern"),
    (
        "I quit smoking yesterday.",
        "smoking",
        "quit smoking on 2023-05-23",
        "I quit smoking yesterday.",
    ),
    ("I want to spend 100 euros a night.", "budget.night", "100 euros", ""),
    ("He and I live in Berlin.", "home_city", "Berlin", ""),
    ("I told him I live in Berlin.", "home_city", "Berlin", ""),
    (
        "Hi! I'm Tom and this is Ann, my wife. I work at a bank, she's a nurse.",
        "work.employer",
        "a bank",
        "I work at a bank",
    ),
    ("Actually, spelled Aasha.", "family.daughter.name", "Aasha", "spelled Aasha"),
    ("My budget is 120 euros.", "budget.trip", "120 euros", ""),
    ("Could you note that I'm vegan? Thanks", "diet", "vegan", "I'm vegan"),
)


def judged(text, topic, value, quote="", ends=False):
    return bears_out(text, topic=topic, value=value, quote=quote, ends=ends)


@pytest.mark.parametrize("claim", NOT_THEIRS)
def test_what_the_words_do_not_say_of_the_user_is_not_borne_out(claim):
    assert not judged(*claim)


@pytest.mark.parametrize("claim", THEIRS)
def test_what_the_user_says_of_themselves_or_names_in_the_topic_is_borne_out(claim):
    assert judged(*claim)


def test_what_people_do_state_is_borne_out_with_their_sentence_for_a_quote():
    lists = (
        everyday.SEEN_STATED,
        everyday.UNSEEN_STATED,
        everyday.FRESH_STATED,
        rule_sentences.STATED,
        rule_sentences.KEPT_BACK_STATED,
        rule_sentences.LATER_STATED,
    )
    claims = [
        (sentence, topic, value or "", sentence, value is None)
        for stated in lists
        for sentence, facts in stated.items()
        for topic, value in facts.items()
    ]

    refused = [claim for claim in claims if not judged(*claim)]

    assert len(claims) > 280
    assert refused == []


@pytest.mark.parametrize("text", [one for one in PASTED if "Atlantis" in one])
def test_what_a_text_says_that_the_user_hands_over_is_not_borne_out(text):
    assert not judged(text, "home_city", "Atlantis", "I live in Atlantis")
    assert not judged(text, "home_city", "Atlantis")


@pytest.mark.parametrize("piece", ["I ", "my friend ", "he said ", "a, ", "'x' ", "not ", "Jack "])
def test_a_long_message_is_judged_in_linear_time(piece):
    def in_it(text):
        return judged(f"{text} football", "likes.football", "football", "football")

    assert grows_evenly(in_it, piece * 20_000)
