"""Data that nobody can change: what an entry holds is read by many and owned by none.

`FrozenDict` and `FrozenList` are a dict and a list, so that encoders, schema validators and `isinstance` take
them as plain data; every way to change one raises TypeError. `thaw` gives a plain copy to change.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

from runtime.core.errors import Invalid
from runtime.core.values import Value

MAX_DEPTH = 56  # the wire takes 64, and an entry stands some levels deep in what carries it


def _refuse(self: object, *_args: Any, **_options: Any) -> NoReturn:
    raise TypeError(f"`{type(self).__name__}` can not be changed; take a copy with `thaw`")


class FrozenDict(dict[str, Value]):
    """A dict that refuses every change."""

    __slots__ = ()
    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __copy__(self) -> FrozenDict:
        return self

    def __deepcopy__(self, _memo: object) -> dict[str, Value]:
        return {key: thaw(item) for key, item in self.items()}

    def __reduce__(self) -> tuple[object, tuple[object]]:
        return FrozenDict, (dict(self),)


class FrozenList(list[Value]):
    """A list that refuses every change."""

    __slots__ = ()
    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse
    append = clear = extend = insert = pop = remove = reverse = sort = _refuse

    def __copy__(self) -> FrozenList:
        return self

    def __deepcopy__(self, _memo: object) -> list[Value]:
        return [thaw(item) for item in self]

    def __reduce__(self) -> tuple[object, tuple[object]]:
        return FrozenList, (list(self),)


def freeze(value: Any, depth: int = 0) -> Any:
    """Return `value` as plain data that can not be changed.

    Maps, lists and tuples are copied. Raises Invalid for a key that is not a string, for anything that is no
    plain data and for nesting deeper than `MAX_DEPTH` (so also for a cycle).
    """
    if value is None or isinstance(value, str | bool | int | float | bytes | FrozenDict | FrozenList):
        return value
    if depth >= MAX_DEPTH:
        raise Invalid(f"value is nested deeper than {MAX_DEPTH} levels")
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                raise Invalid(f"key `{key!r}` is not a string")
        return FrozenDict({key: freeze(item, depth + 1) for key, item in value.items()})
    if isinstance(value, list | tuple):
        return FrozenList([freeze(item, depth + 1) for item in value])
    raise Invalid(f"`{type(value).__name__}` is not plain data")


def thaw(value: Any) -> Any:
    """Return a deep copy of `value` in ordinary dicts and lists."""
    if isinstance(value, dict):
        return {key: thaw(item) for key, item in value.items()}
    if isinstance(value, list):
        return [thaw(item) for item in value]
    return value
