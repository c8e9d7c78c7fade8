"""Passwords, PINs and logins that are said as such, in the words of many languages."""

from __future__ import annotations

import re

from .reading import Finder, Reading, any_of, near, words

_WORD_FOR_ONE = (
    r"(?:(?<![^\W_])(?:pass(?:[ -]?(?:word|code|phrase)|wd)s?|pwd|pw|contrase[ñn]as?|"
    r"palabra de paso|senhas?|"
    r"palavra-passe|mots? de passe|wi-?fi (?:code|key)|code wi-?fi|parola d'ordine|"
    r"adgangskoder?|salasana|hesl[oa]|has[łl][oa]|jelszó|lozinka|şifrem?|parolam?|slaptažodis|"
    r"mật khẩu|kata sandi|κωδικός πρόσβασης|парол[ьяюе]м?|كلمة (?:المرور|السر)|סיסמ[הא]|पासवर्ड|"
    r"รหัสผ่าน)"
    r"|(?:passw[oö]rt|kennwort|zugangscode|wachtwoord|lösenord|passord)(?:e?s|er)?"
    r"|密[码碼]|口令|パスワード|暗証番号|비밀번호|비번|암호)"
)
_IS = (
    r"(?:is|was|are|ist|lautet|heißt|war|es|est|c'est|é|è|era|är|er|jest|là|este|adalah|είναι|"
    r"это|هي|"
    r"הוא|היא|"
    r"है|(?<=salasana )on)"
)
_TOLD = r"[\"'`«„“「]?(?P<secret>[^\s\"'`«»„“”「」]{3,200})"
_TELLS = (
    "passw|passc|passp|pass w|pass c|pass p|pass-|pwd|^pw|contrase|palabra|palavra|senha|^mot|"
    "wifi|wi-fi|parola|adgangskode|salasana|hesl|"
    "haslo|hasło|haseł|hasla|hasła|jelszó|lozinka|şifre|slaptažodis|mật khẩu|kata sandi|κωδικ|"
    "парол|كلمة|סיסמ|पासवर्ड|รหัส|kennwort|zugangscode|wachtwoord|lösenord|密码|密碼|口令|"
    "パスワード|暗証番号|비밀번호|비번|암호"
)
_PASSWORD_IS = re.compile(
    rf"{_WORD_FOR_ONE}(?:'s)?"
    r"(?: (?:for|of|to|on|at|für|vom|von|zum|para|del?|di|della?|dell|da|do|du|pour|per|от|для)"
    r"(?: [\w.'-]{1,20}){1,4}?)?"
    rf"(?:\s{{0,3}}(?::|=|->| - |[はが为為은는이]|是)\s{{0,3}}|(?:\s{{1,3}}{_IS}:?)"
    rf"(?: (?:changed|set|reset|updated) to| now| jetzt)?\s{{1,3}}|(?<='s)\s{{1,3}}){_TOLD}",
    re.IGNORECASE,
)
_PASSWORD_THEN = re.compile(rf"{_WORD_FOR_ONE}\s{{1,3}}{_TOLD}", re.IGNORECASE)
_PASSWORD_SET = any_of(rf"{_WORD_FOR_ONE}=(?![*<$%{{x\[]|\.\.)[^\s&;,]{{2,200}}")
_TOLD_BEFORE = re.compile(
    r"(?P<secret>[^\s\"'`]{3,100})[\"'`]? (?:is|ist|es|est|é) (?:(?:my|the|our|mein|das|mi|mon) "
    rf"(?:[\w.-]{{1,20}} ){{0,2}}?){_WORD_FOR_ONE}(?=\s{{0,3}}(?:$|[.,;!)]|(?:for|of|to|on|"
    rf"at)\b))",
    re.IGNORECASE,
)
_TOLD_IN_FULL = (
    # In Polish, Czech and Slovak "to" and "je" are "is".
    re.compile(rf"\bhas[łl]o(?: do(?: [\w.-]{{1,20}}){{1,3}}?)? to {_TOLD}", re.IGNORECASE),
    re.compile(
        rf"\bheslo(?: (?:k|ke|na|do|od|pre|pro)(?: [\w.-]{{1,20}}){{1,3}}?)? je {_TOLD}",
        re.IGNORECASE,
    ),
    re.compile(
        r"\buser(?:name)?(?: is)?[ :=]{1,3}(?P<user>[^\s,;]{2,60})[,;/]? (?:and )?(?:the |my |"
        r"with )?"
        rf"{_WORD_FOR_ONE}[ :=]{{1,3}}(?:is )?{_TOLD}",
        re.IGNORECASE,
    ),
    re.compile(
        r"\bpass ?phrase(?: is)? (?P<secret>[^\W\d]{3,15}(?: [^\W\d]{3,15}){1,9}) "
        r"(?:opens|unlocks|decrypts|works for)\b",
        re.IGNORECASE,
    ),
    re.compile(
        r"^[^:]{0,60}:\s{1,3}(?:my |the )?pass ?phrase (?P<secret>[a-z]{3,12}(?: "
        r"[a-z]{3,12}){2,9})$"
    ),
    # A topic: `password.netflix` is "password netflix: …".
    re.compile(
        rf"^[^:]{{0,60}}{_WORD_FOR_ONE} (?P<user>\w{{2,20}})(?: \w{{1,20}})?:\s{{1,3}}"
        r"(?P<secret>[^\s:]{4,100})$",
        re.IGNORECASE,
    ),
)
_NOT_WHOSE = words(
    "manager app policy length rules rule tool reset resets generator last changed change changes "
    "expires expiry expired hint tips count status strength type format since date updated "
    "reminder "
    "required enabled location stored where field box form prompt vault safe keeper service "
    "characters protected protection managers needed saved kept set has is"
)
"""What is told of passwords in general under such a topic, or beside "user"."""

