"""The story as a person reads it: what stands on the screen, and what is left in the files."""

from __future__ import annotations

import re
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest
from travel_command import run

from example_graphs.travel_assistant import __main__ as command
from example_graphs.travel_assistant.scenes import Exchange, Opening, from_line, to_line
from example_graphs.travel_assistant.script import Traveller
from example_graphs.travel_assistant.story import next_traveller, occurrences, plain_file
from example_graphs.travel_assistant.tally import faults
from example_graphs.travel_assistant.telling import Page, tell
from langgraph_agentmem import AgentMemory

COLUMN = 47
"""Width of an assistant's column on the page of 100 that the tests have."""


@dataclass(frozen=True)
class Told:
    """One telling of the story."""

    file: Path
    screen: str

    def visit(self, number: int) -> list[str]:
        _, *visits = re.split(r"^── .*process \d of 3$", self.screen, flags=re.MULTILINE)
        return visits[number - 1].partition("── What it comes to")[0].splitlines()

    def remembering(self, number: int) -> str:
        """What stands in the left column of a visit, on one line."""
        return _joined(line[2 : 2 + COLUMN] for line in self.visit(number) if _is_row(line))

    def plain(self, number: int) -> str:
        """What stands in the right column of a visit, on one line."""
        return _joined(line[5 + COLUMN :] for line in self.visit(number) if _is_row(line))

    def program(self, number: int) -> str:
        """What the program itself shows in a visit, on one line."""
        return _joined(line[4:] for line in self.visit(number) if line.startswith(("  │", "  ┌")))

    def tally(self) -> dict[str, list[str]]:
        _, _, table = self.screen.partition("── What it comes to")
        rows = (re.split(r" {2,}", line.strip()) for line in table.splitlines()[3:])
        return {what: counts for what, *counts in rows}


def _is_row(line: str) -> bool:
    return line[COLUMN + 3 : COLUMN + 4] == "│" and not line.startswith("  │")


def _joined(lines) -> str:
    return " ".join(" ".join(lines).split())


def told(file: Path, *options: str) -> Told:
    code, screen, errors = run("--db", str(file), *options)
    assert ("", 0) == (errors, code)
    return Told(file, screen)


@pytest.fixture(scope="module")
def tellings(tmp_path_factory) -> dict[str, Told]:
    """The story on a new file, again on the same one, and with other facts on another."""
    folder = tmp_path_factory.mktemp("stories")
    others = ("--name", "Jonas", "--allergy", "shellfish", "--city", "Rome", "--moves-to", "Oslo")
    with ThreadPoolExecutor() as at_once:
        first = at_once.submit(told, folder / "one.db")
        other = at_once.submit(told, folder / "two.db", *others)
        again = at_once.submit(lambda: (first.result(), told(folder / "one.db"))[1])
    return {"first": first.result(), "again": again.result(), "other": other.result()}


@pytest.fixture(params=["first", "again"])
def story(request, tellings) -> Told:
    return tellings[request.param]


def test_it_says_that_no_language_model_speaks(story):
    assert "No language model speaks here." in _joined([story.screen])


def test_a_dozen_turns_later_no_peanut_is_proposed_and_the_reply_says_why(story):
    reply = story.remembering(1)

    assert 12 == sum(line.startswith("  Asha: ") for line in story.visit(1))
    assert "In Berlin, where you live: • Spree & Salz: grilled zander" in reply
    assert "Not Satay am Kanal, because of “allergy.peanuts: peanuts (since 2026-03-02)”." in reply
    assert not re.search(r"• [^•]*(?:peanut|Satay)[^•]*(?=•|Not )", reply)


def test_without_memory_the_city_is_asked_for_and_peanuts_are_proposed(story):
    reply = story.plain(1)

    assert "Which city are you in? ✗ asks for a city that it was told Asha: In Berlin." in reply
    assert "• Satay am Kanal: prawn satay in peanut sauce (€21)" in reply
    assert "✗ proposes peanuts" in reply


def test_a_week_later_only_memory_greets_by_name(story):
    assert "with memory Hello Asha!" in story.remembering(2)
    assert "without memory Hello! We have not met: what is your name?" in story.plain(2)


