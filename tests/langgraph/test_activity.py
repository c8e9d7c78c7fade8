"""What `Activity` keeps of real runs, what it masks, and that it is forgotten with the user."""

import asyncio
import sqlite3
from datetime import UTC, datetime

import pytest
from agents import Scripted, call, run_of, said, tool_graph
from langchain.agents import create_agent
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.types import Command

from langgraph_agentmem import (
    Activity,
    AgentMemMiddleware,
    AgentMemory,
    RuleExtractor,
    create_memory_tools,
)
from langgraph_agentmem.errors import UserRequired

PHONE = "+47 400 00 001"


class Timer:
    """Half a second more at every look."""

    now = 0.0

    def __call__(self):
        self.now += 0.5
        return self.now


@pytest.fixture
def activity(memory):
    return Activity(memory, timer=Timer(), cost=lambda name, spent, made: spent * 2 + made * 10)


@tool
def look(city: str, note: object = None) -> str:
    """Look at a city."""
    if city == "Atlantis":
        raise LookupError(city)
    return f"{city} is fine"


def measured(text):
    usage = {"input_tokens": 100, "output_tokens": 5, "total_tokens": 105}
    return AIMessage(text, usage_metadata=usage)


class Measured(Scripted):
    """Tells its tokens and its name."""

    model_name: str = "scripted-1"

    def _get_ls_params(self, stop=None, **options):
        return {"ls_model_name": self.model_name}

    def _answer(self, messages):
        answer = super()._answer(messages)
        usage = {"input_tokens": 100, "output_tokens": 5, "total_tokens": 105}
        return answer.model_copy(update={"usage_metadata": usage})


def run(memory, activity, *answers, user="u1", thread="t1", model=Measured, tools=(look,)):
    graph = create_agent(
        model(answers=[*answers]),
        list(tools),
        store=memory.store,
        checkpointer=memory.checkpointer,
    )
    return graph.invoke(said(), {**run_of(thread, user), "callbacks": [activity]})


def test_a_summary_counts_calls_tokens_and_cost(memory, activity):
    run(memory, activity, [call("look", "1", city="Oslo"), call("look", "2", city="Rome")], "Done.")
    found = activity.summary("u1")

    assert [("look", 2, 0)] == [(one.name, one.calls, one.failures) for one in found.tools]
    assert [("scripted-1", 2, 200, 10, 500.0)] == [
        (one.name, one.calls, one.input_tokens, one.output_tokens, one.cost) for one in found.models
    ]
    assert (210, 500.0, 1) == (found.tokens, found.cost, found.threads)


def test_a_call_tells_its_arguments_its_time_and_where_it_was(memory, activity, clock):
    run(memory, activity, [call("look", city="Oslo")])
    asked, looked, _ = reversed(activity.calls("u1"))

    assert ("model", "model", None) == (asked.kind, asked.node, asked.arguments)
    assert ("tool", "look", "tools") == (looked.kind, looked.name, looked.node)
    assert {"city": "Oslo"} == looked.arguments
    assert (0.5, "t1", True) == (looked.duration, looked.thread_id, looked.succeeded)
    assert clock().date() == looked.at.date()


def test_a_tool_that_raises_and_one_that_is_called_wrongly_have_failed(memory, activity):
    with pytest.raises(LookupError):
        run(memory, activity, [call("look", city="Atlantis")])
    run(memory, activity, [call("recall", query=7)], thread="t2", tools=create_memory_tools())
    found = {one.name: one for one in activity.calls("u1") if one.kind == "tool"}

    assert "LookupError" == found["look"].error
    assert "error answer" == found["recall"].error
    assert [1, 1] == [one.failures for one in activity.summary("u1").tools]


def test_a_model_that_raises_has_failed(memory, activity):
    with pytest.raises(ConnectionError):
        run(memory, activity, ConnectionError("SECRET WORDS"))
    (found,) = activity.calls("u1")

    assert ("model", "ConnectionError", None) == (found.kind, found.error, found.input_tokens)


def test_a_model_that_tells_no_tokens_is_counted_as_unmeasured(memory, activity):
    run(memory, activity, "Hi.", model=Scripted)
    (found,) = activity.summary("u1").models

    assert (1, 1, 0, None) == (found.calls, found.unmeasured, found.input_tokens, found.cost)


