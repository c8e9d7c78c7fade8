"""What is opened is also a context manager, sync and async, and lives on after a fork; its clock
and its patience, unless it is given others.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime
from threading import Lock
from types import TracebackType
from typing import Self
from weakref import WeakSet

BUSY_TIMEOUT = 10.0
"""Seconds that a write waits for another process, unless told otherwise."""


def utc_now() -> datetime:
    """The moment now, in UTC."""
    return datetime.now(UTC)


_locks: WeakSet[Lock] = WeakSet()
"""Locks that a forked process must find free: the thread that held one is not there."""


def lock() -> Lock:
    """A lock that a forked process finds free, whoever held it at the fork."""
    made = Lock()
    _locks.add(made)
    return made


def _free_all() -> None:
    for one in _locks:
        one._at_fork_reinit()  # type: ignore[attr-defined]  # noqa: SLF001


if hasattr(os, "register_at_fork"):  # not on Windows, which cannot fork
    os.register_at_fork(after_in_child=_free_all)


class Closing:
    """`with` and `async with` over `close` and `aclose`."""

    def close(self) -> None:
        """Close it; closing twice is fine."""
        raise NotImplementedError

    async def aclose(self) -> None:
        """`close`, awaited."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()
