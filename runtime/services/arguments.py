"""What a command was given is read here: a child may send anything, and so nothing is taken on trust.

Whatever is not of the expected form is Invalid, in words for a script's author; nothing of Python shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from runtime.core.errors import Invalid


def argument(args: Sequence[Any], index: int = 0) -> Any:
    """Return the argument at `index`, None where fewer were given."""
    return args[index] if index < len(args) else None


def table(value: Any, what: str = "the argument") -> dict[str, Any]:
    """Return `value` as a map, an empty one for nil and an empty table of Lua, which may come as a list."""
    if value is None or value == []:
        return {}
    if not isinstance(value, dict):
        raise Invalid(f"{what} must be a table of names and values")
    return value


def text(value: Any, what: str = "the argument") -> str:
    """Return `value`, which must be text."""
    if not isinstance(value, str):
        raise Invalid(f"{what} must be text")
    return value


def shown(value: Any) -> str:
    """Return any plain value as text in the words of Lua; what is no text in bytes is replaced."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if value is None or isinstance(value, bool):
        return {None: "nil", True: "true", False: "false"}[value]
    return "a table" if isinstance(value, dict | list) else str(value)


def whole(value: Any, what: str = "the argument") -> int:
    """Return `value`, which must be a whole number of 64 bits."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not -(2**63) <= value < 2**63:
        raise Invalid(f"{what} must be a whole number")
    return value
