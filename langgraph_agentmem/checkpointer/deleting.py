"""The verbs of the checkpointer that delete and copy: threads, checkpoints, runs."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from langgraph_agentmem.retention import ThreadRetention, ThreadSweep
from langgraph_agentmem.steps import pruning, thread_retention

from .core import SaverCore
from .packing import places_in

_log = logging.getLogger("langgraph_agentmem.checkpointer")


class Deleting(SaverCore):
    """Deleting and copying, sync and async."""

    def delete_thread(self, thread_id: str) -> None:
        """Delete a thread: its checkpoints, writes and messages, and whose it was."""
        self.backend.perform(pruning.remove_thread(str(thread_id), now=self.clock()))
        self.memo.clear()

    def delete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Delete the checkpoints and writes of runs, in whatever threads.

        What a delta channel of a later checkpoint is rebuilt from stays: it is counted in
        `needed_checkpoints` and logged.

        Raises:
            TypeError: One id was given, not a list of them.
        """
        if isinstance(run_ids, str):
            raise TypeError("run_ids is a list of ids, not one id")
        gone = [str(one) for one in run_ids]
        # Found by a reader: others write meanwhile.
        threads = self.backend.perform(pruning.threads_of_runs(gone), write=False)
        if not threads:
            return
        steps = pruning.remove_runs(
            threads,
            gone,
            self.packing(write=False).opens,
            places_in,
            now=self.clock(),
        )
        needed = self._count_needed(self.backend.perform(steps))
        if needed:
            _log.warning(
                "%d checkpoints of deleted runs stay: delta channels are rebuilt from them", needed
            )

    def _count_needed(self, needed: int) -> int:
        with self._shared.lock:
            self._shared.needed += needed
        return needed

    def copy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Copy a thread with all that it holds, to the same user.

        Raises:
            ThreadNotFound: There is nothing to copy.
            ThreadNotEmpty: The target holds checkpoints already.
            UserConflict: The target is another user's.
        """
        steps = pruning.copy_thread(str(source_thread_id), str(target_thread_id), now=self.clock())
        self.backend.perform(steps)

    def prune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Delete checkpoints of threads and what only they held.

        Args:
            thread_ids: The threads.
            strategy: `keep_latest` keeps the newest checkpoint of each namespace, with its
                writes, and what its delta channels are rebuilt from (counted in
                `needed_checkpoints`). `delete` keeps nothing.

        Raises:
            ValueError: There is no such strategy.
            TypeError: One id was given, not a list of them.
        """
        if strategy not in {"keep_latest", "delete"}:
            raise ValueError(
                f"the strategy is keep_latest or delete (found {str(strategy)[:40]!r})"
            )
        if isinstance(thread_ids, str):
            raise TypeError("thread_ids is a list of ids, not one id")
        for thread_id in thread_ids:
            # One transaction for each: others write between.
            if strategy == "delete":
                self.delete_thread(thread_id)
            else:
                steps = pruning.keep_latest(
                    str(thread_id), self.packing(write=False).opens, places_in, now=self.clock()
                )
                self._count_needed(self.backend.perform(steps))

    def sweep_threads(
        self, retention: ThreadRetention, *, user_id: str | None = None, dry_run: bool = False
    ) -> ThreadSweep:
        """Delete threads by rule, each in a transaction of its own.

        Args:
            retention: The rules.
            user_id: Only this user's threads; None for everybody's.
            dry_run: Say what would go, and delete nothing.

        Returns:
            The threads with the reason of each. One that is used while this runs stays.
        """
        now = self.clock()
        found, undated = self.backend.perform(
            thread_retention.due(retention, user_id=user_id, now=now), write=False
        )
        if not dry_run:
            found = [
                one
                for one in found
                if self.backend.perform(thread_retention.sweep(one, now=self.clock()))
            ]
            self.memo.clear()
        return ThreadSweep(swept=tuple(found), undated=tuple(undated), dry_run=dry_run)

    def forget_cache(self) -> None:
        """Drop what this process keeps in memory of stored messages."""
        self.memo.clear()

    # Async: the same, in a thread --------------------------------------------------------------

    async def adelete_thread(self, thread_id: str) -> None:
        """`delete_thread`, awaited."""
        await self.in_thread(lambda: self.delete_thread(thread_id))

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        """`delete_for_runs`, awaited."""
        await self.in_thread(lambda: self.delete_for_runs(run_ids))

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """`copy_thread`, awaited."""
        await self.in_thread(lambda: self.copy_thread(source_thread_id, target_thread_id))

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """`prune`, awaited."""
        await self.in_thread(lambda: self.prune(thread_ids, strategy=strategy))

    async def asweep_threads(
        self, retention: ThreadRetention, *, user_id: str | None = None, dry_run: bool = False
    ) -> ThreadSweep:
        """`sweep_threads`, awaited."""
        return await self.in_thread(
            lambda: self.sweep_threads(retention, user_id=user_id, dry_run=dry_run)
        )
