"""Each message of a thread is stored once; where it stood, a checkpoint holds its number.

A list of messages is cut into chunks of 64. A chunk is stored once too, under the hash of what it
holds, so that checkpoints share all but the end of their lists.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from . import Row, Statement, Steps

CHUNK = 64
"""Messages in a chunk."""


class Spoken(Protocol):
    """A message that a value holds, not known to be stored."""

    @property
    def mark(self) -> str:
        """Its keyed hash."""
        ...

    @property
    def message_id(self) -> str | None:
        """The id that it has in the graph."""
        ...

    @property
    def nameless(self) -> str | None:
        """The mark that it had before it got its id; None if it has none, or cannot have had."""
        ...

    def dumps(self) -> tuple[str, bytes]:
        """How it is stored."""
        ...


class Place:
    """What stands in a value where messages were: their numbers, whole chunks first.

    `many` tells a list of messages from a single one. No dataclass and no tuple, so that whoever
    walks a value does not look inside: its numbers are nobody's data.
    """

    __slots__ = ("chunks", "many", "numbers")

    def __init__(self, many: bool, chunks: tuple[int, ...], numbers: tuple[int, ...]) -> None:
        self.many = many
        self.chunks = chunks
        self.numbers = numbers

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Place) and self._parts() == other._parts()

    def __hash__(self) -> int:
        return hash(self._parts())

    def _parts(self) -> tuple[object, ...]:
        return self.many, self.chunks, self.numbers


class Letter(NamedTuple):
    """A stored message: type and data as the serializer made them, and the id that it got after
    that. The mark is None if it was rewritten, and so is no longer that of what it says.
    """

    kind: str
    data: bytes
    message_id: str | None = None
    mark: str | None = None


def _letter(row: Row) -> Letter:
    return Letter(
        row["type"],
        row["data"],
        row["message_id"] if row["base"] is not None else None,
        None if row["rewritten"] else row["mark"],
    )


def keep(thread_id: str, lists: Sequence[tuple[bool, Sequence[Spoken]]]) -> Steps[list[Place]]:
    """Store the messages of these lists that are not stored yet, and say where each list is.

    Args:
        thread_id: Whose messages.
        lists: For each place whether it is a list, and the messages there.
    """
    whole = {_mark_of(chunk): chunk for _, said in lists for chunk in _chunks(said)}
    chunks: dict[str, int] = {}
    if whole:
        wanted = {"thread_id": thread_id, "marks": json.dumps([*whole])}
        chunks = {row["mark"]: row["number"] for row in (yield Statement("find_chunks", wanted))}
    new = {mark: chunk for mark, chunk in whole.items() if mark not in chunks}
    loose = [one for _, said in lists for one in said[len(said) // CHUNK * CHUNK :]]
    numbers = yield from _keep_messages(
        thread_id, [*loose, *(one for chunk in new.values() for one in chunk)]
    )
    if new:
        rows = yield Statement("last_chunk", {"thread_id": thread_id})
        for number, (mark, chunk) in enumerate(new.items(), rows[0]["number"] + 1):
            held = json.dumps([numbers[one.mark] for one in chunk], separators=(",", ":"))
            row = {"thread_id": thread_id, "number": number, "mark": mark, "messages": held}
            yield Statement("add_chunk", row)
            chunks[mark] = number
    return [
        Place(
            many,
            tuple(chunks[_mark_of(chunk)] for chunk in _chunks(said)),
            tuple(numbers[one.mark] for one in said[len(said) // CHUNK * CHUNK :]),
        )
        for many, said in lists
    ]


def _keep_messages(thread_id: str, said: Sequence[Spoken]) -> Steps[dict[str, int]]:
    """The numbers of these messages by their marks."""
    if not said:
        return {}
    numbers = yield from _find_marks(thread_id, {one.mark for one in said})
    new = {one.mark: one for one in said if one.mark not in numbers}
    if not new:
        return numbers
    before = {mark: one.nameless for mark, one in new.items()}
    bases = yield from _find_marks(thread_id, {one for one in before.values() if one is not None})
    rows = yield Statement("last_message", {"thread_id": thread_id})
    for number, (mark, one) in enumerate(new.items(), rows[0]["number"] + 1):
        base = bases.get(before[mark] or "")
        kind, data = one.dumps() if base is None else (None, None)
        row = {"thread_id": thread_id, "number": number, "mark": mark, "base": base}
        row |= {"message_id": one.message_id, "type": kind, "data": data}
        yield Statement("add_message", row)
        numbers[mark] = number
    return numbers


def _find_marks(thread_id: str, marks: Collection[str]) -> Steps[dict[str, int]]:
    if not marks:
        return {}
    wanted = {"thread_id": thread_id, "marks": json.dumps([*marks])}
    rows = yield Statement("find_messages", wanted)
    return {row["mark"]: row["number"] for row in rows}


def _chunks(said: Sequence[Spoken]) -> Iterable[Sequence[Spoken]]:
    return (said[start : start + CHUNK] for start in range(0, len(said) // CHUNK * CHUNK, CHUNK))


def _mark_of(chunk: Sequence[Spoken]) -> str:
    # Marks are keyed hashes already.
    text = "".join(one.mark for one in chunk)
    return hashlib.blake2b(text.encode(), digest_size=12).hexdigest()


def find(thread_id: str, places: Iterable[Place]) -> Steps[dict[Place, list[Letter]]]:
    """The stored messages of these places. Raises `KeyError` if one is not stored."""
    wanted = [*dict.fromkeys(places)]
    chunks = yield from _numbers_of_chunks(
        thread_id, {number for place in wanted for number in place.chunks}
    )
    numbers = {
        place: [*(one for chunk in place.chunks for one in chunks[chunk]), *place.numbers]
        for place in wanted
    }
    every = {one for some in numbers.values() for one in some}
    letters: dict[int, Letter] = {}
    if every:
        asked = {"thread_id": thread_id, "numbers": json.dumps(sorted(every))}
        rows = yield Statement("list_messages_by_number", asked)
        letters = {row["number"]: _letter(row) for row in rows}
    return {place: [letters[one] for one in some] for place, some in numbers.items()}


def _numbers_of_chunks(thread_id: str, chunks: Iterable[int]) -> Steps[Mapping[int, list[int]]]:
    asked = sorted(chunks)
    if not asked:
        return {}
    rows = yield Statement(
        "list_chunks_by_number", {"thread_id": thread_id, "numbers": json.dumps(asked)}
    )
    return {row["number"]: json.loads(row["messages"]) for row in rows}


# What forgetting needs ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Stored:
    """A stored message and its number in its thread."""

    number: int
    message_id: str | None
    letter: Letter


def messages_of(thread_id: str) -> Steps[list[Stored]]:
    """All messages of a thread, each once, oldest first. One that was stored without its id and
    then with it comes twice: both must be rewritten, each by itself.
    """
    rows = yield Statement("list_messages_of_thread", {"thread_id": thread_id})
    return [Stored(row["number"], row["message_id"], _letter(row)) for row in rows]


def rewrite_message(thread_id: str, number: int, letter: tuple[str, bytes]) -> Steps[None]:
    """Another text in the place of a stored message, in every checkpoint and write at once.

    Its mark stays if it has an id, so that whoever still holds the message and writes it again
    gets the new text; one without an id may be said again by the user.
    """
    kind, data = letter
    row = {"thread_id": thread_id, "number": number, "type": kind, "data": data}
    yield Statement("rewrite_message", row)


def remove_unused(thread_id: str, places: Iterable[Place]) -> Steps[None]:
    """Remove the messages and chunks of a thread that none of these places names.

    Args:
        thread_id: The thread.
        places: Those in every checkpoint and write that it still has.
    """
    found = [*places]
    chunks = {number for place in found for number in place.chunks}
    used = {number for place in found for number in place.numbers}
    for numbers in (yield from _numbers_of_chunks(thread_id, chunks)).values():
        used.update(numbers)
    asked = {"thread_id": thread_id, "numbers": json.dumps(sorted(chunks))}
    yield Statement("remove_chunks_beside", asked)
    asked = {"thread_id": thread_id, "numbers": json.dumps(sorted(used))}
    yield Statement("remove_messages_beside", asked)
