"""What forgetting finds in state, and what it leaves alone."""

from __future__ import annotations

import json
import unicodedata
from collections import deque
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from decimal import Decimal
from enum import IntEnum, StrEnum
from ipaddress import IPv4Address
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import quote_plus
from uuid import UUID

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langgraph.types import Send
from pydantic import BaseModel

from langgraph_agentmem.rewriting import DROP, GO_ON, rewrite
from langgraph_agentmem.scrub import Scrubber
from langgraph_agentmem.wordings import leaf_texts, needles

EARLIEST = datetime.min.replace(tzinfo=UTC)


BUDGETS = ("[forgotten];", "[forgotten];", "[forgotten]")


def scrubber(*values: object, ids: tuple[str, ...] = ()) -> Scrubber:
    return Scrubber(leaf_texts(json.dumps(value) for value in values), ids)


@pytest.mark.parametrize(
    ("value", "text", "clean"),
    [
        ("+351 912 345 678", "call +351-912-345-678.", "call [forgotten]."),
        ("+351 912 345 678", "call (351) 912.345.678", "call ([forgotten]"),
        ("+351 912 345 678", "order 93519123456781", "order 93519123456781"),
        ("Lisbon", "LISBON, lisbon; Lisbonne", "[forgotten], [forgotten]; Lisbonne"),
        ("Lisbon", "NewLisbonian", "NewLisbonian"),
        ("rua da Rosa 7", "at Rua da Rosa, 7 today", "at [forgotten] today"),
        ("Zoë 🦊", "hi Zoë 🦊!", "hi [forgotten]!"),
        ("a.b@example.com", "mail a.b@example.com now", "mail [forgotten] now"),
        ("日本語テスト", "言語: 日本語テスト。", "言語: [forgotten]。"),
        ("no", "no means no", "no means no"),
        ("yes", "yes", "yes"),
        ("$^.*", "cost $^.* each", "cost [forgotten] each"),
        ("12:30:55", "the train of 12:30:55 leaves", "the train of [forgotten] leaves"),
        ("1,200", "a budget of 1,200; of 1200; of 1 200", " of ".join(["a budget", *BUDGETS])),
        (1200, "a budget of 1,200; of 1200; of 1\u2019200", " of ".join(["a budget", *BUDGETS])),
        ("1234", "1,2,3,4", "1,2,3,4"),
        ("+351 912 345", "call +351\u2011912\u2011345 back", "call [forgotten] back"),
        ("12 -- 34", "code 12 -- 34", "code [forgotten]"),
        ("Oslo --------- Rome", "by Oslo --------- Rome!", "by [forgotten]!"),
    ],
)
def test_a_value_is_found_as_whole_words_however_it_is_written(value, text, clean):
    assert clean == scrubber({"text": value}).scrub(text)


def test_a_value_is_found_in_every_place_that_state_can_hold():
    @dataclass(frozen=True)
    class Ticket:
        holder: str
        number: int

    class Booking(BaseModel):
        notes: list[str]
        by: Ticket

    state: dict[str, Any] = {
        "CANARY-7": ("a CANARY-7", {"CANARY-7"}),
        "booking": Booking(notes=["for CANARY-7"], by=Ticket("CANARY-7", 7)),
        "send": Send("node", {"who": "CANARY-7"}),
        "call": AIMessage("", tool_calls=[{"id": "1", "name": "f", "args": {"x": "CANARY-7"}}]),
        "blocks": HumanMessage([{"type": "text", "text": "CANARY-7!"}]),
    }

    clean = scrubber({"text": "CANARY-7"}).scrub(state)

    assert "CANARY" not in repr(clean)
    assert "CANARY" in repr(state)
    assert 7 == clean["booking"].by.number
    assert isinstance(clean["send"], Send)


def test_what_holds_nothing_forgotten_is_the_same_object():
    state = {"messages": [HumanMessage("hi"), {"a": (1, 2.5, None, b"x")}], "n": {1, 2}}

    assert state is scrubber({"text": "CANARY"}).scrub(state)


def test_a_source_message_keeps_its_type_id_and_tool_pair():
    human, call, result = (
        HumanMessage("secret words", id="h"),
        AIMessage("x", id="a", tool_calls=[{"id": "c", "name": "f", "args": {"q": "s"}}]),
        ToolMessage("y", id="t", tool_call_id="c", name="f"),
    )

    clean = scrubber(ids=("h", "a", "t")).scrub([human, call, result])

    assert ["[forgotten]"] * 3 == [message.text for message in clean]
    assert ["h", "a", "t"] == [message.id for message in clean]
    assert [{"id": "c", "name": "f", "args": {}, "type": "tool_call"}] == clean[1].tool_calls
    assert "c" == clean[2].tool_call_id


