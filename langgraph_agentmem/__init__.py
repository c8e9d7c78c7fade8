"""Long-term memory for LangGraph: one current value per topic, pins, and forgetting that reaches
every copy.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import errors
    from .activity import Activity
    from .checkpointer import AgentMemSaver
    from .embedders import NamedEmbedder
    from .episodes import Episode, Episodes, Procedures, Proposal
    from .memory import AgentMemory
    from .middleware import AgentMemMiddleware
    from .model import (
        Candidate,
        Checkup,
        Consent,
        Held,
        Hit,
        Hold,
        Learned,
        Memory,
        Recall,
        Receipt,
        Source,
        Verified,
        Version,
    )
    from .nodes.budget import Budget
    from .nodes.consent import ask_consent
    from .nodes.context import abuild_context, build_context
    from .nodes.episodes import recall_episodes, record_episode
    from .nodes.extract import ModelExtractor, extract_facts
    from .nodes.reading_back import aread_transcript, read_transcript
    from .nodes.remember_turns import remember_turns
    from .nodes.retrieve import retrieve_memories
    from .nodes.rules import RuleExtractor
    from .nodes.state import MemoryState
    from .nodes.summarize import summarize_old_turns
    from .nodes.trim import trim
    from .policy import CarefulPolicy
    from .protocols import Extractor, WritePolicy
    from .retention import Duplicate, Retention, Sweep, ThreadRetention, ThreadSweep
    from .scope import Scope
    from .scoped import UserMemory
    from .store import AgentMemStore
    from .tools import create_memory_tools

_HOMES = {
    "Activity": "activity",
    "AgentMemMiddleware": "middleware",
    "AgentMemSaver": "checkpointer",
    "AgentMemStore": "store",
    "AgentMemory": "memory",
    "Budget": "nodes.budget",
    "Candidate": "model",
    "CarefulPolicy": "policy",
    "Checkup": "model",
    "Consent": "model",
    "Duplicate": "retention",
    "Episode": "episodes",
    "Episodes": "episodes",
    "Extractor": "protocols",
    "Held": "model",
    "Hit": "model",
    "Hold": "model",
    "Learned": "model",
    "Memory": "model",
    "MemoryState": "nodes.state",
    "ModelExtractor": "nodes.extract",
    "NamedEmbedder": "embedders",
    "Procedures": "episodes",
    "Proposal": "episodes",
    "Recall": "model",
    "Receipt": "model",
    "Retention": "retention",
    "RuleExtractor": "nodes.rules",
    "Scope": "scope",
    "Source": "model",
    "Sweep": "retention",
    "ThreadRetention": "retention",
    "ThreadSweep": "retention",
    "UserMemory": "scoped",
    "Verified": "model",
    "Version": "model",
    "WritePolicy": "protocols",
    "abuild_context": "nodes.context",
    "aread_transcript": "nodes.reading_back",
    "ask_consent": "nodes.consent",
    "build_context": "nodes.context",
    "create_memory_tools": "tools",
    "extract_facts": "nodes.extract",
    "read_transcript": "nodes.reading_back",
    "recall_episodes": "nodes.episodes",
    "record_episode": "nodes.episodes",
    "remember_turns": "nodes.remember_turns",
    "retrieve_memories": "nodes.retrieve",
    "summarize_old_turns": "nodes.summarize",
    "trim": "nodes.trim",
}

__all__ = [
    "Activity",
    "AgentMemSaver",
    "AgentMemStore",
    "AgentMemory",
    "Budget",
    "Candidate",
    "CarefulPolicy",
    "Checkup",
    "Consent",
    "Duplicate",
    "Episode",
    "Episodes",
    "Extractor",
    "Held",
    "Hit",
    "Hold",
    "Learned",
    "Memory",
    "MemoryState",
    "ModelExtractor",
    "NamedEmbedder",
    "Procedures",
    "Proposal",
    "Recall",
    "Receipt",
    "Retention",
    "RuleExtractor",
    "Scope",
    "Source",
    "Sweep",
    "ThreadRetention",
    "ThreadSweep",
    "UserMemory",
    "Verified",
    "Version",
    "WritePolicy",
    "abuild_context",
    "aread_transcript",
    "ask_consent",
    "build_context",
    "create_memory_tools",
    "errors",
    "extract_facts",
    "read_transcript",
    "recall_episodes",
    "record_episode",
    "remember_turns",
    "retrieve_memories",
    "summarize_old_turns",
    "trim",
]
if find_spec("langchain") is not None:  # without it `import *` and `help` would raise
    __all__ += ["AgentMemMiddleware"]


def __getattr__(name: str) -> Any:
    """Names are imported when they are first used: opening a store needs no graph nodes."""
    if name == "errors":
        return import_module(f"{__name__}.errors")
    if name == "__version__":
        return import_module("importlib.metadata").version("langgraph-agentmem")
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, "__version__"})
