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

SPEAKERS: tuple[tuple[type[BaseMessage], str], ...] = (
    (HumanMessage, "User"),
    (AIMessage, "Assistant"),
    (ToolMessage, "Tool"),
)

NOT_TEXT = {
    "image": " [image] ",
    "image_url": " [image] ",
    "input_image": " [image] ",
    "audio": " [audio] ",
    "input_audio": " [audio] ",
    "video": " [video] ",
    "file": " [file] ",
    "document": " [file] ",
}
"""What stands in place of a block; blocks that are not here are left out, thinking among them."""


def transcript(messages: Iterable[BaseMessage]) -> str:
    """One line for each message that says something, such as `User: hello`."""
    return "\n".join(
        f"{_speaker(message)}: {said}"
        for message in messages
        if (said := one_line("".join(_parts(message))))
    )


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
    kind = str(block.get("type"))
    return str(block.get("text") or "") if kind == "text" else NOT_TEXT.get(kind, "")
