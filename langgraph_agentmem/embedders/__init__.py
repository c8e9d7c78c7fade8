"""LangChain `Embeddings`, callables and names become one thing: an embedder with a fingerprint.

Nothing heavy is imported until the first text is embedded. Every answer of a model is checked
before it is used: one finite vector per text, all of one length.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from langchain_core.embeddings import Embeddings

from langgraph_agentmem.errors import MissingExtra

from .checked import QUERIES_KEPT, TEXTS_AT_ONCE, ModelEmbedder
from .fingerprints import name_of, name_of_folder
from .local import OnnxEmbeddings, SentenceTransformerEmbeddings, StaticEmbeddings

__all__ = [
    "MEANING_FLOOR",
    "QUERIES_KEPT",
    "TEXTS_AT_ONCE",
    "Embed",
    "ModelEmbedder",
    "NamedEmbedder",
    "make_embedder",
]

MEANING_FLOOR = 0.25
"""The cosine that counts as relevant by itself, unless the caller says otherwise. MiniLM gave
questions 0.26 to 0.54 with the short fact that they ask for; small talk, nonsense and unrelated
requests 0.08 to 0.20 with any, once 0.31 (the capital of France, with a home city)."""

LOCAL: dict[str, Callable[[str], Embeddings]] = {
    "sentence-transformers:": SentenceTransformerEmbeddings,
    "model2vec:": StaticEmbeddings,
    "onnx:": OnnxEmbeddings,
}
"""What runs on this machine, by how its name begins; a folder or a model's name follows."""


@dataclass(frozen=True, slots=True)
class NamedEmbedder:
    """An embedder under a name of your own, by which a database knows whose its vectors are.

    Args:
        name: Another name means another model: its vectors are not compared with these.
        embed: A LangChain `Embeddings`, a function, or a name.

    Raises:
        ValueError: The name is blank, or no text.
    """

    name: str
    embed: Embeddings | Callable[[list[str]], Any] | str

    def __post_init__(self) -> None:
        given: object = self.name
        if not isinstance(given, str) or not given.strip():
            raise ValueError(
                f"an embedder's name is text that is not blank (found {type(given).__name__})"
            )


Embed: TypeAlias = (
    Embeddings
    | Callable[[list[str]], Sequence[Sequence[float]]]
    | Callable[[list[str]], Awaitable[Sequence[Sequence[float]]]]
    | NamedEmbedder
    | str
)
"""What `embed=` takes: a LangChain `Embeddings`, a sync or async function from texts to vectors,
either of them in a `NamedEmbedder`, or a name such as `"sentence-transformers:all-MiniLM-L6-v2"`
(a folder after the colon works too).
"""


def make_embedder(embed: Embed, *, dims: int | None = None) -> ModelEmbedder:
    """An embedder from whatever `embed=` was given.

    Args:
        embed: See `Embed`. Names that do not begin with `sentence-transformers:`, `model2vec:`
            or `onnx:` go to LangChain's `init_embeddings` (extra `agents`).
        dims: The length that vectors must have, if it is known.

    Raises:
        MissingExtra: A name needs a package that is not installed.
        ValueError: No provider is known by this name, or an `onnx:` folder lacks a file.
        TypeError: It is none of these.
    """
    if isinstance(embed, NamedEmbedder):
        made = make_embedder(embed.embed, dims=dims)
        made.fingerprint = embed.name
        return made
    if isinstance(embed, str):
        for prefix, made_of in LOCAL.items():
            if embed.startswith(prefix):
                model = made_of(embed.removeprefix(prefix))
                return ModelEmbedder(model, fingerprint=name_of_folder(prefix, embed), dims=dims)
        return ModelEmbedder(_by_name(embed), fingerprint=embed, dims=dims)
    if isinstance(embed, Embeddings):
        return ModelEmbedder(embed, fingerprint=name_of(embed), dims=dims)
    if callable(embed):
        is_async = _is_async(embed)
        return ModelEmbedder(
            _FunctionEmbeddings(embed, is_async=is_async),
            fingerprint=name_of(embed),
            dims=dims,
            sync=not is_async,
        )
    raise TypeError(
        "embed takes a LangChain Embeddings, a function from texts to vectors, or a name like "
        f'"sentence-transformers:all-MiniLM-L6-v2" (found {type(embed).__name__})'
    )


class _FunctionEmbeddings(Embeddings):
    """A plain function as LangChain `Embeddings`."""

    def __init__(self, function: Callable[[list[str]], Any], *, is_async: bool) -> None:
        self._function = function
        self._is_async = is_async

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        answer: list[list[float]] = self._function(texts)
        return answer

    def embed_query(self, text: str) -> list[float]:
        (row,) = self.embed_documents([text])  # more than one is as wrong as none
        return row

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        if not self._is_async:
            return await super().aembed_documents(texts)
        answer: list[list[float]] = await self._function(texts)
        return answer

    async def aembed_query(self, text: str) -> list[float]:
        (row,) = await self.aembed_documents([text])
        return row


def _is_async(function: object) -> bool:
    inner = getattr(function, "func", function)  # of a functools.partial
    return inspect.iscoroutinefunction(inner) or inspect.iscoroutinefunction(
        getattr(inner, "__call__", None)  # noqa: B004 - a class with an async __call__
    )


_LOCAL_NAMES = f"names that begin with {', '.join(LOCAL)} are models on this machine"


def _by_name(name: str) -> Embeddings:
    try:
        from langchain.embeddings import init_embeddings  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise MissingExtra(
            f"the embedder {name!r} needs LangChain; "
            'pip install "langgraph-agentmem[agents]" and the provider\'s package '
            f"({_LOCAL_NAMES})"
        ) from error
    try:
        model: Embeddings = init_embeddings(name)
    except ValueError as error:
        error.add_note(f"The embedder {name!r} was looked for among LangChain's: {_LOCAL_NAMES}.")
        raise
    except ImportError as error:
        raise MissingExtra(
            f"the embedder {name!r} needs its provider's package: {error}"
        ) from error
    return model
