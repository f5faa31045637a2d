"""No secret leaves the process: texts are masked by shape and by what was learned at run time.

A masked secret reads `[redacted:<kind>]`. The journal masks before it hashes, logs and errors before they are
shown; all of them share one `Redactor`, which learns each credential where it is read. Masking what is masked
changes nothing.
"""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Iterable, Mapping
from typing import TypeVar
from urllib.parse import quote, quote_plus

from runtime.core.bounds import MAX_DEPTH
from runtime.core.errors import Error, Place
from runtime.core.shapes import MINIMUM, Span, is_secret_value, may_hold_secrets, secret_name, spans
from runtime.core.values import Value

_E = TypeVar("_E", bound=Error)


class Redactor:
    """Masks secrets in texts, values and errors; safe to use from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._learned: dict[str, str] = {}
        """Form of a secret -> kind; replaced whole, so readers need no lock."""
        self._in_json: tuple[str, ...] = ()
        """The forms as they stand inside the strings of a JSON text."""

    def learn(self, secret: str, kind: str = "secret") -> bool:
        """Mask `secret` from now on, also in base64, percent-encoded or quoted in JSON.

        Return False, and learn nothing, when it has fewer than 8 characters: it would maul ordinary text.
        """
        secret = secret.strip()
        if len(secret) < MINIMUM:
            return False
        with self._lock:
            learned = {**dict.fromkeys(_forms(secret), kind), **self._learned}
            self._in_json = tuple({json.dumps(form, ensure_ascii=False)[1:-1] for form in learned})
            self._learned = learned
        return True

    def text(self, text: str) -> str:
        """Return `text` with every secret masked."""
        found = [*spans(text), *self._known(text)]
        return _mask(text, found) if found else text

    def may_mask(self, text: str) -> bool:
        """Return False only where `value` masks nothing of what is the JSON `text`, bytes in it aside."""
        return may_hold_secrets(text) or any(map(text.__contains__, self._in_json))

    def learned(self, text: str) -> str:
        """Return `text` with the secrets masked that were learned, and nothing for its shape alone."""
        found = self._known(text)
        return _mask(text, found) if found else text

    def begun(self, text: str) -> int:
        """Return how many characters at the end of `text` may be the beginning of a learned secret."""
        longest = 0
        for form in self._learned:
            at = text.find(form[0], max(0, len(text) - len(form) + 1))
            while 0 <= at < len(text) - longest:
                if form.startswith(text[at:]):
                    longest = len(text) - at
                at = text.find(form[0], at + 1)
        return longest

    def value(self, value: Value) -> Value:
        """Return a copy of `value`, all plain lists and dicts, with every secret masked, in keys too.

        What is nested deeper than MAX_DEPTH is left out and says so.
        """
        return self._value(value, 0)

    def error(self, error: _E) -> _E:
        """Return `error`, or a copy of it whose message, place and details are masked."""
        message = self.text(error.message)
        place = error.place and Place(self.text(error.place.path), error.place.line, error.place.column)
        details = self.value(error.details)
        if (message, place, details) == (error.message, error.place, error.details):
            return error
        masked = type(error).__new__(type(error))
        masked.__dict__.update(error.__dict__, message=message, place=place, details=details)
        masked.args = (message,)
        return masked.with_traceback(error.__traceback__)

    def _known(self, text: str) -> list[Span]:
        found: list[Span] = []
        for form, kind in self._learned.items():
            at = text.find(form)
            while at >= 0:
                found.append((at, at + len(form), kind))
                at = text.find(form, at + len(form))
        return found

    def _value(self, value: Value, depth: int) -> Value:
        if isinstance(value, str):
            return self.text(value) if len(value) >= MINIMUM else value
        if isinstance(value, bytes):
            if len(value) < MINIMUM:
                return value
            text = value.decode("utf-8", "surrogateescape")
            return self.text(text).encode("utf-8", "surrogateescape")
        if isinstance(value, Mapping):
            return self._mapping(value, depth + 1) if depth < MAX_DEPTH else "[too deep]"
        if isinstance(value, list | tuple):
            return [self._value(item, depth + 1) for item in value] if depth < MAX_DEPTH else "[too deep]"
        return value

    def _mapping(self, mapping: Mapping[str, Value], depth: int) -> dict[str, Value]:
        masked: dict[str, Value] = {}
        for key, item in mapping.items():
            name = self.text(key) if isinstance(key, str) and len(key) >= MINIMUM else key
            if name is not key:
                name = _unused(name, masked, mapping)
            kind = secret_name(name) if isinstance(item, str) and isinstance(name, str) else None
            if kind and isinstance(item, str) and is_secret_value(item):
                masked[name] = f"[redacted:{kind}]"
            else:
                masked[name] = self._value(item, depth)
        return masked


def _unused(name: str, *taken: Mapping[str, Value]) -> str:
    """Two secret keys of one map must stay two keys."""
    number, free = 1, name
    while any(free in mapping for mapping in taken):
        number += 1
        free = f"{name}({number})"
    return free


def _mask(text: str, found: Iterable[Span]) -> str:
    """Replace the spans; of spans that overlap, the first names the kind and all are covered."""
    parts: list[str] = []
    done = 0
    for start, end, kind in sorted(found, key=lambda span: (span[0], -span[1])):
        if end <= done:
            continue
        if start >= done:
            parts += (text[done:start], f"[redacted:{kind}]")
        done = end
    return "".join((*parts, text[done:]))


def _forms(secret: str) -> list[str]:
    """Return the texts in which `secret` may turn up, each long enough to be searched for."""
    data = secret.encode("utf-8", "surrogateescape")
    percent = quote(data, safe="")
    forms = [secret, json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]]
    forms += [percent, quote_plus(data), quote(data), _lower_hex(percent)]
    for form in (base64.b64encode(data).decode(), *_inside_base64(data)):
        forms += [form, form.rstrip("="), form.replace("+", "-").replace("/", "_")]
    return [form for form in dict.fromkeys(forms) if len(form) >= MINIMUM]


def _inside_base64(data: bytes) -> list[str]:
    """Return what `data` contributes to the base64 of a longer text, at each of the three alignments."""
    found = []
    for offset, skipped in ((0, 0), (1, 2), (2, 3)):
        encoded = base64.b64encode(bytes(offset) + data).decode()
        found.append(encoded[skipped : (offset + len(data)) * 8 // 6])
    return found


def _lower_hex(percent: str) -> str:
    head, *rest = percent.split("%")
    return "".join((head, *(f"%{part[:2].lower()}{part[2:]}" for part in rest)))
