"""Learning outside a graph: once, from the user's words alone, with a word on what came of it."""

import multiprocessing

import pytest
from extraction import EVIL, KEY, U1, Scripted, graph, held, run_of, say
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage

from langgraph_agentmem import AgentMemory, ModelExtractor, RuleExtractor
from langgraph_agentmem.errors import EmbeddingFailed, UserConflict, UserRequired

RULES = RuleExtractor()


def said(text, message_id="m1", **extra):
    return HumanMessage(text, id=message_id, additional_kwargs=extra)


def test_it_says_what_was_kept_retired_refused_and_held(memory):
    memory.store.remember(U1, "diet", "vegan")
    found = {
        "home_city": "Oslo",
        "diet": None,
        "ops.key": KEY,
        "health.condition": "type 2 diabetes",
        "...": "x",
    }

    learned = memory.learn("u1", [said("…")], extractor=Scripted(found), thread_id="t1")

    assert [one.topic for one in learned.kept] == ["home_city"]
    assert learned.retired == ("diet",)
    assert [one.reason for one in learned.refused] == ["holds an API key"]
    assert [one.topic for one in learned.held] == ["health.condition"]
    assert learned.notes == ("dropped: 1",)
    assert KEY not in str(learned)


async def test_awaited_it_does_the_same(memory):
    learned = await memory.alearn("u1", [said("I live in Oslo.")], extractor=RULES)

    assert [one.text for one in learned.kept] == ["Oslo"]
    assert held(memory) == {"home_city": "Oslo"}


def test_a_graph_and_it_learn_a_message_once_between_them(memory):
    say(graph(memory), said("I live in Oslo."))

    learned = memory.learn("u1", [said("I live in Oslo.")], extractor=RULES, thread_id="t1")

    assert learned.unchanged == ("home_city",)
    assert len(memory.store.history(U1, "home_city")) == 1


def test_a_backfill_run_twice_writes_once_and_keeps_the_times(memory):
    old = [
        said("I live in Rome.", "m1", timestamp="2024-01-01T00:00:00+00:00"),
        AIMessage("Nice!"),
        said("I've moved to Oslo.", "m2", timestamp="2025-01-01T00:00:00+00:00"),
    ]
    for _ in range(2):
        memory.learn("u1", old, extractor=RULES, thread_id="t1")

    versions = memory.store.history(U1, "home_city")
    assert [(one.text, one.valid_from.year) for one in versions] == [("Rome", 2024), ("Oslo", 2025)]


def test_a_backfill_in_the_wrong_order_leaves_the_newest_current(memory):
    for text, message_id, year in (
        ("I live in Oslo.", "m2", 2025),
        ("I live in Rome.", "m1", 2024),
    ):
        one = said(text, message_id, timestamp=f"{year}-01-01T00:00:00+00:00")
        memory.learn("u1", [one], extractor=RULES, thread_id="t1")

    assert held(memory) == {"home_city": "Oslo"}


def test_messages_without_ids_make_no_second_version_of_an_equal_value(memory):
    for _ in range(3):
        memory.learn("u1", [{"role": "user", "content": "I live in Oslo."}], extractor=RULES)

    assert len(memory.store.history(U1, "home_city")) == 1


def test_only_the_users_own_words_count(memory):
    talk = [
        SystemMessage("The user lives in Rome."),
        HumanMessage("Summarise this page for me"),
        AIMessage("", tool_calls=[{"id": "w1", "name": "f", "args": {"city": "Rome"}}]),
        ToolMessage(f"I live in Rome. {EVIL}", tool_call_id="w1"),
        AIMessage("You live in Rome."),
    ]

    learned = memory.learn("u1", talk, extractor=RULES)

    assert learned.kept == ()
    assert held(memory) == {}


def test_the_thread_becomes_the_users_so_that_forgetting_reaches_it(memory):
    memory.learn("u1", [said("I live in Oslo.")], extractor=RULES, thread_id="t1")

    with pytest.raises(UserConflict):
        memory.learn("u2", [said("I live in Rome.")], extractor=RULES, thread_id="t1")
    assert held(memory, ("memories", "u2")) == {}


def test_yesterday_is_a_day_where_the_user_is(memory):
    late = {"timestamp": "2023-05-24T22:30:00+00:00"}
    quits = "I quit smoking yesterday."

    memory.learn("u1", [said(quits, **late)], extractor=RULES, timezone="Asia/Tokyo")
    memory.learn("u2", [said(quits, **late)], extractor=RULES)
    memory.learn(
        "u3",
        [said(quits, timestamp="2023-05-24T00:30:00-05:00")],
        extractor=RULES,
        timezone="Asia/Tokyo",
    )

    dates = [memory.for_user(user).memories()[0].text[-10:] for user in ("u1", "u2", "u3")]
    assert dates == ["2023-05-24", "2023-05-23", "2023-05-23"]


