"""Hot queries use their indexes: read from SQLite's own plans on a filled database."""

from __future__ import annotations

import json
import sqlite3

import pytest
from counting import counted
from langgraph.store.base import PutOp

from langgraph_agentmem import AgentMemSaver, AgentMemStore
from langgraph_agentmem.sql import queries
from langgraph_agentmem.steps.filters import condition
from langgraph_agentmem.testing import AngleEmbeddings, HandClock

QUERIES = queries("common.sql", "sqlite.sql")

HOT = {
    "find_memory": ["(path=?)", "(namespace_id=? AND topic=?)"],
    "find_standing": ["(path=?)", "(namespace_id=? AND topic=?)"],
    "page_of_one": ["memories_by_update (namespace_id=?)"],
    "page_below": ["(path=?)", "(path>? AND path<?)", "(namespace_id=?)"],
    "first_homes": ["(path=?)", "(path>? AND path<?)"],
    "list_changes": ["namespaces_in_order (<expr>>? AND <expr><?)"],
    "count_vectors_of": ["COVERING INDEX vectors_by_stamp (namespace_id=?)"],
    "list_vectors_of_homes": ["vectors_by_stamp (namespace_id=?)"],
    "page_of_namespaces": ["namespaces_in_order (<expr>>? AND <expr><?)", "(namespace_id=?)"],
    "list_filtered_ids": ["(namespace_id=?)"],
    "list_pinned": ["(path=?)", "memories_pinned (namespace_id=?)"],
    "find_home": ["(path=?)"],
    "count_memories": ["COVERING INDEX", "(namespace_id=?)"],
    "count_lacking": ["(namespace_id=?", "(memory_id=?)"],
    "list_expired_here": ["memories_expiring_here (namespace_id=? AND expires_at<?)"],
    "list_of_kinds": ["COVERING INDEX memories_by_kind (namespace_id=? AND kind=?)"],
    "list_said": ["said_by_stamp (namespace_id=? AND stamp>?)"],
    "count_said": ["COVERING INDEX said_by_stamp (namespace_id=?)"],
    "list_memories": ["(path=?)", "(namespace_id=?"],
    "list_vectors": ["vectors_by_stamp (namespace_id=? AND stamp>?)"],
    "count_vectors": ["COVERING INDEX vectors_by_stamp (namespace_id=?)"],
    "list_memories_by_id": ["INTEGER PRIMARY KEY (rowid=?)"],
    "list_expired": ["memories_expiring (expires_at<?)"],
    "list_items_by_id": ["INTEGER PRIMARY KEY (rowid=?)"],
    "list_versions": ["(path=?)", "(namespace_id=? AND topic=?)"],
    "list_sources": ["COVERING INDEX sources_by_topic (namespace_id=? AND topic=?)"],
    "list_sources_in_order": ["(path=?)", "sources_by_topic (namespace_id=? AND topic=?)"],
    "remove_sources": ["sources_by_topic (namespace_id=? AND topic=?)"],
    "list_topics_below": ["(path=?)", "(path>? AND path<?)", "(namespace_id=?)"],
    "find_source": ["(path=?)", "(namespace_id=? AND thread_id=? AND message_id=? AND topic=?)"],
    "list_newer_facts": ["(rowid=?)", "(namespace_id=? AND thread_id=? AND message_id=?)"],
    "find_owner": ["thread_owners", "(thread_id=?)"],
    "list_threads": ["thread_owners_by_user (user_id=?)"],
    "list_holders": ["VIRTUAL TABLE INDEX"],
    "next_expiry": ["memories_expiring (expires_at>?)"],
    "find_messages": ["thread_messages_by_mark (thread_id=? AND mark=?)"],
    "find_chunks": ["thread_chunks_by_mark (thread_id=? AND mark=?)"],
    "last_message": ["(thread_id=?)"],
    "list_messages_by_number": ["(thread_id=? AND number=?)"],
    "list_chunks_by_number": ["(thread_id=? AND number=?)"],
    "find_checkpoint": ["(thread_id=? AND checkpoint_ns=? AND checkpoint_id=?)"],
    "find_latest_checkpoint": ["(thread_id=? AND checkpoint_ns=?)"],
    "page_of_checkpoints": [
        "(thread_id=? AND checkpoint_ns=? AND checkpoint_id>? AND checkpoint_id<?)"
    ],
    "list_writes_of_checkpoint": ["(thread_id=? AND checkpoint_ns=? AND checkpoint_id=?)"],
    "list_writes_to_channels": ["(thread_id=? AND checkpoint_ns=? AND checkpoint_id=?)"],
    "find_removed": ["PRIMARY KEY (mark=?)"],
    "list_activity": ["activity_by_user (user_id=? AND at>?)"],
    "sum_activity": ["activity_by_user (user_id=? AND at>?)"],
    "count_activity": ["COVERING INDEX activity_by_user (user_id=?)"],
    "remove_activity_before": ["activity_by_time (at<?)"],
    "find_thread_age": ["(thread_id=?)"],
    "list_thread_ages_of": [
        "thread_owners_by_user (user_id=?)",
        "c USING COVERING INDEX sqlite_autoindex_checkpoints_1 (thread_id=?)",
    ],
    "detach_messages": ["thread_messages_by_base (thread_id=? AND base=?)"],
    "copy_sources": ["sources_by_thread (thread_id=?)"],
    "list_memories_of_kinds": ["(path=?)", "memories_by_kind (namespace_id=? AND kind=?)"],
    "list_derived": ["(path=?)", "memories_by_kind (namespace_id=? AND kind=?)"],
    "list_turns_of": ["(namespace_id=? AND thread_id=? AND message_id=?)"],
    "list_waiting_below": ["(path=?)", "consents_by_topic (namespace_id=?)"],
    "list_retained": ["(path=?)", "memories_by_update (namespace_id=?)"],
    "last_turn": ["said_by_place (namespace_id=? AND thread_id=?)"],
    "page_of_thread": ["(thread_id=?)", "c USING INTEGER PRIMARY KEY (rowid=?)"],
    "list_lineage": ["(thread_id=?)"],
    "page_of_activity": ["activity_by_user (user_id=? AND at>?)"],
    "count_same_activity": ["activity_by_user (user_id=? AND at=?)"],
}


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    path = tmp_path_factory.mktemp("plans") / "memory.db"
    with AgentMemStore.from_conn_string(path) as store:
        for user in range(50):
            store.batch(
                [PutOp(("memories", f"u{user}"), f"k{n}", {"n": n}, ttl=5) for n in range(40)]
            )
        store.remember(("memories", "u1"), "pin", "x", pinned=True)
    AgentMemSaver.from_conn_string(path).close()  # LangGraph's own tables
    connection = sqlite3.connect(path)
    for name, count in (("matches_filter", 2), ("canonical_json", 1)):
        connection.create_function(name, count, lambda *_: 1, deterministic=True)
    yield connection
    connection.close()


