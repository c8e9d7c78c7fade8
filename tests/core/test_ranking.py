"""The ranking by hand: arrays in, arrays out."""

from __future__ import annotations

import numpy as np
import pytest

from langgraph_agentmem.ranking import (
    Asked,
    Chain,
    Finalist,
    Naming,
    Weights,
    field_of,
    finish,
    first_person,
    naming,
    rarity,
    score,
)
from langgraph_agentmem.ranking.speech import asks_when, ends_asking, tells_time
from langgraph_agentmem.steps.words import STOP_WORDS, words


def ids(*some: int):
    return np.array(some, dtype=np.int64)


def chain(*rows: tuple[int, int, int]) -> Chain:
    """Turns by id, thread and author, in their order."""
    table = np.array(rows, dtype=np.int64).reshape(-1, 3)
    return Chain(
        table[:, 0],
        table[:, 1],
        table[:, 1],
        table[:, 2],
        np.zeros(len(table), dtype=np.int64),
        np.ones(len(table), dtype=bool),
        np.zeros(len(table), dtype=bool),
    )


# Fields ---------------------------------------------------------------------------------------


def test_neighbours_are_those_of_a_thread_whatever_else_there_is():
    around = field_of(ids(1, 2, 3, 5, 8, 9), chain((8, 0, 0), (2, 0, 0), (5, 0, 0), (3, 1, 0)))

    assert [-1, 4, -1, 1, -1, -1] == around.before.tolist()
    assert [-1, 3, -1, -1, 1, -1] == around.after.tolist()
    assert [-1, 0, 1, 0, 0, -1] == around.sessions.tolist()


def test_a_chain_may_know_memories_that_are_not_there():
    around = field_of(ids(2, 5), chain((1, 0, 0), (2, 0, 0), (4, 0, 0), (5, 0, 0), (9, 0, 0)))

    assert [1, -1] == around.after.tolist()
    assert 0 == len(field_of(ids(), chain((1, 0, 0))).ids)


# Scores ---------------------------------------------------------------------------------------


def asked(holders, cosines=None, **more) -> Asked:
    return Asked(
        holders=[np.array(places, dtype=np.intp) for places in holders],
        cosines=None if cosines is None else np.array(cosines),
        total=more.pop("total", 4),
        **more,
    )


def test_parts_of_the_floor_add_up():
    scores = score(
        asked([[0], [0, 1], []], [0.0, 0.15, 0.2, np.nan], meaning_floor=0.25),
        field_of(ids(1, 2, 3, 4), None),
    )
    share = scores.parts["words"]

    assert share[0] > 0.3 > share[1] > 0.12
    assert [True, True, False, False] == scores.passes.tolist()
    assert [True, True, True, False] == scores.found.tolist()


def test_a_rare_word_says_more_than_a_common_one():
    scores = score(asked([[0], [1, 2, 3]], total=5), field_of(ids(1, 2, 3, 4), None))

    assert scores.total[0] > scores.total[1] == scores.total[2]
    assert rarity(1, 100) > rarity(50, 100) > rarity(100, 100) > 0
    assert rarity(0, 100) == rarity(1, 100)


def test_the_speaker_who_is_named_goes_first():
    around = field_of(ids(1, 2), chain((1, 0, 0), (2, 0, 1)))
    scores = score(asked([[0, 1]], naming=Naming((1,), frozenset({"ben"}))), around)

    assert scores.total[1] > scores.total[0]
    assert [0.0, 1.0] == scores.parts["speaker"].tolist()


def test_cosines_count_by_how_far_they_stand_above_the_others():
    some = [0.1, 0.2, 0.3, 0.9]
    near = score(asked([], some), field_of(ids(1, 2, 3, 4), None)).total
    shifted = score(
        asked([], [0.5 + one / 2 for one in some]), field_of(ids(1, 2, 3, 4), None)
    ).total

    assert [0, 1, 2, 3] == np.argsort(near).tolist() == np.argsort(shifted).tolist()


@pytest.mark.parametrize("cosines", [None, [np.nan, np.nan], [0.5, 0.5]])
def test_nothing_asked_is_nothing_found(cosines):
    scores = score(asked([], cosines, meaning_floor=0.6), field_of(ids(1, 2), None))

    assert not scores.passes.any()
    assert np.isfinite(scores.total).all()


def test_every_weight_at_nothing_is_still_a_ranking():
    nothing = Weights(words=0, before=0, after=0, nearby=0, echo=0, answer=0, session=0, speaker=0)
    around = field_of(ids(1, 2), chain((1, 0, 0), (2, 0, 1)))

    assert np.isfinite(score(asked([[0]], [0.4, 0.1]), around, nothing).total).all()


