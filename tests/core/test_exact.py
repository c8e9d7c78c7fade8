"""Values that no summary may lose are found by rule, word for word."""

import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.runnables import RunnableLambda

from langgraph_agentmem.nodes.exact import exact_values, missing_from, values_in
from langgraph_agentmem.nodes.summarize import summarize_old_turns


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("The incident is INC-4471, region eu-north-7.", ["INC-4471", "eu-north-7"]),
        ("confirmation code XKQZPL", ["XKQZPL"]),
        ("Order #4471, uuid 3fa85f64-5717-4562-b3fc-2c963f66afa6", None),
        ("Flight LH 1234, seat 12A, gate B7", ["LH 1234", "12A", "B7"]),
        ("I am in room 7", ["room 7"]),
        ("version v2.1.3 at 10.0.0.1", ["v2.1.3", "10.0.0.1"]),
        ("at most $640.50 or 1,250.00 EUR", ["$640.50", "1,250.00 EUR"]),
        ("₹1,20,000, 5 %, 1.250,00 € and CHF 1'250.50", None),
        ("about 3 million dollars", ["3 million dollars"]),
        ("2 adults for 3 nights, 23kg each", ["2 adults", "3 nights", "23kg"]),
        ("on 2026-03-14T10:30:00Z", ["2026-03-14T10:30:00Z"]),
        ("on 14 April 2026 at 7:45 am", ["14 April 2026", "7:45 am"]),
        ("March 5th, 2026 or May 5", ["March 5th, 2026", "May 5"]),
        ("am 3. März, dann 03.04.2026", ["3. März", "03.04.2026"]),
        ("5 de mayo de 2026", ["5 de mayo de 2026"]),
        ("14 मार्च 2026 को", ["14 मार्च 2026"]),
        ("2026年3月14日出发", ["2026年3月14日"]),
        ("订单QX7-4471已取消,请付€20给酒店", ["QX7-4471", "€20"]),
        ("कमरा ४०२, १४:३० बजे", ["४०२", "१४:३०"]),
        ("Call +49 30 1234567 or (415) 555-0134.", ["+49 30 1234567", "(415) 555-0134"]),
        ("asha.rao+x@example.co.uk", ["asha.rao+x@example.co.uk"]),
        ("see https://example.com/a?b=c.", ["https://example.com/a?b=c"]),
        ("at 221B Baker Street, London NW1 6XE", ["221B Baker Street, London NW1 6XE"]),
        ("in der Hauptstraße 12, 10115 Berlin", ["Hauptstraße 12, 10115 Berlin"]),
        ("nach Lange Straße 5, 20095 Hamburg", ["Lange Straße 5, 20095 Hamburg"]),
        ("12 rue de Rivoli, 75001 Paris", ["12 rue de Rivoli, 75001 Paris"]),
        ("12 MG Road, Pune 411001", ["12 MG Road, Pune 411001"]),
        ("Calle de Alcalá, 45, Madrid", ["Calle de Alcalá, 45, Madrid"]),
        ('She said "never before noon" twice.', ['"never before noon"']),
        (
            "„Ruhe bitte“ and «doucement» and 「静かに」",
            ["„Ruhe bitte“", "«doucement»", "「静かに」"],
        ),
        ("He wrote 'do not ring the bell'.", ["'do not ring the bell'"]),
        ("IBAN DE89 3704 0044 0532 0130 00", ["DE89 3704 0044 0532 0130 00"]),
        ("I don't think that's it, it's John's.", []),
        ("The 1st of 3 options, twice.", []),
        ("Nothing here at all!", []),
        ("", []),
        ('the phone is [forgotten] and "[forgotten] 12345"', []),
    ],
)
def test_values_are_found_as_they_are_written(text, values):
    found = values_in(text)

    assert all(value in text for value in found)
    if values is not None:
        assert values == found
    else:
        assert len(found) >= 2


def test_what_stands_in_a_longer_value_is_not_listed_again():
    assert ['"call 12345 on 3 May"'] == values_in('Remember "call 12345 on 3 May".')


def test_values_of_people_come_before_those_of_tools():
    call = AIMessage(
        "Looking for QX7-1.",
        tool_calls=[{"id": "c", "name": "find", "args": {"ref": "QX7-1", "days": [{"max": 365}]}}],
    )
    result = ToolMessage('{"booking": "BK-99", "total": 640.5, "ok": true}', tool_call_id="c")

    found = exact_values([HumanMessage("I paid €20"), call, result])

    assert ["€20", "QX7-1"] == found.said
    assert ["365", "BK-99", "640.5"] == found.by_tools


