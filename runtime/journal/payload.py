"""A payload as text and back: masked, canonical JSON, with a form for bytes, which JSON lacks.

Bytes are written as `{"$bytes": "<base64>"}`. A map that already looks like that is wrapped in
`{"$map": ...}`, so every value comes back as it was.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping

from runtime.core.bounds import check_bounds
from runtime.core.canonical import canonical, encoded
from runtime.core.errors import Invalid
from runtime.core.redact import Redactor
from runtime.core.shapes import secret_name
from runtime.core.values import Value

MAX_PAYLOAD = 64 * 1024 * 1024

_PLAIN: frozenset[type] = frozenset({type(None), bool, int, float, str})
_BYTES = "$bytes"
_MAP = "$map"


def encode(payload: Value, redactor: Redactor) -> tuple[Value, str]:
    """Return the masked copy of `payload` and its text; raise Invalid where it has no canonical form."""
    check_bounds(payload)
    if (found := _unmasked(payload, redactor)) is not None:
        return found
    masked = redactor.value(payload)
    text = canonical(_plain(masked)).decode()
    if len(text) > MAX_PAYLOAD:
        raise Invalid(f"payload of {len(text)} characters is over the limit of {MAX_PAYLOAD}")
    return masked, text


class _Unusual(Exception):
    """A payload that is no plain JSON, or has a field whose name says that it holds a secret."""


def _unmasked(payload: Value, redactor: Redactor) -> tuple[Value, str] | None:
    """Return what `encode` does for a plain payload in which nothing is masked, in a fraction of the time.

    None where that is not sure: then the long way finds out, and says what is wrong.
    """
    try:
        copy = payload if type(payload) in _PLAIN else _copied(payload)
        text = encoded(copy)
        text.encode()
    except (_Unusual, TypeError, ValueError):
        return None
    if len(text) > MAX_PAYLOAD or '{"$' in text or redactor.may_mask(text):
        return None
    return copy, text


def _copied(value: Value) -> Value:
    """Return a copy of a value that `check_bounds` has accepted."""
    if type(value) is dict:
        copy: dict[str, Value] = {}
        for key, item in value.items():
            if type(key) is not str or (type(item) is str and secret_name(key)):
                raise _Unusual
            copy[key] = item if type(item) in _PLAIN else _copied(item)
        return copy
    if type(value) is list:
        return [item if type(item) in _PLAIN else _copied(item) for item in value]
    raise _Unusual


def read(text: str) -> Value:
    """Return the payload that `encode` wrote as `text`, None where it is none."""
    try:
        return decode(text)
    except (ValueError, TypeError, RecursionError):
        return None


def decode(text: str) -> Value:
    """Return the payload that `encode` wrote as `text`; raise ValueError where it is none."""
    value: Value = json.loads(text)
    return _original(value) if '{"$' in text else value


def _plain(value: Value) -> Value:
    if isinstance(value, bytes):
        return {_BYTES: base64.b64encode(value).decode()}
    if isinstance(value, Mapping):
        plain: dict[str, Value] = {key: _plain(item) for key, item in value.items()}
        return {_MAP: plain} if _is_marked(plain) else plain
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value


def _original(value: Value) -> Value:
    if isinstance(value, list):
        return [_original(item) for item in value]
    if not isinstance(value, dict):
        return value
    if _is_marked(value):
        inner = next(iter(value.values()))
        if _MAP in value and isinstance(inner, dict):
            return {key: _original(item) for key, item in inner.items()}
        if _BYTES in value and isinstance(inner, str):
            try:
                return base64.b64decode(inner, validate=True)
            except binascii.Error as error:
                raise ValueError(f"`{_BYTES}` holds no base64") from error
        raise ValueError(f"`{next(iter(value))}` holds a {type(inner).__name__}")
    return {key: _original(item) for key, item in value.items()}


def _is_marked(mapping: Mapping[str, Value]) -> bool:
    return len(mapping) == 1 and (_BYTES in mapping or _MAP in mapping)
