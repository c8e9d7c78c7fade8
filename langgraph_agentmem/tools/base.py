"""What every memory tool shares: its arguments, its user, and one call of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from difflib import get_close_matches
from typing import Annotated, Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.tools import BaseTool, InjectedToolCallId
from langgraph.prebuilt import InjectedState
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from langgraph_agentmem.errors import InvalidTopic
from langgraph_agentmem.extraction.topics import LONGEST_TOPIC, Spelling
from langgraph_agentmem.model import HELD, Candidate, Hold, Memory, Namespace, Source, Version
from langgraph_agentmem.nodes.render import one_line
from langgraph_agentmem.nodes.run import Run
from langgraph_agentmem.policy import careful
from langgraph_agentmem.scope import Scope
from langgraph_agentmem.steps import Call, Work, await_all, call_all
from langgraph_agentmem.steps.places import check_topic
from langgraph_agentmem.store import AgentMemStore

MOST_NAMED = 20
"""Topics that an answer lists."""

NEVER_ASK = frozenset({"remember", "recall", "history"})
"""Tools of ours that end in an answer, whatever the user says."""

OWN_TASK = "__pregel_push"
"""Begins the `langgraph_path` of a task that was sent, as `create_agent` sends each call."""

LONGEST_SHOWN = 300
"""Characters of a value that an answer quotes."""


def without_null(default: Any) -> BeforeValidator:
    """Takes null for an argument's default: some models send every argument that there is."""
    return BeforeValidator(lambda given: default if given is None else given)


class Arguments(BaseModel):
    """What every tool is given: its call's id, and the state where a ToolNode has one."""

    model_config = ConfigDict(extra="forbid")

    tool_call_id: Annotated[str, InjectedToolCallId]
    state: Annotated[Any, InjectedState] = None


def _misused(error: ValidationError) -> str:
    """What was wrong with a call, in words that a model can act on and without its values."""
    unknown = [str(one["loc"][-1]) for one in error.errors() if one["type"] == "extra_forbidden"]
    wrong = [
        f"{'.'.join(map(str, one['loc']))}: {one['msg']}"
        for one in error.errors(include_url=False, include_input=False)
        if one["type"] != "extra_forbidden"
    ]
    if unknown:
        names = ", ".join(one_line(name)[:40] for name in unknown[:MOST_NAMED])
        wrong.append(f"unknown arguments: {names} (the memory is always the current user's)")
    return f"Nothing was done. {'; '.join(wrong)}. Call the tool again with the right arguments."


class MemoryTool(BaseTool):
    """A tool on the memory of the run's user. Subclasses define `work`, once for sync and async.

    Args:
        scope: Whose memory it is.
        policy: Refuses what must not be kept, and holds what needs consent.

    Raises:
        UserRequired, UserConflict: The run names no user, or two; nothing was read or written.
        StoreRequired: The graph was compiled without a store of ours.
    """

    scope: Scope = Field(default_factory=Scope, exclude=True)
    # A WritePolicy; pydantic checks no protocols.
    policy: Callable[[Candidate], str | Hold | None] = Field(default=careful, exclude=True)
    handle_validation_error: bool | str | Callable[..., str] | None = _misused

    def work(self, call: Turn, arguments: Mapping[str, Any]) -> Work[str]:
        """The tool itself: yields what it waits for, returns the answer."""
        raise NotImplementedError

    def _run(self, **given: Any) -> str:
        return call_all(self._work(given))

    async def _arun(self, **given: Any) -> str:
        return await await_all(self._work(given))

    def _work(self, given: dict[str, Any]) -> Work[str]:
        call_id, state = given.pop("tool_call_id"), given.pop("state", None)
        run = Run.here()
        user = self.scope.user(run.config, run.context)
        store, thread = run.memory_store(), run.thread_id
        if thread is not None:
            yield Call(
                lambda: store.claim_thread(thread, user),
                lambda: store.aclaim_thread(thread, user),
            )
        turn = Turn(
            run=run,
            user=user,
            namespace=self.scope.namespace(user),
            store=store,
            call_id=call_id,
            messages=_messages_of(state),
        )
        return (yield from self.work(turn, given))


