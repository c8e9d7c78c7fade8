"""What is sensitive waits for the user's word: asked once, answered by id, and never recalled."""

import json
import sqlite3
from contextlib import closing

import pytest
from extraction import U1, Scripted, graph, held, run_of, say
from langchain_core.messages import HumanMessage
from langgraph.graph import START, StateGraph
from langgraph.types import Command

from langgraph_agentmem import AgentMemory, CarefulPolicy, ask_consent
from langgraph_agentmem.errors import NotHeld
from langgraph_agentmem.nodes.extract import extract_facts
from langgraph_agentmem.nodes.state import MemoryState

ILL = {"health.condition": "type 2 diabetes"}
FAITH = {"religion": "Buddhist"}
NOT_KEPT = "is of a kind that is not kept here: diagnosis"


def asking(memory, extractor, **options):
    builder = StateGraph(MemoryState)
    builder.add_node("extract_facts", extract_facts(extractor, **options))
    builder.add_node("ask_consent", ask_consent())
    builder.add_edge(START, "extract_facts")
    builder.add_edge("extract_facts", "ask_consent")
    return builder.compile(store=memory.store, checkpointer=memory.checkpointer)


def question(compiled, config=None):
    (asked,) = compiled.get_state(config or run_of()).interrupts
    return asked.value


def answer(compiled, given, config=None):
    stream = compiled.stream(Command(resume=given), config or run_of(), stream_mode="custom")
    return list(stream)


def dump(path):
    with closing(sqlite3.connect(path)) as opened:
        return "\n".join(opened.iterdump())


def said_again(memory):
    said = [HumanMessage("…", id="m1")]
    return memory.learn("u1", said, extractor=Scripted(ILL), thread_id="t1")


# Held -----------------------------------------------------------------------------------------


def test_what_is_sensitive_is_held_and_nothing_of_it_is_recalled(memory):
    events = say(graph(memory, Scripted(ILL | {"seat": "aisle"})), "I have type 2 diabetes.")

    (waiting,) = memory.held("u1")
    assert (waiting.topic, waiting.text, waiting.categories) == (
        "health.condition",
        "type 2 diabetes",
        ("diagnosis",),
    )
    assert held(memory) == {"seat": "aisle"}
    found = memory.store.recall(U1, "diabetes health condition", floor=0.0)
    assert "diabetes" not in str(found.memories) + str(memory.store.search(U1, query="diabetes"))
    assert memory.store.history(U1, "health.condition") == []
    told = {"id": waiting.id, "topic": "health.condition", "categories": ["diagnosis"]}
    assert events[-1] == {"agentmem": "held", "count": 1, "held": [told]}
    assert "diabetes" not in json.dumps(events)


def test_the_same_message_again_holds_once(memory):
    chat = graph(memory, Scripted(ILL, ILL, {"health.condition": "diabetes, type 2"}))

    for _ in range(3):
        say(chat, HumanMessage("I have type 2 diabetes.", id="m1"))
        chat.update_state(run_of(), {"extracted_through": None})

    assert [one.text for one in memory.held("u1")] == ["type 2 diabetes"]


def test_nobody_is_asked_twice_about_what_they_say_again(memory):
    chat = graph(memory, Scripted(ILL, ILL, ILL))

    say(chat, "I have type 2 diabetes.")
    first = memory.held("u1")
    say(chat, "As I said, type 2 diabetes.")
    again = memory.held("u1")
    memory.consent("u1", first[0].id, yes=True)
    say(chat, "Type 2 diabetes!")

    assert again == first
    assert memory.held("u1") == []
    assert held(memory) == ILL


def test_a_newer_value_takes_the_place_of_the_one_that_waits(memory):
    chat = graph(memory, Scripted(ILL, {"health.condition": "type 1 diabetes"}))

    say(chat, "I have type 2 diabetes.")
    say(chat, "Sorry, type 1.")

    assert [one.text for one in memory.held("u1")] == ["type 1 diabetes"]


def test_an_ending_drops_what_waits(memory):
    chat = graph(
        memory, Scripted({"medication.metformin": "metformin"}, {"medication.metformin": None})
    )

    say(chat, "I take metformin.")
    events = say(chat, "I no longer take metformin.")

    assert memory.held("u1") == []
    assert events == [{"agentmem": "retired", "count": 1, "topics": ["medication.metformin"]}]


