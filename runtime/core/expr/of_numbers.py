"""Functions of numbers: integers keep 64 bits, an overflow is an error, nothing is infinite."""

from __future__ import annotations

import math
import statistics
from typing import Any

from runtime.core.errors import Invalid
from runtime.core.expr.arguments import array, integer, number
from runtime.core.expr.limits import Budget
from runtime.core.expr.semantics import checked, is_number, type_of

_BITS = 64
_MASK = 2**_BITS - 1


def absolute(_budget: Budget, value: Any) -> int | float:
    """Return the value without its sign."""
    return checked(abs(number("abs", value)))


def ceil(_budget: Budget, value: Any) -> float:
    """Return the nearest whole number above, as a float."""
    return float(math.ceil(number("ceil", value)))


def floor(_budget: Budget, value: Any) -> float:
    """Return the nearest whole number below, as a float."""
    return float(math.floor(number("floor", value)))


def rounded(_budget: Budget, value: Any) -> float:
    """Return the nearest whole number, halves away from zero, as a float."""
    given = float(number("round", value))
    whole = math.floor(abs(given))
    return math.copysign(whole + (abs(given) - whole >= 0.5), given)


def to_int(_budget: Budget, value: Any) -> int | float:
    """Return a number cut to an integer, or the integer that a string writes."""
    try:
        if is_number(value):
            return checked(int(value))
        if isinstance(value, str) and len(value) <= 40 and value.isascii() and "_" not in value:
            return checked(int(value))
    except (ValueError, OverflowError):
        pass
    raise Invalid(f"`int` can not read {_shown(value)}")


def to_float(_budget: Budget, value: Any) -> int | float:
    """Return a number as a float, or the one that a string writes."""
    try:
        if is_number(value):
            return checked(float(value))
        if isinstance(value, str) and len(value) <= 400 and value.isascii() and "_" not in value:
            return checked(float(value))
    except (ValueError, OverflowError):
        pass
    raise Invalid(f"`float` can not read {_shown(value)}")


def _shown(value: Any) -> str:
    return f"`{value[:40]}`" if isinstance(value, str) else type_of(value)


def _all(name: str, budget: Budget, values: tuple[Any, ...]) -> list[int | float]:
    found: list[int | float] = []
    for value in values:
        if isinstance(value, list | tuple):
            found += [number(name, each) for each in array(name, value, budget)]
        else:
            found.append(number(name, value))
    if not found and name not in ("mean", "median"):
        raise Invalid(f"`{name}` needs at least one number")
    return found


def largest(budget: Budget, *values: Any) -> int | float:
    """Return the largest of numbers and arrays of numbers."""
    return max(_all("max", budget, values))


def smallest(budget: Budget, *values: Any) -> int | float:
    """Return the smallest of numbers and arrays of numbers."""
    return min(_all("min", budget, values))


def mean(budget: Budget, *values: Any) -> int | float:
    """Return the mean as a float; that of nothing is 0."""
    found = _all("mean", budget, values)
    return checked(sum(map(float, found)) / len(found)) if found else 0.0


def median(budget: Budget, *values: Any) -> int | float:
    """Return the median as a float; that of nothing is 0."""
    found = _all("median", budget, values)
    return checked(float(statistics.median(found))) if found else 0.0


def _signed(bits: int) -> int:
    bits &= _MASK
    return bits - 2**_BITS if bits >> (_BITS - 1) else bits


def bit_and(_budget: Budget, left: Any, right: Any) -> int:
    """Return the bits that both have."""
    return integer("bitand", left) & integer("bitand", right)


def bit_or(_budget: Budget, left: Any, right: Any) -> int:
    """Return the bits that one of them has."""
    return integer("bitor", left) | integer("bitor", right)


def bit_xor(_budget: Budget, left: Any, right: Any) -> int:
    """Return the bits that exactly one of them has."""
    return integer("bitxor", left) ^ integer("bitxor", right)


def bit_nand(_budget: Budget, left: Any, right: Any) -> int:
    """Return the bits of the left side that the right one lacks."""
    return integer("bitnand", left) & ~integer("bitnand", right)


def bit_not(_budget: Budget, value: Any) -> int:
    """Return the bits turned round."""
    return ~integer("bitnot", value)


def _places(name: str, count: Any) -> int:
    if integer(name, count) < 0:
        raise Invalid(f"`{name}` can not shift by a negative number")
    return min(int(count), _BITS)


def shift_left(_budget: Budget, value: Any, count: Any) -> int:
    """Return the bits moved up; what leaves 64 bits is lost."""
    return _signed(integer("bitshl", value) << _places("bitshl", count))


def shift_right(_budget: Budget, value: Any, count: Any) -> int:
    """Return the bits moved down, with the sign kept."""
    return integer("bitshr", value) >> _places("bitshr", count)


def shift_right_unsigned(_budget: Budget, value: Any, count: Any) -> int:
    """Return the bits moved down, with zeros above."""
    return _signed((integer("bitushr", value) & _MASK) >> _places("bitushr", count))
