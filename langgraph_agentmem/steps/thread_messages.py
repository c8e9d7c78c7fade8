"""Each message of a thread is stored once; where it stood, a checkpoint holds its number.

A list of messages is cut into chunks of 64. A chunk is stored once too, under the hash of what it
holds, so that checkpoints share all but the end of their lists.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from langgraph_agentmem.errors import CheckpointUnreadable

from . import Row, Statement, Steps

CHUNK = 64
"""Messages in a chunk."""


class Spoken(Protocol):
    """The messages at one place of a value, not known to be stored."""

    @property
    def many(self) -> bool:
        """Whether they are a list."""
        ...

    @property
    def marks(self) -> Sequence[str]:
        """Their keyed hashes, each with the id if it has one: see `marked`."""
        ...

    def dumps(self, at: int) -> tuple[str, bytes]:
        """How one is stored."""
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
    """A stored message: type and data as the serializer made them, which may have been of the same
    words under another id; and its own id.

    The mark is None if it was rewritten, and so is no longer that of what it says.
    """

    kind: str
    data: bytes
    message_id: str | None = None
    mark: str | None = None


def marked(mark: str, message_id: str | None) -> str:
    """The mark of a message with its id. Lone surrogates become question marks, as everywhere in
    what is stored.
    """
    if message_id is None:
        return mark
    return f"{mark} {message_id.encode(errors='replace').decode()}"


def _unmarked(mark: str) -> tuple[str, str | None]:
    bare, space, message_id = mark.partition(" ")
    return bare, message_id if space else None


def _letter(row: Row) -> Letter:
    return Letter(
        row["type"],
        row["data"],
        row["message_id"],
        None if row["rewritten"] else marked(row["mark"], row["message_id"]),
    )


def keep(thread_id: str, lists: Sequence[Spoken]) -> Steps[list[Place]]:
    """Store the messages of these lists that are not stored yet, and say where each list is.

    Args:
        thread_id: Whose messages.
        lists: The messages at each place.
    """
    cut = [_cut(spoken.marks) for spoken in lists]
    asked = {mark for chunks, _ in cut for mark in chunks}
    chunks = yield from _find_chunks(thread_id, asked)
    # What must be known by its number: the ends of lists, and the inside of chunks that are new.
    wanted: dict[str, tuple[Spoken, int]] = {}
    new: dict[str, Sequence[str]] = {}
    for spoken, (marks_of_chunks, end) in zip(lists, cut, strict=True):
        for number, mark in enumerate(marks_of_chunks):
            if mark not in chunks:
                start = number * CHUNK
                new[mark] = spoken.marks[start : start + CHUNK]
                wanted |= {spoken.marks[at]: (spoken, at) for at in range(start, start + CHUNK)}
        wanted |= {spoken.marks[at]: (spoken, at) for at in range(end, len(spoken.marks))}
    numbers = yield from _keep_messages(thread_id, wanted)
    chunks |= yield from _keep_chunks(thread_id, new, numbers)
    return [
        Place(
            spoken.many,
            tuple([chunks[mark] for mark in marks_of_chunks]),
            tuple([numbers[mark] for mark in spoken.marks[end:]]),
        )
        for spoken, (marks_of_chunks, end) in zip(lists, cut, strict=True)
    ]


def _cut(marks: Sequence[str]) -> tuple[list[str], int]:
    """The marks of the whole chunks of a list, and where they end."""
    end = len(marks) // CHUNK * CHUNK
    return [
        # Marks are keyed hashes already.
        hashlib.blake2b("".join(marks[at : at + CHUNK]).encode(), digest_size=12).hexdigest()
        for at in range(0, end, CHUNK)
    ], end


def _find_chunks(thread_id: str, marks: Collection[str]) -> Steps[dict[str, int]]:
    if not marks:
        return {}
    wanted = {"thread_id": thread_id, "marks": json.dumps([*marks])}
    rows = yield Statement("find_chunks", wanted)
    return {row["mark"]: row["number"] for row in rows}


def _keep_chunks(
    thread_id: str, new: Mapping[str, Sequence[str]], numbers: Mapping[str, int]
) -> Steps[dict[str, int]]:
    if not new:
        return {}
    rows = yield Statement("last_chunk", {"thread_id": thread_id})
    kept = {}
    for number, (mark, marks) in enumerate(new.items(), rows[0]["number"] + 1):
        held = json.dumps([numbers[one] for one in marks], separators=(",", ":"))
        row = {"thread_id": thread_id, "number": number, "mark": mark, "messages": held}
        yield Statement("add_chunk", row)
        kept[mark] = number
    return kept


def _keep_messages(
    thread_id: str, wanted: Mapping[str, tuple[Spoken, int]]
) -> Steps[dict[str, int]]:
    """The numbers of these messages by their marks."""
    if not wanted:
        return {}
    bare = [*{_unmarked(mark)[0] for mark in wanted}]
    rows = yield Statement("find_messages", {"thread_id": thread_id, "marks": json.dumps(bare)})
    numbers = {marked(row["mark"], row["message_id"]): row["number"] for row in rows}
    # What was said already, under another id or before it got one, is not stored again.
    texts = {row["mark"]: row["number"] for row in rows if _holds_text(row)}
    new = {mark: one for mark, one in wanted.items() if mark not in numbers}
    if not new:
        return numbers
    rows = yield Statement("last_message", {"thread_id": thread_id})
    for number, (mark, (spoken, at)) in enumerate(new.items(), rows[0]["number"] + 1):
        bare_mark, message_id = _unmarked(mark)
        base = texts.get(bare_mark)
        kind, data = spoken.dumps(at) if base is None else (None, None)
        texts.setdefault(bare_mark, number)
        row = {"thread_id": thread_id, "number": number, "mark": bare_mark, "base": base}
        row |= {"message_id": message_id, "type": kind, "data": data}
        yield Statement("add_message", row)
        numbers[mark] = number
    return numbers


def _holds_text(row: Row) -> bool:
    return row["base"] is None and not row["rewritten"]


def find(thread_id: str, places: Iterable[Place]) -> Steps[dict[Place, list[Letter]]]:
    """The stored messages of these places. Raises `CheckpointUnreadable` if one is not stored."""
    numbers = yield from numbers_in(thread_id, places)
    letters = yield from letters_of(thread_id, {one for some in numbers.values() for one in some})
    return {place: [letters[one] for one in some] for place, some in numbers.items()}


def numbers_in(thread_id: str, places: Iterable[Place]) -> Steps[dict[Place, list[int]]]:
    """The numbers of the messages of these places. Raises `CheckpointUnreadable`."""
    wanted = [*dict.fromkeys(places)]
    chunks = yield from _numbers_of_chunks(
        thread_id, {number for place in wanted for number in place.chunks}
    )
    try:
        return {
            place: [*(one for chunk in place.chunks for one in chunks[chunk]), *place.numbers]
            for place in wanted
        }
    except KeyError as error:
        raise _missing(thread_id) from error


def letters_of(thread_id: str, numbers: Collection[int]) -> Steps[dict[int, Letter]]:
    """Stored messages by their numbers, in order. Raises `CheckpointUnreadable`."""
    if not numbers:
        return {}
    asked = {"thread_id": thread_id, "numbers": json.dumps(sorted(numbers))}
    rows = yield Statement("list_messages_by_number", asked)
    letters = {row["number"]: _letter(row) for row in rows}
    if len(letters) < len(numbers):
        raise _missing(thread_id)
    return {number: letters[number] for number in sorted(numbers)}


def _missing(thread_id: str) -> CheckpointUnreadable:
    return CheckpointUnreadable(
        "a message that a checkpoint names is not stored", thread_id=thread_id
    )


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
    """All messages of a thread, oldest first. One that was stored without its id and then with it
    comes twice: both must be rewritten, each by itself.
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
    yield Statement("detach_messages", {"thread_id": thread_id, "number": number})
    yield Statement("rewrite_message", row)


PlacesIn = Callable[[str | None, bytes], Iterable[Place]]
"""Where the messages of a stored value are."""


def remove_unused(thread_id: str, places_in: PlacesIn) -> Steps[None]:
    """Remove the messages and chunks of a thread that none of its checkpoints and writes names."""
    rows = yield Statement("list_stored_values", {"thread_id": thread_id})
    found = [place for row in rows for place in places_in(row["type"], row["data"])]
    chunks = {number for place in found for number in place.chunks}
    used = {number for place in found for number in place.numbers}
    for numbers in (yield from _numbers_of_chunks(thread_id, chunks)).values():
        used.update(numbers)
    asked = {"thread_id": thread_id, "numbers": json.dumps(sorted(chunks))}
    yield Statement("remove_chunks_beside", asked)
    asked = {"thread_id": thread_id, "numbers": json.dumps(sorted(used))}
    yield Statement("remove_messages_beside", asked)
