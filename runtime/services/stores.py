"""Key-value stores in memory: each `store.memory` entry has one, bounded, for as long as the run lasts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from runtime.core.clock import Clock
from runtime.core.errors import Unavailable
from runtime.core.values import Value
from runtime.registry.entry import Entry

KIND = "store.memory"
MAX_SIZE = 10_000  # keys, where an entry says nothing
MAX_BYTES = 64 * 1024 * 1024  # of all values together


@dataclass(frozen=True, slots=True)
class _Kept:
    value: Value
    until: float | None
    """When it is gone, by the monotonic clock; None for never."""
    version: int = 0
    size: int = 0


class MemoryStore:
    """At most `max_size` keys; one that has expired is as if it had never been there."""

    def __init__(self, id: str, max_size: int, now: Callable[[], float]) -> None:
        self._id = id
        self.max_size = max_size
        self._now = now
        self._kept: dict[str, _Kept] = {}
        self._version = 0
        self._bytes = 0

    def set(self, key: str, value: Value, seconds: float | None = None, size: int = 0) -> None:
        """Keep `value`, of `size` bytes, for `seconds`; raise Unavailable where the store is full."""
        if self._over(key, size):
            self._forget_expired()
            if full := self._over(key, size):
                raise Unavailable(f"store `{self._id}` is full: it takes {full}", details={"store": self._id})
        self._version += 1
        until = None if seconds is None else self._now() + seconds
        self._drop(key)
        self._kept[key] = _Kept(value, until, self._version, size)
        self._bytes += size

    def _over(self, key: str, size: int) -> str:
        """Return what the store takes where `size` bytes under `key` are too much, else nothing."""
        before = self._kept.get(key)
        if before is None and len(self._kept) >= self.max_size:
            return f"{self.max_size} keys (`max_size`)"
        return f"{MAX_BYTES} bytes" if self._bytes - (before.size if before else 0) + size > MAX_BYTES else ""

    def _drop(self, key: str) -> None:
        if (before := self._kept.pop(key, None)) is not None:
            self._bytes -= before.size

    def get(self, key: str) -> Value:
        """Return what is kept under `key`; None where nothing is."""
        kept = self.entry(key)
        return None if kept is None else kept[0]

    def keys(self) -> list[str]:
        """Return the keys under which something is kept, sorted."""
        self._forget_expired()
        return sorted(self._kept)

    def entry(self, key: str) -> tuple[Value, str] | None:
        """Return what is kept under `key` and its version, which no other value of this store has."""
        kept = self._kept.get(key)
        if kept is None:
            return None
        if kept.until is not None and kept.until <= self._now():
            self._drop(key)
            return None
        return kept.value, str(kept.version)

    def delete(self, key: str) -> bool:
        """Forget `key`, and return whether it was there."""
        there = self.entry(key) is not None
        self._drop(key)
        return there

    def _forget_expired(self) -> None:
        now = self._now()
        self._kept = {key: kept for key, kept in self._kept.items() if kept.until is None or kept.until > now}
        self._bytes = sum(kept.size for kept in self._kept.values())


class Stores:
    """The stores by the id of their entry, made at the first use. All of it is the event loop's.

    A `part` is a store of its own beside what scripts reach: what the host keeps there, no script reads or
    plants.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._open: dict[str, dict[str, MemoryStore]] = {}

    def get(self, entry: Entry, part: str = "") -> MemoryStore:
        """Return the store of `entry`, which is a `store.memory`."""
        given = entry.fields.get("max_size")
        size = given if isinstance(given, int) and given > 0 else MAX_SIZE
        parts = self._open.setdefault(entry.id, {})
        store = parts.get(part)
        if store is None:
            store = parts[part] = MemoryStore(entry.id, size, self._clock.monotonic)
        store.max_size = size
        return store

    def forget(self, entry_id: str) -> None:
        """Throw away what was kept in an entry that is gone, and what was kept for it elsewhere."""
        self._open.pop(entry_id, None)
        for parts in self._open.values():
            parts.pop(entry_id, None)
