"""Verbs that read: look, memories, history, why, recall."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import overload

from langgraph_agentmem.errors import EmbeddingFailed, shown
from langgraph_agentmem.model import KINDS, Kind, Memory, Namespace, Recall, Source, Version
from langgraph_agentmem.protocols import Vectors
from langgraph_agentmem.ranking import WORDS_FLOOR
from langgraph_agentmem.steps import (
    Steps,
    Work,
    await_all,
    call_all,
    indexing,
    looking,
    recall,
    settings,
)
from langgraph_agentmem.steps.places import check_moment, check_namespace, check_source, check_topic
from langgraph_agentmem.steps.recall import Question
from langgraph_agentmem.steps.words import content_words

from .core import LAST_FORGETTING, check_kinds, check_whole
from .index import Index
from .uses import Using

_OTHER_EMBEDDER = (
    "recalled by words alone: the vectors come from another embedder; call store.reindex()"
)
_FAILED_EMBEDDER = "recalled by words alone: the embedder failed"

_NO_OLD_VECTORS = "recalled by words alone: values of the past have no vectors"


class Reading(Using):
    """The verbs that change nothing."""

    @overload
    def look(self, namespace: Namespace, topic: str) -> Memory | None: ...

    @overload
    def look(
        self, namespace: Namespace, topic: str, *, as_of: datetime | None
    ) -> Memory | Version | None: ...

    def look(
        self, namespace: Namespace, topic: str, *, as_of: datetime | None = None
    ) -> Memory | Version | None:
        """What is held about one topic: now, or at a moment of valid time.

        Returns:
            The current memory; with `as_of`, the memory or the version that held then; None.
        """
        return call_all(self._look(namespace, topic, as_of))

    @overload
    async def alook(self, namespace: Namespace, topic: str) -> Memory | None: ...

    @overload
    async def alook(
        self, namespace: Namespace, topic: str, *, as_of: datetime | None
    ) -> Memory | Version | None: ...

    async def alook(
        self, namespace: Namespace, topic: str, *, as_of: datetime | None = None
    ) -> Memory | Version | None:
        """`look`, awaited."""
        return await await_all(self._look(namespace, topic, as_of))

    def _look(
        self, namespace: Namespace, topic: str, as_of: datetime | None
    ) -> Work[Memory | Version | None]:
        steps = looking.look(
            check_namespace(namespace),
            check_topic(topic),
            now=self.clock(),
            as_of=None if as_of is None else check_moment(as_of),
        )
        found: Memory | Version | None = yield self.perform(steps, write=False)
        return found

    def memories(
        self, namespace: Namespace, *, kinds: Sequence[Kind] | None = None
    ) -> list[Memory]:
        """Every current memory of a namespace, by topic, without a limit.

        Args:
            namespace: Whose memory, exactly.
            kinds: Only these kinds; None for all, turns too.

        Raises:
            InvalidNamespace, ValueError: An unknown kind.
        """
        return call_all(self._memories(namespace, kinds))

    async def amemories(
        self, namespace: Namespace, *, kinds: Sequence[Kind] | None = None
    ) -> list[Memory]:
        """`memories`, awaited."""
        return await await_all(self._memories(namespace, kinds))

    def _memories(self, namespace: Namespace, kinds: Sequence[Kind] | None) -> Work[list[Memory]]:
        every = check_kinds(kinds)
        wanted = KINDS if every is None else every
        steps = looking.list_memories(check_namespace(namespace), wanted, now=self.clock())
        found: list[Memory] = yield self.perform(steps, write=False)
        return found

    def history(self, namespace: Namespace, topic: str) -> list[Version]:
        """The versions of a topic, oldest first, the current one last."""
        return call_all(self._history(namespace, topic))

    async def ahistory(self, namespace: Namespace, topic: str) -> list[Version]:
        """`history`, awaited."""
        return await await_all(self._history(namespace, topic))

    def _history(self, namespace: Namespace, topic: str) -> Work[list[Version]]:
        steps = looking.history(check_namespace(namespace), check_topic(topic), now=self.clock())
        found: list[Version] = yield self.perform(steps, write=False)
        return found

    def why(self, namespace: Namespace, topic: str) -> Source | None:
        """Where the current value came from, if that was said. Raises `MemoryNotFound`."""
        return call_all(self._why(namespace, topic))

    async def awhy(self, namespace: Namespace, topic: str) -> Source | None:
        """`why`, awaited."""
        return await await_all(self._why(namespace, topic))

    def _why(self, namespace: Namespace, topic: str) -> Work[Source | None]:
        steps = looking.source_of(check_namespace(namespace), check_topic(topic), now=self.clock())
        found: Source | None = yield self.perform(steps, write=False)
        return found

    def recall(
        self,
        namespace: Namespace,
        query: str,
        *,
        limit: int = 8,
        token_budget: int | None = None,
        kinds: Sequence[Kind] | None = None,
        floor: float | None = None,
        as_of: datetime | None = None,
        known_at: datetime | None = None,
        seen: Source | None = None,
    ) -> Recall:
        """What a query gets: pinned memories, then relevant ones above a floor, packed into a
        token budget, and what was left out and why.

        Args:
            namespace: Whose memory, exactly; namespaces below it are not searched.
            query: What is asked; blank gets the pinned ones alone.
            limit: The most relevant memories returned; pinned ones do not count.
            token_budget: Tokens (estimated) for the relevant ones, taken in rank order; pinned
                ones are never cut. None for no bound.
            kinds: Only these kinds, pinned ones too; None for all.
            as_of: Recall what held at this moment of valid time, by words alone: older values
                have no vectors. Pins are those of today.
            known_at: Recall what was recorded by this moment, and held then as far as was known:
                what was learnt later is left out, even if it held before. By words alone, and
                `as_of` is this moment unless it is given.
            floor: In place of both floors: the share of the query's words that is enough by
                itself (0.3), and the cosine that is enough by itself (the index's `floor`).
            seen: A thread and ids of its messages that the caller has before it: their turns are
                left out.

        Raises:
            InvalidNamespace, ValueError: A limit or budget below 1, a floor outside [0, 1], or an
                unknown kind.
            SyncEmbedderRequired: The embedder is async only; use `arecall`.
        """
        return call_all(
            self._recall(
                namespace,
                query,
                limit=limit,
                token_budget=token_budget,
                kinds=kinds,
                floor=floor,
                as_of=as_of,
                known_at=known_at,
                seen=seen,
            )
        )

    async def arecall(
        self,
        namespace: Namespace,
        query: str,
        *,
        limit: int = 8,
        token_budget: int | None = None,
        kinds: Sequence[Kind] | None = None,
        floor: float | None = None,
        as_of: datetime | None = None,
        known_at: datetime | None = None,
        seen: Source | None = None,
    ) -> Recall:
        """`recall`, awaited."""
        return await await_all(
            self._recall(
                namespace,
                query,
                limit=limit,
                token_budget=token_budget,
                kinds=kinds,
                floor=floor,
                as_of=as_of,
                known_at=known_at,
                seen=seen,
            )
        )

    def _recall(
        self,
        namespace: Namespace,
        query: str,
        *,
        limit: int,
        token_budget: int | None,
        kinds: Sequence[Kind] | None,
        floor: float | None,
        as_of: datetime | None,
        known_at: datetime | None,
        seen: Source | None,
    ) -> Work[Recall]:
        home = check_namespace(namespace)
        if not isinstance(query, str):
            raise ValueError(f"a query is text (found {type(query).__name__})")  # noqa: TRY004
        check_whole("limit", limit, least=1)
        if token_budget is not None:
            check_whole("token_budget", token_budget, least=1)
        if floor is not None:
            _check_floor(floor)
        wanted = check_kinds(kinds)
        vector: Vectors | None = None
        notes: tuple[str, ...] = ()
        # A greeting has no content: whatever is nearest to it is not meant.
        if self.index is not None and content_words(query):
            if as_of is None and known_at is None:
                vector, notes = yield from self._query_vector(self.index, home, query)
            else:
                notes = (_NO_OLD_VECTORS,)
        question = Question(
            namespace=home,
            query=query,
            limit=limit,
            token_budget=token_budget,
            kinds=wanted,
            words_floor=WORDS_FLOOR if floor is None else floor,
            meaning_floor=floor if floor is not None else (self.index.floor if self.index else 0),
            vector=vector,
            as_of=None if as_of is None else check_moment(as_of),
            known_at=None if known_at is None else check_moment(known_at),
            seen=check_source(seen),
            notes=notes,
        )
        now = self.clock()

        def steps() -> Steps[Recall]:
            asked = question
            stored = yield from indexing.stored_embedder()
            # Asked again: another process may have reindexed while the query was embedded.
            if vector is not None and stored not in {None, self.index and self.index.fingerprint}:
                asked = replace(question, vector=None, notes=(_OTHER_EMBEDDER,))
            return (yield from recall.recall(asked, self.shelves, now=now))

        found: Recall = yield self.perform(steps(), write=False)
        if as_of is None and known_at is None:
            yield from self._note_uses(found)
        return found

    def _query_vector(
        self, index: Index, home: Namespace, query: str
    ) -> Work[tuple[Vectors | None, tuple[str, ...]]]:
        """The query as a vector; where there is none, a note says why recall goes by words."""

        def standing() -> Steps[tuple[str | None, str | None, str]]:
            """Whose the vectors are, the mark of the last forgetting, what is to be embedded."""
            stored = yield from indexing.stored_embedder()
            forgetting = yield from settings.read(LAST_FORGETTING)
            return stored, forgetting, (yield from recall.wording(home, query, self.shelves))

        stored, forgetting, text = yield self.perform(standing(), write=False)
        index.embedder.drop_queries_before(forgetting)
        # Asked before the model is, which may be slow to load or cost something.
        if stored is not None and json.loads(stored)["name"] != index.embedder.fingerprint:
            return None, (_OTHER_EMBEDDER,)
        try:
            vector: Vectors = yield self._query_call(index, text)
        except EmbeddingFailed:
            return None, (_FAILED_EMBEDDER,)
        if stored is not None and stored != index.fingerprint:
            index.embedder.unlearn_dims()
            return None, (_OTHER_EMBEDDER,)
        return vector, ()


def _check_floor(floor: object) -> None:
    if isinstance(floor, bool) or not isinstance(floor, int | float) or not 0 <= floor <= 1:
        raise ValueError(f"floor is a number from 0 to 1 (found {shown(floor)})")
