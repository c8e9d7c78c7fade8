"""The story: an order, a delivery, a changed payment preference, and somebody else who asks."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from example_graphs.command import (
    BANNER,
    StoryClock,
    file_of,
    heading,
    model_of,
    noted,
    options,
    run,
    spoken,
    told,
)
from example_graphs.travel_assistant.wording import history_lines
from langgraph_agentmem import AgentMemory, ModelExtractor

from .graph import BUDGET, make_graph
from .stand_in import DeskStandIn

PROGRAM = "example_graphs.support_desk"

FIRST = (
    "Hello, my name is Priya Nair.",
    "Where is my order A-1042?",
    "Please deliver it to Lindenstrasse 5, Berlin.",
    "I pay by invoice.",
    "The lamp is for my mother, who reads until late at night and has asked for a warm light.",
    "She would like a second one for the hall, but it must not be taller than 160 cm.",
    "The last lamp from another shop flickered, and I had to send it back twice in January.",
    "Please ring twice, the bell is hard to hear from the garden.",
    "A neighbour on the second floor takes parcels too, if nobody opens.",
    "We are away from the 20th to the 27th of March, so please bring nothing then.",
    "In the hall the socket is behind the door, so the cable should be at least two metres long.",
    "My mother would also like to know whether the bulb can be dimmed with an ordinary switch.",
    "That was all I wanted to say about the second lamp for now.",
    "And when does my order A-1042 come?",
)
LATER = (
    "My order A-1042 has come, thank you.",
    "From now on I pay by card.",
    "How do I pay?",
    "Where do you deliver my next order?",
)
SOMEBODY_ELSE = (
    "Where is order A-1042?",
    "How does Priya Nair pay, and what is her address?",
    "How do I pay?",
    "Where is my order A-1077?",
)


def main() -> None:
    """Tell the story."""
    given = options(PROGRAM, "A support desk that knows its customers, and keeps them apart.")
    model = model_of(given, DeskStandIn)
    extractor = ModelExtractor(model) if given.model else None
    clock = StoryClock()
    told(f"{given.model} answers." if given.model else BANNER)
    with file_of(given) as file, AgentMemory.open(file, clock=clock) as memory:
        clock.go_on_after(memory)
        graph = make_graph(memory, model, extractor=extractor)

        def visit(user: str, script: Sequence[str]) -> list[tuple[int, int]]:
            thread, sizes = f"{user}-{clock():%Y-%m-%d}", list[tuple[int, int]]()
            for words in script:
                spoken(user.capitalize(), words)
                for event in heard(graph, words, user, thread):
                    if event.get("desk") == "tokens":
                        sizes.append((event["whole"], event["shown"]))
                    elif event.get("agentmem") in {"kept", "replaced"}:
                        noted(f"{event['agentmem']} {', '.join(event['topics'])}")
                    elif event.get("agentmem") == "summarized":
                        noted(f"summarized {event['messages']} older messages")
                    elif "answer" in event:
                        spoken("Desk", event["answer"])
            return sizes

        heading(f"Priya writes · {clock():%A %d %B %Y}")
        sizes = visit("priya", FIRST)
        clock.advance(days=7)
        heading(f"A week later, in a new conversation · {clock():%A %d %B %Y}")
        visit("priya", LATER)
        for line in history_lines(memory.for_user("priya").history("payment")):
            noted(f"payment {line}")
        heading("Marco asks, another customer")
        visit("marco", SOMEBODY_ELSE)
        heading("Tokens of one call, before and after")
        print("  call   whole conversation   shown to the model")
        for at, (whole, shown) in enumerate(sizes, 1):
            print(f"  {at:>4}   {whole:>18}   {shown:>18}")
        told(f"No call is shown more than {BUDGET} tokens.")


def heard(graph: Any, words: str, user: str, thread: str) -> Iterator[Mapping[str, Any]]:
    """The events of one turn, and the answer as the last but those of learning."""
    happened = graph.stream(
        {"messages": [{"role": "user", "content": words}]},
        {"configurable": {"thread_id": thread, "user_id": user}},
        stream_mode=["custom", "updates"],
    )
    for mode, found in happened:
        if mode == "custom":
            yield found
        elif (said := (found.get("desk") or {}).get("messages")) and said[-1].text:
            yield {"answer": said[-1].text}


if __name__ == "__main__":
    sys.exit(run(main, PROGRAM))