def test_after_the_move_the_new_city_is_used_and_the_old_one_is_history(story):
    reply = story.remembering(2)

    assert "Noted. Home city: Lisbon, no longer Berlin. · 4 pinned · replaced home_city" in reply
    assert 2 == reply.count("In Lisbon, where you live:")
    assert 1 == reply.count("Berlin")
    assert (
        "history of home_city 1. Berlin (2026-03-02 to 2026-03-09) 2. Lisbon (2026-03-09 to now)"
        == story.program(2)
    )


def test_seat_and_budget_are_remembered_and_without_memory_they_are_not(story):
    assert "Your seat: window (since 2026-03-02)." in story.remembering(2)
    assert "• Casa Graça, €105 a night" in story.remembering(2)
    assert "I kept to “budget.night: €120 per night (since 2026-03-02)”." in story.remembering(2)
    assert "I don't know that." in story.plain(2)
    assert "• Palácio Azul, €260 a night ✗ exceeds the budget" in story.plain(2)


def test_a_question_that_no_memory_answers_is_not_answered(story):
    assert "I don't know that. · 4 pinned · no match, newest: phone, seat" in story.remembering(1)


def test_the_phone_number_is_deleted_and_the_receipt_says_so(story):
    reply, program = story.remembering(3), story.program(3)

    assert "Your phone number is +49 170 5550" in reply
    assert "Will be erased after this answer: phone." in reply
    assert "I don't know that. · 4 pinned" in reply
    assert "erased between two runs: phone Receipt for phone: erased memories 1, " in program
    assert "Out of reach: backups and copies of the database files;" in program
    assert re.search(
        r"Looked again: recall finds nothing, no versions in its history, "
        r"no copies in the file, where [1-9]\d* were\.",
        program,
    )


def test_the_deleted_number_is_in_no_byte_that_memory_has_left(tellings):
    for number, name in enumerate(("first", "again"), start=1):
        file, phone = tellings[name].file, Traveller(number=number).phone
        beside = [one for one in file.parent.glob(f"{file.name}*") if one != file]

        assert phone in tellings[name].screen
        assert 0 == occurrences(file, phone)
        assert 0 == sum(one.read_bytes().count(b"170 555") for one in (file, *beside))
        assert occurrences(plain_file(file), phone) > 0


def test_the_tally_is_what_the_columns_show(story):
    tally = story.tally()
    *counted, copies = tally.items()

    assert {
        "proposes peanuts": ["0", "2"],
        "asks for a city that it was told": ["0", "2"],
        "exceeds the budget": ["0", "1"],
        "greets by name a week later": ["yes", "no"],
    } == dict(counted)
    assert "copies of phone in its file" == copies[0]
    assert "0" == copies[1][0]
    assert int(copies[1][1]) > 0


def test_told_twice_on_one_file_it_is_the_story_of_another_traveller(tellings):
    def bare(telling):
        both = [
            side(number) for number in (1, 2, 3) for side in (telling.remembering, telling.plain)
        ]
        return [text.replace("5550002", "5550001") for text in both]

    assert "“asha”" in _joined([tellings["first"].screen])
    assert "“asha-2”" in _joined([tellings["again"].screen])
    assert bare(tellings["first"]) == bare(tellings["again"])


def test_both_travellers_of_one_file_have_their_own_memories(tellings):
    with AgentMemory.open(tellings["again"].file) as memory:
        one, two = (
            {each.topic: each.text for each in memory.for_user(user).memories()}
            for user in ("asha", "asha-2")
        )

    expected = {
        "allergy.peanuts": "peanuts",
        "budget.night": "€120 per night",
        "home_city": "Lisbon",
        "name": "Asha",
        "seat": "window",
    }
    assert expected == one
    assert expected == two


def test_stories_that_begin_at_once_on_one_file_have_travellers_of_their_own(tmp_path):
    with ThreadPoolExecutor() as at_once:
        begun = [at_once.submit(next_traveller, tmp_path / "m.db", Traveller()) for _ in range(6)]

    assert [1, 2, 3, 4, 5, 6] == sorted(one.result().number for one in begun)


def test_somebody_who_has_chatted_under_the_name_is_not_the_traveller(path, memory):
    memory.for_user("asha").remember("name", "Asha")

    assert "asha-2" == next_traveller(path, Traveller()).user_id