# Speech ---------------------------------------------------------------------------------------


def named(query: str, *authors: str) -> tuple[int, ...]:
    folded = [list(words(author)) for author in authors]
    return naming(list(words(query)), folded, STOP_WORDS).authors


@pytest.mark.parametrize(
    ("query", "authors", "expected"),
    [
        ("What did Zoé say?", ("Ann", "Zoe Smith"), (1,)),
        ("What did Smith and Ann share?", ("Ann", "Zoe Smith"), (1, 0)),
        ("What will happen?", ("Will", "Ann"), ()),
        ("my dog", ("user", "assistant"), (0,)),
        ("your idea", ("user", "assistant"), (1,)),
        ("What did you tell me?", ("user", "assistant"), ()),
        ("Who is the user?", ("user", "assistant"), ()),
        ("tool", ("tool", "system"), ()),
        ("", ("Ann",), ()),
        ("number 7", ("agent 7",), ()),
    ],
)
def test_whom_a_question_names(query, authors, expected):
    assert expected == named(query, *authors)


def test_a_question_is_put_in_the_first_person():
    assert "When did I sell my car?" == first_person("When did Ann sell Ann's car?", ["Ann"])
    other = first_person("James\u2019 car, Annabel", ["James", "Ann"])

    assert "my car, Annabel" == other


@pytest.mark.parametrize("text", ["Is it?", "Is it?!", 'He asked "why?"', "本当？"])  # noqa: RUF001
def test_a_text_that_ends_asking(text):
    assert ends_asking(text)
    assert not ends_asking(f"{text} No.")


def test_questions_for_a_time_and_texts_that_tell_one():
    assert [True, True, False] == [
        asks_when(query) for query in ("When was it?", "Since when?", "What happened when I fell?")
    ]
    assert [True, True, False] == [
        tells_time(text) for text in ("We met last week.", "In 2023", "It may be red")
    ]


# Finishing ------------------------------------------------------------------------------------


def one(number: int, total: float, text: str, **more) -> Finalist:
    return Finalist(
        id=number,
        score=total,
        place=(str(number),),
        kind=more.pop("kind", "fact"),
        passes=more.pop("passes", True),
        text=text,
        words=frozenset(words(text)),
        content=frozenset(words(text)) - STOP_WORDS,
        **more,
    )


def order(*some: Finalist, asks_when: bool = False) -> list[int]:
    return [found.id for found in finish(some, most=1.0, asks_when=asks_when)]


def test_what_passed_comes_before_what_did_not():
    assert [2, 3, 1] == order(one(1, 0.9, "a", passes=False), one(2, 0.5, "b"), one(3, 0.1, "c"))


def test_a_time_is_told_to_who_asks_for_one():
    told = (one(1, 0.50, "we met in Rome"), one(2, 0.45, "we met in Rome last week"))

    assert [1, 2] == order(*told)
    assert [2, 1] == order(*told, asks_when=True)


def test_a_turn_that_only_asks_goes_behind_one_that_says():
    assert [2, 1] == order(
        one(1, 0.50, "is it red?", kind="turn"), one(2, 0.49, "it is red", kind="turn")
    )


def test_a_turn_that_asks_and_tells_of_its_speaker_goes_before_one_that_only_asks():
    assert [2, 1] == order(
        one(1, 0.5, "So is it raining?", kind="turn"),
        one(2, 0.5, "I got wet. Is it raining?", kind="turn"),
    )


def test_of_two_equals_the_newer_and_the_more_used_come_first():
    assert [2, 1] == order(one(1, 0.5, "x", age=60), one(2, 0.5, "y"))
    assert [2, 1] == order(one(1, 0.5, "x"), one(2, 0.5, "y", uses=10))
    assert [1, 2] == order(one(1, 0.5, "x"), one(2, 0.4, "y", uses=10**6))


def test_a_fact_goes_before_the_turn_it_was_learnt_from():
    message = frozenset({("t", "m1")})
    turn = one(1, 0.9, "I moved to Lisbon in spring", kind="turn", messages=message)

    assert [2, 1] == order(turn, one(2, 0.3, "lives in Lisbon", messages=message))
    assert [1, 2] == order(turn, one(2, 0.3, "has a grey cat", messages=message))


def test_near_duplicates_come_last_in_their_order():
    assert [1, 4, 2, 3] == order(
        one(1, 0.9, "peanuts make me ill"),
        one(2, 0.8, "Peanuts make me ill!"),
        one(3, 0.7, "peanuts make me ill"),
        one(4, 0.6, "the cat is grey"),
    )
