"""Wrong options are refused where they are given, with the remedy, and nothing is made."""

from __future__ import annotations

import pytest
from langgraph.store.base import ListNamespacesOp, MatchCondition

from langgraph_agentmem import (
    AgentMemory,
    AgentMemSaver,
    AgentMemStore,
    Scope,
    retrieve_memories,
    summarize_old_turns,
)
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


WRONG_OPTIONS = [
    ({"ttl": 60}, "TTL configuration"),
    ({"ttl": {"default_tll": 60}}, "default_tll"),
    ({"ttl": {"default_ttl": "an hour"}}, "ttl is a number"),
    ({"ttl": {"refresh_on_read": "no"}}, "refresh_on_read"),
    ({"ttl": {"sweep_interval_minutes": 0}}, "interval"),
    ({"ttl": {"sweep_interval_minutes": "5"}}, "interval"),
    ({"vector_cache": "1 GB"}, "vector_cache"),
    ({"vector_cache": -1}, "vector_cache"),
    ({"busy_timeout": "10"}, "busy_timeout"),
    ({"busy_timeout": -1}, "busy_timeout"),
    ({"busy_timeout": float("nan")}, "busy_timeout"),
    ({"tombstone_key": 3}, "tombstone_key"),
    ({"tombstone_key": " "}, "tombstone_key"),
]


@pytest.mark.parametrize(("option", "said"), WRONG_OPTIONS)
@pytest.mark.parametrize("opens", [AgentMemory.open, AgentMemStore.from_conn_string])
def test_a_wrong_option_is_named_before_anything_is_opened(tmp_path, opens, option, said):
    with pytest.raises(ValueError, match=said):
        opens(tmp_path / "memory.db", **option)
    assert [] == list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("option", "error", "said"),
    [
        ({"ranking": "vector"}, ValueError, "ranking is"),
        ({"ranking": "vector", "embed": None}, ValueError, "ranking is"),
        ({"floor": "0.3"}, ValueError, "floor is a cosine"),
        ({"floor": 7}, ValueError, "floor is a cosine"),
        ({"floor": float("nan")}, ValueError, "floor is a cosine"),
        ({"scope": "memories"}, TypeError, "scope is a Scope"),
        ({"require_user": "no"}, ValueError, "require_user"),
    ],
)
def test_a_memory_names_a_wrong_option_before_anything_is_opened(tmp_path, option, error, said):
    def embed(texts):
        return [[1.0] for _ in texts]

    with pytest.raises(error, match=said):
        AgentMemory.open(tmp_path / "memory.db", **{"embed": embed, **option})
    assert [] == list(tmp_path.iterdir())


def test_a_checkpointer_alone_refuses_a_key_that_is_none(tmp_path):
    with pytest.raises(ValueError, match="tombstone_key"):
        AgentMemSaver.from_conn_string(tmp_path / "memory.db", tombstone_key="")
    assert [] == list(tmp_path.iterdir())


def test_an_index_is_a_configuration(tmp_path):
    with pytest.raises(ValueError, match="index configuration"):
        AgentMemStore.from_conn_string(tmp_path / "memory.db", index="openai:some-model")
    assert [] == list(tmp_path.iterdir())


def test_a_store_made_from_a_path_says_how_it_is_opened():
    with pytest.raises(TypeError, match="from_conn_string"):
        AgentMemStore("memory.db")


WORDS = "the word of the day"


@pytest.mark.parametrize(
    "call",
    [
        lambda store: store.put(("n",), "k", {"n": 1}, ttl=WORDS),
        lambda store: store.search(("n",), limit=WORDS),
        lambda store: store.search(("n",), offset=WORDS),
        lambda store: store.search(("n",), query=[WORDS]),
        lambda store: store.search(("n",), filter=WORDS),
        lambda store: store.search(("n",), filter={"n": {"$in": WORDS}}),
        lambda store: store.list_namespaces(max_depth=WORDS),
        lambda store: store.batch([ListNamespacesOp((MatchCondition(WORDS, ("n",)),))]),
        lambda store: store.batch([ListNamespacesOp((("prefix", (WORDS,)),))]),
        lambda store: store.batch([WORDS]),
        lambda store: store.put(("n",), "k", {"n": 1}, index=WORDS),
        lambda store: store.put(("n",), "k", WORDS),
        lambda store: store.remember(("n",), "k", "text", pinned=WORDS),
        lambda store: store.remember(("n",), "k", "text", expected_version=WORDS),
        lambda store: store.recall(("n",), "query", floor=WORDS),
        lambda store: store.start_ttl_sweeper(WORDS),
        lambda store: store.claim_thread([WORDS], "asha"),
    ],
)
def test_an_error_shows_the_type_of_what_was_given_and_not_what_it_says(memory, call):
    with pytest.raises((ValueError, TypeError)) as caught:
        call(memory.store)

    assert WORDS not in str(caught.value)
    assert [] == memory.store.list_namespaces()
