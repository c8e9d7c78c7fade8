"""Keys by shape and entropy, private keys, and the words that restore a wallet."""

from __future__ import annotations

import base64
import math
import re
from collections import Counter
from collections.abc import Sequence
from importlib.resources import files

from .reading import Reading, any_of, near, words

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
    r"(?=[\w%.~+/-]{0,60}\d)[\w%.~+/-]{12,300}",
    r"\b(?:AccountKey|SharedAccessKey)=[\w+/=]{20,200}",  # Azure
    r"\bSG\.[\w-]{16,64}\.[\w-]{16,64}",
    r"\b[Bb]earer (?=[\w.~+/=-]{0,60}\d)[\w.~+/=-]{16,300}",  # RFC 6750
    r"\b(?:\w{0,12}sess(?:ion)?(?:[_-]?id)?|SESSIONID|[A-Z]{3,8}SESSID|sid|csrf\w{0,8})="
    r"(?=[\w%.~+/-]{0,60}\d)[\w%.~+/-]{12,300}",  # a cookie
    flags=re.NOFLAG,
)
_ISSUED_TELLS = (
    "sk-|sk_|rk-|rk_|pk-|pk_|ghp_|gho_|ghu_|ghs_|ghr_|github_pat_|glpat-|xox|AKIA|ASIA|ABIA|ACCA|"
    "AIza|ya29.|hf_|hf-|npm_|npm-|dop_v1|shpat|whsec|lin_api|pypi|dckr_pat|figd|ATATT3x|gsk|"
    "^xai|pplx|nvapi|lsv2_|^r8|^sbp|glsa|tvly|^phx|:AA|slack.com/|api/webhooks|token=|signature=|"
    "secret=|password=|apikey=|api_key=|sig=|accountkey=|sharedaccesskey=|SG.|earer |sess|sid=|csrf"
)
_JSON_WEB_TOKEN = any_of(r"\beyJ[\w-]{8,4000}\.eyJ[\w-]{8}", flags=re.NOFLAG)  # RFC 7519
_CALLED_A_KEY = re.compile(
    r"\b(?:api|access|auth|secret|private|client|bearer|refresh|session|encryption|signing|"
    r"webhook|deploy|service|app|totp|otp|2fa|mfa|authenticator)[ _-]?(?:key|token|secret|"
    r"seed)s?\b"
    r"(?:\s{0,3}(?:is|are|was|:|=|->)){0,2}\s{0,3}[\"'`]?(?P<key>[\w+/=.~-]{8,512})",
    re.IGNORECASE,
)
_LABELLED_TOKEN = re.compile(
    r"\btokens?(?:\s{0,3}(?::|=|->)|\s{1,3}(?:is|are|was))\s{0,3}[\"'`]?"
    r"(?=[\w-]{0,60}[a-z])(?=[\w-]{0,60}\d)(?P<key>[\w+/=.~-]{10,512})",
    re.IGNORECASE,
)
_LONG_TOKEN = re.compile(
    r"(?P<digest>\b(?:commit|sha-?\d{0,3}|md5|hash|checksum|digest|revision|etag)\W{1,5}(?:is )?)?"
    r"(?<![\w/+-])(?P<token>[A-Za-z0-9+/_=-]{24,1024})",
)
_BASIC = re.compile(r"\b[Bb]asic (?P<told>[A-Za-z0-9+/]{8,400})(?![A-Za-z0-9+/])")  # RFC 7617
_LONG_RUN = re.compile(r"[A-Za-z0-9+/_=-]{24}")
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


def _is_basic(told: str) -> bool:
    """True when it reads as a name and a password."""
    try:
        return b":" in base64.b64decode(told + "=" * (-len(told) % 4), validate=True)
    except ValueError:
        return False


