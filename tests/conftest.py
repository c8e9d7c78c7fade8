from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from events_page import wrong_in
from hypothesis import HealthCheck, settings

from langgraph_agentmem import AgentMemory
from langgraph_agentmem.nodes.run import EVENT, Run

# A busy machine is no failure: no property says how long an example takes. Every run looks at
# other examples; `make test-slow` looks at more (`--hypothesis-profile=thorough`).
settings.register_profile(
    "patient", max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("thorough", settings.get_profile("patient"), max_examples=1000)
settings.load_profile("patient")


class Clock:
    """A clock that tests move by hand; it also moves a little by itself at every look."""

    def __init__(self) -> None:
        self.moment = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.moment += timedelta(milliseconds=1)
        return self.moment

    def advance(self, **by: float) -> None:
        self.moment += timedelta(**by)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@pytest.fixture
def memory(path: Path, clock: Clock):
    with AgentMemory.open(path, clock=clock) as opened:
        yield opened


@pytest.fixture(autouse=True)
def events_are_as_documented(monkeypatch: pytest.MonkeyPatch):
    """Whatever a test is about: what it makes the package send is what `docs/events.md` says."""
    found: list[str] = []
    emit = Run.emit

    def emit_and_look(run: Run, event: str, /, **data: object) -> None:
        held = {name: value for name, value in data.items() if name != "content" or value}
        found.append(wrong_in({EVENT: event, **held}))
        emit(run, event, **data)

    monkeypatch.setattr(Run, "emit", emit_and_look)
    yield
    assert [] == [wrong for wrong in found if wrong]
