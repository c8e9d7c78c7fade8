"""Our store beside LangGraph's own, in one run: process CPU and wall time of a call.

    python -m benchmarks.stores                     # 1k, 10k and 100k items
    python -m benchmarks.stores --sizes 1000        # a quick look
    python -m benchmarks.stores --json stores.json  # the figures too

Every lane gets the same items and the same vectors (384 dimensions, made up before the clock runs,
so that no model's time is measured). A figure is the median of several calls; a ratio is
LangGraph's SqliteStore divided by ours: above 1, ours is faster. SqliteStore's vector search needs
loadable extensions, which pysqlite3-binary has on any Python.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import os
import platform
import random
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pysqlite3
from langgraph.store.base import BaseStore, PutOp
from langgraph.store.memory import InMemoryStore
from langgraph.store.sqlite import AsyncSqliteStore, SqliteStore

from langgraph_agentmem import AgentMemStore

DIMS = 384
WORDS = [f"word{number}" for number in range(2000)]
SPREAD = 1000  # namespaces, when items are spread
SEARCH = "vector search, one namespace"
RECALL = "recall, words and meaning"
VECTOR_SEARCHES = {1_000: 50, 10_000: 25, 100_000: 5}


@lru_cache(maxsize=4096)
def vector(text: str) -> list[float]:
    made = np.random.default_rng(abs(hash(text)) % 2**32).standard_normal(DIMS, dtype=np.float32)
    return (made / np.linalg.norm(made)).tolist()


def embed(texts: list[str]) -> list[list[float]]:
    return [vector(text) for text in texts]


async def aembed(texts: list[str]) -> list[list[float]]:
    return embed(texts)


INDEX: dict[str, Any] = {"dims": DIMS, "embed": embed, "fields": ["text"]}


def item(number: int) -> dict[str, Any]:
    chosen = random.Random(number)
    return {
        "text": " ".join(chosen.choices(WORDS, k=12)),
        "group": number % 5,
        "number": number,
    }


def question(number: int) -> str:
    """Six words, as a question has them once "what" and "is" are out."""
    return " ".join(item(number)["text"].split()[:6])


def namespace(number: int, *, spread: bool) -> tuple[str, ...]:
    return ("bench", f"user{number % SPREAD}" if spread else "one")


# Lanes ------------------------------------------------------------------------------------------


@contextmanager
def ours(folder: Path) -> Iterator[BaseStore]:
    with AgentMemStore.from_conn_string(folder / "ours.db", index=INDEX) as store:
        yield store


@contextmanager
def in_memory(folder: Path) -> Iterator[BaseStore]:
    yield InMemoryStore(index=INDEX)


@contextmanager
def sqlite_store(folder: Path) -> Iterator[BaseStore]:
    connection = pysqlite3.connect(
        str(folder / "sqlite.db"), check_same_thread=False, isolation_level=None
    )
    connection.execute("PRAGMA journal_mode = WAL")
    store = SqliteStore(connection, index=INDEX)  # type: ignore[arg-type]
    store.setup()
    yield store
    connection.close()


LANES = {"ours": ours, "InMemoryStore": in_memory, "SqliteStore": sqlite_store}


# Measuring --------------------------------------------------------------------------------------

Figure = tuple[float, float]  # milliseconds of process CPU, of wall time


def measured(call: Callable[[int], object], times: int) -> Figure:
    call(0)
    cpu, wall = [], []
    gc.collect()
    gc.disable()
    for number in range(1, times + 1):
        wall_start, cpu_start = time.perf_counter(), time.process_time()
        call(number)
        cpu.append(time.process_time() - cpu_start)
        wall.append(time.perf_counter() - wall_start)
    gc.enable()
    return statistics.median(cpu) * 1000, statistics.median(wall) * 1000


async def ameasured(call: Callable[[int], Awaitable[object]], times: int) -> Figure:
    await call(0)
    cpu, wall = [], []
    for number in range(1, times + 1):
        wall_start, cpu_start = time.perf_counter(), time.process_time()
        await call(number)
        cpu.append(time.process_time() - cpu_start)
        wall.append(time.perf_counter() - wall_start)
    return statistics.median(cpu) * 1000, statistics.median(wall) * 1000


def resident() -> int:
    """Bytes of resident memory of this process."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def fill(store: BaseStore, size: int, *, spread: bool) -> None:
    for start in range(0, size, 500):
        store.batch(
            [
                PutOp(namespace(number, spread=spread), f"k{number}", item(number))
                for number in range(start, min(start + 500, size))
            ]
        )


