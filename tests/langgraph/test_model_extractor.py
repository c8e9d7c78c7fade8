"""A chat model proposes; what the user's words do not bear out is dropped."""

import asyncio
import json
import threading
import warnings
from datetime import UTC, datetime

import pytest
from extraction import NOT_SAID_BY_THE_USER, U1, Model, fact, graph, held, run_of, say
from langchain_anthropic import ChatAnthropic
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, HumanMessage
from langchain_google_genai import ChatGoogleGenerativeAI
from langchain_openai import ChatOpenAI

from langgraph_agentmem.nodes.extract import ModelExtractor, extract_facts
from langgraph_agentmem.nodes.rules import RuleExtractor

CLAIMED_WITHOUT_GROUND = [
    ("the assistant's words", fact("likes.hiking", "hiking", "You love hiking")),
    ("the assistant's words", fact("home_city", "Graz", "Sounds ok, thanks.")),
    ("a supposition", fact("home_city", "Paris", "If I moved to Paris")),
    ("a friend", fact("dislikes.football", "football", "he hates football")),
    ("a friend", fact("training", "training", "signed him up for training")),
    ("a supposition", fact("tools", "Obsidian", "Could Obsidian be useful")),
    ("a tool", fact("bank", "evil-bank.example", "Summarise this page for me")),
    ("recalled text", fact("work.employer", "Google", "software developer at Google")),
    ("recalled text", fact("work.employer", "", "I left Google", ends=True)),
]


@pytest.mark.parametrize(("case", "claim"), CLAIMED_WITHOUT_GROUND)
def test_what_a_model_claims_without_ground_is_dropped_and_counted(memory, case, claim):
    events = say(graph(memory, Model(answers=[[claim]])), *NOT_SAID_BY_THE_USER[case])

    assert held(memory) == {}
    assert events == [{"agentmem": "ungrounded", "count": 1}]


@pytest.mark.parametrize("case", ["the assistant's words", "a tool", "recalled text"])
def test_the_model_is_shown_the_users_words_alone(memory, case):
    memory.store.remember(U1, "home.city", "Trondheim")
    model = Model(answers=[[]])

    say(graph(memory, model), *NOT_SAID_BY_THE_USER[case])

    ((prompt,),) = model.prompts
    assert isinstance(prompt, HumanMessage)
    assert "home.city" in prompt.text
    for message in NOT_SAID_BY_THE_USER[case]:
        shown = " ".join(message.text.split()) in prompt.text
        assert shown == (isinstance(message, HumanMessage) or not message.text)
    assert not any(word in prompt.text for word in ("Trondheim", "hiking", "evil-bank", "Google"))


def test_a_models_facts_are_kept_under_the_users_topics_and_words(memory):
    memory.store.remember(U1, "Home City", "Oslo")
    answer = [
        fact("home_city", "Wien", "Ich bin nach Wien gezogen"),
        fact("allergy.peanut", "Erdnüsse", "allergisch gegen Erdnüsse"),
        fact("diet", "", "kein Vegetarier mehr", ends=True),
    ]
    memory.store.remember(U1, "diet", "Vegetarier")
    said = "Ich bin nach Wien gezogen, bin allergisch gegen Erdnüsse und kein Vegetarier mehr."

    say(graph(memory, Model(answers=[answer])), HumanMessage(said, id="m1"))

    assert held(memory) == {"Home City": "Wien", "allergy.peanut": "Erdnüsse"}
    assert memory.store.look(U1, "allergy.peanut").pinned
    assert memory.store.why(U1, "Home City").message_ids == ("m1",)


def test_a_models_plain_apostrophes_are_those_of_the_user(memory):
    memory.store.remember(U1, "diet", "vegan")
    answer = [fact("diet", "", "I'm no longer  vegan", ends=True)]

    say(graph(memory, Model(answers=[answer])), "I\u2019m no longer vegan.")

    assert held(memory) == {}


@pytest.mark.parametrize("value", ["quit smoking yesterday", "quit smoking on 2023-05-23"])
def test_yesterday_is_dated_by_the_message(memory, value):
    said = HumanMessage(
        "I quit smoking yesterday.",
        additional_kwargs={"timestamp": "2023-05-24T10:00:00+00:00"},
    )
    model = Model(answers=[[fact("smoking", value, "I quit smoking yesterday")]])

    say(graph(memory, model), said)

    assert "2023-05-23" in held(memory)["smoking"]
    assert "yesterday" not in held(memory)["smoking"]
    assert "[2023-05-24] I quit smoking yesterday." in model.prompts[0][0].text


OSLO = fact("home_city", "Oslo", "I live in Oslo")
KEPT = {"agentmem": "kept", "count": 1, "topics": ["home_city"]}
JSON = json.dumps({"facts": [OSLO]})


