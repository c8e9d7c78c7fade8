"""The days that a question names."""

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
    "query",
    [
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
