"""Embeddings without a model, for checks whose right answer is plain to see."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from threading import Lock

from langchain_core.embeddings import Embeddings

_WORD = re.compile(r"\w+")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


class WordEmbeddings(Embeddings):
    """One dimension per word, in the order in which words first come: texts without a common
    word have a cosine of 0.

    Args:
        dims: Words beyond these dimensions are not seen.

    Attributes:
        document_calls: The texts of each call for documents.
        query_calls: The queries.
        fails: While true, every call raises.
    """

    def __init__(self, dims: int = 64) -> None:
        self.dims = dims
        self.document_calls: list[list[str]] = []
        self.query_calls: list[str] = []
        self.fails = False
        self._axes: dict[str, int] = {}
        self._adding = Lock()

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """One vector per text."""
        self.document_calls.append(list(texts))
        return [self._vector(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        """One vector."""
        self.query_calls.append(text)
        return self._vector(text)

    def _vector(self, text: str) -> list[float]:
        if self.fails:
            raise ConnectionError("the model is away")
        vector = [0.0] * self.dims
        for word in _WORD.findall(text.lower()):
            with self._adding:
                axis = self._axes.setdefault(word, len(self._axes))
            if axis < self.dims:
                vector[axis] += 1.0
        return vector


class AngleEmbeddings(Embeddings):
    """The first number in a text is an angle in degrees; its vector points there. A text without
    a number has the zero vector.
    """

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """One vector of two dimensions per text."""
        return angles(texts)

    def embed_query(self, text: str) -> list[float]:
        """One vector of two dimensions."""
        return angles([text])[0]


def angles(texts: Sequence[str]) -> list[list[float]]:
    """`AngleEmbeddings` as a function."""
    vectors = []
    for text in texts:
        found = _NUMBER.search(text)
        angle = math.radians(float(found.group())) if found else None
        vectors.append([0.0, 0.0] if angle is None else [math.cos(angle), math.sin(angle)])
    return vectors


async def later_angles(texts: Sequence[str]) -> list[list[float]]:
    """`angles`, awaited."""
    return angles(texts)


def cosine(one: float, other: float) -> float:
    """The cosine between two angles in degrees."""
    return math.cos(math.radians(one - other))
