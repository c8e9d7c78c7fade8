"""A name for a local model, where sentence-transformers may not be installed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def test_without_the_extra_the_first_text_says_what_to_install():
    program = """
import sys
sys.modules["sentence_transformers"] = None
from langgraph_agentmem import AgentMemory
from langgraph_agentmem.errors import MissingExtra
with AgentMemory.open(":memory:", embed="sentence-transformers:all-MiniLM-L6-v2") as memory:
    try:
        memory.for_user("asha").remember("pet", "cat")
    except MissingExtra as error:
        print(error)
    print(memory.for_user("asha").memories())
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        cwd=Path(__file__).parents[2],
    )

    said, kept = done.stdout.splitlines()
    assert 'pip install "langgraph-agentmem[local]"' in said
    assert "[]" == kept
