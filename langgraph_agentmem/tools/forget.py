"""The tool that erases a topic, after the user has confirmed it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from langgraph.types import interrupt
from pydantic import Field

from langgraph_agentmem.errors import CheckpointUnreadable
from langgraph_agentmem.model import Receipt
from langgraph_agentmem.nodes.render import one_line
from langgraph_agentmem.steps import Call, Work

from .base import Arguments, MemoryTool, Turn, nothing_under, versions_of

CONFIRM_FORGET = "confirm_forget"
"""What the interrupt of the `forget` tool says under `agentmem`."""


class _Forget(Arguments):
    topic: Annotated[str, Field(description="The topic exactly as memories show it.")]


class ForgetTool(MemoryTool):
    """Erases a topic for good, after the user has confirmed it.

    The confirmation is an interrupt with the value `{"agentmem": "confirm_forget", "id": …,
    "topic": …}`, whose id is the tool call's. Resume with `{id: True}` or `{id: False}`; where
    the assistant asked to forget one topic only, a bare True or False will do. Anything else
    counts as no. Several calls in one message: `create_agent` asks about all at once, a plain
    `ToolNode` about one after the other, each with its own id.

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
        if self.confirm and not self._confirmed(call, topic):
            call.run.emit("not_confirmed", topics=[topic])
            return f"Not forgotten: the user did not confirm it. {shown} is still remembered."
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

    def _confirmed(self, call: Turn, topic: str) -> bool:
        """What the user answers. An answer that names other calls alone is not about this one,
        so it is asked for again: LangGraph hands out answers by order.
        """
        question = {"agentmem": CONFIRM_FORGET, "id": call.call_id, "topic": topic}
        while True:
            answer = interrupt(question)
            if not isinstance(answer, Mapping):
                return answer is True and call.siblings(self.name) == 1
            if call.call_id in answer:
                return answer[call.call_id] is True
            if call.siblings(self.name) == 1:
                return False
