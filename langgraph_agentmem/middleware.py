"""Memory for agents of langchain's `create_agent`: two lines, and the agent remembers.

    agent = create_agent(
        model, tools, middleware=[AgentMemMiddleware(model)],
        store=memory.store, checkpointer=memory.checkpointer,
    )

What is recalled is put around each model call and nowhere else: it never reaches `messages`, nor
a checkpoint. What the user said is learnt when the agent has answered. The work is that of the
graph nodes, so both make the same decisions.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import fields
from typing import Annotated, Any, Literal, NotRequired, Self, TypeAlias

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import SystemMessage
from langchain_core.runnables import Runnable
from langgraph.runtime import Runtime

from .errors import MissingExtra
from .model import Kind, Namespace
from .nodes.budget import Budget
from .nodes.context import abuild_context, build_context
from .nodes.extract import ExtractFacts
from .nodes.heard import Heard
from .nodes.retrieve import RetrieveMemories
from .nodes.run import Run
from .nodes.state import Summary, latest
from .nodes.summarize import Limit, SummarizeOldTurns
from .policy import careful
from .protocols import Extractor, TokenCounter, WritePolicy
from .scope import Scope
from .steps import Call, Work, await_all, call_all

try:
    from langchain.agents.middleware import (
        AgentMiddleware,
        AgentState,
        ModelRequest,
        ModelResponse,
    )
    from langchain.agents.middleware.types import PrivateStateAttr
    from langchain.chat_models import init_chat_model
except ImportError as error:
    raise MissingExtra(
        "AgentMemMiddleware needs langchain; pip install 'langgraph-agentmem[agents]'"
    ) from error

__all__ = ["AgentMemMiddleware", "AgentMemState"]

UNBOUNDED = Budget(total=10**9)
"""Tokens that no conversation has: nothing gives way."""


Size: TypeAlias = Limit | tuple[Literal["fraction"], float]
"""A number of tokens or messages, or a share of the tokens that a model can read."""


class AgentMemState(AgentState[Any]):
    """What the middleware keeps in an agent's state, out of its input and output: no memories."""

    summary: NotRequired[Annotated[Summary | None, PrivateStateAttr, latest]]
    extracted_through: NotRequired[Annotated[str | None, PrivateStateAttr, latest]]


