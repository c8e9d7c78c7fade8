"""Scores of all that a query may get, at once, in arrays: one place for each memory.

A score is made of words (with their rarity among this user's memories, in the turn itself and
around it), meaning, who spoke, when, and what its neighbours and its session have.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from langgraph_agentmem.protocols import Ids, Numbers

from .dates import Days
from .speech import Naming
from .weights import WEIGHTS, Weights

Places = npt.NDArray[np.intp]

NOWHERE = -1
"""In place of a neighbour, a session or an author that a memory has not."""


@dataclass(frozen=True, slots=True, eq=False)
class Chain:
    """Who said what, in the order in which it was said, thread by thread.

    `ids` are memories; `threads`, `sessions` (what was said in a thread on one day) and `authors`
    are numbers, `NOWHERE` for none; `days` are ordinals (0 for unknown); `turns` says which are
    turns and `asks` which hold a question.
    """

    ids: Ids
    threads: Ids
    sessions: Ids
    authors: Ids
    days: Ids
    turns: npt.NDArray[np.bool_]
    asks: npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Field:
    """The memories that may be returned or stand beside one that may: for each its id, the
    places of the turns before and after it, its session, its author and its day, and whether it
    holds a question.
    """

    ids: Ids
    before: Places
    after: Places
    sessions: Places
    authors: Places
    days: Ids
    asks: npt.NDArray[np.bool_]

    @property
    def has_turns(self) -> bool:
        """Whether any memory has a neighbour."""
        return bool((self.after != NOWHERE).any())

    def places(self, ids: Ids) -> Places:
        """The places of memories, all of which are in the field."""
        return np.searchsorted(self.ids, ids)


def field_of(ids: Ids, chain: Chain | None) -> Field:
    """The field of these memories (ascending), with what the chain knows of them."""
    nowhere = np.full(len(ids), NOWHERE, dtype=np.intp)
    made = Field(
        ids,
        nowhere.copy(),
        nowhere.copy(),
        nowhere.copy(),
        nowhere,
        np.zeros(len(ids), dtype=np.int64),
        np.zeros(len(ids), dtype=bool),
    )
    if chain is None or not len(chain.ids) or not len(ids):
        return made
    at = np.minimum(np.searchsorted(ids, chain.ids), len(ids) - 1)
    here = ids[at] == chain.ids
    at = at[here]
    threads, days, turns = chain.threads[here], chain.days[here], chain.turns[here]
    made.authors[at] = chain.authors[here]
    made.days[at] = days
    made.asks[at] = chain.asks[here]
    made.sessions[at] = chain.sessions[here]
    in_thread = turns & (threads != NOWHERE)
    at, threads = at[in_thread], threads[in_thread]
    together = threads[1:] == threads[:-1]
    made.after[at[:-1][together]] = at[1:][together]
    made.before[at[1:][together]] = at[:-1][together]
    return made


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """What a query asks, as far as it is known.

    Args:
        holders: For each content word, the places of the memories that hold it.
        cosines: The cosine of each memory, NaN without a vector; None without an embedder.
        unseen_grams: Pieces of words without spaces between them that no memory holds.
        naming: Whom it names.
        days: The days that it names.
        total: How many memories there are.
        words_floor: The share of words that is enough by itself.
        meaning_floor: The cosine that is enough by itself.
    """

    holders: Sequence[Places]
    cosines: Numbers | None
    unseen_grams: int = 0
    naming: Naming = field(default_factory=Naming)
    days: Sequence[Days] = ()
    total: int = 0
    words_floor: float = 0.3
    meaning_floor: float = 0.25


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """For each memory its score of `most` that could be reached, whether it passes the floor,
    whether it was found at all (by a word, or with a vector to compare), and what the score is
    made of, each in [0, 1].
    """

    total: Numbers
    most: float
    passes: npt.NDArray[np.bool_]
    found: npt.NDArray[np.bool_]
    parts: dict[str, Numbers]


def rarity(holders: int, total: int) -> float:
    """How much a word says, from how many of `total` memories hold it.

    The inverse document frequency of BM25 in its non-negative form (Robertson and Zaragoza, The
    Probabilistic Relevance Framework, 2009). A word that no memory holds weighs as much as one
    that a single memory holds.
    """
    count = max(holders, 1)
    return math.log1p((max(total, count) - count + 0.5) / (count + 0.5))


def score(asked: Asked, around: Field, weights: Weights = WEIGHTS) -> Scores:
    """The score of every memory of a field.

    The floor is tested on what is absolute: the share of the query's words and the cosine, each
    as a part of its own floor, and whether it was said by the one or on the day that the query
    names. The parts must add up to one.
    """
    own, share = _words(asked, around, weights)
    evidence = _against(share, asked.words_floor)
    if asked.cosines is not None:
        best = float(own.max(initial=0.0))
        words = own / best if best else own
        own = weights.words * words + (1 - weights.words) * _meaning(asked.cosines, weights)
        evidence = evidence + _against(np.nan_to_num(asked.cosines), asked.meaning_floor)
    parts = {"words": share}
    if asked.cosines is not None:
        parts["meaning"] = np.clip(np.nan_to_num(asked.cosines), 0, 1)
    total, most = own.copy(), 1.0
    known = around.sessions != NOWHERE
    if known.any():
        echo, session = _neighbours(own, around, weights), _session(own, around, weights)
        opening = _opening(around)
        total += echo + weights.session * session + weights.opening * opening
        most += 2 * weights.echo + weights.answer + weights.session + weights.opening
        parts |= {
            "neighbours": np.clip(echo, 0, 1),
            "session": np.clip(session, 0, 1),
            "opening": opening,
        }
    if asked.naming.authors:
        speaker = (around.authors == asked.naming.authors[0]).astype(np.float64)
        alone = len(asked.naming.authors) == 1
        weight = weights.speaker if alone else weights.subject
        if not asked.naming.by_role:
            said = np.isin(around.authors, asked.naming.authors)
            evidence = evidence + weights.told * said
        total += weight * speaker
        most += weight
        parts["speaker"] = speaker
    if asked.days:
        date = _dates(asked.days, around, weights)
        evidence = evidence + weights.told * date
        total += weights.date * date
        most += weights.date
        parts["date"] = date
    passes = (evidence >= 1) & (total > 0)
    found = passes | (share > 0)
    if asked.cosines is not None:
        found |= ~np.isnan(asked.cosines)
    return Scores(total, most, passes, found, parts)


def _against(part: Numbers, floor: float) -> Numbers:
    """A part of the evidence, measured by its floor; a floor of nothing lets all through."""
    return np.maximum(part, 0) / floor if floor > 0 else np.ones_like(part)


def _beside(values: Numbers, places: Places) -> Numbers:
    """The values at these places, 0 where there is none: `NOWHERE` is the place before the first,
    which wraps around to a zero at the end. Half the time of looking for it.
    """
    return np.append(values, 0.0).take(places, mode="wrap")


def _words(asked: Asked, around: Field, weights: Weights) -> tuple[Numbers, Numbers]:
    """The share of the query's words by their rarity: as BM25 counts them over a turn and what
    stands around it, and plainly.
    """
    size = len(around.ids)
    sums, share = np.zeros(size), np.zeros(size)
    unseen = weights.unseen_gram * asked.unseen_grams
    whole = unseen * rarity(0, asked.total)
    best = unseen * rarity(0, asked.total) ** weights.emphasis
    for places in asked.holders:
        held = _held(places, around, weights)
        plain = rarity(len(places), asked.total)
        strong = plain**weights.emphasis
        whole, best = whole + plain, best + strong
        share += plain * np.minimum(held, 1)
        sums += strong * held * (weights.saturation + 1) / (held + weights.saturation)
    return (sums / best, share / whole) if whole else (sums, share)


def _held(places: Places, around: Field, weights: Weights) -> Numbers:
    """How much of a word each memory holds: itself, and by what was said around it."""
    held = np.zeros(len(around.ids))
    held[places] = 1.0
    before, after = around.before, around.after
    if not len(places) or not around.has_turns:
        return held
    by_before, by_after = _beside(held, before), _beside(held, after)
    near = weights.before * by_before + weights.after * by_after
    # The neighbour's neighbour: what the turn before has before it.
    two_away = _beside(by_before, before) + _beside(by_after, after)
    return held + near + weights.nearby * two_away


def _meaning(cosines: Numbers, weights: Weights) -> Numbers:
    """How far each cosine stands above the mean of all, 1 for `spread` standard deviations. What
    has no vector stands at the mean.
    """
    known = ~np.isnan(cosines)
    count = int(known.sum())
    if not count:
        return np.zeros_like(cosines)
    some, guess = cosines[known], weights.typical_count
    mean = (some.sum() + guess * weights.typical_cosine) / (count + guess)
    around_it = ((some - mean) ** 2).sum() + guess * weights.typical_spread**2
    spread = math.sqrt(around_it / (count + guess))
    return np.where(known, (cosines - mean) / (spread * weights.spread), 0.0)


def _neighbours(own: Numbers, around: Field, weights: Weights) -> Numbers:
    good = np.maximum(own, 0)
    before = _beside(good, around.before)
    answered = np.where(around.before == NOWHERE, False, around.asks[around.before])  # noqa: FBT003
    return (
        weights.echo * (before + _beside(good, around.after)) + weights.answer * before * answered
    )


def _session(own: Numbers, around: Field, weights: Weights) -> Numbers:
    """The mean of the best of each memory's session."""
    known = np.flatnonzero(around.sessions != NOWHERE)
    sessions = around.sessions[known]
    # By session, then best first, in one key: sorting by two takes five times as long.
    span = float(np.ptp(own)) + 1.0
    order = known[np.argsort(sessions * span - own[known])]
    counts = np.bincount(sessions)
    starts = np.cumsum(counts) - counts
    in_order = around.sessions[order]
    among_best = np.arange(len(order)) - starts[in_order] < weights.session_turns
    sums = np.bincount(in_order, weights=own[order] * among_best, minlength=len(counts))
    means = sums / np.maximum(np.minimum(counts, weights.session_turns), 1)
    found = np.zeros(len(own))
    found[known] = means[sessions]
    return found


def _opening(around: Field) -> Numbers:
    """1 for a turn with which a session begins and after which something follows."""
    sessions, before = around.sessions, around.before
    begins = (before == NOWHERE) | (sessions[before] != sessions)
    return np.where(begins & (around.after != NOWHERE), 1.0, 0.0)


def _dates(spans: Sequence[Days], around: Field, weights: Weights) -> Numbers:
    """1 for what was said in a span that the query names, less and less in the days after."""
    found = np.zeros(len(around.ids))
    known = around.days > 0
    if not known.any():
        return found
    days = around.days[known].astype(np.float64)
    best = np.zeros(len(days))
    for span in spans:
        for one in span.between(int(days.min()), int(days.max())):
            past = days - one.last
            fading = np.clip(1 - past / weights.days_after, 0, 1)
            best = np.maximum(
                best, np.where(days < one.first, 0.0, np.where(past > 0, fading, 1.0))
            )
    found[known] = best
    return found
