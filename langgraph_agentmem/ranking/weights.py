"""Every constant of the ranking, with its reason.

How much each matters is measured by `python -m benchmarks.recall --sensitivity`; none is tuned to
a question or a name.
"""

from __future__ import annotations

from dataclasses import dataclass

WORDS_FLOOR = 0.3
"""The rarity-weighted share of a query's content words that is enough by itself."""

MOST_LEFT_OUT = 20
"""Memories that a recall names as left out; the rest are counted in a note."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """What counts how much.

    Args:
        words: Words beside meaning, which has the rest. Words are exact but miss other wordings.
        spread: The standard deviations above a query's mean cosine that count as much as all its
            words: cosines of two models differ in place and width, their ranks do not.
        emphasis: The power of a word's rarity: one rare word says more than a few common ones.
        saturation: BM25's k1: a word said twice says little more than once.
        unseen_gram: A piece of a run without spaces that no memory holds, beside a word that none
            holds: it may lie across two words, and is then no word at all.
        before: A word of the turn before, beside one of the turn itself: an answer seldom repeats
            its question.
        after: The same for the turn after, which may take the subject up.
        nearby: The same for two turns away.
        echo: What a turn has of the score of each of its two neighbours.
        answer: What it has besides of the score of the turn before when that asks something.
        session: What it has of its session's best turns: one conversation is about few things.
        session_turns: How many best turns speak for a session.
        opening: The turn that opens a session: people begin with what has happened, and wrap it in
            a greeting that blurs its meaning.
        speaker: Said by the one whom the question names: 96 of 100 times the answer is.
        subject: Said by the first of several whom the question names: mostly its subject.
        date: Said in the time that the question names.
        days_after: Days for which a thing is still told after it was; then the date counts less
            and less.
        fact: A fact beside a turn: it says what holds, a turn only what somebody said.
        tells_time: A text that tells a time, to a question that asks for one.
        asks: Taken from a turn that ends by asking: it holds no answer. Half of it where the one
            who speaks also tells of themselves.
        told: The part of the floor that it is worth to be said by the one whom the question
            names, or on the day: a question that names either is about what is held here.
        recency: The newest beside the oldest, so that of two equals the newer comes first.
        recency_days: Days after which a memory is half as new.
        use: Recalled often beside never, so that of two equals the more useful comes first.
        typical_cosine, typical_spread, typical_count: Mean and standard deviation of cosines
            with a question, as MiniLM's are, and how many memories this guess is worth: the
            cosines of a few memories say little about a model.
    """

    words: float = 0.35
    spread: float = 8.0
    emphasis: float = 1.25
    saturation: float = 0.6
    unseen_gram: float = 0.25
    before: float = 0.5
    after: float = 0.25
    nearby: float = 0.3
    echo: float = 0.05
    answer: float = 0.15
    session: float = 0.2
    session_turns: int = 3
    opening: float = 0.05
    speaker: float = 0.3
    subject: float = 0.2
    date: float = 0.5
    days_after: float = 7.0
    fact: float = 0.1
    tells_time: float = 0.1
    asks: float = 0.1
    told: float = 0.5
    recency: float = 0.01
    recency_days: float = 30.0
    use: float = 0.01
    typical_cosine: float = 0.1
    typical_spread: float = 0.125
    typical_count: float = 10.0


WEIGHTS = Weights()