def test_the_quotes_of_json_quote_nobody_and_a_tool_may_answer_in_prose():
    data = ToolMessage('[{"name": "Vaishali", "note": "say \\"open sesame\\""}]', tool_call_id="c")
    prose = ToolMessage('{not JSON} The sign says "closed".', tool_call_id="d")

    assert ['"open sesame"', '"closed"'] == exact_values([data, prose]).by_tools


def test_blocks_of_text_are_read_and_others_are_not():
    blocks = [{"type": "text", "text": "room 12"}, {"type": "image", "base64": "A1B2C3"}, "gate B7"]

    assert ["room 12", "B7"] == exact_values([HumanMessage(blocks)]).said


def test_of_a_very_long_message_both_ends_are_read_and_the_rest_is_counted():
    text = "INC-1 " + "word " * 100_000 + " INC-2"

    found = exact_values([HumanMessage(text)])

    assert ["INC-1", "INC-2"] == found.said
    assert len(text) - 200_000 == found.unread
    assert 0 == exact_values([HumanMessage("short"), SystemMessage("")]).unread


def test_a_message_with_very_many_values_does_not_crowd_out_others():
    table = " ".join(f"ROW-{n}" for n in range(1000))

    found = exact_values([HumanMessage("my booking is BK-77"), HumanMessage(table)])

    assert 51 == len(found.said)
    assert {"BK-77", "ROW-0", "ROW-999"} <= set(found.said)
    assert 950 == found.crowded_out


def test_code_that_the_assistant_wrote_is_not_read_and_what_the_user_pasted_is():
    code = 'Use this for INC-1:\n```python\nprint("hello there", 12345)\n```\nDone at 10:30.'

    assert ["INC-1", "10:30"] == exact_values([AIMessage(code)]).said
    assert '"hello there"' in exact_values([HumanMessage(code)]).said


def test_a_value_that_stands_in_the_prose_need_not_be_listed():
    values = ["42", "INC-4471", "(415) 555-0134"]

    assert ["42"] == missing_from("INC-4471, 1428: call (415) 555-0134.", values)


SECRETS = [
    ("my card is 4111 1111 1111 1111, order 48213", "4111 1111 1111 1111", "order 48213"),
    ("the wifi password for room 12 is tiger42 and the flat is B17", "tiger42", "B17"),
    ("My password:\nhunter22\nMy flight: BA2490", "hunter22", "BA2490"),
    ("login code 884213, booking X7K9QP", "884213", "X7K9QP"),
    ("token ghp_16C7e42F292c6912E7710c838347Ae178B4a in repo #77", "ghp_16", "#77"),
]


@pytest.mark.parametrize(("text", "secret", "value"), SECRETS)
def test_a_secret_is_no_value_and_what_stands_beside_it_is(text, secret, value):
    policy = summarize_old_turns(RunnableLambda(len))._is_secret
    found = exact_values([HumanMessage(text)], policy)
    everything = exact_values([HumanMessage(text)])

    assert any(secret in one for one in everything.said)
    assert not any(secret in one for one in found.said)
    assert value in found.said
    assert 1 == found.secrets


def test_a_secret_in_what_tools_are_given_and_return_is_no_value():
    policy = summarize_old_turns(RunnableLambda(len))._is_secret
    args = {"login": {"password": "tiger42"}, "booking": "X7K9QP"}
    call = AIMessage("", tool_calls=[{"name": "f", "args": args, "id": "c1"}])
    result = ToolMessage('{"api_key": "a8Kd93jf02", "order": "48213"}', tool_call_id="c1")

    assert ["X7K9QP", "48213"] == exact_values([call, result], policy).by_tools


def test_an_id_in_hex_is_a_value_unless_it_is_called_a_key():
    policy = summarize_old_turns(RunnableLambda(len))._is_secret
    hexed = "bk_0c8f1f4e9d7a4b53a2c1d0e9f8a7b6c5"

    assert [hexed] == exact_values([HumanMessage(f"booking {hexed}")], policy).said
    assert [] == exact_values([HumanMessage(f"my api key is {hexed}")], policy).said


def test_a_value_that_stands_very_often_is_looked_at_a_few_times():
    asked = []
    text = "".join(f"word{n % 500} x7 " for n in range(20_000))

    found = exact_values(
        [HumanMessage(text)], lambda words: asked.append(words) or "ord7 " in words
    )

    assert found.said
    assert 1 < len(asked) <= 2 * 50 * 20
