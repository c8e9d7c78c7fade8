"""What the chat answers to lines that are typed, in this very process."""

from __future__ import annotations

import pytest
from travel_command import TOLD

from example_graphs.travel_assistant.chat import Chat
from example_graphs.travel_assistant.graph import make_graph
from example_graphs.travel_assistant.stand_in import StandInModel
from example_graphs.travel_assistant.telling import Page
from example_graphs.travel_assistant.turn import take_turn, thread
from example_graphs.travel_assistant.wording import receipt_lines
from langgraph_agentmem import Receipt


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


@pytest.mark.parametrize("command", ["/pin", "/unpin", "/forget", "/history"])
@pytest.mark.parametrize("topic", ["shoe size", "home", "\x00"])
def test_a_topic_that_is_not_there_is_answered_with_those_that_are(
    memory, monkeypatch, capsys, command, topic
):
    typed(monkeypatch, *TOLD.splitlines(), f"{command} {topic}")
    out = talk(memory, StandInModel(), capsys)
    shown = topic.replace("\x00", "�")

    *_, last, _ = out.splitlines()
    assert f"Nothing is kept under {shown}; there are: home_city, name, phone." == last


def test_everything_may_stand_in_quotes(memory, monkeypatch, capsys):
    typed(monkeypatch, *TOLD.splitlines(), '/forget "everything"', "/forget “everything”")
    out = talk(memory, StandInModel(), capsys)

    assert "Receipt for everything: erased memories 3, " in out
    assert out.endswith("/forget “everything”\nNothing is remembered about you.\n\n")


@pytest.mark.parametrize(
    "said",
    [
        "Delete everything you know about me",
        "Forget everything about me.",
        "Please forget everything!",
        "Can you erase all my data?",
        "Delete my memories.",
        "Forget me.",
        "Remove all of it, please.",
    ],
)
def test_asked_in_words_to_forget_everything_it_names_the_command_and_waits_for_it(
    memory, monkeypatch, capsys, said
):
    typed(monkeypatch, *TOLD.splitlines(), said)
    out = talk(memory, StandInModel(), capsys)

    assert (
        "Nothing is erased yet. To erase all your memories and conversations for good, "
        "type: /forget everything\n" in out
    )
    assert 3 == len(memory.for_user("asha").memories())


@pytest.mark.parametrize("pinned", [False, True])
def test_a_message_that_is_too_long_is_one_sentence_and_the_talk_goes_on(
    memory, monkeypatch, capsys, pinned
):
    memory.for_user("asha").remember("seat", "window", pinned=pinned)
    typed(monkeypatch, "word " * 20_000, "I live in Oslo.", "Where do I live?")
    _, first, *_, last, _note, _end = talk(memory, StandInModel(), capsys).splitlines()
    remedy = "say it in shorter parts, or /unpin a topic." if pinned else "say it in shorter parts."

    assert f"Your message is too long for the assistant's context: {remedy}" == first
    assert last.startswith("You live in Oslo (since ")


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


@pytest.mark.parametrize(("left", "times"), [(1, "once"), (12, "12 times")])
def test_a_receipt_says_what_the_file_still_holds_and_where_that_may_be(left, times):
    receipt = Receipt(removed={"memories": 1}, unreachable=("backups",), left_in_files=left)

    assert [
        "Receipt for phone: erased memories 1.",
        (
            f"The same words still stand {times} in the file, in memories of other topics or users "
            "or in wordings that are not recognised."
        ),
        "Out of reach: backups.",
    ] == [*receipt_lines("phone", receipt)]


def test_the_same_words_of_another_user_are_counted(memory, monkeypatch, capsys):
    memory.for_user("ben").remember("phone", "+47 400 00 001")
    typed(monkeypatch, *TOLD.splitlines(), "/forget phone")

    assert "The same words still stand " in talk(memory, StandInModel(), capsys)
