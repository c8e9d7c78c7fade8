"""Real models, by the names that LangChain gives them."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from example_graphs.travel_assistant.__main__ import main
from example_graphs.travel_assistant.models import ModelUnavailable, model_named
from example_graphs.travel_assistant.stand_in import StandInModel
from langgraph_agentmem.errors import MissingExtra


def langchain_that(makes):
    """A langchain package of which `init_chat_model` is this function."""
    package, module = ModuleType("langchain"), ModuleType("langchain.chat_models")
    module.init_chat_model = makes
    return {"langchain": package, "langchain.chat_models": module}


def test_a_model_is_made_by_langchain_from_its_name(monkeypatch):
    asked = []

    def makes(name):
        asked.append(name)
        return StandInModel()

    for name, module in langchain_that(makes).items():
        monkeypatch.setitem(sys.modules, name, module)

    assert isinstance(model_named("openai:gpt-4.1-mini"), StandInModel)
    assert ["openai:gpt-4.1-mini"] == asked


def test_a_missing_extra_is_one_sentence_and_no_file_is_made(path, monkeypatch, capsys):
    for name in ("langchain", "langchain.chat_models"):
        monkeypatch.setitem(sys.modules, name, None)
    code = main(["--chat", "--db", str(path), "--model", "openai:gpt-4.1-mini"])

    assert 2 == code
    assert 1 == len(capsys.readouterr().err.splitlines())
    assert not path.exists()


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (["--model", "openai:gpt-4.1-mini"], "--model belongs to --chat"),
        (["--events"], "--events belongs to --chat"),
        (["--user", "asha"], "--user belongs to --chat"),
        (["--chat", "--city", "Rome"], "--city belongs to the story, not to --chat"),
    ],
)
def test_an_option_that_would_be_ignored_is_refused(given, says, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(given)

    assert 2 == stopped.value.code
    assert says in capsys.readouterr().err


def test_without_langchain_the_remedy_is_named(monkeypatch):
    for name in ("langchain", "langchain.chat_models"):
        monkeypatch.setitem(sys.modules, name, None)

    with pytest.raises(MissingExtra, match=r"pip install 'langgraph-agentmem\[agents\]'"):
        model_named("openai:gpt-4.1-mini")


@pytest.mark.parametrize("error", [ValueError("no such provider\nlong text"), ImportError("boom")])
def test_what_langchain_cannot_make_is_said_in_one_line(monkeypatch, error):
    def makes(_):
        raise error

    for name, module in langchain_that(makes).items():
        monkeypatch.setitem(sys.modules, name, module)

    with pytest.raises(ModelUnavailable) as raised:
        model_named("nobody:x")

    first_line = str(error).splitlines()[0]
    assert f"--model nobody:x: {first_line}" == str(raised.value)
