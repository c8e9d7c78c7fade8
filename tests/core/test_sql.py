"""The named queries: each is used, each that is used is there, and each can be prepared."""

from __future__ import annotations

import ast
import re
from importlib.resources import files
from pathlib import Path

import pytest

import langgraph_agentmem
from langgraph_agentmem import AgentMemory
from langgraph_agentmem.sql import migrations, queries

PACKAGE = Path(langgraph_agentmem.__file__).parent
QUERIES = queries("common.sql", "sqlite.sql")


def used_names() -> set[str]:
    """The names in `Statement("name", …)` and `queries["name"]`, wherever they stand."""
    found: set[str] = set()
    for file in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Statement":
                found |= _texts(node.args[0])
            if isinstance(node, ast.Subscript) and "queries" in ast.unparse(node.value):
                found |= _texts(node.slice)
    return found


def _texts(node: ast.expr) -> set[str]:
    return {
        one.value
        for one in ast.walk(node)
        if isinstance(one, ast.Constant) and isinstance(one.value, str)
    }


def test_every_query_is_used_and_every_used_one_exists():
    assert set(QUERIES) == used_names()


@pytest.fixture
def connection(path):
    with AgentMemory.open(path) as memory, memory.checkpointer.backend.cursor(write=True) as cursor:
        for name in ("make_words_then", "make_terms_then", "make_terms", "make_term_places"):
            cursor.execute(QUERIES[name])
        yield cursor


@pytest.mark.parametrize("name", QUERIES)
def test_every_query_can_be_prepared_with_its_parameters(connection, name):
    sql = QUERIES[name]
    params = dict.fromkeys(re.findall(r"(?<!:):(\w+)", sql))

    assert connection.execute(f"EXPLAIN {sql}", params).fetchall()


@pytest.mark.parametrize("name", QUERIES)
def test_no_query_holds_a_value_of_a_caller(name):
    assert "%s" not in QUERIES[name]
    assert "{" not in QUERIES[name]


def test_a_name_stands_once_over_all_files():
    with pytest.raises(ValueError, match="defined twice"):
        queries("common.sql", "common.sql")


def test_migrations_are_numbered_without_gaps():
    numbers = [migration.number for migration in migrations("sqlite")]

    assert list(range(1, len(numbers) + 1)) == numbers


def test_the_sql_files_travel_with_the_package():
    names = {file.name for file in files("langgraph_agentmem.sql").iterdir()}

    assert {"common.sql", "sqlite.sql", "migrations"} <= names
