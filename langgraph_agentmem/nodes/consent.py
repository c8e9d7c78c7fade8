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
    """Asks the user about each held candidate once, all in one interrupt; does nothing when there
    is no new one.

    The interrupt's value is `{"agentmem": "ask_consent", "held": [{"id", "topic", "categories"},
    …]}`. The application shows the values to their user from `memory.held(user_id)`, and resumes
    with `Command(resume={id: True, other_id: False})`. What is not answered waits on, and is not
    asked about again in the same thread: `memory.consent(user_id, id, yes)` takes a later answer.
    Who answers nothing now says so with `{id: None}`: LangGraph resumes nothing with an empty dict.

    Events: `consented` and `declined` (with topics), `unknown_ids` (ids under which nothing of
    this user waits, and answers that are neither True, False nor None; both are left alone),
    `waiting` (how many wait on) and `consent_failed` (the embedder failed: these wait on).

    Args:
        scope: Whose memory it is.
        again: True asks in every run about all that waits, asked about before or not.
        asked_key: The state's key for the ids that were asked about and wait on.

    Raises:
        UserRequired, UserConflict, StoreRequired: As `ExtractFacts`.
    """

    _: KW_ONLY
    scope: Scope = field(default_factory=Scope)
    again: bool = False
    asked_key: str = "consent_asked"

    name = ASKS

    def __post_init__(self) -> None:
        self.declare(consent_asked=self.asked_key)

    def work(self, state: Mapping[str, Any], run: Run) -> Work[dict[str, Any]]:
        """Ask, and keep or drop what was answered."""
        namespace = self.scope.namespace(self.scope.user(run.config, run.context))
        store = run.memory_store()
        waiting: list[Held] = yield Call(
            lambda: store.held(namespace), lambda: store.aheld(namespace)
        )
        before = set() if self.again else set(state.get(self.asked_key) or ())
        new = [held for held in waiting if held.id not in before]
        if not new:
            if waiting:
                run.emit("waiting", count=len(waiting))
            return {}
        given: object = interrupt({EVENT: ASKS, "held": list(_asked(new))})
        answers = given if isinstance(given, Mapping) else {}
        unknown = 0 if isinstance(given, Mapping) or given is None else 1
        passed_over = (
            set() if unknown else {held.id for held in new if answers.get(held.id) is None}
        )
        outcomes: dict[str, list[str]] = {"consented": [], "declined": []}
        failed: list[str] = []
        for held_id, yes in answers.items():
            if not isinstance(yes, bool):
                unknown += yes is not None
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
        return {self.asked_key: [held.id for held in left if held.id in before | passed_over]}


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