def test_nothing_that_waits_reaches_an_embedder_before_consent(path, clock):
    seen = []

    def embed(texts):
        seen.extend(texts)
        return [[1.0, 0.0] for _ in texts]

    with AgentMemory.open(path, embed=embed, clock=clock) as memory:
        say(graph(memory, Scripted(ILL)), "I have type 2 diabetes.")
        before = list(seen)
        memory.consent("u1", memory.held("u1")[0].id, yes=True)

    assert before == []
    assert any("diabetes" in text for text in seen)


@pytest.mark.parametrize(
    ("consent", "kept", "waiting", "reason"),
    [
        ("ask", {}, 2, None),
        ("granted", ILL | FAITH, 0, None),
        ("refuse", {}, 0, NOT_KEPT),
        ({"diagnosis": "granted"}, ILL, 1, None),
        (
            {"diagnosis": "refuse", "religion": "granted"},
            FAITH,
            0,
            "is of a kind that is not kept here: diagnosis",
        ),
    ],
)
def test_consent_is_set_by_category(memory, consent, kept, waiting, reason):
    chat = graph(memory, Scripted(ILL | FAITH), policy=CarefulPolicy(consent=consent))

    events = say(chat, "I'm a Buddhist with type 2 diabetes.")

    assert held(memory) == kept
    assert len(memory.held("u1")) == waiting
    refusals = [one for event in events for one in event.get("refusals", ())]
    assert (refusals[0]["reason"] if refusals else None) == reason


@pytest.mark.parametrize("consent", ["yes", None, {"diagnosis": "maybe"}, {"star sign": "ask"}])
def test_a_policy_says_when_it_is_made_what_it_cannot_do(consent):
    with pytest.raises(ValueError, match=r"is one of"):
        CarefulPolicy(consent=consent)


# Asked ----------------------------------------------------------------------------------------


def test_one_interrupt_asks_about_everything_by_id_and_answers_are_matched_by_id(memory):
    chat = asking(memory, Scripted(ILL | FAITH | {"politics": "votes Labour"}))
    say(chat, "…")
    asked = question(chat)
    ids = {one["topic"]: one["id"] for one in asked["held"]}

    given = {ids["religion"]: True, ids["health.condition"]: False}
    events = answer(chat, given)

    assert asked["agentmem"] == "ask_consent"
    assert all(one.keys() == {"id", "topic", "categories"} for one in asked["held"])
    assert held(memory) == FAITH
    assert [one.topic for one in memory.held("u1")] == ["politics"]
    assert events == [
        {"agentmem": "consented", "count": 1, "topics": ["religion"]},
        {"agentmem": "declined", "count": 1, "topics": ["health.condition"]},
        {"agentmem": "waiting", "count": 1},
    ]


def test_no_value_is_written_into_a_checkpoint_by_asking(path, clock):
    with AgentMemory.open(path, clock=clock) as memory:
        chat = asking(memory, Scripted({"health.condition": "zorblitis disease"}))
        say(chat, "it has a strange name")
        answer(chat, {question(chat)["held"][0]["id"]: False})

    assert "zorblitis" not in dump(path)


@pytest.mark.parametrize("given", ["yes", True, ["x"], {"unknown": True}])
def test_what_is_no_answer_leaves_everything_waiting(memory, given):
    chat = asking(memory, Scripted(ILL))
    say(chat, "…")

    events = answer(chat, given)

    assert [one.topic for one in memory.held("u1")] == ["health.condition"]
    assert events[-1] == {"agentmem": "waiting", "count": 1}
    assert held(memory) == {}


def test_an_answer_that_is_neither_yes_nor_no_counts_as_none(memory):
    chat = asking(memory, Scripted(ILL))
    say(chat, "…")

    events = answer(chat, {question(chat)["held"][0]["id"]: "yes", "nothing": True})

    assert events == [{"agentmem": "unknown_ids", "count": 2}, {"agentmem": "waiting", "count": 1}]


def test_what_comes_between_the_question_and_the_answer_gets_no_answer_of_another(memory):
    chat = asking(memory, Scripted(ILL, FAITH))
    say(chat, "…")
    asked = question(chat)["held"][0]["id"]
    say(graph(memory, Scripted({"aaa.religion": "Quaker"})), "…", config=run_of("t2"))

    answer(chat, {asked: True})

    assert held(memory) == ILL
    assert [one.topic for one in memory.held("u1")] == ["aaa.religion"]


