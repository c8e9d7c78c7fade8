"""Ask another process how often byte strings stand in a database's files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from langgraph_agentmem.errors import StorageError

_PROGRAM = Path(__file__).with_name("scan.py")
SUFFIXES = ("", "-wal", "-journal")
"""The files of one database."""


def count_in_files(path: str, needles: Sequence[bytes]) -> int:
    """How often any of these stands in the files of a database.

    Raises:
        StorageError: No Python can be started to look.
    """
    if not needles:
        return 0
    real = os.path.realpath(path)
    asked = {
        "needles": [needle.hex() for needle in needles],
        "paths": [real + suffix for suffix in SUFFIXES],
    }
    try:
        done = subprocess.run(  # noqa: S603 - our own program, by this very Python
            [sys.executable or "python3", "-I", "-S", str(_PROGRAM)],
            input=json.dumps(asked),
            capture_output=True,
            check=True,
            text=True,
        )
        return int(done.stdout)
    except (OSError, subprocess.SubprocessError, ValueError):
        # Not the cause: its command's input is content.
        raise StorageError("the files could not be looked through", path=path) from None
