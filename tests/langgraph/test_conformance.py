"""LangGraph's own suite for checkpointers, in full."""

from __future__ import annotations

import pytest
from langgraph.checkpoint.conformance import checkpointer_test, validate
from langgraph.checkpoint.conformance.capabilities import Capability

from langgraph_agentmem import AgentMemSaver


class Called(AgentMemSaver):
    """The sync verbs, for a suite that awaits."""

    async def aget_tuple(self, *args):
        return self.get_tuple(*args)

    async def alist(self, *args, **named):
        for one in self.list(*args, **named):
            yield one

    async def aput(self, *args):
        return self.put(*args)

    async def aput_writes(self, *args, **named):
        self.put_writes(*args, **named)

    async def adelete_thread(self, *args):
        self.delete_thread(*args)

    async def adelete_for_runs(self, *args):
        self.delete_for_runs(*args)

    async def acopy_thread(self, *args):
        self.copy_thread(*args)

    async def aprune(self, *args, **named):
        self.prune(*args, **named)


@pytest.mark.parametrize("kind", [AgentMemSaver, Called])
@pytest.mark.parametrize("is_file", [True, False])
async def test_every_capability_passes(path, is_file, kind):
    @checkpointer_test(name="AgentMemSaver")
    async def opened():
        with kind.from_conn_string(path if is_file else ":memory:") as saver:
            yield saver

    report = await validate(opened)

    assert {one.value for one in Capability} == set(report.results)
    assert {} == {
        name: result.failures for name, result in report.results.items() if not result.passed
    }
