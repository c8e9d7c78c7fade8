"""A chat model that answers by rule. It is not a language model and does not pretend to be one.

Each story has one of its own: a subclass says what it answers to the messages before it, and
nothing else. So whatever it gets right in a story, the lines in its context got right.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias
from uuid import uuid4

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool

Tools: TypeAlias = Sequence[Mapping[str, Any]]
"""Descriptions of the tools that may be called, as OpenAI takes them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """A tool to call, and its arguments."""

    tool: str
    arguments: dict[str, Any] = field(default_factory=dict)


class RuleModel(BaseChatModel):
    """A `BaseChatModel` that calls bound tools and streams word by word.

    Subclasses define `reply`.
    """

    def reply(self, messages: Sequence[BaseMessage], tools: Tools) -> str | Asking:
        """What it says to these messages, or the tool that it calls."""
        raise NotImplementedError

    @property
    def _llm_type(self) -> str:
        return "stand-in"

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | None = None,  # noqa: ARG002 - the rules choose
        **kwargs: Any,
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """The same model, which may call these tools."""
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools], **kwargs)

    def _answer(self, messages: Sequence[BaseMessage], **kwargs: Any) -> AIMessage:
        said = self.reply(messages, kwargs.get("tools", ()))
        if isinstance(said, str):
            return AIMessage(said)
        call = {"name": said.tool, "args": said.arguments, "id": f"call_{uuid4().hex}"}
        return AIMessage("", tool_calls=[call])

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,  # noqa: ARG002 - its answers are short
        run_manager: CallbackManagerForLLMRun | None = None,  # noqa: ARG002
        **kwargs: Any,
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self._answer(messages, **kwargs))])

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,  # noqa: ARG002 - its answers are short
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        whole = self._answer(messages, **kwargs)
        calls = [
            tool_call_chunk(name=one["name"], args=json.dumps(one["args"]), id=one["id"], index=at)
            for at, one in enumerate(whole.tool_calls)
        ]
        words = re.findall(r"\S*\s*", whole.text)[:-1] or [""]
        for at, word in enumerate(words):
            is_last = at == len(words) - 1
            chunk = ChatGenerationChunk(
                message=AIMessageChunk(content=word, tool_call_chunks=calls if is_last else [])
            )
            if run_manager:
                run_manager.on_llm_new_token(word, chunk=chunk)
            yield chunk
