"""What a support desk learns besides the usual: how a customer pays, and where to deliver."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from langchain_core.messages import HumanMessage

from langgraph_agentmem import Candidate, RuleExtractor, Source

_PAYS = r"\bI(?:'ll| will)? (?:prefer to )?pay by (?P<value>[a-z ]{3,20})"
_DELIVER = r"\bdeliver (?:it )?to (?P<value>[^.!?]{5,80})"
_RULES = (
    ("payment", re.compile(_PAYS, re.IGNORECASE)),
    ("delivery_address", re.compile(_DELIVER, re.IGNORECASE)),
)


class DeskExtractor(RuleExtractor):
    """`RuleExtractor`, and two rules of the desk's own."""

    def extract(self, said: Sequence[HumanMessage], **around: Any) -> list[Candidate]:
        """Candidates in the order in which they were said."""
        found = super().extract(said, **around)
        for message in said:
            source = Source(
                thread_id=around["thread_id"], message_ids=(str(message.id),), author="user"
            )
            for topic, rule in _RULES:
                told = rule.search(message.text)
                if told and not message.text.rstrip().endswith("?"):
                    value = told["value"].strip()
                    found.append(Candidate(topic=topic, value=value, source=source))
        return found