class Turn:
    """One call of a tool: the run, its user and store, and the messages around it."""

    def __init__(
        self,
        *,
        run: Run,
        user: str,
        namespace: Namespace,
        store: AgentMemStore,
        call_id: str,
        messages: Sequence[BaseMessage],
    ) -> None:
        self.run, self.user, self.namespace, self.store = run, user, namespace, store
        self.call_id = call_id
        self._messages = messages

    @property
    def source(self) -> Source:
        """The user's last message, and the call itself: the same call is carried out once.

        Some models number their calls anew in every message, so a call is named together with
        its task, which is alike when LangGraph tries or resumes it again.
        """
        said = [one for one in self._messages if isinstance(one, HumanMessage) and one.id]
        task = self.run.config.get("metadata", {}).get("langgraph_checkpoint_ns", "")
        return Source(
            thread_id=self.run.thread_id,
            message_ids=(*(str(one.id) for one in said[-1:]), f"tool {task}/{self.call_id}"),
            author="assistant",
        )

    def asks_alone(self) -> bool:
        """Whether no other call can have asked the user in this task: each call has a task of its
        own, as in `create_agent`, or the message calls no other tool that may ask.
        """
        path = self.run.config.get("metadata", {}).get("langgraph_path") or ("",)
        if path[0] == OWN_TASK:
            return True
        asked = next((one for one in reversed(self._messages) if isinstance(one, AIMessage)), None)
        calls = asked.tool_calls if asked is not None else []
        others = [one["name"] for one in calls if one["id"] != self.call_id]
        return NEVER_ASK.issuperset(others)

    @property
    def execution(self) -> object:
        """Names what runs this call's task now, the same for all calls in it; None outside."""
        found = self.run.execution
        return found and (found.task_id, found.node_attempt, found.node_first_attempt_time)

    def memories(self) -> Work[list[Memory]]:
        """What is held of the user."""
        found: list[Memory] = yield Call(
            lambda: self.store.memories(self.namespace, kinds=HELD),
            lambda: self.store.amemories(self.namespace, kinds=HELD),
        )
        return found

    def was_forgotten(self, topic: str) -> Work[bool]:
        """Whether a topic was forgotten once."""
        found: bool = yield Call(
            lambda: self.store.was_forgotten(self.namespace, topic),
            lambda: self.store.awas_forgotten(self.namespace, topic),
        )
        return found

    def history(self, topic: str) -> Work[list[Version]]:
        """The versions of a topic."""
        found: list[Version] = yield Call(
            lambda: self.store.history(self.namespace, topic),
            lambda: self.store.ahistory(self.namespace, topic),
        )
        return found


def _messages_of(state: Any) -> list[BaseMessage]:
    """The messages of a state; those of a model's own making are no message objects."""
    found = state.get("messages") if isinstance(state, Mapping) else getattr(state, "messages", [])
    found = state if isinstance(state, list) else found
    return [one for one in found or () if isinstance(one, BaseMessage)]


def _listed(topics: Iterable[str]) -> str:
    named = [one_line(topic)[:LONGEST_TOPIC] for topic in topics]
    more = len(named) - MOST_NAMED
    return ", ".join(named[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def shown(text: str) -> str:
    """A value as an answer quotes it: on one line, and not longer than a model needs."""
    plain = one_line(text)
    return plain if len(plain) <= LONGEST_SHOWN else f"{plain[: LONGEST_SHOWN - 1]}…"


def nothing_under(call: Turn, asked: str, tool: str) -> Work[str]:
    """That nothing is kept under a topic, whether it was forgotten, and which ones may be meant."""
    call.run.emit("not_found", tool=tool)
    topics = [one.topic for one in (yield from call.memories())]
    said = f"Nothing is remembered under {one_line(asked)[:LONGEST_TOPIC]!r}"
    for topic in _spellings(asked):
        if (yield from call.was_forgotten(topic)):
            return f"{said}: it was forgotten."
    if not topics:
        return f"{said}, nor under any other topic."
    words = set(Spelling(()).of(asked).replace(".", "_").split("_"))
    near = [one for one in topics if words & set(one.casefold().replace(".", "_").split("_"))]
    near = near or get_close_matches(asked[:LONGEST_TOPIC], topics)
    hint = f"Perhaps meant: {_listed(near)}." if near else f"There are: {_listed(topics)}."
    return f"{said}. {hint}"


def versions_of(call: Turn, asked: str) -> Work[tuple[str, list[Version]]]:
    """A topic as the store spells it, and its versions; none where it is not there."""
    for topic in _spellings(asked):
        versions = yield from call.history(topic)
        if versions:
            return topic, versions
    return asked, []


def _spellings(asked: str) -> Iterator[str]:
    """The topics that may be meant: as it was said, and as this package spells it."""
    for topic in dict.fromkeys((asked, Spelling(()).of(asked[:LONGEST_TOPIC]))):
        with suppress(InvalidTopic):
            yield check_topic(topic, blank=False)
