"""Functions that ask a predicate about each item, in order; where a boolean is meant, only one will do."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from runtime.core.errors import Invalid
from runtime.core.expr.arguments import array, descending, number, sortable
from runtime.core.expr.limits import Budget
from runtime.core.expr.semantics import checked, type_of

Predicate = Callable[..., Any]  # (item, index, gathered=None)
_NOTHING: Any = object()


def _answers(name: str, budget: Budget, items: Sequence[Any], ask: Predicate) -> Iterator[bool]:
    for index, item in enumerate(array(name, items, budget)):
        answer = ask(item, index)
        if not isinstance(answer, bool):
            raise Invalid(f"the predicate of `{name}` must give true or false, not {type_of(answer)}")
        yield answer


def all_of(budget: Budget, items: Any, ask: Predicate) -> bool:
    """Whether the predicate holds for every item."""
    return all(_answers("all", budget, items, ask))


def any_of(budget: Budget, items: Any, ask: Predicate) -> bool:
    """Whether it holds for at least one item."""
    return any(_answers("any", budget, items, ask))


def one_of(budget: Budget, items: Any, ask: Predicate) -> bool:
    """Whether it holds for exactly one item."""
    return sum(_answers("one", budget, items, ask)) == 1


def none_of(budget: Budget, items: Any, ask: Predicate) -> bool:
    """Whether it holds for no item."""
    return not any(_answers("none", budget, items, ask))


def filtered(budget: Budget, items: Any, ask: Predicate) -> list[Any]:
    """Return the items for which it holds."""
    found = [items[index] for index, holds in enumerate(_answers("filter", budget, items, ask)) if holds]
    budget.make(len(found))
    return found


def mapped(budget: Budget, items: Any, ask: Predicate) -> list[Any]:
    """Return what it gives for each item."""
    budget.make(len(array("map", items, budget)))
    return [ask(item, index) for index, item in enumerate(items)]


def find(budget: Budget, items: Any, ask: Predicate) -> Any:
    """Return the first item for which it holds, or nil."""
    index = find_index(budget, items, ask)
    return None if index is None else items[index]


def find_index(budget: Budget, items: Any, ask: Predicate) -> int | None:
    """Return the index of the first item for which it holds, or nil."""
    return next((index for index, holds in enumerate(_answers("find", budget, items, ask)) if holds), None)


def find_last(budget: Budget, items: Any, ask: Predicate) -> Any:
    """Return the last item for which it holds, or nil."""
    index = find_last_index(budget, items, ask)
    return None if index is None else items[index]


def find_last_index(budget: Budget, items: Any, ask: Predicate) -> int | None:
    """Return the index of the last item for which it holds, or nil."""
    backwards = list(reversed(array("findLast", items, budget)))
    index = find_index(budget, backwards, lambda item, at: ask(item, len(backwards) - 1 - at))
    return None if index is None else len(backwards) - 1 - index


def count(budget: Budget, items: Any, ask: Predicate | None = None) -> int:
    """Return for how many items it holds; without a predicate how many are true."""
    return sum(_answers("count", budget, items, ask or (lambda item, _index: item)))


def total(budget: Budget, items: Any, ask: Predicate | None = None) -> int | float:
    """Return the sum of the items, or of what the predicate gives for each."""
    found: int | float = 0
    for index, item in enumerate(array("sum", items, budget)):
        found = checked(found + number("sum", ask(item, index) if ask else item))
    return found


def _keyed(name: str, budget: Budget, items: Any, ask: Predicate) -> Iterator[tuple[str, Any]]:
    for index, item in enumerate(array(name, items, budget)):
        key = ask(item, index)
        if isinstance(key, bool):
            key = "true" if key else "false"
        if not isinstance(key, str | int):
            raise Invalid(f"`{name}` groups by strings, integers and booleans, not {type_of(key)}")
        yield str(key), item


def group_by(budget: Budget, items: Any, ask: Predicate) -> dict[str, list[Any]]:
    """Return the items by what the predicate gives for them; keys are written as strings."""
    groups: dict[str, list[Any]] = {}
    for key, item in _keyed("groupBy", budget, items, ask):
        budget.make(2)
        groups.setdefault(key, []).append(item)
    return groups


def count_by(budget: Budget, items: Any, ask: Predicate) -> dict[str, int]:
    """Return how many items there are by what the predicate gives for them."""
    groups: dict[str, int] = {}
    for key, _item in _keyed("countBy", budget, items, ask):
        budget.make(1)
        groups[key] = groups.get(key, 0) + 1
    return groups


def sort_by(budget: Budget, items: Any, ask: Predicate, order: Any = "asc") -> list[Any]:
    """Return the items in the order of what the predicate gives: numbers, or strings."""
    marks = [ask(item, index) for index, item in enumerate(array("sortBy", items, budget))]
    sortable("sortBy", marks)
    budget.make(len(marks))
    ranked = sorted(range(len(marks)), key=marks.__getitem__, reverse=descending("sortBy", order))
    return [items[index] for index in ranked]


def reduce(budget: Budget, items: Any, ask: Predicate, start: Any = _NOTHING) -> Any:
    """Return what the predicate gathers in `#acc`, from `start` or else from the first item."""
    given = list(array("reduce", items, budget))
    at = 0
    if start is _NOTHING:
        if not given:
            raise Invalid("`reduce` of an empty array needs a start")
        start, at = given[0], 1
    for index in range(at, len(given)):
        start = ask(given[index], index, start)
    return start
