"""How a check is written, kept in the table, and run in a lane."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from inspect import getdoc
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias, TypeVar

from langgraph.store.base import BaseStore, TTLConfig

Lane: TypeAlias = Literal["sync", "async"]
LANES: tuple[Lane, ...] = ("sync", "async")

HOME = ("memories", "asha")
"""The namespace of a check that needs just one."""

PATIENCE = 120.0
"""Seconds after which something that should happen by itself counts as missing."""

T = TypeVar("T")
E = TypeVar("E", bound=BaseException)


class OpenStore(Protocol):
    """Opens a store for a check."""

    def __call__(
        self,
        place: Path,
        *,
        index: Mapping[str, Any] | None,
        ttl: TTLConfig | None,
        clock: Callable[[], datetime],
    ) -> BaseStore:
        """The store kept at a folder.

        Args:
            place: Empty at first; opened again, it is the same store.
            index: LangGraph's index configuration.
            ttl: LangGraph's TTL configuration.
            clock: Tells the time, with a timezone; the store must ask no other.
        """
        ...


class HandClock:
    """A clock that the check moves; it also moves a millisecond by itself at every look."""

    def __init__(self) -> None:
        self.moment = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
        self._looks = 0
        self._changed = threading.Condition()

    def __call__(self) -> datetime:
        """The moment now."""
        with self._changed:
            self.moment += timedelta(milliseconds=1)
            self._looks += 1
            self._changed.notify_all()
            return self.moment

    def advance(self, **by: float) -> None:
        """Let time pass: `advance(minutes=5)`."""
        with self._changed:
            self.moment += timedelta(**by)

    def wait_for_looks(self, number: int) -> bool:
        """Wait until somebody has looked so many times more; False if nobody does."""
        with self._changed:
            wanted = self._looks + number
            return self._changed.wait_for(lambda: self._looks >= wanted, PATIENCE)


class Caller:
    """A store as a lane calls it: `await caller.put(…)` is `store.put(…)` or
    `await store.aput(…)`. `store` is the store itself.
    """

    def __init__(self, store: BaseStore, lane: Lane) -> None:
        self.store: Any = store
        self._lane = lane

    def __getattr__(self, verb: str) -> Callable[..., Awaitable[Any]]:
        if verb.startswith("_"):
            raise AttributeError(verb)

        async def call(*args: Any, **kwargs: Any) -> Any:
            if self._lane == "sync":
                return getattr(self.store, verb)(*args, **kwargs)
            return await getattr(self.store, f"a{verb}")(*args, **kwargs)

        return call

    async def keys(self, *args: Any, **kwargs: Any) -> list[str]:
        """The keys that a search finds, in its order."""
        return [item.key for item in await self.search(*args, **kwargs)]

    async def value(self, key: object, namespace: tuple[str, ...] = HOME) -> Any:
        """The value under a key; None if there is none."""
        item = await self.get(namespace, key)
        return None if item is None else item.value


@dataclass(kw_only=True)
class Room:
    """Where one check happens: its lane, its clock, and the stores that it opens."""

    lane: Lane
    place: Path
    open_store: OpenStore
    clock: HandClock = field(default_factory=HandClock)
    opened: list[Caller] = field(default_factory=list)

    def open(
        self,
        *,
        index: Mapping[str, Any] | None = None,
        ttl: TTLConfig | None = None,
    ) -> Caller:
        """The store of this room; opened twice, it is one store in two hands."""
        store = self.open_store(self.place, index=index, ttl=ttl, clock=self.clock)
        caller = Caller(store, self.lane)
        self.opened.append(caller)
        return caller

    async def leave(self) -> None:
        """Close every store that was opened and not closed."""
        while self.opened:
            await self.close(self.opened.pop())

    async def close(self, caller: Caller) -> None:
        """Close a store; one that has no `close` has nothing to close."""
        if caller in self.opened:
            self.opened.remove(caller)
        if hasattr(caller.store, "close"):
            await caller.close()

    async def wait(self, until: Callable[[], T]) -> T:
        """What a blocking function returns, waited for as the lane waits."""
        return until() if self.lane == "sync" else await asyncio.to_thread(until)


Body: TypeAlias = Callable[[Room], Coroutine[Any, Any, None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One promise: its id, what it says, the lanes in which it holds, and how it is tested."""

    id: str
    says: str
    lanes: tuple[Lane, ...]
    body: Body

    def run(self, lane: Lane, open_store: OpenStore, place: Path) -> None:
        """Test it on a new store kept at the folder `place`.

        Raises:
            AssertionError: The promise is broken.
            unittest.SkipTest: A package that it needs is not installed.
        """
        place.mkdir(parents=True, exist_ok=True)
        room = Room(lane=lane, place=place, open_store=open_store)
        if lane == "async":
            asyncio.run(self._in(room))
        else:
            run_sync(self._in(room))

    async def _in(self, room: Room) -> None:
        try:
            await self.body(room)
        finally:
            await room.leave()


CHECKS: dict[str, Check] = {}
"""Every promise by its id."""


def promise(name: str, *, only: Lane | None = None) -> Callable[[Body], Body]:
    """Put a function into the table as the check of a promise; its docstring says which."""

    def add(body: Body) -> Body:
        if name in CHECKS:
            raise ValueError(f"two checks are called {name}")
        says = " ".join((getdoc(body) or "").split())
        lanes = LANES if only is None else (only,)
        CHECKS[name] = Check(id=name, says=says, lanes=lanes, body=body)
        return body

    return add


def every_check() -> list[tuple[Check, Lane]]:
    """Every check in each of its lanes."""
    return [(check, lane) for check in CHECKS.values() for lane in check.lanes]


def run_sync(work: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine that waits for nothing."""
    try:
        work.send(None)
    except StopIteration as done:
        result: T = done.value
        return result
    work.close()
    raise RuntimeError("a check waited for an event loop in the sync lane")


# What checks say ------------------------------------------------------------------------------


def same(expected: object, actual: object, about: str = "") -> None:
    """Raises AssertionError unless both are equal."""
    if expected != actual:
        raise AssertionError(f"{about or 'a value'}: expected {expected!r}, got {actual!r}")


def same_json(expected: object, actual: object, about: str = "") -> None:
    """Raises AssertionError unless both are the same JSON: true is not 1, nor 1.0."""
    same(json.dumps(expected, sort_keys=True), json.dumps(actual, sort_keys=True), about)


def true(holds: object, about: str) -> None:
    """Raises AssertionError unless something holds."""
    if not holds:
        raise AssertionError(f"it does not hold that {about}")


async def refused(work: Awaitable[object], *kinds: type[E], about: str = "") -> E:
    """The error, of one of these kinds, with which something ends."""
    try:
        await work
    except kinds as error:
        return error
    raise AssertionError(f"{about or 'it'} was not refused")


async def works_or_is_refused(work: Awaitable[object]) -> bool:
    """Whether something worked; False if it was refused with a ValueError."""
    try:
        await work
    except ValueError:
        return False
    return True


async def put_all(store: Caller, values: Mapping[str, Mapping[str, Any]]) -> None:
    """Put values under their keys, one after the other."""
    for key, value in values.items():
        await store.put(HOME, key, value)


def texts(words: Iterable[str]) -> dict[str, dict[str, str]]:
    """Each word under itself as `{"text": word}`."""
    return {word: {"text": word} for word in words}


def until(holds: Callable[[], bool]) -> bool:
    """Wait until something holds; False if it does not come to hold."""
    give_up = time.monotonic() + PATIENCE
    while not holds():
        if time.monotonic() > give_up:
            return False
        time.sleep(0.002)
    return True
