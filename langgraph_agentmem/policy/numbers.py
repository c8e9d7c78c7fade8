"""Numbers that prove themselves by shape and check digit: cards, government ids, bank accounts.

The rules of check digits are those of python-stdnum; which shapes are looked for is decided here.
A number whose shape many harmless ones share counts only where it is said what it is.
"""

from __future__ import annotations

import re
from types import ModuleType

from stdnum import iban, luhn
from stdnum.be import nn
from stdnum.br import cpf
from stdnum.ch import ssn as ch_ssn
from stdnum.cn import ric
from stdnum.es import dni, nie
from stdnum.fi import hetu
from stdnum.fr import nir
from stdnum.in_ import aadhaar, pan
from stdnum.it import codicefiscale
from stdnum.kr import rrn
from stdnum.mx import curp
from stdnum.my import nric
from stdnum.se import personnummer

from .reading import Reading, any_of, anywhere, near

# Payment cards, by network and check digit ----------------------------------------------------

_NETWORKS = re.compile(
    r"(?:4(?:\d{15}|\d{18})"  # Visa
    r"|(?:5[1-5]\d{2}|222[1-9]|22[3-9]\d|2[3-6]\d{2}|27[01]\d|2720)\d{12}"  # Mastercard
    r"|3[47]\d{13}"  # American Express
    r"|3(?:0[0-5]|[689]\d)\d{11}"  # Diners Club
    r"|(?:6011|64[4-9]\d|65\d{2}|62\d{2}|81\d{2})\d{12}"  # Discover, UnionPay
    r"|35(?:2[89]|[3-8]\d)\d{12})"  # JCB
)
_FIRST_DIGITS = frozenset("234568")
_SHORTEST_CARD, _LONGEST_CARD = 14, 19
_DIGIT_GROUPS = re.compile(r"(?<![\w+])\d{1,20}(?:[ ./_-]{1,2}\d{1,20}){0,400}(?!\w)")
_CVV = any_of(
    r"\b(?:cvv2?|cvc2?|csc|card(?:'s)? (?:verification|security) (?:code|value|number))\b"
    r"(?: (?:number|code))?(?:\s{0,3}(?:is|:|=)){0,2}\s{0,3}\d{3,4}\b"
)
_IS_CVV = near("cvv|cvc|csc|card", _CVV)


def is_card(reading: Reading) -> bool:
    """True for a payment card number by network and check digit, in groups or not, or a CVV."""
    for run in _DIGIT_GROUPS.finditer(reading.text):
        groups = re.findall(r"\d+", run[0])
        for first, begins in enumerate(groups):
            if begins[0] not in _FIRST_DIGITS:
                continue
            digits = ""
            for group in groups[first : first + _LONGEST_CARD]:
                digits += group
                if len(digits) > _LONGEST_CARD:
                    break
                if (
                    len(digits) >= _SHORTEST_CARD
                    and _NETWORKS.fullmatch(digits)
                    and luhn.is_valid(digits)
                ):
                    return True
    return _IS_CVV(reading)


# Government ids, said as such, and bank accounts ----------------------------------------------

