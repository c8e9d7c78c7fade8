"""The desk's stand-in: it answers from memory lines, from the order tool, or not at all."""

from __future__ import annotations

import re
from collections.abc import Sequence

from langchain_core.messages import BaseMessage

from example_graphs.lines import memory_lines, results_since, words_before
from example_graphs.rule_model import Asking, RuleModel, Tools
from example_graphs.travel_assistant.summaries import summary_of, transcript_in

UNKNOWN = "I don't know that."

_ORDER = re.compile(r"\b[A-Z]-\d{4}\b")
_OF_MY_OWN = re.compile(r"\b(?:I|my|me)\b")
_ASKED = (
    (re.compile(r"\bpay(?:ment|s)?\b", re.IGNORECASE), "payment", "You pay by {}."),
    (re.compile(r"\bdeliver|\baddress\b", re.IGNORECASE), "delivery_address", "We deliver to {}."),
    (re.compile(r"\bmy name\b|\bwho am I\b", re.IGNORECASE), "name", "You are {}."),
)


class DeskStandIn(RuleModel):
    """Answers what its context says."""

    def reply(self, messages: Sequence[BaseMessage], tools: Tools) -> str | Asking:
        """The answer to the customer's last words."""
        if not tools and (transcript := transcript_in(messages)):
            return summary_of(transcript)
        if results := results_since(messages):
            return results[-1].text
        said, held = words_before(messages)[-1], memory_lines(messages)
        asks = said.rstrip().endswith("?")
        if asks and (order := _ORDER.search(said)):
            return Asking(tool="find_order", arguments={"order_id": order[0]})
        if asks:
            found = (
                answer.format(held[topic])
                for wanted, topic, answer in _ASKED
                if wanted.search(said) and topic in held and _OF_MY_OWN.search(said)
            )
            return next(found, UNKNOWN)
        return f"Thank you, {held['name'].split()[0]}." if "name" in held else "Thank you."
