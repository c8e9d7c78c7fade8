"""`--chat` as a person at a terminal meets it, and as a pipe does."""

from __future__ import annotations

import signal

import pytest
from travel_command import ROOT, TOLD, run, start

from example_graphs.travel_assistant import __main__ as command
from example_graphs.travel_assistant.chat import COMMANDS
from example_graphs.travel_assistant.stand_in import BANNER


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
    assert "Nothing is kept under phone; there are: home_city, name." in out
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
    "/pin phone": "Nothing is kept under phone, nor under anything else.",
    "/unpin phone": "Nothing is kept under phone, nor under anything else.",
    "/forget phone": "Nothing is kept under phone, nor under anything else.",
    "/history phone": "Nothing is kept under phone, nor under anything else.",
}


def test_a_wrong_command_is_answered_in_one_sentence(path):
    out = chat(path, said="\n".join([*WRONG_COMMANDS, "My name is Asha.", ""]))
    answers = [answer.splitlines()[1:] for answer in out.split("> ")[1:-1]]

    assert [1] * len(WRONG_COMMANDS) == [len(lines) for lines in answers[:-1]]
    assert [*WRONG_COMMANDS.values()] == [line for (line,) in answers[:-1]]
    assert "Nice to meet you, Asha." == answers[-1][0]


@pytest.mark.parametrize("word", ["quit", "exit", "Exit"])
def test_a_single_word_leaves_too(path, word):
    out = chat(path, said=f"{word}\nMy name is Asha.\n")

    assert out.endswith(f"> {word}\n")


def test_help_needs_no_slash_but_to_stand_alone(path):
    out = chat(path, said="help\nThere was no help.\n")

    assert "> help\n/memories " in out
    assert "> There was no help.\nI see.\n" in out


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("My password is hunter2", "holds a password"),
        ("My phone number is 4111 1111 1111 1111.", "holds a payment card number"),
    ],
)
def test_what_the_write_policy_refuses_is_said_once_with_the_reason(path, said, reason):
    out = chat(path, said=f"{said}\n/memories\n")

    assert f"\n  · not kept in memory: {reason}\n> /memories\nNothing is rem" in out
    assert "hunter2" not in out.replace(said, "")


def test_help_lists_every_command(path):
    out = chat(path, said="/help\n")

    assert [*COMMANDS, "/quit"] == [word for word in out.split() if word.startswith("/")][-7:]


@pytest.mark.parametrize(
    ("options", "code", "expected"),
    [
        *(
            ((option, blank), 2, f"argument {option}: must not be blank")
            for option in ("--user", "--thread", "--model", "--name", "--allergy", "--city")
            for blank in ("", "  ")
        ),
        (("--moves-to", ""), 2, "argument --moves-to: must not be blank"),
        (("--user", "\udcff"), 2, "argument --user: holds bytes that are no text"),
        (("--db", str(ROOT / "README.md")), 1, "is not a database of langgraph-agentmem"),
        (("--db", "/nowhere/at/all/memory.db"), 1, "memory.db"),
        (("--visit", "7"), 2, "invalid choice"),
    ],
)
def test_a_wrong_call_is_one_sentence_and_an_exit_code(path, capsys, options, code, expected):
    try:
        returned = command.main(["--chat", "--db", str(path), *options])
    except SystemExit as left:
        returned = left.code
    out, errors = capsys.readouterr()

    assert code == returned
    assert "" == out
    assert 1 == len(errors.splitlines())
    assert expected in errors
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


@pytest.mark.parametrize("here", [signal.default_int_handler, signal.SIG_IGN])
def test_ctrl_c_leaves_without_a_trace_of_python(path, terminals, request, here):
    before = signal.signal(signal.SIGINT, here)
    request.addfinalizer(lambda: signal.signal(signal.SIGINT, before))
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
        out, errors = process.communicate(timeout=500)

    assert "" == errors
    assert "Nice to meet you, Asha." in out
    assert 0 == process.returncode


def test_events_are_shown_as_they_happen_without_values(path):
    out = chat(path, "--events", said="I live in Oslo.\nI've moved to Rome.\n")
    events = [line for line in out.splitlines() if line.startswith("  ~ ")]

    assert [
        "  ~ recalled: pinned 0, relevant 0, left out 0",
        "  ~ kept: count 1, topics home_city",
        "  ~ recalled: pinned 1, relevant 0, left out 0",
        "  ~ replaced: count 1, topics home_city",
    ] == events
    assert "left out 0\nNoted. Home city: Oslo.\n  ~ kept" in out


def test_events_hold_values_when_they_are_asked_for(path):
    out = chat(path, "--events", "content", said="I live in Oslo.\nmy password is hunter2!x\n")

    assert "  ~ kept: count 1, topics home_city, content home_city: Oslo\n" in out
    assert "  ~ recalled: pinned 1, relevant 0, left out 0, content home_city: Oslo\n" in out
    assert "  · not kept in memory: holds a password\n" in out
