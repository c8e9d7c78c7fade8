"""LangChain `Embeddings`, callables and names become one thing: an embedder with a fingerprint.

Nothing heavy is imported until the first text is embedded. Every answer of a model is checked
before it is used: one finite vector per text, all of one length.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Sequence
from threading import Lock
from typing import Any, TypeAlias

import numpy as np
from langchain_core.embeddings import Embeddings

from .errors import EmbeddingFailed, MissingExtra, SyncEmbedderRequired
from .protocols import Vectors

Embed: TypeAlias = (
    Embeddings
    | Callable[[Sequence[str]], Sequence[Sequence[float]]]
    | Callable[[Sequence[str]], Awaitable[Sequence[Sequence[float]]]]
    | str
)
"""What `embed=` takes: a LangChain `Embeddings`, a sync or async function from texts to vectors,
or a name such as `"sentence-transformers:all-MiniLM-L6-v2"` (a folder after the colon works too).
"""

LOCAL = "sentence-transformers:"

MEANING_FLOOR = 0.25
"""The cosine that counts as relevant by itself, unless the caller says otherwise. MiniLM gave
questions 0.26 to 0.54 with the short fact that they ask for; small talk, nonsense and unrelated
requests 0.08 to 0.20 with any, once 0.31 (the capital of France, with a home city)."""


class ModelEmbedder:
    """Any model behind one door. Vectors come out as unit vectors of float32.

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
        self.fingerprint = fingerprint
        self.dims = dims

    def documents(self, texts: Sequence[str]) -> Vectors:
        """One row per text. Raises `EmbeddingFailed`, `SyncEmbedderRequired`."""
        self._must_be_sync()
        if not texts:
            return np.empty((0, self.dims or 0), dtype=np.float32)
        try:
            rows = self._model.embed_documents(list(texts))
        except MissingExtra:
            raise
        except Exception as error:
            raise EmbeddingFailed(embedder=self.fingerprint) from error
        return self._checked(rows, len(texts))

    async def adocuments(self, texts: Sequence[str]) -> Vectors:
        """`documents`, awaited."""
        if not texts:
            return np.empty((0, self.dims or 0), dtype=np.float32)
        try:
            rows = await self._model.aembed_documents(list(texts))
        except MissingExtra:
            raise
        except Exception as error:
            raise EmbeddingFailed(embedder=self.fingerprint) from error
        return self._checked(rows, len(texts))

    def query(self, text: str) -> Vectors:
        """One vector. Raises `EmbeddingFailed`, `SyncEmbedderRequired`."""
        self._must_be_sync()
        try:
            row = self._model.embed_query(text)
        except MissingExtra:
            raise
        except Exception as error:
            raise EmbeddingFailed(embedder=self.fingerprint) from error
        found: Vectors = self._checked([row], 1)[0]
        return found

    async def aquery(self, text: str) -> Vectors:
        """`query`, awaited."""
        try:
            row = await self._model.aembed_query(text)
        except MissingExtra:
            raise
        except Exception as error:
            raise EmbeddingFailed(embedder=self.fingerprint) from error
        found: Vectors = self._checked([row], 1)[0]
        return found

    def _must_be_sync(self) -> None:
        if not self._sync:
            raise SyncEmbedderRequired(embedder=self.fingerprint)

    def _checked(self, rows: Any, wanted: int) -> Vectors:
        """Unit vectors of what a model answered; a zero vector stays zero."""
        try:
            with np.errstate(over="ignore"):  # what becomes infinite is refused below
                matrix = np.asarray(rows, dtype=np.float32)
        except (TypeError, ValueError) as error:
            raise EmbeddingFailed(embedder=self.fingerprint) from error
        if matrix.ndim != 2 or matrix.shape[0] != wanted or not matrix.shape[1]:  # noqa: PLR2004
            raise EmbeddingFailed(
                embedder=self.fingerprint, texts=wanted, answered=str(matrix.shape)
            )
        if self.dims is not None and matrix.shape[1] != self.dims:
            raise EmbeddingFailed(
                embedder=self.fingerprint, dims=self.dims, answered=matrix.shape[1]
            )
        if not np.isfinite(matrix).all():
            raise EmbeddingFailed(embedder=self.fingerprint, answered="NaN or infinity")
        self.dims = matrix.shape[1]
        lengths = np.linalg.norm(matrix.astype(np.float64), axis=1, keepdims=True)
        unit: Vectors = (matrix / np.where(lengths > 0, lengths, 1)).astype("<f4")
        return unit


