"""How much SQLite does: by steps of its machine, which are the same on every machine of ours."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable


def counted(connection: sqlite3.Connection, work: Callable[[], object]) -> int:
    """About how many steps of its machine, in tens, SQLite takes."""
    steps = 0

    def count() -> int:
        nonlocal steps
        steps += 1
        return 0

    connection.set_progress_handler(count, 10)
    work()
    connection.set_progress_handler(None, 10)
    return steps
