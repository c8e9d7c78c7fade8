"""The verb that erases for good, its receipt, and looking again later."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TypeAlias

from langgraph_agentmem.errors import StorageError
from langgraph_agentmem.model import Checkup, Namespace, Receipt, Verified
from langgraph_agentmem.scrub import messages_in, states
from langgraph_agentmem.steps import (
    Call,
    Steps,
    Work,
    await_all,
    call_all,
    checkpoints,
    settings,
    verifying,
)
from langgraph_agentmem.steps import forget as steps_of_forget
from langgraph_agentmem.steps.carrying import carry
from langgraph_agentmem.steps.forget import Erased
from langgraph_agentmem.steps.places import check_namespace, check_topic
from langgraph_agentmem.wordings import leaf_texts, needles

from .core import LAST_FORGETTING, StoreCore, check_called, check_flag

UNREACHABLE = (
    "backups and copies of the database files",
    "logs of the model provider",
    "checkpoints kept by another checkpointer",
    "threads that no user owns",
    "runs that are going on elsewhere",
    "the same fact in other words, and in arrays, patterns and images",
    "names and ids that hold it: of threads, messages, tools, nodes, channels, fields",
)
_PURGE = "purge"

MOST_READ = 4 * 2**30
LEAST_NEEDLES = 32
"""Bytes that are compared at most when the files are looked through, so that it takes seconds: a
byte string for each byte of them. So many byte strings are always looked for.
"""

Progress: TypeAlias = Callable[[str, int, int], None]
"""Hears what forgetting does now, how much of it is done, and of how much."""


def silent(_stage: str, _done: int, _of: int) -> None:
    """No progress is wanted."""


class Forgetting(StoreCore):
    """Forgetting within the store; `memory.forget` reaches checkpoints too."""

    def forget(
        self,
        namespace: Namespace,
        topic: str | None = None,
        *,
        dry_run: bool = False,
        progress: Progress = silent,
    ) -> Receipt:
        """Erase a topic, or a namespace and all below it: value, history, vectors, search text.

        With a topic go the episodes and turns that share a source message with it or state its
        value. The rows go in one transaction; then a pass over the files drops what erased rows
        left in the index, the log and free pages. Copies in checkpoints stay:
        `memory.forget(user)` reaches them.

        Args:
            namespace: Whose memory.
            topic: One topic; None for everything in the namespace and below it.
            dry_run: Count and list what would go, and change nothing.
            progress: Called with a stage, how much of it is done, and of how much.

        Returns:
            A receipt; nothing was there if its `total` is 0.

        Raises:
            InvalidNamespace, InvalidTopic: Nothing was forgotten.
        """
        return call_all(self._forget(namespace, topic, dry_run=dry_run, progress=progress))

    async def aforget(
        self,
        namespace: Namespace,
        topic: str | None = None,
        *,
        dry_run: bool = False,
        progress: Progress = silent,
    ) -> Receipt:
        """`forget`, awaited."""
        return await await_all(self._forget(namespace, topic, dry_run=dry_run, progress=progress))

    def _forget(
        self, namespace: Namespace, topic: str | None, *, dry_run: bool, progress: Progress
    ) -> Work[Receipt]:
        now = self.clock()
        rows = self.forget_steps(namespace, topic, now=now, dry_run=dry_run)

        def steps() -> Steps[tuple[Receipt, Erased, bool]]:
            gone = yield from rows
            owed = yield from self.owe_purge(gone.counts, dry_run=dry_run)
            draft = yield from self.draft_receipt(gone, now=now, dry_run=dry_run)
            return draft, gone, owed

        check_called("progress", progress)
        progress("rows", 0, 1)
        draft, gone, owed = yield self.perform(steps(), write=not dry_run)
        return (yield from self.receipt(draft, gone, owed=owed, progress=progress))

    def forget_steps(
        self, namespace: Namespace, topic: str | None, *, now: datetime, dry_run: bool = False
    ) -> Steps[Erased]:
        """The rows of a topic or namespace, for a transaction that erases more than them."""
        home = check_namespace(namespace)
        about = None if topic is None else check_topic(topic)
        check_flag("dry_run", dry_run)

        def steps() -> Steps[Erased]:
            key = "" if dry_run else (yield from self._key())
            return (
                yield from steps_of_forget.forget(
                    home, about, key=key, states=states, now=now, dry_run=dry_run
                )
            )

        return steps()

    def owe_purge(self, removed: Mapping[str, int], *, dry_run: bool) -> Steps[bool]:
        """Whether a pass over the files is owed; noted in the transaction that erases, so that
        a crash before the pass does not lose it.
        """
        if dry_run:
            return False
        if sum(removed.values()):
            yield from settings.replace(_PURGE, secrets.token_hex(8))
            yield from settings.replace(LAST_FORGETTING, secrets.token_hex(8))
            return True
        return (yield from settings.read(_PURGE)) is not None

    def draft_receipt(
        self,
        gone: Erased,
        *,
        now: datetime,
        dry_run: bool,
        threads: Sequence[str] = (),
        whole_threads: bool = False,
        removed: Mapping[str, int] | None = None,
        listing: Sequence[str] = (),
    ) -> Steps[Receipt]:
        """The receipt as the rows make it, before the pass over the files.

        Args:
            gone: What was erased in the store.
            now: When it is forgotten.
            dry_run: Whether nothing changes.
            threads: Threads in which something was forgotten.
            whole_threads: Whether they were removed as a whole.
            removed: What was removed elsewhere, by place.
            listing: What was, by name.
        """
        key = "" if dry_run else (yield from self._key())
        return Receipt(
            removed={**gone.counts, **(removed or {})},
            unreachable=UNREACHABLE,
            dry_run=dry_run,
            would_go=(*gone.listing, *listing) if dry_run else (),
            forgotten_at=None if dry_run else now,
            marks={}
            if dry_run
            else verifying.marks_of(gone, threads, removed=whole_threads, key=key),
        )

    def buried_messages(
        self, namespace: Namespace, threads: Sequence[str]
    ) -> Steps[set[tuple[str, str]]]:
        """The (thread, message) of these threads that were forgotten before."""
        key = self._given_key or (yield from settings.read(settings.TOMBSTONE_KEY))
        if key is None:
            return set()
        return (yield from steps_of_forget.buried_messages(namespace, threads, key=key))

    def bury_threads(
        self, namespace: Namespace, threads: Sequence[str], *, now: datetime
    ) -> Steps[None]:
        """Leave tombstones for threads of a user in which something was forgotten: an older export
        of one holds it still.
        """
        key = yield from self._key()
        for thread in threads:
            yield from steps_of_forget.bury(steps_of_forget.thread_mark(key, thread), now=now)
            yield from carry(key, namespace, "thread", thread, now=now)

    def was_forgotten(self, namespace: Namespace, topic: str) -> bool:
        """Whether this topic was forgotten once, by itself; it may be held again since."""
        return call_all(self._was_forgotten(namespace, topic))

    async def awas_forgotten(self, namespace: Namespace, topic: str) -> bool:
        """`was_forgotten`, awaited."""
        return await await_all(self._was_forgotten(namespace, topic))

    def _was_forgotten(self, namespace: Namespace, topic: str) -> Work[bool]:
        home, about = check_namespace(namespace), check_topic(topic)

        def steps() -> Steps[bool]:
            key = yield from self._key()
            return (yield from steps_of_forget.is_buried(key, home, about))

        found: bool = yield self.perform(steps())
        return found

    def finish_forgetting(self) -> tuple[str, ...]:
        """Make up for a pass over the files that a crash or a reader cut off.

        Returns the passes that still wait for others; see `Receipt.pending`.
        """
        if self.backend.perform(settings.read(_PURGE), write=False) is None:
            return ()
        return call_all(self._purge(silent))

    def _purge(self, progress: Progress) -> Work[tuple[str, ...]]:
        backend = self.backend
        self.listing.forget()
        debt: str | None = yield self.perform(settings.read(_PURGE), write=False)
        stages = {"index": 0, "pages": 1, "log": 2}

        def purge() -> tuple[str, ...]:
            return backend.purge(
                debt or "", lambda stage: progress(stage, stages[stage], len(stages) + 1)
            )

        pending: tuple[str, ...] = yield Call(purge, lambda: backend.in_thread(purge))
        return pending

    def receipt(
        self, draft: Receipt, gone: Erased, *, owed: bool, progress: Progress
    ) -> Work[Receipt]:
        """The pass over the files, if it is owed, and what it says."""
        if not owed:
            return draft
        self.shelves.clear()
        if self.index is not None:
            self.index.embedder.drop_queries()
        pending = yield from self._purge(progress)
        progress("files", 3, 4)
        wanted = [*needles(leaf_texts(gone.values)), *sorted(gone.vectors)]
        notes: tuple[str, ...] = ()
        most = max(LEAST_NEEDLES, MOST_READ // max(self.backend.size(), 1))
        if len(wanted) > most:
            every = len(wanted)
            wanted = wanted[:: every // most + 1]
            looked = f"the files were looked through for {len(wanted)} of {every} forms"
            notes = (f"{looked} of what was erased; `verify` with text= looks for the rest",)
        left = yield from self._count_in_files(wanted)
        if left is None:
            notes = (*notes, "the files could not be looked through: no Python could be started")
        progress("files", 4, 4)
        return replace(
            draft, complete=not pending, pending=pending, left_in_files=left, notes=notes
        )

    def _count_in_files(self, wanted: Sequence[bytes]) -> Work[int | None]:
        backend = self.backend
        try:
            left: int = yield Call(
                lambda: backend.count_in_files(wanted),
                lambda: backend.in_thread(lambda: backend.count_in_files(wanted), write=False),
            )
        except StorageError:
            return None
        return left

    # Looking again ---------------------------------------------------------------------------

    def verify(self, receipt: Receipt, *, text: str | Sequence[str] | None = None) -> Verified:
        """Look again for what a receipt says was erased: topics, source messages and terms of
        the index, by their keyed hashes; and texts by their bytes.

        What was said anew after the receipt's moment is no finding.

        Args:
            receipt: Of this database and this `tombstone_key`.
            text: Looked for in the database's files, in every form; from four characters on.

        Raises:
            TypeError: It is no receipt; `Receipt.from_json` reads a kept one.
            ValueError: A receipt of a dry run or of another key, or a text too short to tell.
        """
        return call_all(self.verify_work(receipt, text))

    async def averify(
        self, receipt: Receipt, *, text: str | Sequence[str] | None = None
    ) -> Verified:
        """`verify`, awaited."""
        return await await_all(self.verify_work(receipt, text))

    def verify_work(self, receipt: Receipt, text: str | Sequence[str] | None) -> Work[Verified]:
        """The work of `verify`, for a verb that looks further."""
        given: object = receipt
        if not isinstance(given, Receipt):
            raise TypeError(f"verify takes a Receipt (found {type(given).__name__})")
        moment = receipt.forgotten_at
        if receipt.dry_run or moment is None:
            raise ValueError("a dry run erased nothing that could be verified")
        texts: list[object] = [] if text is None else [text] if isinstance(text, str) else [*text]
        if any(not isinstance(one, str) or len(one.strip()) < LEAST_TEXT for one in texts):
            raise ValueError(f"a text to look for has at least {LEAST_TEXT} characters")

        key = self._given_key or (
            yield self.perform(settings.read(settings.TOMBSTONE_KEY), write=False)
        )
        if key is None or not verifying.is_key_of(receipt, key):
            raise ValueError("the receipt is of another database, or another tombstone_key")

        def steps() -> Steps[tuple[dict[str, int], bool]]:
            found = yield from verifying.look_again(receipt, key=key, moment=moment)
            return found, (yield from settings.read(_PURGE)) is not None

        # The index's terms are read through a table that lasts as long as the connection.
        # It reads everybody's topics, for it knows the forgotten ones by their hashes alone: a
        # reader, so that others write meanwhile.
        found, owed = yield self.perform(steps(), write=False)
        in_files = None
        if texts:
            in_files = yield from self._count_in_files(needles(str(one).strip() for one in texts))
        return Verified(found=found, in_files=in_files, pending=(_PURGE,) if owed else ())

    def look_in_threads(self, receipt: Receipt, codec: checkpoints.Codec) -> Steps[dict[str, int]]:
        """Count source messages that stand in threads again or still."""
        key = yield from self._key()
        assert receipt.forgotten_at is not None  # noqa: S101 - `verify_work` has checked it
        return (
            yield from verifying.look_in_threads(
                receipt,
                key=key,
                moment=receipt.forgotten_at,
                codec=codec,
                messages_in=messages_in,
            )
        )

    def doctor(self) -> Checkup:
        """Look the database over: finish a pass over the files that was cut off, set the word
        index right where it and the memories differ, and let SQLite check the file.
        """
        return call_all(self._doctor())

    async def adoctor(self) -> Checkup:
        """`doctor`, awaited."""
        return await await_all(self._doctor())

    def _doctor(self) -> Work[Checkup]:
        owed = (yield self.perform(settings.read(_PURGE), write=False)) is not None
        repaired: dict[str, int] = yield self.perform(verifying.repair())
        if any(repaired.values()):
            yield self.perform(settings.replace(_PURGE, secrets.token_hex(8)))
        pending: tuple[str, ...] = ()
        if owed or any(repaired.values()):
            pending = yield from self._purge(silent)
        backend = self.backend
        damage: tuple[str, ...] = yield Call(
            backend.check, lambda: backend.in_thread(backend.check, write=False)
        )
        return Checkup(
            finished=(_PURGE,) if owed and not pending else (),
            pending=pending,
            repaired=repaired,
            damage=damage,
        )


LEAST_TEXT = 4
"""Characters of a text that can be told from others by its bytes."""
