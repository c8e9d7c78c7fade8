"""Find memories of one namespace and kind that say the same, and end the older of two.

Two are exact duplicates when their texts are equal after normalising, and so are their topics or
one of these is no name but a made-up id: "Berlin" as `home_city` and as `birth_city` are two
facts. Ending one is retiring it, so its history stays.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from itertools import combinations, groupby

import numpy as np

from langgraph_agentmem.model import KINDS, Namespace, text_of
from langgraph_agentmem.retention import Duplicate

from . import Row, Statement, Steps
from .looking import rows_of_kinds
from .memories import find_live, namespace_id, retire
from .places import value_of
from .words import STOP_WORDS, token, words

_MADE_UP = re.compile(
    r"[0-9a-f]{8,}|[0-9]+|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE
)
_COMPARED = [kind for kind in KINDS if kind != "turn"]
"""Kinds in which duplicates are sought; turns are what was said."""

_AT_ONCE = 512
"""Memories whose vectors are compared with all others at a time."""

_LEAST_WORDS = 4
"""Content words of a text that says something without its topic."""

_MOST_LOOKED_UP = 16
"""Words of a text by which its exact duplicates are found."""


def normal(text: str) -> str:
    """A text without case, punctuation and differences in how it is encoded."""
    folded = unicodedata.normalize("NFKC", text).strip()
    return " ".join(words(folded)) or folded


def _name(topic: str) -> str:
    """A topic as it is compared; "" when it is an id that says nothing."""
    return "" if _MADE_UP.fullmatch(topic) else normal(topic)


def _is_exact(one: Row, other: Row) -> bool:
    names = {_name(one["topic"]), _name(other["topic"])} - {""}
    return len(names) <= 1 and _text(one) == _text(other)


def _text(row: Row) -> str:
    return normal(text_of(value_of(row["value"])))


def find(
    namespace: Namespace, *, kind: str | None, least: float, now: datetime
) -> Steps[list[Duplicate]]:
    """Pairs that say the same or nearly, exact ones first, then by likeness.

    Args:
        namespace: Whose memory, exactly.
        kind: Only of this kind; None for all but turns, which are what was said.
        least: The likeness from which a pair is reported.
        now: The moment of the call.
    """
    kinds = [kind] if kind else _COMPARED
    by_kind = yield from _by_kind(namespace, kinds, now=now)
    home = yield from namespace_id(namespace)
    vectors = yield Statement("list_first_vectors", {"namespace_id": home})
    held = {row["id"]: np.frombuffer(row["vector"], dtype="<f4") for row in vectors}
    found: list[Duplicate] = []
    for some in by_kind:
        alike = _pairs(some, held, least)
        found += [_duplicate(namespace, one, other, score) for one, other, score in alike]
    return sorted(
        found, key=lambda pair: (not pair.exact, -pair.likeness, pair.kept, pair.superseded)
    )


def _by_kind(
    namespace: Namespace, kinds: Sequence[str], *, now: datetime
) -> Steps[list[list[Row]]]:
    rows = yield from rows_of_kinds(namespace, kinds, now=now)
    wanted = sorted(rows, key=lambda row: row["kind"])
    return [list(some) for _, some in groupby(wanted, key=lambda row: row["kind"])]


def find_exact(namespace: Namespace, *, now: datetime) -> Steps[list[Duplicate]]:
    """The exact ones that `find` gives, by their texts alone: all that are like each other take
    the square of how many there are.
    """
    by_kind = yield from _by_kind(namespace, _COMPARED, now=now)
    pairs = [
        _duplicate(namespace, *pair, 1.0)
        for some in by_kind
        for same in _same_texts(some)
        for pair in combinations(same, 2)
        if _is_exact(*pair)
    ]
    return sorted(pairs, key=lambda pair: (pair.kept, pair.superseded))


def _same_texts(rows: Iterable[Row]) -> list[list[Row]]:
    """Memories of one text, in the order of their ids."""
    texts: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        texts[_text(row)].append(row)
    return [sorted(same, key=lambda row: row["id"]) for same in texts.values()]


def _pairs(
    rows: Sequence[Row], vectors: Mapping[int, np.ndarray], least: float
) -> list[tuple[Row, Row, float]]:
    by_id = {row["id"]: row for row in rows}
    found: dict[tuple[int, int], float] = {}
    for same in _same_texts(rows):
        for one, other in combinations(same, 2):
            if _is_exact(one, other) or len(_content(one)) >= _LEAST_WORDS:
                found[one["id"], other["id"]] = 1.0
    embedded = [row["id"] for row in rows if row["id"] in vectors]
    found = {**dict(_near_by_meaning(embedded, vectors, least)), **found}
    others = [row for row in rows if row["id"] not in vectors]
    found = {**dict(_near_by_words(others, least)), **found}
    return [(by_id[one], by_id[other], score) for (one, other), score in found.items()]


def _content(row: Row) -> frozenset[str]:
    said = f"{_name(row['topic'])} {text_of(value_of(row['value']))}"
    return frozenset(words(said)) - STOP_WORDS


def _near_by_meaning(
    ids: Sequence[int], vectors: Mapping[int, np.ndarray], least: float
) -> Iterable[tuple[tuple[int, int], float]]:
    if len(ids) < 2:  # noqa: PLR2004 - a pair has two
        return
    matrix = np.stack([vectors[memory] for memory in ids])
    for start in range(0, len(ids), _AT_ONCE):
        scores = matrix[start : start + _AT_ONCE] @ matrix.T
        for row, column in zip(*np.nonzero(scores >= least), strict=True):
            if start + row < column:
                pair = sorted((ids[start + row], ids[column]))
                yield (pair[0], pair[1]), min(1.0, float(scores[row, column]))


def _near_by_words(rows: Sequence[Row], least: float) -> Iterable[tuple[tuple[int, int], float]]:
    """Pairs that share so much of their words. Two that do share one of their rarest, as many as
    may be missing and one more; so only those are looked up.
    """
    contents = {row["id"]: _content(row) for row in rows}
    common = Counter(word for content in contents.values() for word in content)
    holders: dict[str, list[int]] = defaultdict(list)
    for memory, content in sorted(contents.items()):
        rarest = sorted(content, key=lambda word: (common[word], word))
        looked_up = rarest[: len(rarest) - math.ceil(least * len(rarest) - 1e-9) + 1]
        others = {other for word in looked_up for other in holders[word]}
        for word in looked_up:
            holders[word].append(memory)
        for other in sorted(others):
            likeness = len(content & contents[other]) / len(content | contents[other])
            if likeness >= least:
                yield (other, memory), likeness


def _duplicate(namespace: Namespace, one: Row, other: Row, likeness: float) -> Duplicate:
    """The pinned one stays, else the one that was written last."""
    kept, ends = sorted(
        (one, other), key=lambda row: (-row["pinned"], -row["updated_at"], row["topic"])
    )
    return Duplicate(
        namespace=namespace,
        kept=kept["topic"],
        superseded=ends["topic"],
        likeness=likeness,
        exact=_is_exact(one, other),
        pinned=bool(ends["pinned"]),
    )


def consolidate(
    namespace: Namespace,
    exact: Sequence[Duplicate],
    chosen: Sequence[Duplicate],
    *,
    now: datetime,
    dry_run: bool,
) -> Steps[list[Duplicate]]:
    """End the older of exact duplicates, and of those that were chosen; not what is pinned, or of
    which one is gone, or that are no longer what they were when they were found.

    Args:
        namespace: Whose memory.
        exact: From `find_exact`, a moment ago.
        chosen: From `find`.
        now: The moment of the call.
        dry_run: Say which, and change nothing.
    """
    done: list[Duplicate] = []
    ended: set[str] = set()
    for number, pair in enumerate((*exact, *chosen)):
        if {pair.kept, pair.superseded} & ended:
            continue
        kept = yield from find_live(namespace, pair.kept, now)
        ends = yield from find_live(namespace, pair.superseded, now)
        if not kept or not ends or ends["pinned"] or kept["kind"] != ends["kind"]:
            continue
        if number < len(exact) and not _is_still(pair, kept, ends):
            continue
        if not dry_run:
            yield from retire(namespace, pair.superseded, now=now)
        ended.add(pair.superseded)
        done.append(pair)
    return done


def _is_still(pair: Duplicate, kept: Row, ends: Row) -> bool:
    return _is_exact(kept, ends) and _duplicate(pair.namespace, kept, ends, 1.0).kept == pair.kept


def supersede_twins(namespace: Namespace, topic: str, *, now: datetime) -> Steps[list[str]]:
    """Retire the older exact duplicates of a topic that was just written; returns theirs."""
    row = yield from find_live(namespace, topic, now)
    if row is None or row["kind"] == "turn":
        return []
    asked = list(dict.fromkeys(words(text_of(value_of(row["value"])))))[:_MOST_LOOKED_UP]
    if not asked:
        return []
    query = " AND ".join(f'"{token(row["namespace_id"], word)}"' for word in asked)
    found = yield Statement("match_memories", {"query": query, "kind": row["kind"]})
    twins = [
        one["topic"]
        for one in found
        if one["id"] != row["id"] and not one["pinned"] and _is_exact(row, one)
    ]
    for twin in twins:
        yield from retire(namespace, twin, now=now)
    return twins