def test_other_facts_tell_another_story(tellings):
    story = tellings["other"]

    assert "In Rome, where you live: • Satay sul Tevere: squid with" in story.remembering(1)
    assert "because of “allergy.shellfish: shellfish (since 2026-03-02)”." in story.remembering(1)
    assert not re.search(r"• [^•]*(?:prawn|crab)[^•]*(?=•|Not )", story.remembering(1))
    assert "✗ proposes shellfish" in story.plain(1)
    assert "Hello Jonas!" in story.remembering(2)
    assert 2 == story.remembering(2).count("In Oslo, where you live:")
    assert "1. Rome (2026-03-02 to 2026-03-09) 2. Oslo" in story.program(2)
    assert ["0", "3"] == story.tally()["proposes shellfish"]
    assert ["yes", "no"] == story.tally()["greets by name a week later"]
    for word in ("Asha", "Berlin", "Lisbon"):
        assert word not in story.screen


def test_each_visit_is_a_process_of_its_own(tmp_path, monkeypatch, capsys):
    opened = []

    def watched(scene, traveller, page):
        opened.extend([scene.pid] if isinstance(scene, Opening) else [])
        return tell(scene, traveller, page)

    monkeypatch.setattr(command, "tell", watched)
    code = command.main(["--db", str(tmp_path / "memory.db")])

    assert 0 == code
    assert 3 == len({*opened, command.os.getpid()}) - 1
    assert "What it comes to" in capsys.readouterr().out


def test_without_a_file_it_leaves_none_behind(tmp_path, monkeypatch):
    used = []

    def watched(file, traveller):
        found = next_traveller(file, traveller)
        used.append((file.parent.parent, file.exists()))
        return found

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(command, "next_traveller", watched)
    monkeypatch.setattr(command, "VISITS", ())
    code = command.main([])

    assert 0 == code
    assert [(tmp_path, True)] == used
    assert [] == [*tmp_path.iterdir()]


def test_a_file_that_is_not_a_memory_is_named(tmp_path):
    file = tmp_path / "letter.txt"
    file.write_text("Dear reader,\n" * 100)
    code, out, errors = run("--db", str(file))

    assert (1, "") == (code, out)
    assert 1 == len(errors.splitlines())
    assert "letter.txt" in errors
    assert "Dear reader,\n" * 100 == file.read_text()


# How it is printed ---------------------------------------------------------------------------

FIRST = Traveller()


def exchange(**changed):
    usual = {
        "said": "Hello!",
        "remembering": [["assistant", "Hello Asha!"]],
        "plain": [["assistant", "Which city are you in?"]],
        "notes": ["1 pinned"],
    }
    return Exchange(**usual | changed)


def test_a_scene_survives_the_way_between_processes():
    scene_ = exchange(said="“Ünï” — 東京")

    assert to_line(scene_).isascii()
    assert scene_ == from_line(to_line(scene_))


@pytest.mark.parametrize("width", [40, 60, 76, 100, 112])
def test_no_line_is_wider_than_the_page(width):
    page = Page(width=width)
    long = "• A place with a long name: one dish (€24) or another dish (€22) or a third (€9)\n" * 3
    wide = exchange(remembering=[["assistant", long]], plain=[["assistant", long]])

    assert [] == [line for line in tell(wide, FIRST, page) if len(line) > width]


def test_colour_is_only_for_terminals():
    plain = [*tell(exchange(), FIRST, Page(colours=False))]
    inked = [*tell(exchange(), FIRST, Page(colours=True))]

    assert not any("\x1b" in line for line in plain)
    assert any("\x1b[2m" in line for line in inked)
    assert plain == [re.sub(r"\x1b\[\d+m", "", line) for line in inked]


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("• Satay am Kanal: tofu satay (€16)", ["proposes peanuts"]),
        ("• Spree & Salz: grilled zander with dill (€24)", []),
        ("Not Satay am Kanal, because of “allergy.peanuts: peanuts”.", []),
        ("Which city are you in?", ["asks for a city that it was told"]),
        ("• Grand Spree, €240 a night\n• Hof 12, €72 a night", ["exceeds the budget"]),
        ("• Museum of Maps, €12", []),
    ],
)
def test_a_reply_is_judged_by_what_it_proposes(reply, expected):
    assert expected == list(faults(reply, FIRST))
