"""Which migrations a database still needs."""

from __future__ import annotations

from collections.abc import Sequence

from langgraph_agentmem.errors import SchemaTooNew
from langgraph_agentmem.sql import Migration


def pending(applied: Sequence[int], known: Sequence[Migration]) -> list[Migration]:
    """The migrations to apply, in order. Raises `SchemaTooNew` when the database knows more."""
    newest = known[-1].number
    if applied and max(applied) > newest:
        raise SchemaTooNew(found=max(applied), needed=newest)
    return [migration for migration in known if migration.number not in applied]
