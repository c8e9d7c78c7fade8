"""What `python -m benchmarks.nodes` counts."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_table_names_every_lane_and_ours_make_no_invalid_list(tmp_path):
    figures = tmp_path / "nodes.json"
    ran = subprocess.run(
        [
            *(sys.executable, "-m", "benchmarks.nodes"),
            *("--histories", "40", "--messages", "60", "--json", str(figures)),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )

    lanes = json.loads(figures.read_text(encoding="utf-8"))
    assert all(lane in ran.stdout for lane in lanes)
    ours = ["summarize_old_turns", "summarize_old_turns, remove=True", "build_context", "trim"]
    assert [0] * 4 == [lanes[lane]["invalid"] + lanes[lane]["raised"] for lane in ours]
    assert [0, 0] == [lanes[lane]["values"]["lost"] for lane in ours[:2]]
    # The same oracle sees what a cut in the wrong place does.
    assert lanes["trim_messages"]["invalid"] > 0
