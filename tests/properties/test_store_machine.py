"""Any sequence of calls, sync and async mixed, on two stores of one file: the store shows what a
dict of version lists shows.
"""

from __future__ import annotations

import asyncio
import math
import shutil
import tempfile
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from langgraph.store.base import GetOp, PutOp, SearchOp
from plain_model import Model

from langgraph_agentmem import AgentMemStore
from langgraph_agentmem.errors import MemoryNotFound, VersionConflict
from langgraph_agentmem.testing import AngleEmbeddings

TICK = timedelta(seconds=3)
NAMESPACES = [("a",), ("a", "b"), ("a-b",), ("ab", "%")]
TOPICS = ["t", "T", "t.x", "_"]
VALUES = [
    {"text": f"{angle} degrees", "n": n, "deep": {"x": n}}
    for angle, n in zip([0, 10, 45, 80, 120], [1, True, None, "1", 2**60 + 1], strict=True)
]
FILTERS = [
    (None, lambda _: True),
    ({"n": 1}, lambda value: value["n"] == 1 and value["n"] is not True),
    ({"n": True}, lambda value: value["n"] is True),
    ({"deep.x": {"$ne": None}}, lambda value: value["n"] is not None),
    ({"n": {"$gt": 2**60}}, lambda value: value["n"] == 2**60 + 1),
    ({"$or": [{"n": None}, {"n": "1"}]}, lambda value: value["n"] in (None, "1")),
    ({"absent": {"$exists": True}}, lambda _: False),
]

namespaces = st.sampled_from(NAMESPACES)
# Most of what happens happens to one topic, so that much happens to it.
any_keys = st.tuples(namespaces, st.sampled_from(TOPICS))
keys = st.just((("a",), "t")) | st.just((("a",), "t")) | any_keys
values = st.sampled_from(VALUES)
ttls = st.sampled_from([None, 2])
pins = st.sampled_from([None, True, False])
filters = st.sampled_from(FILTERS)
lanes = st.booleans()


