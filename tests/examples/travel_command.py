"""Programs of this folder as a person meets them: a command, its output, a terminal."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-m", "example_graphs.travel_assistant"]
ENVIRONMENT = {**os.environ, "COLUMNS": "100", "TERM": "dumb"}
PATIENCE = 300.0
TOLD = "Hi, my name is Asha.\nI live in Oslo.\nMy phone number is +47 400 00 001.\n"
"""What a user says first."""


def start(*options: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*COMMAND, *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env=ENVIRONMENT,
    )


def run(*options: str, said: str = "") -> tuple[int, str, str]:
    """Exit code, output and errors of the command, given these lines on its input."""
    with start(*options) as process:
        out, errors = process.communicate(said, timeout=PATIENCE)
    return process.returncode, out, errors


@contextmanager
def hearing_ctrl_c() -> Iterator[None]:
    """What is started here hears Ctrl-C, even where whoever started this does not (`nohup`)."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


class Terminal:
    """A terminal with a program in it, and somebody who types and reads."""

    def __init__(self, *options: str) -> None:
        self.screen, inside = pty.openpty()
        with hearing_ctrl_c():
            self.program = subprocess.Popen(
                [*COMMAND, *options],
                stdin=inside,
                stdout=inside,
                stderr=inside,
                cwd=ROOT,
                env=ENVIRONMENT,
            )
        os.close(inside)
        self.seen = ""

    def type(self, text: str) -> None:
        os.write(self.screen, text.encode())

    def until(self, text: str) -> str:
        """What the screen shows from the last call up to this text."""
        deadline = time.monotonic() + PATIENCE
        while text not in self.seen:
            left = max(deadline - time.monotonic(), 0)
            ready, _, _ = select.select([self.screen], [], [], left)
            more = self._read() if ready else ""
            assert more, f"{text!r} did not come; the screen shows {self.seen!r}"
            self.seen += more
        shown, _, self.seen = self.seen.partition(text)
        return shown + text

    def leave(self) -> tuple[int, str]:
        """Exit code, and the rest of what the screen shows."""
        while more := self._read():
            self.seen += more
        return self.program.wait(PATIENCE), self.seen

    def leave_by_ctrl_c(self) -> tuple[int, str]:
        """Exit code, and the rest of what the screen shows.

        A signal that comes while Python is about to read waits for the next key or signal, so a
        person, and this, presses again; not while it leaves, however slowly it does.
        """
        deadline = time.monotonic() + PATIENCE
        while self.program.poll() is None:
            assert time.monotonic() < deadline, f"it does not leave; the screen shows {self.seen!r}"
            self.program.send_signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                self.program.wait(60)
        return self.leave()

    def kill(self) -> None:
        self.program.send_signal(signal.SIGKILL)
        self.program.wait(PATIENCE)

    def close(self) -> None:
        if self.program.poll() is None:
            self.kill()
        os.close(self.screen)

    def _read(self) -> str:
        try:
            return os.read(self.screen, 65536).decode(errors="replace")
        except OSError:  # the program has left, and its terminal with it
            return ""
