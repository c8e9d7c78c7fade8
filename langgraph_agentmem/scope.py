"""Whose memory it is: user ids become namespaces, exactly and without collisions.

The user is looked for in the authenticated identity, then `context.user_id`, then
`configurable.user_id`. An absent or None source is skipped; a blank one is an error.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from string import Formatter
from typing import Any, Literal, TypeAlias, get_args
from urllib.parse import quote

from .errors import InvalidNamespace, UserConflict, UserRequired
from .model import Namespace

_PLAIN = "_@+-"
"""Characters besides ASCII letters and digits that stay readable in a label."""

_FIELD = "{user_id}"


def user_key(user_id: object) -> str:
    """The text of a user id, whichever source gave it.

    Integers are their decimal text. Raises `UserRequired` for None, blank text, booleans and
    everything else that is not a string or an integer.
    """
    if isinstance(user_id, bool) or not isinstance(user_id, str | int):
        raise UserRequired(found=type(user_id).__name__)
    text = str(user_id)
    if not text.strip():
        raise UserRequired(found="blank text")
    return text


def encode_label(user_id: object) -> str:
    """A user id as one namespace label: readable where it can be, percent-encoded UTF-8 where
    not (`.` is `%2E`, `%` is `%25`), so that two ids never share a label.
    """
    try:
        encoded = quote(user_key(user_id), safe=_PLAIN)
    except UnicodeEncodeError as error:
        raise UserRequired(found="text with a lone surrogate") from error
    # `quote` keeps "." and "~" as unreserved characters of RFC 3986; labels must not hold ".".
    return encoded.replace(".", "%2E").replace("~", "%7E")


def _read(container: object, name: str) -> Any:
    if isinstance(container, Mapping):
        return container.get(name)
    return getattr(container, name, None)


def _identity(auth_user: object) -> Any:
    """The id of LangGraph's authenticated user, which is a mapping or an object."""
    found = _read(auth_user, "identity")
    return found if found is not None else _read(auth_user, "user_id")


Trust: TypeAlias = Literal["agreement", "auth"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """User ids to namespaces.

    Args:
        template: Labels, of which at least one holds `{user_id}`, e.g.
            `("memories", "user-{user_id}")`.
        trust: "auth" takes the authenticated user when another id is named too; by default two
            different ids raise `UserConflict`.
    """

    template: Namespace = ("memories", _FIELD)
    trust: Trust = "agreement"

    def __post_init__(self) -> None:
        template: object = self.template
        if not isinstance(template, tuple | list) or not any(
            isinstance(label, str) and _FIELD in label for label in template
        ):
            raise InvalidNamespace(
                f"a template is a tuple of labels of which one holds {_FIELD}",
                template=self.template,
            )
        for label in self.template:
            fields = {name for _, name, _, _ in Formatter().parse(label) if name is not None}
            if fields - {"user_id"}:
                raise InvalidNamespace(f"a template knows {_FIELD} alone", template=self.template)
            if not label or re.search(r"[.\x00]", label):
                raise InvalidNamespace(template=self.template)
        if self.template[0] == "langgraph":
            raise InvalidNamespace(template=self.template)
        if self.trust not in get_args(Trust):
            raise ValueError(f"trust is one of {get_args(Trust)} (found {self.trust!r})")

    def namespace(self, user_id: object) -> Namespace:
        """The namespace of this user. Raises `UserRequired` when the id is blank or no id."""
        label = encode_label(user_id)
        return tuple(part.replace(_FIELD, label) for part in self.template)

    def may_be_a_users(self, namespace: Namespace) -> bool:
        """Whether some user id makes this namespace: that user would write what others read."""
        patterns = (".+".join(map(re.escape, label.split(_FIELD))) for label in self.template)
        return len(namespace) == len(self.template) and all(
            re.fullmatch(pattern, label) for pattern, label in zip(patterns, namespace, strict=True)
        )

    def user(self, config: Mapping[str, Any] | None, context: object = None) -> str:
        """The user of this run, as text.

        Args:
            config: A LangGraph config; its `configurable` is read.
            context: The run's context: a mapping, dataclass or Pydantic model.

        Raises:
            UserRequired: No source names a user, or one is blank.
            UserConflict: Two sources name different users.
        """
        named = self.named(config, context)
        if named is None:
            raise UserRequired
        return named

    def named(self, config: Mapping[str, Any] | None, context: object = None) -> str | None:
        """The user of this run, or None when no source names one. For the rest see `user`."""
        configurable = (config or {}).get("configurable") or {}
        authenticated = _identity(configurable.get("langgraph_auth_user"))
        named = [
            user_key(found)
            for found in (
                authenticated,
                _read(context, "user_id"),
                configurable.get("user_id"),
            )
            if found is not None
        ]
        if len(set(named)) > 1 and not (self.trust == "auth" and authenticated is not None):
            raise UserConflict
        return named[0] if named else None
