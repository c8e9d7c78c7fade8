"""Conversations as model providers accept them: whole user turns and whole tool exchanges.

A turn starts at a HumanMessage and ends before the next one. The last turn is open: the model is
at work on it, so nothing legal in it is touched. All turns before it are settled. An exchange is
an AIMessage with tool calls and all their results, wherever those stand; it is never split. A
list may be cut where a user turn starts and no exchange spans the place.

Pure functions. A message is handed on as the object that it is, because a rebuilt AIMessage
loses what its provider signed; what must change is changed in a copy that keeps everything else.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    ChatMessage,
    FunctionMessage,
    HumanMessage,
    MessageLikeRepresentation,
    RemoveMessage,
    SystemMessage,
    ToolMessage,
    convert_to_messages,
)

from langgraph_agentmem.extraction.evidence import words_of

Turn: TypeAlias = list[BaseMessage]

ASSISTANT_FIRST = "[the conversation begins]"
"""Stands for the user where the assistant spoke first: providers want a user turn at the head."""

NOTHING_NEW = "[no new message from the user]"
"""Ends a list whose last word is the assistant's: providers answer a user or a tool result."""

NO_TEXT = "[no text]"
"""Stands for a user's blank message: providers refuse blank text."""

NO_OUTPUT = "[no output]"
"""Stands for a tool's blank result."""

NO_RESULT = "[no result: the call was not completed]"
"""Answers a call that was never answered, so that its AIMessage can stay as it was made."""

PREFIX_BOUND = frozenset({"thinking", "redacted_thinking"})
"""Content blocks signed together with all that stood before them."""

CALLS = frozenset({"tool_use", "tool_call", "function_call", "invalid_tool_call"})
"""Content blocks that call a tool of the application."""

SILENT = PREFIX_BOUND | {"reasoning"}
"""Content blocks that by themselves say nothing to the user."""


def as_messages(found: Iterable[MessageLikeRepresentation] | None) -> list[BaseMessage]:
    """A state's messages as message objects: dicts and tuples converted, removals left out.

    Raises ValueError or NotImplementedError for what is no message.
    """
    return [
        message
        for message in convert_to_messages(found or ())
        if not isinstance(message, RemoveMessage)
    ]


def readable(found: object) -> tuple[list[BaseMessage], int]:
    """Whatever stands under a state's key for messages, as messages with content that can be
    read; and how many of its parts are no message.
    """
    messages: list[BaseMessage] = []
    others = 0
    for part in _parts(found):
        try:
            said = [part] if isinstance(part, BaseMessage) else as_messages([part])
        except (ValueError, NotImplementedError, TypeError, AttributeError):
            others += 1
            continue
        messages += [_whole(_by_role(each)) for each in said if not isinstance(each, RemoveMessage)]
    return messages, others


_ROLES: Mapping[str, type[BaseMessage]] = {
    "user": HumanMessage,
    "human": HumanMessage,
    "assistant": AIMessage,
    "ai": AIMessage,
    "model": AIMessage,
    "system": SystemMessage,
    "developer": SystemMessage,
}


def _by_role(message: BaseMessage, other: type[BaseMessage] | None = None) -> BaseMessage:
    """A message that names its role in a text, as what has that role, and else as `other`: some
    converters raise for it.
    """
    kind = _ROLES.get(message.role.casefold(), other) if isinstance(message, ChatMessage) else None
    if kind is None:
        return message
    held = ("content", "id", "name", "additional_kwargs", "response_metadata")
    return kind.model_construct(**{each: getattr(message, each) for each in held})


def _parts(found: Any) -> Iterable[Any]:
    """The parts of a list; a message by itself, or what cannot be one, is the only part."""
    if isinstance(found, str | BaseMessage | Mapping) or not isinstance(found, Iterable):
        return [found] if found else []
    return found


def _whole(message: BaseMessage) -> BaseMessage:
    """The message with text or blocks for content, whatever built it."""
    content: object = message.content
    if isinstance(content, str):
        return message
    if not isinstance(content, list):
        return message.model_copy(update={"content": "" if content is None else str(content)})
    if all(isinstance(block, str | dict) for block in content):
        return message
    kept = [block for block in content if isinstance(block, str | dict)]
    return message.model_copy(update={"content": kept})


def spoken(messages: Iterable[BaseMessage]) -> list[BaseMessage]:
    """The messages of the conversation itself, without the system's."""
    return [message for message in messages if not isinstance(message, SystemMessage)]


def asked_last(messages: Sequence[BaseMessage]) -> str:
    """The text of the user's last message, without blanks around it; "" when there is none."""
    for message in reversed(messages):
        if isinstance(message, HumanMessage):
            return words_of(message).strip()
    return ""