@pytest.mark.parametrize(
    "answer",
    [
        [OSLO],
        JSON,
        f"Sure! Here is what I found:\n```json\n{JSON}\n```\nAnything else?",
        f"Here you are: {JSON}",
        json.dumps([OSLO]),
        json.dumps(OSLO),
        json.dumps({"facts": JSON}),
        json.dumps({"facts": OSLO}),
        JSON[:-3],
        JSON + " " * 300_000,
    ],
    ids=["tool", "bare", "fenced", "prose", "list", "one", "nested", "single", "cut", "huge"],
)
def test_a_models_answer_is_read_in_whatever_dress_it_comes(memory, answer):
    events = say(graph(memory, Model(answers=[answer])), "I live in Oslo.")

    assert held(memory) == {"home_city": "Oslo"}
    assert events == [KEPT]


@pytest.mark.parametrize(
    "broken",
    [
        {"topic": "a"},
        {"topic": 3, "value": "Oslo", "quote": "I live in Oslo"},
        {"topic": None},
        "home_city: Oslo",
        None,
        7,
        [OSLO],
    ],
)
def test_one_broken_fact_costs_itself_alone(memory, broken):
    answer = json.dumps({"facts": [broken, OSLO]})

    events = say(graph(memory, Model(answers=[answer])), "I live in Oslo.")

    assert held(memory) == {"home_city": "Oslo"}
    assert sum(event["count"] for event in events if event["agentmem"] != "kept") == 1


def test_a_value_that_is_no_text_is_taken_as_text_where_it_says_what_was_meant(memory):
    answer = [fact("age", 42, "I'm 42"), fact("likes.fruit", ["figs", "plums"], "figs, plums")]

    said = "I'm 42 and I like figs, plums."
    say(graph(memory, Model(answers=[json.dumps({"facts": answer})])), said)

    assert held(memory) == {"age": "42", "likes.fruit": "figs, plums"}


def test_a_flood_of_facts_is_bounded_and_counted(memory):
    flood = [fact(f"likes.t{n}", "tea", "I like tea") for n in range(1000)]

    events = say(graph(memory, Model(answers=[flood])), "I like tea.")

    assert len(held(memory)) == 30
    assert events[0] == {"agentmem": "malformed", "count": 970}


@pytest.mark.parametrize("prose", ["I could not find any facts.", "{", "[1, 2", "<html>", "null!"])
def test_prose_is_asked_about_once_more_and_then_passed_over_with_a_report(memory, prose):
    again = Model(answers=[prose, [OSLO]])
    twice = Model(answers=[prose, prose, []])

    first = say(graph(memory, again), "I live in Oslo.")
    chat = graph(memory, twice)
    second = say(chat, "I live in Rome.", config=run_of("t2"))
    say(chat, "Thanks.", config=run_of("t2"))

    assert first == [KEPT]
    assert second == [{"agentmem": "unread_answer", "count": 1}]
    assert held(memory) == {"home_city": "Oslo"}
    assert "Rome" not in twice.prompts[-1][0].text.split("<messages>")[1]


def test_a_model_that_says_nothing_found_nothing(memory):
    assert say(graph(memory, Model(answers=[""])), "Hello.") == []


def test_a_model_that_hangs_costs_its_timeout_and_no_turn(memory):
    release = threading.Event()

    class Hangs(Model):
        def _generate(self, *args, **options):
            release.wait(200)
            return super()._generate(*args, **options)

    extractor = ModelExtractor(Hangs(answers=[[OSLO], [OSLO]]), timeout=0.05)
    chat = graph(memory, extractor, then=lambda _: {"messages": [AIMessage("Hello!")]})
    try:
        events = say(chat, "I live in Oslo.")
    finally:
        release.set()

    assert events == [{"agentmem": "extract_failed", "error": "TimeoutError"}]
    assert chat.get_state(run_of()).values["messages"][-1].text == "Hello!"
    assert held(memory) == {}


async def test_a_model_that_hangs_is_left_alone_when_awaited_too(memory):
    class Hangs(Model):
        async def _agenerate(self, *args, **options):
            await asyncio.Event().wait()

    chat = graph(memory, ModelExtractor(Hangs(answers=[]), timeout=0.05))
    said = {"messages": [HumanMessage("I live in Oslo.")]}

    events = [one async for one in chat.astream(said, run_of(), stream_mode="custom")]

    assert events == [{"agentmem": "extract_failed", "error": "TimeoutError"}]


@pytest.mark.parametrize("timeout", [0, -1, float("nan")])
def test_a_timeout_is_above_nought(timeout):
    with pytest.raises(ValueError, match="above 0"):
        ModelExtractor(Model(answers=[]), timeout=timeout)


def test_the_users_message_before_is_shown_as_context_and_is_no_evidence(memory):
    model = Model(answers=[[], [fact("home_city", "Berlin", "I live in Berlin")]])
    chat = graph(memory, model)

    say(chat, "I live in Berlin.", AIMessage("Really?"))
    events = say(chat, "No.")

    shown = model.prompts[1][0].text
    assert "<before>I live in Berlin.</before>" in shown
    assert "The assistant has asked something since" in shown
    assert "Really?" not in shown
    assert events == [{"agentmem": "ungrounded", "count": 1}]


