"""The travel assistant's graph, through every way to run it."""

from __future__ import annotations

import pytest
from langchain_core.messages import AIMessageChunk
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.memory import InMemoryStore

from example_graphs.travel_assistant.graph import (
    ALWAYS_NEEDED,
    WINDOW,
    asked_to_forget,
    erase_what_was_asked,
    make_graph,
    make_graph_without_memory,
)
from example_graphs.travel_assistant.stand_in import StandInModel
from example_graphs.travel_assistant.turn import take_turn, thread
from langgraph_agentmem.errors import StoreRequired, UserConflict, UserRequired

ASHA = {"user_id": "asha"}
CONFIG = thread("monday")
TOLD = (
    "Hi! My name is Asha.",
    "I'm allergic to peanuts.",
    "I live in Berlin.",
    "My hotel budget is €120 per night.",
    "My phone number is +49 170 5550001.",
)
DINNER = "A seafood dinner tonight, please."
REASON = "Not Satay am Kanal, because of “allergy.peanuts: peanuts (since 2026-03-02)”."


@pytest.fixture
def graph(memory):
    return make_graph(memory, StandInModel())


def said(text):
    return {"messages": [{"role": "user", "content": text}]}


def reply(state):
    return state["messages"][-1].text


def say(graph, *texts, config=CONFIG, user_id="asha"):
    for text in texts:
        turn = take_turn(graph, text, config, user_id)
    return turn


def through_invoke(graph, text, config):
    return reply(graph.invoke(said(text), config, context=ASHA))


def through_stream(graph, text, config):
    *_, last = graph.stream(said(text), config, context=ASHA, stream_mode="values")
    return reply(last)


async def through_ainvoke(graph, text, config):
    return reply(await graph.ainvoke(said(text), config, context=ASHA))


async def through_astream(graph, text, config):
    async for last in graph.astream(said(text), config, context=ASHA, stream_mode="values"):
        state = last
    return reply(state)


@pytest.mark.parametrize("way", [through_invoke, through_stream])
def test_what_was_told_in_one_thread_is_respected_in_another(graph, way):
    for text in TOLD:
        way(graph, text, thread("monday"))
    found = way(graph, DINNER, thread("friday"))

    assert found.startswith("In Berlin, where you live:\n• Spree & Salz")
    assert found.endswith(REASON)


@pytest.mark.parametrize("way", [through_ainvoke, through_astream])
async def test_what_was_told_in_one_thread_is_respected_in_another_async(graph, way):
    for text in TOLD:
        await way(graph, text, thread("monday"))
    found = await way(graph, DINNER, thread("friday"))

    assert found.startswith("In Berlin, where you live:\n• Spree & Salz")
    assert found.endswith(REASON)


def test_sync_and_async_callers_share_one_graph_and_one_thread(graph):
    import asyncio  # noqa: PLC0415 - this test alone runs a loop of its own

    through_invoke(graph, TOLD[0], CONFIG)
    asyncio.run(through_ainvoke(graph, TOLD[1], CONFIG))
    found = through_invoke(graph, "What am I allergic to?", CONFIG)

    assert "You are allergic to peanuts (since 2026-03-02)." == found
    assert 6 == len(graph.get_state(CONFIG).values["messages"])


def test_the_same_words_by_another_user_are_their_own(graph):
    say(graph, *TOLD)
    found = say(graph, "What is my name?", config=thread("other"), user_id="asha2")

    assert "I don't know that." == found.reply


def test_the_user_may_come_in_configurable_too(graph):
    config = {"configurable": {"thread_id": "c", "user_id": "asha"}}
    graph.invoke(said(TOLD[0]), config)

    assert "Hello Asha!" == say(graph, "Hello!", config=thread("d")).reply


def test_what_every_answer_needs_is_pinned_and_stays_so_when_it_changes(graph, memory):
    say(graph, *TOLD, "I've moved to Lisbon.")
    mine = memory.for_user("asha")

    assert {"name", "allergy.peanuts", *ALWAYS_NEEDED} == {
        one.topic for one in mine.memories() if one.pinned
    }
    assert ["Berlin", "Lisbon"] == [version.text for version in mine.history("home_city")]


def test_what_the_user_unpins_stays_unpinned(graph, memory):
    say(graph, *TOLD)
    memory.for_user("asha").unpin("home_city")
    say(graph, "I've moved to Lisbon.")

    assert not memory.for_user("asha").look("home_city").pinned


