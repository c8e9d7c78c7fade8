"""What is refused whoever proposes it, and what passes."""

import pytest
from growth import grows_evenly
from policy_texts import HARMLESS, MORE_HARMLESS, MORE_SECRETS, SECRETS
from secrets_in_nine_languages import (
    HARMLESS_AGAIN,
    HARMLESS_AROUND,
    HARMLESS_UNDER_KEYS,
    TOLD,
    TOLD_AGAIN,
    TOLD_UNDER_KEYS,
)
from secrets_in_passing import (
    GET_BY,
    IN_PASSING,
    SOUNDS_ALIKE,
    UNDER_KEYS,
)
from sensitive_in_passing import HELD, HELD_TOO, KEPT, KEPT_TOO
from sensitive_texts import NOT_SENSITIVE, SENSITIVE

from langgraph_agentmem.model import Candidate, Hold, Source
from langgraph_agentmem.policy import LONGEST_CHECKED, CarefulPolicy, refuse_secrets, sensitive
from langgraph_agentmem.protocols import WritePolicy


def judged(value, topic="note"):
    return refuse_secrets(Candidate(topic=topic, value=value, source=Source()))


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (kind, text)
        for texts_of in (SECRETS, MORE_SECRETS)
        for kind, texts in texts_of.items()
        for text in texts
    ],
)
def test_a_secret_is_refused_by_its_class(kind, text):
    assert judged(text) == f"holds {kind}"


@pytest.mark.parametrize("text", [*HARMLESS, *MORE_HARMLESS])
def test_a_look_alike_passes(text):
    assert judged(text) is None


@pytest.mark.parametrize("text", [*IN_PASSING, *TOLD, *TOLD_AGAIN])
def test_a_secret_that_is_said_in_passing_is_refused(text):
    assert judged(text) is not None
    assert judged({"text": text, "about": "me"}) is not None
    assert judged(["seen today", text]) is not None


@pytest.mark.parametrize(("topic", "value"), [*UNDER_KEYS, *TOLD_UNDER_KEYS])
def test_a_secret_is_known_by_the_keys_above_it(topic, value):
    assert judged(value, topic) is not None


@pytest.mark.parametrize("text", [*SOUNDS_ALIKE, *GET_BY, *HARMLESS_AROUND, *HARMLESS_AGAIN])
def test_what_only_sounds_like_a_secret_passes(text):
    assert judged(text) is None
    assert judged({"text": text}) is None


@pytest.mark.parametrize(("topic", "value"), HARMLESS_UNDER_KEYS)
def test_what_keys_only_seem_to_say_passes(topic, value):
    assert judged(value, topic) is None


@pytest.mark.parametrize("text", [*TOLD, *TOLD_AGAIN])
def test_a_secret_is_found_in_the_midst_of_a_long_text(text):
    around = "The weather was fine on all 3 days and nobody wanted to go home. " * 20

    assert judged(f"{around}{text}. {around}") is not None
    assert judged(f"{around}\n{text}\n{around}") is not None


@pytest.mark.parametrize(
    ("topic", "value", "expected"),
    [
        ("ops.db_password", "swordfish", "holds a password"),
        ("ops.db", {"user": "asha", "password": "swordfish"}, "holds a password"),
        ("ops.db", {"hosts": [{"logins": [{"pwd": "swordfish"}]}]}, "holds a password"),
        ("pin", 4921, "holds a password"),
        ("bank", {"pin": 4921}, "holds a password"),
        ("api_key", "7f3c9a1be24d4c5f", "holds an API key"),
        ("card", {"number": 4111111111111111}, "holds a payment card number"),
        ("card.cvv", "123", "holds a payment card number"),
        ("otp", "8842", "holds a one-time code"),
        ("passport_number", "C01X00T47", "holds a government id"),
        ("documents", {"passport": {"number": "C01X00T47"}}, "holds a government id"),
        ("4111 1111 1111 1111", "my card", "holds a payment card number"),
        ("4111-1111-1111-1111", None, "holds a payment card number"),
        ("note", {"GB82WEST12345698765432": True}, "holds a bank account number"),
        ("password", None, None),
        ("password_manager", "1Password", None),
        ("passport", {"expires": "2031-05-03", "country": "Portugal"}, None),
        ("phone", "+44 20 7946 0958", None),
        ("budget.night", {"amount": 120, "currency": "EUR"}, None),
        ("order", {"number": 20240115000123, "paid": True, "notes": None}, None),
    ],
)
def test_a_value_is_read_together_with_what_it_is_called(topic, value, expected):
    assert judged(value, topic) == expected


@pytest.mark.parametrize("digit", range(1, 10))
def test_a_card_number_with_a_wrong_digit_passes(digit):
    wrong = f"4{(1 + digit) % 10}11 1111 1111 1111"

    assert judged(wrong) is None


