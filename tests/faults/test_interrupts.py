"""Ctrl-C at any moment: nothing stays open, locked or half-written, and the store works on."""

from __future__ import annotations

import subprocess
import sys

from langgraph_agentmem import AgentMemStore

INTERRUPTED = """
import faulthandler, random, signal, sys, threading
from langgraph.store.base import PutOp
from langgraph_agentmem import AgentMemStore
from langgraph_agentmem.errors import StorageError

class Interrupt(BaseException):
    pass

def interrupt(*_):
    if is_on:
        raise Interrupt

def elsewhere():
    store.put(("other",), "k", {"n": number})
    done.append(store.search(("other",))[0].value["n"] == number)
    store.list_namespaces()

faulthandler.dump_traceback_later(400, exit=True)
signal.signal(signal.SIGALRM, interrupt)
chance = random.Random(3)
store = AgentMemStore.from_conn_string(sys.argv[1])
done = []
for number in range(600):
    is_on = True
    try:
        signal.setitimer(signal.ITIMER_REAL, 1e-5 + 0.002 * chance.random())
        while True:
            store.batch([PutOp(("n",), f"k{part}", {"n": number}) for part in range(2)])
            store.get(("n",), "k0")
            store.search(("n",), filter={"n": number})
    except (Interrupt, StorageError):  # SQLite makes an error of one that meets a function of ours
        is_on = False
    if number % 20 == 0:
        thread = threading.Thread(target=elsewhere, daemon=True)
        thread.start()
        thread.join(200)
store.put(("n",), "last", {"n": 1})
print(done == [True] * 30, flush=True)
import os
os._exit(0)
"""


def test_an_interrupt_leaves_no_transaction_open_and_no_lock_held(tmp_path):
    path = tmp_path / "memory.db"
    ran = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, str(path)],
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )

    assert ("True\n", "", 0) == (ran.stdout, ran.stderr, ran.returncode)
    with AgentMemStore.from_conn_string(path) as store:
        found = {item.key: item.value["n"] for item in store.search(("n",))}
        assert 1 == found["last"]
        assert found["k0"] == found["k1"]
