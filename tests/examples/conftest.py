from __future__ import annotations

from collections.abc import Iterator

import pytest
from travel_command import Terminal


@pytest.fixture
def terminals() -> Iterator[type[Terminal]]:
    opened: list[Terminal] = []

    class Tracked(Terminal):
        def __init__(self, *options: str) -> None:
            super().__init__(*options)
            opened.append(self)

    yield Tracked
    for terminal in opened:
        terminal.close()
