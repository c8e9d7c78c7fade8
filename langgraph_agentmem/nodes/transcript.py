"""Old messages as one text for a model that reads them: a line for each message, no live roles.

Inside one text no provider's rule about roles, calls or blocks can break, and a small model does
not take the dialogue for its own. A line cannot be forged: breaks inside a message are flattened.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from .render import one_line
from .tokens import CALL_BLOCKS
from .turns import SILENT

SPEAKERS: tuple[tuple[type[BaseMessage], str], ...] = (
    (HumanMessage, "User"),
    (AIMessage, "Assistant"),
    (ToolMessage, "Tool"),
)

NOT_TEXT = {
    "image": "image",
    "image_url": "image",
    "input_image": "image",
    "audio": "audio",
    "input_audio": "audio",
    "video": "video",
    "file": "file",
    "input_file": "file",
    "document": "file",
}
"""What stands in brackets in place of a block; a block that is not here is named by its type."""

UNSAID = SILENT | CALL_BLOCKS
"""Block types that are left out: thinking, and calls, which stand in `tool_calls` too."""


def transcript(messages: Iterable[BaseMessage]) -> str:
    """One line for each message that says something, such as `User: hello`."""
    return "\n".join(line for message in messages if (line := line_of(message)))


def line_of(message: BaseMessage) -> str:
    """The line of one message; "" when it says nothing."""
    said = one_line("".join(_parts(message)))
    return f"{_speaker(message)}: {said}" if said else ""


def _speaker(message: BaseMessage) -> str:
    return next((name for kind, name in SPEAKERS if isinstance(message, kind)), message.type)


def _parts(message: BaseMessage) -> Iterable[str]:
    content = message.content
    yield from map(_block_text, [content] if isinstance(content, str) else content)
    if isinstance(message, AIMessage):
        for call in message.tool_calls:
            arguments = json.dumps(call["args"], ensure_ascii=False, default=str)
            yield f" [calls {call['name']}({arguments})]"


def _block_text(block: str | dict[str, Any]) -> str:
    if isinstance(block, str):
        return block
    named = block.get("type")
    kind = named if isinstance(named, str) else "block"
    if kind in UNSAID:
        return ""
    text = block.get("text")
    if kind not in NOT_TEXT and isinstance(text, str):
        return text
    return "" if kind == "text" else f" [{NOT_TEXT.get(kind, kind)}] "
