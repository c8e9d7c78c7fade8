"""Verbs that write: remember, pin, unpin, retire; make the vectors anew; say whose a thread is."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from langgraph_agentmem.errors import ANOTHERS_THREAD, UserConflict, shown
from langgraph_agentmem.model import Kind, Memory, Namespace, Source
from langgraph_agentmem.scope import user_key
from langgraph_agentmem.steps import (
    Call,
    Steps,
    Work,
    await_all,
    call_all,
    indexing,
    memories,
    owners,
)
from langgraph_agentmem.steps.indexing import Progress
from langgraph_agentmem.steps.memories import Draft
from langgraph_agentmem.steps.places import (
    check_moment,
    check_namespace,
    check_source,
    check_topic,
    content_value,
    value_json,
)

from .core import StoreCore, check_called, check_kind, check_ttl, check_whole

_AT_ONCE = 64
"""Memories that are embedded in one call while reindexing."""


class Writing(StoreCore):
    """The verbs that change memories."""

    def remember(
        self,
        namespace: Namespace,
        topic: str,
        content: str | Mapping[str, Any],
        *,
        kind: Kind = "fact",
        pinned: bool | None = None,
        source: Source | None = None,
        ttl: float | None = None,
        valid_from: datetime | None = None,
        expected_version: int | None = None,
    ) -> Memory:
        """Make a value current under its topic; what was there goes to the history.

        Args:
            namespace: Whose memory.
            topic: What it is about, such as `home_city`.
            content: Text, stored as `{"text": …}`, or a mapping.
            kind: See `Kind`.
            pinned: None keeps the pin that the topic has.
            source: Where it came from.
            ttl: Minutes until it expires, unless it is pinned; None for never.
            valid_from: When it began to hold; before the current value's start it goes into
                the history. For a topic that had ended it is current all the same. None for
                now.
            expected_version: The number that must be current, 0 for none.

        Returns:
            What is current under the topic afterwards.

        Raises:
            InvalidNamespace, InvalidTopic, InvalidValue, ValueError: Nothing was written.
            VersionConflict: Another version is current.
            WriteRefused: The topic was forgotten while the value was embedded.
            EmbeddingFailed, EmbedderMismatch, SyncEmbedderRequired: Nothing was written.
        """
        return call_all(
            self._remember(
                namespace,
                topic,
                content,
                kind=kind,
                pinned=pinned,
                source=source,
                ttl=ttl,
                valid_from=valid_from,
                expected_version=expected_version,
            )
        )

    async def aremember(
        self,
        namespace: Namespace,
        topic: str,
        content: str | Mapping[str, Any],
        *,
        kind: Kind = "fact",
        pinned: bool | None = None,
        source: Source | None = None,
        ttl: float | None = None,
        valid_from: datetime | None = None,
        expected_version: int | None = None,
    ) -> Memory:
        """`remember`, awaited."""
        return await await_all(
            self._remember(
                namespace,
                topic,
                content,
                kind=kind,
                pinned=pinned,
                source=source,
                ttl=ttl,
                valid_from=valid_from,
                expected_version=expected_version,
            )
        )

    def _remember(
        self,
        namespace: Namespace,
        topic: str,
        content: str | Mapping[str, Any],
        *,
        kind: Kind,
        pinned: bool | None,
        source: Source | None,
        ttl: float | None,
        valid_from: datetime | None,
        expected_version: int | None,
    ) -> Work[Memory]:
        now = self.clock()
        if valid_from is not None and check_moment(valid_from) > now:
            raise ValueError("valid_from must not lie in the future; remember it then")
        if expected_version is not None:
            check_whole("expected_version", expected_version, least=0)
        checked_pin: object = pinned
        if checked_pin is not None and not isinstance(checked_pin, bool):
            raise ValueError(f"pinned is True, False or None (found {shown(pinned)})")
        draft = Draft(
            namespace=check_namespace(namespace),
            topic=check_topic(topic, blank=False),
            value=value_json(content_value(content)),
            kind=check_kind(kind),
            pinned=None if pinned is None else bool(pinned),
            source=check_source(source),
            ttl=check_ttl(ttl),
            valid_from=valid_from,
            expected_version=expected_version,
        )
        yield from self._embed([draft])

        def steps() -> Steps[Memory]:
            yield from self._check_embedder()
            yield from self._refuse_late([(draft.namespace, draft.topic)], now)
            yield from memories.write(draft, now=now)
            row = yield from memories.find_row(draft.namespace, draft.topic)
            assert row is not None  # noqa: S101 - written above, in this transaction
            return memories.memory_of(row)

        memory: Memory = yield self.perform(steps())
        return memory

    def pin(self, namespace: Namespace, topic: str) -> Memory:
        """Recall this memory on every call, whatever the query; it never expires. A newer value
        replaces it and stays pinned. Raises `MemoryNotFound`.
        """
        return call_all(self._set_pin(namespace, topic, pinned=True))

    async def apin(self, namespace: Namespace, topic: str) -> Memory:
        """`pin`, awaited."""
        return await await_all(self._set_pin(namespace, topic, pinned=True))

    def unpin(self, namespace: Namespace, topic: str) -> Memory:
        """Recall this memory only when it is relevant. Raises `MemoryNotFound`."""
        return call_all(self._set_pin(namespace, topic, pinned=False))

    async def aunpin(self, namespace: Namespace, topic: str) -> Memory:
        """`unpin`, awaited."""
        return await await_all(self._set_pin(namespace, topic, pinned=False))

    def _set_pin(self, namespace: Namespace, topic: str, *, pinned: bool) -> Work[Memory]:
        steps = memories.set_pin(
            check_namespace(namespace), check_topic(topic), pinned=pinned, now=self.clock()
        )
        memory: Memory = yield self.perform(steps)
        return memory

    def retire(self, namespace: Namespace, topic: str) -> None:
        """End a topic without a successor; it leaves recall, its history stays. Raises
        `MemoryNotFound`.
        """
        call_all(self._retire(namespace, topic))

    async def aretire(self, namespace: Namespace, topic: str) -> None:
        """`retire`, awaited."""
        await await_all(self._retire(namespace, topic))

    def _retire(self, namespace: Namespace, topic: str) -> Work[None]:
        steps = memories.retire(check_namespace(namespace), check_topic(topic), now=self.clock())
        yield self.perform(steps)

    def reindex(self, progress: Callable[[int, int], None] | None = None) -> int:
        """Embed every memory anew with this store's embedder: after another model was chosen,
        or for memories that were written without one.

        Args:
            progress: Called with how many are done and how many there are.

        Returns:
            How many memories were embedded.

        Raises:
            ValueError: The store has no index.
            EmbeddingFailed: What was embedded so far stays; the next call goes on from there, as
                it does after a crash.
        """
        return call_all(self._reindex(progress))

    async def areindex(self, progress: Callable[[int, int], None] | None = None) -> int:
        """`reindex`, awaited."""
        return await await_all(self._reindex(progress))

    def _reindex(self, progress: Callable[[int, int], None] | None) -> Work[int]:
        index = self.index
        if index is None:
            raise ValueError("reindex needs an index; open the store with embed=… or index=…")
        if progress is not None:
            check_called("progress", progress)
        # Asked first, so that a model that does not work leaves the old vectors alone.
        probe = ["reindex"]
        yield Call(
            lambda: index.embedder.documents(probe), lambda: index.embedder.adocuments(probe)
        )
        begin = indexing.begin(index.fingerprint or "", json.dumps(index.fields))
        come: Progress = yield self.perform(begin)
        last, done = come.after, come.done
        while batch := (yield self.perform(indexing.batch_after(last, most=_AT_ONCE), write=False)):
            yield from self._embed([one.draft for one in batch])
            last, done = batch[-1].id, done + len(batch)
            yield self.perform(indexing.embed_again(batch, done=done))
            if progress:
                progress(done, max(come.total, done))
        yield self.perform(indexing.finish())
        return done - come.done

    def claim_thread(self, thread_id: str, user_id: str) -> None:
        """Record whose thread this is, so that forgetting reaches its checkpoints.

        Raises:
            UserConflict: The thread belongs to another user.
            UserRequired, ValueError: The user or the thread id is blank, or no id.
        """
        call_all(self._claim_thread(thread_id, user_id))

    async def aclaim_thread(self, thread_id: str, user_id: str) -> None:
        """`claim_thread`, awaited."""
        await await_all(self._claim_thread(thread_id, user_id))

    def _claim_thread(self, thread_id: str, user_id: str) -> Work[None]:
        given: object = thread_id
        if not isinstance(given, str) or not given.strip():
            raise ValueError(f"a thread id is text that is not blank (found {shown(thread_id)})")
        user_id = user_key(user_id)
        owner: str | None = yield self.perform(owners.owner_of(thread_id), write=False)
        if owner is None:
            claim = owners.claim_thread(thread_id, user_id, now=self.clock())
            owner = yield self.perform(claim)
        if owner != user_id:
            raise UserConflict(ANOTHERS_THREAD, thread_id=thread_id)
