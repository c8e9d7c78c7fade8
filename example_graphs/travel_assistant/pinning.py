"""What the application itself wants to be pinned, whoever finds the facts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from langchain_core.messages import HumanMessage

from langgraph_agentmem import Candidate
from langgraph_agentmem.protocols import Extractor


class Pinning:
    """An extractor that proposes some topics pinned, so that they reach the model on every call.

    A pin is proposed once: what the user has unpinned stays unpinned.

    Args:
        extractor: Finds the facts.
        topics: Those to pin.
    """

    def __init__(self, extractor: Extractor, topics: Sequence[str]) -> None:
        self._extractor = extractor
        self._topics = frozenset(topics)

    def extract(
        self,
        said: Sequence[HumanMessage],
        *,
        known: Mapping[str, str],
        now: datetime,
        thread_id: str | None,
        before: HumanMessage | None = None,
        asked: bool = False,
    ) -> list[Candidate]:
        """The extractor's candidates, some of them pinned."""
        found = self._extractor.extract(
            said, known=known, now=now, thread_id=thread_id, before=before, asked=asked
        )
        return self._pinned(found)

    async def aextract(
        self,
        said: Sequence[HumanMessage],
        *,
        known: Mapping[str, str],
        now: datetime,
        thread_id: str | None,
        before: HumanMessage | None = None,
        asked: bool = False,
    ) -> list[Candidate]:
        """`extract`, awaited."""
        found = await self._extractor.aextract(
            said, known=known, now=now, thread_id=thread_id, before=before, asked=asked
        )
        return self._pinned(found)

    def _pinned(self, found: Sequence[Candidate]) -> list[Candidate]:
        return [
            replace(one, pinned=True)
            if one.topic in self._topics and one.value is not None
            else one
            for one in found
        ]
