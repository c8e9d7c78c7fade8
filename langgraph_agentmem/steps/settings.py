"""Settings of a database: single texts by name."""

from __future__ import annotations

from . import Statement, Steps

TOMBSTONE_KEY = "tombstone_key"
"""The setting that keys hashes where the application gives no key."""


def read(name: str) -> Steps[str | None]:
    """A setting, or None."""
    rows = yield Statement("read_setting", {"name": name})
    return rows[0]["value"] if rows else None


def keep(name: str, value: str) -> Steps[str]:
    """The setting that stands, which is `value` if there was none."""
    found = yield from read(name)
    if found is not None:
        return found
    yield Statement("keep_setting", {"name": name, "value": value})
    return value


def replace(name: str, value: str) -> Steps[None]:
    """The setting is `value` from now on."""
    yield Statement("replace_setting", {"name": name, "value": value})


def remove(name: str) -> Steps[None]:
    """There is no such setting from now on."""
    yield Statement("remove_setting", {"name": name})


def check_tombstone_key(given: object) -> None:
    """A key that the application gives, before a database is opened. Raises ValueError."""
    if given is not None and not (isinstance(given, str) and given.strip()):
        kind = "blank text" if isinstance(given, str) else type(given).__name__
        raise ValueError(f"tombstone_key is a text that is kept secret, or None (found {kind})")


def tombstone_key(given: str | None, fresh: str) -> Steps[str]:
    """The key of keyed hashes: the application's, else one that the database keeps."""
    return given if given is not None else (yield from keep(TOMBSTONE_KEY, fresh))
