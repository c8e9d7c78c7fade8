"""What is never kept, whoever proposes it: secrets.

A value is read together with what it is called ("ops db password is …"), so that
`{"password": "…"}` under `ops.db` is refused like the sentence that says it. Each class has one
finder; a finder looks for secrets that are said as such ("my PIN is"), or that prove themselves
by shape and check digit. All of it takes linear time: quantifiers are bounded.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

from langgraph_agentmem.model import Candidate

from .numbers import is_bank_account, is_card, is_government_id
from .reading import LONGEST_CHECKED, Finder, any_of, plain, said_in, topic_words, words

# Passwords, said as such ----------------------------------------------------------------------

_WORD_FOR_ONE = (
    r"(?:(?<!\w)(?:pass(?:word|code|phrase|wd)s?|pwd|pw|contrase[ñn]as?|palabra de paso|senhas?|"
    r"palavra-passe|mots? de passe|wi-?fi (?:code|key)|code wi-?fi|parola d'ordine|"
    r"adgangskoder?|salasana|hesl[oa]|has[łl][oa]|jelszó|lozinka|şifrem?|parolam?|slaptažodis|"
    r"mật khẩu|kata sandi|κωδικός πρόσβασης|парол[ьяюе]м?|كلمة (?:المرور|السر)|סיסמ[הא]|पासवर्ड|"
    r"รหัสผ่าน)"
    r"|(?:passw[oö]rt|kennwort|zugangscode|wachtwoord|lösenord|passord)(?:e?s|er)?"
    r"|密[码碼]|口令|パスワード|暗証番号|비밀번호|비번|암호)"
)
_IS = (
    r"(?:is|was|are|ist|lautet|heißt|war|es|est|é|è|era|är|er|jest|là|este|adalah|είναι|это|هي|"
    r"הוא|היא|"
    r"है|(?<=hasło )to|(?<=salasana )on|(?<=heslo )je)"
)
_TOLD = r"[\"'`«„“「]?(?P<secret>[^\s\"'`«»„“”「」]{3,200})"
_PASSWORD_IS = re.compile(
    rf"{_WORD_FOR_ONE}(?:'s)?"
    r"(?: (?:for|of|to|on|at|für|vom|von|zum|para|de|del|da|do|du|pour|per|от|для)"
    r"(?: [\w.'-]{1,20}){1,4}?)?"
    rf"(?:\s{{0,3}}(?::|=|->| - |[はが为為은는이]|是)\s{{0,3}}|(?:\s{{1,3}}{_IS}:?)"
    rf"(?: (?:changed|set|reset|updated) to| now| jetzt)?\s{{1,3}}|(?<='s)\s{{1,3}}){_TOLD}",
    re.IGNORECASE,
)
_PASSWORD_THEN = re.compile(rf"{_WORD_FOR_ONE}\s{{1,3}}{_TOLD}", re.IGNORECASE)
_TOLD_BEFORE = re.compile(
    r"(?P<secret>[^\s\"'`]{3,100})[\"'`]? (?:is|ist|es|est|é) (?:(?:my|the|our|mein|das|mi|mon) "
    rf"(?:[\w.-]{{1,20}} ){{0,2}}?){_WORD_FOR_ONE}(?=\s{{0,3}}(?:$|[.,;!)]|(?:for|of|to|on|at)\b))",
    re.IGNORECASE,
)
_LOGIN_TOLD = re.compile(
    r"(?:\b(?:(?:credentials|creds|log-?in (?:details|data)|zugangsdaten)(?: (?:are|sind)|:)|"
    r"log-?in:)\s{1,3}"
    r"(?P<user>[^\s/:,]{2,40}) ?[/:] ?(?P<secret>[^\s/:,.;]{3,60})(?=[\s,.;!]|$)"
    r"|(?<![^\s\"'(])(?P<user2>[^\s/:,\"'(]{2,40}) ?[/:] ?(?P<secret2>[^\s/:,]{3,60}) (?:are|is) "
    r"(?:my|the|our|his|her|their) (?:[\w-]{2,20} ){0,2}(?:credentials|creds|log-?in)\b)",
    re.IGNORECASE,
)
_NO_LOGIN = words(
    "ba bsc ma msc md mba phd rn jd llm llb mph meng beng user username login email e-mail mail "
    "name password pass out sign http https on off up in yes no and or optional id"
)
"""What stands beside a stroke after "credentials" and is none: degrees, and names of parts."""

_SAID_OF_PASSWORDS = words(
    """
    abgelaufen always auf because bei being bekannt blank case changed common complex complicated
    compromised confidential correcta corta curta das debole demasiado der die different disabled
    easy ein eine empty enabled encrypted errada esquecida expired expiring faible falsch fel for
    forgotten fort forte fraca from fuerte geheim gespeichert gone good gut hacked hard hashed here
    hidden immer incorrect incorrecta invalid kept known kurz lang larga leaked leer long longa
    longer lost manager mein mine missing molto mon muito muy needed never new nicht niet noch none
    not nothing now old olvidada one onjuist only optional out para pas perdu personal private
    protected que required reset richtig safe same saved sbagliata schlecht schon secret secreta
    secreto secure security segura seguro sehr sent short shorter sicher sicura someone still stolen
    stored strong stronger taken that the their there this too trop troppo una unchanged under une
    unknown unsicher veilig vergessen vergeten verkeerd verloren very weak weg what where which who
    wichtig with written wrong your yours zwak geändert larguísima débil fácil difícil sûr oublié
    expiré très säkert glömt слишком очень неверный забыт надёжный надежный простой сложный
    """
)
"""Words of three letters and more that follow "the password is" when it is not told."""

_TOLD_OF_IT = re.compile(r"[太很不忘错錯安過过被長短違]|안전|틀|잊")  # Chinese, Japanese, Korean
_PIN_OR_LOGIN = any_of(
    r"\b(?:PIN(?:-?code|-?nummer)?|geheimzahl)\b(?: code| number)?"
    r"(?:\s{0,3}(?::|=)| (?:is|ist|lautet|es|est|é|è))?\s{0,3}\d{4,8}\b",
    r"\buser(?:name)?\s?[:=]\s?\S{1,60}[\s,;/]{1,3}(?:and )?(?:pass|pw)\s?[:=]\s?\S{3}",
    r"\b[a-z][a-z0-9+]{1,20}://[^\s/:@]{1,100}:[^\s/@]{3,200}@",
)


def _is_told(secret: str) -> bool:
    word = secret.strip(".,;!?()。").casefold()
    if word in _SAID_OF_PASSWORDS or len(word) < 3:  # noqa: PLR2004
        return False
    return _TOLD_OF_IT.search(word) is None or re.search("[0-9a-z]", word) is not None


def _is_login(text: str) -> bool:
    told = (filter(None, said.groups()) for said in _LOGIN_TOLD.finditer(text))
    sides = ({side.strip(".!").casefold() for side in both} for both in told)
    return any(not both & _NO_LOGIN and not any(map(str.isdigit, both)) for both in sides)


def _is_password(text: str) -> bool:
    for pattern in (_PASSWORD_IS, _TOLD_BEFORE):
        if any(_is_told(said["secret"]) for said in pattern.finditer(text)):
            return True
    then = (said["secret"] for said in _PASSWORD_THEN.finditer(text))
    return any(re.search(r"\d", said) for said in then) or _PIN_OR_LOGIN(text) or _is_login(text)


# Keys, by shape and entropy -------------------------------------------------------------------

_ISSUED_KEY = any_of(
    # The prefixes are the issuers' own; GitHub, Slack, Stripe, AWS, Google and others document
    # them so that they can be found, and public scanners such as gitleaks collect them.
    r"\b[srp]k[-_](?=[\w-]{0,60}\d)(?:[a-z]{2,10}[-_])?[A-Za-z0-9_-]{16,200}",
    r"\bgh[pousr]_[A-Za-z0-9]{20,255}",
    r"\bgithub_pat_\w{20,255}",
    r"\bglpat-[\w-]{16,64}",
    r"\bxox[abeoprs]-[\w-]{10,255}",
    r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b",
    r"\bAIza[\w-]{30,40}",
    r"\bya29\.[\w-]{20,255}",
    r"\b(?:hf|npm|dop_v1|shpat|whsec|lin_api|pypi)[_-][A-Za-z0-9_-]{20,255}",
    # More of them: Docker, Figma, Atlassian, Groq, xAI, Perplexity, NVIDIA, LangSmith, Replicate.
    r"\b(?:dckr_pat|figd|ATATT3x|gsk|xai|pplx|nvapi|lsv2_(?:pt|sk)|r8|sbp|glsa|tvly|phx)[_-]?"
    r"(?=[\w-]{0,80}\d)[A-Za-z0-9_=-]{20,255}",
    r"\b\d{8,10}:AA[\w-]{30,40}",  # Telegram
    r"\bhooks\.slack\.com/services/T\w{6,20}/B\w{6,20}/\w{16,40}",
    r"\bdiscord(?:app)?\.com/api/webhooks/\d{10,25}/[\w-]{30,100}",
    r"[?&;](?:[\w-]{0,20}(?:token|signature|secret|password|apikey|api_key)|sig)="
    r"(?=[\w%.~+/-]{0,60}\d)[\w%.~+/-]{12,4000}",
    r"\b(?:AccountKey|SharedAccessKey)=[\w+/=]{20,200}",  # Azure
    r"\bSG\.[\w-]{16,64}\.[\w-]{16,64}",
    r"\b[Bb]earer (?=[\w.~+/=-]{0,60}\d)[\w.~+/=-]{16,4000}",  # RFC 6750
    r"\beyJ[\w-]{8,4000}\.eyJ[\w-]{8,4000}",  # a JSON Web Token, RFC 7519
    flags=re.NOFLAG,
)
_CALLED_A_KEY = re.compile(
    r"\b(?:api|access|auth|secret|private|client|bearer|refresh|session|encryption|signing|"
    r"webhook|deploy|service|app|totp|otp|2fa|mfa|authenticator)[ _-]?(?:key|token|secret|seed)s?\b"
    r"(?:\s{0,3}(?:is|are|was|:|=|->)){0,2}\s{0,3}[\"'`]?(?P<key>[\w+/=.~-]{8,512})",
    re.IGNORECASE,
)
_LONG_TOKEN = re.compile(
    r"(?P<digest>\b(?:commit|sha-?\d{0,3}|md5|hash|checksum|digest|revision|etag)\W{1,5}(?:is )?)?"
    r"(?<![\w/+-])(?P<token>[A-Za-z0-9+/_=-]{24,1024})",
)
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_URL = re.compile(r"\b[a-z][a-z0-9+.-]{1,20}://\S{1,4000}", re.IGNORECASE)
_HEX = re.compile(r"[0-9a-f]{32,}|[0-9A-F]{32,}")
_A_WORD = re.compile("[A-Z]?[a-z]*|[A-Z]+|[0-9]+")
_CLASSES = (re.compile("[a-z]"), re.compile("[A-Z]"), re.compile("[0-9]"))

_SAID_KEY_BITS = 2.5
_BARE_KEY_BITS = 3.8
"""Shannon entropy in bits per character: English words have about 3, random base64 of 24
characters and more about 4.2 to 5.5."""


def _bits(text: str) -> float:
    """The Shannon entropy of the characters of `text`, in bits per character."""
    counts = Counter(text).values()
    return -sum(n / len(text) * math.log2(n / len(text)) for n in counts)


def _is_random(token: str) -> bool:
    """True for what looks drawn by lot: long hex, or a long mix of three kinds of characters."""
    if _UUID.fullmatch(token):
        return False
    if _HEX.fullmatch(token):
        return re.search("[a-fA-F]", token) is not None and re.search("[0-9]", token) is not None
    tangled = "".join(run for run in re.split(r"[_=/+-]", token) if not _A_WORD.fullmatch(run))
    digits = sum(map(str.isdigit, tangled))
    long = len(tangled) >= (20 if digits >= 3 else 28)  # noqa: PLR2004
    return (
        long and all(kind.search(tangled) for kind in _CLASSES) and _bits(token) >= _BARE_KEY_BITS
    )


def _is_key(text: str) -> bool:
    if _ISSUED_KEY(text):
        return True
    for said in _CALLED_A_KEY.finditer(text):
        key = said["key"]
        if re.search(r"\d", key) and _bits(key) >= _SAID_KEY_BITS:
            return True
    bare = _URL.sub(" ", text)
    return any(
        not said["digest"] and _is_random(said["token"]) for said in _LONG_TOKEN.finditer(bare)
    )


_is_private_key = any_of(
    r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY",  # RFC 7468 and its kin
    r"\bAGE-SECRET-KEY-1[A-Z0-9]{20,80}",
    r"\b(?:seed|recovery|mnemonic|backup) (?:phrase|words)(?: is| are|:|=)?\s{1,3}"
    r"(?:[a-z]{3,8}[ ,]{1,2}){11}[a-z]{3,8}\b",  # BIP 39: twelve words or more
)


# Codes that open something --------------------------------------------------------------------

_CODE = (
    r"(?:G-)?(?:\d{1,2}-\d{1,2}-\d{1,2}|\d{3}[ -]\d{3}|\d{4,8}|"
    r"(?-i:(?=[A-Z]{0,9}\d)[A-Z0-9]{5,10}))\b"
)
_CODE_NAME = (
    r"(?:otp|tan|(?:verification|one[- ]time|otp|2fa|mfa|two[- ]factor|authentication|auth|"
    r"security|sign[- ]?in|log[- ]?in|access|activation|sms|backup|recovery|door|gate|alarm|"
    r"safe|entry|"
    r"lock ?box|key ?safe|key ?box) (?:code|pin|passcode|combination)s?)"
)
_is_one_time_code = any_of(
    rf"\b{_CODE_NAME}\b(?: (?:for|from|to|on|of)(?: \w{{1,15}}){{1,3}}?)?"
    rf"(?:\s{{0,3}}(?:is|are|was|:|=)){{0,2}}\s{{0,3}}{_CODE}",
    r"\b(?:your|my|the|use|enter) code (?:is )?\d{6}\b",
    rf"(?<![\w-]){_CODE} is (?:your|my|the)(?: \w{{1,15}}){{0,2}} {_CODE_NAME}\b",
)


_FINDERS: Sequence[tuple[str, Finder]] = (
    ("a password", _is_password),
    ("a private key", _is_private_key),
    ("an API key", _is_key),
    ("a payment card number", is_card),
    ("a one-time code", _is_one_time_code),
    ("a government id", is_government_id),
    ("a bank account number", is_bank_account),
)


def refuse_secrets(candidate: Candidate) -> str | None:
    """The write policy that refuses secrets, in the topic and in every text of the value.

    Refused are passwords and PINs that are said as such, API keys by shape and entropy, private
    keys, payment card numbers by network and Luhn, one-time codes, government ids, and the IBANs
    of bank accounts.
    Phone, order and booking numbers, prices and dates pass.

    Refused too is a value of more than `LONGEST_CHECKED` characters, which no fact has.

    Returns:
        None to keep it, else the reason, such as "holds a password". Never the text.
    """
    said = said_in(candidate)
    if sum(map(len, said)) > LONGEST_CHECKED:
        return "is too long to be looked through"
    for text in map(plain, (candidate.topic, topic_words(candidate.topic), *said)):
        for kind, found_in in _FINDERS:
            if found_in(text):
                return f"holds {kind}"
    return None