_LOGIN_TOLD = re.compile(
    r"(?:\b(?:(?:credentials|creds|log-?in (?:details|data)|zugangsdaten)(?: (?:are|sind)|:)|"
    r"log-?in(?: (?:for|to|of|at)(?: [\w.-]{1,20}){1,3})?:)\s{1,3}"
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
    expiré très säkert glömt zapomenuté zapomenute
    špatné dlouhé krátké slabé silné tajné uložené změněno neplatné coś złe zbyt długie krótkie
    słabe silne tajne zapomniane niepoprawne błędne слишком очень
    неверный забыт надёжный надежный простой сложный
    """
)
"""Words of three letters and more that follow "the password is" when it is not told."""

_TOLD_OF_IT = re.compile(r"[太很不忘错錯安過过被長短違]|안전|틀|잊")  # Chinese, Japanese, Korean
_FIGURE = r"(?:zero|oh|one|two|three|four|five|six|seven|eight|nine|double)"
_PIN_TELLS = "^pin|geheimzahl|पिन|^code d"
_PIN = re.compile(
    r"\b(?:PIN(?:-?code|-?nummer)?|geheimzahl)\b(?: code| number)?"
    r"(?: (?:(?:for|of|to|on|für|vom|von|para|del?|pour|da|do|di|della?|dla)"
    r"(?: [\w.'-]{1,20}){1,3}?|(?:meiner|meines|der|des|unserer|unseres)(?: [\w.'-]{1,20}){1,2}?))?"
    r"(?:\s{0,3}(?::|=)| (?:is|was|ist|lautet|es|est|é|è|to|je))?\s{0,3}"
    rf"(?P<pin>\d{{4,8}}\b|\d(?:[ -]\d){{3,7}}\b|{_FIGURE}(?:[ ,-]{{1,2}}{_FIGURE}){{3,7}}\b)",
    re.IGNORECASE,
)
_PIN_BEFORE = re.compile(
    r"(?<![\w.,/-])(?P<pin>\d{4,8}) (?:is|as|ist|es|est|é|è) (?:my|the|our|his|her|their|"
    r"mein\w*|die|"
    r"el|mi|le|mon|o|meu|il|mio) (?:[\w-]{1,20} ){0,2}?PIN\b(?! \w+ (?:tree|cushion|board)| oak)"
    r"|पिन(?: नंबर)?(?: है)?\s{0,3}[:=]?\s{0,3}(?P<pin2>\d{4}(?!\d))"
    r"|\bcode (?:de |d')(?:(?:ma|la|sa|notre) )?(?:carte|cb)(?: \w{4,12})?(?: est| c'est| ?:| =) ?"
    r"(?P<pin3>\d{4})\b",
    re.IGNORECASE,
)
_POSTAL_PIN = re.compile(r"[1-9]\d{5}")
_OF_AN_ADDRESS = any_of(
    r"\b(?:postal|post|postcode|address|deliver\w*|village|town|city|area|district|street|road|"
    r"nagar|colony)\b"
)
"""Beside these a PIN of six digits is India's postal code."""

_CONNECTION_TELLS = "user|://|curl|^mysql|mariadb|security|密码|密碼|暗証番号|비밀번호"
_CONNECTION = any_of(
    r"(?:密[码碼]|暗証番号|비밀번호)\s{0,3}\d{4,8}(?!\d)",
    r"\buser(?:name)?\s?[:=]\s?\S{1,60}[\s,;/]{1,3}(?:and )?(?:pass|pw)\s?[:=]\s?\S{3}",
    r"\b[a-z][a-z0-9+]{1,20}://[^\s/:@]{0,100}:[^\s/@]{3,200}@",
    r"\bcurl\b[^\n]{0,200}? (?:-u|--user)[ =]?[^\s:]{1,60}:\S{2}",
    r"\b(?:mysql|mysqldump|mariadb)\b[^\n]{0,200}? -p[^\s]{3}",
    r"\bsecurity answers?(?:'s| is| are|:|=)\s{0,3}\w",
    r"\banswers? to (?:my|the|his|her|our) security questions? (?:is|are) \w",
)

# Words that mean a password only beside something that looks like one -------------------------

_LOOKS = r"[\"'`«„“「]?(?P<secret>[^\s\"'`«»„“”「」]{5,100})"
_MAYBE_ONE = re.compile(
    r"(?<![^\W_])(?:(?P<of>\w{2,20})[ _])?(?:pass|clave|chave|secrets?|creds?|credentials?|"
    r"log-?in)"
    r"(?: (?:for|of|to|on|at|für|para|de|del|do|da|pour)(?: [\w.'-]{1,20}){1,3}?"
    r"| (?:key|secret|data|value|text)){0,2}"
    rf"(?:\s{{0,3}}[:=]\s{{0,3}}|\s{{1,3}}{_IS}:?\s{{1,3}}){_LOOKS}",
    re.IGNORECASE,
)
_OTHERWISE_TOLD = (
    re.compile(rf"{_WORD_FOR_ONE} (?-i:[A-Z][\w.-]{{1,20}}) {_IS}:? {_LOOKS}", re.IGNORECASE),
    re.compile(rf"{_WORD_FOR_ONE}(?: [^\W\d]{{1,15}}){{0,4}}\s?[,(:]\s?{_LOOKS}", re.IGNORECASE),
    re.compile(
        rf"\b(?:set|change[ds]?|reset|updated?) (?:\w{{1,15}} ){{0,3}}{_WORD_FOR_ONE}"
        rf"(?: [\w.-]{{1,15}}){{0,4}} to {_LOOKS}",
        re.IGNORECASE,
    ),
    re.compile(
        rf"{_WORD_FOR_ONE}(?: \w{{1,15}}){{0,2}} from \S{{3,60}} to {_LOOKS}", re.IGNORECASE
    ),
)
_TOLD_AS_ONE = (
    re.compile(
        rf"\b(?:us(?:e|ed|es|ing)|type(?: in)?|enter|put(?: in)?|choose|have|had) "
        rf"{_LOOKS}[\"'`]? (?:as|for) (?:\w{{1,15}} ){{0,3}}"
        rf"(?:{_WORD_FOR_ONE}|pass\b)"
        r"(?! manager)",
        re.IGNORECASE,
    ),
)
_LOGIN_BESIDE = (
    re.compile(
        r"\b(?:wi-?fi|wlan|ssid)\b[^.\n]{0,40}\b(?:key|schlüssel)\b(?: is| ist|:|=)?\s{1,3}"
        + _LOOKS,
        re.IGNORECASE,
    ),
    re.compile(
        r"\b(?:log|sign)(?:ged|s|ging)? ?in with [^\s,;]{2,60} (?:and|/|,) " + _LOOKS, re.IGNORECASE
    ),
    re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,3}(?::| / )" + _LOOKS, re.IGNORECASE),
)
_PASSES = words(
    "annual backstage boarding bus camping city day eurail event festival ferry gym guest hall "
    "interrail lift metro month monthly mountain museum park press rail railway season ski spa "
    "subway swiss tour tourist train tram transit transport travel vip visitor week weekly year"
)
"""What stands before "pass" when it opens a barrier."""

