"""The shorter stories: each runs offline, says what its page says, and the page draws its graph."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from datetime import UTC, datetime
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

from example_graphs.command import run
from example_graphs.csv_importer.files import FILES, FORMATS, format_that_fits, import_file
from example_graphs.csv_importer.graph import AGENT
from example_graphs.csv_importer.stand_in import ImporterStandIn
from example_graphs.self_editing_agent.stand_in import AgentStandIn
from example_graphs.support_desk.graph import BUDGET
from example_graphs.support_desk.stand_in import DeskStandIn
from example_graphs.travel_assistant.stand_in import StandInModel
from langgraph_agentmem import AgentMemory, Episodes, Procedures

ROOT = Path(__file__).parents[2]
MODELS = {
    "support_desk": DeskStandIn,
    "csv_importer": ImporterStandIn,
    "self_editing_agent": AgentStandIn,
    "travel_assistant": StandInModel,
}
STORIES = ("support_desk", "csv_importer", "self_editing_agent")


def command(story, *options):
    return subprocess.run(
        [sys.executable, "-m", f"example_graphs.{story}", *options],
        capture_output=True,
        text=True,
        timeout=500,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
    )


def exit_code(story, monkeypatch, *options):
    """Of the command in this process, where nothing else of it is looked at but what it leaves."""
    module = import_module(f"example_graphs.{story}.__main__")
    monkeypatch.setattr(sys, "argv", ["story", *map(str, options)])
    return run(module.main, module.PROGRAM)


@cache
def told(story):
    done = command(story)
    assert (0, "") == (done.returncode, done.stderr)
    return done.stdout


def page(story, name):
    text = (ROOT / "example_graphs" / story / "README.md").read_text(encoding="utf-8")
    return re.search(rf"<!-- {name} -->\n```\w*\n(.*?)\n```", text, re.DOTALL)[1]


def comparable(text):
    """The words, wherever lines break. How many tokens a context has, and when it is summarized,
    follow every change of how it is packed; other tests look at those.
    """
    counted = re.sub(r"^( +\d+){3}$|^ +· summarized .*$", "", text, flags=re.MULTILINE)
    return " ".join(re.sub("─+", "─", counted).split())


def graph_of(story, memory):
    return import_module(f"example_graphs.{story}.graph").make_graph(memory, MODELS[story]())


@pytest.mark.parametrize("story", MODELS)
def test_the_page_draws_the_graph_that_is_compiled(story, memory):
    drawn = graph_of(story, memory).get_graph().draw_mermaid().strip()

    assert drawn == page(story, "graph")


@pytest.mark.parametrize("story", STORIES)
def test_the_page_shows_what_the_command_prints(story):
    printed = comparable(told(story))
    passages = re.split(r"^ +…$", page(story, "output"), flags=re.MULTILINE)
    shown = [comparable(passage) for passage in passages]
    places = [printed.find(passage) for passage in shown]

    assert [] == [words for words, place in zip(shown, places, strict=True) if place < 0]
    assert sorted(places) == places
    assert len(" ".join(shown)) > 500


@pytest.mark.parametrize("story", STORIES)
def test_a_story_that_is_told_again_on_its_file_goes_on_later(story, path, monkeypatch, capsys):
    codes = [exit_code(story, monkeypatch, "--db", path) for _ in range(2)]
    printed = capsys.readouterr().out
    days = [
        datetime.strptime(f"{day} UTC", "%d %B %Y %Z").astimezone(UTC)
        for day in re.findall(r"· Monday (\d\d \w+ \d{4})", printed)
    ]

    assert [0, 0] == codes
    assert path.exists()
    assert sorted({*days}) == days
    assert "was forgotten" not in printed


@pytest.mark.parametrize("story", STORIES)
def test_a_model_that_cannot_be_made_is_said_in_one_line(story, path, monkeypatch, capsys):
    code = exit_code(story, monkeypatch, "--db", path, "--model", "nobody:nothing")

    assert 2 == code
    assert 1 == len(capsys.readouterr().err.splitlines())
    assert not path.exists()


# What each story is about ----------------------------------------------------------------------


def test_the_desk_uses_the_new_way_to_pay_and_knows_the_old_one():
    _, later = told("support_desk").split("── A week later")

    assert "Desk: You pay by card." in later
    assert "payment 1. invoice" in later
    assert "payment 2. card" in later


def test_the_desk_shows_another_customer_nothing():
    _, marco = told("support_desk").split("── Marco asks")
    marco, _ = marco.split("── Tokens")

    assert "Desk: There is no order A-1042 of this customer." in marco
    assert 2 == marco.count("I don't know that.")
    assert not any(word in marco for word in ("Lindenstrasse", "lamp", "card", "invoice"))


def test_the_desk_stays_within_its_budget_while_the_conversation_grows():
    rows = re.findall(r"^ +\d+ +(\d+) +(\d+)$", told("support_desk"), re.MULTILINE)
    whole, shown = ([int(row[at]) for row in rows] for at in (0, 1))

    assert max(whole) > BUDGET
    assert max(shown) <= BUDGET
    assert sorted(whole) == whole


def test_the_importer_fails_once_and_never_again():
    weeks = re.findall(r"Import: (\d) of (\d) rows", told("csv_importer"))

    assert [False, True, True, True] == [done == rows for done, rows in weeks]


def test_what_the_importer_accepts_helps_a_colleague_and_names_nobody(path, monkeypatch):
    exit_code("csv_importer", monkeypatch, "--db", path)
    with AgentMemory.open(path) as memory:
        (procedure,) = Procedures(memory, AGENT).all()
        memory.forget("rita")
        left = Procedures(memory, AGENT).all()
        gone = Episodes(memory, "rita").all()

    assert "Read dates in files of acme as %d/%m/%Y" == procedure.text
    assert "rita" not in str(procedure)
    assert ([procedure], []) == (left, gone)


def test_the_last_file_would_be_misread_without_anybody_noticing():
    *_, last = FILES

    assert None is format_that_fits(last)
    assert 0 == import_file(last, FORMATS[0]).failed == import_file(last, FORMATS[1]).failed


def test_the_agent_keeps_replaces_refuses_and_erases():
    printed = told("self_editing_agent")

    assert "Remembered diet: vegan. It is recalled on every call." in printed
    assert "It replaces: by the window." in printed
    assert "refused: holds a password" in printed
    assert "Shall I erase phone_number for good?" in printed
    assert printed.split("── What is left")[0].rstrip().endswith("Agent: I don't know that.")


def test_what_the_agent_erased_and_refused_is_in_no_file(path):
    command("self_editing_agent", "--db", str(path))
    left = b"".join(file.read_bytes() for file in path.parent.iterdir())

    assert b"400 00 001" not in left
    assert b"by the window" in left


# With a model of one's own ---------------------------------------------------------------------


@pytest.mark.parametrize("story", STORIES)
def test_a_named_model_answers_in_place_of_the_stand_in(story, monkeypatch, capsys):
    asked = []

    def named(name):
        asked.append(name)
        return MODELS[story]()

    monkeypatch.setattr("example_graphs.command.model_named", named)
    monkeypatch.setattr(sys, "argv", ["story", "--model", "openai:gpt-4.1-mini"])
    import_module(f"example_graphs.{story}.__main__").main()

    assert ["openai:gpt-4.1-mini"] == asked
    assert capsys.readouterr().out.startswith("openai:gpt-4.1-mini answers.\n")
