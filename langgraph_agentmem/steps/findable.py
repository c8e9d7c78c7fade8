"""How memories are found: the rows of their words and vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from langgraph_agentmem.model import text_of

from . import Statement, Steps
from .places import value_of
from .words import tokens


@dataclass(frozen=True, slots=True)
class Findable:
    """A memory as it is to be found from now on: its words, None where they stay what they are,
    and its vectors. A new one has neither yet.
    """

    id: int
    tokens: str | None
    vectors: tuple[bytes, ...]
    is_new: bool = False


def tokens_of(home: int, topic: str, kind: object, value: str) -> str:
    """The words of a value (JSON text). The topic of a turn is no more than a name for it, and
    says nothing about what was said.
    """
    return tokens(home, "" if kind == "turn" else topic, text_of(value_of(value)))


def index(found: Sequence[Findable]) -> Steps[None]:
    """Words and vectors of the values that are now current.

    The words come last: SQLite writes its keyword index out before each statement that fires a
    trigger, which costs a batch a fifth of its time.
    """
    for one in found:
        if not one.is_new:
            yield Statement("remove_vectors", {"id": one.id})
        yield from add_vectors(one.id, one.vectors)
    for one in found:
        if one.tokens is not None:
            if not one.is_new:
                yield Statement("remove_words", {"id": one.id})
            yield Statement("add_words", {"id": one.id, "tokens": one.tokens})


def add_vectors(memory_id: int, vectors: Sequence[bytes]) -> Steps[None]:
    """The vectors of a memory that has none."""
    for part, vector in enumerate(vectors):
        yield Statement("add_vector", {"id": memory_id, "part": part, "vector": vector})


def unindex(memory_id: int) -> Steps[None]:
    """Remove a memory's words and vectors."""
    yield Statement("remove_words", {"id": memory_id})
    yield Statement("remove_vectors", {"id": memory_id})


def count_index(memory_id: int) -> Steps[dict[str, int]]:
    """How many rows of words and vectors a memory has."""
    rows = yield Statement("count_index_rows", {"id": memory_id})
    return {"search text": rows[0]["words"], "vectors": rows[0]["vectors"]}
