"""What is opened is also a context manager, sync and async; its clock and its patience, unless it
is given others.
"""

from __future__ import annotations

from datetime import UTC, datetime
from types import TracebackType
from typing import Self

BUSY_TIMEOUT = 10.0
"""Seconds that a write waits for another process, unless told otherwise."""


def utc_now() -> datetime:
    """The moment now, in UTC."""
    return datetime.now(UTC)


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
