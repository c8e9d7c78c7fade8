"""Wrong options are refused where they are given, with the remedy, and nothing is made."""

from __future__ import annotations

import pytest

from langgraph_agentmem import AgentMemory, Scope, retrieve_memories, summarize_old_turns
from langgraph_agentmem.errors import InvalidNamespace, UserRequired


@pytest.mark.parametrize(
    ("path", "error"),
    [
        (None, TypeError),
        (5, TypeError),
        (b"memory.db", TypeError),
        ("", ValueError),
        ("postgresql://host/name", ValueError),
        ("file:memory.db?mode=memory", ValueError),
    ],
)
def test_what_is_no_path_of_a_file_is_refused(path, error, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    with pytest.raises(error, match="path"):
        AgentMemory.open(path)
    assert [] == list(tmp_path.iterdir())


@pytest.mark.parametrize("pinned", ["yes", "no", 1, 0])
def test_a_pin_is_true_or_false(memory, pinned):
    with pytest.raises(ValueError, match="pinned is True, False or None"):
        memory.for_user("asha").remember("topic", "text", pinned=pinned)
    assert [] == memory.for_user("asha").memories()


@pytest.mark.parametrize("thread_id", [None, "", " ", 5])
def test_a_thread_that_is_claimed_has_an_id(memory, thread_id):
    with pytest.raises(ValueError, match="thread id"):
        memory.claim_thread(thread_id, "asha")


def test_a_thread_is_claimed_by_somebody(memory):
    with pytest.raises(UserRequired):
        memory.claim_thread("thread", " ")


def test_a_scope_is_checked_when_it_is_made():
    with pytest.raises(InvalidNamespace):
        Scope(template=("langgraph", "{user_id}"))
    with pytest.raises(ValueError, match="trust"):
        Scope(trust="everyone")


@pytest.mark.parametrize("option", [{"limit": 0}, {"token_budget": -1}, {"limit": True}])
def test_a_retrieve_node_is_checked_when_it_is_made(option):
    with pytest.raises(ValueError, match="at least 1"):
        retrieve_memories(**option)


def test_a_summarize_node_needs_a_model():
    with pytest.raises(TypeError, match="chat model"):
        summarize_old_turns(None)
