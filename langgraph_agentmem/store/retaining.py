"""Verbs of retention: sweep by rule, find duplicates, consolidate them; and the counts of uses."""

from __future__ import annotations

from collections.abc import Iterable

from langgraph_agentmem.errors import shown
from langgraph_agentmem.model import Kind, Namespace
from langgraph_agentmem.retention import Duplicate, Retention, Sweep, Swept
from langgraph_agentmem.steps import Row, Work, await_all, call_all, duplicates, retention
from langgraph_agentmem.steps.places import check_namespace

from .core import AT_ONCE, check_flag, check_kind, check_several
from .uses import Using

ALIKE = 0.9
"""The likeness from which two memories are reported as near-duplicates."""


class Retaining(Using):
    """Forgetting by rule, and ending what says the same twice."""

    def sweep(
        self, retention: Retention, *, namespace: Namespace | None = None, dry_run: bool = False
    ) -> Sweep:
        """Erase what a retention says is due, as `delete` does: value, history, vectors and
        search text of each in one transaction, without a pass over the files and without
        tombstones. Some hundreds go at once, so that other writers get their turn.

        Pinned memories stay, those that the user consented to keep, and what is written, pinned
        or noted as used while this runs.

        Args:
            retention: The rules.
            namespace: Only there and below; None for everybody.
            dry_run: List what would go and why, and change nothing.

        Returns:
            What went, by namespace and topic, each with its reason.

        Raises:
            InvalidNamespace, TypeError: Nothing was swept.
        """
        return call_all(self._sweep(retention, namespace, dry_run=dry_run))

    async def asweep(
        self, retention: Retention, *, namespace: Namespace | None = None, dry_run: bool = False
    ) -> Sweep:
        """`sweep`, awaited."""
        return await await_all(self._sweep(retention, namespace, dry_run=dry_run))

    def _sweep(
        self, rules: Retention, namespace: Namespace | None, *, dry_run: bool
    ) -> Work[Sweep]:
        given: object = rules
        if not isinstance(given, Retention):
            raise TypeError(f"sweep takes a Retention (found {type(given).__name__})")
        home = None if namespace is None else check_namespace(namespace)
        check_flag("dry_run", dry_run)
        yield from self._write_uses()
        steps = retention.due(rules, namespace=home, now=self.clock())
        found: list[tuple[Swept, Row]] = yield self.perform(steps, write=False)
        swept = [one for one, _ in found]
        if not dry_run:
            swept = []
            for start in range(0, len(found), AT_ONCE):
                swept += yield self.perform(retention.sweep(found[start : start + AT_ONCE]))
        return Sweep(swept=tuple(swept), dry_run=dry_run)

    def find_duplicates(
        self, namespace: Namespace, *, kind: Kind | None = None, least: float = ALIKE
    ) -> list[Duplicate]:
        """Pairs of memories of one namespace and kind that say the same or nearly: by their
        vectors, or by their words where there are none. Changes nothing.

        Args:
            namespace: Whose memory, exactly.
            kind: Only of this kind; None for all but turns, which are what was said.
            least: The likeness from which a pair is reported, above 0 and up to 1.

        Returns:
            Exact ones first, then by likeness.

        Raises:
            InvalidNamespace, ValueError: An unknown kind, or a likeness out of range.
        """
        return call_all(self._find_duplicates(namespace, kind, least))

    async def afind_duplicates(
        self, namespace: Namespace, *, kind: Kind | None = None, least: float = ALIKE
    ) -> list[Duplicate]:
        """`find_duplicates`, awaited."""
        return await await_all(self._find_duplicates(namespace, kind, least))

    def _find_duplicates(
        self, namespace: Namespace, kind: Kind | None, least: float
    ) -> Work[list[Duplicate]]:
        given: object = least
        if isinstance(given, bool) or not isinstance(given, int | float) or not 0 < given <= 1:
            raise ValueError(f"least is a number above 0 and up to 1 (found {shown(given)})")
        steps = duplicates.find(
            check_namespace(namespace),
            kind=None if kind is None else check_kind(kind),
            least=least,
            now=self.clock(),
        )
        found: list[Duplicate] = yield self.perform(steps, write=False)
        return found

    def consolidate(
        self, namespace: Namespace, *, apply: Iterable[Duplicate] = (), dry_run: bool = False
    ) -> list[Duplicate]:
        """End the older of two memories that say the same: of exact duplicates always, of near
        ones only those that are given. Pinned ones never end. What ends is retired, so its
        history stays: `remember` with the last value of `history` brings it back.

        Args:
            namespace: Whose memory, exactly.
            apply: Near ones to end too, from `find_duplicates`.
            dry_run: List what would end, and change nothing.

        Returns:
            The pairs of which one ended.

        Raises:
            InvalidNamespace, ValueError: A pair of another namespace; nothing has ended.
        """
        return call_all(self._consolidate(namespace, apply, dry_run=dry_run))

    async def aconsolidate(
        self, namespace: Namespace, *, apply: Iterable[Duplicate] = (), dry_run: bool = False
    ) -> list[Duplicate]:
        """`consolidate`, awaited."""
        return await await_all(self._consolidate(namespace, apply, dry_run=dry_run))

    def _consolidate(
        self, namespace: Namespace, apply: Iterable[Duplicate], *, dry_run: bool
    ) -> Work[list[Duplicate]]:
        home = check_namespace(namespace)
        check_flag("dry_run", dry_run)
        chosen = check_several("apply", apply)
        given: list[object] = [*chosen]
        if not all(isinstance(one, Duplicate) and one.namespace == home for one in given):
            raise ValueError("consolidate applies duplicates of its own namespace")
        now = self.clock()
        # Found by a reader: others write meanwhile.
        exact: list[Duplicate] = yield self.perform(
            duplicates.find_exact(home, now=now), write=False
        )
        steps = duplicates.consolidate(home, exact, chosen, now=now, dry_run=dry_run)
        ended: list[Duplicate] = yield self.perform(steps, write=not dry_run)
        return ended
