"""What is never kept, whoever proposes it: secrets.

A value is read together with what it is called ("ops db password is …"), so that
`{"password": "…"}` under `ops.db` is refused like the sentence that says it. Each class has one
finder; a finder looks for secrets that are said as such ("my PIN is"), or that prove themselves
by shape and check digit. All of it takes linear time: quantifiers are bounded, and nearly every
pattern is tried only near the words that tell of what it finds.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from langgraph_agentmem.model import Candidate

from .keys import is_key, is_private_key
from .numbers import is_bank_account, is_card, is_government_id
from .passwords import is_hinted_password, is_password
from .reading import (
    LONGEST_CHECKED,
    Reading,
    ReadingFinder,
    any_of,
    near,
    readings,
    said_in,
    topic_words,
)

# Codes that open something --------------------------------------------------------------------

_CODE = (
    r"(?:G-)?(?:\d{1,2}-\d{1,2}-\d{1,2}|\d\d(?: \d\d){2,5}|\d(?:-\d){3,8}|\d{3}[ -]\d{3}|\d{4,8}|"
    r"(?-i:(?=[A-Z]{0,9}\d)[A-Z0-9]{5,10})|"
    r"(?=[a-z-]{0,24}\d)[a-z0-9]{3,8}(?:-[a-z0-9]{3,8}){1,12}|"
    r"(?=[a-z]{0,12}\d)(?=\d{0,12}[a-z])(?!\d{1,9}[a-z]{1,4}\b)[a-z0-9]{6,16})(?![\w-])"
)
_CODE_NAME = (
    r"(?:otp|m?tan|(?:bike|suitcase|luggage) lock|(?:verification|one[- ]time|otp|2fa|mfa|"
    r"two[- ]factor|authentication|auth|"
    r"security|sign[- ]?in|log[- ]?in|access|activation|sms|whatsapp|telegram|signal|backup|"
    r"recovery|unlock|door|gate|"
    r"garage|alarm|safe|entry|(?:bike |suitcase |luggage |pad)?lock(?:er)?|"
    r"lock ?box|key ?safe|key ?box) (?:code|pin|passcode|combination|key|pattern)s?"
    r"|(?:bestätigungs|verifizierungs|sicherheits|einmal|wiederherstellungs|entsperr|tür|tor|"
    r"alarm)-?codes?"
    r"|c[óo]digos? de (?:verificaci[óo]n|seguridad|acceso|recuperaci[óo]n|verifica[çc][ãa]o|"
    r"seguran[çc]a|acesso|recupera[çc][ãa]o)"
    r"|codes? (?:de |d')(?:v[ée]rification|s[ée]curit[ée]|acc[èe]s|r[ée]cup[ée]ration|secours)"
    r"|code (?:für|zu|von|zur|zum|vom|der|des)(?: (?:die|den|das|der|dem|meine|unsere))? "
    r"(?:[\w-]{1,15})?"
    r"(?:tür|garage|tor|tresor|safe|alarmanlage|keller|schloss|eingang)"
    r"|(?:door|gate|garage|house|alarm|building) keypad|digicodes?"
    r"|(?:code|código|codigo|codice|clave|kod|kód) (?:(?:de|da|do|di|del|dello|della|du|des|od|"
    r"k|ke) "
    r"|de (?:la|las|los|mi|nuestra) |de l'|dell'|d')(?:ma |mia |minha |nostra )?(?:porte|puerta|"
    r"porta|drzwi|dveř[eí]m?|entrée|entrada|ingresso|immeuble|portail|portal|portão|cancello|bramy|"
    r"domofonu|gara[gj]e|garagem|alarme?|alarma|allarme|coffre|caja fuerte|cassaforte|cofre|sejfu|"
    r"trezoru|alarmu)"
    r"|codic[ei] di (?:verifica|sicurezza|accesso|recupero)|код подтверждения|ओटीपी)"
)
_TOLD_AS = r"(?:is|are|was|were|ist|lautet|sind|es|son|est|sont|é|è|to|je|है|:|=|,)"
_OPENED = (
    r"(?:door|gate|garage|alarm|safe|locker|lock|padlock|building|house|flat|apartment|office|"
    r"cellar|"
    r"shed|suitcase|bike|phone|tablet|key ?box|lock ?box|elevator|parking)"
)
_CODE_TOLD = any_of(
    rf"\b{_CODE_NAME}(?!\w)(?! of (?:conduct|practice|ethics))(?: (?:for|from|to|on|"
    rf"of)(?: \w{{1,15}}){{1,3}}?"
    r"| (?:i|we|you|they)(?:'ve)?(?: just)? (?:got|received|have|had|use|used|sent)(?: \w{1,5})?)?"
    rf"(?:\s{{0,3}}{_TOLD_AS}){{0,2}}\s{{0,3}}{_CODE}",
    r"\b(?:your|my|the|use|enter) code (?:is )?\d{6}\b",
    r"\b(?:the|a|my|le|el|der) (?:code|código|codigo)\b(?: \w{1,8}){0,2} \d{3}[ -]?\d{3} (?:by|"
    r"via|per) (?:text|sms)\b",
    r"\b(?:code|código|codigo)\b(?: \w{1,8}){0,2} (?:par|por|per|via|by) (?:sms|text)(?: is|"
    r" est| es| ist| é|:)? "
    r"\d{3}[ -]?\d{3}\b",
    rf"(?<![\w-]){_CODE} (?:is|as) (?:(?:your|my|the|our)(?: \w{{1,15}}){{0,2}} )?{_CODE_NAME}\b",
)
_OPENED_WITH = any_of(
    rf"\b{_OPENED}\b(?: \w{{1,12}}){{0,3}} (?:opens|unlocks|(?:is|are) (?:opened|unlocked|disarmed|"
    rf"armed|disabled)) (?:with|by|using) {_CODE}",
    rf"\b(?:unlock|disarm)(?:s|ed)? (?:my|the|our|his|her|their) (?:[\w-]{{1,15}} ){{1,2}}with "
    rf"{_CODE}",
    rf"(?<![\w-]){_CODE} (?:(?:opens|unlocks)|is (?:the |my |our )?(?:code|combination) (?:for|"
    rf"of|to|on))"
    rf" (?:the|my|our) (?:[\w-]{{1,15}} ){{0,2}}{_OPENED}\b",
)
_CODE_FOR = any_of(
    rf"\b(?:code|combination) (?:for|of|to|on) (?:the|my|our) (?:[\w-]{{1,15}} ){{0,2}}{_OPENED}"
    rf"(?:\s{{0,3}}{_TOLD_AS}){{1,2}}\s{{0,3}}{_CODE}",
    r"\b(?:lock|safe|padlock|combination)\b(?: (?:on|of|for) (?:\w{1,12} ){0,2}\w{1,12})? is "
    r"set to "
    r"\d{3,6}\b(?![:.]\d)",
    rf"(?<![\w-]){_CODE} (?:(?:opens|unlocks)|is (?:the |my |our )?(?:code|combination) (?:for|"
    rf"of|to|on))"
    rf" (?:the|my|our) (?:[\w-]{{1,15}} ){{0,2}}{_OPENED}\b",
)
_CODE_SENT = any_of(
    r"\benter \d{6} to (?:log|sign) in\b",
    r"\b(?:texted|sent|gave|sms'?d) me (?:the code )?\d{3}[ -]?\d{3} to (?:confirm|verify|log|"
    r"sign)\b",
    r"(?:验证码|驗證碼|認証コード|確認コード|인증번호)\s{0,3}(?:[:是은は]|입니다)?\s{0,3}\d{4,8}(?!\d)",
)
_BITLOCKER = re.compile(r"[0-9](?<!\d\d)\d{5}(?:-\d{6}){7}(?!\d)")
_IS_CODE = (
    near(
        "code|código|codigo|codic|combination|^lock|padlock|unlock|^key|^pin|^otp|^tan|^mtan|"
        "pattern|"
        "keypad|^clave|^kod |^kód |код|ओटीपी",
        _CODE_TOLD,
        after=300,
    ),
    near("opens|unlock|opened|disarm|armed|disabled", _OPENED_WITH, after=300),
    near("code for|code of|code to|code on|combination|^set to", _CODE_FOR, after=300),
    near(
        "^enter|to confirm|to verify|to log|to sign|验证码|驗證碼|認証コード|確認コード|인증번호",
        _CODE_SENT,
        after=300,
    ),
)


def _is_one_time_code(reading: Reading) -> bool:
    said = any(found_in(reading) for found_in in _IS_CODE)
    return said or _BITLOCKER.search(reading.text) is not None


_FINDERS: Sequence[tuple[str, ReadingFinder]] = (
    ("a password", is_password),
    ("a private key", is_private_key),
    ("an API key", is_key),
    ("a payment card number", is_card),
    ("a one-time code", _is_one_time_code),
    ("a government id", is_government_id),
    ("a bank account number", is_bank_account),
    ("a password", is_hinted_password),
)


def refuse_secrets(candidate: Candidate) -> str | None:
    """The write policy that refuses secrets, in the topic and in every text of the value.

    Refused are passwords and PINs that are said as such, API keys by shape and entropy, private
    keys and seed phrases, payment card numbers by network and Luhn, one-time and recovery codes,
    government ids, IBANs, and the number of a bank account beside that of its bank.
    Phone, order and booking numbers, prices and dates pass.

    Refused too is a value of more than `LONGEST_CHECKED` characters, which no fact has.

    Returns:
        None to keep it, else the reason, such as "holds a password". Never the text.
    """
    said = said_in(candidate)
    if sum(map(len, said)) > LONGEST_CHECKED:
        return "is too long to be looked through"
    for text in (candidate.topic, topic_words(candidate.topic), *said):
        for reading in readings(text):
            for kind, found_in in _FINDERS:
                if found_in(reading):
                    return f"holds {kind}"
    return None
