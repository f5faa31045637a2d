"""What the checker says of registry entries: each with the libraries it imports and the modules it uses.

An answer is kept by the content of the entry and of all that it imports, within a bound; an entry without
types costs nothing.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from runtime.core.errors import Error, Invalid
from runtime.lua.checker.check import examine
from runtime.lua.checker.environment import Environment, Interface
from runtime.lua.checker.host_types import host_interface
from runtime.lua.library import Library
from runtime.lua.lint.finding import Finding
from runtime.lua.program import LuaEntry, source_place
from runtime.lua.syntax import is_typed, shifted
from runtime.lua.typed.parser import parse

MAX_KEPT = 2000
MAX_IMPORTS = 64  # that lead to each other

Lookup = Callable[[str], LuaEntry | None]
Answer = tuple[tuple[Finding, ...], Interface]


class EntryChecker:
    """Checks entries against the modules of one library. Safe to use from any thread."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._lock = threading.RLock()
        self._kept: OrderedDict[str, Answer] = OrderedDict()
        self._modules: dict[str, Interface] = {}

    def findings(self, entry: LuaEntry, lookup: Lookup) -> tuple[Finding, ...]:
        """Return what is wrong in `entry`, whose imports `lookup` finds; nothing where it does not parse."""
        source = _source(entry)
        try:
            if not source or not is_typed(source, entry.id):
                return ()
        except Invalid:  # the check of the syntax says so
            return ()
        return self._answer(entry, lookup, 0)[0]

    def interface(self, entry: LuaEntry, lookup: Lookup) -> Interface:
        """Return what `entry` offers to those who import it."""
        return self._answer(entry, lookup, 0)[1]

    def module(self, name: str) -> Interface:
        """Return what the module `name` offers; nothing is known of one that is not there."""
        with self._lock:
            if name not in self._modules:
                try:
                    self._modules[name] = host_interface(self._library.get(name).types(), name)
                except Error:
                    self._modules[name] = Interface()
            return self._modules[name]

    def _answer(self, entry: LuaEntry, lookup: Lookup, depth: int) -> Answer:
        if depth > MAX_IMPORTS:
            return (), Interface()
        key = _digest(entry, lookup, {})
        with self._lock:
            known = self._kept.get(key)
            if known is not None:
                self._kept.move_to_end(key)
                return known
        answer = self._examined(entry, lookup, depth)
        with self._lock:
            self._kept[key] = answer
            while len(self._kept) > MAX_KEPT:
                self._kept.popitem(last=False)
        return answer

    def _examined(self, entry: LuaEntry, lookup: Lookup, depth: int) -> Answer:
        start = source_place(entry)
        try:
            tree = parse(_source(entry), start.path)
        except Invalid:
            return (), Interface()
        findings, interface = examine(tree, Environment(_Aliases(self, entry, lookup, depth), entry.id))
        return tuple(replace(each, place=shifted(each.place, start)) for each in findings), interface


class _Aliases(Mapping[str, Interface]):
    """The aliases of an entry; what stands behind one is read when the source asks for it."""

    def __init__(self, checker: EntryChecker, entry: LuaEntry, lookup: Lookup, depth: int) -> None:
        self._checker = checker
        self._lookup = lookup
        self._depth = depth
        self._targets = {module.name: module.name for module in checker._library.ambient()}
        self._targets |= dict(dependencies(entry))

    def __getitem__(self, alias: str) -> Interface:
        target = self._targets[alias]
        if ":" not in target:
            return self._checker.module(target)
        found = self._lookup(target)
        if found is None:
            return Interface()
        return self._checker._answer(found, self._lookup, self._depth + 1)[1]

    def __iter__(self) -> Iterator[str]:
        return iter(self._targets)

    def __len__(self) -> int:
        return len(self._targets)

    def __contains__(self, alias: object) -> bool:
        return alias in self._targets


def dependencies(entry: LuaEntry) -> list[tuple[str, str]]:
    """Return (alias, id of a library or name of a module) of an entry; what is malformed is left out."""
    data = entry.data if isinstance(entry.data, Mapping) else {}
    modules, imports = data.get("modules"), data.get("imports")
    found = (
        [(name, name) for name in modules if isinstance(name, str)]
        if isinstance(modules, list | tuple)
        else []
    )
    for alias, target in imports.items() if isinstance(imports, Mapping) else ():
        if isinstance(alias, str) and isinstance(target, str):
            module = target.removeprefix(":")
            found.append((alias, module if ":" not in module else target))
    return found


def _source(entry: LuaEntry) -> str:
    source = entry.data.get("source") if isinstance(entry.data, Mapping) else None
    return source if isinstance(source, str) else ""


def _digest(entry: LuaEntry, lookup: Lookup, known: dict[str, str]) -> str:
    """Return the digest of the content of an entry and all that it imports; `known` are those made so far."""
    known[entry.id] = ""  # what leads back here is not taken in again
    found = hashlib.blake2b(_source(entry).encode("utf-8", "surrogatepass"), digest_size=16)
    found.update(f"{entry.id}\0{source_place(entry)}".encode("utf-8", "surrogatepass"))
    for alias, target in sorted(dependencies(entry)):
        found.update(f"\0{alias}\0{target}".encode("utf-8", "surrogatepass"))
        if ":" not in target or len(known) > MAX_IMPORTS:
            continue
        if target not in known and (library := lookup(target)) is not None:
            known[target] = _digest(library, lookup, known)
        found.update(known.get(target, "").encode())
    known[entry.id] = found.hexdigest()
    return known[entry.id]