_ID_NAME = (
    r"(?:passport|ssn|social security|ni(?= (?:number|no\b))|national insurance|nino|nhs|"
    r"driver'?s? licen[cs]e|"
    r"driving licen[cs]e|licen[cs]e (?:number|no)|aadhaar|cpf|curp|dni|nie|nif|bsn|pesel|"
    r"personnummer|codice fiscale|"
    r"steuer-?id|steuernummer|tax (?:id|number|file)|national id|identity card|id card|"
    r"permanent resident|reisepass|(?:personal)?ausweis|f[üu]hrerschein|sozialversicherung|"
    r"pasaporte|"
    r"c[ée]dula|passeport|carte d'identité|sécurité sociale|permis de conduire|passaporto|"
    r"carta d'identità|passaporte|identidade|paspoort|rijbewijs|паспорт|aadhar|pan card|nric|"
    r"green card|visa (?:number|no)|emirates id|medicare(?: card)?|medicaid|tfn|hkid|iqama|cnpj?|"
    r"cnic|kimlik(?: no)?|ppsn?|carteira de motorista|cnh|patente di guida|prawo jazdy|"
    r"carnet de conducir|permiso de conducir|carta de condução|"
    r"(?:my|his|her|our|their) id(?= (?:number|no|nr|card))|"
    r"resident(?:ial)? id|voter(?:'s)? id|(?-i:SIN|RG|RFC(?= [A-Z]{4}\d)|CUIL|CUIT|RUT|JMBG|"
    r"OIB|CNP|EGN))"
)
_NO_DATE = (
    r"(?! ?\d{4}-\d{2}-\d{2}| ?\d{1,2}\.\d{1,2}\.\d{2,4}(?!\w)| ?\d{1,2}/\d{1,2}/\d{2,4}(?!\w))"
)
_ID_TELLS = (
    "passport|ssn|social|^ni |insurance|nino|nhs|licen|aadha|cpf|curp|^dni|^nie|^nif|bsn|pesel|"
    "personnummer|fiscale|steuer|tax|ausweis|national id|identi|identid|id card|permanent res|"
    "reisepass|"
    "personalausweis|führerschein|fuhrerschein|sozialvers|pasaporte|cédula|cedula|passeport|"
    "sécurité|permis|passaport|paspoort|rijbewijs|паспорт|pan card|nric|green card|^visa|emirates|"
    "medicare|medicaid|tfn|hkid|iqama|cnp|cnic|kimlik|^pps|motorista|cnh|patente|prawo|carnet|"
    "carta de|^id |resident|voter|SIN|RG|RFC|CUIL|CUIT|RUT|JMBG|OIB|CNP|EGN|护照|身份证|パスポート|"
    "マイナンバー|आधार|पासपोर्ट"
)
_NAMED_ID = re.compile(
    rf"(?:\b{_ID_NAME}s?-?(?:nummer|nr)?\b|护照(?:号码?)?|身份证(?:号码?)?|パスポート(?:番号)?|"
    r"マイナンバー|आधार|पासपोर्ट)"
    r"(?: (?:has|hat|tem|tiene|porte|ha)(?: (?:the|die|el|le|il|[oa]))?)?"
    r"(?: (?:number|no\.?|nr\.?|nummer|número|numéro|numero|номер|card|id|नंबर)){0,2}"
    r"(?:(?:\s{0,3}(?:is|ist|lautet|es|est|è|é|to|je|[:=#是はが]|है)){0,2}\s{0,3}"
    r"| (?:of|for)(?: [\w.'-]{1,20}){1,4}?(?: is|:|=) )"
    rf"{_NO_DATE}(?P<id>(?-i:[A-Z]{{0,5}}) ?\d(?:[ ./-]?[A-Z0-9]){{3,32}})",
    re.IGNORECASE,
)
_ID_BEFORE = re.compile(
    rf"(?<![\w./-]){_NO_DATE}(?P<id>(?-i:[A-Z]{{0,3}})\d(?:[ .-]?[A-Z0-9]){{3,20}}) is "
    rf"(?:my|the|his|her|our|their) (?:\w{{1,15}} ){{0,2}}?{_ID_NAME}\b",
    re.IGNORECASE,
)
_ID_ASIDE = re.compile(
    rf"\b{_ID_NAME}(?: (?:number|no\.?))?,? \(?(?:(?:the |mit der )?(?:number|no\.?|nr\.?|"
    rf"nummer)(?: is)? |(?:which|that) is )"
    r"(?P<id>(?-i:[A-Z]{0,3}\d[A-Z0-9]{4,19}|\d{2,4}(?:[ -]\d{2,5}){1,4}))(?!\w)"
    rf"|\b{_ID_NAME}, (?P<id2>(?-i:[A-Z]{{1,5}}\d[A-Z0-9]{{4,20}}))(?!\w)",
    re.IGNORECASE,
)
_DIGITS_OF_AN_ID = 5
_MAY_BEGIN_ONE = re.compile(r"[A-Z0-9](?<![\w.-].)(?<!\d .)(?=[A-Z0-9 .+-]{8})")
_PROVEN: tuple[tuple[re.Pattern[str], ModuleType], ...] = tuple(
    (re.compile(rf"(?:{shape})(?![\w-]| \d)"), module)
    for shape, module in (
        (r"\d{3}\.\d{3}\.\d{3}-\d{2}", cpf),
        (r"\d{8}-?[A-HJ-NP-TV-Z]", dni),
        (r"[XYZ]-?\d{7}-?[A-HJ-NP-TV-Z]", nie),
        (r"[A-Z]{6}\d{2}[A-EHLMPR-T]\d{2}[A-Z]\d{3}[A-Z]", codicefiscale),
        (r"[A-Z]{4}\d{6}[HMX][A-Z]{5}[0-9A-Z]\d", curp),
        (r"[2-9]\d{3} \d{4} \d{4}", aadhaar),
        (r"[A-Z]{3}[ABCFGHLJPT][A-Z]\d{4}[A-Z]", pan),
        (r"(?:\d{2})?\d{6}[-+]\d{4}", personnummer),
        (r"\d{6}[-+A-FU-Y]\d{3}[0-9A-Y]", hetu),
        (r"756\.\d{4}\.\d{4}\.\d{2}", ch_ssn),
        (r"[12] \d{2} \d{2} \d{2} \d{3} \d{3} \d{2}", nir),
        (r"\d{2}\.\d{2}\.\d{2}-\d{3}\.\d{2}", nn),
        (r"\d{17}[\dX]", ric),
        (r"\d{6}-[1-8]\d{6}", rrn),
        (r"\d{6}-\d{2}-\d{4}", nric),
    )
)
"""Shapes of national ids that next to nothing else has, and the modules that know their digits."""

