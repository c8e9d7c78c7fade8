"""Draws `what_the_model_sees.svg` from what `build_context` really makes of a small conversation.

python docs/draw_view.py
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from xml.sax.saxutils import escape

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from langgraph_agentmem import build_context
from langgraph_agentmem.model import Hit, Memory, Recall

PICTURE = Path(__file__).with_name("what_the_model_sees.svg")

SINCE = datetime(2026, 3, 2, tzinfo=UTC)
OWN = ("memories", "asha")


def memory(topic: str, text: str) -> Hit:
    """A memory as a recall returns it."""
    held = Memory(
        namespace=OWN,
        topic=topic,
        value={"text": text},
        kind="fact",
        pinned=False,
        version=1,
        source=None,
        valid_from=SINCE,
        created_at=SINCE,
        updated_at=SINCE,
    )
    return Hit(memory=held, score=1.0, why={})


def view() -> list[BaseMessage]:
    """What the model sees in the middle of a turn, with a summary and memories of both kinds."""
    call = {"id": "c1", "name": "find_tables", "args": {"city": "Lisbon", "people": 2}}
    messages = [
        HumanMessage("Book me a flight to Lisbon, please.", id="1"),
        AIMessage("Done: TP 533, reference QX7-4471, €189.40.", id="2"),
        HumanMessage("Is there a tram from the airport?", id="3"),
        AIMessage("Tram 28 does not go there; the metro's red line does.", id="4"),
        HumanMessage("Good. Where shall we eat tonight?", id="5"),
        AIMessage("", tool_calls=[call], id="6"),
        ToolMessage("Mar Aberto 20:00, A Traineira 21:30", tool_call_id="c1", id="7"),
    ]
    recall = Recall(
        namespace=OWN,
        query="Good. Where shall we eat tonight?",
        pinned=(memory("allergy.peanuts", "allergic to peanuts"),),
        relevant=(memory("likes.seafood", "likes grilled fish"),),
    )
    summary = {
        "text": "Asha flies to Lisbon with TP 533.",
        "exact": ["TP 533", "QX7-4471", "€189.40"],
        "through": "2",
    }
    return build_context(
        {"messages": messages, "memories": recall, "summary": summary}, system="You plan trips."
    )


@dataclass(frozen=True)
class Part:
    """Lines that come from one place: whence, and what gives way when room is short."""

    lines: list[str]
    colour: str
    source: tuple[str, ...]
    short: tuple[str, ...]


GREY, BLUE, AMBER, WHITE, GREEN = "#eceff3", "#dbe9ff", "#ffefc9", "#ffffff", "#d8f3df"

FONT = 'font-family="Helvetica, Arial, sans-serif"'
FRAME, LINE, GAP = 22, 17, 8
LEFT, WIDTH, RIGHT = 220, 650, 886


def parts(messages: list[BaseMessage]) -> Iterator[tuple[str, list[Part]]]:
    """Each message's name and its parts, from the list itself."""
    head, *turns = messages
    system, pinned, summary = str(head.text).split("\n\n")
    yield (
        "SystemMessage",
        [
            Part(
                system.splitlines(),
                GREY,
                ("system=, and the state's", "system messages"),
                ("never cut",),
            ),
            Part(
                pinned.splitlines(),
                BLUE,
                ("store: pinned memories,", "never checkpointed"),
                ("never cut",),
            ),
            Part(
                summary.splitlines(),
                AMBER,
                ('state["summary"]: older turns,', "and their exact values,", "word for word"),
                ("20 %: prose first, then", "the oldest exact values"),
            ),
        ],
    )
    recent = ('state["messages"]:', "the newest settled turns,", "word for word")
    whole = ("50 %: the oldest whole", "turns leave")
    for place, message in enumerate(turns):
        said = str(message.text).split("\n\n")
        if len(said) > 1:
            yield (
                type(message).__name__,
                [
                    Part(
                        said[0].splitlines(),
                        GREEN,
                        ("store: recalled for this", "question, never", "checkpointed"),
                        ("30 %: the least relevant", "leave"),
                    ),
                    Part(said[1:], WHITE, ("the open turn",), ("never cut",)),
                ],
            )
            continue
        lines = said if said[0] else []
        if isinstance(message, AIMessage):
            lines = [*lines, *(f"→ {call['name']}({call['args']})" for call in message.tool_calls)]
        notes = (recent, whole) if place == 0 else ((), ())
        yield type(message).__name__, [Part(lines, WHITE, *notes)]


def texts(x: int, y: int, lines: tuple[str, ...], **style: str) -> Iterator[str]:
    """Lines of text under each other."""
    looks = " ".join(f'{name.replace("_", "-")}="{value}"' for name, value in style.items())
    for number, line in enumerate(lines):
        yield f'<text x="{x}" y="{y + number * LINE}" {looks}>{escape(line)}</text>'


def drawn() -> str:
    """The picture as SVG."""
    body: list[str] = []
    y = 58
    heads = (
        (16, "where it comes from"),
        (LEFT, "the list of messages, top to bottom"),
        (RIGHT, "when room is short"),
    )
    for x, title in heads:
        body += texts(x, 32, (title,), font_size="14", font_weight="bold", fill="#1f2933")
    stable_until = y
    for place, (name, pieces) in enumerate(parts(view())):
        start = y
        y += FRAME
        for part in pieces:
            height = LINE * max(len(part.lines), len(part.source), len(part.short)) + 10
            body.append(
                f'<rect x="{LEFT + 8}" y="{y}" width="{WIDTH - 16}" height="{height}" rx="4" '
                f'fill="{part.colour}" stroke="#c6ccd4"/>'
            )
            body += texts(
                LEFT + 16, y + 17, tuple(part.lines), font_family="monospace", font_size="12",
                fill="#1f2933",
            )  # fmt: skip
            body += texts(16, y + 17, part.source, font_size="12", fill="#3e4c59")
            body += texts(RIGHT, y + 17, part.short, font_size="12", fill="#3e4c59")
            y += height + 4
        body.insert(
            0,
            f'<rect x="{LEFT}" y="{start}" width="{WIDTH}" height="{y - start + 2}" rx="8" '
            'fill="#f8fafc" stroke="#7b8794"/>',
        )
        body += texts(LEFT + 12, start + 16, (name,), font_size="11", fill="#52606d")
        y += 2 + GAP
        if place == 0:
            stable_until = y - GAP
    bar = RIGHT + 162
    body.append(
        f'<path d="M {bar} 60 h 8 v {stable_until - 62} h -8" fill="none" stroke="#2f6fdb" '
        'stroke-width="2"/>'
    )
    middle = (58 + stable_until) // 2
    body += texts(
        bar + 14, middle - LINE, ("same bytes from", "call to call:", "providers", "cache it"),
        font_size="12", fill="#2f6fdb",
    )  # fmt: skip
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1200 {y + 8}" {FONT}>',
            "<title>What the model sees</title>",
            f'<rect width="1200" height="{y + 8}" fill="#ffffff"/>',
            *body,
            "</svg>",
            "",
        ]
    )


if __name__ == "__main__":
    PICTURE.write_text(drawn(), encoding="utf-8")
    print(PICTURE)