def test_notes_say_what_memory_did(graph):
    first = say(graph, TOLD[2])
    second = say(graph, TOLD[4])
    third = say(graph, "What's my phone number?")
    fourth = say(graph, "I've moved to Oslo.")

    assert ("kept home_city",) == first.notes
    assert ("1 pinned", "kept phone") == second.notes
    assert ("1 pinned", "recalled phone") == third.notes
    assert ("1 pinned", "replaced home_city") == fourth.notes


def test_a_secret_is_refused_and_the_note_does_not_repeat_it(graph, memory):
    notes = say(graph, "My phone number is 4111 1111 1111 1111.").notes

    assert ("not kept in memory: holds a payment card number",) == notes
    assert [] == memory.for_user("asha").memories()


def test_a_secret_that_no_extractor_proposes_is_said_not_to_be_kept(graph, memory):
    notes = say(graph, "My password is hunter2").notes
    both = say(graph, "My name is Asha. My password is hunter2").notes

    assert ("not kept in memory: holds a password",) == notes
    assert ("kept name",) == both
    assert ["Asha"] == [one.text for one in memory.for_user("asha").memories()]


def test_a_question_that_matches_nothing_is_said_to_have_got_the_newest(graph):
    say(graph, *TOLD)

    assert ("4 pinned", "no match, newest: phone") == say(graph, "How far is the moon?").notes
    assert ("4 pinned", "recalled phone") == say(graph, "What is my phone number?").notes


def test_a_long_conversation_is_summarized_and_no_word_of_that_reaches_the_chat(graph):
    heard = []
    for number in range(14):
        turn = take_turn(
            graph, f"I read chapter {number} of Emma.", CONFIG, "asha", hear=heard.append
        )
    summary = graph.get_state(CONFIG).values["summary"]

    assert any(note.startswith("summarized") for note in turn.notes) or summary
    assert "User: I read chapter 0 of Emma." in summary["text"]
    assert "I see." * 14 == "".join(heard)


def test_tokens_are_heard_as_they_come(graph):
    say(graph, *TOLD)
    heard = []
    take_turn(graph, DINNER, CONFIG, "asha", hear=heard.append)
    words = [word for word in heard if word]

    assert REASON in "".join(words)
    assert len("".join(words).split()) == len(words)


def test_recalled_memories_are_in_no_checkpoint(graph):
    say(graph, *TOLD, DINNER)

    assert [] == [
        key
        for state in graph.get_state_history(CONFIG)
        for key in state.values
        if key == "memories"
    ]


# Forgetting --------------------------------------------------------------------------------


def test_a_deletion_is_requested_in_the_run_and_carried_out_after_it(graph, memory, path):
    say(graph, *TOLD)
    turn = say(graph, "Please delete my phone number.", config=thread("friday"))
    before = path.read_bytes() + path.with_name(path.name + "-wal").read_bytes()
    asked = asked_to_forget(graph, thread("friday"))
    receipts = erase_what_was_asked(graph, memory, thread("friday"), "asha")
    after = path.read_bytes() + path.with_name(path.name + "-wal").read_bytes()

    assert "Will be erased after this answer: phone." == turn.reply
    assert ["phone"] == asked
    assert b"+49 170 5550001" in before
    assert b"170 5550001" not in after
    assert ["phone"] == list(receipts)
    assert receipts["phone"].complete
    assert 1 == receipts["phone"].removed["memories"]
    assert [] == memory.for_user("asha").history("phone")
    assert "I don't know that." == say(graph, "What's my phone number?").reply


def test_a_request_is_carried_out_once(graph, memory):
    say(graph, *TOLD, "Please delete my phone number.")
    first = erase_what_was_asked(graph, memory, CONFIG, "asha")
    second = erase_what_was_asked(graph, memory, CONFIG, "asha")

    assert ["phone"] == list(first)
    assert {} == second


def test_a_request_that_a_crash_cut_off_is_still_there_for_the_next_program(graph, memory):
    say(graph, *TOLD, "Please delete my phone number.")
    another = make_graph(memory, StandInModel())

    assert ["phone"] == list(erase_what_was_asked(another, memory, CONFIG, "asha"))


