"""What each embedder costs: one command, each model in a process of its own, on one core.

    python -m benchmarks.embedders MODEL… [--json FILE]

MODEL is what `AgentMemory.open(embed=…)` takes, such as `sentence-transformers:FOLDER`,
`onnx:FOLDER` or `model2vec:FOLDER`. Times are process CPU in milliseconds: of one query of a dozen
words, and of a text among a batch of 256. `load` is wall time from the import to the first vector,
`memory` the most that the process took. How well each finds things is what `benchmarks.recall` and
`benchmarks.stale` measure with `--model`.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "RAYON_NUM_THREADS")
ONE_THREAD = dict.fromkeys(THREADS, "1")

MEASURE = """
import json, os, resource, statistics, sys, time
if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:1])
start = time.perf_counter()
from langgraph_agentmem.embedders import make_embedder
embedder = make_embedder(sys.argv[1])
embedder.query("the first one loads the model")
load = time.perf_counter() - start
def cpu(call):
    before = time.process_time()
    call()
    return (time.process_time() - before) * 1000
queries = [f"How long is my daily trip to office number {n} by train or by bus?" for n in range(60)]
texts = [f"On day {n} I took the train to the office, and it was late again." for n in range(256)]
print(json.dumps({
    "dims": embedder.dims,
    "load s": load,
    "query ms": statistics.median([cpu(lambda q=q: embedder.query(q)) for q in queries]),
    "text ms": statistics.median([cpu(lambda: embedder.documents(texts)) for _ in range(3)]) / 256,
    "memory MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    "torch": "torch" in sys.modules,
}))
"""


def measured(name: str) -> dict[str, Any]:
    done = subprocess.run(  # noqa: S603 - this program's own words
        [sys.executable, "-c", MEASURE, name],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        env={**os.environ, **ONE_THREAD},
    )
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def on_disk(name: str) -> float | None:
    """Megabytes of a model's folder."""
    folder = Path(name.partition(":")[2])
    if not folder.is_dir():
        return None
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("models", nargs="+", metavar="MODEL")
    parser.add_argument("--json", help="write the figures here; - for the last line of stdout")
    chosen = parser.parse_args()
    result: dict[str, dict[str, Any]] = {}
    print(f"{'':44}{'dims':>6}{'query ms':>10}{'text ms':>9}{'load s':>8}{'MB':>6}{'disk':>6}")
    for name in chosen.models:
        found = {**measured(name), "disk MB": on_disk(name)}
        label = f"{name.partition(':')[0]}:{name.rstrip('/').rpartition('/')[2]}"
        result[label] = found
        disk = "-" if found["disk MB"] is None else f"{found['disk MB']:.0f}"
        print(
            f"{label:44}{found['dims']:6}{found['query ms']:10.2f}{found['text ms']:9.2f}"
            f"{found['load s']:8.1f}{found['memory MB']:6.0f}{disk:>6}",
            flush=True,
        )
    if chosen.json == "-":
        print(json.dumps(result))
    elif chosen.json:
        Path(chosen.json).write_text(json.dumps(result, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