def test_who_gives_no_answer_is_not_asked_again_in_every_turn(memory):
    chat = asking(memory, Scripted(ILL, {}, FAITH, {}))
    say(chat, "…")
    later = answer(chat, {question(chat)["held"][0]["id"]: None})

    events = say(chat, "and the weather?")
    assert [{"agentmem": "waiting", "count": 1}] == later
    assert chat.get_state(run_of()).interrupts == ()
    assert {"agentmem": "waiting", "count": 1} in events

    say(chat, "something new that is sensitive")
    asked = question(chat)["held"]
    assert [one["topic"] for one in asked] == ["religion"]
    answer(chat, {asked[0]["id"]: True})
    say(chat, "thanks")

    assert chat.get_state(run_of()).interrupts == ()
    assert [one.topic for one in memory.held("u1")] == ["health.condition"]
    assert held(memory) == FAITH


@pytest.mark.parametrize("given", ["yes", 7, {"unknown": True}])
def test_who_was_misunderstood_is_asked_again(memory, given):
    chat = asking(memory, Scripted(ILL, {}))
    say(chat, "…")
    if given == {"unknown": True}:
        given = {question(chat)["held"][0]["id"]: "yes"}
    answer(chat, given)

    say(chat, "and?")

    assert [one["topic"] for one in question(chat)["held"]] == ["health.condition"]


def test_a_node_may_ask_again_in_every_run(memory):
    builder = StateGraph(MemoryState).add_node("ask_consent", ask_consent(again=True))
    builder.add_edge(START, "ask_consent")
    chat = builder.compile(store=memory.store, checkpointer=memory.checkpointer)
    said_again(memory)
    chat.invoke({"messages": [HumanMessage("…")]}, run_of("t2"))
    chat.invoke(Command(resume={"nothing": None}), run_of("t2"))

    chat.invoke({"messages": [HumanMessage("…")]}, run_of("t2"))

    assert [one["topic"] for one in question(chat, run_of("t2"))["held"]] == ["health.condition"]


def test_without_anything_that_waits_nobody_is_interrupted(memory):
    chat = asking(memory, Scripted({"seat": "aisle"}))

    say(chat, "aisle")

    assert chat.get_state(run_of()).interrupts == ()


async def test_async_asks_the_same(memory):
    chat = asking(memory, Scripted(ILL))
    await chat.ainvoke({"messages": [HumanMessage("…")]}, run_of())

    await chat.ainvoke(Command(resume={question(chat)["held"][0]["id"]: True}), run_of())

    assert held(memory) == ILL
    assert [one.topic for one in await memory.aconsents("u1")] == ["health.condition"]


# Answered outside -----------------------------------------------------------------------------


def test_a_yes_keeps_it_with_its_source_and_a_second_one_changes_nothing(memory):
    said = HumanMessage("…", id="m1", additional_kwargs={"timestamp": "2024-01-01T00:00:00+00:00"})
    say(graph(memory, Scripted(ILL)), said)
    held_id = memory.held("u1")[0].id

    first = memory.consent("u1", held_id, yes=True)
    second = memory.consent("u1", held_id, yes=True)

    assert [one.text for one in first.kept] == ["type 2 diabetes"]
    assert second.unchanged == ("health.condition",)
    assert memory.store.why(U1, "health.condition").message_ids == ("m1",)
    assert [one.text for one in memory.store.history(U1, "health.condition")] == ["type 2 diabetes"]


def test_what_is_consented_to_holds_since_it_was_said(memory):
    say(graph(memory, Scripted(ILL)), "…")
    (waiting,) = memory.held("u1")
    newer = graph(memory, Scripted({"health.condition": "none"}), policy=lambda _: None)
    say(newer, "I'm healed.", config=run_of("t2"))

    learned = memory.consent("u1", waiting.id, yes=True)

    assert learned.unchanged == ("health.condition",)
    assert held(memory) == {"health.condition": "none"}
    versions = memory.store.history(U1, "health.condition")
    assert [one.text for one in versions] == ["type 2 diabetes", "none"]
    assert versions[0].valid_from == waiting.held_at


