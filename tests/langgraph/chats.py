"""Chats on a checkpointer, for tests of what it stores."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.graph.state import CompiledStateGraph


def thread(name: str = "t1", **more: Any) -> dict[str, Any]:
    return {"configurable": {"thread_id": name, **more}}


def reply(state: MessagesState) -> dict[str, Any]:
    return {"messages": [AIMessage(f"answer to {state['messages'][-1].text}")]}


def chat(saver: BaseCheckpointSaver[Any]) -> CompiledStateGraph[Any, Any, Any, Any]:
    builder = StateGraph(MessagesState).add_node("reply", reply).add_edge(START, "reply")
    return builder.compile(checkpointer=saver)


def talk(graph: Any, config: dict[str, Any], turns: int, *, first: int = 0) -> None:
    for number in range(first, first + turns):
        graph.invoke({"messages": [HumanMessage(f"question {number}")]}, config)


def texts(graph: Any, config: dict[str, Any]) -> list[str]:
    return [message.text for message in graph.get_state(config).values.get("messages", ())]


def said(turns: int, *, first: int = 0) -> list[str]:
    return [
        text
        for number in range(first, first + turns)
        for text in (f"question {number}", f"answer to question {number}")
    ]


def rows(path: Path, query: str, *params: Any) -> list[tuple[Any, ...]]:
    connection = sqlite3.connect(path)
    try:
        return connection.execute(query, params).fetchall()
    finally:
        connection.close()


def count(path: Path, table: str) -> int:
    return int(rows(path, f"SELECT COUNT(*) FROM {table}")[0][0])