_LISTS = {"ids", "homes", "kinds", "marks", "numbers", "channels", "places", "filter"}


def plan(connection: sqlite3.Connection, name: str, filters: str = "") -> list[str]:
    class Anything(dict):
        def __missing__(self, key: str) -> object:
            return json.dumps([1]) if key in _LISTS else 1

    sql = QUERIES[name].replace("/*condition*/", filters)
    rows = connection.execute(f"EXPLAIN QUERY PLAN {sql}", Anything({"query": '"x"'}))
    return [row[3] for row in rows]


@pytest.mark.parametrize("name", HOT)
def test_a_hot_query_uses_its_index_and_scans_no_table(filled, name):
    steps = plan(filled, name)
    joined = "\n".join(steps)

    missing = [
        part for part in HOT[name] if part.replace("memories_topic", "topic=?") not in joined
    ]
    assert ([], joined) == (missing, joined)
    scans = [step for step in steps if step.startswith("SCAN") and "VIRTUAL" not in step]
    assert [] == [step for step in scans if step.split()[1] in {"m", "n", "memories", "versions"}]


def test_a_filtered_page_of_one_namespace_is_read_in_the_order_of_its_index(filled):
    sql, _ = condition({"n": {"$gt": 3}})
    steps = plan(filled, "page_of_one", sql)

    assert any("memories_by_update (namespace_id=?)" in step for step in steps)
    assert not any("TEMP B-TREE" in step for step in steps)


def test_a_page_of_a_thread_is_read_in_the_order_of_its_index(filled):
    steps = plan(filled, "page_of_checkpoints")

    assert not any("TEMP B-TREE" in step for step in steps)


def test_a_write_reads_no_more_when_its_topic_has_a_long_history(tmp_path):
    """A counter or a profile that every turn rewrites has thousands of versions."""
    with AgentMemStore.from_conn_string(tmp_path / "memory.db") as store:
        writer = store.backend._connections._writer

        def write(*numbers: int) -> None:
            for number in numbers:
                store.put(("n",), "counter", {"n": number})

        write(1)
        few = counted(writer, lambda: write(*range(10)))
        write(*range(2000))
        many = counted(writer, lambda: write(*range(10)))

        assert 2000 < len(store.history(("n",), "counter"))
        assert many < 2 * few


def test_a_ranked_search_reads_no_more_when_others_have_much_that_expired(tmp_path):
    """No sweeper starts by itself: what has expired may stand there for long."""
    index = {"dims": 2, "embed": AngleEmbeddings(), "fields": ["text"]}
    clock = HandClock()
    path = tmp_path / "memory.db"
    with AgentMemStore.from_conn_string(path, index=index, clock=clock) as store:
        mine = [PutOp(("mine",), f"k{n}", {"text": str(n)}) for n in range(50)]
        store.batch([*mine, *[PutOp(("mine",), f"t{n}", {"text": "0"}, ttl=1) for n in range(20)]])

        def search() -> list[str]:
            return [item.key for item in store.search(("mine",), query="0", limit=3, offset=2)]

        search()
        clock.advance(minutes=2)
        reader = store.backend._connections._readers[0]
        few = counted(reader, search)
        found = search()
        store.batch([PutOp(("other",), f"k{n}", {"text": "1"}, ttl=1) for n in range(3000)])
        clock.advance(minutes=2)
        many = counted(reader, search)

        assert ["k2", "k3", "k4"] == found == search()
        assert 3020 == store.sweep_ttl()
        assert many < 2 * few
