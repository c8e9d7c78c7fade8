"""What every verb of the store needs: its backend, its embedder, its clock."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from itertools import islice
from typing import Any, TypeVar, cast

from langgraph.store.base import TTLConfig

from langgraph_agentmem.backends.sqlite import SqliteBackend
from langgraph_agentmem.errors import EmbedderMismatch, WriteRefused, shown
from langgraph_agentmem.model import KINDS, Kind, Namespace
from langgraph_agentmem.protocols import Clock, Vectors
from langgraph_agentmem.shelves import Shelves
from langgraph_agentmem.steps import Call, Steps, Work, indexing, settings
from langgraph_agentmem.steps.forget import forgotten_since
from langgraph_agentmem.steps.listing import Listing
from langgraph_agentmem.steps.memories import Draft
from langgraph_agentmem.steps.places import value_of

from .index import Index, vector_bytes

T = TypeVar("T")

LATE = "it was forgotten while this was on its way; write it again if it is still wanted"
"""Why a write is refused that was begun before its topic was forgotten."""

LAST_FORGETTING = "last_forgetting"
"""The setting that changes with every forgetting, so that another process hears of it."""

AT_ONCE = 500
"""Memories that one transaction of a sweep erases, so that other writers wait for no more."""

LONGEST_TTL = 500_000_000
"""Minutes, some 950 years: what is kept longer has no ttl."""


class StoreCore:
    """Backend, index and clock, and how verbs use them."""

    backend: SqliteBackend
    index: Index | None
    clock: Clock
    shelves: Shelves
    listing: Listing
    _given_key: str | None

    def perform(self, steps: Steps[T], *, write: bool = True, alone: bool = False) -> Call:
        """One transaction of the backend, to wait for."""
        return Call(
            lambda: self.backend.perform(steps, write=write, alone=alone),
            lambda: self.backend.aperform(steps, write=write, alone=alone),
        )

    # Embedding -----------------------------------------------------------------------------

    def _embed(self, drafts: Sequence[Draft]) -> Work[None]:
        """Give drafts their vectors, from one call of the embedder."""
        index = self.index
        if index is None:
            return
        texts = [
            index.texts(
                "" if draft.kind == "turn" else draft.topic,
                value_of(draft.value),
                None if draft.fields is None else json.loads(draft.fields),
            )
            for draft in drafts
        ]
        every = [text for some in texts for text in some]
        if not every:
            return
        vectors: Vectors = yield Call(
            lambda: index.embedder.documents(every), lambda: index.embedder.adocuments(every)
        )
        rows = iter(vector_bytes(vectors))
        for draft, some in zip(drafts, texts, strict=True):
            draft.vectors = tuple(islice(rows, len(some)))

    def _query_call(self, index: Index, query: str) -> Call:
        return Call(lambda: index.embedder.query(query), lambda: index.embedder.aquery(query))

    def _check_embedder(self, *, claim: bool = True) -> Steps[None]:
        """Raises `EmbedderMismatch` when the vectors in the database are another embedder's."""
        index = self.index
        given = None if index is None else index.fingerprint
        if index is None or given is None:
            return
        try:
            yield from indexing.check_embedder(given, claim=claim)
        except EmbedderMismatch:
            index.embedder.unlearn_dims()
            raise

    # Tombstones ----------------------------------------------------------------------------

    def _key(self) -> Steps[str]:
        """The key of the tombstones: the application's, else one that the database keeps."""
        return (yield from settings.tombstone_key(self._given_key, secrets.token_hex(32)))

    def tombstone_key(self) -> Steps[str]:
        """The key of the tombstones, for steps that reach further than the store."""
        return (yield from self._key())

    def _refuse_late(self, places: Sequence[tuple[Namespace, str]], begun: datetime) -> Steps[None]:
        """Raises `WriteRefused` when a topic was forgotten after its write was begun."""
        late = yield from forgotten_since(places, begun, key=self._key)
        for namespace, topic in sorted(late):
            raise WriteRefused(LATE, namespace=namespace, topic=topic)


def check_kind(kind: Any) -> Kind:
    """A kind. Raises ValueError."""
    if kind not in KINDS:
        raise ValueError(f"kind is one of {', '.join(KINDS)} (found {shown(kind)})")
    return cast("Kind", kind)


def check_kinds(kinds: object) -> tuple[Kind, ...] | None:
    """Some kinds, or None for all. Raises ValueError."""
    if kinds is None:
        return None
    return tuple(check_kind(kind) for kind in check_several("kinds", kinds))


def check_ttl(ttl: Any) -> float | None:
    """Minutes until a memory expires, or None. Raises ValueError."""
    if ttl is None:
        return None
    if isinstance(ttl, bool) or not isinstance(ttl, int | float) or not 0 < ttl <= LONGEST_TTL:
        raise ValueError(
            f"ttl is a number of minutes above 0 and up to {LONGEST_TTL:,}, or None "
            f"(found {shown(ttl)})"
        )
    return float(ttl)


def check_options(ttl: Any, vector_cache: object, tombstone_key: object) -> None:
    """Options of a store, before its database is opened. Raises ValueError."""
    check_whole("vector_cache", vector_cache, least=0)
    settings.check_tombstone_key(tombstone_key)
    if ttl is None:
        return
    if not isinstance(ttl, Mapping):
        raise ValueError(f"ttl is LangGraph's TTL configuration, a dict (found {shown(ttl)})")  # noqa: TRY004
    unknown = sorted(set(ttl) - set(TTLConfig.__annotations__))
    if unknown:
        known = sorted(TTLConfig.__annotations__)
        raise ValueError(f"unknown TTL options {unknown}; there are {known}")
    check_ttl(ttl.get("default_ttl"))
    if ttl.get("sweep_interval_minutes") is not None:
        check_interval(ttl["sweep_interval_minutes"])
    for name in ("refresh_on_read", "omit_expired"):
        if not isinstance(ttl.get(name), bool | None):
            raise ValueError(f"{name} is True or False (found {shown(ttl[name])})")  # noqa: TRY004


def check_interval(minutes: Any) -> float:
    """Minutes between two sweeps. Raises ValueError."""
    if isinstance(minutes, bool) or not isinstance(minutes, int | float) or not minutes > 0:
        raise ValueError(f"an interval is a number of minutes above 0 (found {shown(minutes)})")
    return float(min(minutes, LONGEST_TTL))


def check_flag(name: str, flag: object) -> bool:
    """True or False, where anything else might be taken for the wrong one. Raises ValueError."""
    if not isinstance(flag, bool):
        raise ValueError(f"{name} is True or False (found {shown(flag)})")  # noqa: TRY004
    return flag


def check_called(name: str, function: object) -> None:
    """What will be called once something has been done. Raises TypeError."""
    if not callable(function):
        raise TypeError(f"{name} is a function (found {shown(function)})")


def check_several(name: str, several: object) -> list[Any]:
    """The members of a list or the like; a text is none. Raises TypeError."""
    if isinstance(several, list | tuple):  # nearly always, and known at once
        return list(several)
    if isinstance(several, str | bytes | Mapping) or not isinstance(several, Iterable):
        raise TypeError(f"{name} are a list (found {shown(several)})")
    return list(several)


def check_whole(name: str, number: object, *, least: int) -> int:
    """A whole number such as a limit. Raises ValueError."""
    if isinstance(number, bool) or not isinstance(number, int) or number < least:
        raise ValueError(f"{name} is a whole number, at least {least} (found {shown(number)})")
    return number