class _FunctionEmbeddings(Embeddings):
    """A plain function as LangChain `Embeddings`."""

    def __init__(self, function: Callable[[Sequence[str]], Any], *, is_async: bool) -> None:
        self._function = function
        self._is_async = is_async

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        answer: list[list[float]] = self._function(texts)
        return answer

    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        if not self._is_async:
            return await super().aembed_documents(texts)
        answer: list[list[float]] = await self._function(texts)
        return answer

    async def aembed_query(self, text: str) -> list[float]:
        return (await self.aembed_documents([text]))[0]


class SentenceTransformerEmbeddings(Embeddings):
    """A sentence-transformers model on this machine, loaded when the first text comes.

    Args:
        name: A model's name, or a folder that holds one.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._model: Any = None
        self._loading = Lock()

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """One vector per text. Raises `MissingExtra` without sentence-transformers."""
        vectors: list[list[float]] = (
            self._loaded().encode(texts, show_progress_bar=False, convert_to_numpy=True).tolist()
        )
        return vectors

    def embed_query(self, text: str) -> list[float]:
        """One vector."""
        return self.embed_documents([text])[0]

    def _loaded(self) -> Any:
        with self._loading:
            if self._model is None:
                try:
                    from sentence_transformers import (  # noqa: PLC0415 - heavy: torch
                        SentenceTransformer,
                    )
                except ImportError as error:
                    raise MissingExtra(
                        "sentence-transformers is not installed; "
                        'pip install "langgraph-agentmem[local]"'
                    ) from error
                self._model = SentenceTransformer(self.name)
            return self._model


def _is_async(function: object) -> bool:
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
        getattr(function, "__call__", None)  # noqa: B004 - a class with an async __call__
    )


def _name_of(model: object) -> str:
    """A fingerprint for a model that was handed over: its type and what it calls itself."""
    kind = type(model).__name__
    for attribute in ("model", "model_name", "name", "deployment", "__qualname__"):
        name = getattr(model, attribute, None)
        if isinstance(name, str) and name:
            return f"{kind}:{name}"
    return kind


def make_embedder(embed: Embed, *, dims: int | None = None) -> ModelEmbedder:
    """An embedder from whatever `embed=` was given.

    Args:
        embed: See `Embed`. Names other than `sentence-transformers:…` go to LangChain's
            `init_embeddings` (extra `agents`).
        dims: The length that vectors must have, if it is known.

    Raises:
        MissingExtra: A name needs a package that is not installed.
        TypeError: It is none of these.
    """
    if isinstance(embed, str):
        if embed.startswith(LOCAL):
            name = embed.removeprefix(LOCAL)
            return ModelEmbedder(
                SentenceTransformerEmbeddings(name), fingerprint=_folder_name(embed), dims=dims
            )
        return ModelEmbedder(_by_name(embed), fingerprint=embed, dims=dims)
    if isinstance(embed, Embeddings):
        return ModelEmbedder(embed, fingerprint=_name_of(embed), dims=dims)
    if callable(embed):
        is_async = _is_async(embed)
        return ModelEmbedder(
            _FunctionEmbeddings(embed, is_async=is_async),
            fingerprint=_name_of(embed),
            dims=dims,
            sync=not is_async,
        )
    raise TypeError(
        "embed takes a LangChain Embeddings, a function from texts to vectors, or a name like "
        f'"{LOCAL}all-MiniLM-L6-v2" (found {type(embed).__name__})'
    )


def _folder_name(name: str) -> str:
    """The same model in another folder keeps its fingerprint: the folder's own name counts."""
    path = name.removeprefix(LOCAL).rstrip("/\\")
    return LOCAL + path.replace("\\", "/").rsplit("/", 1)[-1]


def _by_name(name: str) -> Embeddings:
    try:
        from langchain.embeddings import init_embeddings  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise MissingExtra(
            f"the embedder {name!r} needs LangChain; "
            'pip install "langgraph-agentmem[agents]" and the provider\'s package'
        ) from error
    model: Embeddings = init_embeddings(name)
    return model