_OF_A_LOGIN = any_of(
    r"\b(?:log-?in|account|user(?:name)?|admin|root|wi-?fi|wlan|router|vpn|server|ssh|database|"
    r"db)\b"
)
_LABELLED_PASS = re.compile(
    r"(?<![^\W_])pass\s{0,3}[:=]\s{0,3}(?P<secret>\S{3,100})\s{0,9}$", re.IGNORECASE
)
_A_MEASURE = re.compile(r"\d[\d.,:/-]{0,12}(?:[^\W\d]{1,4}|[^\W\d]{1,9}\d?)?")


def _looks_like_one(secret: str) -> bool:
    """True for a mix of letters and digits or signs that is no measure, ordinal or address."""
    word = secret.strip(".,;:!?()[]{}").casefold()
    letters = any(map(str.isalpha, word))
    mixed = any(map(str.isdigit, word)) or re.search(r"\w[#$%&*!?^~+=]", secret) is not None
    name = re.sub(r"[\W\d_]", "", word)
    known = name in _NO_LOGIN or word == "1password" or "@" in word or "://" in word
    return letters and mixed and not known and not _A_MEASURE.fullmatch(word)


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
    return any(re.search(r"\d", said) for said in then) or _PASSWORD_SET(text)


def _is_told_in_full(text: str) -> bool:
    for said in (each for pattern in _TOLD_IN_FULL for each in pattern.finditer(text)):
        secret = said["secret"].strip(".,;!?").casefold()
        user = (said.groupdict().get("user") or "").casefold()
        general = {user, secret} & (_NOT_WHOSE | _NO_LOGIN) or user == secret
        if not general and _is_told(secret):
            return True
    return False