# Tool exchanges ------------------------------------------------------------------------------


def _call_ids(message: BaseMessage) -> list[str | None]:
    return [call["id"] for call in message.tool_calls] if isinstance(message, AIMessage) else []


def results_of(messages: Sequence[BaseMessage]) -> dict[int, dict[str, int]]:
    """For each AIMessage with calls, by index: the id of each answered call and the index of
    its result.

    Some models number their calls anew in every message, so a result belongs to the nearest
    call before it. Of two results of one call the later one counts.
    """
    asked: dict[str, int] = {}
    results: dict[int, dict[str, int]] = {}
    for index, message in enumerate(messages):
        if isinstance(message, AIMessage):
            # A call whose arguments could not be parsed may have been answered too.
            calls = [*message.tool_calls, *message.invalid_tool_calls]
            asked.update({call["id"]: index for call in calls if call["id"]})
        elif isinstance(message, ToolMessage) and message.tool_call_id in asked:
            answered = results.setdefault(asked[message.tool_call_id], {})
            answered[message.tool_call_id] = index
    return results


def cut_points(messages: Sequence[BaseMessage]) -> list[int]:
    """Where the list may be cut, as indices of the first message kept: the start of each user
    turn that no tool exchange spans, the open turn's included.
    """
    ends = {call: max(answered.values()) for call, answered in results_of(messages).items()}
    points = []
    reach = -1
    for index, message in enumerate(messages):
        if isinstance(message, HumanMessage) and index > reach:
            points.append(index)
        reach = max(reach, ends.get(index, -1))
    return points


def _paired(messages: Sequence[BaseMessage]) -> list[BaseMessage]:
    """Each call followed at once by its results: interleaved ones moved, orphans left out,
    missing ones said to be missing. A message whose calls have no id cannot be answered and is
    left out.
    """
    results = results_of(messages)
    paired: list[BaseMessage] = []
    for index, message in enumerate(messages):
        calls = _call_ids(message)
        if isinstance(message, ToolMessage) or not all(calls):
            continue
        answered = results.get(index, {})
        paired.append(_answerable(message, {*calls, *answered}))
        paired.extend(messages[place] for place in sorted(answered.values()))
        paired.extend(
            ToolMessage(NO_RESULT, tool_call_id=call, status="error")
            for call in dict.fromkeys(calls)
            if call not in answered
        )
    return paired


def _answerable(message: BaseMessage, answered: Collection[str | None]) -> BaseMessage:
    """The message without calls that nobody answers: those whose arguments could not be parsed,
    which converters send all the same, and blocks that name no call of the message.
    """
    if not isinstance(message, AIMessage):
        return message
    invalid = [call for call in message.invalid_tool_calls if call["id"] in answered]
    content: list[str | dict[str, Any]] = [
        block
        for block in (message.content if isinstance(message.content, list) else ())
        if not _is_call(block) or _id_of_call(block) in answered
    ]
    changed: dict[str, Any] = {}
    if len(invalid) < len(message.invalid_tool_calls):
        kwargs = {
            name: one for name, one in message.additional_kwargs.items() if name != "tool_calls"
        }
        changed |= {"invalid_tool_calls": invalid, "additional_kwargs": kwargs}
    if isinstance(message.content, list) and len(content) < len(message.content):
        changed["content"] = content
    return message.model_copy(update=changed) if changed else message


def _is_call(block: str | dict[str, Any]) -> bool:
    return isinstance(block, dict) and str(block.get("type")) in CALLS


def _id_of_call(block: str | dict[str, Any]) -> Any:
    return None if isinstance(block, str) else block.get("call_id") or block.get("id")


# Blank text ----------------------------------------------------------------------------------


def _named(block: str | dict[str, Any]) -> str | dict[str, Any]:
    """A block with its type: one that has none, or is bare text, as the text that it holds.
    Some converters raise for these.
    """
    if isinstance(block, str):
        return {"type": "text", "text": block}
    if isinstance(block.get("type"), str):
        return block
    text = block.get("text")
    return {"type": "text", "text": text if isinstance(text, str) else ""}


def _is_blank(block: str | dict[str, Any]) -> bool:
    if isinstance(block, str):
        return not block.strip()
    return block.get("type") == "text" and not str(block.get("text") or "").strip()


def _says_something(message: BaseMessage) -> bool:
    if isinstance(message, AIMessage) and (message.tool_calls or message.invalid_tool_calls):
        return True
    return any(
        isinstance(block, str) or str(block.get("type")) not in SILENT for block in message.content
    )


