"""What a store embeds, and with what: the index configuration, checked once."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, Self

from langgraph.store.base import get_text_at_path, tokenize_path

from langgraph_agentmem.embedders import MEANING_FLOOR, ModelEmbedder, make_embedder
from langgraph_agentmem.errors import shown
from langgraph_agentmem.model import text_of
from langgraph_agentmem.protocols import Vectors
from langgraph_agentmem.steps.indexing import fingerprint
from langgraph_agentmem.steps.words import words

_OPTIONS = {"dims", "embed", "fields", "text_fields", "ranking", "floor"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Index:
    """How memories are found by meaning.

    Args:
        embedder: Makes the vectors.
        fields: Paths whose text is embedded, each on its own; None embeds the topic's words and
            the memory's text together.
        ranking: How `search` orders: "cosine" as LangGraph's stores do, or "hybrid" as `recall`.
        floor: The cosine that is enough for `recall` by itself.
    """

    embedder: ModelEmbedder
    fields: tuple[str, ...] | None = None
    ranking: Literal["cosine", "hybrid"] = "cosine"
    floor: float = MEANING_FLOOR

    @property
    def fingerprint(self) -> str | None:
        """The embedder as the database names it; None while its vectors' length is unknown."""
        if self.embedder.dims is None:
            return None
        return fingerprint(self.embedder.fingerprint, self.embedder.dims)

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> Self:
        """From LangGraph's `IndexConfig`: `dims`, `embed`, `fields` (or `text_fields`), and our
        `ranking` and `floor`. Raises ValueError for what it does not know.
        """
        given: object = config
        if not isinstance(given, Mapping):
            raise ValueError(  # noqa: TRY004 - as all of an index that is wrong
                f"index is LangGraph's index configuration, a dict (found {shown(given)})"
            )
        unknown = set(config) - _OPTIONS
        if unknown:
            raise ValueError(
                f"unknown index options {sorted(unknown)}; there are {sorted(_OPTIONS)}"
            )
        if config.get("embed") is None:
            raise ValueError("an index needs `embed`: an embedder, a function or a name")
        ranking = config.get("ranking", "cosine")
        dims = config.get("dims")
        if dims is not None and (isinstance(dims, bool) or not isinstance(dims, int) or dims < 1):
            raise ValueError(f"index dims is a whole number, at least 1 (found {shown(dims)})")
        floor = config.get("floor", MEANING_FLOOR)
        check_ranking(ranking, floor)
        return cls(
            embedder=make_embedder(config["embed"], dims=dims),
            fields=_paths(config.get("fields") or config.get("text_fields") or ["$"]),
            ranking=ranking,
            floor=floor,
        )

    def texts(
        self, topic: str, value: Mapping[str, Any], fields: Literal[False] | Sequence[str] | None
    ) -> list[str]:
        """What is embedded of a value. `fields` is the `index=` of a put; without a topic the text
        stands alone.
        """
        if fields is False:
            return []
        paths = self.fields if fields is None else _paths(fields)
        if paths is None:
            about = " ".join(words(topic))
            return [f"{about}: {text_of(value)}" if topic else text_of(value)]
        return [
            text
            for path in paths
            for text in get_text_at_path(value, _labels(path))
            if text.strip()
        ]


def check_ranking(ranking: object, floor: object) -> None:
    """How memories are ranked, before a database is opened. Raises ValueError."""
    if ranking not in ("cosine", "hybrid"):
        raise ValueError(f'ranking is "cosine" or "hybrid" (found {shown(ranking)})')
    is_number = isinstance(floor, int | float) and not isinstance(floor, bool)
    if not is_number or not -1 <= floor <= 1:  # type: ignore[operator]
        raise ValueError(f"floor is a cosine, from -1 to 1 (found {shown(floor)})")


@lru_cache(256)
def _labels(path: str) -> str | list[str]:
    return path if path == "$" else tokenize_path(path)


def _paths(fields: Sequence[str]) -> tuple[str, ...]:
    listed: list[object] = list(fields) if isinstance(fields, list | tuple) else [fields]
    wrong = [path for path in listed if not isinstance(path, str)]
    if wrong or isinstance(fields, str):
        raise ValueError(
            "index fields are a list of paths such as ['text', 'parts[*].title'] "
            f"(found {shown(wrong[0] if wrong else fields)})"
        )
    return tuple(fields)


def fields_json(fields: Literal[False] | Sequence[str] | None) -> str | None:
    """The `index=` of a put as the database keeps it: None for the store's own fields."""
    if fields is None:
        return None
    return json.dumps([] if fields is False else list(_paths(fields)))


def vector_bytes(vectors: Vectors) -> list[bytes]:
    """Rows as the database keeps them: little-endian float32."""
    return [row.tobytes() for row in vectors.astype("<f4", copy=False)]
