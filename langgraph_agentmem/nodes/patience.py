"""Waiting for no longer than was agreed: for a model that may never answer."""

from __future__ import annotations

import asyncio
from contextvars import copy_context
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

from langgraph_agentmem.steps import Call


def within(seconds: float | None, call: Call) -> Call:
    """The same call, which raises TimeoutError after so many seconds; None waits for ever.

    What was called goes on in a thread of its own, because nothing can stop it; its answer is
    dropped. That thread does not keep the program alive.
    """
    if seconds is None:
        return call

    def now() -> Any:
        answers: SimpleQueue[tuple[Any, BaseException | None]] = SimpleQueue()

        def ask() -> None:
            try:
                answers.put((call.now(), None))
            except BaseException as error:  # noqa: BLE001 - raised again where it is waited for
                answers.put((None, error))

        Thread(target=copy_context().run, args=(ask,), daemon=True).start()
        try:
            answer, error = answers.get(timeout=seconds)
        except Empty:
            raise TimeoutError from None
        if error is not None:
            raise error
        return answer

    async def soon() -> Any:
        return await asyncio.wait_for(call.soon(), seconds)

    return Call(now, soon)