def test_scrubbing_twice_changes_nothing_more():
    once = scrubber({"text": "Lisbon"}, ids=("h",)).scrub([HumanMessage("x", id="h"), "Lisbon"])
    again = scrubber({"text": "Lisbon"}, ids=("h",))

    assert once is again.scrub(once)
    assert (0, 0) == (again.messages, again.values)


def test_nested_values_and_numbers_are_searched_for_by_their_leaves():
    value = {"number": 912345678, "ok": True, "where": [{"city": "Lisbon"}, "no", 7]}

    assert {"912345678", "Lisbon"} == leaf_texts([json.dumps(value)])


def test_files_are_searched_for_every_form_of_a_text():
    forms = set(needles(["Ünï 7"]))

    assert {
        "Ünï 7".encode(),
        "Ünï 7".encode("utf-16-le"),
        "Ünï 7".encode("utf-16-be"),
        rb"\u00dcn\u00ef 7",
        b"%C3%9Cn%C3%AF%207",
        b"%C3%9Cn%C3%AF+7",
        unicodedata.normalize("NFD", "Ünï 7").encode(),
    } <= forms


@pytest.mark.parametrize(
    ("forgotten", "held", "clean"),
    [
        ("2026-03-14", date(2026, 3, 14), date.min),
        ("2026-03-14", date(2026, 3, 15), date(2026, 3, 15)),
        ("2026-03-14T10:30:00", datetime(2026, 3, 14, 10, 30, tzinfo=UTC), EARLIEST),
        ("2026-03-14T10:30:00+01:00", datetime(2026, 3, 14, 10, 30, tzinfo=UTC), EARLIEST),
        ("10:30:00", time(10, 30), time.min),
        ("12.50", Decimal("12.5"), Decimal(0)),
        ("12.50", Decimal("NaN"), None),
        ("sNaN", Decimal("sNaN"), None),
        (
            "c9a646d3-9c61-4cb7-bfcd-ee2522c8f633",
            UUID("c9a646d39c614cb7bfcdee2522c8f633"),
            UUID(int=0),
        ),
        ("192.168.7.31", IPv4Address("192.168.7.31"), IPv4Address(0)),
        ("marigold", PurePosixPath("/home/marigold/x"), PurePosixPath("/home/[forgotten]/x")),
    ],
)
def test_objects_of_pythons_own_are_replaced_by_one_that_says_nothing(forgotten, held, clean):
    found = scrubber({"text": forgotten}).scrub({"it": held})["it"]

    assert (clean if clean is not None else held) is found or clean == found
    assert type(held) is type(found)


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("kept", ["NFC", "NFD"])
def test_accents_are_found_composed_or_not(form, kept):
    held = unicodedata.normalize(kept, "Zoë Müller")
    text = unicodedata.normalize(form, "I am ZOË müller, hello")

    assert "I am [forgotten], hello" == scrubber({"text": held}).scrub(text)


def test_values_that_overlap_in_a_text_both_go():
    overlapping = scrubber({"a": "rua da Rosa"}, {"b": "Rosa 7 Lisboa"})

    assert "at [forgotten] now" == overlapping.scrub("at rua da Rosa 7 Lisboa now")


def test_a_value_is_found_in_urls_and_in_bytes_of_other_encodings():
    secret = scrubber({"text": "+351 912 é"})

    assert "https://x.y/?q=[forgotten]&z=1" == secret.scrub(
        "https://x.y/?q=%2B351%20912%20%C3%A9&z=1"
    )
    assert "a[forgotten]b".encode("utf-16-le") == secret.scrub("a+351 912 éb".encode("utf-16-le"))
    assert "a[forgotten]b".encode("utf-16-be") == secret.scrub("a+351 912 éb".encode("utf-16-be"))


