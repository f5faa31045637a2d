"""Plain data as keys of a cache: two keys are equal where values and types are, as conditions see them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from runtime.core.errors import Invalid
from runtime.core.values import Value


def typed_key(value: object) -> object:
    """Return `value` as something that can be hashed; raise Invalid for what is no plain data."""
    # For Python 1 == True == 1.0 and 0.0 == -0.0. For a condition they differ, so they share no decision.
    if value is None or type(value) is str:
        return value
    if isinstance(value, bool | int | bytes):
        return (type(value), value)
    if isinstance(value, float):
        return (float, repr(value))
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return (dict, tuple((key, typed_key(value[key])) for key in sorted(value)))
    if isinstance(value, list | tuple):
        return (list, tuple(map(typed_key, value)))
    raise Invalid(f"`{type(value).__name__}` in meta is not plain data")


def value_of(key: Any) -> Value:
    """Return the value that `key` was made from."""
    if key is None or isinstance(key, str):
        return key
    kind, content = key
    if kind is dict:
        return {name: value_of(item) for name, item in content}
    if kind is list:
        return [value_of(item) for item in content]
    return float(content) if kind is float else content