class StoreMachine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.now = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
        self.model = Model()
        self.loop = asyncio.new_event_loop()
        self.stores = [self._open(), self._open()]
        self.turn = 0

    def _open(self) -> AgentMemStore:
        return AgentMemStore.from_conn_string(
            self.folder / "memory.db",
            clock=lambda: self.now,
            index={"dims": 2, "embed": AngleEmbeddings(), "fields": ["text"]},
        )

    def teardown(self) -> None:
        for store in self.stores:
            store.close()
        self.loop.close()
        shutil.rmtree(self.folder)

    def call(self, verb: str, *args, awaited: bool, **options):
        """Call the stores in turn, a moment later than the last call."""
        self.now += TICK
        self.turn += 1
        store = self.stores[self.turn % 2]
        if awaited:
            return self.loop.run_until_complete(getattr(store, f"a{verb}")(*args, **options))
        return getattr(store, verb)(*args, **options)

    # Writing -----------------------------------------------------------------------------

    @initialize()
    def begin(self) -> None:
        assert [] == self.stores[0].list_namespaces()

    @rule(key=keys, value=values, pinned=pins, ttl=ttls, awaited=lanes)
    def remember(self, key, value, pinned, ttl, awaited) -> None:
        memory = self.call("remember", *key, value, pinned=pinned, ttl=ttl, awaited=awaited)
        self.model.write(key, value, self.now, pinned=pinned, ttl=ttl)

        topic = self.model.live(key, self.now)
        assert (topic.current.number, topic.pinned, topic.created, topic.updated) == (
            memory.version,
            memory.pinned,
            memory.created_at,
            memory.updated_at,
        )
        assert (None if topic.pinned else topic.ends) == memory.expires_at

    @rule(key=keys, value=values, back=st.integers(1, 200), pinned=pins, awaited=lanes)
    def remember_late(self, key, value, back, pinned, awaited) -> None:
        start = self.now - timedelta(seconds=back)
        options = {"valid_from": start, "pinned": pinned}
        self.call("remember", *key, value, **options, awaited=awaited)
        self.model.write(key, value, self.now, **options)

    @rule(key=keys, value=values, expected=st.integers(0, 4), awaited=lanes)
    def remember_expecting(self, key, value, expected, awaited) -> None:
        found = self.model.found(key, self.now + TICK)
        options = {"expected_version": expected, "awaited": awaited}
        if found == expected:
            self.call("remember", *key, value, **options)
            self.model.write(key, value, self.now)
        else:
            with pytest.raises(VersionConflict) as caught:
                self.call("remember", *key, value, **options)
            assert (expected, found) == (caught.value.expected, caught.value.found)

    @rule(key=keys, value=values, ttl=ttls, indexed=st.booleans(), awaited=lanes)
    def put(self, key, value, ttl, indexed, awaited) -> None:
        index = None if indexed else False
        self.call("put", *key, value, index, ttl=ttl, awaited=awaited)
        self.model.write(key, value, self.now, ttl=ttl, indexed=indexed)

    @rule(key=keys, awaited=lanes)
    def delete(self, key, awaited) -> None:
        self.call("delete", *key, awaited=awaited)
        self.model.erase([key])

    @rule(
        puts=st.lists(st.tuples(any_keys, st.none() | values, ttls), max_size=4),
        got=keys,
        below=namespaces,
        awaited=lanes,
    )
    def batch(self, puts, got, below, awaited) -> None:
        ops = [PutOp(*key, value, ttl=ttl) for key, value, ttl in puts]
        ops.insert(len(ops) // 2, GetOp(*got, refresh_ttl=False))
        ops.append(SearchOp(below, limit=100, refresh_ttl=False))
        found = self.call("batch", ops, awaited=awaited)

        before = self.model.search(below, self.now, lambda _: True)
        assert before == [((item.namespace, item.key), item.value) for item in found[-1]]
        item = found[len(puts) // 2]
        assert (self.model.live(got, self.now) is None) is (item is None)
        for key, (value, ttl) in {key: (value, ttl) for key, value, ttl in puts}.items():
            if value is None:
                self.model.erase([key])
            else:
                self.model.write(key, value, self.now, ttl=ttl)

    @rule(key=keys, value=values)
    def bad_batch(self, key, value) -> None:
        ops = [PutOp(*key, value), PutOp(*key, {"n": float("nan")})]
        with pytest.raises(ValueError, match="NaN"):
            self.call("batch", ops, awaited=False)

    @rule(key=keys, verb=st.sampled_from(["pin", "unpin", "retire"]), awaited=lanes)
    def pin_or_retire(self, key, verb, awaited) -> None:
        try:
            self.call(verb, *key, awaited=awaited)
        except MemoryNotFound:
            assert None is self.model.live(key, self.now)
            return
        if verb == "retire":
            self.model.retire(key, self.now)
        else:
            self.model.pin(key, self.now, pinned=verb == "pin")

    @rule(key=keys, awaited=lanes)
    def forget(self, key, awaited) -> None:
        receipt = self.call("forget", *key, awaited=awaited)
        topic = self.model.topics.get(key)
        past = [version for version in topic.versions if version.end] if topic else []

        assert len(past) == receipt.removed["versions"]
        assert int(bool(topic and topic.current)) == receipt.removed["memories"]
        self.model.erase([key])

    @rule(below=namespaces)
    def forget_namespace(self, below) -> None:
        self.call("forget", below, awaited=False)
        self.model.erase([key for key in self.model.topics if key[0][: len(below)] == below])

    # Time, and coming back ----------------------------------------------------------------

    @rule(minutes=st.sampled_from([0.5, 1.5]))
    def time_passes(self, minutes) -> None:
        self.now += timedelta(minutes=minutes)

    @rule(awaited=lanes)
    def sweep(self, awaited) -> None:
        gone = self.call("sweep_ttl", awaited=awaited)

        assert self.model.sweep(self.now) == gone

    @rule()
    def reopen(self) -> None:
        self.stores[0].close()
        self.stores[0] = self._open()

    # Reading --------------------------------------------------------------------------------

    @rule(key=keys, refresh=st.sampled_from([None, True, False]), awaited=lanes)
    def get(self, key, refresh, awaited) -> None:
        item = self.call("get", *key, refresh_ttl=refresh, awaited=awaited)
        topic = self.model.live(key, self.now)

        assert (topic is None) is (item is None)
        if topic:
            assert (topic.current.value, topic.created, topic.updated) == (
                item.value,
                item.created_at,
                item.updated_at,
            )
            if refresh is not False:
                self.model.refresh([key], self.now)

    @rule(below=st.just(()) | namespaces, chosen=filters, size=st.integers(1, 4), awaited=lanes)
    def search_by_pages(self, below, chosen, size, awaited) -> None:
        wanted, passes = chosen
        seen, page = [], None
        while page is None or page:
            options = {"filter": wanted, "limit": size, "offset": len(seen), "refresh_ttl": False}
            page = self.call("search", below, **options, awaited=awaited)
            self.now -= TICK  # all pages at one moment: between two, a memory may expire
            seen += [((item.namespace, item.key), item.value) for item in page]
        self.now += TICK

        assert self.model.search(below, self.now, passes) == seen

    @rule(below=namespaces, chosen=filters, awaited=lanes)
    def ranked_search(self, below, chosen, awaited) -> None:
        wanted, passes = chosen
        found = self.call(
            "search", below, query="0", filter=wanted, limit=100, refresh_ttl=False, awaited=awaited
        )
        indexed = [
            (-math.cos(math.radians(int(value["text"].split()[0]))), ".".join(key[0]), key[1])
            for key, value in self.model.search(below, self.now, passes)
            if self.model.topics[key].indexed
        ]

        assert [one[1:] for one in sorted(indexed)] == [
            (".".join(item.namespace), item.key) for item in found
        ]

    @rule(prefix=namespaces, depth=st.sampled_from([None, 1]), awaited=lanes)
    def list_namespaces(self, prefix, depth, awaited) -> None:
        found = self.call("list_namespaces", prefix=prefix[:1], max_depth=depth, awaited=awaited)
        live = {key[0] for key, _ in self.model.all_live(self.now, prefix[:1])}

        assert sorted({namespace[:depth] for namespace in live}) == found

    @rule(key=keys, back=st.integers(0, 300), awaited=lanes)
    def look_as_of(self, key, back, awaited) -> None:
        moment = self.now - timedelta(seconds=back)
        found = self.call("look", *key, as_of=moment, awaited=awaited)

        assert self.model.as_of(key, moment, self.now) == (found.value if found else None)

    @rule(namespace=namespaces, awaited=lanes)
    def recall_nothing(self, namespace, awaited) -> None:
        found = self.call("recall", namespace, "", awaited=awaited)
        pinned = sorted(
            key[1]
            for key, topic in self.model.all_live(self.now)
            if key[0] == namespace and topic.pinned
        )

        assert pinned == [hit.memory.topic for hit in found.pinned]
        assert () == found.relevant

    @invariant()
    def what_is_held_and_what_was_are_the_same(self) -> None:
        store = self.stores[self.turn % 2]
        for key, topic in self.model.topics.items():
            memory, live = store.look(*key), self.model.live(key, self.now)
            assert (live and (live.current.value, live.pinned)) == (
                memory and (memory.value, memory.pinned)
            )
            assert (topic.ends if live and not topic.pinned else None) == (
                memory and memory.expires_at
            )
            versions = [
                (one.number, one.value, one.valid_from, one.valid_to) for one in store.history(*key)
            ]
            assert self.model.history(key, self.now) == versions
            spans = [(start, end) for _, _, start, end in versions if start != end]
            assert all(one[1] <= other[0] for one, other in pairwise(spans))


StoreMachine.TestCase.settings = settings(stateful_step_count=40, print_blob=True)
TestStore = StoreMachine.TestCase
