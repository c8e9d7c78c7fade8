"""`--chat` as a person at a terminal meets it, and as a pipe does."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest
from travel_command import ROOT, run, start

from example_graphs.travel_assistant.__main__ import main
from example_graphs.travel_assistant.chat import COMMANDS, Chat
from example_graphs.travel_assistant.graph import make_graph
from example_graphs.travel_assistant.models import ModelUnavailable, model_named
from example_graphs.travel_assistant.stand_in import BANNER, StandInModel
from example_graphs.travel_assistant.telling import Page
from example_graphs.travel_assistant.turn import take_turn, thread
from langgraph_agentmem.errors import MissingExtra

TOLD = "Hi, my name is Asha.\nI live in Oslo.\nMy phone number is +47 400 00 001.\n"


def chat(path, *options, said, user="asha"):
    code, out, errors = run("--chat", "--db", str(path), "--user", user, *options, said=said)
    assert ("", 0) == (errors, code)
    return out


def test_a_pipe_is_a_conversation_that_ends_with_its_input(path):
    out = chat(path, "--thread", "t", said=TOLD + "Where do I live?\n")

    assert f"You are “asha” in thread “t”; memory is kept in {path}.\n{BANNER}\n" in out
    assert "> Hi, my name is Asha.\nNice to meet you, Asha.\n  · kept name\n" in out
    assert "> Where do I live?\nYou live in Oslo (since " in out


def test_quit_leaves_and_nothing_after_it_is_read(path):
    out = chat(path, said="/quit\nMy name is Asha.\n")

    assert "Asha" not in out


def test_another_conversation_remembers(path):
    chat(path, said=TOLD)
    out = chat(path, said="Hello!\nA dinner, please.\n")

    assert "Hello Asha!" in out
    assert "In Oslo, where you live:" in out


def test_another_user_is_a_stranger(path):
    chat(path, said=TOLD)
    out = chat(path, said="Hello!\n/memories\n", user="asha2")

    assert "We have not met" in out
    assert "Nothing is remembered about you." in out


def test_the_commands_show_and_change_what_is_kept(path):
    out = chat(
        path,
        said=TOLD
        + "I've moved to Rome.\n/memories\n/history home_city\n/unpin home_city\n/pin phone\n",
    )
    *_, memories, history, unpinned, pinned, end = out.split("> ")

    assert "/memories\nhome_city: Rome  (since " in memories
    assert "name: Asha" in memories
    assert 2 == memories.count("[pinned]")
    assert "1. Oslo  (" in history
    assert "2. Rome  (" in history
    assert "to now)" in history.splitlines()[-1]
    assert "[pinned]" not in unpinned
    assert "[pinned]" in pinned
    assert "\n" == end


@pytest.mark.parametrize("how", ["Please delete my phone number.", "/forget phone"])
def test_forgetting_prints_a_receipt_and_leaves_no_trace_in_the_file(path, how):
    out = chat(path, said=f"{TOLD}{how}\n/history phone\nWhat's my phone number?\n")
    left = b"".join(file.read_bytes() for file in path.parent.iterdir())

    assert "Receipt for phone: erased memories 1, " in out
    assert "Out of reach: backups and copies of the database files; " in out
    assert "Nothing was ever kept under phone." in out
    assert out.endswith("> What's my phone number?\nI don't know that.\n  · 2 pinned\n> \n")
    assert b"400 00 001" not in left


def test_everything_can_be_forgotten(path):
    out = chat(path, "--thread", "t", said=f"{TOLD}/forget everything\n/memories\nHello!\n")

    assert "Receipt for everything: erased memories 3, " in out
    assert "Nothing is remembered about you." in out
    assert "We have not met" in out
    assert b"Asha" not in path.read_bytes()


WRONG_COMMANDS = {
    "/nope": "There is no /nope; /help lists what there is.",
    "/pin": "/pin needs a topic; /memories lists them.",
    "/unpin": "/unpin needs a topic; /memories lists them.",
    "/forget  ": "/forget needs a topic; /memories lists them.",
    "/pin phone": "No memory is kept under this topic now",
    "/forget phone": "Nothing was kept under phone.",
    "/history phone": "Nothing was ever kept under phone.",
}


def test_a_wrong_command_is_answered_in_one_sentence(path):
    out = chat(path, said="\n".join([*WRONG_COMMANDS, "My name is Asha.", ""]))
    answers = [answer.splitlines()[1:] for answer in out.split("> ")[1:-1]]

    assert [1] * len(WRONG_COMMANDS) == [len(lines) for lines in answers[:-1]]
    for (line,), expected in zip(answers, WRONG_COMMANDS.values(), strict=False):
        assert line.startswith(expected)
    assert "Nice to meet you, Asha." == answers[-1][0]


def test_help_lists_every_command(path):
    out = chat(path, said="/help\n")

    assert [*COMMANDS, "/quit"] == [word for word in out.split() if word.startswith("/")][-7:]


@pytest.mark.parametrize(
    ("options", "code", "expected"),
    [
        (("--user", "  "), 2, "No user id was given, so nothing was read or written"),
        (("--db", str(ROOT / "README.md")), 1, "is not a database of langgraph-agentmem"),
        (("--db", "/nowhere/at/all/memory.db"), 1, "memory.db"),
        (("--visit", "7"), 2, "invalid choice"),
    ],
)
def test_a_wrong_call_is_one_sentence_and_an_exit_code(path, options, code, expected):
    returned, out, errors = run("--chat", "--db", str(path), *options)

    assert code == returned
    assert "" == out
    assert expected in errors.splitlines()[-1]
    assert "Traceback" not in errors
    assert not path.exists()


def test_another_users_thread_is_refused_before_anything_is_said(path):
    chat(path, "--thread", "t", said=TOLD)
    options = ("--chat", "--db", str(path), "--user", "ben", "--thread", "t")
    returned, out, errors = run(*options, said="What is my name?\n")

    assert 2 == returned
    assert "another user" in errors
    assert "Asha" not in out + errors


def test_help_says_what_there_is_and_hides_how_the_story_is_staged():
    code, out, _ = run("--help")

    assert 0 == code
    assert "A travel assistant that remembers." in out
    assert {"--chat", "--db", "--user", "--thread", "--model"} <= set(out.split())
    assert "--visit" not in out


# At a terminal -------------------------------------------------------------------------------


def test_a_terminal_shows_a_prompt_and_leaves_at_the_end_of_input(path, terminals):
    terminal = terminals("--chat", "--db", str(path), "--user", "asha")
    terminal.until("> ")
    terminal.type("Hello!\n")
    shown = terminal.until("> ")
    terminal.type("\x04")
    code, _ = terminal.leave()

    assert "Hello! We have not met: what is your name?" in shown
    assert 0 == code


def test_ctrl_c_leaves_without_a_trace_of_python(path, terminals):
    terminal = terminals("--chat", "--db", str(path), "--user", "asha")
    terminal.until("> ")
    code, rest = terminal.leave_by_ctrl_c()

    assert 130 == code
    assert "Traceback" not in rest


def test_a_program_killed_between_two_turns_is_taken_up_where_it_was(path, terminals):
    options = ("--chat", "--db", str(path), "--user", "asha", "--thread", "t")
    first = terminals(*options)
    for said in TOLD.splitlines():
        first.until("> ")
        first.type(f"{said}\n")
    first.until("kept phone")
    first.until("> ")
    first.kill()

    second = terminals(*options)
    second.until("> ")
    second.type("/memories\n")
    memories = second.until("> ")
    second.type("I've moved to Rome. Where do I live?\n")
    answer = second.until("> ")
    second.type("/history home_city\n")
    history = second.until("> ")

    assert {"home_city: Oslo", "name: Asha", "phone: +47 400 00 001"} <= {
        line.split("  (")[0] for line in memories.splitlines()
    }
    assert "You live in Rome." in answer
    assert "1. Oslo" in history
    assert "2. Rome" in history


def test_the_thread_of_a_killed_program_has_all_its_turns(path, terminals):
    options = ("--chat", "--db", str(path), "--user", "asha", "--thread", "t")
    first = terminals(*options)
    first.until("> ")
    first.type("A seafood dinner, please.\n")
    first.until("Which city are you in?")
    first.until("> ")
    first.kill()

    second = terminals(*options)
    second.until("> ")
    second.type("Oslo\n")

    assert "In Oslo:" in second.until("> ")


def test_bytes_that_are_no_text_are_no_reason_to_stop(path):
    with start("--chat", "--db", str(path)) as process:
        process.stdin.buffer.write(b"My name is \xff\xfe.\nHello \x00 there\nMy name is Asha.\n")
        out, errors = process.communicate(timeout=60)

    assert "" == errors
    assert "Nice to meet you, Asha." in out
    assert 0 == process.returncode


# Real models ---------------------------------------------------------------------------------


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


def typed(monkeypatch, *lines):
    """Lines that somebody types into this very process."""
    left = iter(lines)

    def reads(_prompt):
        line = next(left, None)
        if line is None:
            raise EOFError
        return line

    monkeypatch.setattr("builtins.input", reads)


def talk(memory, model, capsys):
    Chat(
        memory=memory,
        graph=make_graph(memory, model),
        config=thread("t"),
        user_id="asha",
        page=Page(),
    ).run()
    return capsys.readouterr().out


class Overloaded(StandInModel):
    """A provider that is overloaded when somebody says so."""

    def _generate(self, messages, stop=None, run_manager=None, **kwargs):
        if "fail" in messages[-1].text:
            raise RuntimeError("429: overloaded")
        return super()._generate(messages, stop, run_manager, **kwargs)

    def _stream(self, messages, stop=None, run_manager=None, **kwargs):
        self._generate(messages, stop, run_manager, **kwargs)
        yield from super()._stream(messages, stop, run_manager, **kwargs)


def test_a_providers_error_is_one_sentence_and_the_talk_goes_on(memory, monkeypatch, capsys):
    typed(monkeypatch, "I live in Oslo.", "please fail", "Where do I live?")
    out = talk(memory, Overloaded(), capsys)

    assert "please fail\nThat failed: RuntimeError: 429: overloaded\n" in out
    assert "You live in Oslo (since 2026-03-02).\n" in out


class Talkative(StandInModel):
    """A model that cannot stream and speaks before it calls a tool."""

    disable_streaming: bool = True

    def _generate(self, messages, stop=None, run_manager=None, **kwargs):
        result = super()._generate(messages, stop, run_manager, **kwargs)
        if result.generations[0].message.tool_calls:
            result.generations[0].message.content = "Let me look."
        return result


def test_what_a_model_says_before_it_calls_a_tool_is_a_line_of_its_own(memory, monkeypatch, capsys):
    typed(monkeypatch, "A hotel in Oslo, please.")
    out = talk(memory, Talkative(), capsys)

    assert "Let me look.\nIn Oslo:\n• Fjordslottet, €290 a night\n" in out
    assert 1 == out.count("• Fjordslottet")


def test_a_request_that_a_crash_cut_off_is_carried_out_when_the_talk_goes_on(
    memory, monkeypatch, capsys
):
    graph = make_graph(memory, StandInModel())
    for said in ("My phone number is +47 400 00 001.", "Delete my phone number."):
        take_turn(graph, said, thread("t"), "asha")
    typed(monkeypatch)
    out = talk(memory, StandInModel(), capsys)

    assert out.startswith("Receipt for phone: erased memories 1, ")
    assert [] == memory.for_user("asha").memories()


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
