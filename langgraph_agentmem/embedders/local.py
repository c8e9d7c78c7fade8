"""Models on this machine, each loaded when the first text comes.

`sentence-transformers` is the most exact and the heaviest (torch). `onnx` runs the same weights,
once exported, without torch. `model2vec` looks up a vector for each word piece and takes their
mean: no network at all, hundreds of times faster, less exact.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from langchain_core.embeddings import Embeddings

from langgraph_agentmem.errors import MissingExtra
from langgraph_agentmem.lifetime import lock

_LONGEST = 256
"""Word pieces that an exported model reads of a text, where its folder does not say."""


class _Loaded(Embeddings):
    """A model that is loaded once, by whichever thread needs it first."""

    extra = ""
    package = ""

    def __init__(self, name: str) -> None:
        self.name = name
        self._model: Any = None
        self._loading = lock()

    def _load(self) -> Any:
        raise NotImplementedError

    def _loaded(self) -> Any:
        with self._loading:
            if self._model is None:
                try:
                    self._model = self._load()
                except ImportError as error:
                    raise MissingExtra(
                        f"{self.package} is not installed; "
                        f'pip install "langgraph-agentmem[{self.extra}]"'
                    ) from error
            return self._model


class SentenceTransformerEmbeddings(_Loaded):
    """A sentence-transformers model. A prompt that it has for queries or documents is used.

    Args:
        name: A model's name, or a folder that holds one.
    """

    extra = "local"
    package = "sentence-transformers"

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """One vector per text. Raises `MissingExtra` without sentence-transformers."""
        model = self._loaded()
        return self._encoded(getattr(model, "encode_document", model.encode), texts)

    def embed_query(self, text: str) -> list[float]:
        """One vector."""
        model = self._loaded()
        return self._encoded(getattr(model, "encode_query", model.encode), [text])[0]

    def _encoded(self, encode: Callable[..., Any], texts: list[str]) -> list[list[float]]:
        # Before 5.0 there was `encode` alone.
        found = encode(texts, show_progress_bar=False, convert_to_numpy=True)
        vectors: list[list[float]] = found.tolist()
        return vectors

    def _load(self) -> Any:
        from sentence_transformers import SentenceTransformer  # noqa: PLC0415 - heavy: torch

        return SentenceTransformer(self.name)


class StaticEmbeddings(_Loaded):
    """Static vectors of word pieces, by model2vec: no torch.

    Args:
        name: A folder with a model2vec model, or a model's name.
    """

    extra = "static"
    package = "model2vec"

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """One vector per text. Raises `MissingExtra` without model2vec."""
        vectors: list[list[float]] = (
            self._loaded()
            .encode(texts, show_progress_bar=False, use_multiprocessing=False)
            .tolist()
        )
        return vectors

    def embed_query(self, text: str) -> list[float]:
        """One vector."""
        return self.embed_documents([text])[0]

    def _load(self) -> Any:
        from model2vec import StaticModel  # noqa: PLC0415 - an extra

        return StaticModel.from_pretrained(self.name)


class OnnxEmbeddings(_Loaded):
    """An exported sentence-transformers model, by onnxruntime and tokenizers: no torch.

    Args:
        name: A folder with `model.onnx` (or `onnx/model.onnx`) and `tokenizer.json`. Pooling and
            the longest text are read from `1_Pooling/config.json` and
            `sentence_bert_config.json`, if they are there; else the mean of 256 word pieces.

    Raises:
        ValueError: A file is missing.
    """

    extra = "onnx"
    package = "onnxruntime or tokenizers"

    def __init__(self, name: str) -> None:
        super().__init__(name)
        folder = Path(name)
        found = [
            path for path in (folder / "model.onnx", folder / "onnx/model.onnx") if path.is_file()
        ]
        if not found or not (folder / "tokenizer.json").is_file():
            lacking = "tokenizer.json" if found else "model.onnx"
            raise ValueError(f"the folder of an onnx: embedder has no {lacking}")
        self._weights = found[0]
        self._folder = folder

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """One vector per text. Raises `MissingExtra` without onnxruntime."""
        session, tokenizer, takes_first = self._loaded()
        # Of like length together: a batch is as long as its longest text.
        order = sorted(range(len(texts)), key=lambda at: len(texts[at]))
        rows: list[list[float]] = [[] for _ in texts]
        for start in range(0, len(order), 32):
            places = order[start : start + 32]
            found = self._batch(session, tokenizer, [texts[at] for at in places], takes_first)
            for at, row in zip(places, found, strict=True):
                rows[at] = row
        return rows

    def embed_query(self, text: str) -> list[float]:
        """One vector."""
        return self.embed_documents([text])[0]

    def _batch(
        self, session: Any, tokenizer: Any, texts: list[str], takes_first: bool
    ) -> list[list[float]]:
        encoded = tokenizer.encode_batch(texts)
        given = {
            "input_ids": np.array([one.ids for one in encoded], dtype=np.int64),
            "attention_mask": np.array([one.attention_mask for one in encoded], dtype=np.int64),
            "token_type_ids": np.array([one.type_ids for one in encoded], dtype=np.int64),
        }
        wanted = {one.name for one in session.get_inputs()}
        answered = session.run(None, {key: one for key, one in given.items() if key in wanted})[0]
        if answered.ndim == 3:  # noqa: PLR2004 - a vector per word piece
            mask = given["attention_mask"][:, :, None]
            means = (answered * mask).sum(axis=1) / np.maximum(mask.sum(axis=1), 1)
            answered = answered[:, 0] if takes_first else means
        rows: list[list[float]] = answered.tolist()
        return rows

    def _load(self) -> Any:
        from onnxruntime import InferenceSession  # noqa: PLC0415 - an extra
        from tokenizers import Tokenizer  # noqa: PLC0415 - an extra

        tokenizer = Tokenizer.from_file(str(self._folder / "tokenizer.json"))
        limits = self._said("sentence_bert_config.json")
        tokenizer.enable_truncation(limits.get("max_seq_length") or _LONGEST)
        tokenizer.enable_padding()
        session = InferenceSession(str(self._weights), providers=["CPUExecutionProvider"])
        return (
            session,
            tokenizer,
            bool(self._said("1_Pooling/config.json").get("pooling_mode_cls_token")),
        )

    def _said(self, file: str) -> dict[str, Any]:
        path = self._folder / file
        found: dict[str, Any] = json.loads(path.read_text("utf-8")) if path.is_file() else {}
        return found