def _is_said_key(text: str) -> bool:
    for said in (*_CALLED_A_KEY.finditer(text), *_LABELLED_TOKEN.finditer(text)):
        key = said["key"]
        if re.search(r"\d", key) and _bits(key) >= _SAID_KEY_BITS:
            return True
    return False


def _is_basic_login(text: str) -> bool:
    return any(_is_basic(said["told"]) for said in _BASIC.finditer(text))


def _is_drawn(text: str) -> bool:
    if not _LONG_RUN.search(text):
        return False
    bare = _URL.sub(" ", text)
    return any(
        not said["digest"] and _is_random(said["token"]) for said in _LONG_TOKEN.finditer(bare)
    )


_IS_KEY = (
    near(_ISSUED_TELLS, _ISSUED_KEY),
    near("asic ", _is_basic_login),
    near("key|token|secret|seed", _is_said_key),
)


def is_key(reading: Reading) -> bool:
    """True for a key or token in a form that its issuer gives it, for one that is said as such
    and looks drawn by lot, and for a long text that does.
    """
    return (
        any(found_in(reading) for found_in in _IS_KEY)
        or (".eyJ" in reading.text and _JSON_WEB_TOKEN(reading.text))
        or _is_drawn(reading.text)
    )


_PRIVATE = any_of(
    r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY",  # RFC 7468 and its kin
    r"\bPuTTY-User-Key-File-\d",
    r"\bAGE-SECRET-KEY-1[A-Z0-9]{20,80}",
    r"\b(?:seed|recovery|mnemonic|backup|wallet|secret|12|18|24)[ -](?:phrase|words?|"
    r"seed)(?: is| are)?[:=]?"
    r"\s{1,3}(?:(?:\d{1,2}[.):] ?)?[a-z]{3,8}[ ,]{1,2}){11}(?:\d{1,2}[.):] ?)?[a-z]{3,8}\b",
)
_IS_PRIVATE = near(
    "private|putty|age-secret|seed|recovery|mnemonic|backup|wallet|secret|^12|^18|^24", _PRIVATE
)
_SEED_WORDS = words((files(__package__) / "bip39_english.txt").read_text("ascii"))
"""The English words of BIP 39, which nearly all wallets take; plain sentences and poems soon leave
them.
"""
_SHORTEST_SEED = 12
_OF_SENTENCES = words(
    "about all also always and any can come day did do far for good have how into just like make "
    "more only other over own same say some than that then there they this time two under until "
    "use very want way what when where will with year you your"
)
_MOST_OF_SENTENCES = 4
"""Words of sentences in twelve of a wallet: of its 2,048 they are so few that four are rare."""
_FEWEST_WORDS = 6
"""Different words in twelve: words drawn by lot hardly repeat, "la la la" does."""
_LONGEST_RUN = 30
"""The longest phrase has 24 words, and a few more may stand beside it; what goes on is a list."""


def _is_seed(low: str) -> bool:
    """True for twelve words of a wallet that follow each other; numbers may stand between."""
    run: list[str] = []
    for piece in (*low.split(), "|"):
        word = piece.strip("0123456789.,:;()[]'\"`-")
        if word in _SEED_WORDS:
            run.append(word)
        elif word:
            if _SHORTEST_SEED <= len(run) <= _LONGEST_RUN and _is_drawn_by_lot(run):
                return True
            run = []
    return False


def _is_drawn_by_lot(run: Sequence[str]) -> bool:
    for start in range(len(run) - _SHORTEST_SEED + 1):
        twelve = run[start : start + _SHORTEST_SEED]
        plain_words = sum(word in _OF_SENTENCES for word in twelve)
        if plain_words <= _MOST_OF_SENTENCES and len(set(twelve)) >= _FEWEST_WORDS:
            return True
    return False


def is_private_key(reading: Reading) -> bool:
    """True for the beginning of a private key and for a seed phrase (BIP 39), said as such or
    known by its words.
    """
    return _IS_PRIVATE(reading) or _is_seed(reading.low)
