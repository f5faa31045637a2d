"""JSON text to plain data: what JSON can say and Lua can not hold is refused by name, with the place.

Places are written as paths: `$.items[2].id` (1-based indexes, as Lua counts). An empty object looks like an
empty array in Lua, so the paths of empty objects come along and the module remembers those tables.
"""

from __future__ import annotations

import json
import re

from runtime.core.errors import Internal, Invalid
from runtime.core.values import Value

MAX_DEPTH = 60
"""Less than the 64 levels in which a value may cross to Lua, so that what was read can be written again."""

MAX_NODES = 200_000
_INT64 = range(-(2**63), 2**63)
_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def decode_for_lua(text: object) -> Value:
    """Return [value, paths of the empty objects in it]; raise as `decode`."""
    empty: list[Value] = []
    return [_checked(_parsed(text), empty), empty]


def decode(text: object) -> Value:
    """Return the value of a JSON text.

    Raises Invalid for what is no string or empty, Internal (the kind that the field's API documents) for
    broken syntax, NaN, infinity, integers beyond 64 bits, lone surrogates, deep nesting and too many nodes.
    """
    return _checked(_parsed(text), [])


def _parsed(text: object) -> Value:
    if not isinstance(text, str | bytes):
        raise Invalid("input must be a string", retryable=False)
    if not text:
        raise Invalid("input is empty: expected a JSON text", retryable=False)
    if isinstance(text, bytes):
        raise Internal("input is not valid UTF-8", retryable=False)
    try:
        value: Value = json.loads(text, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno} column {error.colno}"
        message = error.msg[:1].lower() + error.msg[1:]
        raise Internal(f"invalid JSON at {where}: {message}", retryable=False) from None
    except RecursionError:
        raise Internal(f"JSON is nested deeper than {MAX_DEPTH} levels", retryable=False) from None
    except ValueError as error:  # an integer of more digits than Python converts
        raise Internal(f"invalid JSON: {error}", retryable=False) from None
    return value


def _checked(value: Value, empty: list[Value]) -> Value:
    """Return `value` when Lua can hold it, and the paths of its empty objects in `empty`.

    Raises Internal that names what Lua can not hold and where it is.
    """
    nodes = 0
    pending: list[tuple[Value, tuple[object, ...], int]] = [(value, (), 0)]
    while pending:
        item, path, depth = pending.pop()
        nodes += 1
        if nodes > MAX_NODES:
            raise Internal(f"JSON has more than {MAX_NODES} values", retryable=False)
        if depth >= MAX_DEPTH and isinstance(item, dict | list):
            raise Internal(f"JSON is nested deeper than {MAX_DEPTH} levels", retryable=False)
        if isinstance(item, dict):
            if not item:
                empty.append(_steps(path))
            for key, child in item.items():
                _check_text(key, path)
                pending.append((child, (path, key), depth + 1))
        elif isinstance(item, list):
            for index, child in enumerate(item, start=1):
                pending.append((child, (path, index), depth + 1))
        elif isinstance(item, str):
            _check_text(item, path)
        elif isinstance(item, int) and not isinstance(item, bool) and item not in _INT64:
            raise Internal(f"integer at {show_path(_steps(path))} does not fit in 64 bits", retryable=False)
        elif isinstance(item, float) and item in (float("inf"), float("-inf")):
            raise Internal(f"number at {show_path(_steps(path))} is too large for a float", retryable=False)
    return value


def _steps(path: tuple[object, ...]) -> list[Value]:
    """Return the steps of the linked path `((), "a"), 2`, outermost first."""
    steps: list[Value] = []
    while path:
        outer, step = path
        steps.append(step)  # type: ignore[arg-type]
        path = outer  # type: ignore[assignment]
    return steps[::-1]


def show_path(steps: list[Value]) -> str:
    """Return `$.a[2]` for the steps `a`, 2."""
    shown = "$"
    for step in steps:
        if isinstance(step, str) and _PLAIN_KEY.fullmatch(step):
            shown += f".{step}"
        else:
            shown += f"[{step!r}]"
    return shown


def _check_text(text: str, path: tuple[object, ...]) -> None:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise Internal(f"string at {show_path(_steps(path))} has a lone surrogate", retryable=False) from None


def _no_constant(name: str) -> Value:
    raise Internal(f"`{name}` is not JSON", retryable=False)
