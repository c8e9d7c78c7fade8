"""What every verb of the store needs: its backend, its embedder, its clock."""

from __future__ import annotations

import json
import secrets
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeVar, cast

from langgraph_agentmem.backends.sqlite import SqliteBackend
from langgraph_agentmem.errors import EmbedderMismatch
from langgraph_agentmem.model import KINDS, Kind
from langgraph_agentmem.protocols import Clock, Vectors
from langgraph_agentmem.steps import Call, Statement, Steps, Work
from langgraph_agentmem.steps.memories import Draft

from .index import Index, vector_bytes

T = TypeVar("T")

_EMBEDDER = "embedder"
_TOMBSTONE_KEY = "tombstone_key"


class StoreCore:
    """Backend, index and clock, and how verbs use them."""

    backend: SqliteBackend
    index: Index | None
    clock: Clock
    _given_key: str | None

    def perform(self, steps: Steps[T], *, write: bool = True) -> Call:
        """One transaction of the backend, to wait for."""
        return Call(
            lambda: self.backend.perform(steps, write=write),
            lambda: self.backend.aperform(steps, write=write),
        )

    # Embedding -----------------------------------------------------------------------------

    def _embed_drafts(self, drafts: Sequence[Draft]) -> Work[list[Draft]]:
        """The drafts with their vectors, from one call of the embedder."""
        index = self.index
        if index is None or not drafts:
            return list(drafts)
        texts = [
            index.texts(
                draft.topic,
                json.loads(draft.value),
                None if draft.fields is None else json.loads(draft.fields),
            )
            for draft in drafts
        ]
        every = [text for some in texts for text in some]
        if not every:
            return list(drafts)
        vectors: Vectors = yield Call(
            lambda: index.embedder.documents(every), lambda: index.embedder.adocuments(every)
        )
        done, start = [], 0
        for draft, some in zip(drafts, texts, strict=True):
            own = vectors[start : start + len(some)]
            done.append(replace(draft, vectors=vector_bytes(own)))
            start += len(some)
        return done

    def _query_call(self, index: Index, query: str) -> Call:
        return Call(lambda: index.embedder.query(query), lambda: index.embedder.aquery(query))

    def _stored_embedder(self) -> Work[str | None]:
        found: str | None = yield self.perform(read_setting(_EMBEDDER), write=False)
        return None if found is None else cast("str", json.loads(found)["name"])

    def _check_embedder(self, *, claim: bool = True) -> Steps[None]:
        """Vectors of two models never meet: the first write says whose they are.

        Raises `EmbedderMismatch`.
        """
        if self.index is None or self.index.embedder.dims is None:
            return
        mine = self._fingerprint(self.index)
        if claim:
            kept = yield from keep_setting(_EMBEDDER, mine)
        else:
            kept = (yield from read_setting(_EMBEDDER)) or mine
        if kept != mine:
            raise EmbedderMismatch(stored=json.loads(kept), given=json.loads(mine))

    def _start_reindex(self, index: Index) -> Steps[int]:
        """From here on the vectors are this embedder's; returns how many memories there are."""
        yield Statement("replace_setting", {"name": _EMBEDDER, "value": self._fingerprint(index)})
        yield Statement("remove_all_vectors")
        rows = yield Statement("count_all_memories")
        return cast("int", rows[0]["number"])

    def _fingerprint(self, index: Index) -> str:
        return json.dumps({"name": index.embedder.fingerprint, "dims": index.embedder.dims})

    # Tombstones ----------------------------------------------------------------------------

    def _key(self) -> Steps[str]:
        """The key of the tombstones: the application's, else one that the database keeps."""
        if self._given_key is not None:
            return self._given_key
        return (yield from keep_setting(_TOMBSTONE_KEY, secrets.token_hex(32)))


def read_setting(name: str) -> Steps[str | None]:
    """A setting of the database."""
    rows = yield Statement("read_setting", {"name": name})
    return rows[0]["value"] if rows else None


def keep_setting(name: str, value: str) -> Steps[str]:
    """The setting that stands, which is `value` if there was none."""
    found = yield from read_setting(name)
    if found is not None:
        return found
    yield Statement("keep_setting", {"name": name, "value": value})
    return value


def check_kind(kind: Any) -> Kind:
    """A kind. Raises ValueError."""
    if kind not in KINDS:
        raise ValueError(f"kind is one of {', '.join(KINDS)} (found {str(kind)[:40]!r})")
    return cast("Kind", kind)


def check_ttl(ttl: Any) -> float | None:
    """Minutes until a memory expires, or None. Raises ValueError."""
    if ttl is None:
        return None
    if isinstance(ttl, bool) or not isinstance(ttl, int | float) or not 0 < ttl < float("inf"):
        raise ValueError(f"ttl is a positive number of minutes, or None (found {ttl!r})")
    return float(ttl)
