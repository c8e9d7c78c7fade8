"""The node that recalls: one query per user turn, into a channel that is never checkpointed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from langgraph_agentmem.model import Kind, Recall
from langgraph_agentmem.scope import Scope
from langgraph_agentmem.steps import Call, Work

from .run import Node, Run
from .turns import as_messages, asked_last


def counts(recall: Recall) -> dict[str, object]:
    """A recall without its content, for events: how much was found, and the notes on how."""
    return {
        "pinned": len(recall.pinned),
        "relevant": len(recall.relevant),
        "left_out": len(recall.left_out),
        "notes": list(recall.notes),
    }


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RetrieveMemories(Node):
    """Recalls the user's memories for their last message into `state["memories"]`.

    The query is the text of the last HumanMessage; without one, or when it is blank, the pinned
    memories alone are recalled. The run's thread, if it has one, is recorded as the user's.
    Emits the event `recalled` with counts.

    Args:
        limit: The most relevant memories returned; pinned ones are not counted.
        token_budget: Tokens for the relevant memories; None leaves packing to `build_context`.
        scope: Whose memory it is.
        floor: What is enough by itself: a share of the query's words, or a cosine; None takes
            the store's own floors.
        kinds: Only memories of these kinds; None takes all.
        messages_key: The state's key for messages.
        memories_key: The state's key for the recalled memories, a `Recall`.

    Raises:
        ValueError: When made, if `limit` or `token_budget` is below 1.
        UserRequired: The run names no user; nothing was read.
        UserConflict: The run names two users; nothing was read.
        StoreRequired: The graph was compiled without a store of ours.
    """

    limit: int = 8
    token_budget: int | None = 600
    scope: Scope = field(default_factory=Scope)
    floor: float | None = None
    kinds: Sequence[Kind] | None = None
    messages_key: str = "messages"
    memories_key: str = "memories"

    name = "retrieve_memories"

    def __post_init__(self) -> None:
        for option in ("limit", "token_budget"):
            size = getattr(self, option)
            if isinstance(size, bool) or (size is not None and size < 1):
                raise ValueError(f"{option} is at least 1 (found {size!r})")
        self.declare(messages=self.messages_key, memories=self.memories_key)

    def work(self, state: Mapping[str, Any], run: Run) -> Work[dict[str, Any]]:
        """Recall for the last message of this state."""
        query = asked_last(as_messages(state.get(self.messages_key)))
        recall = yield from self.recall(query, run)
        run.emit("recalled", **counts(recall))
        return {self.memories_key: recall}

    def recall(self, query: str, run: Run) -> Work[Recall]:
        """What this node recalls for a query in a run."""
        user = self.scope.user(run.config, run.context)
        store = run.memory_store()
        thread = run.thread_id
        if thread is not None:
            yield Call(
                lambda: store.claim_thread(thread, user),
                lambda: store.aclaim_thread(thread, user),
            )
        namespace = self.scope.namespace(user)
        options: dict[str, Any] = {
            "limit": self.limit,
            "token_budget": self.token_budget,
            "kinds": self.kinds,
            "floor": self.floor,
        }
        recall: Recall = yield Call(
            lambda: store.recall(namespace, query, **options),
            lambda: store.arecall(namespace, query, **options),
        )
        return recall


retrieve_memories = RetrieveMemories
"""The node under the name that a graph gives it."""
