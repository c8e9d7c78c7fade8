"""What can go wrong, whose fault it is, and what to do about it.

An error carries data (namespace, topic, statement name), never content. Its docstring is its
default message and says the remedy.
"""

from __future__ import annotations

import inspect

from langgraph.store.base import InvalidNamespaceError


def shown(value: object) -> str:
    """What was given, as an error shows it: a number as it is, of all else the type alone."""
    if value is None or isinstance(value, bool | int | float):
        return repr(value)[:40]
    return type(value).__name__


class AgentMemError(Exception):
    """Base of every error that this package raises on purpose; never raised itself."""

    def __init__(self, message: str | None = None, /, **data: object) -> None:
        said = message or " ".join((inspect.getdoc(type(self)) or type(self).__name__).split())
        detail = ", ".join(f"{name}={_brief(value)}" for name, value in data.items())
        super().__init__(f"{said} ({detail})" if detail else said)
        self.data = data

    def __getattr__(self, name: str) -> object:
        data = self.__dict__.get("data", {})
        if name in data:
            return data[name]
        raise AttributeError(name)


_LONGEST = 300
"""Characters of one thing that a message names; `data` has it whole."""


def _brief(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


# Your call -----------------------------------------------------------------------------------


class InvalidNamespace(AgentMemError, InvalidNamespaceError):
    """A namespace is a tuple of one or more non-empty strings without a period, NUL or lone
    surrogate, and does not start with "langgraph"; let `memory.for_user(id)` encode user ids.
    """


class InvalidTopic(AgentMemError, ValueError):
    """A topic is a non-empty string without NUL or lone surrogate."""


class InvalidValue(AgentMemError, ValueError):
    """A value is text or a mapping that JSON can hold: string keys, no NaN or infinity, no lone
    surrogates.
    """


class NotHeld(AgentMemError, LookupError):
    """Nothing of this user waits for consent under this id; `memory.held(user_id)` lists what
    does, and `memory.consents(user_id)` what `memory.withdraw(user_id, id)` can forget.
    """


class UserRequired(AgentMemError, ValueError):
    """No user id was given, so nothing was read or written; pass `context={"user_id": …}` or
    `{"configurable": {"user_id": …}}`.
    """


class ThreadRequired(AgentMemError, ValueError):
    """A checkpointer keeps threads, and the run names none; pass
    `{"configurable": {"thread_id": …}}`.
    """


class UserConflict(AgentMemError, ValueError):
    """Two different users were named, so nothing was read or written; name one, or use
    `Scope(trust="auth")` to let the authenticated user win.
    """


ANOTHERS_THREAD = "the thread belongs to another user; begin one of this user's under a new id"
"""Said of a `UserConflict` over a thread."""


class StoreRequired(AgentMemError):
    """The graph has no AgentMemStore; compile it with `builder.compile(store=memory.store)`, or
    make the agent with `store=memory.store`. What another store holds comes over with
    `memory.store.import_store(other)`.
    """


class BudgetTooSmall(AgentMemError, ValueError):
    """The pinned memories and the open turn alone exceed the token budget; raise the budget or
    unpin something.
    """


class TypeNotAllowed(AgentMemError, TypeError):
    """A checkpoint holds a type that may not be loaded, because loading it could run anybody's
    code; allow it with `AgentMemory.open(path, allowed_types=[…])`, or set
    `LANGGRAPH_STRICT_MSGPACK=true` before LangGraph is imported, which allows what the graph's
    state is annotated with.
    """


class ThreadNotEmpty(AgentMemError, ValueError):
    """The thread to copy to holds checkpoints already; copy to a new id, or delete it first."""


class MissingExtra(AgentMemError, ImportError):
    """A package that this feature needs is not installed."""


class SyncEmbedderRequired(AgentMemError, TypeError):
    """The embedder is async only; use the `a…` form of this verb (`aput`, `arecall`, …)."""


# The state -----------------------------------------------------------------------------------


class MemoryNotFound(AgentMemError, LookupError):
    """No memory is kept under this topic now; `store.history(namespace, topic)` shows what was."""


class ThreadNotFound(AgentMemError, LookupError):
    """No thread is stored under this id."""


class VersionConflict(AgentMemError):
    """The topic has another version than expected; read it again with `look` and decide anew."""


class InvalidExport(AgentMemError, ValueError):
    """This is no line of an export of langgraph-agentmem, or one of a later version; what came
    before it was imported, and importing all of it again goes on from there.
    """


class WriteRefused(AgentMemError):
    """The write policy refused this memory."""


class EmbedderMismatch(AgentMemError):
    """The vectors in this database come from another embedder; open it with that one, or call
    `store.reindex()`.
    """


# The machinery -------------------------------------------------------------------------------


class EmbeddingFailed(AgentMemError):
    """The embedder failed or returned something else than one finite vector per text; nothing
    was stored. Its own error, if any, is the __cause__.
    """


class CheckpointUnreadable(AgentMemError):
    """Checkpoints hold what is to be forgotten beside types that cannot be loaded here, so nothing
    was forgotten; forget where their modules can be imported, open the memory with a serde that
    allows them, or delete the threads with `checkpointer.delete_thread`.
    """


class SchemaOutdated(AgentMemError):
    """The database has an older schema and cannot be changed here; open it once where it is
    writable, and it is migrated.
    """


class SchemaTooNew(AgentMemError):
    """The database was written by a later version of langgraph-agentmem; upgrade the package."""


class NotAMemoryFile(AgentMemError):
    """The file exists and is not a database of langgraph-agentmem; name another path."""


class SQLiteTooOld(AgentMemError):
    """SQLite 3.40 or later with FTS5 is needed; use a Python that was built with it."""


class MemoryClosed(AgentMemError):
    """The memory was closed; open it again with `AgentMemory.open(path)`."""


class StorageError(AgentMemError):
    """The database refused; the driver's own error is the __cause__."""
