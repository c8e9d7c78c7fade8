"""A conversation at the terminal, with commands to look into the memory and to change it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeAlias

from langchain_core.runnables import RunnableConfig

from langgraph_agentmem import AgentMemory, UserMemory
from langgraph_agentmem.errors import AgentMemError, BudgetTooSmall, InvalidTopic, MemoryNotFound

from .graph import Graph, erase_what_was_asked
from .telling import Page
from .tools import EVERYTHING
from .turn import NOT_KEPT, take_turn
from .wording import event_line, history_lines, memory_line, nothing_under, receipt_lines

with suppress(ImportError):
    import readline  # noqa: F401 - gives input() a line that can be edited

HELP = f"""\
/memories         what is remembered about you
/history TOPIC    every value that a topic has had
/pin TOPIC        recall it on every call
/unpin TOPIC      recall it when it is relevant
/forget TOPIC     erase it for good, here and in old conversations; "{EVERYTHING}" erases all
/help             these lines
/quit             leave; so does the end of input"""

NOTHING = "Nothing is remembered about you."

WITHOUT_SLASH = {"help": "/help", "quit": "/quit", "exit": "/quit", "/exit": "/quit"}
"""Lines that are commands too."""

Command: TypeAlias = Callable[[UserMemory, str], Iterator[str]]


def _memories(mine: UserMemory, _: str) -> Iterator[str]:
    kept = mine.memories()
    yield from map(memory_line, kept)
    if not kept:
        yield NOTHING


def _history(mine: UserMemory, topic: str) -> Iterator[str]:
    versions = mine.history(topic)
    if not versions:
        raise MemoryNotFound(topic=topic)
    yield from history_lines(versions)


def _pin(mine: UserMemory, topic: str) -> Iterator[str]:
    yield memory_line(mine.pin(topic))


def _unpin(mine: UserMemory, topic: str) -> Iterator[str]:
    yield memory_line(mine.unpin(topic))


def _forget(mine: UserMemory, topic: str) -> Iterator[str]:
    receipt = mine.forget(None if topic == EVERYTHING else topic)
    if receipt.total:
        yield from receipt_lines(topic, receipt)
    elif topic == EVERYTHING:
        yield NOTHING
    else:
        raise MemoryNotFound(topic=topic)


def _help(_mine: UserMemory, _: str) -> Iterator[str]:
    yield from HELP.splitlines()


COMMANDS: Mapping[str, tuple[Command, bool]] = {
    # and whether it needs a topic
    "/memories": (_memories, False),
    "/history": (_history, True),
    "/pin": (_pin, True),
    "/unpin": (_unpin, True),
    "/forget": (_forget, True),
    "/help": (_help, False),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Chat:
    """Who talks with whom, where it is kept, and whether events are shown as they happen."""

    memory: AgentMemory
    graph: Graph
    config: RunnableConfig
    user_id: str
    page: Page
    events: bool = False

    def run(self) -> None:
        """Talk until the input ends or /quit is said."""
        self._erase()
        for said in _lines():
            if said.startswith("/"):
                self._command(said)
            else:
                self._say(said)

    def _command(self, said: str) -> None:
        name, _, rest = said.partition(" ")
        topic = rest.strip(' "“”')
        command, needs_topic = COMMANDS.get(name, (None, False))
        if command is None:
            print(f"There is no {name}; /help lists what there is.")
        elif needs_topic and not topic:
            print(f"{name} needs a topic; /memories lists them.")
        else:
            mine = self.memory.for_user(self.user_id)
            try:
                for line in command(mine, topic):
                    print(line)
            except (MemoryNotFound, InvalidTopic):
                print(nothing_under(topic, mine.memories()))
            except AgentMemError as error:
                print(error)

    def _say(self, said: str) -> None:
        heard = ""

        def hear(word: str) -> None:
            nonlocal heard
            heard = word or heard
            print(word, end="", flush=True)

        def watch(event: Mapping[str, Any]) -> None:
            hear("" if heard.endswith("\n") or not heard else "\n")
            print(self.page.inked((f"  ~ {event_line(event)}", "dim")), flush=True)

        seen = watch if self.events else (lambda _: None)
        try:
            turn = take_turn(self.graph, said, self.config, self.user_id, hear=hear, watch=seen)
        except BudgetTooSmall as error:
            print(_too_long(has_pins=bool(error.pinned)))
        except AgentMemError as error:
            print(error)
        except Exception as error:  # noqa: BLE001 - a provider's error is no reason to hang up
            print(f"That failed: {type(error).__name__}: {error}")
        else:
            hear("" if heard.endswith("\n") else "\n")
            notes = [note for note in turn.notes if not self.events or note.startswith(NOT_KEPT)]
            if notes:
                print(self.page.inked((f"  · {' · '.join(notes)}", "dim")))
            self._erase()

    def _erase(self) -> None:
        """What was asked for in the run that is over, or in one that a crash cut off."""
        receipts = erase_what_was_asked(self.graph, self.memory, self.config, self.user_id)
        for topic, receipt in receipts.items():
            for line in receipt_lines(topic, receipt):
                print(line)


def _too_long(*, has_pins: bool) -> str:
    remedy = "say it in shorter parts" + (", or /unpin a topic" if has_pins else "")
    return f"Your message is too long for the assistant's context: {remedy}."


def _lines() -> Iterator[str]:
    """What the user types, without blank lines; from a pipe it is shown as it is read."""
    while True:
        try:
            said = input("> ").strip()
        except EOFError:
            print()
            return
        if not sys.stdin.isatty():
            print(said)
        said = WITHOUT_SLASH.get(said.casefold(), said)
        if said == "/quit":
            return
        if said:
            yield said
