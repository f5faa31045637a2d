"""What the operators mean on plain data: no type is taken for another, but integers and floats mix."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, TypeGuard

from runtime.core.errors import Invalid
from runtime.core.expr.limits import Budget
from runtime.core.expr.patterns import regular_expression

_SMALLEST, _LARGEST = -(2**63), 2**63 - 1


def is_number(value: Any) -> TypeGuard[int | float]:
    """Whether `value` is an integer or a float; a boolean is none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_integer(value: Any) -> TypeGuard[int]:
    """Whether `value` is an integer; a boolean is none."""
    return isinstance(value, int) and not isinstance(value, bool)


def type_of(value: Any) -> str:
    """Return the name of the type of `value`, as `type()` gives it."""
    if value is None:
        return "nil"
    names = ((bool, "bool"), (int, "int"), (float, "float"), (str, "string"), (list | tuple, "array"))
    for cls, name in names:
        if isinstance(value, cls):
            return name
    return "map" if isinstance(value, Mapping) else "bytes"


def checked(number: int | float) -> int | float:
    """Return `number`; raise Invalid where it does not fit 64 bits or is not finite."""
    if isinstance(number, int):
        if not _SMALLEST <= number <= _LARGEST:
            raise Invalid("integer overflow: the result does not fit 64 bits")
    elif not math.isfinite(number):
        raise Invalid("the result is no finite number")
    return number


def equal(left: Any, right: Any, budget: Budget) -> bool:
    """Whether two values are the same: numbers by value, arrays and maps item by item."""
    budget.step()
    if is_number(left) and is_number(right):
        return left == right
    if isinstance(left, list | tuple) and isinstance(right, list | tuple):
        return len(left) == len(right) and all(equal(a, b, budget) for a, b in zip(left, right, strict=True))
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return left.keys() == right.keys() and all(equal(left[key], right[key], budget) for key in left)
    return type_of(left) == type_of(right) and bool(left == right)


def contained(item: Any, whole: Any, budget: Budget) -> bool:
    """Whether `item` is in an array or a key of a map; nothing is in nil."""
    if whole is None:
        return False
    if isinstance(whole, Mapping):
        return isinstance(item, str) and item in whole
    if isinstance(whole, list | tuple):
        return any(equal(item, each, budget) for each in whole)
    raise Invalid(f"`in` needs an array or a map, not {type_of(whole)}")


def fetch(target: Any, key: Any) -> Any:
    """Return a member of a map (nil where it has none) or an item of an array (from its end if negative)."""
    if isinstance(target, Mapping):
        return target.get(key) if isinstance(key, str) else None
    if isinstance(target, list | tuple):
        if not target and isinstance(key, str):
            return None  # an empty table of Lua is an array and a map
        if not is_integer(key):
            raise Invalid(f"an array has no member `{key}`")
        if not -len(target) <= key < len(target):
            raise Invalid(f"index {key} is out of range: the array has {len(target)} items")
        return target[key]
    raise Invalid(f"cannot fetch `{key}` from {type_of(target)}")


def cut(target: Any, low: Any, high: Any, budget: Budget) -> Any:
    """Return a part of an array or a string; negative bounds count from the end."""
    if not isinstance(target, list | tuple | str):
        raise Invalid(f"a slice needs an array or a string, not {type_of(target)}")
    for bound in (low, high):
        if bound is not None and not is_integer(bound):
            raise Invalid(f"the bound of a slice must be an integer, not {type_of(bound)}")
    part = target[slice(low, high)]
    budget.make(len(part))
    return part if isinstance(part, str) else list(part)


def spread(low: Any, high: Any, budget: Budget) -> list[int]:
    """Return the integers from `low` to `high`, both included."""
    if not is_integer(low) or not is_integer(high):
        raise Invalid(f"`..` needs integers, not {type_of(low)} and {type_of(high)}")
    budget.make(max(0, high - low + 1))
    return list(range(low, high + 1))


def _added(left: Any, right: Any, budget: Budget) -> Any:
    if isinstance(left, str) and isinstance(right, str):
        budget.make(len(left) + len(right))
        return left + right
    return _arithmetic("+", lambda a, b: a + b)(left, right, budget)


def _arithmetic(name: str, work: Callable[[Any, Any], Any]) -> Callable[[Any, Any, Budget], Any]:
    def operate(left: Any, right: Any, _budget: Budget) -> Any:
        if not is_number(left) or not is_number(right):
            raise Invalid(f"`{name}` needs numbers, not {type_of(left)} and {type_of(right)}")
        try:
            return checked(work(left, right))
        except ZeroDivisionError:
            raise Invalid(f"`{name}` by zero") from None
        except OverflowError:
            raise Invalid("the result is no finite number") from None

    return operate


def _remainder(left: int | float, right: int | float) -> int:
    if not isinstance(left, int) or not isinstance(right, int):
        raise Invalid(f"`%` needs integers, not {type_of(left)} and {type_of(right)}")
    rest = abs(left) % abs(right)
    return -rest if left < 0 else rest  # the sign of the left side


def _power(left: int | float, right: int | float) -> float:
    if left < 0 and not float(right).is_integer():
        raise Invalid("the result is no real number")
    return float(float(left) ** float(right))


def _ordered(name: str, compare: Callable[[Any, Any], bool]) -> Callable[[Any, Any, Budget], bool]:
    def operate(left: Any, right: Any, _budget: Budget) -> bool:
        both = (is_number(left) and is_number(right)) or (isinstance(left, str) and isinstance(right, str))
        if not both:
            raise Invalid(
                f"`{name}` needs two numbers or two strings, not {type_of(left)} and {type_of(right)}"
            )
        return compare(left, right)

    return operate


def _of_texts(name: str, ask: Callable[[str, str], bool]) -> Callable[[Any, Any, Budget], bool]:
    def operate(left: Any, right: Any, _budget: Budget) -> bool:
        if left is None or right is None:
            return False
        if not isinstance(left, str) or not isinstance(right, str):
            raise Invalid(f"`{name}` needs strings, not {type_of(left)} and {type_of(right)}")
        return ask(left, right)

    return operate


def _matched(text: str, pattern: str) -> bool:
    try:
        return regular_expression(pattern).search(text) is not None
    except UnicodeEncodeError:
        raise Invalid("`matches` needs valid unicode") from None


BINARY: Mapping[str, Callable[[Any, Any, Budget], Any]] = {
    "+": _added,
    "-": _arithmetic("-", lambda a, b: a - b),
    "*": _arithmetic("*", lambda a, b: a * b),
    "/": _arithmetic("/", lambda a, b: float(a) / float(b)),
    "%": _arithmetic("%", _remainder),
    "**": _arithmetic("**", _power),
    "==": equal,
    "!=": lambda left, right, budget: not equal(left, right, budget),
    "<": _ordered("<", lambda a, b: bool(a < b)),
    "<=": _ordered("<=", lambda a, b: bool(a <= b)),
    ">": _ordered(">", lambda a, b: bool(a > b)),
    ">=": _ordered(">=", lambda a, b: bool(a >= b)),
    "in": contained,
    "contains": _of_texts("contains", lambda text, part: part in text),
    "startsWith": _of_texts("startsWith", str.startswith),
    "endsWith": _of_texts("endsWith", str.endswith),
    "matches": _of_texts("matches", _matched),
    "..": spread,
}
