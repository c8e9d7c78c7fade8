"""How the stand-in summarizes: it keeps the lines that later turns may need, word for word."""

from __future__ import annotations

import re
from collections.abc import Sequence

from langchain_core.messages import BaseMessage, HumanMessage

MOST_LINES = 40
"""Lines of the longest summary; the oldest give way."""

NOTHING = "Nothing with a name, a number, a date or a decision was said."

_SHOWN = re.compile(
    r"(?:<previous_summary>\n(?P<before>.*?)\n</previous_summary>.*?)?"
    r"<transcript>\n(?P<transcript>.*?)\n</transcript>",
    re.DOTALL,
)
_WORTH_KEEPING = re.compile(
    r"\d"  # numbers, dates, amounts
    r"|(?<=[a-z,] )(?!I\b)[A-ZÀ-Þ]\w+"  # names: capitals inside a sentence
    r"|\b(?:decided?|book(?:ed)?|choose|chose|take|agreed|allergic|allergy|prefer|never|always)\b"
)


def transcript_in(messages: Sequence[BaseMessage]) -> tuple[str, str] | None:
    """The previous summary and the transcript in a request for a summary; None in any other."""
    match messages:
        case [HumanMessage() as request] if shown := _SHOWN.search(request.text):
            return shown["before"] or "", shown["transcript"]
    return None


def summary_of(shown: tuple[str, str]) -> str:
    """The lines of the summary before, and those of the transcript that are worth keeping."""
    before, transcript = (text.splitlines() for text in shown)
    kept = [line for line in transcript if not line.startswith("Tool:") and _is_kept(line)]
    lines = dict.fromkeys([*(line for line in before if line != NOTHING), *kept])
    return "\n".join([*lines][-MOST_LINES:]) or NOTHING


def _is_kept(line: str) -> bool:
    _, _, said = line.partition(": ")
    return not said.startswith("[calls ") and _WORTH_KEEPING.search(said) is not None
