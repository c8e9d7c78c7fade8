"""What a support desk learns besides the usual: how a customer pays, and where to deliver."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from langchain_core.messages import HumanMessage

from langgraph_agentmem import Candidate, RuleExtractor, Source

PINNED = frozenset({"payment", "delivery_address"})
"""Topics that every call needs."""

_PAYS = r"\bI(?:'ll| will)? (?:prefer to )?pay by (?P<value>[a-z ]{3,20})"
_DELIVER = r"\bdeliver (?:it )?to (?P<value>[^.!?]{5,80})"
_RULES = (
    ("payment", re.compile(_PAYS, re.IGNORECASE)),
    ("delivery_address", re.compile(_DELIVER, re.IGNORECASE)),
)


class DeskExtractor:
    """`RuleExtractor`, and two rules of the desk's own."""

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
        found = RuleExtractor().extract(
            said, known=known, now=now, thread_id=thread_id, before=before, asked=asked
        )
        for message in said:
            source = Source(thread_id=thread_id, message_ids=(str(message.id),), author="user")
            for topic, rule in _RULES:
                told = rule.search(message.text)
                if told and not message.text.rstrip().endswith("?"):
                    value = told["value"].strip()
                    found.append(Candidate(topic=topic, value=value, source=source))
        return [replace(one, pinned=True) if one.topic in PINNED else one for one in found]

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
        return self.extract(
            said, known=known, now=now, thread_id=thread_id, before=before, asked=asked
        )
