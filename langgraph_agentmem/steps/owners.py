"""Whose a thread is."""

from __future__ import annotations

from datetime import datetime

from . import Statement, Steps
from .places import micros


def owner_of(thread_id: str) -> Steps[str | None]:
    """The user to whom a thread belongs, if anybody claimed it."""
    rows = yield Statement("find_owner", {"thread_id": thread_id})
    return rows[0]["user_id"] if rows else None


def claim_thread(thread_id: str, user_id: str, *, now: datetime) -> Steps[str]:
    """The user to whom a thread belongs: whoever claimed it first."""
    owner = yield from owner_of(thread_id)
    if owner is not None:
        return owner
    yield Statement("add_owner", {"thread_id": thread_id, "user_id": user_id, "now": micros(now)})
    return user_id
