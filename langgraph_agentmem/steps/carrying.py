"""Tombstones that travel with an export, so that what was forgotten stays forgotten elsewhere.

A database's own tombstones are hashes by its key, which it gives to nobody. So each forgetting
leaves a second hash for every namespace above what went: by a key that is made of the database's
and the namespace, and of the labels below it alone. An export takes the key of its namespace along;
whoever holds it can confirm a guess about that user's forgotten topics, and about nobody else's.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Self

from langgraph_agentmem.model import Namespace

from . import Statement, Steps
from .places import micros, moment_of, path_of

Marks = Sequence[tuple[str, datetime]]
"""Hashes and their moments."""


def keyed(key: str, *parts: str) -> str:
    """A keyed hash: HMAC-SHA-256, RFC 2104."""
    text = "\x00".join(parts)
    return hmac.new(key.encode(), text.encode(errors="surrogatepass"), hashlib.sha256).hexdigest()


# Forgetting a user asks for the same few homes with every message.
@lru_cache(maxsize=64)
def _label(key: str, home: Namespace) -> str:
    return keyed(key, "home", path_of(home))[:24]


@lru_cache(maxsize=64)
def _own_key(key: str, home: Namespace) -> str:
    return keyed(key, "carried", path_of(home))


def _homes(namespace: Namespace) -> Iterator[tuple[Namespace, Namespace]]:
    """The namespaces in which one stands, with the labels below each."""
    for end in range(1, len(namespace) + 1):
        yield namespace[:end], namespace[end:]


def _mark(key: str, below: Namespace, *parts: str) -> str:
    return keyed(key, path_of(below), *parts)


def carry(key: str, namespace: Namespace, *parts: str, now: datetime) -> Steps[None]:
    """Leave a tombstone that can travel.

    Args:
        key: Of the database's tombstones.
        namespace: Where it was forgotten.
        parts: What: its kind, and how it is told apart.
        now: When.
    """
    for home, below in _homes(namespace):
        mark = _mark(_own_key(key, home), below, *parts)
        row = {"home": _label(key, home), "key": "", "mark": mark, "moment": micros(now)}
        yield Statement("add_carried", row)


@dataclass(frozen=True, slots=True)
class Brought:
    """The keys of tombstones that were brought into the namespaces above a place."""

    keys: Sequence[tuple[Namespace, str]]

    def marks(self, *parts: str) -> list[str]:
        """The hashes by which something of that place may have been forgotten elsewhere."""
        return [_mark(key, below, *parts) for below, key in self.keys]

    def marks_of_homes(self) -> list[str]:
        """The hashes by which all of a namespace that it stands in may have been."""
        return [
            _mark(key, below[:end], "namespace")
            for below, key in self.keys
            for end in range(len(below) + 1)
        ]


def brought_to(namespace: Namespace, *, key: str) -> Steps[Brought]:
    """What was brought to a namespace, or to one that it stands in."""
    homes = {_label(key, home): (home, below) for home, below in _homes(namespace)}
    rows = yield Statement("list_brought_keys", {"homes": json.dumps([*homes])})
    found = []
    for row in rows:
        home, below = homes[row["home"]]
        found.append((below, row["key"] or _own_key(key, home)))
    return Brought(found)


# Out and in --------------------------------------------------------------------------------------


def leaving(home: Namespace, *, key: str) -> Steps[list[tuple[str, Marks]]]:
    """The tombstones of a namespace and all below it, by their keys, oldest first."""
    rows = yield Statement("list_carried", {"home": _label(key, home)})
    by_key: defaultdict[str, list[tuple[str, datetime]]] = defaultdict(list)
    for row in rows:
        held = by_key[row["key"] or _own_key(key, home)]
        held.append((row["mark"], moment_of(row["forgotten_at"])))
    return sorted(by_key.items())


def bring(home: Namespace, given: str, marks: Marks, *, key: str) -> Steps[int]:
    """Take in tombstones of another database, or of an older state of this one.

    Returns how many were not known.
    """
    label = _label(key, home)
    stored = "" if given == _own_key(key, home) else given
    yield Statement("add_brought_key", {"home": label, "key": stored})
    fresh = 0
    for mark, moment in marks:
        row = {"home": label, "key": stored, "mark": mark, "moment": micros(moment)}
        fresh += len((yield Statement("add_carried", row)))
        yield Statement("add_tombstone", {"mark": mark, "now": micros(moment)})
    return fresh


Moments = Mapping[tuple[str, str], datetime]
"""Tombstones by key and hash, each with its latest moment."""


def moments_of(by_key: Iterable[tuple[str, Marks]]) -> dict[tuple[str, str], datetime]:
    """What `leaving` gives as `Moments`."""
    return {(key, mark): moment for key, marks in by_key for mark, moment in marks}


@dataclass(frozen=True, slots=True)
class Missed:
    """The tombstones of a home that an export was made without: what they are about may stand in
    it, whatever else was forgotten there, and when.
    """

    moments: Moments

    @classmethod
    def of(cls, here: Moments, there: Moments) -> Self:
        """Those that are here alone, or later here."""
        return cls(
            {one: at for one, at in here.items() if one not in there or there[one] < at},
        )

    @property
    def last(self) -> datetime | None:
        """When the last of them was left."""
        return max(self.moments.values(), default=None)

    def of_home(self, *parts: str) -> list[datetime]:
        """When this was forgotten in the home itself."""
        keys = {key for key, _ in self.moments}
        every = [(key, _mark(key, (), *parts)) for key in keys]
        return [self.moments[one] for one in every if one in self.moments]
