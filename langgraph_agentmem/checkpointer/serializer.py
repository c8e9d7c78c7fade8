"""Loads nothing that was not allowed by name: a database that somebody else could write to must
not be able to run code here.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import Any

from langgraph.checkpoint.serde.base import SerializerProtocol
from langgraph.checkpoint.serde.encrypted import EncryptedSerializer
from langgraph.checkpoint.serde.event_hooks import SerdeEvent, register_serde_event_listener
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from langgraph_agentmem.errors import TypeNotAllowed

AllowedTypes = Iterable[type | tuple[str, ...]]
"""Classes, or their module and name."""


_FOUND_IN_STORES = ("langgraph.store.base", "SearchItem")
"""What `store.search` gives: plain data, which LangGraph's list allows as `Item` only."""


class _Refused(threading.local):
    """The types that this thread's loading met and did not load."""

    def __init__(self) -> None:
        self.types: list[str] = []


_refused = _Refused()


def _listen(event: SerdeEvent) -> None:
    if event["kind"] != "msgpack_unregistered_allowed":
        _refused.types.append(f"{event['module']}.{event['name']}")


register_serde_event_listener(_listen)


class StrictSerializer(JsonPlusSerializer):
    """LangGraph's serializer with a list of the types that it loads, which says so when it meets
    another: LangGraph's own would hand out plain data in its place.

    Allowed are LangGraph's and LangChain's messages and containers, the standard library's plain
    types, those given here, and with `LANGGRAPH_STRICT_MSGPACK=true` those in a graph's schema.

    Args:
        allowed_types: Further types: dataclasses, Pydantic models, enums of your own.
        pickle_fallback: As in LangGraph's. It runs code on load; leave it off.
        allowed_json_modules: As in LangGraph's, for checkpoints of its old format.
    """

    def __init__(
        self,
        allowed_types: AllowedTypes = (),
        *,
        pickle_fallback: bool = False,
        allowed_json_modules: Any = None,
    ) -> None:
        super().__init__(
            pickle_fallback=pickle_fallback,
            allowed_json_modules=allowed_json_modules,
            allowed_msgpack_modules=[_FOUND_IN_STORES, *_names(allowed_types)],
        )
        self._fine: set[type] = set()

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        """What was written. Raises `TypeNotAllowed`."""
        _refused.types.clear()
        value = super().loads_typed(data)
        if _refused.types:
            raise TypeNotAllowed(type=_refused.types[-1])  # the last one holds the others
        return value

    def with_msgpack_allowlist(
        self, extra_allowlist: Iterable[tuple[str, ...] | type]
    ) -> JsonPlusSerializer:
        """One that allows these as well."""
        clone = super().with_msgpack_allowlist(extra_allowlist)
        if clone is not self:
            vars(clone)["_fine"] = set()  # its own: `copy` shares what it finds
        return clone

    def check(self, value: Any) -> None:
        """Raises `TypeNotAllowed` for what could be written and not loaded again."""
        kind = type(value)
        if kind in self._fine:
            return
        if isinstance(value, BaseException):  # written as its text
            return
        # Tried once for each type: LangGraph alone knows how each is written.
        self.loads_typed(self.dumps_typed(value))
        self._fine.add(kind)


def _names(allowed_types: Iterable[object]) -> list[tuple[str, ...]]:
    """Modules and names. Raises TypeError."""
    found: list[tuple[str, ...]] = []
    for one in allowed_types:
        if isinstance(one, type):
            found.append((one.__module__, one.__name__))
        elif isinstance(one, tuple) and len(one) == 2 and all(isinstance(x, str) for x in one):  # noqa: PLR2004
            found.append(one)
        else:
            raise TypeError(
                "allowed_types holds classes, or tuples of module and name "
                f"(found {type(one).__name__})"
            )
    return found


def strict(serde: SerializerProtocol | None, allowed_types: AllowedTypes) -> SerializerProtocol:
    """A serializer that loads no type but those allowed.

    LangGraph's own serializers, by themselves or inside an `EncryptedSerializer`, load any type
    unless they were told otherwise; they give way to a `StrictSerializer`. Any other is the
    application's, and stays.
    """
    allowed = [*allowed_types]
    if serde is None:
        return StrictSerializer(allowed)
    if type(serde) is EncryptedSerializer:
        return EncryptedSerializer(serde.cipher, strict(serde.serde, allowed))
    if type(serde) is JsonPlusSerializer:
        known = serde._allowed_msgpack_modules  # noqa: SLF001 - there is no other way to ask
        kept = known if isinstance(known, set) else ()
        return StrictSerializer(
            [*allowed, *kept],
            pickle_fallback=serde.pickle_fallback,
            allowed_json_modules=serde._allowed_json_modules,  # noqa: SLF001
        )
    return serde


def checks(serde: SerializerProtocol) -> StrictSerializer | None:
    """The serializer that knows what may be loaded again, if there is one."""
    inner = serde.serde if isinstance(serde, EncryptedSerializer) else serde
    return inner if isinstance(inner, StrictSerializer) else None
