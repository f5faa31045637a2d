"""What a secret looks like: where in a text a token, a key or a password stands, by shape alone.

Every search starts at a literal (`sk-`, `eyJ`, `password`) that plain string search finds, and reads on from
there with possessive patterns, never twice over the same stretch, so hostile text costs linear time. A shape
is taken for a secret only with its context: digests, UUIDs, identifiers and source code such as
`password=env.get("DB")` stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

Span: TypeAlias = tuple[int, int, str]
"""Start, end (exclusive) and kind of secret."""

MINIMUM = 8
"""Characters below which a text holds no token."""


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    anchor: str
    pattern: re.Pattern[str]
    stretch: re.Pattern[str] | None = None
    """What can be left out after a failure: a start further on in it would fail in the same way."""
    looks: re.Pattern[str] | None = None
    """What must be found in it besides, where words have the same shape."""


_TOKENS = (
    _Token("anthropic", "sk-ant-", re.compile(r"sk-ant-[A-Za-z0-9_-]{8,}+")),
    _Token("openai", "sk-", re.compile(r"sk-[A-Za-z0-9_-]{8,}+"), looks=re.compile(r"\d|[A-Z]|[a-z]{16}")),
    _Token("stripe", "sk_live_", re.compile(r"sk_live_[A-Za-z0-9]{10,}+")),
    _Token("stripe", "rk_live_", re.compile(r"rk_live_[A-Za-z0-9]{10,}+")),
    _Token("github", "gh", re.compile(r"gh[pousr]_[A-Za-z0-9]{10,}+")),
    _Token("github", "github_pat_", re.compile(r"github_pat_[A-Za-z0-9_]{10,}+")),
    _Token("gitlab", "glpat-", re.compile(r"glpat-[A-Za-z0-9_-]{10,}+")),
    _Token("aws", "AKIA", re.compile(r"AKIA[A-Z0-9]{16}(?![A-Za-z0-9])")),
    _Token("aws", "ASIA", re.compile(r"ASIA[A-Z0-9]{16}(?![A-Za-z0-9])")),
    _Token("google", "AIza", re.compile(r"AIza[A-Za-z0-9_-]{30,}+")),
    _Token("slack", "xox", re.compile(r"xox[abeoprs]-[A-Za-z0-9-]{8,}+")),
    _Token(
        "jwt",
        "eyJ",
        re.compile(r"eyJ[\w-]{6,}+\.[\w-]{6,}+(?:\.[\w-]*+){1,3}", re.ASCII),
        stretch=re.compile(r"[\w-]++", re.ASCII),
    ),
)
_ESCAPE = re.compile(r"\\[nrt]|%[0-9A-Fa-f]{2}")


def spans(text: str) -> list[Span]:
    """Return where secrets stand in `text`, in no order; they may overlap."""
    if len(text) < MINIMUM:
        return []
    found = [span for token in _TOKENS if token.anchor in text for span in _tokens(text, token)]
    if "PRIVATE KEY" in text:
        found += _private_keys(text)
    if "://" in text:
        found += [(*match.span(1), "password") for match in _USERINFO.finditer(text)]
    # Lower case must keep every position; the dotted capital I is the one letter that would become two.
    lower = text.lower() if text.isascii() else text.replace("\u0130", "I").lower()
    if "bearer" in lower:
        found += _authorizations(text, lower, "bearer", _BEARER)
    if "authorization" in lower:
        found += _authorizations(text, lower, "authorization", _AUTHORIZATION)
    for stem in _STEMS:
        if stem in lower:
            found += _assignments(text, lower, stem)
    return found


_RARE = ("AKIA", "ASIA", "AIza", "xox", "eyJ", "PRIVATE KEY")
_RARE_JOINED = (
    *("sk-", "sk_live_", "rk_live_", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-"),
)
_RARE_WORDS = ("passw", "secret", "pwd", "passphrase", "bearer", "authorization", "cookie")
_PREFIXED_KEY = re.compile(r"(?:api|access|private|signing|encryption)[_-]?key")
_ASSIGNED_TOKEN = re.compile(r"""token(?:\\{0,8}["'])?(?:[ \t]|\\t){0,4}(?:[:=]|%3d)""")


def may_hold_secrets(text: str) -> bool:
    """Return False only where nothing in the JSON `text` is a secret by shape or by the name of its field.

    That is what `spans` and `secret_name` say of its strings. It takes little time for the many texts in
    which nothing looks like one.
    """
    joined = "_" in text or "-" in text
    if any(map(text.__contains__, _RARE)) or (joined and any(map(text.__contains__, _RARE_JOINED))):
        return True
    if "://" in text and "@" in text:
        return True
    lower = text.lower() if text.isascii() else text.replace("\u0130", "I").lower()
    if any(map(lower.__contains__, _RARE_WORDS)) or ("key" in lower and _PREFIXED_KEY.search(lower)):
        return True
    if "token" in lower and _ASSIGNED_TOKEN.search(lower):
        return True
    return (joined or "token" in lower) and any(map(_bare(lower).__contains__, _SECRET_NAMES))


def _positions(text: str, anchor: str) -> Iterator[int]:
    at = text.find(anchor)
    while at >= 0:
        yield at
        at = text.find(anchor, at + 1)


def _tokens(text: str, token: _Token) -> Iterator[Span]:
    end = 0
    for at in _positions(text, token.anchor):
        if at < end or not _stands_alone(text, at):
            continue
        if match := token.pattern.match(text, at):
            end = match.end()
            if token.looks is None or token.looks.search(match[0], 3):
                yield at, end, token.kind
        elif token.stretch and (failed := token.stretch.match(text, at)):
            end = failed.end()


def _stands_alone(text: str, at: int) -> bool:
    if at == 0:
        return True
    before = text[at - 1]
    if not (before.isascii() and before.isalnum()):
        return True
    return bool(_ESCAPE.fullmatch(text, max(0, at - 2), at) or _ESCAPE.fullmatch(text, max(0, at - 3), at))


# Private keys in PEM

_BEGIN = re.compile(r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----")
_END = re.compile(r"-----END (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----")
_BODY = re.compile(r"(?:\s|\\[nr]){0,8}+[A-Za-z0-9+/=]{16,}+(?:[A-Za-z0-9+/=\s]|\\[nr])*+")


def _private_keys(text: str) -> Iterator[Span]:
    """A key that was cut before its end is masked as far as it reaches."""
    end = 0
    closing = _END.search(text)
    for at in _positions(text, "-----BEGIN "):
        begin = _BEGIN.match(text, at) if at >= end else None
        if begin is None:
            continue
        while closing and closing.start() < begin.end():
            closing = _END.search(text, closing.end())
        if closing:
            end = closing.end()
        else:
            body = _BODY.match(text, begin.end())
            if body is None:  # the words alone, in a manual
                continue
            end = body.end()
        yield at, end, "private_key"


# Credentials in URLs and headers

_USERINFO = re.compile(r"://[^\s/@:\"'?#\[]{0,256}+:([^\s/@\"'\[]{1,256}+)@")
_CREDENTIAL = r"(?P<token>[A-Za-z0-9._~+/=\-]++)"
_BEARER = re.compile(r"bearer(?:[ \t]|%20|\+){1,4}+" + _CREDENTIAL, re.IGNORECASE)
_AUTHORIZATION = re.compile(
    r"authorization[\\\"']{0,4}[ \t]{0,4}[:=][ \t]{0,4}[\\\"']{0,4}"
    r"(?P<scheme>(?:bearer|basic|token)[ \t]{1,4})?" + _CREDENTIAL,
    re.IGNORECASE,
)


def _authorizations(text: str, lower: str, anchor: str, pattern: re.Pattern[str]) -> Iterator[Span]:
    end = 0
    for at in _positions(lower, anchor):
        match = pattern.match(text, at) if at >= end else None
        if match is None:
            continue
        scheme = match.groupdict().get("scheme") or match.span() == (0, len(text))
        if scheme or is_random(match["token"]):  # what is not is short, so it may be looked at again
            end = match.end()
            yield *match.span("token"), anchor


def is_random(token: str) -> bool:
    """Return whether `token` looks made by a machine: it has a digit, or is longer than words are."""
    return len(token) >= MINIMUM and (len(token) >= 32 or any(map(str.isdigit, token)))


# Assignments: password=..., "api_key": "..."

_STEMS = ("password", "passwd", "passphrase", "pwd", "key", "token", "secret")
_KEY_PREFIX = re.compile(r"(?:api|secret|access|private|signing|encryption)[_-]?\Z")
_QUALIFIED = re.compile(r"[_-]?(?:access[_-]?)?key", re.IGNORECASE)
_VALUE = re.compile(
    r"""(?P<closed>\\{0,3}["'])?(?P<sep>[ \t]{0,4}[:=][ \t]{0,4}|%3[Dd])
    (?: "(?P<double>(?:[^"\\\r\n]|\\.)++)
    | '(?P<single>(?:[^'\\\r\n]|\\.)++)
    | \\{1,3}"(?P<escaped>[^"\\\r\n]++)
    | (?P<bare>[^\s"'`<>&;,(){}\[\]\\|=$*#][^\s"'`<>&;,(){}\[\]\\|]*+) )""",
    re.VERBOSE,
)
_CODE = re.compile(r"[A-Za-z_][A-Za-z_.:]*")
_ATTRIBUTE = re.compile(r"[A-Za-z_]+(?:\.[A-Za-z_]+)++")
_ENVIRONMENT = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
_LONG = 256
"""Characters of a value that was no secret, below which it is searched for one itself."""
_PLAIN_WORDS = frozenset(
    {"true", "false", "nil", "null", "none", "undefined", "required", "optional"}
    | {"string", "number", "integer", "boolean", "object", "array"}
)
_QUERY_NAME = re.compile(r"[?&][\w.\-\[\]]*+\Z", re.ASCII)


def _assignments(text: str, lower: str, stem: str) -> Iterator[Span]:
    end = 0
    for at in _positions(lower, stem):
        if at < end or (stem == "key" and not _KEY_PREFIX.search(lower, max(0, at - 12), at)):
            continue
        after = at + len(stem)
        if stem == "secret" and (rest := _QUALIFIED.match(text, after)):
            after = rest.end()
        match = _VALUE.match(text, after)
        if match is None:
            continue
        group = match.lastgroup or "bare"
        start, stop = match.span(group)
        if _is_assigned(text, at, match, group):
            end = stop
            yield start, stop, "api_key" if stem == "key" else stem
        elif stop - start > _LONG:
            end = stop


def _is_assigned(text: str, at: int, match: re.Match[str], group: str) -> bool:
    """Return whether the value is a secret and not a placeholder, a type, a name in code or prose."""
    value, separator = match[group], match["sep"]
    if not is_secret_value(value):
        return False
    if group == "bare" and separator == "=" and _in_query(text, at):
        return True
    if len(value) < 4 or (text.startswith("oken", at + 1) and not is_random(value)):
        return False
    if group != "bare":
        # After `"token=" .. id` the quote closes a string; what follows is code.
        return bool(match["closed"]) or value[0] not in " .+,);&?:]}"
    if separator.strip() == ":":
        return len(value) >= 12 and is_random(value)
    if separator not in ("=", "%3D", "%3d"):
        return False
    following = text[match.end() : match.end() + 1]
    return following not in tuple("([{") and not _is_code(value, following, text[at : match.start()].lower())


def _is_code(value: str, following: str, stem: str) -> bool:
    """Return whether `value` is a name in source: an attribute, an argument in a list, its own name."""
    if not _CODE.fullmatch(value):
        return False
    own = value.lower() == stem or value.lower().endswith(f"_{stem}")
    return own or following in tuple(",)};]") or _ATTRIBUTE.fullmatch(value) is not None


def _in_query(text: str, at: int) -> bool:
    start = max(text.rfind("?", max(0, at - 40), at), text.rfind("&", max(0, at - 40), at))
    return start >= 0 and _QUERY_NAME.match(text, start, at) is not None


def is_secret_value(value: str) -> bool:
    """Return whether `value`, where a secret belongs, is no placeholder, type, variable's name or digest."""
    return not (
        not value
        or value.startswith(("[redacted:", "$", "{", "<", "%(", "sha256:"))
        or value.lower() in _PLAIN_WORDS
        or _ENVIRONMENT.fullmatch(value)
    )


_SECRET_NAMES = (
    *(
        "password",
        "passwd",
        "passphrase",
        "apikey",
        "secretkey",
        "clientsecret",
        "privatekey",
        "authorization",
    ),
    *("secretaccesskey", "accesstoken", "refreshtoken", "authtoken", "sessiontoken"),
    "cookie",
)


def _bare(name: str) -> str:
    return name.replace("_", "").replace("-", "")


def secret_name(name: str) -> str | None:
    """Return the kind of secret that a field of this name holds (`apiKey`, `db_password`), or None."""
    if len(name) > 64:
        return None
    bare = _bare(name).lower()
    if not bare.endswith(_SECRET_NAMES):
        return None
    return next(kind for kind in _SECRET_NAMES if bare.endswith(kind))
