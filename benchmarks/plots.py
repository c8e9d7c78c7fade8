"""The pictures of the README, from figures that the other commands have measured.

    python -m benchmarks.recall --data FILE… --model MODEL --json recall.json
    python -m benchmarks.stores --layouts one --json stores.json
    python -m benchmarks.plots --recall recall.json --stores stores.json

Writes `recall_by_tokens.png` and `latency_by_size.png` beside this file. Nothing is drawn that is
not in the figures.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")

from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, NullFormatter

HERE = Path(__file__).parent

STYLE = {
    "font.size": 12,
    "axes.titlesize": 15,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.titlepad": 24,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#e3e3e3",
    "axes.axisbelow": True,
    "axes.labelcolor": "#333333",
    "figure.figsize": (8.4, 5.0),
    "figure.dpi": 130,
    "savefig.bbox": "tight",
    "savefig.facecolor": "white",
}


@dataclass(frozen=True, slots=True)
class Look:
    """How a lane is called and drawn."""

    label: str
    colour: str
    marker: str = "o"
    line: str = "-"


OURS, WORDS = "#1b5fad", "#5f9bd8"
THEIRS, THEIRS_TOO = "#c8622a", "#8f8f8f"

RECALL_LANES = {
    "": Look("this package, words and meaning", OURS),
    "words.": Look("this package, words alone", WORDS, "s", "--"),
    "InMemoryStore.": Look("LangGraph's InMemoryStore, same model", THEIRS, "^"),
    "SqliteStore.": Look("LangGraph's SqliteStore, same model", THEIRS_TOO, "v", "--"),
}

SEARCH, RECALL = "vector search, one namespace", "recall, words and meaning"
"""As `benchmarks.stores` calls them, which needs a package more than a picture does."""

LATENCY_LANES = {
    ("ours", SEARCH): Look("this package, vector search", OURS),
    ("ours", RECALL): Look("this package, recall", WORDS, "s", "--"),
    ("SqliteStore", SEARCH): Look("LangGraph's SqliteStore, vector search", THEIRS, "^"),
    ("InMemoryStore", SEARCH): Look(
        "LangGraph's InMemoryStore, vector search", THEIRS_TOO, "v", "--"
    ),
}

LINE_HEIGHT = 26
"""Pixels between two names."""

MARKED = (1, 5, 10, 20)
"""Numbers of memories that are marked on a curve."""


def _names(axes: Axes, ends: Sequence[tuple[Look, tuple[float, float]]]) -> None:
    """Write each lane's name at the end of its line, none over another."""
    axes.figure.canvas.draw()
    right = max(axes.transData.transform(point)[0] for _, point in ends) + 18
    lowest = -math.inf
    for look, point in sorted(ends, key=lambda end: end[1][1]):
        lowest = max(axes.transData.transform(point)[1], lowest + LINE_HEIGHT)
        axes.annotate(
            look.label,
            (right, lowest),
            xycoords="figure pixels",
            color=look.colour,
            fontweight="bold",
            va="center",
            annotation_clip=False,
        )


def _subtitle(axes: Axes, text: str) -> None:
    axes.text(0, 1.025, text, transform=axes.transAxes, color="#555555", fontsize=11)


def recall_by_tokens(figures: Mapping[str, Any], file: Path, *, kind: str = "turns") -> None:
    """Recall of the needed turns against the tokens of what was returned."""
    figure, axes = plt.subplots()
    ends: list[tuple[Look, tuple[float, float]]] = []
    for key, look in RECALL_LANES.items():
        curve = figures.get(f"{kind}.{key}curve")
        if curve is None:
            continue
        tokens, recall = zip(*curve, strict=True)
        axes.plot(tokens, recall, look.line, color=look.colour, linewidth=2.4)
        marks = [number - 1 for number in MARKED if number <= len(curve)]
        axes.plot(
            [tokens[at] for at in marks],
            [recall[at] for at in marks],
            look.marker,
            color=look.colour,
            markersize=7,
        )
        if not key:
            for at in marks:
                axes.annotate(
                    f"{at + 1}",
                    (tokens[at], recall[at]),
                    (0, 9),
                    textcoords="offset points",
                    ha="center",
                    color=look.colour,
                    fontsize=10,
                )
        ends.append((look, (tokens[-1], recall[-1])))
    axes.set_title("More of what is needed, in fewer tokens")
    _subtitle(axes, "LoCoMo, five long conversations; marks: the first 1, 5, 10 and 20 memories")
    axes.set_xlabel("tokens that a question brings back, mean")
    axes.set_ylabel("share of the needed turns that is there")
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.0f} %"))
    axes.set_xlim(left=0)
    axes.set_ylim(0, 100)
    _names(axes, ends)
    figure.savefig(file)
    plt.close(figure)


def latency_by_size(figures: Mapping[str, Any], file: Path) -> None:
    """Time of a vector search, and of a recall, against the number of items."""
    tables = sorted(
        (one for one in figures["tables"] if one["layout"] == "one"), key=lambda one: one["size"]
    )
    figure, axes = plt.subplots()
    ends: list[tuple[Look, tuple[float, float]]] = []
    for (name, operation), look in LATENCY_LANES.items():
        points = [
            (table["size"], table["figures"][name][operation][0])
            for table in tables
            if operation in table["figures"].get(name, {})
        ]
        if not points:
            continue
        sizes, times = zip(*points, strict=True)
        axes.plot(
            sizes, times, look.line, marker=look.marker, color=look.colour, linewidth=2.4,
            markersize=8,
        )  # fmt: skip
        for size, time in points:
            axes.annotate(
                _milliseconds(time),
                (size, time),
                (0, 9),
                textcoords="offset points",
                ha="center",
                color=look.colour,
                fontsize=10,
            )
        ends.append((look, points[-1]))
    axes.set_xscale("log")
    axes.set_yscale("log")
    sizes = [table["size"] for table in tables]
    axes.set_xticks(sizes, [f"{size:,}" for size in sizes])
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: _milliseconds(value)))
    axes.set_title("A search stays fast as the memory grows")
    _subtitle(
        axes,
        "one namespace, 384 dimensions; recall reads words too; process CPU, logarithmic axes",
    )
    axes.set_xlabel("items in the namespace")
    axes.set_ylabel("time of one call")
    axes.margins(x=0.08, y=0.1)
    _names(axes, ends)
    figure.savefig(file)
    plt.close(figure)


def _milliseconds(value: float) -> str:
    if value >= 1000:  # noqa: PLR2004 - a second
        return f"{value / 1000:.1f} s"
    return f"{value:.0f} ms" if value >= 10 else f"{value:.2g} ms"  # noqa: PLR2004


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--recall", type=Path, help="what benchmarks.recall --json wrote")
    parser.add_argument("--stores", type=Path, help="what benchmarks.stores --json wrote")
    parser.add_argument("--out", type=Path, default=HERE, help="the folder of the pictures")
    chosen = parser.parse_args(arguments)
    if not (chosen.recall or chosen.stores):
        parser.error("give --recall, --stores or both")
    plt.rcParams.update(STYLE)
    if chosen.recall:
        figures = json.loads(chosen.recall.read_text(encoding="utf-8"))
        recall_by_tokens(figures, chosen.out / "recall_by_tokens.png")
    if chosen.stores:
        figures = json.loads(chosen.stores.read_text(encoding="utf-8"))
        latency_by_size(figures, chosen.out / "latency_by_size.png")


if __name__ == "__main__":
    main()
