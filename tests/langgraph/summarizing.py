"""What the tests of summaries share: fake summarizers, graphs, and what the stream said."""

from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from langchain_core.runnables import RunnableLambda
from langgraph.graph import START, StateGraph

from langgraph_agentmem.nodes.context import build_context
from langgraph_agentmem.nodes.state import MemoryState

THREAD = {"configurable": {"thread_id": "t", "user_id": "u1"}}


class Telling:
    """A fake summarizer that says how often it was asked, and keeps what it was shown."""

    def __init__(self, answer="S{}", error=None):
        self.prompts, self.answer, self.error = [], answer, error
        self.model = RunnableLambda(self._reply)

    def _reply(self, messages):
        [message] = messages
        self.prompts.append(message.content)
        if self.error is not None:
            raise self.error
        return AIMessage(self.answer.format(len(self.prompts)))

    @property
    def shown(self):
        """The transcripts that it was shown, without tags."""
        return [
            prompt.partition("<transcript>\n")[2].partition("\n</transcript>")[0]
            for prompt in self.prompts
        ]


def chat_graph(node, *, state=MemoryState, checkpointer=None, store=None, before=()):
    """A graph that summarizes and then answers "answer"."""
    model = GenericFakeChatModel(messages=iter(["answer"] * 99))

    def assistant(state: MemoryState):
        return {"messages": [model.invoke(build_context(state, retrieve=None))]}

    builder = StateGraph(state).add_node("summarize", node).add_node("assistant", assistant)
    builder.add_edge(START, "summarize").add_edge("summarize", "assistant")
    for name, other in dict(before).items():
        builder.add_node(name, other).add_edge(START, name)
    return builder.compile(checkpointer=checkpointer, store=store)


def turns(count, start=0):
    """Settled turns: a question and an answer each."""
    return [
        message
        for n in range(start, start + count)
        for message in (
            HumanMessage(f"question {n}", id=f"h{n}"),
            AIMessage(f"reply {n}", id=f"a{n}"),
        )
    ]


def ids(messages):
    return [message.id for message in messages if not isinstance(message, SystemMessage)]


def texts(messages):
    return [message.content for message in messages]


def events(graph, given, config=None, **options):
    return [
        event["agentmem"] for event in graph.stream(given, config, stream_mode="custom", **options)
    ]


def told(node, state):
    """What a node returns outside any graph, and the events that it would have sent."""
    from langgraph_agentmem.nodes.run import Run  # noqa: PLC0415
    from langgraph_agentmem.steps import call_all  # noqa: PLC0415

    said = []
    update = call_all(node.work(state, Run(config={}, write=said.append)))
    return update, said
