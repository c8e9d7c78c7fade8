"""The words of this package as frozen dataclasses: what callers get, and what extractors propose.

A value is decoded anew for every object handed out, so changing one never changes the store.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any, Literal, Self, TypeAlias, get_args

Namespace: TypeAlias = tuple[str, ...]
"""LangGraph's tuple of labels that says whose memory it is, matched label by label, exactly."""

Kind: TypeAlias = Literal["fact", "episode", "procedure", "turn"]
"""`fact` (about the user or the world), `episode` (what happened in a task, and its lesson),
`procedure` (how to behave), `turn` (a conversation turn kept word for word, as evidence)."""

KINDS: tuple[str, ...] = get_args(Kind)

HELD: tuple[Kind, ...] = ("fact", "episode", "procedure")
"""The kinds that say what holds; turns say only what was said, and there are many of them."""

LONGEST_TEXT = 500
"""Characters of a value without a text of its own that the model and the word index see."""


def text_of(value: Mapping[str, Any]) -> str:
    """What the model and the word index read of a value.

    `text`, else `content` if it is a string, else `memory` or `data`, else compact JSON with
    sorted keys, cut at 500 characters with a mark.
    """
    for name in ("text", "content", "memory", "data"):
        found = value.get(name)
        if isinstance(found, str) and found:
            return found
    whole = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return whole if len(whole) <= LONGEST_TEXT else whole[: LONGEST_TEXT - 1] + "…"


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where a memory came from: thread, message ids, who said it, when.

    `author` is a name or a role. `said_at` is None when the message names no time;
    `Version.recorded_at` then says when it was learnt. `order` is the place among what was said in
    the thread, by which recall finds the turn before and the turn after; None goes by `said_at`,
    then by when it was remembered.
    """

    thread_id: str | None = None
    message_ids: tuple[str, ...] = ()
    author: str | None = None
    said_at: datetime | None = None
    order: int | None = None

    def to_json(self) -> str:
        """The source as one line of JSON."""
        return json.dumps(
            {
                "thread_id": self.thread_id,
                "message_ids": list(self.message_ids),
                "author": self.author,
                "said_at": self.said_at.isoformat() if self.said_at else None,
                "order": self.order,
            },
            ensure_ascii=False,
        )

    @classmethod
    def from_json(cls, text: str | None) -> Self | None:
        """The source that `to_json` wrote, or None."""
        if text is None:
            return None
        data = json.loads(text)
        return cls(
            thread_id=data["thread_id"],
            message_ids=tuple(data["message_ids"]),
            author=data["author"],
            said_at=datetime.fromisoformat(data["said_at"]) if data["said_at"] else None,
            order=data.get("order"),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """What is held about a topic now."""

    namespace: Namespace
    topic: str
    value: Mapping[str, Any]
    kind: Kind
    pinned: bool
    version: int
    source: Source | None
    valid_from: datetime
    created_at: datetime
    updated_at: datetime
    expires_at: datetime | None = None

    @property
    def text(self) -> str:
        """What the model reads; see `text_of`."""
        return text_of(self.value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """One value that a topic has had: its number, the interval [valid_from, valid_to) in which
    it was current, and when it was recorded. `valid_to` is None for the current one.
    """

    number: int
    value: Mapping[str, Any]
    kind: Kind
    source: Source | None
    valid_from: datetime
    valid_to: datetime | None
    recorded_at: datetime

    @property
    def text(self) -> str:
        """What the model reads; see `text_of`."""
        return text_of(self.value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A memory that an extractor proposes. The write policy keeps it, holds it for consent, or
    refuses it with a reason.

    Args:
        topic: What it is about, such as `home_city`.
        value: Text, or a mapping; None ends the topic without a successor (it is retired).
        source: Where it came from; its message ids make learning from it again a no-op.
        kind: See `Kind`.
        pinned: True pins it; None leaves the pin of the topic as it is.
    """

    topic: str
    value: str | Mapping[str, Any] | None
    source: Source
    kind: Kind = "fact"
    pinned: bool | None = None


