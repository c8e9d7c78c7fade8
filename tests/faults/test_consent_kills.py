"""A process dies while users answer: what was held waits on or is kept, never both or neither."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

from langgraph_agentmem import AgentMemory, Candidate, Source

ROOT = Path(__file__).parents[2]
NS = ("memories", "asha")
HELD = 60

ANSWERS = """
import sys
from langgraph_agentmem import AgentMemory
with AgentMemory.open(sys.argv[1]) as memory:
    for waiting in memory.held("asha"):
        print("answering", flush=True)
        memory.consent("asha", waiting.id, yes=True)
"""


def test_a_kill_between_yes_and_kept_loses_and_doubles_nothing(path):
    topics = {f"health.condition_{number}" for number in range(HELD)}
    with AgentMemory.open(path) as memory:
        for number, topic in enumerate(sorted(topics)):
            source = Source(thread_id="t1", message_ids=(f"m{number}",))
            told = Candidate(topic=topic, value="asthma", source=source)
            memory.store.learn(NS, [told])
    rng = random.Random(7)
    for _ in range(6):
        answering = subprocess.Popen(
            [sys.executable, "-c", ANSWERS, str(path)], stdout=subprocess.PIPE, text=True, cwd=ROOT
        )
        assert answering.stdout is not None
        for _ in range(rng.randint(1, 9)):
            answering.stdout.readline()
        answering.kill()
        answering.communicate()
        with AgentMemory.open(path) as memory:
            waiting = {one.topic for one in memory.held("asha")}
            kept = {one.topic for one in memory.store.memories(NS)}
            given = {one.topic for one in memory.consents("asha")}

        assert waiting | kept == topics
        assert not waiting & kept
        assert given == kept