def test_a_no_is_for_good_and_leaves_no_content(path, clock):
    with AgentMemory.open(path, clock=clock) as memory:
        builder = StateGraph(MemoryState)
        builder.add_node("extract_facts", extract_facts(Scripted(ILL, ILL)))
        builder.add_edge(START, "extract_facts")
        chat = builder.compile(store=memory.store)
        said = {"messages": [HumanMessage("…", id="m1")]}
        chat.invoke(said, run_of())
        held_id = memory.held("u1")[0].id

        memory.consent("u1", held_id, yes=False)
        again = memory.consent("u1", held_id, yes=False)
        events = list(chat.stream(said, run_of(), stream_mode="custom"))

        refused = {"topic": "health.condition", "reason": "has no consent of its user"}
        assert events == [{"agentmem": "refused", "count": 1, "refusals": [refused]}]
        assert again.refused == again.kept == ()
        assert memory.held("u1") == memory.consents("u1") == []
    assert "diabetes" not in dump(path)
    assert "health.condition" not in dump(path)


def test_another_user_neither_sees_nor_answers(memory):
    say(graph(memory, Scripted(ILL)), "…")
    held_id = memory.held("u1")[0].id

    for answered in (True, False):
        with pytest.raises(NotHeld):
            memory.consent("u2", held_id, yes=answered)
    with pytest.raises(NotHeld):
        memory.withdraw("u2", held_id)

    assert memory.held("u2") == memory.consents("u2") == []
    assert [one.id for one in memory.held("u1")] == [held_id]


@pytest.mark.parametrize("yes", ["yes", 1, None, 0])
def test_only_true_and_false_are_answers(memory, yes):
    say(graph(memory, Scripted(ILL)), "…")

    with pytest.raises(ValueError, match="True or False"):
        memory.consent("u1", memory.held("u1")[0].id, yes=yes)


def test_an_embedder_that_fails_leaves_it_waiting(path, clock):
    def embed(texts):
        raise ConnectionError

    with AgentMemory.open(path, embed=embed, clock=clock) as memory:
        chat = asking(memory, Scripted(ILL))
        say(chat, "…")
        events = answer(chat, {question(chat)["held"][0]["id"]: True})

        assert events[0] == {
            "agentmem": "consent_failed",
            "count": 1,
            "topics": ["health.condition"],
        }
        assert len(memory.held("u1")) == 1


# Withdrawn and forgotten ----------------------------------------------------------------------


def test_a_consent_taken_back_forgets_what_it_allowed(path, clock):
    with AgentMemory.open(path, clock=clock) as memory:
        chat = graph(memory, Scripted(ILL, ILL))
        say(chat, HumanMessage("I have type 2 diabetes.", id="m1"))
        held_id = memory.held("u1")[0].id
        memory.consent("u1", held_id, yes=True)

        with pytest.raises(NotHeld):
            memory.consent("u1", held_id, yes=False)
        receipt = memory.withdraw("u1", held_id)
        with pytest.raises(NotHeld):
            memory.withdraw("u1", held_id)
        again = said_again(memory)

        assert receipt.removed["memories"] == 1
        assert receipt.complete
        assert again.refused[0].reason == "comes from a message that was forgotten"
        assert held(memory) == {}
        assert memory.consents("u1") == []
    assert "diabetes" not in dump(path)


@pytest.mark.parametrize("topic", ["health.condition", None])
def test_forgetting_reaches_what_waits(path, clock, topic):
    with AgentMemory.open(path, clock=clock) as memory:
        chat = graph(memory, Scripted(ILL, ILL))
        said = HumanMessage("I have type 2 diabetes.", id="m1")
        say(chat, said)

        planned = memory.forget("u1", topic, dry_run=True)
        still = memory.held("u1")
        receipt = memory.forget("u1", topic)
        again = said_again(memory)

        assert planned.removed["held"] == receipt.removed["held"] == len(still) == 1
        assert memory.held("u1") == []
        assert again.refused[0].reason == "comes from a message that was forgotten"
        memory.forget("u1")
    assert "diabetes" not in dump(path)


def test_deleting_the_topic_in_the_store_drops_what_waits(memory):
    say(graph(memory, Scripted(ILL)), "…")

    memory.store.delete(U1, "health.condition")

    assert memory.held("u1") == []


def test_two_processes_that_answer_at_once_keep_it_once(path, clock):
    with AgentMemory.open(path, clock=clock) as one, AgentMemory.open(path, clock=clock) as other:
        say(graph(one, Scripted(ILL)), "…")
        held_id = one.held("u1")[0].id

        one.consent("u1", held_id, yes=True)
        learned = other.consent("u1", held_id, yes=True)

        assert learned.unchanged == ("health.condition",)
        assert [one.text for one in other.store.history(U1, "health.condition")] == [
            "type 2 diabetes"
        ]
