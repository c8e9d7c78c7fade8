"""How large messages are, where no model's own counter is given.

An estimate from the text that a model reads. langchain_core's `count_tokens_approximately`
counts a character of any script as a quarter of a token, tool calls in content blocks with the
punctuation of a Python dict, and a signature as if it were read; this one does not.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage

from langgraph_agentmem.sizes import estimate_tokens

MESSAGE_TOKENS = 4
"""Tokens of a message besides what it says: role and separators."""

MEDIA_TOKENS = 85
"""Tokens of an image, sound or file: OpenAI's low-resolution image, as langchain_core has it."""

TEXT_FIELDS = {"text": "text", "thinking": "thinking", "reasoning": "reasoning"}
"""Block types that are read as text, and the field that holds it."""

CALL_BLOCKS = frozenset({"tool_use", "tool_call", "function_call", "redacted_thinking"})
"""Block types that repeat a message's `tool_calls`, or are never read again."""


def approximate_tokens(messages: Sequence[BaseMessage], /) -> int:
    """About how many tokens these messages are together; see `sizes.estimate_tokens`."""
    return sum(_message_tokens(message) for message in messages)


def _message_tokens(message: BaseMessage) -> int:
    content = message.content
    blocks = [content] if isinstance(content, str) else content
    calls = message.tool_calls if isinstance(message, AIMessage) else []
    return (
        MESSAGE_TOKENS
        + sum(_block_tokens(block) for block in blocks)
        + sum(estimate_tokens(f"{call['name']}{_compact(call['args'])}") for call in calls)
    )


def _block_tokens(block: str | dict[str, Any]) -> int:
    if isinstance(block, str):
        return estimate_tokens(block)
    kind = str(block.get("type"))
    if kind in CALL_BLOCKS:
        return 0
    field = TEXT_FIELDS.get(kind)
    return estimate_tokens(str(block.get(field) or "")) if field else MEDIA_TOKENS


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
