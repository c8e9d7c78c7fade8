"""User ids become namespaces without collisions, and nobody is nobody."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from langgraph_agentmem import Scope
from langgraph_agentmem.errors import InvalidNamespace, UserConflict, UserRequired


@dataclass
class Context:
    user_id: Any


class Model(BaseModel):
    user_id: str


@pytest.mark.parametrize(
    ("user_id", "label"),
    [
        ("asha", "asha"),
        ("a.b@example.com", "a%2Eb@example%2Ecom"),
        ("a/b", "a%2Fb"),
        ("Ünï", "%C3%9Cn%C3%AF"),
        (42, "42"),
        ("42", "42"),
        ("100%", "100%25"),
        ("a b", "a%20b"),
        ("~x", "%7Ex"),
        ("langgraph", "langgraph"),
        ("日本", "%E6%97%A5%E6%9C%AC"),
    ],
)
def test_plain_ids_stay_readable_and_others_are_encoded(user_id, label):
    assert ("memories", label) == Scope().namespace(user_id)


@given(st.text(), st.text())
def test_two_ids_never_share_a_namespace(one, other):
    scope = Scope(template=("u-{user_id}", "x"))
    made = set()
    for user_id in {one, other}:
        if user_id.strip():
            made.add(scope.namespace(user_id))

    assert len({text for text in (one, other) if text.strip()}) == len(made)


@pytest.mark.parametrize("nobody", [None, "", "  ", "\n", True, False, 1.5, b"x", "\ud800", ("a",)])
def test_what_is_no_user_is_refused(nobody):
    with pytest.raises(UserRequired):
        Scope().namespace(nobody)


@pytest.mark.parametrize(
    ("config", "context"),
    [
        ({"configurable": {"user_id": "asha"}}, None),
        ({}, {"user_id": "asha"}),
        ({}, Context("asha")),
        ({}, Model(user_id="asha")),
        ({"configurable": {"langgraph_auth_user": {"identity": "asha"}}}, None),
        ({"configurable": {"langgraph_auth_user": SimpleNamespace(identity="asha")}}, None),
        ({"configurable": {"user_id": "asha"}}, Context(None)),
        ({"configurable": {"user_id": "asha"}}, {"user_id": "asha"}),
    ],
)
def test_the_user_is_found_wherever_a_run_names_one(config, context):
    assert "asha" == Scope().user(config, context)


def test_a_number_and_its_text_are_one_user():
    assert "42" == Scope().user({"configurable": {"user_id": 42}}, {"user_id": "42"})


@pytest.mark.parametrize(
    ("config", "context"),
    [
        (None, None),
        ({}, None),
        ({"configurable": {}}, None),
        ({"configurable": {"user_id": None}}, Context(None)),
        ({"configurable": {"user_id": ""}}, None),
        ({"configurable": {"user_id": "  "}}, None),
        ({"configurable": {"user_id": "asha"}}, Context(" ")),
        ({"configurable": {"user_id": True}}, None),
    ],
)
def test_no_user_or_a_blank_one_is_an_error_that_says_where_to_name_it(config, context):
    with pytest.raises(UserRequired, match="user_id"):
        Scope().user(config, context)


def test_two_users_are_a_conflict_unless_the_authenticated_one_is_trusted():
    config = {"configurable": {"user_id": "mallory", "langgraph_auth_user": {"identity": "asha"}}}

    with pytest.raises(UserConflict):
        Scope().user(config)
    assert "asha" == Scope(trust="auth").user(config)


@pytest.mark.parametrize(
    "template",
    [(), ("memories",), ("{user}",), ("{user_id}", "{x}"), ("a.{user_id}",), "{user_id}"],
)
def test_a_template_is_checked_when_it_is_made(template):
    with pytest.raises(InvalidNamespace):
        Scope(template=template)


def test_users_who_look_alike_share_nothing(memory):
    users = ["user1", "user10", "USER1", "us_r1", "user%", "user*", "user1:x"]
    for number, user in enumerate(users):
        memory.for_user(user).remember("note", f"note {number}")

    for number, user in enumerate(users):
        mine = memory.for_user(user)
        assert [f"note {number}"] == [held.text for held in mine.memories()]
        assert [f"note {number}"] == [held.text for held in mine.recall("which note?").memories]
        found = memory.store.search(mine.namespace, query="note", limit=100)
        assert [f"note {number}"] == [item.value["text"] for item in found]
    memory.forget("user1")
    assert 6 == len(memory.store.search((), limit=100))
