"""Words of any script: found with or without spaces, accents, case and width."""

# ruff: noqa: RUF001 - letters of other scripts are what is tested

from __future__ import annotations

import pytest

from langgraph_agentmem import AgentMemStore
from langgraph_agentmem.steps.words import LONGEST_WORD, content_words, words

NS = ("memories", "asha")

LIFE = {
    "zh cat": "用户的猫叫咪咪",
    "zh home": "用户住在上海浦东",
    "zh allergy": "用户对花生过敏",
    "ja cat": "猫の名前はタマです",
    "ja home": "大阪に住んでいます",
    "th allergy": "ฉันแพ้ถั่วลิสง",
    "th home": "ฉันอาศัยอยู่ที่กรุงเทพ",
    "hi allergy": "मुझे मूंगफली से एलर्जी है",
    "hi home": "मैं दिल्ली में रहता हूँ",
    "ko home": "저는 서울에 살아요",
    "de home": "wohnt in München an der Großen Straße",
    "ru home": "живёт в Москве",
}


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    with AgentMemStore.from_conn_string(tmp_path_factory.mktemp("words") / "m.db") as opened:
        for topic, text in LIFE.items():
            opened.remember(NS, topic, text)
        yield opened


@pytest.mark.parametrize(
    ("query", "topic"),
    [
        ("我的猫叫什么名字？", "zh cat"),
        ("我住在哪里？", "zh home"),
        ("花生", "zh allergy"),
        ("猫の名前は何ですか？", "ja cat"),
        ("どこに住んでいますか？", "ja home"),
        ("ฉันแพ้อะไร", "th allergy"),
        ("กรุงเทพ", "th home"),
        ("मूंगफली", "hi allergy"),
        ("दिल्ली में कौन रहता है?", "hi home"),
        ("서울", "ko home"),
        ("MUNCHEN, grossen strasse", "de home"),
        ("Ｍüｎｃｈｅｎ", "de home"),
        ("МОСКВЕ", "ru home"),
        ("живет", "ru home"),
    ],
)
def test_a_question_finds_its_memory_in_any_script(store, query, topic):
    assert topic == store.recall(NS, query).relevant[0].memory.topic


def test_one_letter_of_a_script_without_spaces_is_a_word(store):
    found = {hit.memory.topic for hit in store.recall(NS, "猫").relevant}

    assert {"zh cat", "ja cat"} == found


OTHERS = {
    "de home": "Ich wohne seit drei Jahren in Hamburg",
    "de birthday": "Mein Geburtstag ist am 3. Mai",
    "es home": "Vivo en Valencia desde hace tres años",
    "es sister": "Mi hermana Ana estudia en Sevilla",
    "fr home": "J'habite à Lyon depuis trois ans",
    "fr trip": "Mon anniversaire est le 3 mai",
}


@pytest.mark.parametrize(
    ("query", "topic"),
    [
        ("Wo wohne ich denn jetzt gerade?", "de home"),
        ("Wann habe ich denn Geburtstag?", "de birthday"),
        ("¿Dónde vivo ahora mismo?", "es home"),
        ("¿En qué ciudad estudia mi hermana?", "es sister"),
        ("Où est-ce que j'habite en ce moment ?", "fr home"),
        ("C'est quand mon anniversaire ?", "fr trip"),
    ],
)
def test_what_says_nothing_in_its_language_is_not_asked_for(path, query, topic):
    with AgentMemStore.from_conn_string(path) as opened:
        for other, text in OTHERS.items():
            opened.remember(NS, other, text)
        best = opened.recall(NS, query).relevant[0]

    assert topic == best.memory.topic
    assert "no match" not in best.why


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("Does the user like Die Hard?", ["die", "hard"]),
        ("die hard", ["die", "hard"]),
        ("my son", ["son"]),
        (
            "How far is it from Des Moines to Los Angeles?",
            ["far", "des", "moines", "los", "angeles"],
        ),
        ("Les Misérables", ["les", "miserables"]),
        ("Was ist das?", ["ist", "das"]),  # something must be asked for
        ("Was mag der Nutzer?", ["mag", "nutzer"]),
    ],
)
def test_a_word_of_two_languages_is_read_in_that_of_the_query(query, expected):
    assert expected == content_words(query)


@pytest.mark.parametrize("query", ["量子物理学是什么", "🙂👨‍👩‍👧❤️", "…？！、。", "ฟิสิกส์ควอนตัม"])
def test_what_nobody_said_finds_nothing(store, query):
    found = store.recall(NS, query)

    assert not any("no match" not in hit.why for hit in found.relevant)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Zoë's ﬁne STRASSE", ["zoe", "s", "fine", "strasse"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("東京タワー2023", ["東京", "京タ", "タワ", "ワー", "2023"]),
        ("ไทย", ["ไทย"]),
        ("❤️", []),
        ("a_b\x00c", ["a", "b", "c"]),
        ("e-mail", ["email"]),
    ],
)
def test_words_are_folded_and_cut_where_a_reader_would_look(text, expected):
    assert expected == list(words(text))


def test_a_very_long_word_is_cut():
    assert [LONGEST_WORD] == [len(word) for word in words("ä" * 10_000)]
