"""A chat model proposes; what the user's words do not bear out is dropped."""

import pytest
from extraction import NOT_SAID_BY_THE_USER, U1, Model, fact, graph, held, run_of, say
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, HumanMessage

from langgraph_agentmem.nodes.extract import ModelExtractor, extract_facts
from langgraph_agentmem.nodes.rules import RuleExtractor

CLAIMED_WITHOUT_GROUND = [
    ("the assistant's words", fact("likes.hiking", "hiking", "You love hiking")),
    ("the assistant's words", fact("home_city", "Graz", "Sounds ok, thanks.")),
    ("a supposition", fact("home_city", "Paris", "If I moved to Paris")),
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


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("I could not find any facts.", []),
        ([{"topic": "a"}], [{"agentmem": "extract_failed", "error": "UnreadableFacts"}]),
        ("", []),
    ],
)
def test_a_models_broken_answer_costs_nothing_but_a_report(memory, answer, expected):
    events = say(graph(memory, Model(answers=[answer])), "I live in Oslo.")

    assert events == expected
    assert held(memory) == {}


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


def test_a_model_without_structured_output_is_refused_when_the_node_is_made():
    class Bare(Model):
        bind_tools = BaseChatModel.bind_tools

    with pytest.raises(NotImplementedError, match="Bare has no structured output"):
        extract_facts(Bare(answers=[]))


@pytest.mark.parametrize("given", [RuleExtractor, ModelExtractor, object(), "a model", None])
def test_what_cannot_extract_is_refused_when_the_node_is_made(given):
    with pytest.raises(TypeError, match="takes an extractor or a chat model"):
        extract_facts(given)
