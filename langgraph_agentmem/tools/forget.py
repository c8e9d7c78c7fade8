"""The tool that erases a topic, after the user has confirmed it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from typing import Annotated, Any

from langgraph.types import interrupt
from pydantic import Field

from langgraph_agentmem.errors import CheckpointUnreadable
from langgraph_agentmem.lifetime import lock
from langgraph_agentmem.model import Receipt
from langgraph_agentmem.nodes.render import one_line
from langgraph_agentmem.steps import Call, Work

from .base import Arguments, MemoryTool, Turn, nothing_under, versions_of

CONFIRM_FORGET = "confirm_forget"
"""What the interrupt of the `forget` tool says under `agentmem`."""

MOST_TASKS = 1_000
"""Tasks under way whose answers are kept; those of the oldest are asked for again."""


class _Forget(Arguments):
    topic: Annotated[str, Field(description="The topic exactly as memories show it.")]


class ForgetTool(MemoryTool):
    """Erases a topic for good, after the user has confirmed it.

    The confirmation is an interrupt with the value `{"agentmem": "confirm_forget", "id": …,
    "topic": …}`, whose id is the tool call's. Resume with `{id: True}` or `{id: False}`.
    Anything else counts as no.

    A bare True or False will do where nobody else can have been asked: in `create_agent`, which
    asks about all calls of a message at once (answer each interrupt under its own id), and where
    the message calls no other tool that may ask. A plain `ToolNode` asks about one call after the
    other, and LangGraph hands its answers out by order: a bare one may be another call's, so it
    erases nothing, and the model is told to ask for this alone.

    Where the store belongs to an `AgentMemory`, copies in the user's conversations that its
    checkpointer keeps are erased too, those that the run itself still writes included. The model
    may see the value until the run ends: its messages are in memory.

    Args:
        confirm: False erases at once.
    """

    name: str = "forget"
    description: str = (
        "Erase for good what is remembered about the user under one topic. Only when the user "
        "asks for it; the user may be asked to confirm. It cannot be undone."
    )
    args_schema: Any = _Forget
    confirm: bool = True

    def work(self, call: Turn, arguments: Mapping[str, Any]) -> Work[str]:
        """Erase a topic."""
        topic, versions = yield from versions_of(call, arguments["topic"])
        if not versions:
            return (yield from nothing_under(call, arguments["topic"], self.name))
        shown = one_line(topic)
        if self.confirm and not (answer := self._confirmed(call, topic)):
            call.run.emit("not_confirmed", topics=[topic])
            why = (
                "the user did not confirm it"
                if answer is not None
                else "other calls of this message may ask too, and the answer named none of them"
            )
            hint = " Call forget again, alone." if answer is None else ""
            return f"Not forgotten: {why}. {shown} is still remembered.{hint}"
        try:
            receipt, reach = yield from self._erased(call, topic)
        except CheckpointUnreadable as error:
            call.run.emit("forget_failed", error=type(error).__name__)
            return (
                f"Not forgotten: {shown} stands in a stored conversation that cannot be read here, "
                "so nothing was erased. Tell the user that whoever runs this must see to it."
            )
        call.run.emit("forgotten", topics=[topic], removed=dict(receipt.removed))
        late = "" if receipt.complete else " Some copies go when other readers are done."
        return f"Forgotten: {shown}, with its history{reach}.{late}"

    def _erased(self, call: Turn, topic: str) -> Work[tuple[Receipt, str]]:
        """The receipt, and how far it reaches."""
        whole, thread = call.store.whole, call.run.thread_id
        receipt: Receipt
        if whole is not None and whole.namespace_of(call.user) == call.namespace:
            receipt = yield Call(
                lambda: whole.forget(call.user, topic, in_run=thread),
                lambda: whole.aforget(call.user, topic, in_run=thread),
            )
            return receipt, ", also in the conversations that are kept beside it"
        receipt = yield Call(
            lambda: call.store.forget(call.namespace, topic),
            lambda: call.store.aforget(call.namespace, topic),
        )
        return receipt, "; copies in conversations stay"

    def _confirmed(self, call: Turn, topic: str) -> bool | None:
        """What the user answers; None for a bare answer that may be another call's.

        An answer that names other calls alone is not about this one, so it is asked for again.
        """
        question = {"agentmem": CONFIRM_FORGET, "id": call.call_id, "topic": topic}
        is_alone = call.asks_alone()
        while True:
            answer = _answers.next(call, question)
            if not isinstance(answer, Mapping):
                return answer is True if is_alone else None
            if call.call_id in answer:
                return answer[call.call_id] is True
            if is_alone:
                return False


class _Answers:
    """The answers of tasks that carry several calls, which a plain `ToolNode` runs in threads.

    LangGraph hands them out in the order in which they are taken. So they are taken one at a
    time, and what names another call of the task is kept for it.
    """

    def __init__(self) -> None:
        self._taken: OrderedDict[object, dict[Any, Any]] = OrderedDict()
        self._taking = lock()

    def next(self, call: Turn, question: Mapping[str, Any]) -> Any:
        """The answer that another call of the task took for this one, or else the next."""
        with self._taking:
            taken = self._of(call.execution)
            if call.call_id in taken:
                return {call.call_id: taken[call.call_id]}
            answer = interrupt(question)
            if isinstance(answer, Mapping):
                taken.update(answer)
            return answer

    def _of(self, execution: object) -> dict[Any, Any]:
        if execution is None:
            return {}
        taken = self._taken.setdefault(execution, {})
        if len(self._taken) > MOST_TASKS:
            self._taken.popitem(last=False)
        return taken


_answers = _Answers()