def _legible(message: BaseMessage) -> BaseMessage | None:
    """The message without blank text; None for an answer in which nothing is left."""
    content = message.content
    blocks = [content] if isinstance(content, str) else map(_named, content)
    kept = [block for block in blocks if not _is_blank(block)]
    said = "".join(map(str, kept)) if isinstance(content, str) else kept
    if said != content:
        message = message.model_copy(update={"content": said})
    match message:
        case HumanMessage() if not kept:
            return message.model_copy(update={"content": NO_TEXT})
        case ToolMessage() if not kept:
            return message.model_copy(update={"content": NO_OUTPUT})
        case HumanMessage() | ToolMessage():
            return message
    return message if _says_something(message) else None


# Turns ---------------------------------------------------------------------------------------


def is_prefix_bound(block: str | dict[str, Any]) -> bool:
    """Whether a content block was signed together with the list that stood before it."""
    return isinstance(block, dict) and str(block.get("type")) in PREFIX_BOUND


def has_bound_thinking(messages: Iterable[BaseMessage]) -> bool:
    """Whether changing what stands before these messages would break a signature in them."""
    return any(
        is_prefix_bound(block)
        for message in messages
        if isinstance(message, AIMessage) and isinstance(message.content, list)
        for block in message.content
    )


def _settled(message: BaseMessage) -> BaseMessage:
    """The message without thinking: in a view, what stood before it is no longer the same."""
    if not has_bound_thinking([message]):
        return message
    kept = [block for block in message.content if not is_prefix_bound(block)]
    return message.model_copy(update={"content": kept})


def turns_of(messages: Sequence[BaseMessage]) -> list[Turn]:
    """The conversation as legal turns, oldest first; the last one is the open turn.

    Whatever the list holds, every turn starts with a HumanMessage, every call is followed by
    its results, no text is blank, settled turns carry no thinking, and the open turn ends with
    the user or a tool result. System messages are left out, and results of functions that no
    call asked for; whoever has a role of the application's own speaks as a user. There is always
    at least one turn.
    """
    sayable = (
        _by_role(message, HumanMessage)
        for message in messages
        if not isinstance(message, FunctionMessage)  # a result whose call has no id
    )
    legible = [
        said for message in _paired(spoken(sayable)) if (said := _legible(message)) is not None
    ]
    if not legible or not isinstance(legible[0], HumanMessage):
        legible.insert(0, HumanMessage(ASSISTANT_FIRST))
    starts = [i for i, message in enumerate(legible) if isinstance(message, HumanMessage)]
    turns = [legible[start:end] for start, end in zip(starts, [*starts[1:], None], strict=True)]
    *settled, open_turn = turns
    if not isinstance(open_turn[-1], HumanMessage | ToolMessage):
        open_turn.append(HumanMessage(NOTHING_NEW))
    return [*([_settled(message) for message in turn] for turn in settled), open_turn]


def covered(messages: Sequence[BaseMessage], through: str | None) -> int:
    """How many messages at the head a summary through this id stands for.

    0 when the message is gone, so that nothing is hidden that the summary may not hold; never
    into the open turn, whatever became of the messages after it.
    """
    if through is None:
        return 0
    last = next((i for i, message in enumerate(messages) if message.id == through), -1)
    humans = [i for i, message in enumerate(messages) if isinstance(message, HumanMessage)]
    return min(last + 1, humans[-1] if humans else 0)


def with_short_results(
    messages: Sequence[BaseMessage], fits: Callable[[Sequence[BaseMessage]], bool]
) -> tuple[list[BaseMessage], int]:
    """Messages whose tool results have less text, as much as fits, and how many were cut. All
    are cut to the same length, so small ones stay whole.
    """

    def cut_to(length: int) -> list[BaseMessage]:
        return [
            _cut(message, length) if isinstance(message, ToolMessage) else message
            for message in messages
        ]

    longest = max((len(words_of(m)) for m in messages if isinstance(m, ToolMessage)), default=0)
    most = bisect_left(range(longest), 1, key=lambda length: not fits(cut_to(length))) - 1
    short = cut_to(max(most, 0))
    return short, sum(one is not other for one, other in zip(short, messages, strict=True))


def _cut(message: BaseMessage, length: int) -> BaseMessage:
    """A copy of a tool result whose text is at most so many characters long, and a mark."""
    text = words_of(message)
    if len(text) <= length:
        return message
    mark = f"[… {len(text) - length} more characters]"
    said = f"{text[:length]} {mark}".strip()
    if isinstance(message.content, str):
        return message.model_copy(update={"content": said})
    others = [one for one in message.content if isinstance(one, dict) and one.get("type") != "text"]
    return message.model_copy(update={"content": [{"type": "text", "text": said}, *others]})
