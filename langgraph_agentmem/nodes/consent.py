"""The node that asks: may what was held be remembered?

One interrupt asks about everything that waits, by id and never by value, because an interrupt is
written into the checkpoint. Answers are matched by id, so that running the node anew, or more
candidates that came meanwhile, never give one answer to another question.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

from langgraph.types import interrupt

from langgraph_agentmem.errors import EmbeddingFailed, NotHeld
from langgraph_agentmem.model import Held, Learned, Namespace
from langgraph_agentmem.scope import Scope
from langgraph_agentmem.steps import Call, Work
from langgraph_agentmem.store import AgentMemStore

from .run import EVENT, Node, Run

ASKS = "ask_consent"
"""Under `EVENT` in the interrupt: which question it is."""


@dataclass(frozen=True, eq=False, repr=False)
class AskConsent(Node):
    """Asks the user about every held candidate, in one interrupt; does nothing when none waits.

    The interrupt's value is `{"agentmem": "ask_consent", "held": [{"id", "topic", "categories"},
    …]}`. The application shows the values to their user from `memory.held(user_id)`, and resumes
    with `Command(resume={id: True, other_id: False})`. What is not answered waits on, and every run
    of the node asks anew about what waits: route to it when the moment suits.

    Events: `consented` and `declined` (with topics), `unknown_ids` (ids under which nothing of
    this user waits, and answers that are neither True nor False; both are left alone), `waiting`
    (how many wait on) and `consent_failed` (the embedder failed: these wait on).

    Args:
        scope: Whose memory it is.

    Raises:
        UserRequired, UserConflict, StoreRequired: As `ExtractFacts`.
    """

    _: KW_ONLY
    scope: Scope = field(default_factory=Scope)

    name = ASKS

    def __post_init__(self) -> None:
        self.declare()

    def work(self, state: Mapping[str, Any], run: Run) -> Work[dict[str, Any]]:  # noqa: ARG002
        """Ask, and keep or drop what was answered."""
        namespace = self.scope.namespace(self.scope.user(run.config, run.context))
        store = run.memory_store()
        waiting: list[Held] = yield Call(
            lambda: store.held(namespace), lambda: store.aheld(namespace)
        )
        if not waiting:
            return {}
        given: object = interrupt({EVENT: ASKS, "held": list(_asked(waiting))})
        answers = given if isinstance(given, Mapping) else {}
        unknown = 0 if isinstance(given, Mapping) or given is None else 1
        outcomes: dict[str, list[str]] = {"consented": [], "declined": []}
        failed: list[str] = []
        for held_id, yes in answers.items():
            if not isinstance(yes, bool):
                unknown += 1
                continue
            try:
                learned = yield _answer(store, namespace, str(held_id), yes=yes)
            except NotHeld:
                unknown += 1
            except EmbeddingFailed:
                failed += [held.topic for held in waiting if held.id == held_id]
            else:
                outcomes["consented" if yes else "declined"] += _topics(learned)
        _report(run, outcomes, unknown=unknown, failed=failed)
        left: list[Held] = yield Call(lambda: store.held(namespace), lambda: store.aheld(namespace))
        if left:
            run.emit("waiting", count=len(left))
        return {}


ask_consent = AskConsent
"""The node under the name that a graph gives it."""


def _asked(waiting: Sequence[Held]) -> Iterator[dict[str, Any]]:
    for held in waiting:
        yield {"id": held.id, "topic": held.topic, "categories": list(held.categories)}


def _answer(store: AgentMemStore, namespace: Namespace, held_id: str, *, yes: bool) -> Call:
    return Call(
        lambda: store.consent(namespace, held_id, yes),
        lambda: store.aconsent(namespace, held_id, yes),
    )


def _topics(learned: Learned) -> list[str]:
    kept = [memory.topic for memory in learned.kept]
    return [*kept, *learned.unchanged, *(refusal.topic for refusal in learned.refused)]


def _report(
    run: Run, outcomes: Mapping[str, Sequence[str]], *, unknown: int, failed: Sequence[str]
) -> None:
    for event, topics in outcomes.items():
        if topics:
            run.emit(event, count=len(topics), topics=list(topics))
    if unknown:
        run.emit("unknown_ids", count=unknown)
    if failed:
        run.emit("consent_failed", count=len(failed), topics=list(failed))
