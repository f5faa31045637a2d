"""Canonical JSON and digests: equal values give equal bytes, on every machine and version.

UTF-8, keys sorted by code point, no blanks, shortest round-trip floats, integers exact, NaN and infinity
refused. Bytes have no JSON form: the caller encodes them first.
"""

from __future__ import annotations

import hashlib
import json

from runtime.core.errors import Invalid
from runtime.core.values import Value


def canonical(value: Value) -> bytes:
    """Return the canonical JSON of `value`; raise Invalid for NaN, infinity, bytes, cycles and odd keys."""
    try:
        _check_keys(value)
        text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
        return text.encode("utf-8")
    except (TypeError, ValueError, RecursionError) as error:
        raise Invalid(f"value has no canonical JSON form: {error}") from error


def digest(data: bytes) -> str:
    """Return the SHA-256 of `data`, written `sha256:<hex>`."""
    return "sha256:" + hashlib.sha256(data).hexdigest()


def value_digest(value: Value) -> str:
    """Return the digest of the canonical JSON of `value`."""
    return digest(canonical(value))


def _check_keys(value: Value) -> None:
    # json.dumps would silently turn 1 and None into strings as keys, so two different values would be equal.
    if isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(key, str):
                raise TypeError(f"key {key!r} is not a string")
            _check_keys(item)
    elif isinstance(value, list | tuple):
        for item in value:
            _check_keys(item)
