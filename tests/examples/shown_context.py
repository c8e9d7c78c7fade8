"""What a graph would show the stand-in, and what it answers to that."""

from __future__ import annotations

from langchain_core.messages import HumanMessage

from example_graphs.travel_assistant.stand_in import StandInModel
from example_graphs.travel_assistant.tools import find_places
from langgraph_agentmem import build_context

MODEL = StandInModel()
WITH_PLACES = MODEL.bind_tools([find_places])


def context(memory, kept, said, *, pinned=True):
    """What a graph would show the model, made by the store and `build_context`."""
    mine = memory.for_user("asha")
    for topic, text in kept.items():
        mine.remember(topic, text, pinned=pinned)
    state = {"messages": [HumanMessage(said)], "memories": mine.recall(said, floor=0)}
    return build_context(state, system="You plan trips.")


def call_of(reply):
    (call,) = reply.tool_calls
    return call["name"], call["args"]
