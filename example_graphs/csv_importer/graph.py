"""The graph: recall lessons of similar imports, choose how to read dates, import, look back."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, NotRequired

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langgraph.graph import START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from langgraph_agentmem import (
    AgentMemory,
    Episode,
    MemoryState,
    build_context,
    recall_episodes,
    record_episode,
    retrieve_memories,
)

from .files import FORMATS, Report, format_that_fits, import_file

AGENT = ("agents", "csv_importer")
"""Where the procedures of this agent live, which all its users share."""

SYSTEM = f"""\
You import CSV files. Answer with the one format in which to read the dates of this file, out of \
{", ".join(FORMATS)}. Use what earlier imports have taught; without a lesson answer \
{FORMATS[0]}."""


class ImportState(MemoryState):
    """The conversation, the file, and what its import came to."""

    file: str
    report: NotRequired[dict[str, Any]]


def look_back(state: Mapping[str, Any]) -> Episode | None:
    """What happened, told by the import itself: no model is asked whether it went well."""
    report = Report(**state["report"])
    supplier = report.file.split("-")[0]
    task = f"Import the file {report.file} of {supplier}"
    if report.failed == 0:
        return Episode(
            task=task,
            outcome="success",
            tried=f"read dates as {report.format}",
            lesson=_lesson(supplier, report.format),
        )
    right = format_that_fits(report.file)
    return Episode(
        task=task,
        outcome="failure",
        tried=f"read dates as {report.format}",
        lesson="" if right is None else _lesson(supplier, right),
        key_points=[f"{report.failed} of {report.rows} rows failed"],
        sentiment="negative",
    )


def _lesson(supplier: str, date_format: str) -> str:
    return f"Read dates in files of {supplier} as {date_format}"


def make_graph(memory: AgentMemory, model: BaseChatModel) -> CompiledStateGraph[Any, Any, Any, Any]:
    """The importer. The model decides one thing: how dates are to be read."""

    def choose(state: ImportState) -> dict[str, Any]:
        said = model.invoke(build_context(state, system=SYSTEM))
        return {"messages": [said]}

    def carry_out(state: ImportState) -> dict[str, Any]:
        chosen = re.search("|".join(map(re.escape, FORMATS)), state["messages"][-1].text)
        report = import_file(state["file"], chosen[0] if chosen else FORMATS[0])
        said = f"{report.rows - report.failed} of {report.rows} rows imported, months: "
        said += ", ".join(report.months) or "none"
        return {"report": asdict(report), "messages": [AIMessage(said)]}

    builder = StateGraph(ImportState)
    builder.add_node("retrieve_memories", retrieve_memories(also=[AGENT], kinds=["procedure"]))
    builder.add_node("recall_episodes", recall_episodes())
    builder.add_node("choose_format", choose)
    builder.add_node("import_file", carry_out)
    builder.add_node("record_episode", record_episode(look_back))
    builder.add_edge(START, "retrieve_memories")
    builder.add_edge("retrieve_memories", "recall_episodes")
    builder.add_edge("recall_episodes", "choose_format")
    builder.add_edge("choose_format", "import_file")
    builder.add_edge("import_file", "record_episode")
    return builder.compile(store=memory.store, checkpointer=memory.checkpointer)
