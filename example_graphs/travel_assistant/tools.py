"""What the assistant can do: look for places, and ask for something to be forgotten."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import asdict
from typing import Annotated, Any

from langchain_core.messages import ToolMessage
from langchain_core.tools import BaseTool, tool
from langgraph.prebuilt import ToolRuntime
from langgraph.types import Command
from pydantic import Field

from langgraph_agentmem import AgentMemory

from .catalogue import CITIES, CUISINES, PLACES, Kind

EVERYTHING = "everything"
"""What the chat's `/forget` takes to erase all of a user."""


def _one_of(names: tuple[str, ...]) -> str:
    return f"One of: {', '.join(names)}."


@tool
def find_places(
    kind: Kind,
    city: Annotated[str, Field(description=_one_of(CITIES))],
    cuisine: Annotated[str | None, Field(description=_one_of(CUISINES))] = None,
    max_price: Annotated[float | None, Field(description="Euros, per night or person.")] = None,
) -> dict[str, Any]:
    """Find restaurants, hotels or sights in a city, best rated first, dishes with allergens."""
    found = [
        place
        for place in PLACES
        if place.kind == kind
        and place.city.casefold() == city.strip().casefold()
        and (cuisine is None or place.cuisine == cuisine.casefold())
        and (max_price is None or place.price <= max_price)
    ]
    found.sort(key=lambda place: -place.stars)
    places = [asdict(place) for place in found]
    return {"kind": kind, "city": city, "max_price": max_price, "places": places}


def forgetting_tool(memory: AgentMemory) -> BaseTool:
    """The tool by which the user has something erased.

    It only writes the request into the state. A run holds its whole state in memory and writes
    it when a step ends, so what is erased under a run comes back; `erase_what_was_asked` carries
    the request out when the run is over. The request is checkpointed with the conversation, so
    a crash in between does not lose it.
    """

    @tool
    def forget_about_me(what: str, runtime: ToolRuntime[Any, Any]) -> Command[Any]:
        """Erase for good what is remembered about the user under one topic, as soon as this
        answer is given. Only when the user asks for it.

        Args:
            what: The topic as it stands in the memories, or words for it ("phone number"), or
                "everything".
            runtime: The run.
        """
        user_id = memory.scope.user(runtime.config, runtime.context)
        kept = [one.topic for one in memory.for_user(user_id).memories()]
        topics = _meant(what, kept)
        match topics:
            case _ if what not in kept and _means_everything(what):
                answer, asked = CONFIRM, []
            case [topic]:
                answer, asked = f"Will be erased after this answer: {topic}.", [topic]
            case []:
                answer, asked = f"Nothing is kept under that. Kept are: {_listed(kept)}.", []
            case _:
                answer, asked = f"Several are meant, ask which one: {_listed(topics)}.", []
        message = ToolMessage(answer, tool_call_id=runtime.tool_call_id)
        return Command(update={"messages": [message], **({"to_forget": asked} if asked else {})})

    return forget_about_me


CONFIRM = (
    "Nothing is erased yet. To erase all your memories and conversations for good, "
    f"type: /forget {EVERYTHING}"
)
_WORDS_FOR_ALL = frozenset(
    {"all", "conversation", "data", "everything", "fact", "info", "information", "me", "memory"}
)
_AROUND = frozenset({"about", "have", "know", "my", "of", "on", "personal", "that", "the", "you"})


def _meant(what: str, kept: list[str]) -> list[str]:
    """The topics that these words name: exactly, or in part, or among other words."""
    asked = _words(what)
    closest: tuple[Callable[[set[str]], bool], ...] = (
        lambda words: words == asked,
        lambda words: words >= asked,
        lambda words: words <= asked,
    )
    found = ([topic for topic in kept if names(_words(topic))] for names in closest if asked)
    return next(filter(None, found), [])


def _means_everything(what: str) -> bool:
    """Whether these words name all that is remembered, such as "all my data"."""
    named = _words(what) - _AROUND
    return bool(named) and named <= _WORDS_FOR_ALL


def _words(text: str) -> set[str]:
    """The words of a text, be they of one thing, of many or of somebody."""
    plain = re.sub(r"['’]s\b", "", text.casefold())
    words = re.findall(r"[^\W_]+", plain)
    return {re.sub(r"ies$", "y", word).removesuffix("s") for word in words}


def _listed(topics: list[str]) -> str:
    return ", ".join(topics) or "no topics"
