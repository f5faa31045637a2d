"""A payload as text and back: masked, canonical JSON, with a form for bytes, which JSON lacks.

Bytes are written as `{"$bytes": "<base64>"}`. A map that already looks like that is wrapped in
`{"$map": ...}`, so every value comes back as it was.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Collection, Mapping
from typing import Any

from jiter import from_json

from runtime.core.bounds import MAX_DEPTH, MAX_NODES, check_bounds
from runtime.core.canonical import canonical, encoded
from runtime.core.errors import Invalid
from runtime.core.redact import Redactor
from runtime.core.values import Value

MAX_PAYLOAD = 64 * 1024 * 1024

_PLAIN: frozenset[type] = frozenset({type(None), bool, int, float, str})
_KEYS: frozenset[type] = frozenset({str})
_BYTES = "$bytes"
_MAP = "$map"


def encode(payload: Value, redactor: Redactor) -> str:
    """Return the text of `payload` with every secret masked; raise Invalid where it has no canonical form."""
    text = encode_plain(payload)
    return masked(payload, redactor) if text is None or redactor.may_mask(text) else text


def masked(payload: Value, redactor: Redactor) -> str:
    """Return what `encode` does for any payload, by a look at each of its strings."""
    check_bounds(payload)
    text = canonical(_plain(redactor.value(payload))).decode()
    if len(text) > MAX_PAYLOAD:
        raise Invalid(f"payload of {len(text)} characters is over the limit of {MAX_PAYLOAD}")
    return text


def encode_plain(payload: Value) -> str | None:
    """Return the text of `payload` as it is, None where that takes more than plain JSON.

    Where nothing in the text is masked, `masked` writes the same in many times the time.
    """
    if type(payload) not in _PLAIN and not _is_plain(payload):
        return None
    try:
        text = encoded(payload)
        text.encode()
    except (TypeError, ValueError):
        return None  # the long way says what is wrong
    return None if len(text) > MAX_PAYLOAD or '{"$' in text else text


def _is_plain(payload: Value) -> bool:
    """Return whether `payload` is maps and lists of JSON's values within the bounds of `check_bounds`."""
    level: list[Any] = [payload]
    nodes = 1
    for _ in range(MAX_DEPTH):
        following: list[Any] = []
        for item in level:
            if isinstance(item, dict):
                if not _KEYS.issuperset(map(type, item)):
                    return False
                inner: Collection[Any] = item.values()
            elif isinstance(item, list):
                inner = item
            else:
                return False
            nodes += len(inner)
            if not _PLAIN.issuperset(map(type, inner)):
                following += [each for each in inner if type(each) not in _PLAIN]
        if not following:
            return nodes <= MAX_NODES
        if nodes > MAX_NODES:
            return False
        level = following
    return False


def read(text: str) -> Value:
    """Return the payload that `encode` wrote as `text`, None where it is none."""
    try:
        return decode(text)
    except (ValueError, TypeError, RecursionError):
        return None


def decode(text: str) -> Value:
    """Return the payload that `encode` wrote as `text`; raise ValueError where it is none."""
    value: Value = from_json(text.encode(), allow_inf_nan=False)
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