def operations(
    store: BaseStore, size: int, *, spread: bool
) -> dict[str, tuple[Callable[[int], object], int]]:
    """What is measured, and how often."""
    home = namespace(0, spread=spread)
    some = SPREAD if spread else 1

    def query(number: int) -> str:
        return item(size + number * 7919)["text"]

    searches = VECTOR_SEARCHES.get(size, 5)
    # Vectors are made before the clock runs: a model's time is the same in every lane.
    for number in range(size, size + 12 * 100):
        vector(item(number)["text"])
        vector(json.dumps(item(number), sort_keys=True))  # what SqliteStore embeds
    for number in range(searches + 1):
        vector(query(number))
    return {
        "get": (lambda n: store.get(home, f"k{n * some % size}"), 200),
        "list (limit 10)": (lambda n: store.search(home), 20),
        "filter (1 in 5)": (lambda n: store.search(home, filter={"group": 0}), 20),
        SEARCH: (lambda n: store.search(home, query=query(n)), searches),
        "vector search, all": (lambda n: store.search(("bench",), query=query(n)), searches),
        "list_namespaces": (lambda n: store.list_namespaces(limit=2000), 10),
        "put": (lambda n: store.put(home, f"new{n}", item(size + n)), 100),
        "batch of 100 puts": (
            lambda n: store.batch(
                [PutOp(home, f"b{n}-{i}", item(size + n * 100 + i)) for i in range(100)]
            ),
            10,
        ),
        "delete": (lambda n: store.delete(home, f"new{n}"), 100),
    }


def limit(size: int) -> Figure:
    """A bare product of a query with as many vectors: what memory bandwidth allows."""
    matrix = np.random.default_rng(0).standard_normal((size, DIMS), dtype=np.float32)
    query = matrix[0].copy()
    return measured(lambda _: np.vecdot(matrix, query), 15)


def lane(name: str, size: int, *, spread: bool) -> dict[str, Any]:
    figures: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder, LANES[name](Path(folder)) as store:
        fill(store, size, spread=spread)
        for operation, (call, times) in operations(store, size, spread=spread).items():
            before = resident()
            figures[operation] = measured(call, times)
            if operation == SEARCH and not spread:
                figures["resident growth"] = (resident() - before) / (size * DIMS * 4)
        if isinstance(store, AgentMemStore):
            words = " ".join(WORDS[:2])
            home = namespace(0, spread=spread)
            figures["keyword recall"] = measured(lambda _: _by_words(store, home, words), 20)
            figures[RECALL] = measured(lambda n: store.recall(home, question(size + n)), 20)
    return figures


def _by_words(store: AgentMemStore, home: tuple[str, ...], words: str) -> object:
    index, store.index = store.index, None
    try:
        return store.recall(home, words)
    finally:
        store.index = index


async def async_gets(size: int) -> dict[str, Figure]:
    """`aget` of both, which LangGraph's runs inside its own batching loop."""
    found: dict[str, Figure] = {}
    home = namespace(0, spread=False)
    with tempfile.TemporaryDirectory() as folder:
        async with AsyncSqliteStore.from_conn_string(str(Path(folder) / "a.db")) as theirs:
            await theirs.setup()
            for number in range(size):
                await theirs.aput(home, f"k{number}", item(number))
            found["AsyncSqliteStore"] = await ameasured(lambda n: theirs.aget(home, f"k{n}"), 200)
        async with AgentMemStore.from_conn_string(Path(folder) / "b.db") as mine:
            for number in range(size):
                await mine.aput(home, f"k{number}", item(number))
            found["ours"] = await ameasured(lambda n: mine.aget(home, f"k{n}"), 200)
    return found


