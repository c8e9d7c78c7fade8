"""Recall by meaning: a model that works, one that fails, and one that was exchanged."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import suppress

import pytest
from langchain_core.embeddings import Embeddings

from langgraph_agentmem import AgentMemStore
from langgraph_agentmem.embedders import ModelEmbedder, make_embedder
from langgraph_agentmem.errors import (
    EmbedderMismatch,
    EmbeddingFailed,
    SyncEmbedderRequired,
)

NS = ("memories", "asha")

CONCEPTS = [
    {"commute", "ride", "cycles", "travels"},
    {"peanuts", "nuts", "satay"},
    {"seat", "aisle", "window"},
    {"city", "lives", "home", "lisbon"},
]


class Concepts(Embeddings):
    """A small model that knows which words mean the same."""

    def __init__(self, name: str = "concepts", extra_dims: int = 1) -> None:
        self.model = name
        self.extra_dims = extra_dims
        self.asked: list[str] = []
        self.answer = None

    def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        self.asked += texts
        if self.answer is not None:
            return self.answer(texts)
        return [self._one(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]

    def _one(self, text: str) -> list[float]:
        found = {word.strip("?.,:").lower() for word in text.split()}
        known = [float(len(concept & found)) for concept in CONCEPTS]
        return [*known, *[0.0] * self.extra_dims]


@pytest.fixture
def model():
    return Concepts()


def opened(path, clock, model, **options):
    index = {"embed": model, "ranking": "hybrid", "fields": ["text"], **options}
    return AgentMemStore.from_conn_string(path, clock=clock, index=index)


@pytest.fixture
def store(path, clock, model):
    with opened(path, clock, model) as store:
        store.remember(NS, "commute", "cycles to the office")
        store.remember(NS, "allergy", "peanuts make her ill")
        store.remember(NS, "seat", "window on trains")
        yield store


def topics(hits) -> list[str]:
    return [hit.memory.topic for hit in hits]


# A model that works ---------------------------------------------------------------------------


def test_what_means_the_same_is_found_without_a_common_word(store):
    found = store.recall(NS, "satay and nuts?")

    assert ["allergy"] == topics(found.relevant)
    assert 0 == found.relevant[0].why["words"]
    assert found.relevant[0].why["meaning"] > 0.5


def test_words_and_meaning_are_weighed(store):
    store.remember(NS, "bus", "travels by bus")
    found = store.recall(NS, "ride to the office?")

    assert ["commute", "bus"] == topics(found.relevant)
    assert found.relevant[0].score > found.relevant[1].score > 0
    assert {"words": 0.0, "meaning": pytest.approx(1.0)} == found.relevant[1].why


def test_what_is_far_in_meaning_is_below_the_floor(store):
    found = store.recall(NS, "satay?")

    assert ["allergy"] == topics(found.relevant)
    assert {"below floor"} == {one.reason for one in found.left_out}


def test_with_a_model_a_question_that_matches_nothing_gets_nothing(store):
    assert [] == topics(store.recall(NS, "What about quantum physics?").relevant)


def test_a_greeting_is_not_even_embedded(store, model):
    model.asked.clear()
    found = store.recall(NS, "Good morning!")

    assert ([], []) == (topics(found.relevant), model.asked)


@pytest.mark.parametrize(("floor", "expected"), [(0.75, []), (0.7, ["allergy"])])
def test_the_floor_of_the_index_is_the_cosine_that_is_enough(path, clock, model, floor, expected):
    with opened(path, clock, model, floor=floor) as store:
        store.remember(NS, "allergy", "peanuts at home")

        assert expected == topics(store.recall(NS, "satay for dinner").relevant)


async def test_the_async_form_gets_the_same(store):
    query = "satay and nuts?"

    assert store.recall(NS, query) == await store.arecall(NS, query)


def test_hybrid_search_ranks_as_recall_does_and_loses_no_item(store):
    found = store.search(NS, query="the office ride")

    assert "commute" == found[0].key
    assert {"commute", "allergy", "seat"} == {item.key for item in found}
    assert ["commute", "allergy", "seat"] == [
        store.search(NS, query="the office ride", limit=1, offset=at)[0].key for at in range(3)
    ]


# A model that fails ---------------------------------------------------------------------------

BAD_ANSWERS = {
    "raises": lambda _: 1 / 0,
    "NaN": lambda texts: [[float("nan")] * 5 for _ in texts],
    "infinity": lambda texts: [[1e300] * 5 for _ in texts],
    "too few": lambda texts: [[1.0] * 5] * (len(texts) - 1),
    "too many": lambda texts: [[1.0] * 5] * (len(texts) + 1),
    "another length": lambda texts: [[1.0] * 4 for _ in texts],
    "no length": lambda texts: [[] for _ in texts],
    "ragged": lambda _: [[1.0], [1.0, 2.0]],
    "nothing": lambda _: None,
    "text": lambda texts: ["no vector"] * len(texts),
    "a number without end": lambda texts: [[10**400] * 5 for _ in texts],
}


@pytest.mark.parametrize("answer", BAD_ANSWERS.values(), ids=BAD_ANSWERS)
def test_a_bad_answer_fails_the_write_and_leaves_no_trace(store, model, answer):
    before = store.history(NS, "seat")
    model.answer = answer

    with pytest.raises(EmbeddingFailed, match="concepts"):
        store.remember(NS, "seat", "aisle")
    with pytest.raises(EmbeddingFailed):
        store.put(("new",), "k", {"text": "aisle"})
    assert before == store.history(NS, "seat")
    assert [NS] == store.list_namespaces()
    model.answer = None
    assert ["seat"] == topics(store.recall(NS, "window?").relevant)


@pytest.mark.parametrize("answer", BAD_ANSWERS.values(), ids=BAD_ANSWERS)
async def test_a_bad_answer_lets_recall_go_on_by_words_and_say_so(path, clock, answer):
    failing = None

    def embed(texts):
        return failing(texts) if failing else Concepts().embed_documents(texts)

    with opened(path, clock, embed) as store:
        store.remember(NS, "seat", "window")
        failing = answer
        found = store.recall(NS, "a window seat")

        assert found == await store.arecall(NS, "a window seat")
        assert ["seat"] == topics(found.relevant)
        assert ("recalled by words alone: the embedder failed",) == found.notes
        with pytest.raises(EmbeddingFailed):
            store.search(NS, query="a window seat")
        with pytest.raises(EmbeddingFailed):
            await store.asearch(NS, query="a window seat")


async def test_one_answer_of_another_length_does_not_stand_in_the_way_of_the_next(
    path, clock, model
):
    with opened(path, clock, model) as store:
        store.remember(NS, "seat", "window")
    for wrong in (
        lambda store: store.asearch(NS, query="aisle"),
        lambda store: store.aremember(NS, "meal", "satay"),
        lambda store: store.arecall(NS, "aisle"),
    ):
        async with opened(path, clock, model) as again:  # has learnt no length yet
            model.answer = BAD_ANSWERS["another length"]
            with suppress(EmbedderMismatch):
                assert "another embedder" in (await wrong(again)).notes[0]
            model.answer = None

            assert ["seat"] == topics(again.recall(NS, "aisle").relevant)
            again.remember(NS, "seat", "the window")


def test_an_error_holds_no_content(store, model):
    model.answer = BAD_ANSWERS["ragged"]

    with pytest.raises(EmbeddingFailed) as caught:
        store.remember(NS, "secret", "peanuts in the attic")
    assert "attic" not in str(caught.value)


def test_a_sync_call_with_an_async_model_says_what_to_do_and_writes_nothing(path, clock):
    async def embed(texts):
        return [[1.0, 0.0] for _ in texts]

    with opened(path, clock, embed) as store:
        with pytest.raises(SyncEmbedderRequired, match="aput"):
            store.put(NS, "k", {"text": "x"})
        with pytest.raises(SyncEmbedderRequired):
            store.recall(NS, "peanuts")

        assert [] == store.list_namespaces()


# Another model --------------------------------------------------------------------------------


def test_another_model_refuses_writes_and_recalls_by_words(store, path, clock):
    with opened(path, clock, Concepts("other")) as other:
        found = other.recall(NS, "a window seat")

        assert ["seat"] == topics(found.relevant)
        assert "another embedder" in found.notes[0]
        with pytest.raises(EmbedderMismatch, match="reindex") as caught:
            other.remember(NS, "new", "x")
        with pytest.raises(EmbedderMismatch):
            other.search(NS, query="window")
        assert ("Concepts:concepts", "Concepts:other") == (
            caught.value.data["stored"]["name"],
            caught.value.data["given"]["name"],
        )
        assert None is other.look(NS, "new")
        assert 3 == len(other.search(NS))


def test_the_same_model_with_another_length_is_another_model(store, path, clock):
    with opened(path, clock, Concepts(extra_dims=4)) as other:
        assert "another embedder" in other.recall(NS, "a window seat").notes[0]
        with pytest.raises(EmbedderMismatch):
            other.remember(NS, "new", "x")


def test_after_a_reindex_the_new_model_is_at_home(store, path, clock):
    with opened(path, clock, Concepts("other", extra_dims=4)) as other:
        steps: list[tuple[int, int]] = []

        assert 3 == other.reindex(lambda *step: steps.append(step))
        assert [(3, 3)] == steps
        assert ["allergy"] == topics(other.recall(NS, "satay and nuts?").relevant)
        other.remember(NS, "new", "lives in Lisbon")
    with pytest.raises(EmbedderMismatch):
        store.remember(NS, "newer", "x")


async def test_memories_written_without_a_model_are_found_by_meaning_after_a_reindex(path, clock):
    with AgentMemStore.from_conn_string(path, clock=clock) as plain:
        plain.put(NS, "allergy", {"text": "peanuts"})
        plain.put(NS, "out", {"text": "nuts"}, index=False)
    with opened(path, clock, Concepts()) as store:
        before = store.recall(NS, "satay?")
        await store.areindex()
        after = store.recall(NS, "satay?")

        assert ("1 memories have no vector; call store.reindex()",) == before.notes
        assert (["allergy"], ()) == (topics(after.relevant), after.notes)
        assert ["allergy"] == [item.key for item in store.search(NS, query="satay")]


def test_a_reindex_that_broke_off_goes_on_where_it_was(path, clock):
    with AgentMemStore.from_conn_string(path, clock=clock) as plain:
        for number in range(150):
            plain.put(NS, f"k{number}", {"text": f"peanuts {number}"})
    model = Concepts()

    def stop(done: int, _: int) -> None:
        if done >= 128:
            raise KeyboardInterrupt

    with opened(path, clock, model) as store, pytest.raises(KeyboardInterrupt):
        store.reindex(stop)
    model.asked.clear()
    steps: list[tuple[int, int]] = []
    with opened(path, clock, model) as store:
        done = store.reindex(lambda *step: steps.append(step))
        found = store.search(NS, query="nuts", limit=200)

    assert (22, [(150, 150)]) == (done, steps)
    assert [f"peanuts {number}" for number in range(128, 150)] == model.asked[1:-1]
    assert 150 == len(found)


def test_a_reindex_that_came_to_its_end_starts_anew_the_next_time(store, model):
    store.reindex()
    model.asked.clear()
    store.reindex()

    assert {"cycles to the office", "peanuts make her ill", "window on trains"} <= set(model.asked)


def test_a_reindex_with_a_model_that_fails_leaves_the_old_vectors(store, path, clock):
    broken = Concepts("broken")
    broken.answer = BAD_ANSWERS["raises"]
    with opened(path, clock, broken) as other, pytest.raises(EmbeddingFailed):
        other.reindex()

    assert ["allergy"] == topics(store.recall(NS, "satay?").relevant)


def test_a_value_that_changes_during_a_reindex_keeps_its_own_vector(path, clock):
    model = Concepts()
    with opened(path, clock, model) as store:
        store.put(NS, "k", {"text": "peanuts"})
        model.answer = lambda texts: _change_then(store, model, texts)
        store.reindex()
        found = store.recall(NS, "window?")

    assert ["k"] == topics(found.relevant)


def _change_then(store, model, texts):
    if texts == ["peanuts"]:
        model.answer = None
        store.put(NS, "k", {"text": "window"})
    return [model._one(text) for text in texts]


def test_a_reindex_needs_an_index(path):
    with (
        AgentMemStore.from_conn_string(path) as store,
        pytest.raises(ValueError, match="open the store with"),
    ):
        store.reindex()


# What embed= takes ----------------------------------------------------------------------------


def test_vectors_are_kept_as_unit_vectors_of_float32(path, clock):
    with opened(path, clock, lambda texts: [[3.0, 4.0] for _ in texts]) as store:
        store.put(NS, "k", {"text": "x"})
    with sqlite3.connect(path) as connection:
        ((vector,),) = connection.execute("SELECT vector FROM vectors").fetchall()
    connection.close()

    assert b"\x9a\x99\x19?\xcd\xccL?" == vector


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"embed": 3}, "embed takes"),
        ({"dims": 3}, "embed"),
        ({"embed": len, "distance": "l2"}, "distance"),
        ({"embed": len, "ranking": "best"}, "ranking"),
        ({"embed": len, "fields": "text"}, "fields"),
        ({"embed": len, "floor": "high"}, "floor"),
        ({"embed": len, "dims": 0}, "dims"),
        ({"embed": len, "dims": "2"}, "dims"),
    ],
)
def test_a_wrong_index_is_named_and_no_file_is_made(path, options, says):
    with pytest.raises((ValueError, TypeError), match=says):
        AgentMemStore.from_conn_string(path, index=options)
    assert not path.exists()


def test_an_embedder_keeps_its_name_when_its_folder_moves():
    one = make_embedder("sentence-transformers:/models/all-MiniLM-L6-v2/")
    other = make_embedder("sentence-transformers:all-MiniLM-L6-v2")

    assert "sentence-transformers:all-MiniLM-L6-v2" == one.fingerprint == other.fingerprint


async def test_no_texts_need_no_model(model):
    embedder = ModelEmbedder(model, fingerprint="x", dims=5)

    assert (0, 5) == embedder.documents([]).shape
    assert (0, 5) == (await embedder.adocuments([])).shape
    assert [] == model.asked
