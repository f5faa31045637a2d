"""What goes to a provider and comes back is JSON that Lua and the journal can hold too.

Lua knows byte strings, NaN and tables that are neither list nor map; a provider may send halves of surrogate
pairs and integers of any size. Text that is no valid unicode gets replacement characters, numbers that JSON
lacks become null.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, NoReturn

from runtime.core.bounds import check_bounds
from runtime.core.errors import Invalid
from runtime.core.values import Value

MAX_ARGUMENTS = 1_000_000  # characters of one call's arguments


def clean_text(text: str | bytes) -> str:
    """Return `text` as valid unicode; what is not valid becomes the replacement character."""
    if isinstance(text, bytes):
        return text.decode("utf-8", "replace")
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def clean(value: Any) -> Value:
    """Return a copy of `value` that JSON can hold; raise Invalid where it is too deep, too large, no data."""
    check_bounds(value)
    return _clean(value)


def _clean(value: Any) -> Value:
    if isinstance(value, str | bytes):
        return clean_text(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, Mapping):
        return {_key(key): _clean(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_clean(item) for item in value]
    raise Invalid(f"`{type(value).__name__}` is not plain data")


def _key(key: object) -> str:
    return clean_text(key) if isinstance(key, str | bytes) else str(key)


def read_arguments(text: str) -> tuple[dict[str, Value], str | None]:
    """Return the arguments of a call and None, or `{}` and what is wrong with them, in words for the model.

    Nothing and `null` mean no arguments.
    """
    if len(text) > MAX_ARGUMENTS:
        return {}, f"the arguments are longer than {MAX_ARGUMENTS} characters"
    if not text.strip():
        return {}, None
    try:
        value = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        reason = error.msg if isinstance(error, json.JSONDecodeError) else str(error) or "nested too deep"
        return {}, f"the arguments are not valid JSON ({reason}): {_extract(text)}"
    if value is None:
        return {}, None
    if not isinstance(value, dict):
        return {}, f"the arguments must be a JSON object, not {_extract(text)}"
    try:
        cleaned = clean(value)
        _check_integers(cleaned)
    except Invalid as error:
        return {}, f"the arguments can not be used: {error.message}"
    return cleaned if isinstance(cleaned, dict) else {}, None


def write_arguments(value: Any) -> str:
    """Return the arguments of a call in history as the text of a JSON object, whatever a script left."""
    if isinstance(value, str | bytes):
        arguments, problem = read_arguments(clean_text(value))
        return "{}" if problem else _dump(arguments)
    return _dump(clean(value)) if isinstance(value, Mapping) else "{}"


def _dump(value: Value) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _extract(text: str) -> str:
    cut = clean_text(text[:200])
    return f"`{cut}`" if len(text) <= 200 else f"`{cut}...`"


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def _check_integers(value: Value) -> None:
    if isinstance(value, bool):
        return
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise Invalid("an integer does not fit in 64 bits")
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        _check_integers(item)
