"""Versioned storage: a change writes only what it touches, and readers never block.

Each id has a chain of (tick, entry or None); a snapshot sees the newest link of each chain that is not
younger than its own tick. Ticks only grow, so the links of a changeset that is still being checked are
invisible to all others, and a snapshot never changes. A chain is a tuple, replaced whole. Indexes map a kind,
a namespace and a `meta.type` to every id that ever had it; a reader takes them as candidates only.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from runtime.core.errors import NotFound
from runtime.registry.entry import Entry
from runtime.registry.find import Query, glob

Link = tuple[int, Entry | None]
Ids = dict[str, None]
Index = dict[str, Ids]


class Store:
    """The chains and indexes behind all snapshots of a registry: one writer, any number of readers."""

    def __init__(self) -> None:
        self.chains: dict[str, tuple[Link, ...]] = {}
        self.by_kind: Index = {}
        self.by_namespace: Index = {}
        self.by_type: Index = {}

    def write(self, tick: int, entry_id: str, entry: Entry | None) -> None:
        """Let `entry_id` be `entry` (None: gone) from `tick` on."""
        chain = self.chains.get(entry_id, ())
        if chain and chain[-1][0] == tick:
            chain = chain[:-1]
        self.chains[entry_id] = (*chain, (tick, entry))
        if entry is not None:
            for index, key in self._keys(entry):
                index.setdefault(key, {})[entry_id] = None

    def erase(self, tick: int, ids: Iterable[str]) -> None:
        """Take back what `tick` wrote for `ids`."""
        for entry_id in ids:
            chain = self.chains.get(entry_id, ())
            if not chain or chain[-1][0] != tick:
                continue
            if len(chain) > 1:
                self.chains[entry_id] = chain[:-1]
                continue
            del self.chains[entry_id]
            if (entry := chain[0][1]) is not None:
                for index, key in self._keys(entry):
                    index[key].pop(entry_id, None)

    def adopt(self, entry: Entry) -> None:
        """Put `entry` in the place of the newest link, which has the same content."""
        chain = self.chains[entry.id]
        self.chains[entry.id] = (*chain[:-1], (chain[-1][0], entry))

    def at(self, tick: int, entry_id: str) -> Entry | None:
        """Return what `entry_id` was at `tick`."""
        chain = self.chains.get(entry_id)
        if not chain:
            return None
        if chain[-1][0] <= tick:
            return chain[-1][1]
        older = bisect_right(chain, tick, key=_tick_of)
        return chain[older - 1][1] if older else None

    def _keys(self, entry: Entry) -> Iterator[tuple[Index, str]]:
        yield self.by_kind, entry.kind
        yield self.by_namespace, entry.namespace
        if isinstance(kind := entry.meta.get("type"), str):
            yield self.by_type, kind


def _tick_of(link: Link) -> int:
    return link[0]


class Stage:
    """A changeset on its way into a store: seen by its own view only, until somebody publishes that."""

    def __init__(self, store: Store, tick: int) -> None:
        self.tick = tick
        self._store = store
        self._written: list[tuple[int, str]] = []

    def write(self, entries: Mapping[str, Entry | None]) -> None:
        """Write one version: what each id becomes."""
        self.tick += 1
        for entry_id, entry in entries.items():
            self._store.write(self.tick, entry_id, entry)
            self._written.append((self.tick, entry_id))

    def view(self, version: int) -> Snapshot:
        """Return the registry as it would be."""
        return Snapshot(self._store, self.tick, version)

    def take_down(self) -> None:
        """Remove all that was written, newest first."""
        for tick, entry_id in reversed(self._written):
            self._store.erase(tick, [entry_id])


class Snapshot:
    """An immutable view of the whole registry at one version."""

    __slots__ = ("_store", "_tick", "version")

    def __init__(self, store: Store, tick: int, version: int) -> None:
        self.version = version
        self._store = store
        self._tick = tick

    def get(self, entry_id: str) -> Entry | None:
        """Return the entry, None where there is none."""
        return self._store.at(self._tick, entry_id)

    def require(self, entry_id: str) -> Entry:
        """Return the entry, else raise NotFound."""
        entry = self.get(entry_id)
        if entry is None:
            raise NotFound(f"entry not found: {entry_id}", details={"id": entry_id})
        return entry

    def __contains__(self, entry_id: str) -> bool:
        return self.get(entry_id) is not None

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries())

    def __len__(self) -> int:
        return len(self.entries())

    def entries(self) -> list[Entry]:
        """Return all entries, sorted by id."""
        return self._present(self._store.chains)

    def namespace(self, namespace: str) -> list[Entry]:
        """Return the entries of exactly this namespace, sorted by id."""
        return self._present(self._store.by_namespace.get(namespace, ()))

    def kind(self, kind: str) -> list[Entry]:
        """Return the entries of exactly this kind, sorted by id."""
        return [entry for entry in self._present(self._store.by_kind.get(kind, ())) if entry.kind == kind]

    def find(self, filter: Mapping[str, Any] | Query) -> list[Entry]:
        """Return the entries that match every criterion (see `find.Query`), sorted by id."""
        query = filter if isinstance(filter, Query) else Query(filter)
        return [entry for entry in self._present(self._candidates(query)) if query.matches(entry)]

    def _present(self, ids: Iterable[str]) -> list[Entry]:
        # `sorted` copies a live index in one step that no other thread can interrupt
        at, tick = self._store.at, self._tick
        found = [at(tick, entry_id) for entry_id in sorted(ids)]
        return [entry for entry in found if entry is not None]

    def _candidates(self, query: Query) -> Iterable[str]:
        if query.id and "*" not in query.id:
            return [query.id]
        store = self._store
        indexes = (
            (store.by_type, query.type),
            (store.by_namespace, query.namespace),
            (store.by_kind, query.kind),
        )
        exact = [index.get(key, {}) for index, key in indexes if key is not None and "*" not in key]
        globs = [] if exact else [_select(index, key) for index, key in indexes if key is not None]
        smallest: Ids | None = min(exact or globs, key=len, default=None)
        return list(store.chains) if smallest is None else smallest


def _select(index: Index, pattern: str) -> Ids:
    found: Ids = {}
    for key in list(index):
        if glob(key, pattern):
            found.update(index[key])
    return found
