"""What `docs/events.md` says: of each event, the fields that it has and those that it may have."""

import re
from dataclasses import dataclass
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "events.md"


@dataclass(frozen=True)
class Told:
    always: frozenset
    at_times: frozenset
    content: bool


def _fields(cell):
    return frozenset(re.findall(r"`(\w+)`", re.sub(r"\([^)]*\)", "", cell)))


def told_events():
    """The rows of the tables, by event; the last table has no column for content."""
    found = {}
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        cells = re.split(r"\s*\|\s*", line.strip("| "))
        if not line.startswith("| `"):
            continue
        always, _, at_times = cells[2].partition("at times")
        for name in re.findall(r"`(\w+)`", cells[0]):
            assert name not in found, name
            found[name] = Told(_fields(always), _fields(at_times), cells[3] == "✓")
    return found


TOLD = told_events()


def wrong_in(event):
    """What an event holds that the page does not say, or lacks that it says; "" when neither."""
    name, has = event.get("agentmem"), event.keys() - {"agentmem"}
    if name not in TOLD:
        return f"{name} is not in the table"
    told = TOLD[name]
    may = told.always | told.at_times | ({"content"} if told.content else set())
    wrong = {*(told.always - has), *(has - may)}
    return f"{name}: {', '.join(sorted(wrong))}" if wrong else ""
