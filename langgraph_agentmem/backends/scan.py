"""Counts byte strings in files, as a program of its own: `python scan.py < what`.

It runs in another process because closing a database's file drops the locks that the closing
process holds on it (POSIX). What is looked for comes on standard input, where nobody else sees
it. A few megabytes of a file are in memory at a time.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

AT_ONCE = 4 * 2**20
"""Bytes read at a time."""


def count(path: Path, needles: Sequence[bytes]) -> int:
    """How often any of these stands in a file; 0 for one that is not there."""
    found = 0
    tail = b""
    longest = max(map(len, needles), default=1)
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return 0
    with file:
        while part := file.read(AT_ONCE):
            window = tail + part
            for needle in needles:
                # What ended in the part before was counted there.
                found += window.count(needle, max(0, len(tail) - len(needle) + 1))
            tail = window[-(longest - 1) :] if longest > 1 else b""
    return found


if __name__ == "__main__":
    asked = json.load(sys.stdin)
    wanted = [bytes.fromhex(one) for one in asked["needles"]]
    print(sum(count(Path(one), wanted) for one in asked["paths"]))  # noqa: T201 - its answer