def test_secrets_in_arguments_are_masked_and_results_are_never_kept(memory, activity, path):
    secret = {"password": "hunter2!x", "deep": [{"card": "4111 1111 1111 1111"}], "ok": "fine"}
    run(memory, activity, [call("look", city="Oslo", note=secret)])
    looked = next(one for one in activity.calls("u1") if one.kind == "tool")
    rows = sqlite3.connect(path)
    kept = str(rows.execute("SELECT * FROM activity").fetchall())
    rows.close()

    masked = {"password": "[withheld]", "deep": [{"card": "[withheld]"}], "ok": "fine"}
    assert {"city": "Oslo", "note": masked} == looked.arguments
    assert not any(word in kept for word in ("hunter2", "4111", "Oslo is fine"))


def test_long_and_strange_arguments_stay_small(memory, activity):
    deep = {"a": {}}
    for _ in range(30):
        deep = {"a": deep}
    strange = {"text": "x" * 1_000_000, "nul": "a\0b", "deep": deep, "many": [*range(10_000)]}
    run(memory, activity, [call("look", city="Oslo", note=strange)])
    looked = next(one for one in activity.calls("u1") if one.kind == "tool")

    assert "[1000000 characters]" == looked.arguments["note"]["text"]
    assert "a\0b" == looked.arguments["note"]["nul"]
    assert len(str(looked.arguments)) < 10_000


def test_an_interrupt_is_no_failure_and_the_call_is_kept_once_it_is_carried_out(memory, activity):
    memory.for_user("u1").remember("phone", PHONE)
    graph = tool_graph(memory, [call("forget", topic="phone")])
    config = {**run_of(), "callbacks": [activity]}
    graph.invoke(said(), config)
    before = [one for one in activity.calls("u1") if one.kind == "tool"]
    graph.invoke(Command(resume=True), config)
    (after,) = [one for one in activity.calls("u1") if one.kind == "tool"]

    assert [] == before
    assert after.succeeded


def test_since_and_thread_narrow_what_is_summed(memory, activity, clock):
    run(memory, activity, [call("look", city="Oslo")])
    clock.advance(days=1)
    moment = clock()
    run(memory, activity, [call("look", city="Rome")], thread="t2")

    assert [2, 1, 1] == [
        found.tools[0].calls
        for found in (
            activity.summary("u1"),
            activity.summary("u1", moment),
            activity.summary("u1", thread_id="t1"),
        )
    ]
    assert () == activity.summary("u1", clock()).tools
    assert 2 == activity.summary("u1").threads


def test_each_user_has_their_own(memory, activity):
    run(memory, activity, [call("look", city="Oslo")], user="u1", thread="a")
    run(memory, activity, "Hi.", user="u10", thread="b")

    assert () == activity.summary("u10").tools
    assert 1 == activity.summary("u10").models[0].calls
    assert () == activity.summary("nobody").models


def test_the_user_may_come_in_the_context(memory, activity):
    graph = create_agent(Measured(answers=["Hi."]), [], store=memory.store)
    graph.invoke(said(), {"callbacks": [activity]}, context={"user_id": "u7"})

    assert 1 == activity.summary("u7").models[0].calls


def test_a_model_that_is_called_outside_any_graph_is_counted_too(memory, activity):
    config = {"metadata": {"user_id": "u7", "thread_id": "t1"}, "callbacks": [activity]}
    Measured(answers=["Hi."]).invoke("Hello", config)
    look.invoke({"city": "Oslo"}, config)

    assert [("tool", "t1"), ("model", "t1")] == [
        (one.kind, one.thread_id) for one in activity.calls("u7")
    ]


def test_calls_of_nobody_are_not_kept_and_a_warning_says_so_once(path, caplog):
    with AgentMemory.open(path, require_user=False) as memory:
        activity = Activity(memory)
        graph = create_agent(Measured(answers=["Hi."]), [], checkpointer=memory.checkpointer)
        for thread in ("a", "b"):
            config = {"configurable": {"thread_id": thread}, "callbacks": [activity]}
            graph.invoke(said(), config)
        rows = sqlite3.connect(path)
        count = rows.execute("SELECT COUNT(*) FROM activity").fetchone()
        rows.close()

    assert (0,) == count
    assert 1 == caplog.text.count("activity of runs without a user is not kept")


def test_a_cost_function_that_fails_loses_no_call(memory, caplog):
    def cost(*_):
        raise KeyError

    activity = Activity(memory, cost=cost)
    run(memory, activity, "Hi.")

    assert None is activity.summary("u1").cost
    assert 105 == activity.summary("u1").tokens
    assert "the cost function failed (KeyError)" in caplog.text


