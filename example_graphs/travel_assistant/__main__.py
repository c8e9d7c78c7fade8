"""The command: the story without options, a conversation with `--chat`."""

from __future__ import annotations

import argparse
import io
import os
import subprocess
import sys
import textwrap
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NoReturn

from langgraph_agentmem import AgentMemory, ModelExtractor, RuleExtractor
from langgraph_agentmem.errors import AgentMemError

from .chat import Chat
from .graph import WINDOW, make_graph
from .models import ModelUnavailable, model_named
from .scenes import Scene, from_line, to_line
from .script import Traveller
from .stand_in import BANNER, StandInModel
from .story import next_traveller, play
from .tally import tally
from .telling import Page, tell, tell_tally
from .turn import thread

PROGRAM = "example_graphs.travel_assistant"
FAILED, WRONG_CALL, INTERRUPTED = 1, 2, 130

VISITS = (1, 2, 3)


class OneSentence(argparse.ArgumentParser):
    """A parser that says what is wrong with a call, and not all that there is."""

    def error(self, message: str) -> NoReturn:
        """Leave with one sentence."""
        self.exit(WRONG_CALL, f"{PROGRAM}: {message}; --help lists what there is\n")


def words(given: str) -> str:
    """An option's text, which must say something."""
    if not given.strip():
        raise argparse.ArgumentTypeError("must not be blank")
    try:
        given.encode()
    except UnicodeEncodeError as error:
        raise argparse.ArgumentTypeError("holds bytes that are no text") from error
    return given


_CHATS = ("user", "thread", "events", "model")
"""Options of the chat alone."""


def arguments() -> argparse.ArgumentParser:
    """What the command takes."""
    parser = OneSentence(
        prog=f"python -m {PROGRAM}",
        description="A travel assistant that remembers. Without options it tells a story of three "
        "visits, each in a process of its own on one file, beside the same assistant without "
        "memory. It runs offline and needs no key.",
    )
    parser.add_argument(
        "--db",
        type=Path,
        metavar="FILE",
        help="the memory's SQLite file; by default the story uses a temporary one, and the chat "
        "travel_assistant.db in this folder",
    )
    facts = parser.add_argument_group("story", "change a fact, and the story changes")
    usual = Traveller()
    for option, default, meaning in (
        ("--name", usual.name, "the traveller's name"),
        ("--allergy", usual.allergy, "what to avoid"),
        ("--city", usual.city, "where they live"),
        ("--moves-to", usual.moves_to, "and move to"),
    ):
        facts.add_argument(option, type=words, default=default, help=f"{meaning} (%(default)s)")
    facts.add_argument("--visit", type=int, choices=VISITS, help=argparse.SUPPRESS)
    facts.add_argument("--number", type=int, default=usual.number, help=argparse.SUPPRESS)
    chat = parser.add_argument_group("chat")
    chat.add_argument("--chat", action="store_true", help="talk to the assistant yourself")
    chat.add_argument(
        "--user", type=words, default="traveller", help="whose memory it is (%(default)s)"
    )
    chat.add_argument(
        "--thread", type=words, help="a conversation to go on with; a new one by default"
    )
    chat.add_argument(
        "--events",
        nargs="?",
        const="topics",
        choices=("topics", "content"),
        help="show what memory does as it happens, in topics and counts, or with values too",
    )
    chat.add_argument(
        "--model",
        type=words,
        metavar="PROVIDER:NAME",
        help="a chat model that LangChain can make, such as openai:gpt-4.1-mini (needs the extra "
        "`agents` and the provider's package); without it a stand-in answers by rule",
    )
    return parser


def _ignored(parser: argparse.ArgumentParser, args: argparse.Namespace) -> str:
    """What is wrong with the first option that would have no effect; "" when there is none."""
    others = ("name", "allergy", "city", "moves_to") if args.chat else _CHATS
    where = "the story, not to --chat" if args.chat else "--chat"
    given = (one for one in others if getattr(args, one) != parser.get_default(one))
    return next((f"--{one.replace('_', '-')} belongs to {where}" for one in given), "")


