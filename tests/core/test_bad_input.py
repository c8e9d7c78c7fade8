"""Bad input is refused, named by field and type, and leaves no trace."""

from __future__ import annotations

import pytest
from stored import CITY, NS, everything

from langgraph_agentmem import AgentMemStore, Source
from langgraph_agentmem.errors import InvalidNamespace, InvalidTopic, InvalidValue


@pytest.fixture
def store(path, clock):
    with AgentMemStore.from_conn_string(path, clock=clock) as opened:
        yield opened


BAD_CALLS = [
    ({"namespace": ()}, InvalidNamespace),
    ({"namespace": ("a.b",)}, InvalidNamespace),
    ({"namespace": "memories"}, InvalidNamespace),
    ({"namespace": ("langgraph", "x")}, InvalidNamespace),
    ({"namespace": ("a", "\ud800")}, InvalidNamespace),
    ({"topic": ""}, InvalidTopic),
    ({"topic": " \n"}, InvalidTopic),
    ({"topic": "a\x00b"}, InvalidTopic),
    ({"topic": "\udfff"}, InvalidTopic),
    ({"topic": 5}, InvalidTopic),
    ({"content": ""}, InvalidValue),
    ({"content": "  "}, InvalidValue),
    ({"content": None}, InvalidValue),
    ({"content": ["a"]}, InvalidValue),
    ({"content": {"n": float("nan")}}, InvalidValue),
    ({"content": {"n": {1: 2}}}, InvalidValue),
    ({"content": {"n": object()}}, InvalidValue),
    ({"content": "\ud800"}, InvalidValue),
    ({"content": {"n": 10**5000}}, InvalidValue),
    ({"kind": "opinion"}, ValueError),
    ({"ttl": 0}, ValueError),
    ({"ttl": -1}, ValueError),
    ({"ttl": float("nan")}, ValueError),
    ({"ttl": 1e300}, ValueError),
    ({"source": "m1"}, InvalidValue),
    ({"source": Source(message_ids=("\ud800",))}, InvalidValue),
    ({"source": Source(message_ids=(5,))}, InvalidValue),
    ({"source": Source(thread_id="a\x00b")}, InvalidValue),
    ({"source": Source(said_at="yesterday")}, InvalidValue),
    ({"source": Source(order="first")}, InvalidValue),
    ({"source": Source(order=True)}, InvalidValue),
    ({"source": Source(order=2**53)}, InvalidValue),
]


@pytest.mark.parametrize(("wrong", "error"), BAD_CALLS, ids=[next(iter(w)) for w, _ in BAD_CALLS])
async def test_bad_input_is_refused_and_leaves_no_trace(store, path, wrong, error):
    good = {"namespace": ("new",), "topic": CITY, "content": "Oslo"}
    before = everything(path)

    with pytest.raises(error):
        store.remember(**{**good, **wrong})
    with pytest.raises(error):
        await store.aremember(**{**good, **wrong})
    assert before == everything(path)


def test_an_error_names_the_field_and_the_type_and_never_the_content(store):
    with pytest.raises(InvalidValue) as caught:
        store.remember(NS, CITY, {"address": [{"street": {"attic"}}]})

    assert "$.address[0].street" in str(caught.value)
    assert "found='set'" in str(caught.value)
    assert "attic" not in str(caught.value)


def test_a_value_may_be_200_levels_deep_even_far_down_a_stack(store):
    deep: dict = {"end": 1}
    for _ in range(199):
        deep = {"n": deep}

    def call(levels: int) -> None:
        if levels:
            call(levels - 1)
        else:
            store.put(NS, "deep", deep)

    call(200)
    assert deep == store.get(NS, "deep").value
    assert ["deep"] == [item.key for item in store.search(NS, filter={"n": deep["n"]})]
    with pytest.raises(InvalidValue, match="200 deep"):
        store.put(NS, "deeper", {"n": deep})
