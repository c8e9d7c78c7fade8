"""Random conversations: whatever a state may hold, and those that a good agent leaves behind."""

from hypothesis import strategies as st
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from message_rules import CALLS

from langgraph_agentmem.nodes.turns import as_messages

BLANK = st.sampled_from(["", " ", "\n\t"])
WORDS = st.sampled_from(["yes", "Pune", "what now?", "a longer answer with ten words in all of it"])
TEXT = st.one_of(WORDS, WORDS, WORDS, BLANK)
PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5E"
    "rkJggg=="
)
BLOCK = st.one_of(
    TEXT,
    TEXT.map(lambda text: {"type": "text", "text": text}),
    st.just({"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PIXEL}"}}),
    st.just({"type": "image", "base64": PIXEL, "mime_type": "image/png"}),
)
"""What users and tools send, as each provider's converter takes it."""
THOUGHT = st.sampled_from(
    [
        {"type": "thinking", "thinking": "hm", "signature": "signed"},
        {"type": "redacted_thinking", "data": "sealed"},
        {"type": "reasoning", "id": "rs_1", "summary": []},
    ]
)
ODD = st.sampled_from(
    [
        {"type": "unheard_of", "data": {"deep": [1, 2]}},
        {"type": ["no", "name"]},
        {"text": 7},
        {"type": "text"},
        {"type": "text", "text": None},
        {"type": "refusal", "refusal": "I can't."},
        {"type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": {}},
        {"type": "web_search_tool_result", "tool_use_id": "srv_1", "content": []},
        {"type": "document", "source": {"type": "text", "data": "pages"}},
    ]
)
"""Blocks of which this package knows nothing, or that are broken."""
CONTENT = st.one_of(TEXT, st.lists(st.one_of(BLOCK, BLOCK, ODD), min_size=1, max_size=3))
ANSWER = st.one_of(
    CONTENT,
    st.builds(lambda thought, rest: [thought, *rest], THOUGHT, st.lists(BLOCK, max_size=2)),
)
# Some models number their calls anew in each message.
CALL_IDS = st.lists(st.sampled_from(["a", "b", "c", "d"]), min_size=1, max_size=3, unique=True)


def call(one):
    return {"id": one, "name": "find", "args": {"city": "Pune"}}


def as_anthropic(said, ids):
    """Thinking, text, and each call a second time as a block."""
    thought = {"type": "thinking", "thinking": "hm", "signature": "signed"}
    blocks = [{"type": "tool_use", "id": one, "name": "find", "input": {}} for one in ids]
    return AIMessage(
        [thought, {"type": "text", "text": said}, *blocks],
        tool_calls=[call(one) for one in ids],
        response_metadata={"model_provider": "anthropic"},
    )


def as_responses(said, ids):
    """OpenAI's Responses API: a reasoning item and what must follow it."""
    return AIMessage(
        [
            {"type": "reasoning", "id": "rs_1", "summary": []},
            {"type": "text", "text": said, "id": "msg_1"},
            *(
                {
                    "type": "function_call",
                    "id": f"fc_{n}",
                    "call_id": one,
                    "name": "find",
                    "arguments": "{}",
                }
                for n, one in enumerate(ids)
            ),
        ],
        tool_calls=[call(one) for one in ids],
        response_metadata={"model_provider": "openai", "id": "resp_1"},
    )


def as_gemini(said, ids):
    """Thought signatures stand beside the content."""
    signatures = dict.fromkeys(ids, "c2lnbmVk")
    return AIMessage(
        said,
        tool_calls=[call(one) for one in ids],
        additional_kwargs={"__gemini_function_call_thought_signatures__": signatures},
        response_metadata={"model_provider": "google_genai"},
    )


def plain(said, ids):
    return AIMessage(said, tool_calls=[call(one) for one in ids])


SAID = st.sampled_from(["Let me look.", "One moment", "ok"])
CALLING = st.builds(
    lambda make, said, ids: make(said, ids),
    st.sampled_from([as_anthropic, as_responses, as_gemini, plain]),
    SAID,
    CALL_IDS,
)


