"""Facts that change, pins and forgetting: what comes back that should not, and what should.

    python -m benchmarks.stale --data FILE                           # words alone
    python -m benchmarks.stale --data FILE --model sentence-transformers:FOLDER
    python -m benchmarks.stale --data FILE --misses                  # what went wrong, by question
    python -m benchmarks.stale --data FILE --json -                  # the figures, last on stdout

The file tells the lives of some users as events in the order of their times (`put` with topic,
text, `pinned` and `multi`; `forget`), and questions with the events that must come back and those
that must not. Each event goes through the public API at its own time: a topic's new value replaces
its old one, a topic that may hold several (`multi`) has a topic for each value, and what has no
topic at all is a turn. LangGraph's stores get the same items under the same keys.

staleness, leak, residue: share of the questions (that could) for which an outdated value, another
user's or a forgotten one came back. residue in files: forgotten texts in the bytes of the database
afterwards. pinned: share of pinned memories that came with an unrelated request. top1: the first
relevant one is right (or the right one is pinned). recall: share of what must come back that did.
as_of: the value of that day came back, and no other of its topic.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from langgraph_agentmem import AgentMemory, Source
from langgraph_agentmem.sizes import estimate_tokens

from .peers import PEERS, SharedModel

LIMIT = 8
"""Memories that each lane may return; the default of `recall`."""

Event = dict[str, Any]
Check = dict[str, Any]


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def topic_of(event: Event) -> str:
    """The topic under which a lane keeps an event."""
    if event["topic"] is None:
        return f"turn.{event['key']}"
    if event["multi"]:
        return f"{event['topic']}.{re.sub(r'[^a-z0-9]+', '_', event['value'].casefold())}"
    return str(event["topic"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a lane returned to one question: texts, pinned ones apart, and the seconds it took."""

    pinned: Sequence[str]
    relevant: Sequence[str]
    seconds: float

    @property
    def texts(self) -> list[str]:
        return [*self.pinned, *self.relevant]

    def begins_with(self, must: Sequence[str]) -> bool:
        """Whether the first relevant one is right, or a right one is always there."""
        return any(text in must for text in (*self.relevant[:1], *self.pinned))


@dataclass(slots=True)
class Lane:
    """One way to keep the events and to ask. `ask` returns None for what it cannot do."""

    put: Callable[[Event], None]
    forget: Callable[[Event], None]
    ask: Callable[[Check], Answer | None]
    file: Path | None = None


@contextmanager
def ours(folder: Path, model: SharedModel | None) -> Iterator[Lane]:
    now = [datetime(2000, 1, 1, tzinfo=UTC)]
    file = folder / "ours.db"
    embed = model.ours if model else None
    with AgentMemory.open(file, embed=embed, clock=lambda: now[0]) as memory:

        def put(event: Event) -> None:
            now[0] = moment(event["at"])
            said = Source(
                thread_id=f"{event['user']}-{event['at'][:10]}",
                message_ids=(event["key"],),
                author="user",
                said_at=now[0],
            )
            memory.for_user(event["user"]).remember(
                topic_of(event),
                event["text"],
                kind="fact" if event["topic"] else "turn",
                pinned=event["pinned"] or None,
                source=said,
            )

        def forget(event: Event) -> None:
            now[0] = moment(event["at"])
            memory.for_user(event["user"]).forget(topic_of(event))

        def ask(check: Check) -> Answer:
            user = memory.for_user(check["user"])
            now[0] = max(now[0], moment(check["asked"]))
            as_of = moment(check["as_of"]) if "as_of" in check else None
            start = time.perf_counter()
            found = user.recall(check["q"], limit=LIMIT, as_of=as_of)
            seconds = time.perf_counter() - start
            return Answer(
                pinned=[hit.memory.text for hit in found.pinned],
                relevant=[hit.memory.text for hit in found.relevant],
                seconds=seconds,
            )

        yield Lane(put, forget, ask, file)


def official(name: str) -> Callable[[Path, SharedModel | None], Any]:
    @contextmanager
    def lane(folder: Path, model: SharedModel | None) -> Iterator[Lane]:
        with PEERS[name](folder, model) as store:

            def put(event: Event) -> None:
                item = {"text": event["text"], "pinned": event["pinned"]}
                store.put(("memories", event["user"]), topic_of(event), item)

            def forget(event: Event) -> None:
                store.delete(("memories", event["user"]), topic_of(event))

            def ask(check: Check) -> Answer | None:
                if "as_of" in check:
                    return None  # they keep no history
                start = time.perf_counter()
                found = store.search(("memories", check["user"]), query=check["q"], limit=LIMIT)
                seconds = time.perf_counter() - start
                return Answer(
                    pinned=[], relevant=[item.value["text"] for item in found], seconds=seconds
                )

            yield Lane(put, forget, ask, folder / "theirs.db" if name == "SqliteStore" else None)

    return lane


@dataclass(slots=True)
class Figures:
    """Shares by name, each from the questions that ask for it, and what went wrong."""

    shares: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    seconds: list[float] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)
    misses: list[str] = field(default_factory=list)
    left_in_file: int | None = None

    def as_json(self) -> dict[str, float | None]:
        found: dict[str, float | None] = {
            name: statistics.fmean(values) if values else None
            for name, values in self.shares.items()
        }
        if self.left_in_file is not None:
            found["residue in files"] = self.left_in_file
        if self.seconds:
            found["ms"] = statistics.median(self.seconds) * 1000
            found["tokens"] = statistics.fmean(self.tokens)
        return found


