"""Every snippet of the README and of the pages runs, and says what is said there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableLambda

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = {
    page: page.read_text(encoding="utf-8")
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
}
SNIPPETS = dict(
    re.findall(r"<!-- snippet: (\w+) -->\n```python\n(.*?)```", "".join(PAGES.values()), re.DOTALL)
)


def run(name: str, capsys: pytest.CaptureFixture[str]) -> tuple[dict[str, Any], str]:
    names: dict[str, Any] = {}
    exec(compile(SNIPPETS[name], f"snippet: {name}", "exec", dont_inherit=True), names)  # noqa: S102 - our own pages
    return names, capsys.readouterr().out


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_every_python_block_is_a_named_snippet_that_a_test_runs():
    blocks = re.findall(r"```python\n", "".join(PAGES.values()))

    assert len(blocks) == len(SNIPPETS)
    names = {"graph", "verbs", "forgetting", "agent", "lessons", "store", "embeddings"}
    names |= {"consent", "threads", "existing", "server", "leaving"}
    names |= {"view"}  # run by test_what_the_model_sees.py
    assert names == set(SNIPPETS)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_a_page_links_to_is_there(page):
    for link in re.findall(r"\]\(([^)#]+)[^)]*\)", PAGES[page]):
        if "://" not in link:
            assert (page.parent / link).exists(), link


def test_the_readme_leads_to_every_page():
    assert [] == [
        page.name for page in PAGES if page.parent.name == "docs" and page.name not in README
    ]


class Talking(GenericFakeChatModel):
    """Answers once, and finds two facts when it is asked for structured output."""

    def with_structured_output(self, schema: Any, **_options: Any) -> Any:
        said = {"ends": False, "quote": "I live in Berlin and I'm allergic to peanuts"}
        facts = [
            {"topic": "home_city", "value": "Berlin", **said},
            {"topic": "allergy.peanuts", "value": "peanuts", **said},
        ]
        return RunnableLambda(lambda _: {"parsed": schema(facts=facts), "parsing_error": None})


def test_the_graph_of_the_readme_answers_and_remembers(monkeypatch, capsys):
    models = ModuleType("langchain.chat_models")
    models.init_chat_model = lambda name: Talking(messages=iter([AIMessage("Noted, Asha.")]))
    monkeypatch.setitem(sys.modules, "langchain", ModuleType("langchain"))
    monkeypatch.setitem(sys.modules, "langchain.chat_models", models)

    names, _ = run("graph", capsys)
    state = names["graph"].get_state(names["config"]).values
    held = {one.topic: one.text for one in names["memory"].for_user("asha").memories()}
    names["memory"].close()

    assert "Noted, Asha." == state["messages"][-1].text
    assert {"home_city": "Berlin", "allergy.peanuts": "peanuts"} == held


def test_history_pin_and_forget_do_what_the_readme_says(capsys):
    _, printed = run("verbs", capsys)

    history, recalled, removed = printed.splitlines()
    assert ("['Berlin', 'Lisbon']", "['Lisbon']") == (history, recalled)
    assert "'memories': 1, 'versions': 1" in removed


class Tooled(Talking):
    """The same, with tools bound."""

    def bind_tools(self, tools: Any, **_options: Any) -> Any:
        assert ["remember", "recall", "forget", "history"] == [tool.name for tool in tools]
        return self


def test_the_agent_of_the_readme_answers_and_remembers(monkeypatch, capsys):
    model = Tooled(messages=iter([AIMessage("Noted, Asha.")]))
    monkeypatch.setattr("langchain.chat_models.init_chat_model", lambda _: model)

    names, printed = run("agent", capsys)
    held = {one.topic: one.text for one in names["memory"].for_user("asha").memories()}
    names["memory"].close()

    assert "Berlin" == held["home_city"]
    assert printed.endswith("1)]\n")


def test_the_lesson_of_the_readme_becomes_a_procedure(capsys):
    _, printed = run("lessons", capsys)

    assert "Dates are day first.\n" == printed


def test_what_is_forgotten_is_verified_as_the_readme_says(capsys):
    _, printed = run("forgetting", capsys)

    listed, told, verified = printed.splitlines()
    assert "('fact memories/asha/phone',)" == listed
    assert "'memories': 1" in told
    assert told.endswith("True 0")
    assert "True" == verified


def test_the_store_snippet_finds_what_it_put(capsys):
    _, printed = run("store", capsys)

    value, found, namespaces = printed.splitlines()
    assert "{'text': 'measure twice', 'year': 2024}" == value
    assert "motto" in found
    assert "[('teams', 'red')]" == namespaces


def test_the_threads_snippet_keeps_what_it_says(capsys):
    _, printed = run("threads", capsys)

    kept, swept = printed.splitlines()
    assert "1 2" == kept
    assert "[('trip', 'keep_last')]" == swept


def test_the_embeddings_snippet_finds_the_fact(monkeypatch, capsys):
    class SentenceTransformer:
        def __init__(self, name: str) -> None:
            assert "all-MiniLM-L6-v2" == name

        def encode(self, texts: list[str], **_options: Any) -> np.ndarray:
            return np.ones((len(texts), 3), dtype=np.float32)

    module = ModuleType("sentence_transformers")
    module.SentenceTransformer = SentenceTransformer
    monkeypatch.setitem(sys.modules, "sentence_transformers", module)

    _, printed = run("embeddings", capsys)

    assert printed.startswith("work.commute 45 minutes each way by train {'words': 0.0, ")


def test_an_existing_graph_learns_and_keeps_its_keys(capsys):
    _, printed = run("existing", capsys)

    assert ["T-1", "['Oslo']"] == printed.splitlines()


def test_a_server_answers_thirty_users_at_once(capsys):
    _, printed = run("server", capsys)

    assert ["['kiwi']"] == printed.splitlines()


def test_a_user_who_leaves_arrives_elsewhere(capsys):
    _, printed = run("leaving", capsys)

    assert "{'topic': 1}\n" == printed


def test_the_demo_of_the_readme_is_what_make_demo_prints():
    """But for the counts of its receipt, which depend on when the runs stored what."""
    shown = re.search(r"<!-- demo -->\n```\n(.*?)```", README, re.DOTALL)
    told = subprocess.run(
        [sys.executable, "-m", "example_graphs.travel_assistant"],
        capture_output=True,
        text=True,
        check=True,
        timeout=500,
        cwd=ROOT,
        env={**os.environ, "COLUMNS": "100"},
    ).stdout.splitlines()

    assert shown is not None
    lines = [line for line in shown[1].splitlines() if not line.startswith("  │ ")]
    assert [] == [line for line in lines if line.strip(" …") and line not in told]
    assert len(lines) > 50


def test_the_consent_snippet_prints_what_its_comments_say(capsys):
    _, printed = run("consent", capsys)

    assert re.findall(r"print\(.*\)  # (.*)", SNIPPETS["consent"]) == printed.splitlines()


def test_every_extra_that_is_named_can_be_installed():
    """In pages and in errors, which say what to install."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        extras = tomllib.load(file)["project"]["optional-dependencies"]
    code = (file.read_text(encoding="utf-8") for file in ROOT.glob("langgraph_agentmem/**/*.py"))
    named = re.findall(r"langgraph-agentmem\[([\w,]+)\]", "".join([*PAGES.values(), *code]))
    named += re.findall(r"extra `(\w+)`", "".join([*PAGES.values(), README]))

    assert {"agents", "local"} <= set(named)
    assert set(named) <= set(extras)