def test_calls_inside_nodes_and_middleware_are_counted_too(memory, activity):
    class Asks:
        def extract(self, said, **options):
            return RuleExtractor().extract(said, **options)

        async def aextract(self, said, **options):
            raise AssertionError

    model = Measured(answers=["Hi.", "Ho.", "SUMMARY"])
    graph = create_agent(
        model,
        [],
        middleware=[
            AgentMemMiddleware(
                Asks(), summarizer=model, trigger=("messages", 3), keep=("messages", 2)
            )
        ],
        store=memory.store,
        checkpointer=memory.checkpointer,
    )
    for _ in range(2):
        graph.invoke(said(), {**run_of(), "callbacks": [activity]})

    assert {"model", "AgentMemMiddleware.after_agent"} == {one.node for one in activity.calls("u1")}


async def test_awaited_runs_are_kept_too(memory, activity):
    async def one(number):
        graph = create_agent(
            Measured(answers=[[call("look", city="Oslo")]]), [look], store=memory.store
        )
        config = {**run_of(f"t{number}", "u1"), "callbacks": [activity]}
        await graph.ainvoke(said(), config)

    await asyncio.gather(*map(one, range(20)))
    found = await activity.asummary("u1")

    assert (20, 40, 20) == (found.tools[0].calls, found.models[0].calls, found.threads)
    assert 60 == len(await activity.acalls("u1"))


# Forgetting ------------------------------------------------------------------------------------


def test_forgetting_a_user_forgets_what_they_did(memory, activity):
    run(memory, activity, [call("look", city="Oslo")], user="u1", thread="a")
    run(memory, activity, "Hi.", user="u2", thread="b")
    counted = memory.forget("u1", dry_run=True).removed["activity"]
    receipt = memory.forget("u1")

    assert (3, 3) == (counted, receipt.removed["activity"])
    assert [] == activity.calls("u1")
    assert 1 == len(activity.calls("u2"))


def test_forgetting_a_topic_takes_its_value_out_of_arguments(memory, activity, path):
    tools = create_memory_tools()
    keep = [call("remember", "1", topic="phone", content=PHONE)]
    run(memory, activity, keep, "Noted.", tools=tools)
    run(memory, activity, [call("recall", "2", query=f"is it {PHONE}?")], tools=tools)
    receipt = memory.forget("u1", "phone")
    arguments = [one.arguments for one in activity.calls("u1") if one.kind == "tool"]
    left = b"".join(file.read_bytes() for file in path.parent.iterdir())

    assert 2 == receipt.removed["activity"]
    assert [{"query": "is it [forgotten]?"}, {"topic": "phone", "content": "[forgotten]"}] == [
        {key: one[key] for key in one if key in {"query", "topic", "content"}} for one in arguments
    ]
    assert PHONE.encode() not in left


# Wrong use -------------------------------------------------------------------------------------


@pytest.mark.parametrize("user", ["", "  ", None, True, 1.5])
def test_a_summary_needs_a_user(activity, user):
    with pytest.raises(UserRequired):
        activity.summary(user)


def test_a_moment_needs_a_timezone(activity):
    with pytest.raises(ValueError, match="timezone"):
        activity.summary("u1", datetime(2026, 1, 1))  # noqa: DTZ001 - what is refused
    assert () == activity.summary("u1", datetime(2026, 1, 1, tzinfo=UTC)).tools


@pytest.mark.parametrize("limit", [0, -1, True, "many"])
def test_a_limit_is_a_whole_number(activity, limit):
    with pytest.raises(ValueError, match="limit"):
        activity.calls("u1", limit=limit)


def test_a_closed_memory_fails_no_run(path, clock):
    with AgentMemory.open(path, clock=clock) as memory:
        activity = Activity(memory)
    builder = StateGraph(MessagesState).add_node("tools", ToolNode([look]))
    graph = builder.add_edge(START, "tools").compile()
    asked = AIMessage("", tool_calls=[call("look", city="Oslo")])
    config = {**run_of(), "callbacks": [activity]}
    state = graph.invoke({"messages": [asked]}, config)

    assert "Oslo is fine" == state["messages"][-1].text


def test_what_is_old_is_removed_when_it_is_asked_for(memory, activity, clock):
    run(memory, activity, [call("look", city="Oslo")])
    clock.advance(days=90)
    moment = clock()
    run(memory, activity, "Hi.", thread="t2")

    assert 3 == activity.prune(moment)
    assert 1 == len(activity.calls("u1"))
    assert 0 == activity.prune(moment)


async def test_what_is_old_is_removed_awaited(memory, activity, clock):
    run(memory, activity, "Hi.")

    assert 1 == await activity.aprune(clock())
    with pytest.raises(ValueError, match="timezone"):
        await activity.aprune(datetime(2026, 1, 1))  # noqa: DTZ001 - what is refused
