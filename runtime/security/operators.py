"""The fourteen operators of conditions and how values of different types are compared.

`eq` compares as they are, then as numbers (texts that are numbers count), then as texts; `ne`, `in`, `nin`,
`contains` and `ncontains` build on it. A missing field satisfies no operator but `exists: false` and
`nexists: true`. Where a comparison has no meaning it raises ConditionError, and the policy does not apply.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from runtime.core.values import Value
from runtime.registry.entry import same

_NUMBER = re.compile(
    r"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|inf|infinity|nan)", re.I | re.A
)
_INTEGER = re.compile(r"[+-]?[0-9]+", re.A)
_LONGEST_NUMBER = 400  # characters; a double has at most 309 digits before the point
_LARGEST_BITS = 1024  # the largest integer that is written as text


class ConditionError(Exception):
    """A comparison that has no meaning for the values at hand."""


def number(value: Value) -> int | float | None:
    """Return `value` as a number: a number itself, or a text that is one; a boolean is none."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        return value
    if not isinstance(value, str) or len(value) > _LONGEST_NUMBER or not _NUMBER.fullmatch(value):
        return None
    parsed = float(value)
    if math.isinf(parsed) and "i" not in value.lower():  # out of range, so no number
        return None
    return int(value) if _INTEGER.fullmatch(value) else parsed


def text(value: Value) -> str | None:
    """Return `value` as a text: numbers in plain decimals, `true`, `false`; lists and maps have none."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        if value.bit_length() > _LARGEST_BITS:
            raise ConditionError("the number is too large")
        return str(value)
    if isinstance(value, float):
        return _decimals(value)
    return None


def _decimals(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    return format(Decimal(repr(value)), "f").removesuffix(".0")


def equals(left: Value, right: Value) -> bool:
    """Whether the two are the same (lists, maps: item by item), else the same number, else text."""
    if same(left, right):
        return True
    left_number, right_number = number(left), number(right)
    if left_number is not None and right_number is not None:
        return left_number == right_number
    left_text, right_text = text(left), text(right)
    return left_text is not None and left_text == right_text


def _ordered(compare: Callable[[Any, Any], bool]) -> Callable[[Value, Value], bool]:
    def operator(present: Value, wanted: Value) -> bool:
        left, right = number(present), number(wanted)
        if left is None or right is None:
            raise ConditionError("both sides must be numbers")
        return compare(left, right)

    return operator


def _is_in(present: Value, wanted: Value) -> bool:
    if isinstance(wanted, str):
        return equals(present, wanted)
    if isinstance(wanted, list | tuple):
        return any(equals(present, each) for each in wanted)
    raise ConditionError("the other side must be a list or a string")


def _contains(present: Value, wanted: Value) -> bool:
    whole, part = text(present), text(wanted)
    if whole is not None and part is not None:
        return part in whole
    if isinstance(present, list | tuple):
        return any(equals(each, wanted) for each in present)
    if isinstance(present, str):  # a text holds no list, no map and no missing value
        return False
    raise ConditionError("the field must be a string, a number, a boolean or a list")


def _matches(present: Value, wanted: Any) -> bool:
    whole = text(present)
    if whole is None:
        raise ConditionError("the field must be a string, a number or a boolean")
    try:
        return wanted.search(whole) is not None
    except UnicodeEncodeError as error:  # half a surrogate pair: no text that RE2 can read
        raise ConditionError("the field is not valid unicode") from error


def _not(operator: Callable[[Value, Any], bool]) -> Callable[[Value, Any], bool]:
    return lambda present, wanted: not operator(present, wanted)


def exists(present: Value, wanted: Value) -> bool:
    """Whether the field is there, compared with what is wanted; only a missing field needs a boolean."""
    if present is not None:
        return wanted if isinstance(wanted, bool) else True
    if not isinstance(wanted, bool):
        raise ConditionError("the other side must be a boolean")
    return not wanted


OPERATORS: Mapping[str, Callable[[Value, Any], bool]] = {
    "eq": equals,
    "ne": _not(equals),
    "lt": _ordered(lambda left, right: bool(left < right)),
    "gt": _ordered(lambda left, right: bool(left > right)),
    "lte": _ordered(lambda left, right: bool(left <= right)),
    "gte": _ordered(lambda left, right: bool(left >= right)),
    "in": _is_in,
    "nin": _not(_is_in),
    "exists": exists,
    "nexists": _not(exists),
    "contains": _contains,
    "ncontains": _not(_contains),
    "matches": _matches,
    "nmatches": _not(_matches),
}


def compare(operator: str, present: Value, wanted: Any) -> bool:
    """Return whether `present <operator> wanted` holds; for `[n]matches` `wanted` is a compiled RE2.

    Raises ConditionError where the comparison has no meaning, KeyError for an unknown operator.
    """
    if present is None and operator not in ("exists", "nexists"):
        return False
    return OPERATORS[operator](present, wanted)
