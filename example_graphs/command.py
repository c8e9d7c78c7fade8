"""What the commands of the shorter stories share: options, a file, a model, and how they print."""

from __future__ import annotations

import argparse
import sys
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from langchain_core.language_models import BaseChatModel

from langgraph_agentmem import AgentMemory
from langgraph_agentmem.errors import AgentMemError

from .travel_assistant.models import ModelUnavailable, model_named

WIDTH = 96
FAILED, WRONG_CALL = 1, 2

BANNER = (
    "No language model speaks here: a stand-in answers by simple rules, only from lines that it "
    "was shown. --model takes a real one."
)


class StoryClock:
    """A clock that stands in the story's time, on a Monday at first."""

    def __init__(self) -> None:
        self.moment = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        """A moment later than the last."""
        self.moment += timedelta(milliseconds=1)
        return self.moment

    def advance(self, days: int) -> None:
        """So many days later."""
        self.moment += timedelta(days=days)

    def go_on_after(self, memory: AgentMemory) -> None:
        """Begin on the Monday after the last story that a file was told, if there was one."""
        known = memory.store.search((), limit=1000)
        if known:
            last = max(one.updated_at for one in known)
            self.moment += timedelta(weeks=(last - self.moment) // timedelta(weeks=1) + 1)


def options(program: str, description: str) -> argparse.Namespace:
    """The options of a command line."""
    parser = argparse.ArgumentParser(prog=f"python -m {program}", description=description)
    parser.add_argument(
        "--model",
        metavar="PROVIDER:NAME",
        help="a chat model that LangChain can make, such as openai:gpt-4.1-mini (needs the extra "
        "`agents` and the provider's package); without it a stand-in answers by rule",
    )
    parser.add_argument(
        "--db", type=Path, metavar="FILE", help="the memory's SQLite file (a temporary one)"
    )
    return parser.parse_args()


def model_of(given: argparse.Namespace, stand_in: Callable[[], BaseChatModel]) -> BaseChatModel:
    """The model that was named, or the stand-in."""
    return model_named(given.model) if given.model else stand_in()


@contextmanager
def file_of(given: argparse.Namespace) -> Iterator[Path]:
    """The file that was named, or one that ends with the story."""
    if given.db is not None:
        yield given.db
        return
    with TemporaryDirectory(prefix="agentmem-") as folder:
        yield Path(folder) / "memory.db"


def run(main: Callable[[], None], program: str) -> int:
    """Run a command; what goes wrong is said in one line. Returns its exit code."""
    try:
        main()
    except (AgentMemError, ModelUnavailable) as error:
        print(f"{program}: {error}", file=sys.stderr)
        return WRONG_CALL if isinstance(error, ImportError | ModelUnavailable) else FAILED
    return 0


def counted(number: int, thing: str) -> str:
    """How many of a thing: 1 call, 2 calls."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def heading(text: str) -> None:
    """A line across the page."""
    print(f"\n── {text} {'─' * max(WIDTH - len(text) - 4, 3)}")


def told(text: str) -> None:
    """A paragraph."""
    print(textwrap.fill(text, WIDTH))


def spoken(who: str, text: str) -> None:
    """What somebody says."""
    for at, line in enumerate(text.splitlines() or [""]):
        lead = f"{who}: " if at == 0 else " " * (len(who) + 2)
        print(textwrap.fill(line, WIDTH, initial_indent=f"  {lead}", subsequent_indent=" " * 6))


def noted(text: str) -> None:
    """What memory did."""
    print(textwrap.fill(text, WIDTH, initial_indent="  · ", subsequent_indent="    "))
