"""What the official converters of three providers make of our lists: they run offline, and each
provider's own rules hold for what they would send.
"""

import warnings
from itertools import pairwise

import pytest
from histories import good_histories, histories
from hypothesis import given
from hypothesis import strategies as st
from langchain_anthropic import ChatAnthropic
from langchain_core.messages import (
    AIMessage,
    ChatMessage,
    FunctionMessage,
    HumanMessage,
    ToolMessage,
)
from langchain_core.runnables import RunnableLambda
from langchain_google_genai import ChatGoogleGenerativeAI
from langchain_openai import ChatOpenAI
from recalls import recalled

from langgraph_agentmem import build_context, summarize_old_turns, trim
from langgraph_agentmem.errors import BudgetTooSmall

# Made once: a provider's client costs more than all that is converted here.
CHAT = ChatOpenAI(model="gpt-4o", api_key="none")
RESPONSES = ChatOpenAI(model="gpt-5", api_key="none", use_responses_api=True)
CLAUDE = ChatAnthropic(model="claude-sonnet-4-5", api_key="none")
GEMINI = ChatGoogleGenerativeAI(model="gemini-2.5-flash", api_key="none")


def openai_chat(messages):
    """Broken rules of Chat Completions."""
    sent = CHAT._get_request_payload(messages)["messages"]
    broken, waiting = [], set()
    for one in sent:
        if one["role"] == "tool":
            broken += [] if one["tool_call_id"] in waiting else ["a result without its call"]
            waiting.discard(one["tool_call_id"])
            continue
        broken += ["a call without its result"] if waiting else []
        waiting = {call["id"] for call in one.get("tool_calls") or ()}
        broken += [] if one.get("content") or waiting else ["blank"]
    return broken + (["a call without its result"] if waiting else [])


def openai_responses(messages):
    """Broken rules of the Responses API."""
    sent = RESPONSES._get_request_payload(messages)["input"]
    called = [one["call_id"] for one in sent if one.get("type") == "function_call"]
    answered = [one["call_id"] for one in sent if one.get("type") == "function_call_output"]
    broken = [] if set(called) == set(answered) else ["calls and results are not pairs"]
    answers = (one for one in messages if isinstance(one, AIMessage))
    if not all(one.text.strip() or one.tool_calls for one in answers):
        return broken  # the converter leaves out an answer that is a picture alone
    for before, after in pairwise([*sent, {}]):
        follows = (
            after.get("type") in {"reasoning", "function_call"} or after.get("role") == "assistant"
        )
        if before.get("type") == "reasoning" and not follows:
            broken.append("reasoning without what follows it")
    return broken


def anthropic(messages):
    """Broken rules of the Messages API."""
    sent = CLAUDE._get_request_payload(messages)["messages"]
    broken = [] if sent and sent[0]["role"] == "user" else ["no user speaks first"]
    broken += [] if sent and sent[-1]["role"] == "user" else ["no user speaks last"]
    waiting = set()
    for one in sent:
        content = one["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        kinds = [block["type"] for block in blocks]
        results = {block["tool_use_id"] for block in blocks if block["type"] == "tool_result"}
        broken += [] if results == waiting else ["calls and results are not pairs"]
        broken += (
            [] if kinds[: len(results)] == ["tool_result"] * len(results) else ["late results"]
        )
        waiting = {block["id"] for block in blocks if block["type"] == "tool_use"}
        texts = [block["text"] for block in blocks if block["type"] == "text"]
        broken += [] if blocks and all(text.strip() for text in texts) else ["blank text"]
    return broken + (["a call without its result"] if waiting else [])


def gemini(messages):
    """Broken rules of the Gemini API."""
    sent = GEMINI._prepare_request(messages)["contents"]
    broken = [] if sent and sent[0].role == "user" else ["no user speaks first"]
    broken += [] if sent and sent[-1].role == "user" else ["no user speaks last"]
    calls = 0
    for one in sent:
        answers = [part for part in one.parts if part.function_response]
        broken += [] if len(answers) == calls else ["calls and results are not pairs"]
        # The converter puts the image of a result beside it.
        others = [part for part in one.parts if not part.function_response and not part.inline_data]
        broken += ["text among results"] if answers and others else []
        calls = len([part for part in one.parts if part.function_call])
    return broken + (["a call without its result"] if calls else [])


PROVIDERS = [openai_chat, openai_responses, anthropic, gemini]


@pytest.fixture(autouse=True)
def _converters_may_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


NODES = {
    remove: summarize_old_turns(
        RunnableLambda(lambda _: AIMessage("S")),
        trigger=("messages", 3),
        keep=("messages", 1),
        remove=remove,
    )
    for remove in (True, False)
}


def as_sent(messages, way, budget):
    if way == "trim":
        return trim(messages, budget=budget)
    state = {"messages": messages, "memories": recalled({"diet": "vegan"}, {"home": "Pune"})}
    if way != "build_context":
        update = NODES[way == "summary, removed"].invoke(state)
        removed = {one.id for one in update.pop("messages", ())}
        state |= update
        state["messages"] = [one for one in messages if one.id not in removed or one.id is None]
    return build_context(state, system="Be kind.", budget=budget)


WAYS = st.sampled_from(["trim", "build_context", "summary", "summary, removed"])


@pytest.mark.parametrize("provider", PROVIDERS)
@given(
    messages=st.one_of(histories(odd=False), good_histories()),
    way=WAYS,
    budget=st.integers(60, 500),
)
def test_each_providers_converter_takes_what_we_hand_on(provider, messages, way, budget):
    try:
        view = as_sent(messages, way, budget)
    except BudgetTooSmall:
        return

    assert [] == provider(view)


@pytest.mark.parametrize("provider", [openai_chat, openai_responses, anthropic])
@given(messages=histories())
def test_blocks_that_nobody_knows_do_not_stop_a_converter(provider, messages):
    provider(trim(messages, budget=100_000))


@pytest.mark.parametrize("provider", PROVIDERS)
def test_messages_that_name_their_role_in_a_text_reach_every_provider(provider):
    messages = [
        ChatMessage("Be brief.", role="developer"),
        ChatMessage("Where do I live?", role="user"),
        ChatMessage("In Pune.", role="assistant"),
        ChatMessage("No, in Oslo.", role="guest of the house"),
        FunctionMessage("sunny", name="weather"),
    ]

    view = trim(messages)

    assert [] == provider(view)
    assert ["Be brief.", "Where do I live?", "In Pune.", "No, in Oslo."] == [
        message.text for message in view
    ]


@pytest.mark.parametrize("provider", PROVIDERS)
def test_these_checks_see_what_is_broken(provider):
    call = AIMessage("", tool_calls=[{"id": "c", "name": "find", "args": {}}])
    good = [HumanMessage("q"), call, ToolMessage("r", tool_call_id="c")]

    assert [] == provider(good)
    assert provider([HumanMessage("q"), call, HumanMessage("hurry")]) != []
