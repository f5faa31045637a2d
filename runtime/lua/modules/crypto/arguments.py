"""What the functions of `crypto` accept: byte strings and bounded whole numbers."""

from __future__ import annotations

from runtime.core.errors import Invalid

MAX_RANDOM = 1024 * 1024
MAX_DATA = 12 * 1024 * 1024


def octets(value: object, name: str, *, empty: bool = True) -> bytes:
    """Return a Lua string as bytes; raise Invalid where it is none, too long, or empty and may not be."""
    if not isinstance(value, str | bytes):
        raise Invalid(f"{name} must be a string", retryable=False)
    data = value.encode("utf-8") if isinstance(value, str) else value
    if not data and not empty:
        raise Invalid(f"{name} cannot be empty", retryable=False)
    if len(data) > MAX_DATA:
        raise Invalid(f"{name} of {len(data)} bytes is over the limit of {MAX_DATA}", retryable=False)
    return data


def whole(value: object, name: str, low: int, high: int) -> int:
    """Return a whole number from `low` to `high`; raise Invalid with the range."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise Invalid(f"{name} must be a whole number from {low} to {high}", retryable=False)
    return value
