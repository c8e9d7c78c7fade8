"""The importer's stand-in: it does what a line about this supplier says, else the usual."""

from __future__ import annotations

import re
from collections.abc import Sequence

from langchain_core.messages import BaseMessage

from example_graphs.lines import memory_lines, words_before
from example_graphs.rule_model import RuleModel, Tools

from .files import FORMATS

_TAUGHT = re.compile(
    r"Read dates in files of (?P<supplier>\w+) as (?P<format>%\S+?)(?=[.,]?(?:\s|$))"
)


class ImporterStandIn(RuleModel):
    """Answers with a date format and where it has it from."""

    def reply(self, messages: Sequence[BaseMessage], tools: Tools) -> str:  # noqa: ARG002
        """The format for the file that is asked for."""
        asked = words_before(messages)[-1].casefold()
        for topic, text in memory_lines(messages).items():
            taught = _TAUGHT.search(text)
            if taught and taught["supplier"].casefold() in asked:
                by = "an earlier import" if topic.startswith("episode.") else f"“{topic}”"
                return f"{taught['format']}, as {by} has taught."
        return f"{FORMATS[0]}, as usual."
