"""What every provider asks of a list of messages, as one oracle.

`broken_rules(view)` names each rule that a list breaks; `broken_rules(view, state)` also looks
for AI messages that are not what the state holds. Numbers are those of the rules:

 1 one system message, first            2, 3 each call followed at once by its results
 4 the conversation starts with a user  5    there is a conversation
 6 it ends with a user or tool result   7    no blank text
 8, 9, 10 AI messages as their provider made them; thinking whole or not at all
11 no removals
"""

from collections.abc import Callable, Iterator, Sequence

from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    RemoveMessage,
    SystemMessage,
    ToolMessage,
)

THINKING = ("thinking", "redacted_thinking")
CALLS = ("tool_use", "tool_call", "function_call", "invalid_tool_call")
Messages = Sequence[BaseMessage]


def one_system_message_first(view: Messages, _state: Messages) -> bool:
    return not any(isinstance(message, SystemMessage) for message in view[1:])


def asked_for(message: AIMessage) -> set:
    """Ids of every call that a converter sends: those that could not be parsed, and blocks."""
    calls = [*message.tool_calls, *message.invalid_tool_calls]
    return {*(call["id"] for call in calls), *map(id_of_call, filter(is_call, blocks(message)))}


def blocks(message: BaseMessage) -> list:
    return [message.content] if isinstance(message.content, str) else message.content


def is_call(block) -> bool:
    return isinstance(block, dict) and str(block.get("type")) in CALLS


def id_of_call(block: dict):
    return block.get("call_id") or block.get("id")


def calls_meet_their_results(view: Messages, _state: Messages) -> bool:
    rest = list(view)
    while rest:
        message = rest.pop(0)
        if isinstance(message, ToolMessage):
            return False
        if isinstance(message, AIMessage) and (asked := asked_for(message)):
            answers, rest = rest[: len(asked)], rest[len(asked) :]
            if not all(isinstance(answer, ToolMessage) for answer in answers):
                return False
            if {answer.tool_call_id for answer in answers} != asked:
                return False
    return True


def conversation(view: Messages) -> list[BaseMessage]:
    return [message for message in view if not isinstance(message, SystemMessage)]


def a_user_speaks_first(view: Messages, _state: Messages) -> bool:
    return all(isinstance(message, HumanMessage) for message in conversation(view)[:1])


def there_is_a_conversation(view: Messages, _state: Messages) -> bool:
    return bool(conversation(view))


def a_user_or_tool_speaks_last(view: Messages, _state: Messages) -> bool:
    return all(isinstance(message, HumanMessage | ToolMessage) for message in view[-1:])


def texts(message: BaseMessage) -> Iterator[str]:
    if isinstance(message.content, str):
        yield message.content
        return
    for block in message.content:
        if isinstance(block, str):
            yield block
        elif block.get("type") == "text":
            yield block.get("text") or ""


def no_text_is_blank(view: Messages, _state: Messages) -> bool:
    for message in view:
        calls = isinstance(message, AIMessage) and message.tool_calls
        if not message.content and not calls:
            return False
        if message.content and not all(text.strip() for text in texts(message)):
            return False
    return True


def thoughts(message: BaseMessage) -> list[dict]:
    return [b for b in blocks(message) if isinstance(b, dict) and b.get("type") in THINKING]


def without_thoughts(message: AIMessage) -> dict:
    """All of a message but thinking, blank text and calls that nobody could answer, which alone
    may be left out.
    """
    calls = {call["id"] for call in message.tool_calls}
    kept = [
        {"type": "text", "text": block} if isinstance(block, str) else block
        for block in blocks(message)
        if block not in thoughts(message)
        and not (is_call(block) and id_of_call(block) not in calls)
        and not is_blank(block)
        and not is_of_no_type(block)
    ]
    whole = message.model_dump(exclude={"content", "invalid_tool_calls"})
    return {**whole, "content": kept}


def is_of_no_type(block) -> bool:
    """What converters refuse; only the text in it is kept, as text."""
    return isinstance(block, dict) and not isinstance(block.get("type"), str)


def is_blank(block) -> bool:
    if isinstance(block, str):
        return not block.strip()
    return block.get("type") == "text" and not str(block.get("text") or "").strip()


def made_by_its_provider(message: AIMessage, state: Messages) -> bool:
    originals = [one for one in state if isinstance(one, AIMessage)]
    return any(
        without_thoughts(message) == without_thoughts(one)
        and thoughts(message) in ([], thoughts(one))
        for one in originals
    )


def ai_messages_stay_as_made(view: Messages, state: Messages) -> bool:
    if not state:
        return True
    last_user = max(
        (i for i, message in enumerate(view) if isinstance(message, HumanMessage)), default=0
    )
    return all(
        made_by_its_provider(message, state)
        and (index < last_user or thoughts_kept(message, state))
        for index, message in enumerate(view)
        if isinstance(message, AIMessage)
    )


def thoughts_kept(message: AIMessage, state: Messages) -> bool:
    """Whether a message of the open turn has all its thinking."""
    return any(
        without_thoughts(message) == without_thoughts(one) and thoughts(message) == thoughts(one)
        for one in state
        if isinstance(one, AIMessage)
    )


def every_block_has_a_type(view: Messages, _state: Messages) -> bool:
    return not any(is_of_no_type(block) for message in view for block in blocks(message))


def nothing_is_removed_here(view: Messages, _state: Messages) -> bool:
    return not any(isinstance(message, RemoveMessage) for message in view)


RULES: dict[str, Callable[[Messages, Messages], bool]] = {
    "1 one system message, first": one_system_message_first,
    "2, 3 calls followed at once by their results": calls_meet_their_results,
    "4 a user speaks first": a_user_speaks_first,
    "5 there is a conversation": there_is_a_conversation,
    "6 a user or tool speaks last": a_user_or_tool_speaks_last,
    "7 no text is blank": no_text_is_blank,
    "8, 9, 10 AI messages stay as made": ai_messages_stay_as_made,
    "11 nothing is removed here": nothing_is_removed_here,
    "every block has a type": every_block_has_a_type,
}


def broken_rules(view: Messages, state: Messages = ()) -> list[str]:
    """The rules that this list breaks; with the state it was made from, those about changes."""
    return [name for name, holds in RULES.items() if not holds(view, state)]
