"""What one user asks takes no longer because others have much, or because a thread is long."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from counting import counted
from langgraph.checkpoint.base import create_checkpoint, empty_checkpoint
from langgraph.checkpoint.sqlite import SqliteSaver

from langgraph_agentmem import AgentMemory, AgentMemSaver, Retention, Source, ThreadRetention
from langgraph_agentmem.errors import StorageError
from langgraph_agentmem.steps import duplicates, retention
from langgraph_agentmem.store.core import AT_ONCE
from langgraph_agentmem.testing import HandClock

IDLE = ThreadRetention(idle=timedelta(days=30))


def fill_thread(saver: Any, name: str, number: int, *, run: str = "run", inner: int = 0) -> Any:
    """A thread of so many checkpoints, and a config that names it."""
    thread: Any = {"configurable": {"thread_id": name, "checkpoint_ns": ""}}
    config, made = thread, empty_checkpoint()
    for step in range(number):
        made = create_checkpoint(made, {}, step)
        made["channel_values"] = {"n": step}
        config = saver.put(config, made, {"source": "loop", "step": step, "run_id": run}, {})
        if step < inner:
            sub = {"configurable": {**thread["configurable"], "checkpoint_ns": "inner"}}
            saver.put(sub, made, {"source": "loop", "step": -step}, {})
    return thread


@pytest.fixture
def memory(tmp_path) -> Iterator[AgentMemory]:
    with AgentMemory.open(tmp_path / "memory.db", clock=HandClock(), require_user=False) as opened:
        yield opened


def writer_of(memory: AgentMemory) -> sqlite3.Connection:
    return memory.store.backend._connections._writer


def reader_of(memory: AgentMemory) -> sqlite3.Connection:
    memory.for_user("asha").memories()  # readers are opened when they are needed
    (reader,) = memory.store.backend._connections._readers
    return reader


def add_others(memory: AgentMemory, number: int, *, start: int = 0) -> None:
    """Other users, each with a thread and what was learnt in it."""
    for n in range(start, start + number):
        fill_thread(memory.checkpointer, f"other {n}", 4, run=f"run {n}")
        memory.claim_thread(f"other {n}", f"other {n}")
        user = memory.for_user(f"other {n}")
        for topic in ("food", "hobby", "city"):
            source = Source(thread_id=f"other {n}", message_ids=(f"m {topic}",))
            user.remember(topic, f"something of {n}", source=source)


# Long threads ----------------------------------------------------------------------------------


def test_the_newest_checkpoints_cost_the_same_in_a_long_thread(memory):
    saver = memory.checkpointer
    short, long = fill_thread(saver, "short", 20), fill_thread(saver, "long", 600)
    reader = reader_of(memory)

    def newest(thread: Any) -> int:
        return counted(reader, lambda: list(saver.list(thread, limit=5)))

    assert newest(long) < 2 * newest(short)
    (*_, fifth) = saver.list(long, limit=5)
    assert [594, 593] == [
        one.metadata["step"] for one in saver.list(long, before=fifth.config, limit=2)
    ]


def test_a_history_takes_as_much_longer_as_it_is(memory):
    saver = memory.checkpointer
    short, long = fill_thread(saver, "short", 64), fill_thread(saver, "long", 640)
    reader = reader_of(memory)
    brief = counted(reader, lambda: list(saver.list(short)))

    assert counted(reader, lambda: list(saver.list(long))) < 15 * brief


@pytest.mark.parametrize("namespace", [None, "", "inner", "none"])
@pytest.mark.parametrize("wanted", [None, {"step": 3}, {"source": "loop"}, {"source": "input"}])
def test_a_listing_of_several_pages_is_that_of_the_official_saver(tmp_path, namespace, wanted):
    with (
        AgentMemSaver.from_conn_string(tmp_path / "ours.db") as ours,
        SqliteSaver.from_conn_string(str(tmp_path / "official.db")) as official,
    ):
        made: list[Any] = []
        for saver in (ours, official):
            for name in ("a", "b"):
                steps = create_steps(made, 40)
                put_steps(saver, name, steps)
        asked: Any = {"configurable": {"thread_id": "a"}}
        if namespace is not None:
            asked["configurable"]["checkpoint_ns"] = namespace
        middle = {"configurable": {"thread_id": "a", "checkpoint_id": made[20]["id"]}}
        one = {"configurable": {**asked["configurable"], "checkpoint_id": made[7]["id"]}}
        for config, options in (
            (asked, {}),
            (asked, {"limit": 17}),
            (asked, {"before": middle}),
            (asked, {"before": middle, "limit": 3}),
            (one, {}),
            (one, {"before": middle}),
            (one, {"before": {"configurable": {"checkpoint_id": made[3]["id"]}}}),
            (None, {}),
            (None, {"before": middle, "limit": 30}),
        ):
            found, expected = (
                [place(one) for one in saver.list(config, filter=wanted, **options)]
                for saver in (ours, official)
            )
            # The official one leaves open which comes first of equal ids.
            assert [name[-1] for name in expected] == [name[-1] for name in found]
            if "limit" not in options:
                assert sorted(expected) == sorted(found)


def create_steps(made: list[Any], number: int) -> list[Any]:
    """The same checkpoints each time."""
    while len(made) < number:
        made.append(create_checkpoint(made[-1] if made else empty_checkpoint(), {}, len(made)))
    return made


def put_steps(saver: Any, name: str, steps: list[Any]) -> None:
    for step, checkpoint in enumerate(steps):
        for namespace in ("", "inner"):
            config = {"configurable": {"thread_id": name, "checkpoint_ns": namespace}}
            saver.put(config, checkpoint, {"source": "loop", "step": step % 5}, {})


def place(found: Any) -> tuple[str, str, str]:
    named = found.config["configurable"]
    return named["thread_id"], named["checkpoint_ns"], named["checkpoint_id"]


# Many others -----------------------------------------------------------------------------------


def test_what_a_user_asks_of_threads_reads_nothing_of_others(memory):
    saver = memory.checkpointer
    fill_thread(saver, "mine", 10)
    memory.claim_thread("mine", "asha")
    memory.for_user("asha").remember(
        "food", "rice", source=Source(thread_id="mine", message_ids=("m1",))
    )
    add_others(memory, 2)
    writer, reader = writer_of(memory), reader_of(memory)
    targets = iter(("a copy", "another copy"))

    def took() -> dict[str, int]:
        return {
            "sweep": counted(
                reader, lambda: memory.sweep_threads(IDLE, user_id="asha", dry_run=True)
            ),
            "copy": counted(writer, lambda: saver.copy_thread("mine", next(targets))),
            "run": counted(writer, lambda: saver.delete_for_runs(["no such run"])),
        }

    few = took()
    add_others(memory, 100, start=2)
    many = took()

    assert {} == {what: (few[what], many[what]) for what in few if many[what] > 2 * few[what] + 20}


def test_a_user_sweeps_their_own_threads_alone(memory):
    for user in ("asha", "ben"):
        fill_thread(memory.checkpointer, f"of {user}", 2)
        memory.claim_thread(f"of {user}", user)
    fill_thread(memory.checkpointer, "of nobody", 2)
    memory.store.clock.advance(days=40)

    mine = memory.sweep_threads(IDLE, user_id="asha", dry_run=True)
    everybodys = memory.sweep_threads(IDLE, dry_run=True)

    assert [("of asha", "asha", 2)] == [
        (one.thread_id, one.user_id, one.checkpoints) for one in mine.swept
    ]
    assert {"of asha", "of ben", "of nobody"} == {one.thread_id for one in everybodys.swept}


def test_episodes_are_read_without_the_facts_around_them(memory):
    user = memory.for_user("asha")
    user.remember("trip", "it went well", kind="episode")
    for n in range(5):
        user.remember(f"fact{n}", f"value {n}")
    reader = reader_of(memory)
    few = counted(reader, lambda: user.memories(kinds=["episode"]))
    for n in range(5, 600):
        user.remember(f"fact{n}", f"value {n}")
    many = counted(reader, lambda: user.memories(kinds=["episode"]))

    assert ["trip"] == [one.topic for one in user.memories(kinds=["episode"])]
    assert many < 2 * few + 20


# Beside a writer -------------------------------------------------------------------------------


def test_looking_again_waits_for_no_writer(tmp_path):
    path = tmp_path / "memory.db"
    with AgentMemory.open(path, busy_timeout=0.01) as memory:
        memory.for_user("asha").remember("food", "rice with saffron")
        memory.for_user("asha").remember("city", "Lisbon")
        receipt = memory.forget("asha", "food")
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        try:
            with pytest.raises(StorageError):
                memory.for_user("asha").remember("food", "noodles")
            found = memory.verify(receipt)
            dry = memory.for_user("asha").consolidate(dry_run=True)
        finally:
            other.execute("ROLLBACK")
            other.close()

        assert (True, []) == (found.clean, dry)


def test_what_was_written_pinned_or_used_since_it_was_found_due_stays(memory):
    store, namespace = memory.store, memory.namespace_of("asha")
    user = memory.for_user("asha")
    for topic in ("old", "written", "pinned", "used", "gone"):
        user.remember(topic, f"about the {topic} one")
    store.clock.advance(days=40)
    rules = Retention(max_age=timedelta(days=30))
    found = store.backend.perform(
        retention.due(rules, namespace=namespace, now=store.clock()), write=False
    )
    user.remember("written", "anew")
    user.pin("pinned")
    used = {(namespace, "used"): (1, store.clock())}
    store.backend.perform(retention.note_uses(used))
    user.retire("gone")

    swept = store.backend.perform(retention.sweep(found))

    assert (5, ["old"]) == (len(found), [one.topic for one in swept])
    assert ["pinned", "used", "written"] == [one.topic for one in user.memories()]
    assert 1 == len(user.history("gone"))


def test_a_sweep_of_many_lets_others_write_between(memory):
    user = memory.for_user("asha")
    for n in range(AT_ONCE + 10):
        user.remember(f"topic{n}", f"value {n}")
    committed: list[str] = []
    writer_of(memory).set_trace_callback(
        lambda sql: committed.append(sql) if sql == "COMMIT" else None
    )

    swept = user.sweep(Retention(capacity=5))
    writer_of(memory).set_trace_callback(None)

    assert (AT_ONCE + 5, 5) == (len(swept.swept), len(user.memories()))
    assert 2 <= len(committed) <= 3


def test_what_changed_since_it_was_found_is_no_duplicate(memory):
    store, namespace = memory.store, memory.namespace_of("asha")
    user = memory.for_user("asha")
    user.remember("home_city", "lives in Berlin")
    store.clock.advance(minutes=1)
    user.remember("home city", "lives in Berlin")
    found = store.backend.perform(duplicates.find_exact(namespace, now=store.clock()), write=False)
    store.clock.advance(minutes=1)
    user.remember("home city", "lives in Munich")

    ended = store.backend.perform(
        duplicates.consolidate(namespace, found, [], now=store.clock(), dry_run=False)
    )

    assert (1, []) == (len(found), ended)
    assert {"home_city", "home city"} == {one.topic for one in user.memories()}


def test_what_consolidating_ends_are_the_exact_ones_that_are_found(memory):
    user = memory.for_user("asha")
    for n, topic in enumerate(("home_city", "Home City", "a1b2c3d4", "birth_city", "a1b2c3d5")):
        memory.store.clock.advance(minutes=1)
        user.remember(topic, "Berlin, in the north" if n % 3 else "berlin in the north")
    exact = {(one.kept, one.superseded) for one in user.find_duplicates() if one.exact}

    ended = {(one.kept, one.superseded) for one in user.consolidate()}

    assert ended
    assert ended <= exact
    assert [] == user.consolidate()
    assert not any(one.exact for one in user.find_duplicates())
