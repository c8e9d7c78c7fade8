"""What `python -m benchmarks.stale` counts, on a life that is small enough to count by hand."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.stale import Answer, Figures, judge

ROOT = Path(__file__).parents[2]


def put(key, user, topic, text, at, *, value="", multi=False, pinned=False):
    return {
        "op": "put", "key": key, "user": user, "topic": topic, "value": value, "text": text,
        "multi": multi, "pinned": pinned, "at": at,
    }  # fmt: skip


def check(user, q, kind, must, *, stale=(), gone=(), other=(), **more):
    return {
        "user": user, "q": q, "wording": "same", "kind": kind, "must": list(must),
        "stale": list(stale), "gone": list(gone), "other": list(other),
        "asked": "2026-07-01T09:00", **more,
    }  # fmt: skip


LIFE = {
    "events": [
        put("m1", "ada", "city", "I live in Brno.", "2025-01-01T10:00"),
        put("m2", "bo", "city", "I live in Ghent.", "2025-01-02T10:00"),
        put("m3", "ada", "city", "I live in Leeds now.", "2025-06-01T10:00"),
        put("m4", "ada", "phone", "My phone number is 555 0114.", "2025-06-02T10:00"),
        put("m5", "ada", "hobby", "I like kayaking.", "2025-06-03T10:00", value="k", multi=True),
        put("m6", "ada", "hobby", "I like chess.", "2025-06-04T10:00", value="c", multi=True),
        put("m7", "ada", "diet", "I eat vegan.", "2025-06-05T10:00", pinned=True),
        put("m8", "ada", None, "It rained all weekend.", "2025-06-06T10:00"),
        {"op": "forget", "key": "m4", "user": "ada", "topic": "phone", "at": "2025-07-01T10:00"},
    ],
    "checks": [
        check("ada", "Which city do I live in?", "updated", ["m3"], stale=["m1"], other=["m2"]),
        check("ada", "What is my phone number?", "forgotten", [], gone=["m4"]),
        check("ada", "What do I like as a hobby?", "list", ["m5", "m6"]),
        check("ada", "Write a poem.", "pinned", ["m7"], gone=["m4"], other=["m2"]),
        check(
            "ada", "Which city do I live in?", "as_of", ["m1"], stale=["m3"],
            as_of="2025-03-01T00:00",
        ),
    ],
}  # fmt: skip

EVENTS = {event["key"]: event for event in LIFE["events"] if event["op"] == "put"}


def judged(asked, *relevant, pinned=()):
    figures = Figures()
    judge(asked, Answer(pinned=pinned, relevant=relevant, seconds=0.001), EVENTS, figures)
    return figures.as_json(), figures.misses


def test_a_right_answer_counts_for_everything():
    found, misses = judged(LIFE["checks"][0], "I live in Leeds now.")

    assert (0, 0, 1, 1) == tuple(found[name] for name in ("staleness", "leak", "top1", "recall"))
    assert [] == misses


@pytest.mark.parametrize(
    ("number", "answer", "name", "expected"),
    [
        (0, ["I live in Leeds now.", "I live in Brno."], "staleness", 1),
        (0, ["I live in Leeds now.", "I live in Ghent."], "leak", 1),
        (0, ["I like chess.", "I live in Leeds now."], "top1", 0),
        (0, ["I like chess."], "recall", 0),
        (1, ["My phone number is 555 0114."], "residue", 1),
        (2, ["I like chess."], "recall", 0.5),
        (3, ["I eat vegan."], "pinned", 0),
        (4, ["I live in Brno.", "I live in Leeds now."], "as_of", 0),
        (4, ["I live in Brno."], "as_of", 1),
    ],
)
def test_a_fault_is_counted_where_it_belongs_and_told(number, answer, name, expected):
    found, misses = judged(LIFE["checks"][number], *answer)

    assert expected == found[name]
    assert (expected == 1) is (name == "as_of") or misses


def test_a_pinned_one_is_always_first():
    found, _ = judged(LIFE["checks"][0], "I like chess.", pinned=["I live in Leeds now."])

    assert 1 == found["top1"]


def test_the_command_plays_the_life_through_the_public_api_and_ends_with_json(tmp_path):
    data = tmp_path / "life.json"
    data.write_text(json.dumps(LIFE), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.stale", "--data", str(data), "--misses", "--json", "-"],
        capture_output=True,
        text=True,
        check=True,
        timeout=500,
        cwd=ROOT,
    )
    found = json.loads(done.stdout.splitlines()[-1])
    names = ("staleness", "leak", "residue", "residue in files", "pinned", "as_of")

    assert [0, 0, 0, 0, 1, 1] == [found[f"life.ours.words.{name}"] for name in names]
