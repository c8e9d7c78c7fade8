"""The story: a failure, a lesson, two confirmations, and a procedure for everybody."""

from __future__ import annotations

import sys
from typing import Any

from example_graphs.command import (
    BANNER,
    StoryClock,
    counted,
    file_of,
    heading,
    model_of,
    noted,
    options,
    run,
    spoken,
    told,
)
from langgraph_agentmem import AgentMemory, Episodes, Procedures

from .files import FILES
from .graph import AGENT, make_graph
from .stand_in import ImporterStandIn

PROGRAM = "example_graphs.csv_importer"


def main() -> None:
    """Tell the story."""
    given = options(
        PROGRAM, "An importer that fails on dates, remembers why, and does better next week."
    )
    model, clock = model_of(given, ImporterStandIn), StoryClock()
    told(f"{given.model} answers." if given.model else BANNER)
    with file_of(given) as file, AgentMemory.open(file, clock=clock) as memory:
        clock.go_on_after(memory)
        graph = make_graph(memory, model)
        *weeks, last = FILES
        for week, name in enumerate(weeks, 1):
            heading(f"Week {week}: Rita imports {name} · {clock():%A %d %B %Y}")
            take(graph, name, "rita", f"{clock():%Y-%m-%d}")
            clock.advance(days=7)
        mine, procedures = Episodes(memory, "rita"), Procedures(memory, AGENT)
        for proposal in mine.proposals():
            heading("The application is asked")
            told(f"  Proposed: “{proposal.lesson}”, confirmed {proposal.confirmations} times.")
            kept = mine.accept(proposal, procedures)
            noted(f"accepted as procedure {kept.topic}, pinned for all users of the agent")
        heading(f"A colleague, Tom, imports {last} · {clock():%A %d %B %Y}")
        take(graph, last, "tom", f"{clock():%Y-%m-%d}")


def take(graph: Any, name: str, user: str, day: str) -> None:
    """Import one file and print what happened."""
    words = f"Please import the file {name}"
    spoken(user.capitalize(), words)
    thread = {"thread_id": f"{user}-{day}", "user_id": user, "agentmem_events": "content"}
    happened = graph.stream(
        {"messages": [{"role": "user", "content": words}], "file": name},
        {"configurable": thread},
        stream_mode=["custom", "updates"],
    )
    for mode, found in happened:
        if mode == "updates":
            for node, who in (("choose_format", "Dates"), ("import_file", "Import")):
                if said := (found.get(node) or {}).get("messages"):
                    spoken(who, said[-1].text)
            continue
        match found:
            case {"agentmem": "recalled_episodes", "count": count, "failures": failures} if count:
                noted(f"recalled {counted(count, 'similar import')}, {failures} failed")
            case {"agentmem": "episode_recorded", "outcome": "failure", "content": content}:
                noted(f"recorded a failure. {' '.join(content.values())}")
            case {"agentmem": "episode_recorded", "outcome": outcome, "confirms": confirms}:
                noted(f"recorded a {outcome}{', which confirms a lesson' if confirms else ''}")
            case {"agentmem": "proposed", "count": count}:
                noted(f"{counted(count, 'lesson')} held twice more: proposed as a procedure")


if __name__ == "__main__":
    sys.exit(run(main, PROGRAM))