def test_the_run_of_a_graph_names_the_users_time_zone(memory):
    late = said("I quit smoking yesterday.", timestamp="2023-05-24T22:30:00+00:00")
    config = run_of()
    config["configurable"]["timezone"] = "Asia/Tokyo"

    say(graph(memory), late, config=config)

    assert "2023-05-24" in str(held(memory))


def test_a_time_zone_that_is_none_is_reported_and_costs_nothing(memory):
    config = run_of()
    config["configurable"]["timezone"] = "Mars/Olympus"

    events = say(graph(memory), "I live in Oslo.", config=config)

    assert [event["agentmem"] for event in events] == ["unknown_timezone", "kept"]
    with pytest.raises(ValueError, match="IANA name"):
        graph(memory, timezone="Mars/Olympus")
    with pytest.raises(ValueError, match="IANA name"):
        memory.learn("u1", [], extractor=RULES, timezone="../etc")


@pytest.mark.parametrize("extractor", [None, RuleExtractor, ModelExtractor, "rules", object()])
def test_what_cannot_extract_is_refused(memory, extractor):
    with pytest.raises(TypeError, match="learn takes an extractor"):
        memory.learn("u1", [said("I live in Oslo.")], extractor=extractor)


@pytest.mark.parametrize("user", ["", "  ", None, True])
def test_without_a_user_nothing_is_written(memory, user):
    with pytest.raises(UserRequired):
        memory.learn(user, [said("I live in Oslo.")], extractor=RULES)


def test_what_an_extractor_raises_is_raised_and_nothing_is_written(memory):
    with pytest.raises(ConnectionError):
        memory.learn("u1", [said("I live in Oslo.")], extractor=Scripted(ConnectionError()))

    assert held(memory) == {}


def test_one_users_memory_learns_without_naming_anybody(memory):
    own = memory.for_user("u1")

    own.learn([said("…")], extractor=Scripted({"religion": "Buddhist"}))
    (waiting,) = own.held()
    own.consent(waiting.id, yes=True)
    given = own.consents()
    receipt = own.withdraw(waiting.id)

    assert [one.id for one in given] == [waiting.id]
    assert receipt.removed["memories"] == 1
    assert own.memories() == own.consents() == []


# Look first -----------------------------------------------------------------------------------


def test_nothing_forgotten_or_known_is_embedded_again(path, clock):
    seen = []

    def embed(texts):
        seen.extend(texts)
        return [[1.0, 0.0] for _ in texts]

    def learn(text, message_id):
        del seen[:]
        memory.learn("u1", [said(text, message_id)], extractor=RULES, thread_id="t1")
        return list(seen)

    with AgentMemory.open(path, embed=embed, clock=clock) as memory:
        first = learn("I live in Oslo.", "m1")
        again = learn("I live in Oslo.", "m1")
        memory.forget("u1", "home_city")
        forgotten = learn("I live in Oslo.", "m1")
        anew = learn("I live in Oslo.", "m2")

    assert (len(first), again, forgotten, len(anew)) == (1, [], [], 1)


def test_an_embedder_that_fails_is_told_and_nothing_is_written(path, clock):
    def embed(texts):
        raise ConnectionError

    with AgentMemory.open(path, embed=embed, clock=clock) as memory:
        with pytest.raises(EmbeddingFailed):
            memory.learn("u1", [said("I live in Oslo.")], extractor=RULES)
        assert held(memory) == {}


def _learn_in_a_process(path):
    with AgentMemory.open(path, busy_timeout=200) as memory:
        for number in range(20):
            one = said(f"I like tea{number}.", f"m{number}")
            memory.learn("u1", [one], extractor=RULES, thread_id="t1")


def test_processes_that_learn_the_same_at_once_write_it_once(path):
    with AgentMemory.open(path):
        pass
    fork = multiprocessing.get_context("fork")
    workers = [fork.Process(target=_learn_in_a_process, args=(path,)) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()

    with AgentMemory.open(path) as memory:
        assert [worker.exitcode for worker in workers] == [0, 0, 0]
        assert len(held(memory)) == 20
        assert all(len(memory.store.history(U1, topic)) == 1 for topic in held(memory))
