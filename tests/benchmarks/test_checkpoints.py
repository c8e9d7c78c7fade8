"""`python -m benchmarks.checkpoints` measures both savers in one run."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_command_measures_both_and_shows_what_was_not_measured(tmp_path):
    file = tmp_path / "figures.json"
    done = subprocess.run(
        [
            *(sys.executable, "-m", "benchmarks.checkpoints", "--turns", "3", "12", "14"),
            *("--peer-turns", "12", "--json", str(file)),
        ],
        capture_output=True,
        text=True,
        check=True,
        timeout=500,
        cwd=ROOT,
    )
    figures = json.loads(file.read_text(encoding="utf-8"))["figures"]

    assert {"ours": ["3", "12", "14"], "SqliteSaver": ["3", "12"]} == {
        name: [*lane] for name, lane in figures.items()
    }
    assert all(
        value > 0 for lane in figures.values() for one in lane.values() for value in one.values()
    )
    assert "| 14 | file, MB |" in done.stdout
    assert "from 12 to 14 turns our file grows by" in done.stdout
