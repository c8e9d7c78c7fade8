"""A window of the newest whole turns, as providers accept it."""

import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langgraph.graph import START, MessagesState, StateGraph
from message_rules import broken_rules
from recalls import recalled

from langgraph_agentmem import trim
from langgraph_agentmem.errors import BudgetTooSmall


def words(messages):
    return sum(len(str(message.text).split()) for message in messages)


def exchange(name):
    call = AIMessage("", tool_calls=[{"id": name, "name": "find", "args": {}}])
    return [HumanMessage(f"find {name}"), call, ToolMessage("w " * 20, tool_call_id=name)]


def test_the_newest_whole_turns_that_fit_are_kept():
    messages = [*exchange("a"), AIMessage("found a"), *exchange("b"), AIMessage("found b")]
    messages.append(HumanMessage("and now?"))

    assert messages == trim(messages, budget=100, token_counter=words)
    assert messages[4:] == trim(messages, budget=30, token_counter=words)
    assert messages[-1:] == trim(messages, budget=20, token_counter=words)


def test_a_running_tool_exchange_is_kept_whole_or_refused():
    messages = [HumanMessage("hi"), AIMessage("hello"), *exchange("a")]

    assert messages[2:] == trim(messages, budget=23, token_counter=words)
    with pytest.raises(BudgetTooSmall):
        trim(messages, budget=21, token_counter=words)


def test_system_messages_and_pins_are_kept_and_what_is_relevant_is_not_shown():
    messages = [SystemMessage("Be brief."), HumanMessage("w " * 50), HumanMessage("Hi")]

    head, question = trim(
        messages,
        budget=40,
        system="You plan trips.",
        memories=recalled({"diet": "vegan"}, {"seat": "aisle"}),
        token_counter=words,
    )

    assert head.content.startswith("You plan trips.\n\nBe brief.\n\n<pinned_memories>")
    assert "- diet: vegan" in head.content
    assert "aisle" not in head.content + question.content
    assert HumanMessage("Hi") == question


@pytest.mark.parametrize("messages", [None, [], "Hi", {"role": "user", "content": "Hi"}, 7])
def test_whatever_it_is_given_a_legal_list_comes_back(messages):
    assert [] == broken_rules(trim(messages))


def test_in_a_graph_the_stream_says_how_many_turns_were_left_out():
    def assistant(state: MessagesState):
        trim(state["messages"], budget=20, token_counter=words)

    graph = StateGraph(MessagesState).add_node("a", assistant).add_edge(START, "a").compile()
    given = {"messages": [HumanMessage("w " * 15), AIMessage("yes"), HumanMessage("w " * 10)]}

    [said] = graph.stream(given, stream_mode="custom")

    assert ("gave_way", 1) == (said["agentmem"], said["turns"])


@pytest.mark.parametrize("budget", [0, -1, 1.5, True])
def test_a_budget_that_makes_no_sense_is_refused(budget):
    with pytest.raises(ValueError, match="budget"):
        trim([HumanMessage("Hi")], budget=budget)
