"""Secrets are refused, and whatever fails costs no turn."""

import logging

import pytest
from extraction import KEY, U1, Model, Scripted, fact, graph, held, run_of, say
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.types import Command, interrupt

from langgraph_agentmem import AgentMemory
from langgraph_agentmem.model import Candidate, Source
from langgraph_agentmem.nodes.rules import RuleExtractor

# Secrets --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "extractor",
    [
        RuleExtractor(),
        Scripted({"ops.db": f"production DB password is hunter2-Zq9!, key {KEY}"}),
        Scripted({"ops.db_password": "hunter2-Zq9!", "ops": {"keys": [{"api": KEY}]}}),
        Scripted({KEY: "a key"}),
        Model(answers=[[fact("ops.db", f"hunter2-Zq9! and {KEY}", "password is hunter2-Zq9!")]]),
    ],
    ids=["rules", "sentence", "parts", "topic", "model"],
)
def test_secrets_reach_neither_the_store_nor_events_nor_logs(memory, caplog, extractor):
    caplog.set_level(logging.DEBUG)
    said = f"Remember: the production DB password is hunter2-Zq9! and the API key is {KEY}."

    events = say(graph(memory, extractor), said)

    assert held(memory) == {}
    assert "hunter2" not in str(events) + caplog.text
    assert KEY not in str(events) + caplog.text
    refused = [event["refusals"] for event in events if event["agentmem"] == "refused"]
    if not isinstance(extractor, RuleExtractor):
        assert all(refusal["reason"].startswith("holds ") for refusal in refused[0])


def test_a_policy_of_ones_own_is_asked(memory):
    def no_tea(candidate):
        return "holds tea" if candidate.value == "tea" else None

    events = say(graph(memory, policy=no_tea), "I like tea and jazz.")

    assert held(memory) == {"likes.jazz": "jazz"}
    refused = {"topic": "likes.tea", "reason": "holds tea"}
    assert events[-1] == {"agentmem": "refused", "count": 1, "refusals": [refused]}


# Failures -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (RuntimeError("429: I live in Oslo"), "RuntimeError"),
        ("I live in Oslo", "TypeError"),
        (None, "TypeError"),
        ([{"topic": "home_city", "value": "Oslo"}], "TypeError"),
        ([Candidate(topic=None, value="Oslo", source=Source())], "TypeError"),
    ],
)
def test_an_extractor_that_fails_costs_nothing_and_is_asked_again(memory, caplog, answer, error):
    extractor = Scripted(answer, {"home_city": "Oslo"})
    chat = graph(memory, extractor, then=lambda _: {"messages": [AIMessage("Hello!")]})

    first = say(chat, "I live in Oslo.")
    state = chat.get_state(run_of()).values
    second = say(chat, "Thanks.")

    assert first == [{"agentmem": "extract_failed", "error": error}]
    assert (state["messages"][-1].text, state.get("extracted_through")) == ("Hello!", None)
    assert extractor.asked == [["I live in Oslo."], ["I live in Oslo.", "Thanks."]]
    assert second == [{"agentmem": "kept", "count": 1, "topics": ["home_city"]}]
    assert "Oslo" not in caplog.text


class Filtered(RuleExtractor):
    """Reads by rule, and raises when it is shown a word, as a provider's filter does."""

    def __init__(self, word="", *, down=False):
        super().__init__()
        self.word, self.down, self.calls = word, down, 0

    def extract(self, said, **options):
        self.calls += 1
        if self.down or any(self.word in message.text for message in said):
            raise PermissionError
        return super().extract(said, **options)


SAID = ["I live in Oslo.", "filtered", "I like tea.", "I have a cat called Tom.", "So?", "Thanks."]


def test_one_message_that_always_fails_does_not_keep_a_thread_from_learning(memory):
    extractor = Filtered("filtered")
    chat = graph(memory, extractor)

    events = [say(chat, text) for text in SAID]

    assert held(memory) == {"home_city": "Oslo", "likes.tea": "tea", "family.cat.name": "Tom"}
    assert {"agentmem": "passed_over", "count": 1} in events[4]
    assert "extract_failed" in {event["agentmem"] for event in events[3]}
    assert events[5] == []


def test_failing_messages_among_many_are_passed_over_and_the_others_are_learnt_from(memory):
    chat = graph(memory, Filtered("bad"))
    many = [HumanMessage("bad" if n % 5 == 0 else f"I like m{n}.", id=f"m{n}") for n in range(24)]

    stream = chat.stream({"messages": many}, run_of(), stream_mode="custom")

    assert {"agentmem": "passed_over", "count": 5} in list(stream)
    assert held(memory) == {f"likes.m{n}": f"m{n}" for n in range(24) if n % 5}


def test_while_an_extractor_is_down_nothing_is_passed_over(memory):
    extractor = Filtered("", down=True)
    chat = graph(memory, extractor)
    for text in SAID:
        assert [{"agentmem": "extract_failed", "error": "PermissionError"}] == say(chat, text)
    assert 3 + 3 * 2 == extractor.calls
    extractor.down, extractor.word = False, "filtered"

    say(chat, "Hello again")

    assert held(memory) == {"home_city": "Oslo", "likes.tea": "tea", "family.cat.name": "Tom"}


def test_an_embedder_that_fails_costs_nothing_and_is_asked_again(path, clock):
    answers = [RuntimeError("down"), None]

    def embed(texts):
        if error := answers[0]:
            raise error
        return [[1.0, 0.0] for _ in texts]

    with AgentMemory.open(path, embed=embed, clock=clock) as memory:
        chat = graph(memory)
        first = say(chat, "I live in Oslo and I like tea.")
        nothing = held(memory)
        answers.pop(0)
        say(chat, "Thanks.")

        topics = ["home_city", "likes.tea"]
        failed = {"agentmem": "extract_failed", "error": "EmbeddingFailed", "topics": topics}
        assert (first, nothing) == ([failed], {})
        assert held(memory) == {"home_city": "Oslo", "likes.tea": "tea"}


def test_one_candidate_that_no_store_can_hold_does_not_cost_the_others(memory):
    source = Source()
    answer = [
        Candidate(topic="...", value="x", source=source),
        Candidate(topic="bad", value="\ud800", source=source),
        Candidate(topic="worse", value={"n": float("nan")}, source=source),
        Candidate(topic="blank", value="  ", source=source),
        Candidate(topic="odd", value="x", source=source, kind="rumour"),
        Candidate(topic="good", value="x", source=source),
    ]

    events = say(graph(memory, Scripted(answer)), HumanMessage("x", id="m1"))

    assert held(memory) == {"good": "x"}
    assert memory.store.why(U1, "good").message_ids == ("m1",)
    assert events[0] == {"agentmem": "dropped", "count": 5}


def test_an_extractor_may_interrupt(memory):
    class Asks(Scripted):
        def extract(self, said, **options):
            return super().extract(said, **options) if interrupt("may I?") else []

    chat = graph(memory, Asks({"home_city": "Oslo"}))

    say(chat, "I live in Oslo.")
    before = held(memory)
    chat.invoke(Command(resume=True), run_of())

    assert (before, held(memory)) == ({}, {"home_city": "Oslo"})
