"""The core: decisions in generators, and the only two loops that run them.

A step function yields a `Statement`, is sent its rows, and returns a result; it never waits,
reads a clock or makes an id. Verbs above it yield a `Call` for each thing that they wait for (an
embedder, a transaction, a model), so that sync and async callers share every decision.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeVar

Row: TypeAlias = Mapping[str, Any]
Rows: TypeAlias = Sequence[Row]

T = TypeVar("T")
Asked = TypeVar("Asked")


@dataclass(slots=True)  # frozen, it took three times as long to make, and one is made per query
class Statement:
    """One named query with its parameters.

    `condition` is SQL from `filters.py` alone, which builds it from a fixed table; it takes the
    place of `/*condition*/` in the named query.
    """

    name: str
    params: Mapping[str, object] = field(default_factory=dict)
    condition: str = ""


@dataclass(slots=True)
class Call:
    """One thing to wait for, said twice: how to call it, and how to await it."""

    now: Callable[[], Any]
    soon: Callable[[], Awaitable[Any]]


Steps: TypeAlias = Generator[Statement, Rows, T]
"""The named queries of one transaction, ending in a result of type T."""

Work: TypeAlias = Generator[Call, Any, T]
"""The waits of one verb or node, ending in a result of type T."""


def drive(work: Generator[Asked, Any, T], answer: Callable[[Asked], Any]) -> T:
    """Run `work` to its end, answering what it yields; an error is raised where it waits."""
    try:
        asked = next(work)
        while True:
            try:
                reply = answer(asked)
            except Exception as error:  # noqa: BLE001 - handed to the one who asked
                asked = work.throw(error)
            else:
                asked = work.send(reply)
    except StopIteration as done:
        result: T = done.value
        return result
    finally:
        work.close()


async def adrive(work: Generator[Asked, Any, T], answer: Callable[[Asked], Awaitable[Any]]) -> T:
    """`drive`, awaiting each answer."""
    try:
        asked = next(work)
        while True:
            try:
                reply = await answer(asked)
            except Exception as error:  # noqa: BLE001 - handed to the one who asked
                asked = work.throw(error)
            else:
                asked = work.send(reply)
    except StopIteration as done:
        result: T = done.value
        return result
    finally:
        work.close()


def call_all(work: Work[T]) -> T:
    """Run a verb's work for a sync caller."""
    return drive(work, lambda call: call.now())


async def await_all(work: Work[T]) -> T:
    """Run a verb's work for an async caller."""
    return await adrive(work, lambda call: call.soon())
