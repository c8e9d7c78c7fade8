"""What `embed=` takes, what each is called, how it is asked, and which queries are kept."""

from __future__ import annotations

import asyncio
import functools
import subprocess
import sys
from pathlib import Path
from threading import Thread

import numpy as np
import pytest
from langchain_core.embeddings import Embeddings

from langgraph_agentmem import AgentMemory, NamedEmbedder
from langgraph_agentmem.embedders import QUERIES_KEPT, TEXTS_AT_ONCE, make_embedder
from langgraph_agentmem.errors import EmbedderMismatch, EmbeddingFailed, MissingExtra


class Counting(Embeddings):
    """Says how often it was asked, and for what."""

    model = "counting"

    def __init__(self) -> None:
        self.batches: list[list[str]] = []
        self.queries: list[str] = []

    def embed_documents(self, texts):
        self.batches.append(texts)
        return [[float(len(text)), 1.0] for text in texts]

    def embed_query(self, text):
        self.queries.append(text)
        return [float(len(text)), 1.0]


@pytest.fixture
def model():
    return Counting()


# In batches -----------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [1, TEXTS_AT_ONCE, TEXTS_AT_ONCE + 1, 3 * TEXTS_AT_ONCE])
async def test_many_texts_are_asked_for_in_batches_and_come_back_in_order(model, count):
    texts = ["x" * (number + 1) for number in range(count)]
    embedder = make_embedder(model)
    found = embedder.documents(texts)

    assert (count, 2) == found.shape
    assert np.array_equal(found, await embedder.adocuments(texts))
    assert np.allclose(found[:, 0] / found[:, 1], range(1, count + 1))
    assert TEXTS_AT_ONCE >= max(map(len, model.batches))
    assert texts == [text for batch in model.batches[: len(model.batches) // 2] for text in batch]


def test_a_batch_that_fails_late_stores_nothing(path, clock):
    answered = []

    def embed(texts):
        answered.append(len(texts))
        return [[1.0, 0.0]] * len(texts) if len(answered) == 1 else 1 / 0

    with AgentMemory.open(path, embed=embed, clock=clock) as memory:
        ops = [("k" * (number + 1), {"text": "x"}) for number in range(TEXTS_AT_ONCE + 1)]
        with pytest.raises(EmbeddingFailed, match="embed"):
            _put_all(memory, ops)

        assert [TEXTS_AT_ONCE, 1] == answered
        assert [] == memory.store.list_namespaces()


def _put_all(memory, items):
    from langgraph.store.base import PutOp  # noqa: PLC0415 - one use

    memory.store.batch([PutOp(("a",), key, value) for key, value in items])


# Queries that are kept --------------------------------------------------------------------------


def test_a_repeated_query_is_embedded_once(model, path, clock):
    with AgentMemory.open(path, embed=model, clock=clock) as memory:
        asha = memory.for_user("asha")
        asha.remember("pet", "a cat")
        first, second = (asha.recall("Which cat?") for _ in range(2))

        assert (["Which cat?"], first) == (model.queries, second)


async def test_sync_and_async_share_what_is_kept(model):
    embedder = make_embedder(model)
    found = await embedder.aquery("one")

    assert found is embedder.query("one")
    assert ["one"] == model.queries


def test_as_many_as_documented_are_kept_the_last_ones_asked(model):
    embedder = make_embedder(model)
    embedder.query("first")
    for number in range(QUERIES_KEPT - 1):
        embedder.query(f"q{number}")
    embedder.query("first")
    embedder.query("one more")
    model.queries.clear()
    embedder.query("first")
    embedder.query("q0")

    assert ["q0"] == model.queries


def test_a_very_long_query_is_not_kept(model):
    embedder = make_embedder(model)
    for _ in range(2):
        embedder.query("x" * 100_000)

    assert 2 == len(model.queries)


def test_nobody_can_change_a_vector_that_is_kept(model):
    found = make_embedder(model).query("one")

    with pytest.raises(ValueError, match="read-only"):
        found[0] = 3.0


def test_a_query_that_failed_is_asked_again(model):
    embedder = make_embedder(model)
    model.embed_query = lambda _: [float("nan"), 1.0]
    with pytest.raises(EmbeddingFailed):
        embedder.query("one")
    del model.embed_query

    assert (2,) == embedder.query("one").shape


@pytest.mark.parametrize("forget", ["memory", "user", "store"])
def test_forgetting_drops_the_queries_too(model, path, clock, forget):
    with AgentMemory.open(path, embed=model, clock=clock) as memory:
        asha = memory.for_user("asha")
        asha.remember("phone", "555 0114")
        asha.recall("Is it 555 0114?")
        verbs = {
            "memory": lambda: memory.forget("asha", "phone"),
            "user": asha.forget,
            "store": lambda: memory.store.forget(asha.namespace, "phone"),
        }
        verbs[forget]()

        assert "555 0114" not in repr(vars(memory.store.index.embedder._queries))


def test_a_dry_run_drops_nothing(model, path, clock):
    with AgentMemory.open(path, embed=model, clock=clock) as memory:
        asha = memory.for_user("asha")
        asha.remember("phone", "555 0114")
        for _ in range(2):
            asha.recall("Is it 555 0114?")
            asha.forget("phone", dry_run=True)

        assert ["Is it 555 0114?"] == model.queries


def test_a_forgetting_elsewhere_drops_the_queries_at_the_next_recall(model, path, clock):
    with AgentMemory.open(path, embed=model, clock=clock) as memory:
        asha = memory.for_user("asha")
        asha.remember("phone", "555 0114")
        asha.remember("pet", "a cat")
        asha.recall("Is it 555 0114?")
        program = """
import sys
from langgraph_agentmem import AgentMemory
with AgentMemory.open(sys.argv[1]) as memory:
    print(memory.for_user("asha").forget("phone").total > 0)
"""
        done = subprocess.run(
            [sys.executable, "-c", program, str(path)],
            capture_output=True,
            text=True,
            check=True,
            timeout=500,
            cwd=Path(__file__).parents[2],
        )
        asha.recall("Which cat?")

        assert "True" == done.stdout.strip()
        assert "555 0114" not in repr(vars(memory.store.index.embedder._queries))


async def test_a_query_that_was_under_way_while_something_was_forgotten_is_not_kept():
    begun, go_on = asyncio.Event(), asyncio.Event()
    asked = []

    async def embed(texts):
        asked.extend(texts)
        begun.set()
        await go_on.wait()
        return [[1.0, 0.0] for _ in texts]

    embedder = make_embedder(embed)
    waiting = asyncio.create_task(embedder.aquery("555 0114"))
    await begun.wait()
    embedder.drop_queries()
    go_on.set()
    await waiting
    await embedder.aquery("555 0114")

    assert ["555 0114", "555 0114"] == asked


def test_many_threads_may_ask_at_once(model):
    embedder = make_embedder(model)
    wrong = []

    def ask():
        for number in range(300):
            text = "x" * (number % 200 + 1)
            found = embedder.query(text)
            if not np.isclose(found[0] / found[1], len(text)):
                wrong.append(text)

    threads = [Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert [] == wrong


# What it is called ----------------------------------------------------------------------------


def embed_by_one(texts):
    return [[1.0, 0.0] for _ in texts]


def closing_over(value):
    return lambda texts: [[float(len(str(value)))] for _ in texts]


def scaled(texts, *, by):
    return [[by, 1.0] for _ in texts]


def fingerprint(embed) -> str:
    return make_embedder(embed).fingerprint


def test_a_function_goes_by_its_name():
    assert "function:embed_by_one" == fingerprint(embed_by_one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (lambda texts: [[1.0] for _ in texts], lambda texts: [[2.0] for _ in texts]),
        (lambda texts: [[1.0] for _ in texts], lambda texts: [[1.0] * len(t) for t in texts]),
        (closing_over("ada"), closing_over("minilm")),
        (closing_over(NamedEmbedder("a", "b:c")), closing_over(NamedEmbedder("d", "b:c"))),
        (functools.partial(scaled, by=1.0), functools.partial(scaled, by=2.0)),
        (lambda texts: scaled(texts, by=1.5), lambda texts: closing_over(list(texts))),
    ],
    ids=["constants", "code", "closures", "named objects", "partials", "what they call"],
)
def test_what_has_no_name_of_its_own_goes_by_what_it_does(one, other):
    assert fingerprint(one) == fingerprint(one)
    assert fingerprint(one) != fingerprint(other)


def test_the_same_lambda_made_anew_is_the_same_embedder():
    assert fingerprint(closing_over("ada")) == fingerprint(closing_over("ada"))


def test_a_count_that_a_function_keeps_is_no_part_of_its_name():
    calls = 0
    log = []

    def embed(texts):
        nonlocal calls
        calls += 1
        log.append(texts)
        return [[1.0] for _ in texts]

    before = fingerprint(embed)
    embed(["x"])

    assert before == fingerprint(embed)


def test_bound_methods_of_two_models_are_two_embedders():
    class Model:
        def __init__(self, name):
            self.name = name

        def encode(self, texts):
            return [[1.0] for _ in texts]

    assert fingerprint(Model("a").encode) != fingerprint(Model("b").encode)


def test_two_lambdas_never_share_vectors(path, clock):
    with AgentMemory.open(path, embed=lambda ts: [[1.0, 0] for _ in ts], clock=clock) as memory:
        memory.for_user("asha").remember("pet", "a cat")
    with AgentMemory.open(path, embed=lambda ts: [[0, 1.0] for _ in ts], clock=clock) as memory:
        with pytest.raises(EmbedderMismatch):
            memory.for_user("asha").remember("pet", "a dog")

        assert "another embedder" in memory.for_user("asha").recall("Which cat?").notes[0]


def test_a_name_of_ones_own_settles_it(path, clock):
    one = NamedEmbedder("mine-v1", lambda texts: [[1.0, 0.0] for _ in texts])
    same = NamedEmbedder("mine-v1", embed_by_one)
    other = NamedEmbedder("mine-v2", embed_by_one)
    with AgentMemory.open(path, embed=one, clock=clock) as memory:
        memory.for_user("asha").remember("pet", "a cat")
    with AgentMemory.open(path, embed=same, clock=clock) as memory:
        assert () == memory.for_user("asha").recall("Which cat?").notes
    with AgentMemory.open(path, embed=other, clock=clock) as memory:
        assert "another embedder" in memory.for_user("asha").recall("Which cat?").notes[0]


async def test_a_named_async_function_stays_async(path, clock):
    async def embed(texts):
        return [[1.0, 0.0] for _ in texts]

    async with await AgentMemory.aopen(
        path, embed=NamedEmbedder("a", embed), clock=clock
    ) as memory:
        await memory.for_user("asha").aremember("pet", "a cat")

        assert 1 == len((await memory.for_user("asha").arecall("Which cat?")).relevant)


@pytest.mark.parametrize("name", ["", "  ", None, 3])
def test_a_blank_name_is_refused(name):
    with pytest.raises(ValueError, match="an embedder's name"):
        NamedEmbedder(name, embed_by_one)


def test_a_wrong_thing_under_a_name_is_refused(path):
    with pytest.raises(TypeError, match="embed takes"):
        AgentMemory.open(path, embed=NamedEmbedder("a", 3))
    assert not path.exists()


# Names ----------------------------------------------------------------------------------------


def test_other_names_are_handed_to_langchain(monkeypatch, path, clock):
    init = pytest.importorskip("langchain.embeddings")
    asked = []
    model = Counting()
    monkeypatch.setattr(init, "init_embeddings", lambda name: asked.append(name) or model)
    with AgentMemory.open(path, embed="openai:text-embedding-3-small", clock=clock) as memory:
        memory.for_user("asha").remember("pet", "a cat")

    assert ["openai:text-embedding-3-small"] == asked
    assert [["pet: a cat"]] == model.batches


def test_a_provider_that_langchain_does_not_know_is_named_before_a_file_is_made(path):
    pytest.importorskip("langchain.embeddings")
    with pytest.raises(ValueError, match="nobody"):
        AgentMemory.open(path, embed="nobody:model")
    assert not path.exists()


def test_a_provider_without_its_package_says_which(path):
    pytest.importorskip("langchain.embeddings")
    with pytest.raises(MissingExtra, match="cohere"):
        AgentMemory.open(path, embed="cohere:embed-v4")
    assert not path.exists()


def test_an_onnx_folder_without_its_files_is_named_before_a_database_is_made(path, tmp_path):
    with pytest.raises(ValueError, match=r"model\.onnx"):
        AgentMemory.open(path, embed=f"onnx:{tmp_path}")
    (tmp_path / "model.onnx").write_bytes(b"")
    with pytest.raises(ValueError, match=r"tokenizer\.json"):
        AgentMemory.open(path, embed=f"onnx:{tmp_path}")
    assert not path.exists()


@pytest.mark.parametrize(
    ("name", "package", "extra"),
    [
        ("sentence-transformers:all-MiniLM-L6-v2", "sentence_transformers", "local"),
        ("model2vec:potion", "model2vec", "static"),
        ("onnx:{folder}", "onnxruntime", "onnx"),
    ],
)
def test_without_the_extra_the_first_text_says_what_to_install(tmp_path, name, package, extra):
    (tmp_path / "model.onnx").write_bytes(b"")
    (tmp_path / "tokenizer.json").write_bytes(b"")
    program = f"""
import sys
sys.modules["{package}"] = None
from langgraph_agentmem import AgentMemory
from langgraph_agentmem.errors import MissingExtra
with AgentMemory.open(":memory:", embed=sys.argv[1]) as memory:
    try:
        memory.for_user("asha").remember("pet", "cat")
    except MissingExtra as error:
        print(error)
    print(memory.for_user("asha").memories())
"""
    said, kept = _run(program, name.format(folder=tmp_path))

    assert f'pip install "langgraph-agentmem[{extra}]"' in said
    assert "[]" == kept


@pytest.mark.parametrize(
    "embed",
    [
        "None",
        "'sentence-transformers:all-MiniLM-L6-v2'",
        "'model2vec:potion'",
        "lambda texts: [[1.0] for _ in texts]",
    ],
)
def test_importing_the_package_and_opening_a_store_loads_no_model(embed):
    heavy = ["torch", "transformers", "sentence_transformers", "model2vec", "onnxruntime"]
    program = f"""
import sys
import langgraph_agentmem
for name in langgraph_agentmem.__all__:
    getattr(langgraph_agentmem, name)
with langgraph_agentmem.AgentMemory.open(":memory:", embed={embed}) as memory:
    memory.store.get(("a",), "b")
    print(sorted(set(sys.modules) & set({[*heavy, "sklearn", "scipy", "tokenizers", "openai"]})))
"""
    assert ["[]"] == _run(program)


def _run(program, *arguments):
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        capture_output=True,
        text=True,
        check=True,
        timeout=500,
        cwd=Path(__file__).parents[2],
    )
    return done.stdout.splitlines()
