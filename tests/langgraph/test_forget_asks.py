"""Which answer belongs to which question, when one message of a model calls several tools."""

import asyncio
from threading import Event

import pytest
from agents import Scripted, call, held, results, run_of, said, tool_graph
from langchain.agents import create_agent
from langchain_core.tools import tool
from langgraph.types import Command, interrupt

from langgraph_agentmem import create_memory_tools
from langgraph_agentmem.tools import ForgetTool

PATIENCE = 20.0
BOTH = [call("forget", "a", topic="phone"), call("forget", "b", topic="email")]


@pytest.fixture(autouse=True)
def known(memory):
    memory.for_user("u1").remember("phone", "+47 400 00 001")
    memory.for_user("u1").remember("email", "u1@example.com")


class Turning(ForgetTool):
    """Lets one call of a message take its answer after another one has asked."""

    last: str = "a"

    def work(self, turn, arguments):
        if turn.call_id == self.last:
            assert HEARD.wait(PATIENCE)
        try:
            return (yield from super().work(turn, arguments))
        finally:
            if turn.call_id != self.last:
                HEARD.set()


HEARD = Event()


def asked(state):
    return [one.value["id"] for one in state.get("__interrupt__", ())]


@pytest.mark.parametrize("last", ["a", "b"])
@pytest.mark.parametrize("answers", [{"a": True, "b": False}, {"a": True, "b": True}])
def test_a_tool_node_asks_once_about_each_topic_whichever_call_is_first(memory, last, answers):
    graph = tool_graph(memory, BOTH, tools=[Turning(last=last)])
    HEARD.clear()
    state = graph.invoke(said(), run_of())
    questions = []
    while (one := asked(state)) and len(questions) < 4:
        questions += one
        HEARD.clear()
        state = graph.invoke(Command(resume={key: answers[key] for key in one}), run_of())

    assert ["a", "b"] == questions
    assert ({} if answers["b"] else {"email": "u1@example.com"}) == held(memory)


def test_answers_to_all_questions_at_once_are_kept_for_those_that_are_asked_later(memory):
    graph = tool_graph(memory, BOTH, tools=[Turning(last="a")])
    HEARD.clear()
    graph.invoke(said(), run_of())
    HEARD.clear()
    state = graph.invoke(Command(resume={"a": True, "b": True}), run_of())

    assert [] == asked(state)
    assert {} == held(memory)


@pytest.mark.parametrize("first", ["tool", "forget"])
def test_a_yes_to_another_tool_erases_nothing(memory, first):
    @tool
    def book(hotel: str) -> str:
        """Book a hotel."""
        if first == "forget":
            assert HEARD.wait(PATIENCE)
        try:
            return f"Booked: {interrupt(f'Book {hotel}?')}"
        finally:
            HEARD.set()

    calls = [call("book", "b", hotel="Sol"), call("forget", "a", topic="phone")]
    forget = Turning(last="a" if first == "tool" else "b")
    graph = tool_graph(memory, calls, tools=[book, forget])
    HEARD.clear()
    state = graph.invoke(said(), run_of())
    for _ in range(4):
        if "__interrupt__" in state:
            HEARD.clear()
            state = graph.invoke(Command(resume=True), run_of())

    assert {"phone", "email"} == set(held(memory))
    booked, answer = results(state)
    assert "Booked: True" == booked
    assert answer.startswith("Not forgotten: other calls of this message may ask too")
    assert answer.endswith("Call forget again, alone.")


def test_beside_tools_that_never_ask_a_bare_yes_will_do(memory):
    calls = [call("recall", "r", query="email"), call("forget", "a", topic="phone")]
    graph = tool_graph(memory, calls)
    graph.invoke(said(), run_of())
    state = graph.invoke(Command(resume=True), run_of())

    assert results(state)[1].startswith("Forgotten: phone")


@pytest.mark.parametrize("awaited", [True, False])
async def test_create_agent_takes_bare_answers_under_the_ids_of_its_interrupts(memory, awaited):
    graph = create_agent(
        Scripted(answers=[BOTH]),
        create_memory_tools(),
        store=memory.store,
        checkpointer=memory.checkpointer,
    )

    async def take(given):
        if awaited:
            return await graph.ainvoke(given, run_of())
        return await asyncio.to_thread(graph.invoke, given, run_of())

    state = await take(said())
    by_topic = {one.id: one.value["topic"] == "phone" for one in state["__interrupt__"]}
    state = await take(Command(resume=by_topic))

    assert {"email": "u1@example.com"} == held(memory)
    assert results(state)[0].startswith("Forgotten: phone")
    assert results(state)[1].startswith("Not forgotten: the user did not confirm it.")
