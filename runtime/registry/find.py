"""What `find` understands, after the peer's finder: criteria in a flat map, all of which must hold.

`.kind .ns .name .id` are globs with one `*`; `meta.x` is equality (a list: contains all), `~meta.x` a regular
expression (RE2), `*meta.x` contains, `^meta.x` and `$meta.x` begin and end of a string. Every other key is
ignored, as is an invalid expression: `ignored` names them, so that the caller can warn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from runtime.registry.entry import Entry

_ROOTS: dict[str, Callable[[Entry], str]] = {
    ".kind": lambda entry: entry.kind,
    ".ns": lambda entry: entry.namespace,
    ".name": lambda entry: entry.name,
    ".id": lambda entry: entry.id,
}
Test = Callable[[Entry], bool]


class Query:
    """A parsed filter; `kind`, `namespace`, `id` and `type` are its root globs, for a choice of index."""

    def __init__(self, criteria: Mapping[str, Any]) -> None:
        self.kind = _text(criteria.get(".kind"))
        self.namespace = _text(criteria.get(".ns"))
        self.id = _text(criteria.get(".id"))
        kind = _text(criteria.get("meta.type"))
        self.type = kind if kind and "*" not in kind else None
        self.ignored: list[str] = []
        self._tests: list[Test] = []
        for key, value in criteria.items():
            test = _test(str(key), value)
            if test is None:
                self.ignored.append(str(key))
            else:
                self._tests.append(test)

    def matches(self, entry: Entry) -> bool:
        """Whether every criterion holds for `entry`."""
        return all(test(entry) for test in self._tests)


def glob(text: str, pattern: str) -> bool:
    """Whether `text` matches `pattern`, in which the first `*` stands for any text."""
    start, star, end = pattern.partition("*")
    if not star:
        return text == pattern
    return len(text) >= len(start) + len(end) and text.startswith(start) and text.endswith(end)


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _test(key: str, value: Any) -> Test | None:
    if key in _ROOTS:
        read = _ROOTS[key]
        return (lambda entry: glob(read(entry), value)) if isinstance(value, str) else None
    operator, field = (key[0], key[1:]) if key[:1] in ("~", "*", "^", "$") else ("", key)
    if not field.startswith("meta."):
        return None
    name = field.removeprefix("meta.")
    if not operator:
        return lambda entry: name in entry.meta and _equal(entry.meta[name], value)
    if not isinstance(value, str):
        return None
    if operator == "~":
        search = _expression(value)
        return None if search is None else lambda entry: _on_string(entry, name, search)
    if operator == "*":
        return lambda entry: _contains(entry.meta.get(name), value)
    if operator == "^":
        return lambda entry: _on_string(entry, name, lambda text: text.startswith(value))
    return lambda entry: _on_string(entry, name, lambda text: text.endswith(value))


def _on_string(entry: Entry, name: str, test: Callable[[str], bool]) -> bool:
    value = entry.meta.get(name)
    return isinstance(value, str) and test(value)


def _contains(value: Any, text: str) -> bool:
    if isinstance(value, str):
        return text in value
    return isinstance(value, list) and any(isinstance(item, str) and text in item for item in value)


def _equal(have: Any, want: Any) -> bool:
    if isinstance(want, list | tuple):
        return isinstance(have, list) and all(any(_equal(item, one) for item in have) for one in want)
    if isinstance(have, bool) or isinstance(want, bool):
        return have is want
    if isinstance(have, int | float) and isinstance(want, int | float):
        return have == want
    return bool(have == want)


@lru_cache(maxsize=100)
def _expression(pattern: str) -> Callable[[str], bool] | None:
    import re2

    try:
        options = re2.Options()
        options.log_errors = False
        compiled = re2.compile(pattern, options)
    except re2.error:
        return None
    return lambda text: compiled.search(text) is not None