def judge(check: Check, answer: Answer, events: Mapping[str, Event], figures: Figures) -> None:
    """Count one answer. Events are told apart by their texts."""
    got = answer.texts
    must = [events[key]["text"] for key in check["must"]]
    own = {one["text"] for one in events.values() if one["user"] == check["user"]}

    def came(keys: Sequence[str], *, though: Collection[str]) -> bool | None:
        # The same words may be right here and wrong elsewhere.
        wrong = {events[key]["text"] for key in keys}.difference(though)
        return not wrong.isdisjoint(got) if keys else None

    wrong = {
        "staleness": came(check["stale"], though=must),
        "leak": came(check["other"], though=own),
        "residue": came(check["gone"], though=must),
    }
    for name, value in wrong.items():
        if value is not None:
            figures.shares[name].append(float(value))
    found = [text for text in must if text in got]
    first = (not must) or answer.begins_with(must)
    if check["kind"] == "as_of":
        first = found == must and not wrong["staleness"]
        figures.shares["as_of"].append(float(first))
    elif check["kind"] == "pinned":
        first = set(must) <= set(answer.pinned)
        figures.shares["pinned"].append(float(first))
    elif must:
        for name, value in (("top1", float(first)), ("recall", len(found) / len(must))):
            figures.shares[name].append(value)
            figures.shares[f"{name}, {check['wording']}"].append(value)
    figures.seconds.append(answer.seconds)
    figures.tokens.append(sum(map(estimate_tokens, got)))
    faults = [name for name, value in wrong.items() if value]
    faults += ["not found"] if found != must else [] if first else ["not first"]
    if faults:
        figures.misses.append(
            f"[{', '.join(faults)}] {check['user']}: {check['q']}\n"
            f"    wanted {must}\n    got    {got}"
        )


def run(data: dict[str, Any], lane: Any, model: SharedModel | None) -> Figures:
    puts = {event["key"]: event for event in data["events"] if event["op"] == "put"}
    figures = Figures()
    gone = [puts[event["key"]]["text"] for event in data["events"] if event["op"] == "forget"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with lane(folder, model) as opened:
            for event in data["events"]:
                if event["op"] == "put":
                    opened.put(event)
                else:
                    opened.forget(puts[event["key"]])
            for check in data["checks"]:
                answer = opened.ask(check)
                if answer is not None:
                    judge(check, answer, puts, figures)
            file = opened.file
        if file is not None:
            only = [text for text in gone if not _another_has(text, puts)]
            figures.left_in_file = occurrences(folder, only)
    return figures


def _another_has(text: str, puts: dict[str, Event]) -> bool:
    return sum(event["text"] == text for event in puts.values()) > 1


_COUNT = """
import pathlib, sys
folder, *texts = sys.argv[1:]
files = [path for path in pathlib.Path(folder).iterdir() if path.is_file()]
print(sum(path.read_bytes().count(text.encode()) for path in files for text in texts))
"""


def occurrences(folder: Path, texts: Sequence[str]) -> int:
    """How often texts stand in the bytes of the closed databases of a folder."""
    done = subprocess.run(  # noqa: S603 - this program's own words
        [sys.executable, "-I", "-c", _COUNT, str(folder), *texts],
        capture_output=True,
        text=True,
        check=True,
    )
    return int(done.stdout)


ROWS = (
    "staleness", "leak", "residue", "residue in files", "pinned", "as_of", "top1",
    "top1, same", "top1, paraphrase", "recall", "recall, same", "recall, paraphrase",
    "ms", "tokens",
)  # fmt: skip


def table(figures: dict[str, Figures]) -> str:
    lines = [f"{'':24}" + "".join(f"{name:>20}" for name in figures)]
    found = {name: one.as_json() for name, one in figures.items()}
    for row in ROWS:
        cells = (one.get(row) for one in found.values())
        text = "".join(
            f"{'-':>20}" if cell is None else f"{cell:20.0f}" if row in WHOLE else f"{cell:20.2f}"
            for cell in cells
        )
        lines.append(f"{row:24}{text}")
    return "\n".join(lines)


WHOLE = {"residue in files", "tokens"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--data", type=Path, nargs="+", required=True)
    parser.add_argument("--model", help="e.g. sentence-transformers:FOLDER; without, words alone")
    parser.add_argument("--lanes", nargs="+", help="ours, InMemoryStore, SqliteStore; all")
    parser.add_argument("--misses", action="store_true", help="what went wrong, by question")
    parser.add_argument("--json", help="write the figures here; - for the last line of stdout")
    chosen = parser.parse_args()
    model = SharedModel(chosen.model) if chosen.model else None
    lanes: dict[str, tuple[Any, SharedModel | None]] = {"ours, words": (ours, None)}
    if model:
        lanes["ours, meaning"] = (ours, model)
        lanes |= {name: (official(name), model) for name in PEERS}
    result: dict[str, Any] = {}
    for path in chosen.data:
        data = json.loads(path.read_text(encoding="utf-8"))
        figures = {}
        for name, (lane, with_model) in lanes.items():
            if not chosen.lanes or name.partition(",")[0] in chosen.lanes:
                figures[name] = run(data, lane, with_model)
        print(f"\n{path.name}: {len(data['events'])} events, {len(data['checks'])} questions")
        print(table(figures), flush=True)
        for name, one in figures.items():
            for row, value in one.as_json().items():
                result[f"{path.stem}.{name.replace(', ', '.')}.{row.replace(', ', '.')}"] = value
            if chosen.misses:
                print(f"\n{name}:", *one.misses, sep="\n")
    if chosen.json == "-":
        print(json.dumps(result))
    elif chosen.json:
        Path(chosen.json).write_text(json.dumps(result, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
