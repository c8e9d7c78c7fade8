"""What an application itself wants to be pinned, whoever finds the facts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

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

    def extract(self, said: Sequence[HumanMessage], **around: Any) -> list[Candidate]:
        """The extractor's candidates, some of them pinned."""
        return self._pinned(self._extractor.extract(said, **around))

    async def aextract(self, said: Sequence[HumanMessage], **around: Any) -> list[Candidate]:
        """`extract`, awaited."""
        return self._pinned(await self._extractor.aextract(said, **around))

    def _pinned(self, found: Sequence[Candidate]) -> list[Candidate]:
        return [
            replace(one, pinned=True)
            if one.topic in self._topics and one.value is not None
            else one
            for one in found
        ]
