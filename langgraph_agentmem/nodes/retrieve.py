"""The node that recalls: one query per user turn, into a channel that is never checkpointed.

The user's own namespace is read, and further ones that the application names. Each has its own
share of the limit and of the tokens, so that none crowds out another.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from langchain_core.messages import BaseMessage

from langgraph_agentmem.errors import InvalidNamespace
from langgraph_agentmem.model import Hit, Kind, Memory, Namespace, Recall, Source
from langgraph_agentmem.ranking import line_tokens
from langgraph_agentmem.scope import Scope
from langgraph_agentmem.steps import Call, Work
from langgraph_agentmem.steps.places import check_namespace
from langgraph_agentmem.store import AgentMemStore

from .moments import moment_of_run
from .run import Node, Run
from .turns import asked_last

IN_VIEW = 8
"""The newest messages that a model sees word for word, whatever a summary stands for."""


def counts(recall: Recall) -> dict[str, object]:
    """A recall without its content, for events: how much was found, and the notes on how."""
    return {
        "pinned": len(recall.pinned),
        "relevant": len(recall.relevant),
        "left_out": len(recall.left_out),
        "notes": list(recall.notes),
    }


def contents(memories: Iterable[Memory]) -> dict[str, str]:
    """Topics and texts, for those who ask for content in events."""
    return {memory.topic: memory.text for memory in memories}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RetrieveMemories(Node):
    """Recalls the user's memories for their last message into `state["memories"]`.

    The query is the text of the last HumanMessage; without one, or when it is blank, the pinned
    memories alone are recalled. The run's thread, if it has one, is recorded as the user's.
    Emits the event `recalled` with counts.

    Args:
        limit: The most relevant memories returned, over all namespaces; pinned ones are not
            counted.
        token_budget: Tokens for the relevant memories, over all namespaces; None leaves packing
            to `build_context`.
        also: Further namespaces that every user of the graph reads, such as
            `[("agents", "travel")]`, which then share half of `limit` and `token_budget`
            equally; or a mapping from each to its own share, in (0, 1), below 1 together. What
            they do not use is the user's; each gets at least one of `limit`. Name constants of
            the application, never what users send.
        scope: Whose memory it is.
        floor: What is enough by itself: a share of the query's words, or a cosine; None takes
            the store's own floors.
        kinds: Only memories of these kinds; None takes all.
        as_of: "checkpoint" recalls what was recorded by the moment of the checkpoint that the run
            goes on from, when it was given one (a replay, a fork, an updated state) and after it
            was interrupted and resumed; new input at the end of a thread reads now, as None
            always does. What was forgotten is gone from the past too. By words alone.
        messages_key: The state's key for messages.
        memories_key: The state's key for the recalled memories, a `Recall`.

    Raises:
        ValueError: When made, if `limit` or `token_budget` is below 1, shares make no sense, or
            `as_of` is neither "checkpoint" nor None.
        InvalidNamespace: When made, if a namespace of `also` is none, or one that `scope` may
            give to a user.
        UserRequired: The run names no user; nothing was read.
        UserConflict: The run names two users; nothing was read.
        StoreRequired: The graph was compiled without a store of ours.
    """

    limit: int = 8
    token_budget: int | None = 600
    also: Sequence[Namespace] | Mapping[Namespace, float] = ()
    scope: Scope = field(default_factory=Scope)
    floor: float | None = None
    kinds: Sequence[Kind] | None = None
    as_of: Literal["checkpoint"] | None = None
    messages_key: str = "messages"
    memories_key: str = "memories"
    _shares: Mapping[Namespace, float] = field(init=False)

    name = "retrieve_memories"

    def __post_init__(self) -> None:
        for option in ("limit", "token_budget"):
            size = getattr(self, option)
            if isinstance(size, bool) or (size is not None and size < 1):
                raise ValueError(f"{option} is at least 1 (found {size!r})")
        if self.as_of not in {None, "checkpoint"}:
            raise ValueError(f'as_of is "checkpoint" or None (found {str(self.as_of)[:40]!r})')
        object.__setattr__(self, "_shares", _shares(self.also))
        for namespace in self._shares:
            if self.scope.may_be_a_users(namespace):
                raise InvalidNamespace(
                    "a namespace of `also` may be a user's own by the scope's template; "
                    "name one that the template cannot give",
                    namespace=namespace,
                    template=self.scope.template,
                )
        self.declare(messages=self.messages_key, memories=self.memories_key)

    def work(self, state: Mapping[str, Any], run: Run) -> Work[dict[str, Any]]:
        """Recall for the last message of this state."""
        messages = run.messages(state.get(self.messages_key))
        recall = yield from self.recall(asked_last(messages), run, messages)
        run.emit("recalled", content=contents(recall.memories), **counts(recall))
        return {self.memories_key: recall}

    def recall(self, query: str, run: Run, messages: Sequence[BaseMessage] = ()) -> Work[Recall]:
        """What this node recalls for a query in a run. Turns of the newest `messages` are left
        out: the model sees those anyway.
        """
        user = self.scope.user(run.config, run.context)
        store = run.memory_store()
        thread = run.thread_id
        if thread is not None:
            yield Call(
                lambda: store.claim_thread(thread, user),
                lambda: store.aclaim_thread(thread, user),
            )
        known_at = None if self.as_of is None else (yield from moment_of_run(run))
        own = self.scope.namespace(user)
        found = []
        limit, tokens = self.limit, self.token_budget
        for namespace, share in self._shares.items():
            part = yield from self._part(
                store,
                namespace,
                query,
                limit=int(self.limit * share),
                tokens=None if self.token_budget is None else int(self.token_budget * share),
                known_at=known_at,
            )
            found.append(part)
            limit -= len(part.relevant)
            tokens = None if tokens is None else tokens - sum(map(_tokens, part.relevant))
        mine = yield from self._part(
            store,
            own,
            query,
            limit=limit,
            tokens=tokens,
            known_at=known_at,
            seen=_seen(messages, thread),
        )
        return _merged(mine, found, self._shares)

    def _part(
        self,
        store: AgentMemStore,
        namespace: Namespace,
        query: str,
        *,
        limit: int,
        tokens: int | None,
        known_at: datetime | None,
        seen: Source | None = None,
    ) -> Work[Recall]:
        """What one namespace gives: at least one memory, if the tokens allow."""
        options: dict[str, Any] = {
            "limit": max(limit, 1),
            "token_budget": None if tokens is None else max(tokens, 1),
            "kinds": self.kinds,
            "floor": self.floor,
            "known_at": known_at,
            "seen": seen,
        }
        recall: Recall = yield Call(
            lambda: store.recall(namespace, query, **options),
            lambda: store.arecall(namespace, query, **options),
        )
        return recall


def _seen(messages: Sequence[BaseMessage], thread_id: str | None) -> Source | None:
    """The newest messages of the conversation, by their ids."""
    ids = tuple(str(message.id) for message in messages[-IN_VIEW:] if message.id is not None)
    return Source(thread_id=thread_id, message_ids=ids) if ids else None


def _shares(also: Sequence[Namespace] | Mapping[Namespace, float]) -> dict[Namespace, float]:
    if isinstance(also, Mapping):
        shares = {check_namespace(namespace): share for namespace, share in also.items()}
    else:
        namespaces = dict.fromkeys(check_namespace(namespace) for namespace in also)
        shares = {namespace: 0.5 / len(namespaces) for namespace in namespaces}
    whole = sum(_share(share) for share in shares.values())
    if whole >= 1:
        raise ValueError(f"shares of `also` leave something to the user (found {whole:g} in all)")
    return shares


def _share(share: object) -> float:
    if isinstance(share, bool) or not isinstance(share, int | float) or not 0 < share < 1:
        raise ValueError(f"a share of `also` lies between 0 and 1 (found {share!r})")
    return share


def _tokens(hit: Hit) -> int:
    return line_tokens(hit.memory.topic, hit.memory.text)


def _merged(own: Recall, others: Sequence[Recall], shares: Mapping[Namespace, float]) -> Recall:
    """One recall of them all. Relevant memories stand in turns, so that whoever packs from the
    front gives each namespace its share.
    """
    if not others:
        return own
    parts = [own, *others]
    return Recall(
        namespace=own.namespace,
        query=own.query,
        pinned=tuple(hit for part in parts for hit in part.pinned),
        relevant=tuple(_in_turns(parts, {own.namespace: 1 - sum(shares.values()), **shares})),
        left_out=tuple(one for part in parts for one in part.left_out),
        tokens=sum(part.tokens for part in parts),
        notes=tuple(dict.fromkeys(note for part in parts for note in part.notes)),
    )


def _in_turns(parts: Sequence[Recall], shares: Mapping[Namespace, float]) -> list[Hit]:
    """Each time the best of the namespace that has had least of its share."""
    waiting = {part.namespace: list(part.relevant) for part in parts}
    had = dict.fromkeys(waiting, 0.0)
    turns: list[Hit] = []
    while any(waiting.values()):
        namespace = min((one for one in waiting if waiting[one]), key=lambda one: had[one])
        hit = waiting[namespace].pop(0)
        had[namespace] += _tokens(hit) / shares[namespace]
        turns.append(hit)
    return turns


retrieve_memories = RetrieveMemories
"""The node under the name that a graph gives it."""
