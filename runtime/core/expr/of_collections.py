"""Functions of arrays and maps; what comes out of a map comes in the order of its keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from runtime.core.errors import Invalid
from runtime.core.expr.arguments import array, descending, integer, mapping, sortable, text
from runtime.core.expr.limits import Budget
from runtime.core.expr.semantics import equal, fetch, type_of


def length(_budget: Budget, value: Any) -> int:
    """Return the number of characters, items or members."""
    if not isinstance(value, str | list | tuple | Mapping):
        raise Invalid(f"`len` needs a string, an array or a map, not {type_of(value)}")
    return len(value)


def type_name(_budget: Budget, value: Any) -> str:
    """Return nil, bool, int, float, string, array or map."""
    return type_of(value)


def first(budget: Budget, value: Any) -> Any:
    """Return the first item, nil where there is none."""
    items = array("first", value, budget)
    return items[0] if items else None


def last(budget: Budget, value: Any) -> Any:
    """Return the last item, nil where there is none."""
    items = array("last", value, budget)
    return items[-1] if items else None


def get(_budget: Budget, value: Any, key: Any) -> Any:
    """Return a member or an item, nil where it is not there."""
    try:
        return None if value is None else fetch(value, key)
    except Invalid:
        return None


def take(budget: Budget, value: Any, count: Any) -> list[Any]:
    """Return the first `count` items."""
    if integer("take", count) < 0:
        raise Invalid("`take` needs a number that is not negative")
    return list(array("take", value, budget)[:count])


def keys(budget: Budget, value: Any) -> list[str]:
    """Return the names of a map."""
    return sorted(mapping("keys", value, budget))


def values(budget: Budget, value: Any) -> list[Any]:
    """Return the values of a map."""
    given = mapping("values", value, budget)
    return [given[key] for key in sorted(given)]


def to_pairs(budget: Budget, value: Any) -> list[Any]:
    """Return [name, value] of each member."""
    given = mapping("toPairs", value, budget)
    budget.make(2 * len(given))
    return [[key, given[key]] for key in sorted(given)]


def from_pairs(budget: Budget, value: Any) -> dict[str, Any]:
    """Return the map of an array of [name, value]."""
    made = {}
    for pair in array("fromPairs", value, budget):
        if not isinstance(pair, list | tuple) or len(pair) != 2:
            raise Invalid("`fromPairs` needs an array of pairs")
        made[text("fromPairs", pair[0])] = pair[1]
    budget.make(len(made))
    return made


def reversed_(budget: Budget, value: Any) -> list[Any]:
    """Return the items from the last to the first."""
    items = array("reverse", value, budget)
    budget.make(len(items))
    return list(reversed(items))


def unique(budget: Budget, value: Any) -> list[Any]:
    """Return the items without those that were there before."""
    found: list[Any] = []
    for item in array("uniq", value, budget):
        if not any(equal(item, each, budget) for each in found):
            found.append(item)
    budget.make(len(found))
    return found


def concat(budget: Budget, *arrays: Any) -> list[Any]:
    """Return the items of all arrays."""
    found: list[Any] = []
    for each in arrays:
        items = array("concat", each, budget)
        budget.make(len(items))
        found += items
    return found


def flatten(budget: Budget, value: Any) -> list[Any]:
    """Return the items, and in place of arrays their items, however deep."""
    found: list[Any] = []
    waiting = list(reversed(array("flatten", value, budget)))
    while waiting:
        budget.step()
        item = waiting.pop()
        if isinstance(item, list | tuple):
            budget.make(len(item))
            waiting.extend(reversed(item))
        else:
            found.append(item)
    budget.make(len(found))
    return found


def sort(budget: Budget, value: Any, order: Any = "asc") -> list[Any]:
    """Return numbers, or strings, in order (`asc` or `desc`)."""
    items = array("sort", value, budget)
    sortable("sort", items)
    budget.make(len(items))
    return sorted(items, reverse=descending("sort", order))
