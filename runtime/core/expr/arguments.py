"""What a function of an expression takes: each check raises Invalid naming what came instead."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from runtime.core.errors import Invalid
from runtime.core.expr.limits import Budget
from runtime.core.expr.semantics import is_integer, is_number, type_of


def array(name: str, value: Any, budget: Budget) -> Sequence[Any]:
    """Return `value`, an array; spends a step an item."""
    if not isinstance(value, list | tuple):
        raise Invalid(f"`{name}` needs an array, not {type_of(value)}")
    budget.step(len(value))
    return value


def mapping(name: str, value: Any, budget: Budget) -> Mapping[str, Any]:
    """Return `value`, a map; an empty array is an empty map, since Lua has one empty table."""
    if isinstance(value, list | tuple) and not value:
        return {}
    if not isinstance(value, Mapping):
        raise Invalid(f"`{name}` needs a map, not {type_of(value)}")
    budget.step(len(value))
    return value


def text(name: str, value: Any) -> str:
    """Return `value`, a string."""
    if not isinstance(value, str):
        raise Invalid(f"`{name}` needs a string, not {type_of(value)}")
    return value


def integer(name: str, value: Any) -> int:
    """Return `value`, an integer."""
    if not is_integer(value):
        raise Invalid(f"`{name}` needs an integer, not {type_of(value)}")
    return value


def number(name: str, value: Any) -> int | float:
    """Return `value`, a number."""
    if not is_number(value):
        raise Invalid(f"`{name}` needs a number, not {type_of(value)}")
    return value


def sortable(name: str, values: Sequence[Any]) -> None:
    """Check that all values are numbers, or all are strings."""
    if not (all(map(is_number, values)) or all(isinstance(each, str) for each in values)):
        raise Invalid(f"`{name}` needs numbers alone or strings alone")


def descending(name: str, order: Any) -> bool:
    """Return whether `order` is `desc`; it may be `asc` too."""
    if order not in ("asc", "desc"):
        raise Invalid(f"`{name}` takes the order `asc` or `desc`")
    return bool(order == "desc")