@pytest.mark.parametrize(
    "value",
    [
        "Zürich\nKanarienstraße 7",
        'she said "blue" é\t1,200\\x',
        "🦊 fox & friends 100%",
        "é long letter of many words " * 50,
    ],
    ids=["lines", "quotes", "signs", "long"],
)
def test_json_in_json_urls_and_bytes_of_files_hold_a_value_no_more(value):
    value = value.strip()
    plain = json.dumps({"v": value}, ensure_ascii=False)
    held = {
        "plain": f"I say: {value}!",
        "json": plain,
        "ascii": json.dumps({"v": value}),
        "twice": json.dumps([plain]) if len(value) < 1000 else "",
        "url": "x?q=" + quote_plus(value),
        "file": b"\x89PDF\xff " + value.encode() + b"\xfe",
        "array": bytearray(value.encode("utf-16-le")),
    }

    clean = scrubber({"text": value}).scrub(held)
    left = [name for name, inner in clean.items() if len(inner) > 40]
    assert [] == left, clean
    assert b"\x89PDF\xff [forgotten]\xfe" == clean["file"]


@given(value=st.text(min_size=4, max_size=60), around=st.text(" .,;:!?()\"'\n", max_size=3))
def test_a_value_is_found_where_it_is_written_just_so(value, around):
    value = value.strip()
    assume(leaf_texts([json.dumps(value)]) and value.casefold() not in "[forgotten]")

    for form in (value, json.dumps(value), json.dumps(value, ensure_ascii=False)):
        assert form[1:-1] not in scrubber(value).scrub(f"so {around}{form}{around} it is")


def test_a_summary_loses_the_value_and_is_marked_to_be_made_anew():
    summary = {"text": "Phone 555 0147.", "exact": ["555 0147", "Oslo"], "through": "m1"}

    clean = scrubber({"text": "555 0147"}).scrub({"summary": summary})["summary"]

    assert {
        "text": "Phone [forgotten].",
        "exact": ["Oslo"],
        "through": "m1",
        "stale": True,
    } == clean


def test_a_visitor_can_leave_out_parts_of_what_it_walks():
    def drop_numbers(value: Any) -> Any:
        return DROP if isinstance(value, int) else GO_ON

    assert {"a": ["x"], "t": ("y",)} == rewrite(
        {"a": ["x", 1], "n": 2, "t": ("y", 3)}, drop_numbers
    )


# What a graph is built of stays ------------------------------------------------------------------


def test_names_of_fields_types_ids_and_tools_are_not_data():
    call = {"id": "music", "name": "music", "args": {"music": "music please"}}
    state = {
        "music": "jazz music",
        "calls": AIMessage("music", id="music", name="music", tool_calls=[call]),
        "block": HumanMessage([{"type": "text", "text": "music", "id": "music"}], name="music"),
        "raw": {"role": "user", "content": "music", "id": "music"},
        "send": Send("music", {"music": 1}),
    }

    clean = scrubber({"text": "music"}).scrub(state)

    assert "jazz [forgotten]" == clean["music"]
    message = clean["calls"]
    assert ("[forgotten]", "music", "music") == (message.content, message.id, message.name)
    assert [{**call, "args": {"music": "[forgotten] please"}, "type": "tool_call"}] == (
        message.tool_calls
    )
    assert [{"type": "text", "text": "[forgotten]", "id": "music"}] == clean["block"].content
    assert "[forgotten]" == clean["block"].name
    assert {"role": "user", "content": "[forgotten]", "id": "music"} == clean["raw"]
    assert ("music", {"music": 1}) == (clean["send"].node, clean["send"].arg)


def test_a_message_keeps_its_type_when_its_type_is_forgotten():
    assert "human" == scrubber({"text": "human"}).scrub(HumanMessage("a human")).type


def test_a_key_that_is_no_name_is_data():
    book = {"+351 912 345 678": "asha", "phone": "+351 912 345 678"}

    assert {"[forgotten]": "asha", "phone": "[forgotten]"} == (
        scrubber({"text": "+351 912 345 678"}).scrub(book)
    )


def test_json_inside_strings_bytes_and_numbers_are_found():
    call = {"function": {"name": "f", "arguments": json.dumps({"street": "Königstraße 17b"})}}
    message = AIMessage("", additional_kwargs={"tool_calls": [call]})
    state = {"kept": json.dumps(["Königstraße 17b"]), "raw": "Königstraße 17b".encode()}

    street = scrubber({"text": "Königstraße 17b"})
    arguments = street.scrub(message).additional_kwargs["tool_calls"][0]["function"]["arguments"]

    assert '{"street": "[forgotten]"}' == arguments
    assert {"kept": '["[forgotten]"]', "raw": b"[forgotten]"} == street.scrub(state)
    assert "[forgotten] in KÖLN" == street.scrub("KÖNIGSTRASSE 17B in KÖLN")
    assert {"code": 0, "n": 4711} == scrubber({"code": 4711234}).scrub({"code": 4711234, "n": 4711})


