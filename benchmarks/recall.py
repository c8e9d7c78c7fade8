"""Which of the needed memories come back from long conversations, beside LangGraph's stores.

    python -m benchmarks.recall --data FILE… --model sentence-transformers:FOLDER
    python -m benchmarks.recall --data FILE… --words         # words alone, no model
    python -m benchmarks.recall --data FILE… --misses        # what was missed, by question
    python -m benchmarks.recall --data FILE… --json -        # the figures, last on stdout
    python -m benchmarks.recall --data FILE… --sensitivity   # each constant by half, up and down
    python -m benchmarks.recall --data FILE… --every 4       # a quarter of the questions

A file holds conversations of two speakers with questions, and for each question the ids of the
turns that answer it: as turns (`memories`), or as facts (`facts`, each with the turns behind it).
Each memory goes through the public API, with who said it, when and where as its source; each
question through `recall`. All conversations are in one database, each under its own user.
LangGraph's stores get the same texts, with the speaker's name before each, and the same model.

Recall@k: share of a question's needed turns among the first k memories (of facts: among the turns
behind them), averaged over questions. Hit@10: a needed one is among the first ten. MRR: one
divided by the rank of the first. NDCG@10: needed ones count more the higher they stand. Category 5,
questions without an answer, is left out of all but its own line.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import math
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TextIO

from langgraph_agentmem import AgentMemory, Source
from langgraph_agentmem.ranking import finishing, scoring, weights
from langgraph_agentmem.sizes import estimate_tokens

from .peers import PEERS, SharedModel

DEPTH = 20
"""Memories that are asked for."""

SHOWN = 10
"""Memories whose tokens are counted: what a model would be shown."""

NO_ANSWER = 5


@dataclass(frozen=True)
class Said:
    """A turn or a fact, as a lane remembers it, and the turns that it stands for."""

    topic: str
    text: str
    author: str
    thread: str
    order: int
    at: datetime
    turns: frozenset[str]


@dataclass(frozen=True)
class Asked:
    text: str
    category: int
    answer: str
    needed: frozenset[str]


@dataclass(frozen=True)
class Conversation:
    user: str
    kind: str
    said: list[Said]
    asked: list[Asked]


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def conversations(path: Path) -> Iterator[Conversation]:
    """The conversations of a file."""
    for found in json.loads(path.read_text(encoding="utf-8"))["conversations"]:
        is_turns = "memories" in found
        times = {one["n"]: one["at"] for one in found.get("sessions", ())}
        said = [
            Said(
                topic=one["id"],
                text=one["text"],
                author=one["by"],
                thread=f"{found['id']}-{one['s']}",
                order=number,
                at=moment(one.get("at") or times[one["s"]]),
                turns=frozenset([one["id"]] if is_turns else one["ev"]),
            )
            for number, one in enumerate(found["memories" if is_turns else "facts"])
        ]
        asked = [
            Asked(one["q"], one["cat"], str(one.get("a", "")), frozenset(one["ev"]))
            for one in found["queries"]
            if one["ev"]
        ]
        yield Conversation(str(found["id"]), "turns" if is_turns else "facts", said, asked)


# Lanes ------------------------------------------------------------------------------------------

Ask = Callable[[Conversation, str], list[str]]
"""The topics that come back for a question, best first."""


class Clock:
    """Stands at the moment that is being told."""

    def __init__(self) -> None:
        self.now = moment("2000-01-01")

    def __call__(self) -> datetime:
        return self.now


@contextmanager
def ours(folder: Path, told: Sequence[Conversation], model: SharedModel | None) -> Iterator[Ask]:
    clock = Clock()
    embed = model.ours if model else None
    with AgentMemory.open(folder / "ours.db", embed=embed, clock=clock) as memory:
        for conversation in told:
            user = memory.for_user(conversation.user)
            for one in conversation.said:
                clock.now = max(one.at, clock.now)
                user.remember(
                    one.topic,
                    one.text,
                    kind="turn" if conversation.kind == "turns" else "fact",
                    source=Source(
                        thread_id=one.thread,
                        message_ids=tuple(sorted(one.turns)),
                        author=one.author,
                        said_at=one.at,
                        order=one.order,
                    ),
                )
        ends = {one.user: one.said[-1].at + timedelta(days=1) for one in told}

        def ask(conversation: Conversation, question: str) -> list[str]:
            clock.now = ends[conversation.user]
            found = memory.for_user(conversation.user).recall(question, limit=DEPTH)
            return [hit.memory.topic for hit in found.relevant]

        yield ask


def peer(name: str) -> Callable[..., Any]:
    @contextmanager
    def lane(
        folder: Path, told: Sequence[Conversation], model: SharedModel | None
    ) -> Iterator[Ask]:
        with PEERS[name](folder, model) as store:
            for conversation in told:
                for one in conversation.said:
                    text = f"{one.author}: {one.text}"  # else they find half as much
                    store.put(("memories", conversation.user), one.topic, {"text": text})
            yield lambda conversation, question: [
                item.key
                for item in store.search(
                    ("memories", conversation.user), query=question, limit=DEPTH
                )
            ]

    return lane


# Measuring --------------------------------------------------------------------------------------

FIGURES = ("recall@5", "recall@10", "recall@20", "hit@10", "mrr", "ndcg@10")


@dataclass
class Answered:
    """A question with what came back, and how good that is."""

    conversation: Conversation
    asked: Asked
    topics: list[str]
    figures: dict[str, float] = field(default_factory=dict)


def judged(asked: Asked, found: Sequence[frozenset[str]]) -> dict[str, float]:
    """The figures of one question, given the turns behind each memory that came back."""
    seen: set[str] = set()
    covered: list[float] = []
    first, gain = 0, 0.0
    for rank, turns in enumerate(found, start=1):
        new = (turns & asked.needed) - seen
        if new:
            first = first or rank
            gain += 1 / math.log2(rank + 1) if rank <= SHOWN else 0.0
        seen |= new
        covered.append(len(seen) / len(asked.needed))

    def at(k: int) -> float:
        return covered[min(k, len(covered)) - 1] if covered else 0.0

    ideal = sum(1 / math.log2(rank + 1) for rank in range(1, min(SHOWN, len(asked.needed)) + 1))
    return {
        **{f"recall@{k}": at(k) for k in range(1, DEPTH + 1)},
        "hit@10": float(at(10) > 0),
        "mrr": 1 / first if first else 0.0,
        "ndcg@10": gain / ideal,
    }


def answered(told: Sequence[Conversation], ask: Ask) -> list[Answered]:
    done = []
    for conversation in told:
        turns = {one.topic: one.turns for one in conversation.said}
        for asked in conversation.asked:
            topics = ask(conversation, asked.text)
            one = Answered(conversation, asked, topics)
            one.figures = judged(asked, [turns[topic] for topic in topics])
            done.append(one)
    return done


def means(some: Sequence[Answered]) -> dict[str, float]:
    return {
        name: 100 * statistics.fmean(one.figures[name] for one in some) if some else math.nan
        for name in FIGURES
    }


def summary(done: Sequence[Answered]) -> dict[str, Any]:
    """All figures of a lane."""
    counted = [one for one in done if one.asked.category != NO_ANSWER]
    result: dict[str, Any] = {**means(counted), "questions": len(counted)}
    texts: dict[tuple[str, str], str] = {}
    for one in done:
        for said in one.conversation.said:
            texts[one.conversation.user, said.topic] = said.text
    result["curve"] = [
        [
            statistics.fmean(
                sum(
                    estimate_tokens(texts[one.conversation.user, topic]) for topic in one.topics[:k]
                )
                for one in counted
            ),
            100 * statistics.fmean(one.figures[f"recall@{k}"] for one in counted),
        ]
        for k in range(1, DEPTH + 1)
    ]
    result["tokens@10"] = result["curve"][SHOWN - 1][0]
    by_category: dict[int, list[Answered]] = defaultdict(list)
    by_user: dict[str, list[Answered]] = defaultdict(list)
    for one in done:
        by_category[one.asked.category].append(one)
    for one in counted:
        by_user[one.conversation.user].append(one)
    result["categories"] = {number: means(by_category[number]) for number in sorted(by_category)}
    result["conversations"] = {user: means(by_user[user])["recall@10"] for user in by_user}
    return result


def timed(ask: Ask, done: Sequence[Answered]) -> float:
    """Median milliseconds of CPU for a question that was asked before, so that its vector is
    there: the model's time is not ours.
    """
    spent = []
    for one in done[:: max(len(done) // 200, 1)]:
        start = time.process_time()
        ask(one.conversation, one.asked.text)
        spent.append(time.process_time() - start)
    return statistics.median(spent) * 1000


# Telling ----------------------------------------------------------------------------------------

NAMES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "no answer"}


def table(results: dict[str, dict[str, Any]]) -> str:
    head = ["R@5", "R@10", "R@20", "Hit@10", "MRR", "NDCG@10"]
    lines = [f"{'lane':26}" + "".join(f"{name:>9}" for name in [*head, "tokens", "ms"])]
    for name, found in results.items():
        cells = [*(found[figure] for figure in FIGURES), found["tokens@10"], found["ms"]]
        lines.append(f"{name:26}" + "".join(f"{cell:9.1f}" for cell in cells))
        for number, figures in found["categories"].items():
            cells = [figures[figure] for figure in FIGURES]
            label = f"   {number} {NAMES.get(number, '')}"
            lines.append(f"{label:26}" + "".join(f"{cell:9.1f}" for cell in cells))
        each = "  ".join(
            f"{user} {found['conversations'][user]:.1f}" for user in found["conversations"]
        )
        lines.append(f"   R@10 by conversation: {each}")
    return "\n".join(lines)


def misses(done: Sequence[Answered]) -> str:
    lines = []
    for one in done:
        if one.asked.category == NO_ANSWER or one.figures["recall@10"] == 1:
            continue
        said = {said.topic: said for said in one.conversation.said}
        got = {turn for topic in one.topics[:SHOWN] for turn in said[topic].turns}
        asked, user = one.asked, one.conversation.user
        lines.append(f"\n[{user}, {asked.category}] {asked.text} ({asked.answer})")
        for topic, found in said.items():
            if found.turns & (one.asked.needed - got):
                rank = one.topics.index(topic) + 1 if topic in one.topics else "-"
                lines.append(f"   missed {rank:>3} {topic:7} {found.author}: {found.text[:150]}")
        lines += [
            f"   first      {topic:7} {said[topic].author}: {said[topic].text[:150]}"
            for topic in one.topics[:3]
        ]
    return "\n".join(lines)


def sensitivity(told: Sequence[Conversation], ask: Ask, kind: str) -> Iterator[str]:
    """Recall@10 with each constant of the ranking at half and at one and a half."""
    chosen = weights.WEIGHTS
    before = means(_counted(answered(told, ask)))["recall@10"]
    yield f"\n{kind}: recall@10 {before:.1f}; change with the constant at 50 % and at 150 %"
    for one in dataclasses.fields(chosen):
        changes = []
        for factor in (0.5, 1.5):
            value = getattr(chosen, one.name) * factor
            value = max(round(value), 1) if one.type == "int" else value
            _use(dataclasses.replace(chosen, **{one.name: value}))
            changes.append(means(_counted(answered(told, ask)))["recall@10"] - before)
        yield f"{one.name:20} {getattr(chosen, one.name):>6} {changes[0]:+7.1f} {changes[1]:+7.1f}"
    _use(chosen)


def _counted(done: Sequence[Answered]) -> list[Answered]:
    return [one for one in done if one.asked.category != NO_ANSWER]


def _use(chosen: weights.Weights) -> None:
    """The weights are the default of two functions."""
    for function in (scoring.score, finishing.finish):
        if function.__kwdefaults__:
            function.__kwdefaults__["weights"] = chosen
        else:
            function.__defaults__ = (chosen,)


def lanes(chosen: argparse.Namespace, model: SharedModel | None) -> dict[str, Any]:
    words = {"words": (ours, None)}
    if model is None:
        return words
    found: dict[str, Any] = {"ours": (ours, model), **words}
    if not chosen.alone:
        found |= {name: (peer(name), model) for name in PEERS}
    return found


def measured(
    path: Path, chosen: argparse.Namespace, model: SharedModel | None, out: TextIO
) -> dict[str, Any]:
    """The figures of a file by name: those of the first lane as `turns.recall@10`, of another as
    `turns.words.recall@10`.
    """
    told = [
        dataclasses.replace(one, asked=one.asked[:: chosen.every]) for one in conversations(path)
    ]
    kind = told[0].kind
    found: dict[str, dict[str, Any]] = {}
    for name, (lane, lane_model) in lanes(chosen, model).items():
        with tempfile.TemporaryDirectory() as folder, lane(Path(folder), told, lane_model) as ask:
            done = answered(told, ask)
            found[name] = {**summary(done), "ms": timed(ask, done)}
            if chosen.misses and lane is ours:
                print(f"\n{kind}, {name}: missed", misses(done), file=out)
            if chosen.sensitivity and not found.keys() - {name}:
                for line in sensitivity(told, ask, f"{kind}, {name}"):
                    print(line, file=out, flush=True)
    print(f"\n{path.name}: {kind}, {sum(len(one.said) for one in told)} memories", file=out)
    print(table(found), file=out, flush=True)
    first = next(iter(found))
    return {
        f"{kind}.{'' if name == first else f'{name}.'}{figure}": value
        for name, figures in found.items()
        for figure, value in figures.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--data", type=Path, nargs="+", required=True)
    parser.add_argument("--model", help="what `embed=` takes; without it words alone")
    parser.add_argument("--words", action="store_true", help="words alone")
    parser.add_argument("--alone", action="store_true", help="without LangGraph's stores")
    parser.add_argument("--misses", action="store_true", help="what was missed, by question")
    parser.add_argument("--sensitivity", action="store_true", help="vary each constant by half")
    parser.add_argument("--every", type=int, default=1, help="ask every so many questions")
    parser.add_argument("--vectors", type=Path, help="keep the model's vectors in this file")
    parser.add_argument("--json", help="write the figures here; - for standard output")
    chosen = parser.parse_args()
    out = sys.stderr if chosen.json == "-" else sys.stdout
    model = None if chosen.words or not chosen.model else SharedModel(chosen.model)
    if model is not None and chosen.vectors:
        model.load(chosen.vectors)
    result: dict[str, Any] = {}
    for path in chosen.data:
        result |= measured(path, chosen, model, out)
    if model is not None and chosen.vectors:
        model.save(chosen.vectors)
    if chosen.json == "-":
        print(json.dumps(result))
    elif chosen.json:
        Path(chosen.json).write_text(json.dumps(result, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
