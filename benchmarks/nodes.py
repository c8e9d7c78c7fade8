"""What reaches the model when a conversation is cut: ours beside three peers, in one run.

    python -m benchmarks.nodes                      # 10,000 histories and cuts, some minutes
    python -m benchmarks.nodes --histories 500      # a quick look
    python -m benchmarks.nodes --json nodes.json    # the figures too

Every lane gets the same made-up histories, each of which providers accept as it is: turns with
parallel calls, calls in a row, thinking, and a last turn that is still open. Each is cut at a
random budget or number of messages. One oracle (`tests/core/message_rules.py`) looks at what comes
out. The summarizer of every lane answers "They talked." and so loses every value, as the worst
model would.
"""

from __future__ import annotations

import argparse
import json
import logging
import random
import statistics
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from langchain.agents.middleware import SummarizationMiddleware
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    RemoveMessage,
    SystemMessage,
    ToolMessage,
    trim_messages,
)
from langgraph.graph.message import REMOVE_ALL_MESSAGES, add_messages
from langmem.short_term import summarize_messages

from langgraph_agentmem import build_context, summarize_old_turns, trim
from langgraph_agentmem.errors import BudgetTooSmall

sys.path.append(str(Path(__file__).parents[1] / "tests" / "core"))
from message_rules import broken_rules

SUMMARY = "They talked."
PAIRS = "2, 3 calls followed at once by their results"

Messages = list[BaseMessage]


class Losing(GenericFakeChatModel):
    """A model that says the same of everything."""

    def __init__(self) -> None:
        super().__init__(messages=iter(()))

    def _generate(self, *args: Any, **kwargs: Any) -> Any:
        self.messages = iter([SUMMARY])
        return super()._generate(*args, **kwargs)


def words(messages: Sequence[BaseMessage]) -> int:
    return sum(len(str(message.text).split()) + 1 for message in messages)


# Histories -----------------------------------------------------------------------------------


def calling(chance: random.Random, ids: list[str]) -> AIMessage:
    calls = [{"id": one, "name": "find", "args": {"n": 1}} for one in ids]
    if chance.choice([True, False, False]):
        thought = {"type": "thinking", "thinking": "hm", "signature": "signed"}
        blocks = [{"type": "tool_use", "id": one, "name": "find", "input": {}} for one in ids]
        return AIMessage([thought, {"type": "text", "text": "looking"}, *blocks], tool_calls=calls)
    return AIMessage(chance.choice(["looking", ""]), tool_calls=calls)


def turn(chance: random.Random, name: str, say: Callable[[], str]) -> Messages:
    made: Messages = [HumanMessage(say())]
    for step in range(chance.choice([0, 0, 1, 1, 2, 3])):
        ids = [f"{name}.{step}.{n}" for n in range(chance.choice([1, 1, 2, 3]))]
        made.append(calling(chance, ids))
        chance.shuffle(ids)
        made += [ToolMessage(say(), tool_call_id=one) for one in ids]
    return [*made, AIMessage(say())]


def history(chance: random.Random, say: Callable[[], str], turns: int) -> Messages:
    """Settled turns and an open one, which ends with the user's words or within its calls."""
    made: Messages = chance.choice([[SystemMessage("Be brief.")], []])
    for n in range(turns):
        made += turn(chance, str(n), say)
    *opened, _ = turn(chance, "open", say)
    made += opened
    for index, message in enumerate(made):
        message.id = str(index)
    return made


def chatter(chance: random.Random) -> Callable[[], str]:
    return lambda: "word " * chance.randint(1, 12)


# Lanes ---------------------------------------------------------------------------------------

NODES: dict[Any, Any] = {}


def our_summary(messages: Messages, size: int, keep: int, *, remove: bool) -> Messages:
    key = (size, keep, remove)
    if key not in NODES:
        NODES[key] = summarize_old_turns(
            Losing(),
            trigger=("tokens", size),
            keep=("messages", keep),
            remove=remove,
            token_counter=words,
        )
    state: dict[str, Any] = {"messages": messages}
    update = NODES[key].invoke(state)
    if "messages" in update:
        update["messages"] = add_messages(messages, update["messages"])  # type: ignore[arg-type]
    return build_context({**state, **update}, budget=10**6, token_counter=words)


def middleware(messages: Messages, size: int, keep: int) -> Messages:
    node: Any = SummarizationMiddleware(
        Losing(), trigger=("tokens", size), keep=("messages", keep), token_counter=words
    )
    update = node.before_model({"messages": list(messages)}, None)
    if not update:
        return messages
    return [
        one
        for one in update["messages"]
        if not (isinstance(one, RemoveMessage) and one.id == REMOVE_ALL_MESSAGES)
    ]