def test_a_very_long_value_is_found_as_it_is_written():
    long = "all the words of a long letter " * 200_000

    assert "before [forgotten] after" == scrubber({"text": long}).scrub(
        f"before {long.strip()} after"
    )


def test_who_speaks_and_which_tool_is_called_is_not_data():
    function = {"name": "weather_forecast", "arguments": '{"a": "weather forecast"}'}
    state = {
        "messages": [("assistant", "the assistant said"), {"role": "user", "content": "user"}],
        "call": AIMessage("", additional_kwargs={"tool_calls": [{"function": function}]}),
    }

    clean = Scrubber({"assistant", "user", "weather forecast"}, ()).scrub(state)

    assert [("assistant", "the [forgotten] said"), {"role": "user", "content": "user"}] == (
        clean["messages"]
    )
    kept = clean["call"].additional_kwargs["tool_calls"][0]["function"]
    assert {"name": "weather_forecast", "arguments": '{"a": "[forgotten]"}'} == kept


class Pin(IntEnum):
    A = 4930


class City(StrEnum):
    LISBON = "Lisbon"


def test_a_programs_own_names_stay():
    state = {"pin": Pin.A, "city": City.LISBON}

    assert state is Scrubber({"4930", "Lisbon"}, ()).scrub(state)


@pytest.mark.parametrize(
    ("value", "state"),
    [
        ("Asha Patel", {"type": "traveller", "name": "Asha Patel"}),
        ("AB123456", {"type": "passport", "id": "AB123456"}),
        ("pregnant", {"type": "health", "status": "pregnant"}),
        ("vegetarian", {"diet": {"type": "vegetarian"}}),
        ("line one\nline two", {"raw": json.dumps({"x": "line one\nline two"})}),
        ("Lisbon", deque(["to Lisbon"], maxlen=3)),
        ("花生过敏症状", "我有花生过敏症状需要注意"),
        ("4930", {"n": 4930.0}),
    ],
)
def test_ordinary_state_holds_it_no_more(value, state):
    clean = Scrubber({value}, ()).scrub(state)

    assert state != clean
    assert value not in str(clean)
    assert "4930" not in str(clean)


def test_many_versions_in_a_long_thread_are_searched_for_once():
    """Each checkpoint holds the same messages again."""
    long = [HumanMessage("nothing of it stands in these eight hundred characters " * 15)]
    many = Scrubber({f"value number {n} of the topic" for n in range(50)}, ())
    for _ in range(500):
        many.scrub({"messages": long})

    assert 1 == len(many._leaves._known)


def test_state_may_hold_anything_under_the_names_of_message_fields():
    schema = {"type": ["string", "null"], "role": {"a": 1}, "id": ["x"], "content": "to Lisbon"}
    state = {"schema": schema, "huge": 10**400, "number": float("inf")}

    clean = Scrubber({"Lisbon", "4711"}, ("m1",)).scrub(state)

    assert {**schema, "content": "to [forgotten]"} == clean["schema"]
    assert (10**400, float("inf")) == (clean["huge"], clean["number"])


def test_calls_of_our_own_tools_on_a_forgotten_topic_go_whole():
    """They may say the same in other words."""
    args = {"topic": "phone", "content": "three five one, nine twelve", "pin": False}
    raw = {"id": "c1", "function": {"name": "remember", "arguments": json.dumps(args)}}
    block = {"type": "tool_use", "id": "c1", "name": "remember", "input": args}
    theirs = {"id": "c3", "name": "remember", "args": {"what": "three five one"}}
    messages = [
        AIMessage(
            [block],
            tool_calls=[{"id": "c1", "name": "remember", "args": args}],
            additional_kwargs={"tool_calls": [raw]},
        ),
        ToolMessage("Kept: three five one, nine twelve", tool_call_id="c1"),
        AIMessage(
            "", tool_calls=[{"id": "c2", "name": "remember", "args": {**args, "topic": "pet"}}]
        ),
        ToolMessage("Kept under pet", tool_call_id="c2"),
        AIMessage("", tool_calls=[theirs]),
    ]
    who = Scrubber((), (), {"phone"})
    for message in messages:
        who.learn(message)

    call, result, *others = who.scrub(messages)

    assert "three" not in str(call)
    assert {"topic": "phone"} == call.tool_calls[0]["args"]
    assert ("[forgotten]", "c1") == (result.content, result.tool_call_id)
    assert messages[2:] == others
    assert all(one is other for one, other in zip(messages[2:], others, strict=True))