def test_what_was_deleted_may_be_said_again_and_is_heard(graph, memory):
    say(graph, *TOLD, "Please delete my phone number.")
    erase_what_was_asked(graph, memory, CONFIG, "asha")
    say(graph, "My phone number is +49 170 5550009.")

    assert "+49 170 5550009" == memory.for_user("asha").look("phone").text


@pytest.mark.parametrize(
    ("request_", "asked", "answer"),
    [
        ("Forget my name!", ["name"], "Will be erased after this answer: name."),
        ("Erase my home city.", ["home_city"], "Will be erased after this answer: home_city."),
        ("Please forget about my allergy.", [], "Several are meant, ask which one: allergy.kiwi, "),
        ("Delete my peanut allergy.", ["allergy.peanuts"], "Will be erased after this answer: "),
        ("Forget my sister's name.", ["family.sister.name"], "Will be erased after this answer: "),
        ("Delete my shoe size.", [], "Nothing is kept under that. Kept are: allergy.kiwi, "),
        ("Forget all about Berlin.", [], "Nothing is kept under that. Kept are: allergy.kiwi, "),
        ("Delete my allergies.", [], "Several are meant, ask which one: allergy.kiwi, "),
        ("Forget everything you know about my phone.", ["phone"], "Will be erased after this"),
        ("Delete everything you know about me", [], "Nothing is erased yet. "),
        ("Forget all the data that you have about me!", [], "Nothing is erased yet. "),
        ("Erase what you know about me.", [], "Nothing is erased yet. "),
        ("Delete all of my memories for good.", [], "Nothing is erased yet. "),
        ("Wipe everything I've told you, please.", [], "Nothing is erased yet. "),
        ("I forget everything all the time.", [], "I see."),
        ("Don’t forget everything.", [], "I see."),  # noqa: RUF001 - as phones type it
        ("Did you forget my name?", [], "I don't know that."),
        ("I forget my phone number all the time.", [], "I see."),
        ("Don't forget my allergy.", [], "I see."),
    ],
)
def test_only_what_is_clearly_meant_is_erased(graph, request_, asked, answer):
    say(graph, *TOLD, "I'm allergic to kiwi.", "My sister is called Mira.")
    turn = say(graph, request_)

    assert turn.reply.startswith(answer)
    assert asked == asked_to_forget(graph, CONFIG)


def test_requests_of_several_turns_add_up(graph, memory):
    say(graph, *TOLD, "Delete my phone number.", "Delete my name.", "Delete my phone number.")

    assert ["phone", "name"] == asked_to_forget(graph, CONFIG)
    assert ["phone", "name"] == list(erase_what_was_asked(graph, memory, CONFIG, "asha"))


# What a wrong call gets ----------------------------------------------------------------------


@pytest.mark.parametrize("context", [None, {}, {"user_id": ""}, {"user_id": "  "}])
def test_without_a_user_nothing_is_read_or_written(graph, memory, context):
    with pytest.raises(UserRequired):
        graph.invoke(said(TOLD[0]), CONFIG, context=context)

    assert [] == memory.store.search(())


def test_another_users_thread_is_refused(graph):
    say(graph, TOLD[0])

    with pytest.raises(UserConflict):
        say(graph, "What is my name?", user_id="ben")


def test_a_store_that_is_not_ours_is_named(memory):
    graph = make_graph(memory, StandInModel()).builder.compile(store=InMemoryStore())

    with pytest.raises(StoreRequired, match="InMemoryStore"):
        graph.invoke(said(TOLD[0]), context=ASHA)


# Without memory ------------------------------------------------------------------------------


def test_without_memory_the_window_is_all_there_is():
    graph = make_graph_without_memory(StandInModel(), InMemorySaver())

    def ask(text):
        return take_turn(graph, text, CONFIG).reply

    ask("My name is Asha.")
    soon = ask("What is my name?")
    for _ in range(WINDOW // 2):
        ask("It has rained all day.")

    assert "Your name is Asha." == soon
    assert "I don't know that." == ask("What is my name?")


def test_the_stream_of_messages_carries_the_assistants_words_alone(graph):
    say(graph, *TOLD)
    spoken = {
        where["langgraph_node"]
        for chunk, where in graph.stream(said(DINNER), CONFIG, context=ASHA, stream_mode="messages")
        if isinstance(chunk, AIMessageChunk)
    }

    assert {"assistant"} == spoken
