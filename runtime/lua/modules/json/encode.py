"""Plain data to JSON text: keys sorted, integral floats as integers, and nothing that JSON can not say.

NaN, infinity and strings that are no UTF-8 are refused with their path. An empty table is an empty array,
unless the module knows it for an object.
"""

from __future__ import annotations

import json
import math

from runtime.core.errors import Error, Internal
from runtime.core.values import Value
from runtime.core.wire import MAX_BYTES
from runtime.lua.modules.json.decode import show_path

_INT64 = 2.0**63


def encode(value: Value, objects: list[list[Value]] | None = None) -> Value:
    """Return the JSON text of `value`; `objects` are the paths of the empty tables that are objects."""
    paths = {tuple(path) for path in objects} if objects else set()
    prepared = _prepared(value, (), paths)
    text = json.dumps(prepared, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":"))
    if len(text) * 4 > MAX_BYTES and len(text.encode("utf-8")) > MAX_BYTES - 1024:
        raise Internal(f"JSON text is over the limit of {MAX_BYTES} bytes", retryable=False)
    return text


def _prepared(value: Value, path: tuple[Value, ...], objects: set[tuple[Value, ...]]) -> Value:
    if isinstance(value, dict):
        if not value:
            return {} if path in objects else []
        return {_key(key, path): _prepared(item, (*path, key), objects) for key, item in value.items()}
    if isinstance(value, list):
        return [_prepared(item, (*path, place), objects) for place, item in enumerate(value, start=1)]
    if isinstance(value, bytes):
        raise Internal(f"string at {show_path(list(path))} is not valid UTF-8", retryable=False)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise Internal(f"number at {show_path(list(path))} is NaN or infinite", retryable=False)
        # Lua has integers and floats; JSON has numbers, and 3.0 is written 3.
        return int(value) if value.is_integer() and abs(value) < _INT64 else value
    if isinstance(value, Error):
        return str(value)
    return value


def _key(key: object, path: tuple[Value, ...]) -> str:
    if isinstance(key, str):
        return key
    raise Internal(f"a key in {show_path(list(path))} is not valid UTF-8", retryable=False)
