"""The agent's stand-in: it calls the tool that the user's words ask for, and repeats its answer."""

from __future__ import annotations

import re
from collections.abc import Sequence

from langchain_core.messages import BaseMessage

from example_graphs.lines import memory_lines, results_since, words_before
from example_graphs.rule_model import Asking, RuleModel, Tools

UNKNOWN = "I don't know that."

_REMEMBER = re.compile(
    r"\b(?P<always>always )?remember(?: that)? my (?P<topic>[\w ]+?) is (?P<content>[^.!]+)",
    re.IGNORECASE,
)
_CHANGED = re.compile(r"\bmy (?P<topic>[\w ]+?) is now (?P<content>[^.!]+)", re.IGNORECASE)
_FORGET = re.compile(r"\bforget my (?P<topic>[\w ]+)", re.IGNORECASE)
_HISTORY = re.compile(r"\bwhat was my (?P<topic>[\w ]+?) before\b", re.IGNORECASE)
_ASKED = re.compile(r"\bwhat is my (?P<topic>[\w ]+)", re.IGNORECASE)


def _topic(words: str) -> str:
    return "_".join(words.casefold().split())


class AgentStandIn(RuleModel):
    """Answers what its tools and memory lines say."""

    def reply(self, messages: Sequence[BaseMessage], tools: Tools) -> str | Asking:  # noqa: ARG002
        """The answer to the user's last words, or the tool that they ask for."""
        if results := results_since(messages):
            return results[-1].text
        said = words_before(messages)[-1]
        for pattern, tool in ((_REMEMBER, "remember"), (_CHANGED, "remember")):
            if found := pattern.search(said):
                always = bool(found.groupdict().get("always"))
                fact = {"topic": _topic(found["topic"]), "content": found["content"].strip()}
                return Asking(tool=tool, arguments={**fact, **({"pin": True} if always else {})})
        for pattern, tool in ((_FORGET, "forget"), (_HISTORY, "history")):
            if found := pattern.search(said):
                return Asking(tool=tool, arguments={"topic": _topic(found["topic"])})
        if found := _ASKED.search(said):
            held = memory_lines(messages)
            topic = _topic(found["topic"])
            return f"Your {found['topic']} is {held[topic]}." if topic in held else UNKNOWN
        return UNKNOWN if said.rstrip().endswith("?") else "I see."
