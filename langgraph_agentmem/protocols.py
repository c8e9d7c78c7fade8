"""What the parts expect of each other: protocols, nothing to subclass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol, TypeVar, runtime_checkable

import numpy as np
import numpy.typing as npt
from langchain_core.messages import BaseMessage, HumanMessage

from .model import Candidate, Hold, Namespace, Receipt

T = TypeVar("T")

Vectors = npt.NDArray[np.float32]
Ids = npt.NDArray[np.int64]
Numbers = npt.NDArray[np.float64]


class Clock(Protocol):
    """Tells the time, with a timezone; tests own it."""

    def __call__(self) -> datetime:
        """The moment now."""
        ...


@runtime_checkable
class Extractor(Protocol):
    """Proposes memories from what a user said.

    Args of both methods:
        said: The user's own messages to learn from, oldest first; each has an id.
        known: The user's current memories, topic to text, so that a changed fact lands under
            the topic that it replaces.
        now: The moment of the call, for words like "yesterday" in messages without a time. It is
            in the user's time zone where that is known.
        thread_id: Becomes part of each candidate's source.
        before: The user's message before those in `said`, which "No, Munich" sets right.
        asked: True when the assistant has asked something since, which "No, Munich" may answer.

    An extractor that names neither `before` nor `asked` is called without them.
    """

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
        """Candidates in the order in which they were said."""
        ...

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
        ...


class TokenCounter(Protocol):
    """Counts the tokens of messages, as the model that reads them would."""

    def __call__(self, messages: Sequence[BaseMessage], /) -> int:
        """Tokens of these messages together."""
        ...


class WritePolicy(Protocol):
    """Decides whether a candidate is kept, held for its user's consent, or refused."""

    def __call__(self, candidate: Candidate, /) -> str | Hold | None:
        """None to keep it, a `Hold` to ask the user first, else the reason for which it is
        refused. Never the text.
        """
        ...


class Forgets(Protocol):
    """Forgets across a store and a checkpointer: what `AgentMemory` is to its store."""

    def namespace_of(self, user_id: str) -> Namespace:
        """Where this user's memories are."""
        ...

    def as_written(self, thread_id: str, value: T) -> T:
        """A value without what was forgotten in the run that is going on in a thread."""
        ...

    def is_run_over(self, thread_id: str) -> bool:
        """Whether the user of the run that is going on in a thread was forgotten."""
        ...

    def forget(
        self,
        user_id: str,
        topic: str | None = None,
        /,
        *,
        dry_run: bool = False,
        in_run: str | None = None,
    ) -> Receipt:
        """Erase a topic of a user, or all of the user."""
        ...

    async def aforget(
        self,
        user_id: str,
        topic: str | None = None,
        /,
        *,
        dry_run: bool = False,
        in_run: str | None = None,
    ) -> Receipt:
        """`forget`, awaited."""
        ...
