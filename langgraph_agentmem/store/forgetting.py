"""The verb that erases for good, and its receipt."""

from __future__ import annotations

import secrets
from collections.abc import Mapping

from langgraph_agentmem.model import Namespace, Receipt
from langgraph_agentmem.scrub import leaf_texts, needles
from langgraph_agentmem.steps import Call, Steps, Work, await_all, call_all, settings
from langgraph_agentmem.steps import forget as steps_of_forget
from langgraph_agentmem.steps.forget import Erased
from langgraph_agentmem.steps.places import check_namespace, check_topic

from .core import LAST_FORGETTING, StoreCore

UNREACHABLE = (
    "backups and copies of the database files",
    "logs of the model provider",
    "checkpoints kept by another checkpointer",
    "threads that no user owns",
)
_PURGE = "purge"


class Forgetting(StoreCore):
    """Forgetting within the store; `memory.forget` reaches checkpoints too."""

    def forget(
        self, namespace: Namespace, topic: str | None = None, *, dry_run: bool = False
    ) -> Receipt:
        """Erase a topic, or a namespace and all below it: value, history, vectors, search text.

        The rows go in one transaction; then a pass over the files drops what erased rows left
        in the index, the log and free pages. Copies in checkpoints stay: `memory.forget(user)`
        reaches them.

        Args:
            namespace: Whose memory.
            topic: One topic; None for everything in the namespace and below it.
            dry_run: Count what would go, and change nothing.

        Returns:
            A receipt; nothing was there if its `total` is 0.
        """
        return call_all(self._forget(namespace, topic, dry_run=dry_run))

    async def aforget(
        self, namespace: Namespace, topic: str | None = None, *, dry_run: bool = False
    ) -> Receipt:
        """`forget`, awaited."""
        return await await_all(self._forget(namespace, topic, dry_run=dry_run))

    def _forget(self, namespace: Namespace, topic: str | None, *, dry_run: bool) -> Work[Receipt]:
        rows = self.forget_steps(namespace, topic, dry_run=dry_run)

        def steps() -> Steps[tuple[Erased, bool]]:
            gone = yield from rows
            owed = yield from self.owe_purge(gone.counts, dry_run=dry_run)
            return gone, owed

        gone, owed = yield self.perform(steps(), write=not dry_run)
        return (yield from self.receipt(gone, dict(gone.counts), owed=owed, dry_run=dry_run))

    def forget_steps(
        self, namespace: Namespace, topic: str | None, *, dry_run: bool = False
    ) -> Steps[Erased]:
        """The rows of a topic or namespace, for a transaction that erases more than them."""
        home = check_namespace(namespace)
        about = None if topic is None else check_topic(topic)
        now = self.clock()

        def steps() -> Steps[Erased]:
            key = "" if dry_run else (yield from self._key())
            return (
                yield from steps_of_forget.forget(home, about, key=key, now=now, dry_run=dry_run)
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

    def finish_forgetting(self) -> None:
        """Make up for a pass over the files that a crash or a reader cut off."""
        if self.backend.perform(settings.read(_PURGE), write=False) is not None:
            call_all(self._purge())

    def _purge(self) -> Work[tuple[str, ...]]:
        backend = self.backend
        self.listing.forget()
        debt: str | None = yield self.perform(settings.read(_PURGE), write=False)
        pending: tuple[str, ...] = yield Call(
            backend.purge, lambda: backend.in_thread(backend.purge)
        )
        if not pending:
            yield self.perform(_paid(debt))
        return pending

    def receipt(
        self, gone: Erased, removed: dict[str, int], *, owed: bool, dry_run: bool
    ) -> Work[Receipt]:
        """The pass over the files, if it is owed, and what it says."""
        if not owed:
            return Receipt(removed=removed, unreachable=UNREACHABLE, dry_run=dry_run)
        if self.index is not None:
            self.index.embedder.drop_queries()
        pending = yield from self._purge()
        backend = self.backend
        wanted = needles(leaf_texts(gone.values))
        left: int = yield Call(
            lambda: backend.count_in_files(wanted),
            lambda: backend.in_thread(lambda: backend.count_in_files(wanted)),
        )
        return Receipt(
            removed=removed,
            unreachable=UNREACHABLE,
            complete=not pending,
            pending=pending,
            left_in_files=left,
        )


def _paid(debt: str | None) -> Steps[None]:
    """The pass is no longer owed, unless another process came to owe one meanwhile."""
    if (yield from settings.read(_PURGE)) == debt:
        yield from settings.remove(_PURGE)
