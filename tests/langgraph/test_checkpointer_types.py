"""What may be stored and loaded: no row can run code, one's own types are allowed by name."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum, StrEnum
from pathlib import Path
from typing import Annotated, Any

import ormsgpack
import pytest
from chats import chat, count, rows, said, talk, texts, thread
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langgraph.checkpoint.serde.encrypted import EncryptedSerializer
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, StateGraph, add_messages
from pydantic import BaseModel
from typing_extensions import TypedDict

from langgraph_agentmem import AgentMemory, AgentMemSaver
from langgraph_agentmem.checkpointer import StrictSerializer
from langgraph_agentmem.errors import CheckpointUnreadable, TypeNotAllowed

ROOT = Path(__file__).parents[2]


class Mood(StrEnum):
    GOOD = "good"


class Size(Enum):
    BIG = 1


@dataclass
class Trip:
    city: str
    size: Size


class Profile(BaseModel):
    name: str
    trips: list[Trip]


class OwnMessage(HumanMessage):
    pass


OWN = [Trip, Size, Mood, Profile, OwnMessage]
VALUES = [Mood.GOOD, Size.BIG, Trip("Oslo", Size.BIG), Profile(name="a", trips=[]), OwnMessage("x")]


class State(TypedDict, total=False):
    value: Any
    messages: Annotated[list[Any], add_messages]


def keeps(value: Any, saver: AgentMemSaver):
    builder = StateGraph(State).add_node("keep", lambda _: {"value": value}).add_edge(START, "keep")
    return builder.compile(checkpointer=saver)


# Own types ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", VALUES, ids=lambda one: type(one).__name__)
def test_a_type_of_ones_own_is_stored_and_loaded_once_it_is_allowed(path, value):
    for allowed in ([type(value), Size, Trip], [(__name__, type(value).__name__), Size, Trip]):
        with AgentMemSaver.from_conn_string(path, allowed_types=allowed) as saver:
            keeps([value], saver).invoke({}, thread())

            found = keeps(None, saver).get_state(thread()).values["value"]
        assert [value] == found
        assert type(value) is type(found[0])


@pytest.mark.parametrize("value", VALUES, ids=lambda one: type(one).__name__)
@pytest.mark.parametrize(
    "deep", [lambda one: one, lambda one: {"a": [one]}, lambda one: {1: (one,)}]
)
def test_a_type_that_could_not_be_loaded_again_is_refused_before_anything_is_stored(
    path, value, deep
):
    with (
        AgentMemSaver.from_conn_string(path) as saver,
        pytest.raises(TypeNotAllowed, match=rf"allowed_types=.*{type(value).__name__}"),
    ):
        keeps(None, saver).invoke({"value": deep(value)}, thread(), durability="sync")

    assert (0, 0) == (count(path, "checkpoints"), count(path, "writes"))


def test_a_type_inside_an_allowed_one_is_looked_at_too(path):
    with (
        AgentMemSaver.from_conn_string(path, allowed_types=[Trip]) as saver,
        pytest.raises(TypeNotAllowed, match="Size"),
    ):
        keeps(None, saver).invoke({"value": Trip("Oslo", Size.BIG)}, thread())


@pytest.mark.parametrize(
    "message",
    [
        ToolMessage("x", tool_call_id="c", artifact=[Trip("Oslo", Size.BIG)]),
        AIMessage("x", additional_kwargs={"mood": Mood.GOOD}),
        HumanMessage("x", said_in=Trip("Oslo", Size.BIG)),
        {"role": "user", "content": "x", "about": Trip("Oslo", Size.BIG)},
    ],
    ids=["artifact", "kwargs", "extra", "dict"],
)
def test_a_type_inside_a_message_is_looked_at_too(path, message):
    with AgentMemSaver.from_conn_string(path) as saver:
        keeps(None, saver).invoke({"messages": [ToolMessage("fine", tool_call_id="c")]}, thread())
        with pytest.raises(TypeNotAllowed):
            keeps(None, saver).invoke({"value": [message]}, thread("t2"), durability="sync")
    with AgentMemSaver.from_conn_string(path, allowed_types=OWN) as saver:
        keeps(None, saver).invoke({"messages": [message]}, thread("t3"))
        assert 1 == len(keeps(None, saver).get_state(thread("t3")).values["messages"])


def test_a_recall_inside_a_message_is_not_stored(path):
    with AgentMemory.open(path, require_user=False) as memory:
        memory.for_user("asha").remember("diet", "CANARY-vegan")
        found = memory.for_user("asha").recall("diet?")
        told = ToolMessage("x", tool_call_id="c", artifact={"found": found, "n": 1})
        keeps([told, {"role": "user", "content": "y", "found": found}], memory.checkpointer).invoke(
            {}, thread()
        )

        first, second = keeps(None, memory.checkpointer).get_state(thread()).values["value"]
        assert ({"n": 1}, {"role": "user", "content": "y"}) == (first.artifact, second)
        assert found is told.artifact["found"]
    assert [] == rows(path, "SELECT 1 FROM thread_messages WHERE INSTR(data, 'CANARY')")


def test_loading_a_type_that_is_no_longer_allowed_says_so_and_loses_nothing(path):
    with AgentMemSaver.from_conn_string(path, allowed_types=OWN) as saver:
        keeps(Trip("Oslo", Size.BIG), saver).invoke({}, thread())
    with AgentMemSaver.from_conn_string(path) as saver:
        graph = keeps(None, saver)
        for attempt in (
            lambda: graph.get_state(thread()),
            lambda: list(graph.get_state_history(thread())),
            lambda: graph.invoke({}, thread()),
        ):
            with pytest.raises(TypeNotAllowed, match="allowed_types"):
                attempt()
    with AgentMemSaver.from_conn_string(path, allowed_types=OWN) as saver:
        assert Trip("Oslo", Size.BIG) == keeps(None, saver).get_state(thread()).values["value"]


@pytest.mark.parametrize("wrong", [["Trip"], [3], [("a", "b", "c")], [Trip("x", Size.BIG)]])
def test_what_is_no_type_is_refused(path, wrong):
    with pytest.raises(TypeError, match="classes, or tuples of module and name"):
        AgentMemSaver.from_conn_string(path, allowed_types=wrong)


STRICT = """
import sys
from dataclasses import dataclass
from enum import Enum
from langgraph.graph import START, StateGraph
from pydantic import BaseModel
from typing_extensions import TypedDict
from langgraph_agentmem import AgentMemory
@dataclass
class Trip:
    city: str
