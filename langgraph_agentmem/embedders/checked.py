"""A model behind one door: asked in batches, its answers checked, its last queries kept."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from langchain_core.embeddings import Embeddings

from langgraph_agentmem.errors import EmbeddingFailed, MissingExtra, SyncEmbedderRequired
from langgraph_agentmem.lifetime import lock
from langgraph_agentmem.protocols import Vectors

TEXTS_AT_ONCE = 256
"""Texts that a model is asked for in one call, so that a large batch does not fill memory."""

QUERIES_KEPT = 128
"""Queries whose vectors are kept in memory, the last ones asked; forgetting drops them all."""

LONGEST_KEPT = 2_000
"""Characters of the longest query that is kept."""


class ModelEmbedder:
    """Any model behind one door. Vectors come out as unit vectors of float32.

    Safe for threads, as far as the model is.

    Args:
        model: A LangChain `Embeddings`.
        fingerprint: The model's name.
        dims: The length that vectors must have; None takes what the model gives first.
        sync: False when the model can only be awaited.
    """

    def __init__(
        self, model: Embeddings, *, fingerprint: str, dims: int | None = None, sync: bool = True
    ) -> None:
        self._model = model
        self._sync = sync
        self._queries = _Queries()
        self.fingerprint = fingerprint
        self.dims = dims
        self._given_dims = dims

    def documents(self, texts: Sequence[str]) -> Vectors:
        """One row per text. Raises `EmbeddingFailed`, `SyncEmbedderRequired`."""
        self._must_be_sync()
        parts = []
        for some in _batches(texts):
            try:
                rows = self._model.embed_documents(some)
            except Exception as error:
                raise self._failure(error) from error
            parts.append(self._checked(rows, len(some)))
        return self._joined(parts)

    async def adocuments(self, texts: Sequence[str]) -> Vectors:
        """`documents`, awaited."""
        parts = []
        for some in _batches(texts):
            try:
                rows = await self._model.aembed_documents(some)
            except Exception as error:
                raise self._failure(error) from error
            parts.append(self._checked(rows, len(some)))
        return self._joined(parts)

    def query(self, text: str) -> Vectors:
        """One vector, kept for the next time. Raises `EmbeddingFailed`, `SyncEmbedderRequired`."""
        self._must_be_sync()
        kept, since = self._queries.find(text)
        if kept is not None:
            return kept
        try:
            row = self._model.embed_query(text)
        except Exception as error:
            raise self._failure(error) from error
        return self._queries.keep(text, self._checked([row], 1)[0], since)

    async def aquery(self, text: str) -> Vectors:
        """`query`, awaited."""
        kept, since = self._queries.find(text)
        if kept is not None:
            return kept
        try:
            row = await self._model.aembed_query(text)
        except Exception as error:
            raise self._failure(error) from error
        return self._queries.keep(text, self._checked([row], 1)[0], since)

    def drop_queries(self) -> None:
        """Keep no query any longer: what they ask about was forgotten."""
        self._queries.drop()

    def drop_queries_before(self, forgetting: str | None) -> None:
        """`drop_queries`, if this is another forgetting than the last one that was named."""
        self._queries.drop_before(forgetting)

    def unlearn_dims(self) -> None:
        """Take the length of the next answer, unless one was given: the last one learnt is not
        the database's, and a model that was wrong once may be right again.
        """
        self.dims = self._given_dims
        self._queries.drop()

    def _must_be_sync(self) -> None:
        if not self._sync:
            raise SyncEmbedderRequired(embedder=self.fingerprint)

    def _failure(self, error: Exception) -> Exception:
        return error if isinstance(error, MissingExtra) else self._failed()

    def _failed(self, **data: object) -> EmbeddingFailed:
        return EmbeddingFailed(embedder=self.fingerprint, **data)

    def _joined(self, parts: Sequence[Vectors]) -> Vectors:
        if len(parts) == 1:
            return parts[0]
        if parts:
            return np.concatenate(parts)
        return np.empty((0, self.dims or 0), dtype=np.float32)

    def _checked(self, rows: Any, wanted: int) -> Vectors:
        """Unit vectors of what a model answered; a zero vector stays zero."""
        try:
            with np.errstate(over="ignore"):  # what becomes infinite is refused below
                matrix = np.asarray(rows, dtype=np.float32)
        except (TypeError, ValueError, OverflowError) as error:
            raise self._failed() from error
        if matrix.ndim != 2 or matrix.shape[0] != wanted or not matrix.shape[1]:  # noqa: PLR2004
            raise self._failed(texts=wanted, answered=str(matrix.shape))
        if self.dims is not None and matrix.shape[1] != self.dims:
            raise self._failed(dims=self.dims, answered=matrix.shape[1])
        if not np.isfinite(matrix).all():
            raise self._failed(answered="NaN or infinity")
        self.dims = matrix.shape[1]
        lengths = np.linalg.norm(matrix.astype(np.float64), axis=1, keepdims=True)
        unit: Vectors = (matrix / np.where(lengths > 0, lengths, 1)).astype("<f4")
        return unit


class _Queries:
    """The vectors of the last queries. One that was asked before a forgetting and answered after
    it is not kept.
    """

    def __init__(self) -> None:
        self._kept: OrderedDict[str, Vectors] = OrderedDict()
        self._drops = 0
        self._forgetting: str | None = None
        self._lock = lock()

    def find(self, text: str) -> tuple[Vectors | None, int]:
        """The vector, if it is kept, and how often all were dropped so far."""
        with self._lock:
            found = self._kept.get(text)
            if found is not None:
                self._kept.move_to_end(text)
            return found, self._drops

    def keep(self, text: str, vector: Vectors, since: int) -> Vectors:
        vector.flags.writeable = False  # many callers get the same one
        with self._lock:
            if since == self._drops and len(text) <= LONGEST_KEPT:
                self._kept[text] = vector
                if len(self._kept) > QUERIES_KEPT:
                    self._kept.popitem(last=False)
        return vector

    def drop(self) -> None:
        with self._lock:
            self._kept.clear()
            self._drops += 1

    def drop_before(self, forgetting: str | None) -> None:
        if forgetting != self._forgetting:
            self._forgetting = forgetting
            self.drop()


def _batches(texts: Sequence[str]) -> Iterator[list[str]]:
    for start in range(0, len(texts), TEXTS_AT_ONCE):
        yield list(texts[start : start + TEXTS_AT_ONCE])