_MACHINE_READABLE = any_of(r"\b[PIAC][A-Z<][A-Z]{3}[A-Z]{1,30}<<?[A-Z<]{3,30}", flags=re.NOFLAG)
"""The first line of a passport's machine-readable zone, ICAO 9303."""

_BY_SHAPE = any_of(
    r"(?<![\w-])(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\w-])",  # United States
    r"(?<![\w-])784-(?:19|20)\d{2}-\d{7}-\d(?![\w-])",  # United Arab Emirates
)


def _is_named_id(text: str) -> bool:
    return any(
        sum(map(str.isdigit, next(filter(None, said.groups())))) >= _DIGITS_OF_AN_ID
        for pattern in (_NAMED_ID, _ID_BEFORE, _ID_ASIDE)
        for said in pattern.finditer(text)
    )


def _is_proven(text: str) -> bool:
    return any(
        (said := shape.match(text, begins.start())) and module.is_valid(said[0])
        for begins in _MAY_BEGIN_ONE.finditer(text)
        for shape, module in _PROVEN
    )


_IS_GOVERNMENT_ID = (
    near(_ID_TELLS, _is_named_id),
    near("<", _MACHINE_READABLE),
    anywhere(_is_proven),
    anywhere(_BY_SHAPE),
)


def is_government_id(reading: Reading) -> bool:
    """True for a passport or national id that is said as such, or proves itself."""
    return any(found_in(reading) for found_in in _IS_GOVERNMENT_ID)


_NAMED_IBAN = any_of(
    r"\bIBAN\b(?: (?:number|no\.?|nr\.?))?(?:\s{0,3}(?:is|ist|es|est|:|=|\#)){0,2}\s{0,3}"
    r"[A-Z]{2} ?\d{2}(?:[ -]?[A-Z0-9]){8,32}"
)
_IBAN = re.compile(r"(?<!\w)(?P<country>[A-Z]{2})\d{2}(?:[ -]?[A-Z0-9]){11,42}", re.IGNORECASE)
_SHORTEST_IBAN, _LONGEST_IBAN = 15, 34


_ACCOUNT = any_of(
    r"\b(?:account|acct|konto|kontonummer|cuenta|conta|compte)"
    r"(?: ?(?:number|no\.?|nummer|nr\.?|#))?"
    r"(?:\s{0,3}(?:is|ist|:|=)){0,2}\s{0,3}\d(?:[ -]?\d){5,17}(?!\d)"
)
_ITS_BANK = any_of(
    r"\b(?:sort ?code|routing(?: (?:number|no))?|bsb|ifsc|blz|bankleitzahl|clabe|bank account|"
    r"bank details|bankkonto|checking account|savings account|current account)\b"
)
_IS_NAMED_IBAN = near("iban", _NAMED_IBAN)
_IS_ACCOUNT = near("account|acct|konto|cuenta|conta|compte", _ACCOUNT)
_IS_OF_ITS_BANK = near(
    "sort|routing|bsb|ifsc|blz|bankleitzahl|clabe|bank account|bank details|bankkonto|"
    "ing account|ings account|current account",
    _ITS_BANK,
)


def is_bank_account(reading: Reading) -> bool:
    """An IBAN, said as such or by mod 97 of ISO 13616 (after ISO/IEC 7064); or the number of an
    account beside that of its bank.
    """
    if _IS_NAMED_IBAN(reading) or (_IS_OF_ITS_BANK(reading) and _IS_ACCOUNT(reading)):
        return True
    found = _IBAN.finditer(reading.text)
    return any(_holds_iban(re.sub(r"[ -]", "", said[0])) for said in found)


def _holds_iban(run: str) -> bool:
    """True when the run begins with an IBAN; letters and digits after it may be another word."""
    lengths = range(min(len(run), _LONGEST_IBAN), _SHORTEST_IBAN - 1, -1)
    return any(iban.is_valid(run[:length], check_country=False) for length in lengths)
