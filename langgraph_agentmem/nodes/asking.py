"""How a chat model is made to answer with facts, and what is read of whatever it answers.

No provider is trusted to keep to a schema. An answer may be prose, fenced, cut off, of wrong
types or endless; each fact in it is read by itself, and what cannot be read is counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal, TypeAlias, get_args

from langchain_core.exceptions import OutputParserException
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.runnables import Runnable
from langchain_core.utils.json import parse_json_markdown
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from langgraph_agentmem.errors import AgentMemError

Method: TypeAlias = Literal["json_schema", "function_calling", "json_mode", "text"]
"""How structure is asked for. The first three are LangChain's; `text` asks in words alone, and
works with every model.
"""

LONGEST_ANSWER = 200_000
"""Characters of an answer that are read."""

IN_WORDS = """

Answer with JSON alone, of this shape, and nothing around it:
{"facts": [{"topic": "home_city", "value": "Lisbon", "ends": false, "quote": "I live in Lisbon"}]}
When there is nothing to list, answer {"facts": []}."""


class Fact(BaseModel):
    """One thing that the user states about themselves."""

    # No bounds in the schema: providers with strict schemas refuse them. They are kept in code.
    model_config = ConfigDict(str_strip_whitespace=True)

    topic: str = Field(description="What it is about, such as home_city or allergy.peanuts")
    value: str = Field(description="The value alone, in the user's own words; empty when it ends")
    ends: bool = Field(description="True when it holds no longer and nothing takes its place")
    quote: str = Field(description="The words of the user that say it, copied exactly")


class Facts(BaseModel):
    """All that the user states about themselves in these messages; may be empty."""

    facts: list[Fact]


class UnreadableFacts(AgentMemError):
    """The model's answer holds nothing that can be read as facts; pass another `method` to
    `ModelExtractor`, or another model.
    """


def method_of(model: BaseChatModel) -> Method | None:
    """How this model is best asked; None for LangChain's own choice.

    A model that thinks refuses to be forced to a tool, which is how function calling asks, so it
    is asked by schema where it has that and in words where not.
    """
    profile: Mapping[str, Any] = getattr(model, "profile", None) or {}
    own = type(model)
    if own.with_structured_output is BaseChatModel.with_structured_output:
        # LangChain's own way calls a tool, which the model must know how to bind.
        binds = own.bind_tools is not BaseChatModel.bind_tools
        return None if binds and not _thinks(model) else "text"
    if profile.get("structured_output"):
        return "json_schema"
    return "text" if _thinks(model) or profile.get("tool_calling") is False else None


def _thinks(model: BaseChatModel) -> bool:
    """Whether a model was told to think before it answers, in any provider's words for it."""
    extra = getattr(model, "model_kwargs", None)
    for name in (
        "thinking",
        "thinking_budget",
        "thinking_level",
        "include_thoughts",
        "reasoning",
        "reasoning_effort",
    ):
        found = getattr(model, name, None)
        if found is None and isinstance(extra, Mapping):
            found = extra.get(name)
        if isinstance(found, Mapping):
            found = found.get("type", "on") != "disabled"
        if found and found != "none":
            return True
    return False


class Asking:
    """A model with a way to ask it for facts.

    Args:
        model: The chat model.
        method: See `Method`; None for `method_of`.

    Raises:
        ValueError: There is no such method, or the model does not have it.
    """

    def __init__(self, model: BaseChatModel, method: Method | None = None) -> None:
        if method is not None and method not in get_args(Method):
            raise ValueError(f"method is one of {get_args(Method)} (found {method!r})")
        self.method = method_of(model) if method is None else method
        self.runnable: Runnable[Any, Any] = model
        if self.method == "text":
            return
        options: dict[str, Any] = {} if self.method is None else {"method": self.method}
        try:
            self.runnable = model.with_structured_output(Facts, include_raw=True, **options)
        except NotImplementedError as error:
            raise ValueError(
                f"{type(model).__name__} has no structured output by {self.method}; leave `method` "
                'out, or pass method="text"'
            ) from error

    def worded(self, prompt: str) -> str:
        """The prompt, with the shape of the answer where no schema says it."""
        return prompt + IN_WORDS if self.method in {"text", "json_mode"} else prompt


def facts_in(reply: Any) -> tuple[list[Fact], int]:
    """The facts of a reply, and how many more were of no use.

    Raises:
        UnreadableFacts: It says something, and no facts at all can be read in it.
    """
    parsed = reply.get("parsed") if isinstance(reply, Mapping) else None
    raw = reply.get("raw") if isinstance(reply, Mapping) else reply
    found = _found_in(parsed) if parsed is not None else _found_in_message(raw)
    if found is None:
        raise UnreadableFacts
    facts = [fact for one in found if (fact := _fact(one)) is not None]
    return facts, len(found) - len(facts)


def _found_in_message(raw: Any) -> list[Any] | None:
    """What a message calls its tool with, else what its text holds; [] when it says nothing."""
    if not isinstance(raw, BaseMessage):
        return _found_in(raw)
    if isinstance(raw, AIMessage):
        for call in raw.tool_calls:
            if (found := _found_in(call["args"])) is not None:
                return found
        for broken in raw.invalid_tool_calls:
            if (found := _found_in_text(broken.get("args") or "")) is not None:
                return found
    text = raw.text[:LONGEST_ANSWER]
    return _found_in_text(text) if text.strip() else []


def _found_in_text(text: str) -> list[Any] | None:
    """The facts of a text that holds JSON: bare, fenced, after prose, or cut off."""
    text = text[:LONGEST_ANSWER]
    for start in _starts(text):
        try:
            found = _found_in(parse_json_markdown(text[start:]))
        except (ValueError, OutputParserException, RecursionError):
            continue
        if found is not None:
            return found
    return None


def _starts(text: str) -> Iterator[int]:
    """Where JSON may begin, in a text that may say something first."""
    yield 0
    for opening in ("```", '{"facts"', "{", "["):
        if (place := text.find(opening)) > 0:
            yield place


def _found_in(found: Any) -> list[Any] | None:
    """The list of facts in decoded JSON, however it is wrapped; None when it has none."""
    if isinstance(found, Facts):
        return list(found.facts)
    facts = found.get("facts", found) if isinstance(found, Mapping) else found
    match facts:
        case str() if facts is not found:
            return _found_in_text(facts)
        case {"topic": _}:
            return [facts]
        case list() if facts is not found or all(isinstance(one, Mapping) for one in facts):
            return facts
    return None


def _fact(found: Any) -> Fact | None:
    if isinstance(found, Fact):
        return found
    if not isinstance(found, Mapping):
        return None
    value = found.get("value")
    if isinstance(value, list):  # one value was asked for, and several were meant
        value = ", ".join(map(str, value))
    plain = {
        "topic": found.get("topic"),
        "value": "" if value is None else str(value),
        "ends": found.get("ends") in (True, "true", "True", 1),
        "quote": found.get("quote") if isinstance(found.get("quote"), str) else "",
    }
    try:
        return Fact.model_validate(plain)
    except ValidationError:
        return None
