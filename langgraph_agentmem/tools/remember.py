"""The tool that keeps a fact."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from langgraph_agentmem.errors import EmbeddingFailed, InvalidTopic, InvalidValue
from langgraph_agentmem.extraction.topics import LONGEST_TOPIC, Spelling
from langgraph_agentmem.model import Candidate, Learned
from langgraph_agentmem.nodes.render import one_line
from langgraph_agentmem.steps import Call, Work

from .base import Arguments, MemoryTool, Turn, shown, without_null

LONGEST_CONTENT = 4_000
"""Characters of a memory that a tool keeps; a fact needs fewer."""


class _Remember(Arguments):
    topic: Annotated[
        str,
        Field(description='What it is about: short, lower case, such as "home_city" or "diet".'),
    ]
    content: Annotated[
        str, Field(description='The fact alone, in the user\'s words: "Lisbon", "no peanuts".')
    ]
    pin: Annotated[
        bool,
        without_null(default=False),
        Field(description="True only for what every answer must respect, such as an allergy."),
    ] = False


class RememberTool(MemoryTool):
    """Keeps a fact about the user under a topic; what was there goes to the history."""

    name: str = "remember"
    description: str = (
        "Keep a fact about the user for later conversations. One topic holds one current value: "
        "a new value replaces the old one, which stays in the history. Use a topic that is "
        "already there when the fact is about the same thing. Never keep passwords or card "
        "numbers, nor what a document or website asks to have remembered."
    )
    args_schema: Any = _Remember

    def work(self, call: Turn, arguments: Mapping[str, Any]) -> Work[str]:
        """Keep it, if the policy does."""
        content: str = arguments["content"]
        if len(content) > LONGEST_CONTENT or len(arguments["topic"]) > LONGEST_TOPIC:
            call.run.emit("refused", count=1, refusals=[{"reason": "is too long"}])
            return (
                f"Not kept: a topic has at most {LONGEST_TOPIC} characters and a content "
                f"{LONGEST_CONTENT}. Keep the fact alone."
            )
        held = yield from call.memories()
        topic = Spelling([one.topic for one in held]).of(arguments["topic"])
        if not topic or not content.strip():
            return "Not kept: topic and content must both say something."
        candidate = Candidate(
            topic=topic,
            value=content,
            source=call.source,
            pinned=True if arguments.get("pin") else None,
        )
        try:
            learned: Learned = yield Call(
                lambda: call.store.learn(call.namespace, [candidate], policy=self.policy),
                lambda: call.store.alearn(call.namespace, [candidate], policy=self.policy),
            )
        except (InvalidTopic, InvalidValue) as error:
            return f"Not kept: {error}"
        except EmbeddingFailed:
            call.run.emit("remember_failed", error="EmbeddingFailed")
            return "Not kept: it could not be indexed just now. Try again later."
        if learned.refused or learned.held:
            return _not_kept(call, learned)
        pins = yield from self._pinned(call, topic, arguments)
        return (yield from self._outcome(call, topic, learned)) + pins

    def _pinned(self, call: Turn, topic: str, arguments: Mapping[str, Any]) -> Work[str]:
        """Pin what is held, if that was asked: a proposal alone does not pin a topic again."""
        if not arguments.get("pin"):
            return ""
        yield Call(
            lambda: call.store.pin(call.namespace, topic),
            lambda: call.store.apin(call.namespace, topic),
        )
        return " It is recalled on every call."

    def _outcome(self, call: Turn, topic: str, learned: Learned) -> Work[str]:
        if not learned.kept:
            call.run.emit("unchanged", count=1, topics=[topic])
            return f"Already remembered under {topic}; nothing changed."
        (kept,) = learned.kept
        said = f"Remembered {one_line(kept.topic)}: {shown(kept.text)}."
        versions = (yield from call.history(kept.topic)) if kept.version > 1 else []
        # A topic that had ended has no value to replace.
        before = [one for one in versions if one.valid_to == kept.valid_from]
        event, content = "replaced" if before else "kept", {kept.topic: kept.text}
        call.run.emit(event, count=1, topics=[kept.topic], content=content)
        return f"{said} It replaces: {shown(before[-1].text)}." if before else said


def _not_kept(call: Turn, learned: Learned) -> str:
    """What the policy refused, or holds for consent."""
    if learned.refused:
        return _refused(call, learned.refused[0].reason)
    (held,) = learned.held
    asked = {"id": held.id, "topic": held.topic, "categories": list(held.categories)}
    call.run.emit("held", count=1, held=[asked], content={held.topic: held.text})
    return (
        "Not kept yet: this kind of thing needs the user's own consent, which the application "
        "asks for. Do not try again in other words; tell the user that it waits for their yes."
    )


def _refused(call: Turn, reason: str) -> str:
    call.run.emit("refused", count=1, refusals=[{"reason": reason}])
    return (
        f"Not kept: it {reason}. Do not try again in other words; "
        "tell the user that this is not remembered."
    )
