"""Vectors of memories that are there already, a batch at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from . import Row, Statement, Steps
from .memories import Draft
from .places import namespace_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """A memory as it stands, with its id and number, and as a draft to embed."""

    id: int
    version: int
    draft: Draft


def _standing(row: Row) -> Standing:
    return Standing(
        id=row["id"],
        version=row["version"],
        draft=Draft(
            namespace=namespace_of(row["path"]),
            topic=row["topic"],
            value=row["value"],
            fields=row["fields"],
        ),
    )


def batch_after(memory_id: int, *, most: int) -> Steps[list[Standing]]:
    """The next memories in the order of their ids."""
    rows = yield Statement("list_memories_after", {"id": memory_id, "most": most})
    return [_standing(row) for row in rows]


def embed_again(batch: Sequence[Standing]) -> Steps[None]:
    """Replace the vectors of memories that are still what they were when they were embedded."""
    for one in batch:
        current = yield Statement("find_version", {"id": one.id})
        if not current or current[0]["version"] != one.version:
            continue
        yield Statement("remove_vectors", {"id": one.id})
        for part, vector in enumerate(one.draft.vectors):
            yield Statement("add_vector", {"id": one.id, "part": part, "vector": vector})
