"""Whose the vectors are, and vectors of memories that are there already, a batch at a time."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from langgraph_agentmem.errors import EmbedderMismatch

from . import Row, Statement, Steps, settings
from .findable import add_vectors
from .memories import Draft
from .places import namespace_of

_EMBEDDER = "embedder"
_REINDEXING = "reindexing"


def fingerprint(name: str, dims: int | None) -> str:
    """An embedder as the database names it."""
    return json.dumps({"name": name, "dims": dims})


def stored_embedder() -> Steps[str | None]:
    """The fingerprint of the embedder that made the vectors, if there are any."""
    return (yield from settings.read(_EMBEDDER))


def check_embedder(given: str, *, claim: bool) -> Steps[None]:
    """Vectors of two models never meet: the first write says whose they are.

    Args:
        given: The fingerprint of the embedder in use.
        claim: True when vectors are about to be written.

    Raises:
        EmbedderMismatch: The vectors are another embedder's.
    """
    if claim:
        stored = yield from settings.keep(_EMBEDDER, given)
    else:
        stored = (yield from settings.read(_EMBEDDER)) or given
    if stored != given:
        raise EmbedderMismatch(stored=json.loads(stored), given=json.loads(given))


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a reindex has come: the last id, and how many memories are done of how many."""

    after: int
    done: int
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """A memory as it stands, with its id, and as a draft to embed."""

    id: int
    draft: Draft


def begin(embedder: str, fields: str) -> Steps[Progress]:
    """Where a reindex goes on: after what an interrupted one of the same kind has done; else at
    the start, and from here on the vectors are this embedder's.

    Args:
        embedder: Its fingerprint.
        fields: What the store embeds, as text.
    """
    rows = yield Statement("count_all_memories")
    total = cast("int", rows[0]["number"])
    kind = {"embedder": embedder, "fields": fields}
    found = yield from settings.read(_REINDEXING)
    if found is not None:
        left = json.loads(found)
        if left["kind"] == kind:
            return Progress(after=left["after"], done=left["done"], total=total)
    yield from settings.replace(_EMBEDDER, embedder)
    yield from settings.replace(_REINDEXING, json.dumps({"kind": kind, "after": 0, "done": 0}))
    yield Statement("remove_all_vectors")
    return Progress(after=0, done=0, total=total)


def batch_after(memory_id: int, *, most: int) -> Steps[list[Standing]]:
    """The next memories in the order of their ids."""
    rows = yield Statement("list_memories_after", {"id": memory_id, "most": most})
    return [_standing(row) for row in rows]


def _standing(row: Row) -> Standing:
    draft = Draft(
        namespace=namespace_of(row["path"]),
        topic=row["topic"],
        value=row["value"],
        kind=row["kind"],
        fields=row["fields"],
    )
    return Standing(id=row["id"], draft=draft)


def embed_again(batch: Sequence[Standing], *, done: int) -> Steps[None]:
    """Replace the vectors of memories that are still what they were when they were embedded,
    and note how far the reindex has come.
    """
    for one in batch:
        rows = yield Statement("find_embedded", {"id": one.id})
        wanted = {"value": one.draft.value, "fields": one.draft.fields}
        if [dict(row) for row in rows] != [wanted]:
            continue
        yield Statement("remove_vectors", {"id": one.id})
        yield from add_vectors(one.id, one.draft.vectors)
    found = yield from settings.read(_REINDEXING)
    if found is not None:
        progress = {**json.loads(found), "after": batch[-1].id, "done": done}
        yield from settings.replace(_REINDEXING, json.dumps(progress))


def finish() -> Steps[None]:
    """A reindex came to its end; the next one starts anew."""
    yield from settings.remove(_REINDEXING)
