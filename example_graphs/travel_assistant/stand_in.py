"""A stand-in for a chat model. It is not a language model and does not pretend to be one.

It answers by simple rules (`answers.py`) from the lines in its context alone: memory lines, tool
results, the user's own words. What no line says, it does not know, and it says so. So whatever
it gets right in a story, memory got right.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from uuid import uuid4

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool

from .answers import answer
from .summaries import summary_of, transcript_in
from .view import view_of

BANNER = (
    "No language model speaks here. A stand-in answers by simple rules, only from lines that it "
    "was shown."
)


class StandInModel(BaseChatModel):
    """A `BaseChatModel` that says what its context says; of all else, that it does not know it.

    It calls bound tools, streams word by word, and serves as a summarizer: shown a transcript,
    it keeps the lines that have names, numbers, dates and decisions.
    """

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

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,  # noqa: ARG002 - its answers are short
        run_manager: CallbackManagerForLLMRun | None = None,  # noqa: ARG002
        **kwargs: Any,
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=_reply(messages, **kwargs))])

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,  # noqa: ARG002 - its answers are short
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        whole = _reply(messages, **kwargs)
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


def _reply(messages: Sequence[BaseMessage], **kwargs: Any) -> AIMessage:
    if not kwargs.get("tools") and (transcript := transcript_in(messages)):
        return AIMessage(summary_of(transcript))
    said = answer(view_of(messages, kwargs.get("tools", ())))
    if isinstance(said, str):
        return AIMessage(said)
    call = {"name": said.tool, "args": said.arguments, "id": f"call_{uuid4().hex}"}
    return AIMessage("", tool_calls=[call])
