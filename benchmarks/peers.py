"""LangGraph's own stores, opened alike, and a model whose vectors every lane shares."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from langgraph.store.base import BaseStore
from langgraph.store.memory import InMemoryStore

from langgraph_agentmem import NamedEmbedder
from langgraph_agentmem.embedders import make_embedder


class SharedModel:
    """Embeds each text once, whoever asks, so that lanes differ in nothing but themselves.

    Args:
        name: What `AgentMemory.open(embed=…)` takes, such as `sentence-transformers:FOLDER`.
    """

    def __init__(self, name: str) -> None:
        self._embedder = make_embedder(name)
        self._known: dict[str, list[float]] = {}
        self.name = self._embedder.fingerprint

    def __call__(self, texts: Sequence[str]) -> list[list[float]]:
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            rows = self._embedder.documents(new).tolist()
            self._known.update(zip(new, rows, strict=True))
        return [self._known[text] for text in texts]

    def load(self, path: Path) -> None:
        """Take the vectors that `save` kept of this model, so that a run takes seconds."""
        if path.exists():
            kept = np.load(path)
            if str(kept["model"]) == self.name:
                texts = kept["texts"].tolist()
                self._known.update(zip(texts, kept["vectors"].tolist(), strict=True))

    def save(self, path: Path) -> None:
        """Keep the vectors for another run."""
        np.savez(
            path,
            model=self.name,
            texts=np.array(list(self._known)),
            vectors=np.array(list(self._known.values()), dtype=np.float32),
        )

    @property
    def dims(self) -> int:
        return len(self(["one text"])[0])

    @property
    def ours(self) -> NamedEmbedder:
        return NamedEmbedder(self.name, self)

    @property
    def index(self) -> dict[str, Any]:
        """LangGraph's index configuration."""
        return {"dims": self.dims, "embed": self, "fields": ["text"]}


@contextmanager
def in_memory(_folder: Path, model: SharedModel | None) -> Iterator[BaseStore]:
    yield InMemoryStore(index=model.index) if model else InMemoryStore()  # type: ignore[arg-type]


@contextmanager
def sqlite(folder: Path, model: SharedModel | None) -> Iterator[BaseStore]:
    """SqliteStore on `theirs.db`. Its vector search needs loadable extensions, which
    pysqlite3-binary has on any Python.
    """
    import pysqlite3  # noqa: PLC0415 - the extra `bench`
    from langgraph.store.sqlite import SqliteStore  # noqa: PLC0415

    connection = pysqlite3.connect(
        str(folder / "theirs.db"), check_same_thread=False, isolation_level=None
    )
    connection.execute("PRAGMA journal_mode = WAL")
    store = SqliteStore(connection, index=model.index if model else None)  # type: ignore[arg-type]
    store.setup()
    yield store
    connection.close()


PEERS = {"InMemoryStore": in_memory, "SqliteStore": sqlite}