@pytest.mark.parametrize(
    "text", [text for texts in SECRETS.values() for text in texts if len(text) > 20]
)
def test_the_reason_never_holds_the_text(text):
    reason = judged(text)

    assert reason is not None
    assert not any(word in reason for word in text.split() if any(map(str.isdigit, word)))


def test_a_value_too_long_to_be_looked_through_is_refused():
    assert judged("a " * LONGEST_CHECKED) == "is too long to be looked through"


@pytest.mark.parametrize(
    "piece",
    ["a ", "1 ", "1", "4111 ", "password ", "-", "://a:", "eyJ", "passport number is ", "BEGIN ",
     "otp for a ", "abcd ", "api key is ", "sk-", "A", "password for a.b-c d e f ", "\u200b",
     "a\n", "eyJ-", "eyJ.eyJ-", "abandon ", "code for the door ", "4 ", "AB12 ", "use x as ", "@"],
)  # fmt: skip
def test_a_long_text_of_anything_is_looked_through_in_linear_time(piece):
    text = (piece * LONGEST_CHECKED)[: LONGEST_CHECKED // 16]

    assert grows_evenly(judged, text)


def test_deep_values_are_read_to_the_bottom():
    value = {"password": "swordfish"}
    for _ in range(5000):
        value = {"deeper": [value]}

    assert judged(value) == "holds a password"


def test_it_is_a_write_policy():
    policy: WritePolicy = refuse_secrets

    assert policy(Candidate(topic="seat", value="aisle", source=Source())) is None


# Sensitive categories -------------------------------------------------------------------------


def categories(topic, value):
    return sensitive(Candidate(topic=topic, value=value, source=Source()))


@pytest.mark.parametrize(
    ("category", "topic", "text"),
    [(category, *case) for category, cases in SENSITIVE.items() for case in cases],
)
def test_what_is_sensitive_is_known_by_its_topic_or_its_words(category, topic, text):
    assert category in categories(topic, text)


@pytest.mark.parametrize(("category", "text"), HELD)
def test_what_is_sensitive_is_known_when_it_is_said_in_passing(category, text):
    assert category in categories("note", text)
    assert category in categories("note", f"{'We had tea and talked. ' * 50}{text}")


@pytest.mark.parametrize("text", HELD_TOO)
def test_what_is_sensitive_is_asked_about_in_one_category_or_another(text):
    assert categories("note", text) != ()


@pytest.mark.parametrize(("topic", "text"), NOT_SENSITIVE)
def test_what_only_sounds_sensitive_is_kept(topic, text):
    assert categories(topic, text) == ()


@pytest.mark.parametrize("text", [*KEPT, *KEPT_TOO])
def test_what_only_sounds_sensitive_in_passing_is_kept(text):
    assert categories("note", text) == ()


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"health": {"condition": "x"}}, ("diagnosis",)),
        ({"text": "I'm a Buddhist", "note": ["takes metformin"]}, ("medication", "religion")),
        ({"seat": "aisle"}, ()),
        ([], ()),
    ],
)
def test_every_part_of_a_value_is_looked_at(value, expected):
    assert categories("about_me", value) == expected


@pytest.mark.parametrize("piece", ["I have ", "is a ", "earn 5 ", "owe ", "of a ", "on "])
def test_a_long_text_is_looked_through_for_categories_in_linear_time(piece):
    text = (piece * 50_000)[:50_000]

    assert grows_evenly(lambda text: categories("note", text), text)


def test_a_list_of_common_words_is_no_wallet():
    common = (
        "about above act add age ago air all area arm army art ask atom aunt away baby ball base "
        "bean best bird blue boat body book box boy bus busy cake call car case cat chat city club"
    )
    seed = " ".join(common.split()[10:34:2])  # twelve of them alone may restore one

    assert refuse_secrets(Candidate(topic="words", value=common, source=Source())) is None
    assert refuse_secrets(Candidate(topic="words", value=seed, source=Source()))


def test_a_secret_is_refused_whatever_is_granted():
    policy = CarefulPolicy(consent="granted")

    assert policy(Candidate(topic="bank", value="GB82 WEST 1234 5698 7654 32", source=Source()))
    assert policy(Candidate(topic="religion", value="Buddhist", source=Source())) is None


def test_what_is_asked_and_what_is_refused_in_one_candidate_is_refused():
    policy = CarefulPolicy(consent={"religion": "refuse"})
    both = Candidate(topic="note", value="I'm a Buddhist and I take metformin", source=Source())

    assert policy(both) == "is of a kind that is not kept here: religion"
    assert CarefulPolicy()(both) == Hold(("medication", "religion"))
