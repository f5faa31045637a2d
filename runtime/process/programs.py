"""Programs linked from the registry as it is now; a link is kept while nothing in its closure changes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from runtime.lua.library import Library
from runtime.lua.program import Program, link
from runtime.registry.entry import Entry
from runtime.registry.registry import Registry
from runtime.registry.snapshot import Snapshot

MAX_PROGRAMS = 512


@dataclass(slots=True)
class _Linked:
    program: Program
    closure: dict[str, Entry]
    version: int


class Programs:
    """A bounded cache over `link`; the least recently used program goes first."""

    def __init__(self, registry: Registry, library: Library) -> None:
        self._registry = registry
        self._library = library
        self._linked: OrderedDict[str, _Linked] = OrderedDict()

    def get(self, entry: Entry, snapshot: Snapshot | None = None) -> Program:
        """Return the program of `entry` with what it imports from `snapshot`, the current one unless given.

        Raises what `link` raises.
        """
        view = snapshot or self._registry.current
        known = self._linked.get(entry.id)
        if known is not None and known.closure[entry.id] == entry and _is_current(known, view):
            self._linked.move_to_end(entry.id)
            return known.program
        closure = {entry.id: entry}
        program = link(entry, _noting(view, closure), self._library)
        self._linked[entry.id] = _Linked(program, closure, view.version)
        self._linked.move_to_end(entry.id)
        if len(self._linked) > MAX_PROGRAMS:
            self._linked.popitem(last=False)
        return program


def _is_current(known: _Linked, view: Snapshot) -> bool:
    if known.version != view.version:
        if any(view.get(entry_id) != entry for entry_id, entry in known.closure.items()):
            return False
        known.version = view.version
    return True


def _noting(view: Snapshot, closure: dict[str, Entry]) -> Callable[[str], Entry | None]:
    def lookup(entry_id: str) -> Entry | None:
        found = view.get(entry_id)
        if found is not None:
            closure[entry_id] = found
        return found

    return lookup
