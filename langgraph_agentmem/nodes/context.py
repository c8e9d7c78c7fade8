"""What the model sees: one leading system message, the recent whole turns, the open turn.

    system    instructions, then pinned memories, then the summary: the same bytes from call to
              call while none of them changes, so that providers' prompt caches hold
    turns     the newest settled turns that fit, word for word
    open turn the relevant memories as fenced data just before the user's text, then what the
              assistant and its tools have done since

Made per call and never stored: the state's messages stay what they are.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import chain

from langchain_core.messages import BaseMessage, SystemMessage

from langgraph_agentmem.errors import BudgetTooSmall
from langgraph_agentmem.model import Memory, Recall
from langgraph_agentmem.protocols import TokenCounter
from langgraph_agentmem.steps import Work, await_all, call_all

from .budget import Budget
from .render import (
    PINNED,
    RELEVANT,
    before_text,
    memory_fences,
    paragraphs,
    summary_fence,
)
from .retrieve import RetrieveMemories, contents, counts, retrieve_memories
from .run import Run
from .standing import standing
from .state import as_state
from .tokens import approximate_tokens
from .told import stable_room, told_whole, told_within
from .turns import Turn, asked_last, turns_of, with_short_results

RETRIEVE = retrieve_memories()
"""The node that recalls again where a graph gives none of its own."""

NOTHING = Recall(namespace=(), query="")


def build_context(
    state: object,
    *,
    system: str = "",
    budget: int | Budget = 4000,
    token_counter: TokenCounter | None = None,
    shorten_results: bool = False,
    retrieve: RetrieveMemories | None = RETRIEVE,
    messages_key: str = "messages",
    memories_key: str = "memories",
    summary_key: str = "summary",
) -> list[BaseMessage]:
    """The messages to call a model with. The state is not changed.

    Where the state has no recalled memories (after an interrupt, in a replay or subgraph, in a
    node typed with another state) they are recalled again from the run's store, with the event
    `recalled_again`. Outside any graph there is no store to ask, and no memories are shown.

    What does not fit gives way, with the event `gave_way`: the summary's prose is shortened, then
    its oldest exact values, the least relevant memories and the oldest turns are left out. Pinned
    memories and the open turn are never cut, but for `shorten_results`. Parts of the state that
    are no message are left out, with the event `not_messages`.

    A summary takes up to twice its share of what the instructions and pins leave, whatever the
    turns and the recalled memories are, so that the head stays the same to the byte. Where the
    open turn leaves less, it takes half of that, or a quarter, and so on.

    Args:
        state: A mapping with messages, such as `MemoryState`; a dataclass or a Pydantic model; or
            a list of messages.
        system: Instructions for the model. System messages of the state follow them.
        budget: Tokens for the whole list, or a `Budget` with its own shares.
        token_counter: Counts tokens of messages; an estimate by default. It is asked some
            dozens of times for one context, so it should not call over a network.
        shorten_results: True cuts the text of the open turn's tool results where the open turn
            alone would exceed the budget: in a long tool loop, one large result is then no
            error. Each keeps its head, with a mark that says how much is missing.
        retrieve: The graph's own retrieve node, whose options then also hold when recalling
            again; None recalls nothing again.
        messages_key: The state's key for messages.
        memories_key: The state's key for the recalled memories.
        summary_key: The state's key for the summary.

    Returns:
        A list that every provider accepts: its system message first, whole tool exchanges,
        ending with the user or a tool result.

    Raises:
        BudgetTooSmall: The instructions, pinned memories and open turn alone exceed the budget.
        ValueError: The budget is no positive number of tokens.
        StoreRequired: Memories must be recalled again and the graph has no store of ours.
        UserRequired: Memories must be recalled again and the run names no user.
    """
    return call_all(
        _context(
            state,
            Run.here(),
            system=system,
            budget=Budget.of(budget),
            count=token_counter or approximate_tokens,
            shorten_results=shorten_results,
            retrieve=retrieve,
            keys=(messages_key, memories_key, summary_key),
        )
    )


async def abuild_context(
    state: object,
    *,
    system: str = "",
    budget: int | Budget = 4000,
    token_counter: TokenCounter | None = None,
    shorten_results: bool = False,
    retrieve: RetrieveMemories | None = RETRIEVE,
    messages_key: str = "messages",
    memories_key: str = "memories",
    summary_key: str = "summary",
) -> list[BaseMessage]:
    """`build_context`, awaited."""
    return await await_all(
        _context(
            state,
            Run.here(),
            system=system,
            budget=Budget.of(budget),
            count=token_counter or approximate_tokens,
            shorten_results=shorten_results,
            retrieve=retrieve,
            keys=(messages_key, memories_key, summary_key),
        )
    )


def _context(
    state: object,
    run: Run,
    *,
    system: str,
    budget: Budget,
    count: TokenCounter,
    shorten_results: bool,
    retrieve: RetrieveMemories | None,
    keys: tuple[str, str, str],
) -> Work[list[BaseMessage]]:
    held = as_state(state, keys[0])
    found, recall, summary = (held.get(key) for key in keys)
    messages = run.messages(found)
    if not isinstance(recall, Recall):
        recall = yield from _recalled_again(messages, retrieve, run)
    view, gave_way = _packed(
        messages,
        recall,
        summary,
        system=system,
        budget=budget,
        count=count,
        shorten_results=shorten_results,
    )
    if gave_way:
        run.emit("gave_way", **gave_way)
    return view


def _recalled_again(
    messages: Sequence[BaseMessage], retrieve: RetrieveMemories | None, run: Run
) -> Work[Recall]:
    if retrieve is None or not run.in_graph:
        return NOTHING
    recall = yield from retrieve.recall(asked_last(messages), run, messages)
    run.emit("recalled_again", content=contents(recall.memories), **counts(recall))
    return recall


def _packed(
    messages: Sequence[BaseMessage],
    recall: Recall,
    found: object,
    *,
    system: str,
    budget: Budget,
    count: TokenCounter,
    shorten_results: bool,
) -> tuple[list[BaseMessage], dict[str, object]]:
    """The view, and what gave way to the budget: how the summary fared, how many of its exact
    values, memories and turns were left out, how many results of tools were shortened.
    """
    stands = standing(messages, found)
    *settled, open_turn = turns_of(messages[stands.hidden :])
    question, *since = open_turn
    instructions = (str(one.text) for one in messages if isinstance(one, SystemMessage))
    pinned = memory_fences(PINNED, (hit.memory for hit in recall.pinned), recall.namespace)
    head = paragraphs(system, *instructions, pinned)
    told = whole = told_whole(stands.summary)
    relevant = [hit.memory for hit in recall.relevant]

    def size(messages: Sequence[BaseMessage]) -> int:
        return count(messages) if messages else 0  # some models' counters refuse no messages

    fixed = size([*_system(head), *open_turn])
    results = 0
    if fixed > budget.total and shorten_results:
        since, results = with_short_results(
            since, lambda short: size([*_system(head), question, *short]) <= budget.total
        )
        fixed = size([*_system(head), question, *since])
    if fixed > budget.total:
        raise BudgetTooSmall(
            budget=budget.total,
            needed=fixed,
            pinned=len(recall.pinned),
            open_messages=len(open_turn),
        )
    rest = budget.total - fixed

    # What a part costs is what the list grows by, so any counter's total stays in the budget.
    bare_head, bare_question = size(_system(head)), size([question])

    def summary_cost(text: str) -> int:
        return size(_system(paragraphs(head, summary_fence(text)))) - bare_head

    def told_of(memories: Sequence[Memory]) -> BaseMessage:
        return before_text(question, memory_fences(RELEVANT, memories, recall.namespace))

    def memories_cost(memories: Sequence[Memory]) -> int:
        return size([told_of(memories)]) - bare_question

    turn_costs = _costs(settled, rest, size)
    if stands.summary:
        want = summary_cost(whole.text)
        most = int((budget.total - bare_head) * min(2 * budget.summary, 1))
        room = stable_room(want, most=most, rest=max(rest, 0))
        if want > room:
            told = told_within(stands.summary, room, summary_cost)
    rest -= summary_cost(told.text)
    wants = (0, memories_cost(relevant), min(turn_costs[-1], rest))
    recalled = _fitting(relevant, budget.rooms(rest, wants)[1], memories_cost)
    window = rest - memories_cost(recalled)
    recent = settled[len(settled) - bisect_right(turn_costs, window) + 1 :]

    view = [
        *_system(paragraphs(head, summary_fence(told.text))),
        *chain.from_iterable(recent),
        told_of(recalled),
        *since,
    ]
    gave_way: dict[str, object] = {
        "summary": "whole" if told == whole else "shortened" if told.text else "left out",
        "exact": told.lost,
        "memories": len(relevant) - len(recalled),
        "turns": len(settled) - len(recent),
        "results": results,
    }
    is_whole = told == whole and not any(
        gave_way[name] for name in ("memories", "turns", "results")
    )
    return view, {} if is_whole else gave_way


def _system(text: str) -> list[BaseMessage]:
    return [SystemMessage(text)] if text.strip() else []


def _costs(settled: Sequence[Turn], rest: int, size: TokenCounter) -> list[int]:
    """What the newest 0, 1, 2, … turns cost together, as far as `rest` may reach."""
    costs = [0]
    for turn in reversed(settled):
        costs.append(costs[-1] + size(turn))
        if costs[-1] > rest:
            break
    return costs


def _fitting(
    memories: Sequence[Memory], room: int, cost: Callable[[Sequence[Memory]], int]
) -> list[Memory]:
    """The memories that fit, taken best first; a smaller one may still fit after a larger."""
    kept: list[Memory] = []
    for memory in memories:
        if cost([*kept, memory]) <= room:
            kept.append(memory)
    return kept
