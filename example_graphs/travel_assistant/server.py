"""The travel assistant behind LangGraph's own server: `langgraph dev` reads `langgraph.json`.

The server brings threads, runs and the store's API; the store and the checkpointer are ours, on
one file. Who calls is found by `auth`, and nothing else: the nodes take the authenticated user,
threads are shown to who made them, and the store's API stays inside the user's own namespace.

    TRAVEL_DB      the memory's file
    TRAVEL_TOKENS  who may call: token=user pairs with commas between them; those of
                   langgraph.json are for trying it on one machine
    TRAVEL_MODEL   a chat model such as openai:gpt-4.1-mini; without it the stand-in answers
"""

from __future__ import annotations

import os
from typing import Any

from langgraph_sdk import Auth

from langgraph_agentmem import AgentMemory, ModelExtractor, Scope, create_memory_tools

from .graph import make_builder
from .models import model_named
from .stand_in import StandInModel

SCOPE = Scope(trust="auth")

_name = os.environ.get("TRAVEL_MODEL")
_model = model_named(_name) if _name else StandInModel()
memory = AgentMemory.open(os.environ.get("TRAVEL_DB", "travel_assistant.db"), scope=SCOPE)
store = memory.store
checkpointer = memory.checkpointer
_forget = next(tool for tool in create_memory_tools(scope=SCOPE) if tool.name == "forget")
# The server compiles it with the store and the checkpointer of `langgraph.json`.
graph = make_builder(
    _model,
    forgetting=_forget,
    extractor=ModelExtractor(_model) if _name else None,
    scope=SCOPE,
).compile()

auth = Auth()


def users(given: str) -> dict[str, str]:
    """Tokens and their users, from `token=user,token=user`."""
    pairs = (pair.partition("=") for pair in given.split(",") if pair.strip())
    return {token.strip(): user.strip() for token, _, user in pairs if token.strip() and user}


_USERS = users(os.environ.get("TRAVEL_TOKENS", ""))


@auth.authenticate
async def who(authorization: str | None) -> str:
    """The user of a bearer token."""
    scheme, _, token = (authorization or "").partition(" ")
    user = _USERS.get(token.strip()) if scheme.casefold() == "bearer" else None
    if user is None:
        raise Auth.exceptions.HTTPException(status_code=401, detail="no such token")
    return user


@auth.on
async def nothing_else(ctx: Auth.types.AuthContext, value: Any) -> bool:  # noqa: ARG001
    """What is not allowed below is refused."""
    return False


@auth.on.threads
async def own_threads(ctx: Auth.types.AuthContext, value: Any) -> dict[str, str]:
    """Threads and their runs belong to who made them."""
    value.setdefault("metadata", {})["owner"] = ctx.user.identity
    return {"owner": ctx.user.identity}


@auth.on.assistants.read
async def read_assistants(ctx: Auth.types.AuthContext, value: Any) -> bool:  # noqa: ARG001
    """Everybody may use the assistant."""
    return True


@auth.on.assistants.search
async def search_assistants(ctx: Auth.types.AuthContext, value: Any) -> bool:  # noqa: ARG001
    """Everybody may find the assistant."""
    return True


@auth.on.store
async def own_memories(ctx: Auth.types.AuthContext, value: Any) -> None:
    """The store's API reads and writes the user's own namespace, and says no to any other."""
    own = SCOPE.namespace(ctx.user.identity)
    asked = tuple(value.get("namespace") or own)
    if asked[: len(own)] != own:
        raise Auth.exceptions.HTTPException(status_code=403, detail="not your namespace")
    value["namespace"] = asked
