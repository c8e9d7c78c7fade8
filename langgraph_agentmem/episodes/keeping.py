"""How episodes are kept and found, as work that verbs and nodes share."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace

from langgraph_agentmem.errors import MemoryNotFound
from langgraph_agentmem.model import Candidate, Learned, Memory, Namespace, Source
from langgraph_agentmem.protocols import WritePolicy
from langgraph_agentmem.steps import Call, Work
from langgraph_agentmem.steps.places import micros
from langgraph_agentmem.store import AgentMemStore

from .episode import Episode, Proposal, lesson_key

CONFIRMED = 2
"""Confirmations with which a lesson is proposed as a procedure."""


def episodes_in(store: AgentMemStore, namespace: Namespace) -> Work[list[Memory]]:
    """The episodes of a namespace, by topic."""
    found: list[Memory] = yield Call(
        lambda: store.memories(namespace, kinds=["episode"]),
        lambda: store.amemories(namespace, kinds=["episode"]),
    )
    return found


def keep(
    store: AgentMemStore,
    namespace: Namespace,
    episode: Episode,
    source: Source | None,
    *,
    policy: WritePolicy,
) -> Work[tuple[str, Learned]]:
    """Keep an episode, once for the same task and source messages; its topic, and what became
    of it. Raises `MemoryNotFound` when it confirms what is not there.
    """
    whence = source or Source()
    seed = (
        [whence.thread_id or "", *whence.message_ids]
        if whence.message_ids
        else [str(micros(store.clock()))]
    )
    mark = hashlib.sha256("\x00".join([*seed, episode.task]).encode(errors="replace"))
    topic = f"episode.{mark.hexdigest()[:12]}"
    before = [one for one in (yield from episodes_in(store, namespace)) if one.topic != topic]
    settled = replace(episode, confirms=_confirmed(episode, before, namespace))
    candidate = Candidate(topic=topic, value=settled.value(), source=whence, kind="episode")
    learned: Learned = yield Call(
        lambda: store.learn(namespace, [candidate], policy=policy),
        lambda: store.alearn(namespace, [candidate], policy=policy),
    )
    return topic, learned


def _root(memory: Memory) -> str:
    """The topic of the episode whose lesson this one confirms; its own if it confirms none."""
    return str(memory.value.get("confirms") or memory.topic)


def _confirmed(episode: Episode, before: Sequence[Memory], namespace: Namespace) -> str | None:
    if episode.confirms is not None:
        found = next((one for one in before if one.topic == episode.confirms), None)
        if found is None:
            raise MemoryNotFound(namespace=namespace, topic=episode.confirms)
        return _root(found)
    if not episode.lesson.strip():
        return None
    key = lesson_key(episode.lesson)
    same = (one for one in before if lesson_key(str(one.value.get("lesson") or "")) == key)
    return next(map(_root, same), None)


def proposed(episodes: Sequence[Memory]) -> list[Proposal]:
    """Lessons that were confirmed often enough and neither accepted nor declined, most first."""
    groups: dict[str, list[Memory]] = {}
    for one in sorted(episodes, key=lambda one: one.created_at):
        groups.setdefault(_root(one), []).append(one)
    found = []
    for root, group in groups.items():
        if len(group) <= CONFIRMED or any(one.value.get("settled") for one in group):
            continue
        # The episode that taught it may have been forgotten.
        taught = sorted(group, key=lambda one: one.topic != root)
        teacher = next((one for one in taught if one.value.get("lesson")), None)
        if teacher is not None:
            others = tuple(one.topic for one in group if one is not teacher)
            found.append(
                Proposal(
                    topic=teacher.topic,
                    lesson=str(teacher.value["lesson"]),
                    confirmations=len(others),
                    episodes=others,
                )
            )
    return sorted(found, key=lambda one: -one.confirmations)
