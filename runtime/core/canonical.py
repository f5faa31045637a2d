"""Canonical JSON and digests: equal values give equal bytes, on every machine and version.

UTF-8 without escapes but those that JSON demands, keys sorted by code point, no blanks, integers exact,
floats in the shortest form that reads back the same (as `repr` writes it: `1.0`, `1e+16`), negative zero as
`0.0`. An integer and a float are different values: `1` and `1.0`. NaN, infinity, lone surrogates and bytes
have no form; who has bytes encodes them first.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from hashlib import sha256
from typing import TypeAlias

from runtime.core.bounds import check_bounds, locate
from runtime.core.errors import Invalid
from runtime.core.values import Value, is_unicode

MAX_DIGITS = 4300
"""Decimal digits of the largest integer: what a Python of default settings can read back."""

_MAX_BITS = int(MAX_DIGITS * math.log2(10))


def _encoder() -> Callable[[object], str]:
    """Return what writes a value as text; `JSONEncoder.encode` makes its C encoder anew for each value."""
    plain = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
    make = getattr(json.encoder, "c_make_encoder", None)
    if make is None:
        return plain.encode
    quote = json.encoder.encode_basestring
    encode = make(None, plain.default, quote, None, ":", ",", True, False, False)
    return lambda value: "".join(encode(value, 0))


_encode = _encoder()

_Json: TypeAlias = "dict[str, _Json] | list[_Json] | str | int | float | None"


def canonical(value: Value) -> bytes:
    """Return the canonical JSON of `value`; raise Invalid, which says why and where, if it has none.

    That is so for NaN, infinity, lone surrogates, bytes, keys that are no strings, integers of more than
    MAX_DIGITS digits, what is no plain data, and what `check_bounds` refuses.
    """
    check_bounds(value)
    try:
        _check_keys(value)
        return encoded(value).encode("utf-8")
    except (TypeError, ValueError) as error:
        raise Invalid(f"value has no canonical JSON form: {locate(value, _fault) or error}") from error


def encoded(value: Value) -> str:
    """Return the text of `canonical` for plain data whose keys are strings; raise as the encoder does."""
    text = _encode(value)
    return _encode(_without_negative_zero(value)) if "-0.0" in text else text


def digest(data: bytes) -> str:
    """Return the SHA-256 of `data`, written `sha256:<hex>`."""
    return "sha256:" + sha256(data).hexdigest()


def value_digest(value: Value) -> str:
    """Return the digest of the canonical JSON of `value`."""
    return digest(canonical(value))


def _check_keys(value: object) -> None:
    # The encoder would silently turn 1 and None into strings as keys, so two different values would be equal.
    if isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(key, str):
                raise TypeError
            if isinstance(item, dict | list | tuple):
                _check_keys(item)
    elif isinstance(value, list | tuple):
        for item in value:
            if isinstance(item, dict | list | tuple):
                _check_keys(item)


def _without_negative_zero(value: object) -> _Json:
    if isinstance(value, dict):
        return {key: _without_negative_zero(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_without_negative_zero(item) for item in value]
    if isinstance(value, float) and value == 0.0:
        return 0.0
    return value  # type: ignore[return-value]  # the encoder has accepted it


def _fault(item: object) -> str | None:
    """Return why `item` itself, not what it holds, has no canonical form."""
    if isinstance(item, float):
        return None if math.isfinite(item) else f"{item} is no JSON number"
    if isinstance(item, int):
        return None if item.bit_length() <= _MAX_BITS else f"an integer of more than {MAX_DIGITS} digits"
    if isinstance(item, str):
        return None if is_unicode(item) else "a string that is no valid unicode"
    if isinstance(item, dict):
        return next((reason for key in item if (reason := _key_fault(key))), None)
    if item is None or isinstance(item, list | tuple):
        return None
    return f"`{type(item).__name__}` is not plain data"


def _key_fault(key: object) -> str | None:
    if not isinstance(key, str):
        return f"the key {key!r:.80} is not a string"
    return None if is_unicode(key) else "a key that is no valid unicode"
