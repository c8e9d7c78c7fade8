"""What a summary stands for, and whether it still does.

A summary hides the messages up to the one that it names. It hides nothing once that message is
gone, and it no longer counts once what it was made from has been edited or forgotten: the
messages themselves are shown then, until a new one is made.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from langgraph_agentmem.extraction.evidence import words_of
from langgraph_agentmem.leaves import MARK
from langgraph_agentmem.scrub import STALE

from .state import Summary
from .turns import covered, spoken


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What a state's summary comes to for the messages that the state holds now.

    `hidden` counts the messages at the head that it stands for; `summary` is None where there is
    none that counts; `outdated` is True when there was one. `whole` is True when everything that
    the summary says can be made anew from the messages that it hides.
    """

    hidden: int = 0
    summary: Summary | None = None
    outdated: bool = False
    whole: bool = True


def standing(messages: Sequence[BaseMessage], found: object) -> Standing:
    """How a state's summary stands to its messages.

    Args:
        messages: The state's messages.
        found: What the state holds under its key for the summary: a `Summary`, a text (shown,
            and hiding nothing), or None.

    Raises:
        TypeError: It is something else, so the key is another's.
    """
    summary = _summary(found)
    if summary is None:
        return Standing()
    ids = [message.id for message in messages]
    gone = summary.get("check", 0) is None or summary["through"] not in ids
    if gone:
        if not summary.get(STALE):
            return Standing(summary=summary, whole=False)
        # There is nothing to make it anew from, and its prose may say what was forgotten in
        # other words; its exact values cannot.
        bare: Summary = {"text": "", "exact": summary["exact"], "through": summary["through"]}
        return Standing(summary=bare, outdated=True, whole=False)
    last = ids.index(summary["through"]) + 1
    check = summary.get("check")
    if summary.get(STALE) or (check is not None and check != checksum(messages[:last])):
        return Standing(outdated=True)
    hidden = covered(messages, summary["through"])
    return Standing(hidden=hidden, summary=summary, whole=check is not None)


def _summary(found: object) -> Summary | None:
    if not found:
        return None
    if isinstance(found, str):
        return {"text": found, "exact": [], "through": ""}
    if not isinstance(found, Mapping) or not isinstance(found.get("text"), str):
        raise TypeError(
            "a summary is what summarize_old_turns writes, or text "
            f"(found {type(found).__name__}); name its own key with summary_key="
        )
    summary: Summary = {
        "text": found["text"],
        "exact": [str(value) for value in found.get("exact") or () if MARK not in str(value)],
        "through": str(found.get("through") or ""),
    }
    if "check" in found:
        summary["check"] = found["check"]
    if found.get(STALE):
        summary["stale"] = True
    return summary


def checksum(messages: Sequence[BaseMessage]) -> int:
    """Changes when what people or the assistant said changes. Results of tools do not count:
    many applications shorten old ones.
    """
    sum_so_far = 0
    for message in spoken(messages):
        if isinstance(message, ToolMessage):
            continue
        calls = (
            [call["args"] for call in message.tool_calls] if isinstance(message, AIMessage) else []
        )
        said = json.dumps([message.type, message.id, words_of(message), calls], default=str)
        sum_so_far = zlib.crc32(said.encode(), sum_so_far)
    return sum_so_far