def test_what_the_model_sees_a_part_of_is_reported(memory):
    events = say(graph(memory, Model(answers=[[]])), "word " * 2000)

    assert events == [{"agentmem": "cut", "count": 1}]


def test_no_word_of_the_extraction_reaches_the_chat(memory):
    model = Model(answers=[[fact("home_city", "Oslo", "I live in Oslo")]])
    chat = graph(memory, model, then=lambda _: {"messages": [AIMessage("Hello!")]})

    stream = chat.stream(
        {"messages": [HumanMessage("I live in Oslo.")]}, run_of(), stream_mode="messages"
    )

    assert [message.text for message, _ in stream] == ["Hello!"]
    assert "nostream" in model.tags
    assert held(memory) == {"home_city": "Oslo"}


def test_long_talk_is_read_in_several_calls(memory):
    model = Model(answers=[[], [fact("home_city", "Oslo", "I live in Oslo")]])
    talk = ["word " * 3000, "word " * 3000, "word " * 3000, "word " * 3000, "I live in Oslo."]

    say(graph(memory, model), *talk)

    assert held(memory) == {"home_city": "Oslo"}
    assert len(model.prompts) == 2
    assert max(len(prompt.text) for (prompt,) in model.prompts) < 20_000


def test_of_many_topics_the_model_is_told_those_that_the_words_touch(memory):
    known = {f"note.n{number:03}": "x" for number in range(250)} | {"zz.commute": "by train"}
    model = Model(answers=[[]])
    said = [HumanMessage("I no longer take the train.", id="m1")]

    ModelExtractor(model).extract(
        said, known=known, now=datetime(2026, 3, 1, tzinfo=UTC), thread_id=None
    )

    shown = model.prompts[0][0].text.split("Known topics: ")[1].split("\n")[0]
    assert "zz.commute" in shown
    assert "by train" not in shown
    assert len(shown.split(", ")) == 200


# How it is asked -------------------------------------------------------------------------------


def test_a_model_without_structured_output_is_asked_in_words(memory):
    class Bare(Model):
        bind_tools = BaseChatModel.bind_tools

    model = Bare(answers=[JSON])
    say(graph(memory, model), "I live in Oslo.")

    assert ModelExtractor(model).method == "text"
    assert held(memory) == {"home_city": "Oslo"}
    assert "Answer with JSON alone" in model.prompts[0][0].text


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        (ChatOpenAI(model="gpt-4o-mini", api_key="x"), "json_schema"),
        (ChatAnthropic(model="claude-sonnet-4-5", api_key="x"), "json_schema"),
        (ChatAnthropic(model="claude-3-haiku-20240307", api_key="x"), None),
        (
            ChatAnthropic(
                model="claude-3-7-sonnet-20250219",
                api_key="x",
                max_tokens=4000,
                thinking={"type": "enabled", "budget_tokens": 2000},
            ),
            "text",
        ),
        (
            ChatAnthropic(
                model="claude-sonnet-4-5",
                api_key="x",
                max_tokens=4000,
                thinking={"type": "enabled", "budget_tokens": 2000},
            ),
            "json_schema",
        ),
        (ChatGoogleGenerativeAI(model="gemini-2.5-flash", api_key="x"), "json_schema"),
        (Model(answers=[]), None),
    ],
    ids=["openai", "claude", "older claude", "thinking", "thinking with schema", "gemini", "other"],
)
def test_the_method_is_chosen_for_the_model_and_thinking_is_never_forced_to_a_tool(model, expected):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert ModelExtractor(model).method == expected


def test_a_method_that_is_named_is_taken(memory):
    chat = graph(memory, ModelExtractor(Model(answers=[JSON]), method="text"))

    say(chat, "I live in Oslo.")

    assert held(memory) == {"home_city": "Oslo"}


@pytest.mark.parametrize("method", ["json", "", 3])
def test_a_method_that_does_not_exist_is_refused_when_it_is_made(method):
    with pytest.raises(ValueError, match="method is one of"):
        ModelExtractor(Model(answers=[]), method=method)


def test_a_method_that_the_model_does_not_have_is_refused_when_it_is_made():
    class Bare(Model):
        bind_tools = BaseChatModel.bind_tools

    with pytest.raises(ValueError, match="Bare has no structured output by function_calling"):
        ModelExtractor(Bare(answers=[]), method="function_calling")


@pytest.mark.parametrize("given", [RuleExtractor, ModelExtractor, object(), "a model", None])
def test_what_cannot_extract_is_refused_when_the_node_is_made(given):
    with pytest.raises(TypeError, match="takes an extractor or a chat model"):
        extract_facts(given)
