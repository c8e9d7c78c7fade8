"""Forgetting across a memory's store and checkpointer: both in one transaction, then the files."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from .checkpointer import AgentMemSaver
from .errors import UserConflict
from .leaves import Wanted
from .model import Checkup, Receipt, Verified
from .scope import Scope, user_key
from .scrub import Scrubber
from .steps import Steps, Work, activity, await_all, call_all, checkpoints, owners
from .steps.forget import Erased
from .store import AgentMemStore
from .store.forgetting import Progress, silent
from .wordings import leaf_texts

T = TypeVar("T")


class ForgettingMemory:
    """Forgetting for users by their ids, and looking again."""

    store: AgentMemStore
    checkpointer: AgentMemSaver
    scope: Scope

    def as_written(self, thread_id: str, value: T) -> T:
        """A value as the run that is going on in a thread may still write it: without what was
        forgotten since it began.
        """
        return self.checkpointer.as_written(thread_id, value)

    def is_run_over(self, thread_id: str) -> bool:
        """Whether the user of the run that is going on in a thread was forgotten since it began:
        nothing is stored of it, and nothing learnt from it.
        """
        return self.checkpointer.runs.scrubbers(thread_id) is None

    def forget(
        self,
        user_id: str | int,
        topic: str | None = None,
        *,
        dry_run: bool = False,
        in_run: str | None = None,
        progress: Progress = silent,
    ) -> Receipt:
        """Erase a topic of a user, or all of the user, wherever this database holds it.

        Gone are value, history, vectors and search text, and episodes and turns that were
        derived from it; and in every checkpoint and pending write of the user's threads, the
        messages it was learnt from (a marker stands in their place) and the value wherever else
        it stands; summaries there are made anew. Without a topic the user's threads go too. All
        rows change in one transaction; then the file is written anew and the log emptied.

        A run that is going on holds its state in memory: what it still stores through this
        memory's checkpointer is scrubbed too, and of a forgotten user it stores nothing. One that
        is going on elsewhere, in another process, may store it once more.

        Args:
            user_id: Whose memory.
            topic: One topic; None for everything.
            dry_run: Count and list what would go, and change nothing.
            in_run: The thread of the run that asks for it, the user's or nobody's yet; needed
                where the run did not name the user.
            progress: Called with a stage, how much of it is done, and of how much.

        Returns:
            A receipt; nothing was there if its `total` is 0.

        Raises:
            UserRequired: The id is blank or no id.
            UserConflict: `in_run` is another user's thread; nothing was forgotten.
            CheckpointUnreadable: A checkpoint that must change holds a type that cannot be loaded
                here; nothing was forgotten.
        """
        return call_all(
            self._forget(user_id, topic, dry_run=dry_run, in_run=in_run, progress=progress)
        )

    async def aforget(
        self,
        user_id: str | int,
        topic: str | None = None,
        *,
        dry_run: bool = False,
        in_run: str | None = None,
        progress: Progress = silent,
    ) -> Receipt:
        """`forget`, awaited."""
        return await await_all(
            self._forget(user_id, topic, dry_run=dry_run, in_run=in_run, progress=progress)
        )

    def _forget(
        self,
        user_id: str | int,
        topic: str | None,
        *,
        dry_run: bool,
        in_run: str | None,
        progress: Progress,
    ) -> Work[Receipt]:
        user = user_key(user_id)
        store = self.store
        now = store.clock()
        runs = self.checkpointer.runs
        running: dict[str, Scrubber] = {}
        ended: list[str] = []
        home = self.scope.namespace(user_id)
        rows = store.forget_steps(home, topic, now=now, dry_run=dry_run)

        def steps() -> Steps[tuple[Receipt, Erased, bool]]:
            if in_run is not None:
                owner = yield from owners.owner_of(in_run)
                if owner not in {None, user}:  # a run that stored nothing yet has no user
                    raise UserConflict("the thread belongs to another user", thread_id=in_run)
            gone = yield from rows
            threads = yield from checkpoints.threads_of(user)
            if topic is None:
                counts = yield from checkpoints.remove_threads(threads, now=now, dry_run=dry_run)
                counts |= yield from activity.remove(user, dry_run=dry_run)
                touched, listing = threads, [f"thread {one}" for one in threads]
            else:
                # Or a run that was going on has written them once more, after they were forgotten.
                gone.messages |= yield from store.buried_messages(home, threads)
                counts, touched, listing = yield from self._scrub(
                    gone, user, threads, dry_run=dry_run, progress=progress
                )
            if not dry_run:
                yield from store.bury_threads(home, touched, now=now)
                # While this transaction holds the writer, nothing is stored beside it.
                going_on = {*runs.of(user, threads), *([] if in_run is None else [in_run])}
                if topic is None:
                    ended.extend(going_on)
                    runs.end(ended)
                else:
                    running.update(_scrubbers(gone, going_on))
                    runs.forget(running)
            draft = yield from store.draft_receipt(
                gone,
                now=now,
                dry_run=dry_run,
                threads=touched,
                whole_threads=topic is None,
                removed=counts,
                listing=listing,
            )
            owed = yield from store.owe_purge(draft.removed, dry_run=dry_run)
            return draft, gone, owed

        progress("rows", 0, 1)
        try:
            draft, gone, owed = yield store.perform(steps(), write=not dry_run)
        except BaseException:
            runs.remember(running)
            runs.let_go_on(ended)
            raise
        if not dry_run:
            self.checkpointer.forget_cache()
        return (yield from store.receipt(draft, gone, owed=owed, progress=progress))

    def _scrub(
        self, gone: Erased, user: str, threads: list[str], *, dry_run: bool, progress: Progress
    ) -> Steps[tuple[dict[str, int], list[str], list[str]]]:
        """Counts, the threads that changed, and what changed by name."""
        wanted = Wanted(leaf_texts(gone.values))
        topics = {topic for _, topic in gone.topics}
        sources: dict[str, list[str]] = defaultdict(list)
        for thread, message in gone.messages:
            sources[thread].append(message)
        scrubbers: dict[str, Scrubber] = {}

        def scrubber(thread_id: str) -> Scrubber:
            if thread_id not in scrubbers:
                progress("threads", len(scrubbers), len(threads))
                scrubbers[thread_id] = Scrubber(wanted, sources[thread_id], topics)
            return scrubbers[thread_id]

        codec = self.checkpointer.packing(write=not dry_run)
        counts = yield from checkpoints.scrub(threads, scrubber, codec, dry_run=dry_run)
        counts |= yield from activity.scrub(user, Scrubber(wanted, ()), dry_run=dry_run)
        counts |= {
            "messages": sum(one.messages for one in scrubbers.values()),
            "values elsewhere": sum(one.values for one in scrubbers.values()),
        }
        told = {
            thread for thread, ids in sources.items() if ids
        }  # a run may not have written there yet
        touched = [
            thread
            for thread, one in scrubbers.items()
            if one.messages or one.values or thread in told
        ]
        listing = [
            f"{one.messages} messages and {one.values} values elsewhere in thread {thread}"
            for thread, one in scrubbers.items()
            if one.messages or one.values
        ]
        return counts, touched, listing

    def verify(self, receipt: Receipt, *, text: str | Sequence[str] | None = None) -> Verified:
        """Look again for what a receipt says was erased: in the store as `store.verify` does,
        and in the threads: source messages that are no marker, threads that are there again.

        What was said anew after the receipt's moment is no finding.

        Args:
            receipt: Of this database and this `tombstone_key`.
            text: Looked for in the database's files, in every form.

        Raises:
            ValueError: A receipt of a dry run or of another key, or a text too short to tell.
        """
        return call_all(self._verify(receipt, text))

    async def averify(
        self, receipt: Receipt, *, text: str | Sequence[str] | None = None
    ) -> Verified:
        """`verify`, awaited."""
        return await await_all(self._verify(receipt, text))

    def _verify(self, receipt: Receipt, text: str | Sequence[str] | None) -> Work[Verified]:
        found = yield from self.store.verify_work(receipt, text)
        codec = self.checkpointer.packing(write=False)
        looking = self.store.look_in_threads(receipt, codec)
        counts: dict[str, int] = yield self.store.perform(looking, write=False)
        return replace(found, found={**found.found, **counts})

    def doctor(self) -> Checkup:
        """Look the database over: finish a pass over the files that was cut off, set the word
        index right where it and the memories differ, and let SQLite check the file.
        """
        return self.store.doctor()

    async def adoctor(self) -> Checkup:
        """`doctor`, awaited."""
        return await self.store.adoctor()


def _scrubber(gone: Erased, thread_id: str) -> Scrubber:
    """Takes out of a thread what was forgotten."""
    ids = [message for thread, message in gone.messages if thread == thread_id]
    return Scrubber(leaf_texts(gone.values), ids, {topic for _, topic in gone.topics})


def _scrubbers(gone: Erased, threads: Iterable[str]) -> dict[str, Scrubber]:
    """What is taken out of each thread: one scrubber for all those that hold no source message."""
    told = {thread for thread, _ in gone.messages}
    plain = _scrubber(gone, "")
    return {one: _scrubber(gone, one) if one in told else plain for one in threads}
