"""The recall benchmark runs on any file of its form, and its figures are what they say."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from benchmarks.recall import Asked, judged

TALK = [
    ("Ann", "I adopted a grey cat in spring."),
    ("Ben", "Nice, what is it called?"),
    ("Ann", "Her name is Pixel."),
    ("Ben", "I bought a red bicycle."),
]


@pytest.fixture
def data(tmp_path):
    made = {
        "conversations": [
            {
                "id": "1",
                "speakers": ["Ann", "Ben"],
                "sessions": [{"n": 1, "at": "2025-05-01T10:00"}],
                "memories": [
                    {"id": f"D1:{at}", "s": 1, "by": by, "text": text}
                    for at, (by, text) in enumerate(TALK, start=1)
                ],
                "queries": [
                    {"q": "What is the name of Ann's cat?", "a": "Pixel", "cat": 1, "ev": ["D1:3"]},
                    {"q": "Which bicycle did Ben buy?", "a": "red", "cat": 4, "ev": ["D1:4"]},
                    {"q": "Which car did Ben buy?", "a": "", "cat": 5, "ev": ["D1:4"]},
                ],
            }
        ]
    }
    path = tmp_path / "talk.json"
    path.write_text(json.dumps(made), encoding="utf-8")
    return path


def test_it_prints_its_figures_last(data):
    command = [sys.executable, "-m", "benchmarks.recall", "--data", str(data), "--words"]
    done = subprocess.run(
        [*command, "--json", "-"], capture_output=True, text=True, check=True, timeout=500
    )
    figures = json.loads(done.stdout.splitlines()[-1])

    assert 100.0 == figures["turns.recall@10"]
    assert 2 == figures["turns.questions"]
    assert {"1", "4", "5"} == set(figures["turns.categories"])


def test_the_figures_of_a_question():
    asked = Asked("?", 1, "", frozenset({"a", "b", "c", "d"}))
    found = [frozenset({"x"}), frozenset({"a", "b"}), frozenset({"a"}), *[frozenset()] * 7]
    figures = judged(asked, [*found, frozenset({"c"})])

    assert 0.5 == figures["recall@5"] == figures["recall@10"]
    assert (0.75, 1.0, 0.5) == (figures["recall@20"], figures["hit@10"], figures["mrr"])
    assert 0 < figures["ndcg@10"] < 1


def test_nothing_found_is_nothing():
    asked = Asked("?", 1, "", frozenset({"a"}))

    assert {0.0} == set(judged(asked, []).values())
