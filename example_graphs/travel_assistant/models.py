"""Any chat model that LangChain can make from a name."""

from __future__ import annotations

from langchain_core.language_models import BaseChatModel

from langgraph_agentmem.errors import MissingExtra


class ModelUnavailable(Exception):
    """The model cannot be made: no such provider, its package or its key is missing."""


def model_named(name: str) -> BaseChatModel:
    """A chat model by its LangChain name, such as `openai:gpt-4.1-mini` or `ollama:llama3.1`.

    Raises:
        MissingExtra: langchain is not installed.
        ModelUnavailable: LangChain cannot make it, and says why.
    """
    try:
        from langchain.chat_models import init_chat_model  # noqa: PLC0415 - an optional extra
    except ImportError as error:
        raise MissingExtra(
            f"--model {name} needs langchain; pip install 'langgraph-agentmem[agents]'"
        ) from error
    try:
        model: BaseChatModel = init_chat_model(name)
    except Exception as error:
        reason = str(error).partition("\n")[0] or type(error).__name__
        raise ModelUnavailable(f"--model {name}: {reason}") from error
    return model
