"""What is kept to be found again, bounded, in two generations: what nobody asked for while one filled goes.

A lookup is one lookup in a dictionary. Threads may share it: at the worst something is made a second time.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Kept(Generic[K, V]):
    """At most `size` values by their keys; none where `size` is 0."""

    __slots__ = ("_half", "_old", "young")

    def __init__(self, size: int) -> None:
        self.young: dict[K, V] = {}
        """What was put or found last; who is in a hurry looks here first."""
        self._old: dict[K, V] = {}
        self._half = (size + 1) // 2

    def find(self, key: K) -> V | None:
        """Return the value of `key`, None where it is not kept."""
        found = self.young.get(key)
        if found is None and (found := self._old.get(key)) is not None:
            self.put(key, found)
        return found

    def put(self, key: K, value: V) -> V:
        """Keep `value` and return it."""
        if self._half:
            if len(self.young) >= self._half:
                self._old, self.young = self.young, {}
            self.young[key] = value
        return value