@dataclass(frozen=True, slots=True)
class Hold:
    """A write policy's answer for a candidate that waits for its user's consent, and the
    categories for which it does, such as `("diagnosis",)`.
    """

    categories: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A candidate that waits for its user's consent. It is in no recall.

    `id` is a keyed hash of user, source message, topic and value, and says none of them.
    """

    id: str
    namespace: Namespace
    topic: str
    value: Mapping[str, Any]
    kind: Kind
    categories: tuple[str, ...]
    source: Source | None
    held_at: datetime

    @property
    def text(self) -> str:
        """What the user is asked about; see `text_of`."""
        return text_of(self.value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Consent:
    """A user's yes to a held candidate, which is now a memory; `id` is what it was held under."""

    id: str
    topic: str
    categories: tuple[str, ...]
    given_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A candidate that was not kept: its topic and the reason. Holds no content."""

    topic: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Learned:
    """What became of the candidates of one call, each in exactly one place.

    `kept` are the memories now current, `retired` topics that ended, `unchanged` topics whose
    source message had been learnt from before or whose value is what is already held, `refused`
    what the write policy refused and why, `held` what waits for the user's consent.

    `notes` name, with counts, what could not be read or kept at all; the node reports it as events.
    """

    kept: tuple[Memory, ...] = ()
    retired: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    refused: tuple[Refusal, ...] = ()
    held: tuple[Held, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A memory that a recall returns, its score in [0, 1], and the parts of the score.

    `why` maps a part to its share, each in [0, 1]. A pinned memory has `pinned` alone, and what
    comes because no word matched `no match` alone. All others have `words` (by their rarity),
    with an embedder `meaning` (cosine), and where they count `neighbours` (the turns around it),
    `session` (the best of its thread that day), `opening` (it opens such a session), `speaker`,
    `date`, `time` (it tells one to who asks for it), `kin` (it is a fellow member of a topic
    that was found) and `newer` (it holds instead of what the turn behind it told).
    """

    memory: Memory
    score: float
    why: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A memory that a recall did not return: its topic, score and the reason."""

    topic: str
    score: float
    reason: Literal["below floor", "over limit", "over budget"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    """What one query gets: pinned memories, then relevant ones above a floor, packed into a
    token budget, and what was left out and why.

    `tokens` is the estimated size of all that is returned; `notes` says what the caller should
    know of how it was found (such as a missing index).
    """

    namespace: Namespace
    query: str
    pinned: tuple[Hit, ...] = ()
    relevant: tuple[Hit, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    tokens: int = 0
    notes: tuple[str, ...] = ()

    @property
    def memories(self) -> tuple[Memory, ...]:
        """Every memory returned: pinned ones first, then relevant ones, best first."""
        return tuple(hit.memory for hit in (*self.pinned, *self.relevant))


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What forget removed, counted per place, what it could not reach, and the check that
    nothing is left. Holds no content.

    Args:
        removed: Rows, messages or places per kind of place, e.g. `{"memories": 1, "versions":
            2, "messages": 4}`. All zero when there was nothing to forget.
        unreachable: Places that this package cannot reach, in words.
        complete: True when the rows are gone and the pass over the files was finished.
        pending: Passes that wait for others to finish, such as `wal` while somebody reads.
        left_in_files: Occurrences of what was erased that the files still hold, those in
            memories of other topics or users included; None when nothing could look.
        notes: What else is to be known of the check, in words.
        dry_run: True when nothing was changed and `removed` is what would go.
        would_go: In a dry run, what would go by name (topics, ids of messages and threads).
        forgotten_at: The moment of forgetting.
        marks: Keyed hashes of what was erased, by which `verify` looks for it again.
    """

    removed: Mapping[str, int]
    unreachable: Sequence[str] = ()
    complete: bool = True
    pending: tuple[str, ...] = ()
    left_in_files: int | None = 0
    notes: tuple[str, ...] = ()
    dry_run: bool = False
    would_go: tuple[str, ...] = ()
    forgotten_at: datetime | None = None
    marks: Mapping[str, tuple[str, ...]] = field(default_factory=dict, repr=False)

    @property
    def total(self) -> int:
        """How many things were removed, over all places."""
        return sum(self.removed.values())

    def to_json(self) -> str:
        """The receipt as one line of JSON, to be kept and verified later."""
        kept = {one.name: getattr(self, one.name) for one in fields(self)}
        kept["forgotten_at"] = self.forgotten_at.isoformat() if self.forgotten_at else None
        return json.dumps(kept, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The receipt that `to_json` wrote. Raises ValueError for anything else."""
        try:
            kept = json.loads(text)
            moment = kept["forgotten_at"]
            return cls(
                **{
                    **kept,
                    **{name: tuple(kept[name]) for name in ("pending", "notes", "would_go")},
                    "unreachable": tuple(kept["unreachable"]),
                    "forgotten_at": datetime.fromisoformat(moment) if moment else None,
                    "marks": {name: tuple(marks) for name, marks in kept["marks"].items()},
                }
            )
        except (TypeError, KeyError, AttributeError, ValueError):
            raise ValueError("this is no receipt; give what `Receipt.to_json` wrote") from None


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """What `verify` found of what a receipt says was erased. Holds no content.

    Args:
        found: What is there again or still, counted per place; all zero when nothing is.
        in_files: Occurrences of the given text in the database's files; None when no text was
            given, or nothing could look.
        pending: Passes over the files that still wait, such as `wal`.
    """

    found: Mapping[str, int]
    in_files: int | None = None
    pending: tuple[str, ...] = ()

    @property
    def clean(self) -> bool:
        """Whether nothing was found and nothing waits."""
        return not (sum(self.found.values()) or self.in_files or self.pending)


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkup:
    """What `doctor` found, and what it set right.

    Args:
        finished: Passes over the files that had been cut off and are done now.
        pending: Passes that still wait for others.
        repaired: Index rows that had no memory, or memories that had no index row, per kind.
        damage: What SQLite finds wrong with the file; restore it from a copy.
    """

    finished: tuple[str, ...] = ()
    pending: tuple[str, ...] = ()
    repaired: Mapping[str, int] = field(default_factory=dict)
    damage: tuple[str, ...] = ()

    @property
    def healthy(self) -> bool:
        """Whether all is well now."""
        return not (self.pending or self.damage)
