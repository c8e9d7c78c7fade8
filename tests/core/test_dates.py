"""The days that a question names."""

# ruff: noqa: RUF001 - letters of other scripts are what is tested

from __future__ import annotations

from datetime import date

import pytest

from langgraph_agentmem.ranking import Days, days_named

TODAY = date(2026, 3, 11)  # a Wednesday


def span(first: str, last: str, *, every_year: bool = False) -> Days:
    return Days(
        date.fromisoformat(first).toordinal(),
        date.fromisoformat(last).toordinal(),
        every_year=every_year,
    )


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("What happened on 3 July 2023?", span("2023-07-03", "2023-07-03")),
        ("What happened on July 3rd, 2023?", span("2023-07-03", "2023-07-03")),
        ("on the 3rd of July 2023", span("2023-07-03", "2023-07-03")),
        ("on 2023-07-03", span("2023-07-03", "2023-07-03")),
        ("am 3.7.2023", span("2023-07-03", "2023-07-03")),
        ("2023年7月3日に", span("2023-07-03", "2023-07-03")),
        ("in July 2023", span("2023-07-01", "2023-07-31")),
        ("in Sept. 2023", span("2023-09-01", "2023-09-30")),
        ("What did I do in May?", span("2026-05-01", "2026-05-31", every_year=True)),
        ("on 29 February 2024", span("2024-02-29", "2024-02-29")),
        ("last May", span("2025-05-01", "2025-05-31")),
        ("last February", span("2026-02-01", "2026-02-28")),
        ("last summer", span("2025-06-01", "2025-08-31")),
        ("summer of 2023", span("2023-06-01", "2023-08-31")),
        ("winter 2023", span("2023-12-01", "2024-02-29")),
        ("in 2023", span("2023-01-01", "2023-12-31")),
        ("last year", span("2025-01-01", "2025-12-31")),
        ("this month", span("2026-03-01", "2026-03-31")),
        ("last month", span("2026-02-01", "2026-02-28")),
        ("last week", span("2026-03-02", "2026-03-08")),
        ("last weekend", span("2026-03-07", "2026-03-08")),
        ("last Wednesday", span("2026-03-04", "2026-03-04")),
        ("yesterday", span("2026-03-10", "2026-03-10")),
        ("today", span("2026-03-11", "2026-03-11")),
        # A day that there is not leaves its month, or its year.
        ("on 31 February 2023", span("2023-02-01", "2023-02-28")),
        ("on 2023-13-45", span("2023-01-01", "2023-12-31")),
    ],
)
def test_a_question_names_days(query, expected):
    assert (expected,) == days_named(query, TODAY)[0]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("Was haben wir im Mai gemacht?", span("2026-05-01", "2026-05-31", every_year=True)),
        ("Wo war ich am 3. März 2024?", span("2024-03-03", "2024-03-03")),
        ("letzten Sommer", span("2025-06-01", "2025-08-31")),
        ("vorige Woche", span("2026-03-02", "2026-03-08")),
        ("letzten Mittwoch", span("2026-03-04", "2026-03-04")),
        ("Frühling 2023", span("2023-03-01", "2023-05-31")),
        ("gestern", span("2026-03-10", "2026-03-10")),
        ("¿Adónde fui en mayo?", span("2026-05-01", "2026-05-31", every_year=True)),
        ("el 3 de mayo de 2023", span("2023-05-03", "2023-05-03")),
        ("el año pasado", span("2025-01-01", "2025-12-31")),
        ("EL ANO PASADO", span("2025-01-01", "2025-12-31")),
        ("el verano de 2023", span("2023-06-01", "2023-08-31")),
        ("ayer", span("2026-03-10", "2026-03-10")),
        ("l'été dernier", span("2025-06-01", "2025-08-31")),
        ("en août 2023", span("2023-08-01", "2023-08-31")),
        ("le 1er mai", span("2026-05-01", "2026-05-01", every_year=True)),
        ("aujourd'hui", span("2026-03-11", "2026-03-11")),
        ("l'estate scorsa", span("2025-06-01", "2025-08-31")),
        ("em março de 2023", span("2023-03-01", "2023-03-31")),
        ("पिछले साल मैं कहाँ गया था?", span("2025-01-01", "2025-12-31")),
        ("मई में क्या हुआ?", span("2026-05-01", "2026-05-31", every_year=True)),
        ("फ़रवरी 2024", span("2024-02-01", "2024-02-29")),
        ("去年夏天我去了哪里？", span("2025-06-01", "2025-08-31")),
        ("去年十二月", span("2025-12-01", "2025-12-31")),
        ("2023年5月", span("2023-05-01", "2023-05-31")),
        ("5月3日", span("2026-05-03", "2026-05-03", every_year=True)),
        ("上个月", span("2026-02-01", "2026-02-28")),
        ("上周我吃了什么", span("2026-03-02", "2026-03-08")),
        ("昨天", span("2026-03-10", "2026-03-10")),
        ("去年の夏どこに行きましたか？", span("2025-06-01", "2025-08-31")),
        ("先月", span("2026-02-01", "2026-02-28")),
    ],
)
def test_a_question_names_days_in_other_languages(query, expected):
    assert (expected,) == days_named(query, TODAY)[0]


@pytest.mark.parametrize(
    "query",
    [
        "I eat mayo in the Mars bar on Mars, 3 Mars bars",
        "die letzte Frage im Text",
        "este es mi año",
        "la mayor parte",
        "三个月",
        "周一",
        "一月間",
        "May I smoke here?",
        "What may happen in the summer?",
        "w2023 or 20231",
        "March on!",
        "",
    ],
)
def test_what_names_no_day_is_left_as_it_is(query):
    assert ((), query) == days_named(query, TODAY)


def test_the_days_are_taken_out_of_the_question():
    days, rest = days_named("What did Ann paint on 3 July 2023 and in May?", TODAY)

    assert 2 == len(days)
    assert "What did Ann paint on and ?" == " ".join(rest.split())


def test_the_days_are_taken_out_of_a_question_in_another_language():
    _, rest = days_named("Was hat Änne letzten Sommer in München gemalt?", TODAY)

    assert "was hat anne in munchen gemalt?" == " ".join(rest.split())


def test_a_question_full_of_dates_is_bounded():
    days, _ = days_named(" ".join(f"in {year}" for year in range(1900, 2100)) * 40, TODAY)

    assert 16 == len(days)


def test_a_month_comes_every_year():
    (may,), _ = days_named("in May", TODAY)
    told = [
        day
        for day in ("2023-05-09", "2024-05-31", "2024-06-01")
        if any(
            one.first <= date.fromisoformat(day).toordinal() <= one.last
            for one in may.between(date(2023, 1, 1).toordinal(), date(2025, 1, 1).toordinal())
        )
    ]

    assert ["2023-05-09", "2024-05-31"] == told