def main(given: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit code."""
    for stream in (sys.stdin, sys.stdout):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal may not know every letter
    parser = arguments()
    args = parser.parse_args(given)
    if ignored := _ignored(parser, args):
        parser.error(ignored)
    try:
        if args.chat:
            chat(args)
            return 0
        if args.visit:
            return visit(args)
        return story(args)
    except (AgentMemError, ModelUnavailable) as error:
        print(f"{PROGRAM}: {error}", file=sys.stderr)
        is_the_call = isinstance(error, ValueError | ImportError | ModelUnavailable)
        return WRONG_CALL if is_the_call else FAILED
    except KeyboardInterrupt:
        print()
        return INTERRUPTED
    except BrokenPipeError:
        # The reader has left. Python would try to write once more on the way out.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED


# The story ---------------------------------------------------------------------------------


def story(args: argparse.Namespace) -> int:
    """Play the three visits and print them as they happen."""
    if args.db is not None:
        return _told(args, args.db)
    with TemporaryDirectory(prefix="travel-assistant-") as folder:
        return _told(args, Path(folder) / "memory.db")


def _told(args: argparse.Namespace, file: Path) -> int:
    traveller, page = next_traveller(file, _traveller(args)), Page.of(sys.stdout)
    for line in textwrap.wrap(
        f"A travel assistant with memory, beside one that sees the last {WINDOW} messages of its "
        f"thread. {BANNER} Three processes share one file; the traveller is the user "
        f"“{traveller.user_id}”.",
        page.width,
    ):
        print(line)
    scenes: list[Scene] = []
    for number in VISITS:
        with subprocess.Popen(  # noqa: S603 - this program itself
            _visit_command(number, traveller, file), stdout=subprocess.PIPE, text=True
        ) as playing:
            for scene in _heard(playing):
                scenes.append(scene)
                for line in tell(scene, traveller, page):
                    print(line, flush=True)
        if playing.returncode:
            return playing.returncode
    for line in tell_tally([*tally(scenes, traveller)], page):
        print(line)
    return 0


def _heard(playing: subprocess.Popen[str]) -> Iterator[Scene]:
    assert playing.stdout is not None  # noqa: S101 - it was asked for
    yield from map(from_line, playing.stdout)


def _visit_command(number: int, traveller: Traveller, file: Path) -> list[str]:
    options = {
        "--visit": number,
        "--db": file,
        "--number": traveller.number,
        "--name": traveller.name,
        "--allergy": traveller.allergy,
        "--city": traveller.city,
        "--moves-to": traveller.moves_to,
    }
    given = [f"{option}={value}" for option, value in options.items()]
    return [sys.executable, "-m", PROGRAM, *given]


def visit(args: argparse.Namespace) -> int:
    """Play one visit; its scenes go to the process that prints them."""
    for scene in play(args.visit, _traveller(args), args.db):
        print(to_line(scene), flush=True)
    return 0


def _traveller(args: argparse.Namespace) -> Traveller:
    return Traveller(
        name=args.name,
        allergy=args.allergy,
        city=args.city,
        moves_to=args.moves_to,
        number=args.number,
    )


# The chat ----------------------------------------------------------------------------------


def chat(args: argparse.Namespace) -> None:
    """Talk at the terminal."""
    model = model_named(args.model) if args.model else StandInModel()
    extractor = ModelExtractor(model) if args.model else RuleExtractor()
    file = args.db or Path("travel_assistant.db")
    thread_id = args.thread or f"{args.user}-{datetime.now(UTC):%Y%m%d-%H%M%S}"
    with AgentMemory.open(file) as memory:
        memory.claim_thread(thread_id, args.user)
        print(f"You are “{args.user}” in thread “{thread_id}”; memory is kept in {file}.")
        print(f"{args.model} answers." if args.model else BANNER)
        print("/help lists the commands; /quit leaves.")
        Chat(
            memory=memory,
            graph=make_graph(memory, model, extractor=extractor),
            config=thread(thread_id, content=args.events == "content"),
            user_id=args.user,
            page=Page.of(sys.stdout),
            events=args.events is not None,
        ).run()


if __name__ == "__main__":
    sys.exit(main())
