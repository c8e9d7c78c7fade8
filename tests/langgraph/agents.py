"""What tests of tools and agents share: a model that is scripted, and graphs around it."""

import re

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition
from pydantic import Field

from langgraph_agentmem import create_memory_tools

U1 = ("memories", "u1")


def run_of(thread="t1", user="u1"):
    return {"configurable": {"thread_id": thread, "user_id": user}}


def call(name, call_id="c1", /, **args):
    return {"name": name, "args": args, "id": call_id, "type": "tool_call"}


class Scripted(BaseChatModel):
    """Answers with these texts, or lists of tool calls, in turn; what it saw is in `prompts`."""

    answers: list
    prompts: list = Field(default_factory=list)
    offered: list = Field(default_factory=list)

    @property
    def _llm_type(self):
        return "scripted"

    def bind_tools(self, tools, **options):
        self.offered[:] = [tool.name for tool in tools]
        return self

    def _answer(self, messages):
        self.prompts.append(messages)
        answer = self.answers.pop(0) if self.answers else "Done."
        if callable(answer):
            answer = answer(messages)
        if isinstance(answer, Exception):
            raise answer
        return AIMessage(answer) if isinstance(answer, str) else AIMessage("", tool_calls=answer)

    def _generate(self, messages, stop=None, run_manager=None, **options):
        return ChatResult(generations=[ChatGeneration(message=self._answer(messages))])


class Streaming(Scripted):
    """The same, word by word."""

    def _stream(self, messages, stop=None, run_manager=None, **options):
        whole = self._answer(messages)
        for word in re.findall(r"\S+\s*", whole.text):
            yield ChatGenerationChunk(message=AIMessageChunk(word))
        for at, one in enumerate(whole.tool_calls):
            chunk = tool_call_chunk(name=one["name"], args="", id=one["id"], index=at)
            args = tool_call_chunk(name=None, args=str(one["args"]).replace("'", '"'), index=at)
            yield ChatGenerationChunk(message=AIMessageChunk("", tool_call_chunks=[chunk]))
            yield ChatGenerationChunk(message=AIMessageChunk("", tool_call_chunks=[args]))


def tool_graph(memory, *answers, tools=None, **options):
    """An agent of a model and a ToolNode."""
    tools = create_memory_tools(**options) if tools is None else tools
    model = Scripted(answers=[*answers])
    talks = model.bind_tools(tools)

    def agent(state: MessagesState):
        return {"messages": [talks.invoke(state["messages"])]}

    builder = StateGraph(MessagesState)
    builder.add_node("agent", agent).add_node("tools", ToolNode(tools))
    builder.add_edge(START, "agent").add_edge("tools", "agent")
    builder.add_conditional_edges("agent", tools_condition)
    return builder.compile(store=memory.store, checkpointer=memory.checkpointer)


def said(text="Hello"):
    return {"messages": [HumanMessage(text)]}


def results(state):
    """What the tools answered."""
    return [one.text for one in state["messages"] if one.type == "tool"]


def held(memory, user="u1"):
    return {one.topic: one.text for one in memory.for_user(user).memories()}