def neighbours(others: int) -> tuple[Figure, Figure]:
    """A search in one user's 1,000 items, alone and beside `others` items of other users."""
    with tempfile.TemporaryDirectory() as folder, ours(Path(folder)) as store:
        for start in range(0, 1000, 500):
            store.batch(
                [PutOp(("bench", "me"), f"k{n}", item(n)) for n in range(start, start + 500)]
            )
        search = lambda n: store.search(("bench", "me"), query=item(n + 10**6)["text"])  # noqa: E731
        alone = measured(search, 15)
        fill(store, others, spread=True)
        return alone, measured(search, 15)


# Telling ----------------------------------------------------------------------------------------


def table(size: int, figures: dict[str, dict[str, Any]], *, spread: bool) -> str:
    places = f"{SPREAD} namespaces" if spread else "one namespace"
    lines = [
        "",
        f"{size:,} items in {places} (process CPU, ms)",
        f"{'operation':32}"
        + "".join(f"{name:>15}" for name in figures)
        + f"{'SqliteStore/ours':>18}",
    ]
    for operation, mine in figures["ours"].items():
        if not isinstance(mine, tuple):
            continue
        row = f"{operation:32}"
        for lane_figures in figures.values():
            figure = lane_figures.get(operation)
            row += f"{figure[0]:15.3f}" if figure else f"{'-':>15}"
        theirs = figures.get("SqliteStore", {}).get(operation)
        row += f"{theirs[0] / mine[0]:17.1f}x" if theirs and mine[0] else f"{'-':>18}"
        lines.append(row)
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    parser.add_argument("--lanes", nargs="+", choices=list(LANES), default=list(LANES))
    parser.add_argument(
        "--layouts", nargs="+", choices=["one", "spread"], default=["one", "spread"]
    )
    parser.add_argument("--json", type=Path, help="write the figures here")
    chosen = parser.parse_args()
    result: dict[str, Any] = {
        "python": platform.python_version(),
        "sqlite of SqliteStore": pysqlite3.sqlite_version,
        "tables": [],
    }
    for size in chosen.sizes:
        for layout in chosen.layouts:
            spread = layout == "spread"
            figures = {name: lane(name, size, spread=spread) for name in chosen.lanes}
            print(table(size, figures, spread=spread), flush=True)
            result["tables"].append({"size": size, "layout": layout, "figures": figures})
            if not spread:
                bound = limit(size)
                mine = figures.get("ours", {})
                print(f"{'limit (bare np.vecdot)':32}{bound[0]:15.3f}")
                if "resident growth" in mine:
                    print(f"resident growth, of the vectors: {mine['resident growth']:.2f}")
                result["tables"][-1]["limit"] = bound
    gets = asyncio.run(async_gets(1000))
    result["async get"] = gets
    ratio = gets["AsyncSqliteStore"][0] / gets["ours"][0]
    print(
        f"\nasync get: ours {gets['ours'][0]:.3f} ms, AsyncSqliteStore "
        f"{gets['AsyncSqliteStore'][0]:.3f} ms CPU ({ratio:.1f}x)"
    )
    others = max(chosen.sizes)
    alone, beside = neighbours(others)
    result["neighbours"] = {"alone": alone, "beside": beside, "others": others}
    print(
        f"search in one user's 1,000 items: {alone[0]:.2f} ms alone, {beside[0]:.2f} ms beside "
        f"{others:,} of others ({beside[0] / alone[0]:.2f}x)"
    )
    if chosen.json:
        chosen.json.write_text(json.dumps(result, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