class AgentMemMiddleware(AgentMiddleware[AgentMemState, Any, Any]):
    """Recalls before each model call, learns after the agent, and summarizes old turns.

    Before a model call the pinned memories, and the summary if there is one, follow the system
    prompt; the relevant memories stand just before the user's last message. After the agent has
    answered, an extractor learns from what the user said. Other middleware may stand before or
    after it: it changes the one request that it is given, and a system prompt that a later one
    puts in place is followed by the memories too.

    For `create_agent(response_format=Model)` open the memory with
    `AgentMemory.open(path, allowed_types=[Model])`: the answer is kept in checkpoints.

    Events are those of `retrieve_memories`, `build_context`, `extract_facts` and
    `summarize_old_turns`.

    Args:
        extractor: Learns from the user's words: a chat model with structured output, its name
            as `create_agent` takes it, or an `Extractor`. None learns nothing, for agents that
            keep their memory by tools.
        summarizer: Writes summaries: a chat model, its name, or a Runnable. None takes the
            extractor, if that is a chat model.
        trigger: Summarize when what is not summarized yet has reached this size: tokens, such as
            `("tokens", 3000)`, messages, or `("fraction", 0.5)` of what the model can read, by
            its `profile`. The model is the extractor, or else the summarizer. None never does.
        keep: At least this much of the newest whole turns stays word for word.
        remove: True removes what was summarized from the state; False from the view alone.
        timeout: Seconds for one call of the summarizer; None waits for ever.
        limit: The most relevant memories for one call.
        token_budget: Tokens for the relevant memories.
        also: Further namespaces that every user of the agent reads; see `retrieve_memories`.
        kinds: Only memories of these kinds; None takes all.
        budget: Tokens for the system prompt, memories, summary and messages of one call, or a
            `Budget`; old turns give way. None leaves the messages as they are.
        token_counter: Counts tokens of messages; an estimate by default.
        timezone: The users' time zone where the run names none; see `extract_facts`.
        scope: Whose memory it is.
        policy: Refuses what must not be kept, and holds what needs the user's consent.

    Raises:
        TypeError: When made, if the extractor is none, or `trigger` is given and nothing can
            summarize.
        ValueError: When made, if a limit is wrong.
        UserRequired, UserConflict: The run names no user, or two; nothing was read.
        StoreRequired: The agent was made without a store of ours.
        BudgetTooSmall: The system prompt, pinned memories and open turn alone exceed `budget`.
    """

    state_schema = AgentMemState

    def __init__(
        self,
        extractor: Extractor | BaseChatModel | str | None = None,
        *,
        summarizer: BaseChatModel | Runnable[Any, Any] | str | None = None,
        trigger: Size | None = None,
        keep: Size = ("messages", 8),
        remove: bool = False,
        timeout: float | None = 120.0,
        limit: int = 8,
        token_budget: int | None = 600,
        also: Sequence[Namespace] | Mapping[Namespace, float] = (),
        kinds: Sequence[Kind] | None = None,
        budget: int | Budget | None = None,
        token_counter: TokenCounter | None = None,
        timezone: str | None = None,
        scope: Scope | None = None,
        policy: WritePolicy = careful,
    ) -> None:
        super().__init__()
        self.tools = []
        self._heard = Heard()
        whose = scope or Scope()
        learns = init_chat_model(extractor) if isinstance(extractor, str) else extractor
        writes = init_chat_model(summarizer) if isinstance(summarizer, str) else summarizer
        if writes is None and isinstance(learns, BaseChatModel):
            writes = learns
        if trigger is not None and writes is None:
            raise TypeError("trigger needs a summarizer, such as a chat model")
        self._budget = UNBOUNDED if budget is None else Budget.of(budget)
        self._count = token_counter
        self._retrieve = RetrieveMemories(
            limit=limit, token_budget=token_budget, also=also, kinds=kinds, scope=whose
        )
        self._learn = (
            None
            if learns is None
            else ExtractFacts(learns, scope=whose, policy=policy, timezone=timezone)
        )
        self._summarize = (
            None
            if trigger is None or writes is None
            else SummarizeOldTurns(
                writes,
                trigger=_limit("trigger", trigger, learns, writes),
                keep=_limit("keep", keep, learns, writes),
                remove=remove,
                timeout=timeout,
                token_counter=token_counter,
            )
        )

    # Before each model call --------------------------------------------------------------------

    def wrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], ModelResponse[Any]],
    ) -> ModelResponse[Any]:
        """Call the model with what is remembered."""
        return handler(call_all(self._reminded(request)))

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any]:
        """`wrap_model_call`, awaited."""
        return await handler(await await_all(self._reminded(request)))

    def _reminded(self, request: ModelRequest[Any]) -> Work[ModelRequest[Any]]:
        given = request.system_message
        system = "" if given is None else str(given.text)
        run = Run.here()
        recalled = yield from self._retrieve.work({"messages": request.messages}, run)
        if self._learn is not None:
            # Not the request's messages: another middleware may have put its own among them.
            there: Mapping[str, Any] = request.state
            self._heard.hear(run, there["messages"], there.get("extracted_through"))
        state = {
            **recalled,
            "messages": request.messages,
            "summary": request.state.get("summary"),
        }
        options: dict[str, Any] = {
            "system": system,
            "budget": self._budget,
            "token_counter": self._count,
        }
        view = yield Call(
            lambda: build_context(state, **options), lambda: abuild_context(state, **options)
        )
        if not isinstance(view[0], SystemMessage):
            return request.override(messages=view)
        head, *messages = view
        memories = str(head.text).removeprefix(system).strip()
        return Reminded.of(request.override(messages=messages), memories)

    # After the agent ---------------------------------------------------------------------------

    def after_agent(self, state: AgentMemState, runtime: Runtime[Any]) -> dict[str, Any] | None:  # noqa: ARG002 - langchain's signature
        """Learn from what the user said, and summarize what has grown old."""
        return call_all(self._learnt(state))

    async def aafter_agent(
        self,
        state: AgentMemState,
        runtime: Runtime[Any],  # noqa: ARG002 - langchain's signature
    ) -> dict[str, Any] | None:
        """`after_agent`, awaited."""
        return await await_all(self._learnt(state))

    def _learnt(self, state: AgentMemState) -> Work[dict[str, Any] | None]:
        run = Run.here()
        update: dict[str, Any] = {}
        if self._learn is not None:
            update |= yield from self._learnt_all(self._learn, state, run)
        if self._summarize is not None:
            update |= yield from self._summarize.work(state, run)
        return update or None

    def _learnt_all(
        self, learn: ExtractFacts, state: AgentMemState, run: Run
    ) -> Work[dict[str, Any]]:
        """Learn from the messages, and from those that a summary has taken the place of."""
        messages = state["messages"]
        gone = self._heard.summarized_away(run, messages)
        update = yield from learn.work({**state, "messages": [*gone, *messages]}, run)
        if update:
            self._heard.learnt(run)
        return update


def _limit(option: str, size: Size, *models: object) -> Limit:
    """A size in tokens or messages: a fraction is one of what the first chat model can read."""
    match size:
        case ("fraction", found):
            share: object = found
        case _:
            return size  # the node says what is wrong with another
    if isinstance(share, bool) or not isinstance(share, int | float) or not 0 < share < 1:
        said = repr(share)[:40]
        raise ValueError(f"a fraction for {option} lies between 0 and 1 (found {said})")
    model = next((one for one in models if isinstance(one, BaseChatModel)), None)
    reads = None if model is None else (model.profile or {}).get("max_input_tokens")
    if type(reads) is not int:
        raise ValueError(
            f"a fraction for {option} needs a chat model whose `profile` has max_input_tokens "
            f"(found {type(model).__name__}); set it, or name tokens"
        )
    return ("tokens", max(int(reads * share), 1))


class Reminded(ModelRequest[Any]):
    """A request that keeps its memories whatever system message a later middleware gives it, as
    `dynamic_prompt` does.
    """

    memories: str = ""

    @classmethod
    def of(cls, request: ModelRequest[Any], memories: str) -> Self:
        """The request with the memories after its system message, unless they stand there."""
        given = request.system_message
        parts = {one.name: getattr(request, one.name) for one in fields(request)}
        if memories not in (given.text if given else ""):
            parts["system_message"] = _after(given, memories)
        reminded = cls(**parts)
        object.__setattr__(reminded, "memories", memories)  # langchain warns of any other way
        return reminded

    def override(self, **overrides: Any) -> Self:
        """The request with other parts, and the memories."""
        return self.of(super().override(**overrides), self.memories)


def _after(given: SystemMessage | None, more: str) -> SystemMessage:
    """The system message with more text after it. Its blocks stay as they are: some carry marks
    by which a provider caches them.
    """
    if given is None or not given.content:
        return SystemMessage(more)
    apart = f"\n\n{more}"
    if isinstance(given.content, str):
        return given.model_copy(update={"content": given.content + apart})
    blocks = [*given.content, {"type": "text", "text": apart}]
    return given.model_copy(update={"content": blocks})
