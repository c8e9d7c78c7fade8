"""A stand-in for a chat model. It is not a language model and does not pretend to be one.

It answers by simple rules (`answers.py`) from the lines in its context alone: memory lines, tool
results, the user's own words. What no line says, it does not know, and it says so. So whatever
it gets right in a story, memory got right.
"""

from __future__ import annotations

from collections.abc import Sequence

from langchain_core.messages import BaseMessage

from example_graphs.rule_model import Asking, RuleModel, Tools

from .answers import answer
from .summaries import summary_of, transcript_in
from .view import view_of

BANNER = (
    "No language model speaks here. A stand-in answers by simple rules, only from lines that it "
    "was shown."
)


class StandInModel(RuleModel):
    """A chat model that says what its context says; of all else, that it does not know it.

    It serves as a summarizer too: shown a transcript, it keeps the lines that have names,
    numbers, dates and decisions.
    """

    def reply(self, messages: Sequence[BaseMessage], tools: Tools) -> str | Asking:
        """The answer of the rules, or a summary."""
        if not tools and (transcript := transcript_in(messages)):
            return summary_of(transcript)
        return answer(view_of(messages, tools))
