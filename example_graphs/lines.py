"""What a stand-in reads of the messages before it: memory lines, words, tool results."""

from __future__ import annotations

import re
from collections.abc import Sequence

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage, ToolMessage

_FENCED = re.compile(
    r"<(?P<fence>pinned_memories|memories|shared_memories|procedures)>\n(?P<lines>.*?)\n</(?P=fence)>",
    re.DOTALL,
)
_LINE = re.compile(r"- (?P<topic>.+?): (?P<text>.*) \(since (?P<since>\d{4}-\d\d-\d\d)\)")


def memory_lines(messages: Sequence[BaseMessage]) -> dict[str, str]:
    """Topic to text of every memory line in the context."""
    shown = "\n".join(one.text for one in messages if isinstance(one, SystemMessage | HumanMessage))
    fenced = "\n".join(found["lines"] for found in _FENCED.finditer(shown))
    lines = map(_LINE.fullmatch, fenced.splitlines())
    return {found["topic"]: found["text"] for found in lines if found}


def words_before(messages: Sequence[BaseMessage]) -> list[str]:
    """The user's own words in each turn, oldest first."""
    return [_FENCED.sub("", one.text).strip() for one in messages if isinstance(one, HumanMessage)]


def results_since(messages: Sequence[BaseMessage]) -> list[ToolMessage]:
    """What tools have answered since the user last spoke."""
    last = max((at for at, one in enumerate(messages) if isinstance(one, HumanMessage)), default=0)
    return [one for one in messages[last:] if isinstance(one, ToolMessage)]