def langmem(messages: Messages, size: int, keep: int) -> Messages:
    # langmem counts its prompt too; its summary may take a quarter of the window.
    result = summarize_messages(
        messages,
        running_summary=None,
        model=Losing(),
        max_tokens=size,
        max_summary_tokens=max(size // 4, 1),
        token_counter=words,
    )
    return result.messages


def trimmed(messages: Messages, size: int, keep: int, **options: Any) -> Messages:
    return trim_messages(messages, max_tokens=size, strategy="last", token_counter=words, **options)


LANES: dict[str, Callable[[Messages, int, int], Messages]] = {
    "summarize_old_turns": lambda m, size, keep: our_summary(m, size, keep, remove=False),
    "summarize_old_turns, remove=True": lambda m, size, keep: our_summary(
        m, size, keep, remove=True
    ),
    "build_context": lambda m, size, keep: build_context(
        {"messages": m}, budget=size, token_counter=words
    ),
    "trim": lambda m, size, keep: trim(m, budget=size, token_counter=words),
    "trim_messages": trimmed,
    "trim_messages, as documented for chat": lambda m, size, keep: trimmed(
        m, size, keep, include_system=True, start_on="human", end_on=("human", "tool")
    ),
    "langmem summarize_messages": langmem,
    "SummarizationMiddleware": middleware,
}


# What is measured ----------------------------------------------------------------------------


def invalid(lane: str, histories: int, seed: int) -> dict[str, Any]:
    """Over random histories and cuts: lists that break a rule, by rule; calls that raised; lists
    in which the user's open question does not stand word for word.
    """
    chance = random.Random(seed)
    rules: Counter[str] = Counter()
    found: Counter[str] = Counter()
    for _ in range(histories):
        messages = history(chance, chatter(chance), chance.randint(1, 6))
        size, keep = chance.randint(10, 200), chance.randint(1, 8)
        assert broken_rules(messages) == [], "a history must be one that providers accept"
        try:
            view = LANES[lane](messages, size, keep)
        except BudgetTooSmall:
            found["refused"] += 1  # said before anything is sent
            continue
        except Exception:  # noqa: BLE001 - a peer's error ends the user's turn
            found["raised"] += 1
            continue
        broken = broken_rules(one_head(view), messages)
        found["invalid"] += bool(broken)
        found["broken pairs"] += PAIRS in broken
        rules.update(broken)
        asked = next(m.id for m in reversed(messages) if isinstance(m, HumanMessage))
        found["question lost"] += not any(message.id == asked for message in view)
    counted = ("invalid", "broken pairs", "question lost", "raised", "refused")
    return {**{name: found[name] for name in counted}, "rules": dict(rules)}


def one_head(view: Messages) -> Messages:
    """The list with one leading system message: providers take several in a row as one."""
    first = next((n for n, m in enumerate(view) if not isinstance(m, SystemMessage)), len(view))
    return view[max(first - 1, 0) :]


def planted(chance: random.Random) -> Iterator[str]:
    while True:
        number = chance.randint(1000, 999_999)
        yield chance.choice(
            [
                f"INC-{number}",
                f"€{number / 100:.2f}",
                f"2026-0{number % 9 + 1}-1{number % 9}",
                f"+49 30 {number}0",
                f"guest{number}@example.org",
                f"{number % 90 + 1} Mill Lane, Bristol",
                f'"never before {number % 12} o\'clock, row {number}"',
            ]
        )


def lost(lane: str, histories: int, seed: int) -> dict[str, int]:
    """Values planted in long conversations, and how many of them reach the model in no way."""
    chance = random.Random(seed)
    values = planted(chance)
    said: list[str] = []

    def say() -> str:
        said.append(next(values))
        return f"Please note: {said[-1]}."

    whole = gone = 0
    for _ in range(histories):
        said.clear()
        messages = history(chance, say, 8)
        there = "\n".join(str(message.content) for message in messages)
        here = [value for value in said if value in there]
        try:
            view = LANES[lane](messages, 60, 4)
        except Exception:  # noqa: BLE001 - nothing reaches the model then
            view = []
        text = "\n".join(str(message.content) for message in view)
        whole += len(here)
        gone += sum(value not in text for value in here)
    return {"planted": whole, "lost": gone}


def milliseconds(lane: str, messages: int, seed: int) -> float:
    """Process CPU of one call on a long conversation, the median of some."""
    chance = random.Random(seed)
    made: Messages = []
    while len(made) < messages:
        made = history(chance, chatter(chance), messages // 4 + len(made) // 8)
    made = made[: messages - 1]
    while not isinstance(made[-1], AIMessage) or made[-1].tool_calls:
        made.pop()
    made.append(HumanMessage("and now?", id="now"))
    times = []
    for _ in range(5):
        start = time.process_time()
        LANES[lane](made, 2000, 20)
        times.append(time.process_time() - start)
    return statistics.median(times) * 1000


def main(arguments: Sequence[str] | None = None) -> dict[str, Any]:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--histories", type=int, default=10_000, help="random histories and cuts")
    parser.add_argument("--messages", type=int, default=1_000, help="of the timed conversation")
    parser.add_argument("--seed", type=int, default=20261130)
    parser.add_argument("--json", type=Path, help="write the figures here, too")
    given = parser.parse_args(arguments)
    warnings.simplefilter("ignore")  # peers warn of their own things
    logging.disable()
    figures: dict[str, Any] = {}
    print(
        f"{'':38} {'invalid':>8} {'pairs':>6} {'question':>9} {'raised':>7} {'refused':>8} "
        f"{'values':>10} {'ms for':>8}\n"
        f"{f'of {given.histories:,} histories and cuts':38} {'lists':>8} {'broken':>6} "
        f"{'lost':>9} {'':>7} {'':>8} {'lost':>10} {given.messages:>8,}"
    )
    for lane in LANES:
        one = invalid(lane, given.histories, given.seed)
        values = lost(lane, max(given.histories // 20, 10), given.seed)
        spent = milliseconds(lane, given.messages, given.seed)
        figures[lane] = {**one, "values": values, "milliseconds": spent}
        share = values["lost"] / values["planted"]
        print(
            f"{lane:38} {one['invalid']:>8,} {one['broken pairs']:>6,} {one['question lost']:>9,} "
            f"{one['raised']:>7,} {one['refused']:>8,} {share:>10.1%} {spent:>8.1f}"
        )
    if given.json:
        given.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    return figures


if __name__ == "__main__":
    main()