class Mood(Enum):
    GLAD = "glad"
class Guest(BaseModel):
    name: str
    mood: Mood
class State(TypedDict, total=False):
    trip: Trip
    guests: list[Guest] | None
for _ in range(2):
    with AgentMemory.open(sys.argv[1]) as memory:
        builder = StateGraph(State).add_node("keep", lambda state: {
            "trip": Trip("Oslo"), "guests": [Guest(name="Ana", mood=Mood.GLAD)]
        })
        graph = builder.add_edge(START, "keep").compile(checkpointer=memory.checkpointer)
        config = {"configurable": {"thread_id": "t", "user_id": "asha"}}
        graph.invoke({}, config)
        print(graph.get_state(config).values)
"""


@pytest.mark.parametrize("strict", ["true", "false"])
def test_strict_msgpack_allows_the_types_of_a_graphs_schema_by_itself(path, strict):
    done = subprocess.run(
        [sys.executable, "-c", STRICT, str(path)],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env={**os.environ, "LANGGRAPH_STRICT_MSGPACK": strict},
    )

    if strict == "true":
        kept = (
            "{'trip': Trip(city='Oslo'), 'guests': [Guest(name='Ana', mood=<Mood.GLAD: 'glad'>)]}"
        )
        assert ([kept] * 2, "") == (done.stdout.splitlines(), done.stderr)
    else:
        said = done.stderr.splitlines()[-1]
        for remedy in ("TypeNotAllowed", "allowed_types=", "LANGGRAPH_STRICT_MSGPACK=true"):
            assert remedy in said


def test_what_a_search_of_the_store_found_may_stand_in_the_state(path):
    with AgentMemory.open(path, require_user=False) as memory:
        memory.store.put(("a",), "b", {"text": "c"})
        found = memory.store.search(("a",))
        keeps(found, memory.checkpointer).invoke({}, thread())

        held = keeps(None, memory.checkpointer).get_state(thread()).values["value"]

    assert [("b", {"text": "c"})] == [(one.key, one.value) for one in held]


# Hostile rows ------------------------------------------------------------------------------------


RAN: list[str] = []


class Bomb:
    def __init__(self, *args: object, **named: object) -> None:
        RAN.append("built")

    @classmethod
    def model_validate_json(cls, *args: object) -> None:
        RAN.append("validated")


@dataclass
class DataBomb:
    what: str = ""

    def __post_init__(self) -> None:
        RAN.append("post init")


def explode(*args: object) -> None:
    RAN.append("called")


class Reduced:
    def __reduce__(self) -> Any:
        return explode, ("x",)


def extended(code: int, *parts: Any) -> bytes:
    return ormsgpack.packb(
        {"channel_values": {"messages": [ormsgpack.Ext(code, ormsgpack.packb(parts))]}}
    )


NAMES = ["Bomb", "DataBomb", "explode"]
HOSTILE = {
    "pickle": ("pickle", pickle.dumps(Reduced())),
    "json": (
        "json",
        json.dumps(
            {"lc": 2, "type": "constructor", "id": [__name__, "Bomb"], "kwargs": {}}
        ).encode(),
    ),
    "json of langchain": (
        "json",
        json.dumps(
            {"lc": 1, "type": "constructor", "id": [__name__, "Bomb"], "kwargs": {}}
        ).encode(),
    ),
    "unknown": ("eval", b"explode()"),
    "broken": ("msgpack", b"\xc1"),
    **{
        f"{name} by {code}": (
            "msgpack",
            extended(
                code, __name__, name, *(({},) if code == 2 else ("x",)), "model_validate_json"
            ),
        )
        for name in NAMES
        for code in range(6)
    },
    "a method": ("msgpack", extended(3, "os", "environ", "x", "get")),
    "our own storage, cut off": ("agentmem:msgpack", b"\x00\x00\xff\xff[[true"),
    "our own storage, no list": ("agentmem:msgpack", b"\x00\x00\x00\x02{}" + ormsgpack.packb(3)),
    "our own storage, no such message": (
        "agentmem:msgpack",
        b"\x00\x00\x00\x10[[true,[],[99]]]"
        + ormsgpack.packb([{"channel_values": {"x": None}}, [["channel_values", "x"]]]),
    ),
    "our own storage, no such path": (
        "agentmem:msgpack",
        b"\x00\x00\x00\x0f[[false,[],[1]]]"[:4]
        + b"[[true,[],[1]]]"
        + ormsgpack.packb([{"channel_values": {}}, [["channel_values", "x", 3]]]),
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("serde", ["none", "given", "encrypted"])
@pytest.mark.parametrize("where", ["checkpoint", "write", "message"])
def test_no_row_that_somebody_put_into_the_file_runs_anything(path, name, serde, where):
    RAN.clear()
    serdes = {
        "none": None,
        "given": JsonPlusSerializer(),
        "encrypted": EncryptedSerializer(Cipher()),
    }
    kind, data = HOSTILE[name]
    with AgentMemSaver.from_conn_string(path, serde=serdes[serde]) as saver:
        graph = chat(saver)
        talk(graph, thread(), 1)
        with saver.backend.transaction() as connection:
            if where == "checkpoint":
                connection.execute("UPDATE checkpoints SET type = ?, checkpoint = ?", (kind, data))
            elif where == "write":
                connection.execute("UPDATE writes SET type = ?, value = ?", (kind, data))
            else:
                connection.execute(
                    "UPDATE thread_messages SET base = NULL, type = ?, data = ?", (kind, data)
                )
    with AgentMemSaver.from_conn_string(path, serde=serdes[serde]) as saver:
        graph = chat(saver)
        for attempt in (
            lambda: graph.get_state(thread()),
            lambda: list(saver.list(thread())),
            lambda: saver.prune(["t1"]),
            lambda: saver.copy_thread("t1", "t2"),
            lambda: saver.delete_thread("t1"),
        ):
            with suppress(Exception):  # whatever it is, nothing ran
                attempt()
            assert [] == RAN


@pytest.mark.filterwarnings("ignore")
def test_the_official_saver_would_run_them(path):
    """So that the test above can fail."""
    RAN.clear()
    with SqliteSaver.from_conn_string(str(path)) as official:
        talk(chat(official), thread(), 1)
        hostile = HOSTILE["Bomb by 0"]
        official.conn.execute("UPDATE checkpoints SET type = ?, checkpoint = ?", hostile)

        official.get_tuple(thread())

    assert ["built"] == RAN


def test_a_damaged_row_is_named_as_such(path):
    with AgentMemSaver.from_conn_string(path) as saver:
        talk(chat(saver), thread(), 1)
        with saver.backend.transaction() as connection:
            connection.execute("DELETE FROM thread_messages")

        with pytest.raises(CheckpointUnreadable, match="not stored"):
            chat(saver).get_state(thread())


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        (None, b""),
        ("msgpack", b""),
        ("pickle", b"x"),
        ("json", b"{"),
        ("agentmem:msgpack", b"\xff\xff\xff\xff"),
        ("agentmem:msgpack", b"\0\0\0\x02[]\xc1"),
        ("agentmem:nonsense", b"\0\0\0\x02[]x"),
    ],
)
def test_whatever_is_damaged_is_named_and_stops_forgetting_before_anything_is_lost(
    path, kind, data
):
    with AgentMemory.open(path) as memory:
        asha = memory.for_user("asha")
        asha.remember("home", "Oslo")
        config = thread(user_id="asha")
        talk(chat(memory.checkpointer), config, 1)
        with memory.checkpointer.backend.transaction() as connection:
            connection.execute("UPDATE checkpoints SET type = ?, checkpoint = ?", (kind, data))

        with pytest.raises(CheckpointUnreadable, match="damaged"):
            memory.checkpointer.get_tuple(config)
        with pytest.raises(CheckpointUnreadable, match="delete the thread") as caught:
            asha.forget("home")
        assert config["configurable"]["thread_id"] == caught.value.data["thread_id"]
        assert "Oslo" == asha.look("home").text
        assert 1 == asha.forget().removed["threads"]


# Other serializers -------------------------------------------------------------------------------


class Cipher:
    """Another text every time, as ciphers with a nonce make."""

    def encrypt(self, plaintext: bytes) -> tuple[str, bytes]:
        nonce = os.urandom(8)
        return "test", nonce + bytes(one ^ 0x5A for one in plaintext)

    def decrypt(self, ciphername: str, ciphertext: bytes) -> bytes:
        assert "test" == ciphername
        return bytes(one ^ 0x5A for one in ciphertext[8:])


def test_an_encrypted_chat_holds_no_text_and_each_message_once(path):
    with AgentMemory.open(path, serde=EncryptedSerializer(Cipher())) as memory:
        graph = chat(memory.checkpointer)
        config = thread(user_id="asha")
        talk(graph, config, 70)
        number = count(path, "thread_messages")
        assert said(70) == texts(graph, config)
    with AgentMemory.open(path, serde=EncryptedSerializer(Cipher())) as memory:
        graph = chat(memory.checkpointer)
        assert said(70) == texts(graph, config)
        graph.update_state(config, {"messages": []})

    assert number == count(path, "thread_messages")
    data = path.read_bytes()
    assert [0, 0] == [data.count(b"question 1"), data.count(b"answer to")]


def test_a_serializer_of_the_applications_own_is_used_for_messages_and_values(path):
    class Pickles:
        def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
            return "p", pickle.dumps(obj)

        def loads_typed(self, data: tuple[str, bytes]) -> Any:
            return pickle.loads(data[1])  # noqa: S301 - the application's choice

    with AgentMemSaver.from_conn_string(path, serde=Pickles()) as saver:
        graph = chat(saver)
        talk(graph, thread(), 3)

        assert said(3) == texts(graph, thread())
    assert {("p",)} == {
        *rows(path, "SELECT DISTINCT type FROM thread_messages WHERE data NOT NULL")
    }


@pytest.mark.parametrize("encrypted", [False, True])
def test_what_a_given_serializer_allows_stays_allowed(path, encrypted):
    inner = JsonPlusSerializer(allowed_msgpack_modules=[Trip, Size])
    serde = EncryptedSerializer(Cipher(), inner) if encrypted else inner
    with AgentMemSaver.from_conn_string(path, serde=serde) as saver:
        keeps(Trip("Oslo", Size.BIG), saver).invoke({}, thread())

        assert Trip("Oslo", Size.BIG) == keeps(None, saver).get_state(thread()).values["value"]
        with pytest.raises(TypeNotAllowed):
            keeps(None, saver).invoke({"value": Mood.GOOD}, thread())


def test_a_copy_that_allows_more_does_not_make_the_original_allow_it():
    base = StrictSerializer()
    more = base.with_msgpack_allowlist([Mood])

    more.check(Mood.GOOD)

    with pytest.raises(TypeNotAllowed):
        base.check(Mood.GOOD)


def test_the_official_saver_takes_no_value_without_its_messages_for_whole(path):
    with AgentMemSaver.from_conn_string(path) as saver:
        talk(chat(saver), thread(), 1)

    with (
        SqliteSaver.from_conn_string(str(path)) as official,
        pytest.raises(NotImplementedError, match="agentmem"),
    ):
        official.get_tuple(thread())
