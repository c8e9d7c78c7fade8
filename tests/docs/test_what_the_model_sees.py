"""The page about the view shows what is true."""

import re
import sys
from pathlib import Path

from langgraph_agentmem.nodes import context, retrieve, run, summarize

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "what_the_model_sees.md").read_text(encoding="utf-8")


def test_the_picture_is_what_build_context_makes_today(monkeypatch):
    monkeypatch.syspath_prepend(DOCS)
    import draw_view  # noqa: PLC0415 - from the folder of the docs

    assert draw_view.drawn() == draw_view.PICTURE.read_text(encoding="utf-8")
    del sys.modules["draw_view"]


def test_the_snippet_prints_the_view(capsys):
    [snippet] = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)

    exec(compile(snippet, "what_the_model_sees", "exec"), {})  # noqa: S102 - our own page

    said = capsys.readouterr().out
    assert "SystemMessage | You plan trips." in said
    assert "- QX7-4471" in said
    assert said.endswith("HumanMessage | Where shall we eat tonight?\n")


def test_every_event_of_the_view_and_of_summaries_is_named():
    emitted = set()
    for module in (context, retrieve, run, summarize):
        source = Path(module.__file__).read_text(encoding="utf-8")
        emitted |= set(re.findall(r'emit\(\s*"(\w+)"', source))

    named = set(re.findall(r"`(\w+)`", PAGE.partition("## Events")[2]))
    assert emitted == named
