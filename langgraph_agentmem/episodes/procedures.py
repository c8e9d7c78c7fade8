"""`Procedures`: how an agent behaves, for all its users."""

from __future__ import annotations

from typing import Any

from langgraph_agentmem.errors import BudgetTooSmall, InvalidNamespace
from langgraph_agentmem.memory import AgentMemory
from langgraph_agentmem.model import Memory, Namespace
from langgraph_agentmem.ranking import line_tokens
from langgraph_agentmem.steps import Call, Work, await_all, call_all
from langgraph_agentmem.steps.places import check_namespace
from langgraph_agentmem.store.core import check_whole

from .episode import check_text

PROCEDURE_TOKENS = 500
"""Tokens of all procedures of one agent together, unless told otherwise."""


class Procedures:
    """How one agent behaves, for all its users: pinned, versioned, and within a budget.

    They live in a namespace of the application, which `retrieve_memories(also=[namespace])`
    reads; `build_context` shows them after the instructions, as instructions.

    What an application writes there by `store.remember` counts, but is not stopped: where all
    procedures no longer fit a call, `build_context` raises `BudgetTooSmall` and cuts none.

    Args:
        memory: Where they are kept.
        namespace: The agent's, such as `("agents", "travel")`; never one that a user has.
        token_budget: Tokens (estimated) of all procedures together.

    Raises:
        InvalidNamespace: It is no namespace.
        ValueError: The budget is no whole number above 0.
    """

    def __init__(
        self,
        memory: AgentMemory,
        namespace: Namespace,
        *,
        token_budget: int = PROCEDURE_TOKENS,
    ) -> None:
        self._store = memory.store
        self.namespace = check_namespace(namespace)
        if memory.scope.may_be_a_users(self.namespace):
            raise InvalidNamespace(
                "procedures live in a namespace that no user has", namespace=self.namespace
            )
        self.token_budget = check_whole("token_budget", token_budget, least=1)

    def write(self, topic: str, text: str) -> Memory:
        """Write a procedure; what stood under the topic goes to the history.

        Raises:
            InvalidTopic, InvalidValue: Nothing was written.
            BudgetTooSmall: All procedures together would be larger than their budget.
        """
        return call_all(self.writing(topic, text))

    async def awrite(self, topic: str, text: str) -> Memory:
        """`write`, awaited."""
        return await await_all(self.writing(topic, text))

    def writing(self, topic: str, text: str) -> Work[Memory]:
        """`write`, as work."""
        check_text("text", text)
        others = [one for one in (yield from self._listing()) if one.topic != topic]
        needed = sum(line_tokens(one.topic, one.text) for one in others) + line_tokens(topic, text)
        if needed > self.token_budget:
            raise BudgetTooSmall(
                "the procedures would be larger than their budget; retire one, or raise it",
                budget=self.token_budget,
                needed=needed,
            )
        options: dict[str, Any] = {"kind": "procedure", "pinned": True}
        kept: Memory = yield Call(
            lambda: self._store.remember(self.namespace, topic, text, **options),
            lambda: self._store.aremember(self.namespace, topic, text, **options),
        )
        return kept

    def all(self) -> list[Memory]:
        """Every procedure, by topic."""
        return call_all(self._listing())

    async def aall(self) -> list[Memory]:
        """`all`, awaited."""
        return await await_all(self._listing())

    def _listing(self) -> Work[list[Memory]]:
        found: list[Memory] = yield Call(
            lambda: self._store.memories(self.namespace, kinds=["procedure"]),
            lambda: self._store.amemories(self.namespace, kinds=["procedure"]),
        )
        return found

    def retire(self, topic: str) -> None:
        """End a procedure; its history stays. Raises `MemoryNotFound`."""
        self._store.retire(self.namespace, topic)

    async def aretire(self, topic: str) -> None:
        """`retire`, awaited."""
        await self._store.aretire(self.namespace, topic)
