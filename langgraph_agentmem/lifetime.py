"""What is opened is also a context manager, sync and async."""

from __future__ import annotations

from types import TracebackType
from typing import Self


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