def _is_pin(text: str) -> bool:
    pins = (
        next(filter(None, said.groups()))
        for pattern in (_PIN, _PIN_BEFORE)
        for said in pattern.finditer(text)
    )
    return any(not (_POSTAL_PIN.fullmatch(pin) and _OF_AN_ADDRESS(text)) for pin in pins)


def _is_maybe_password(text: str) -> bool:
    maybe = (
        said["secret"]
        for said in _MAYBE_ONE.finditer(text)
        if (said["of"] or "").casefold() not in _PASSES
    )
    if any(map(_looks_like_one, maybe)):
        return True
    labelled = _LABELLED_PASS.search(text)
    return labelled is not None and _OF_A_LOGIN(text) and _is_told(labelled["secret"])


def _looks_told(*patterns: re.Pattern[str]) -> Finder:
    """Finds what looks like a password where a pattern says that one stands."""

    def found_in(text: str) -> bool:
        told = (said["secret"] for each in patterns for said in each.finditer(text))
        return any(map(_looks_like_one, told))

    return found_in


_IS_PASSWORD = (
    near(_TELLS, _is_password),
    near(_TELLS, _is_told_in_full),
    near(_PIN_TELLS, _is_pin),
    near(_CONNECTION_TELLS, _CONNECTION),
    near("cred|login|log-in|zugangsdaten", _is_login),
)
_IS_MAYBE_PASSWORD = (
    near("pass|clave|chave|secret|cred|login|log-in", _is_maybe_password),
    near(_TELLS, _looks_told(*_OTHERWISE_TOLD)),
    near(f"{_TELLS}|pass", _looks_told(*_TOLD_AS_ONE), after=100),
    near("wifi|wi-fi|wlan|ssid|@|in with ", _looks_told(*_LOGIN_BESIDE)),
)


def is_password(reading: Reading) -> bool:
    """True for a password, a PIN or a login that is said as such, and for one in an address."""
    return any(found_in(reading) for found_in in _IS_PASSWORD)


def is_hinted_password(reading: Reading) -> bool:
    """True for what looks like a password beside a word that may mean one, such as "pass"."""
    return any(found_in(reading) for found_in in _IS_MAYBE_PASSWORD)
