"""How a pattern of actions or resources matches: whole, or as a prefix, and in no other way.

`*` matches all; a pattern matches itself; one that ends with `.*` matches whatever starts with the text
before `.*` (no dot needed); one that ends with another `*` matches whatever starts with the text before it.
A `*` anywhere else is an ordinary character. Source: the documented rules of `security.policy`.
"""

from __future__ import annotations

from collections.abc import Sequence


def matches(pattern: str, value: str) -> bool:
    """Whether `value` (an action or a resource) is matched by `pattern`."""
    if pattern in ("*", value):
        return True
    prefix = prefix_of(pattern)
    return prefix is not None and value.startswith(prefix)


def prefix_of(pattern: str) -> str | None:
    """Return the text that a value must start with, or None where `pattern` matches nothing but itself."""
    if len(pattern) > 2 and pattern.endswith(".*"):
        return pattern[:-2]
    if len(pattern) > 1 and pattern.endswith("*"):
        return pattern[:-1]
    return None


def covers(outer: str, inner: str) -> bool:
    """Whether whatever `inner` matches is matched by `outer` too."""
    if outer in ("*", inner):
        return True
    prefix, within = prefix_of(outer), prefix_of(inner)
    return prefix is not None and (inner if within is None else within).startswith(prefix) and inner != "*"


class Filter:
    """Several patterns at once: a value is matched when one of them matches it."""

    __slots__ = ("_all", "_literals", "_prefixes")

    def __init__(self, patterns: Sequence[str]) -> None:
        self._all = "*" in patterns
        self._literals = frozenset(patterns)
        self._prefixes = tuple(prefix for each in patterns if (prefix := prefix_of(each)) is not None)

    def matches(self, value: str) -> bool:
        """Whether one of the patterns matches `value`."""
        return self._all or value in self._literals or value.startswith(self._prefixes)