@st.composite
def exchanges(draw):
    """Calls, parallel or interleaved, and results in any order, missing or twice, with the user
    perhaps talking in between.
    """
    made = [
        draw(
            st.one_of(
                CALLING,
                st.builds(
                    lambda said, ids: AIMessage(said, tool_calls=[call(one) for one in ids]),
                    ANSWER,
                    CALL_IDS,
                ),
            )
        )
        for _ in range(draw(st.integers(1, 2)))
    ]
    asked = [one["id"] for message in made for one in message.tool_calls]
    answered = draw(st.permutations([*asked, *draw(st.lists(st.sampled_from(asked), max_size=1))]))
    kept = draw(st.sampled_from([len(answered), len(answered), len(answered) - 1, 0]))
    results = [ToolMessage(draw(CONTENT), tool_call_id=one) for one in answered[:kept]]
    if draw(st.sampled_from([False, False, True])):
        results.insert(draw(st.integers(0, len(results))), HumanMessage(draw(CONTENT)))
    return [*made, *results]


@st.composite
def loops(draw):
    """One call after the other, each for what the last one returned."""
    loop = []
    for _ in range(draw(st.integers(1, 3))):
        asked = draw(CALLING)
        loop.append(asked)
        loop += [ToolMessage(draw(CONTENT), tool_call_id=one["id"]) for one in asked.tool_calls]
    return loop


BROKEN_CALL = {"type": "invalid_tool_call", "id": "b", "name": "find", "args": "{", "error": "no"}

PIECE = st.one_of(
    CONTENT.map(lambda content: [HumanMessage(content)]),
    CONTENT.map(lambda content: [HumanMessage(content)]),
    ANSWER.map(lambda content: [AIMessage(content)]),
    exchanges(),
    loops(),
    st.just([AIMessage("", invalid_tool_calls=[BROKEN_CALL])]),
    st.just([AIMessage("", tool_calls=[{"id": None, "name": "find", "args": {}}])]),
    WORDS.map(lambda text: [SystemMessage(text)]),
    st.sampled_from(["a", "z"]).map(lambda one: [ToolMessage("late", tool_call_id=one)]),
    TEXT.map(lambda text: [{"role": "user", "content": text}]),
)


def is_odd(message):
    plain = {"text", "image", "image_url", "thinking", "redacted_thinking", "reasoning", *CALLS}
    return any(
        isinstance(block, dict) and str(block.get("type")) not in plain for block in message.content
    )


@st.composite
def histories(draw, *, odd=True):
    """A conversation of any shape; most messages have an id, some have none. `odd=False` leaves
    out what only some providers have.
    """
    pieces = draw(st.lists(PIECE, max_size=8))
    messages = as_messages([message for piece in pieces for message in piece])
    if not odd:
        messages = [message for message in messages if not is_odd(message)]
    named = draw(st.sampled_from([True, True, False]))
    for index, message in enumerate(messages):
        message.id = str(index) if named or index % 3 else None
    return messages


@st.composite
def settled_turns(draw):
    """One turn as a good agent leaves it: a question, calls with their results, an answer."""
    say = st.sampled_from(["Where is it?", "and tomorrow?", "ok, thanks"])
    turn = [
        HumanMessage(draw(st.one_of(say, say.map(lambda one: [{"type": "text", "text": one}]))))
    ]
    for _ in range(draw(st.integers(0, 2))):
        asked = draw(CALLING)
        turn.append(asked)
        calls = draw(st.permutations(asked.tool_calls))
        turn += [ToolMessage(draw(SAID), tool_call_id=one["id"]) for one in calls]
    return [*turn, AIMessage(draw(SAID))]


@st.composite
def good_histories(draw):
    """What providers accept as it is: settled turns and an open one, perhaps within its calls."""
    turns = draw(st.lists(settled_turns(), max_size=5))
    *loop, _ = draw(settled_turns())
    messages = [message for turn in [*turns, loop] for message in turn]
    if draw(st.booleans()):
        messages.insert(0, SystemMessage("Be brief."))
    for index, message in enumerate(messages):
        message.id = str(index)
    return messages
