"""What the linter says of Lua entries: their declarations, their syntax, and every rule on their sources.

What is wrong in a source depends on its text and on what it reaches, and on nothing else; so it is kept by
the digest of both, with places from the beginning of the source, which may move in its file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, MutableMapping
from dataclasses import dataclass, replace

from runtime.core.errors import Error, Invalid, Place
from runtime.lua.checker.entries import EntryChecker, dependencies
from runtime.lua.library import Library
from runtime.lua.lint import codes
from runtime.lua.lint.calls import wrong_arity
from runtime.lua.lint.closure import Closure, Digests, Lookup, closure, source_of
from runtime.lua.lint.declared import Declarations
from runtime.lua.lint.finding import Finding
from runtime.lua.lint.outer import undeclared, undefined, unknown_fields
from runtime.lua.lint.reach import unreachable
from runtime.lua.lint.reading import Around, Fault, Reading
from runtime.lua.lint.signatures import Signature, signatures
from runtime.lua.lint.style import empty_blocks, global_assign, self_compare, shadowed, unused
from runtime.lua.lint.surface import Fields, surface_of
from runtime.lua.program import LuaEntry, check_syntax, source_place
from runtime.lua.syntax import shifted
from runtime.lua.typed.exports import offered
from runtime.lua.typed.parser import parse

Rule = Callable[[Reading], Iterator[Fault]]
RULES: tuple[Rule, ...] = (
    *(undeclared, undefined, unknown_fields, wrong_arity, unreachable),
    *(empty_blocks, global_assign, self_compare, unused, shadowed),
)
Kept = MutableMapping[str, list[Finding]]
"""Findings of sources by digest; their places count from the beginning of the source."""


@dataclass(frozen=True, slots=True)
class _Library:
    """What a library does to those that import it; `fields` is None where that is not plain to see."""

    fields: Fields | None
    defined: frozenset[str] = frozenset()
    extended: frozenset[str] = frozenset()
    open: bool = False


class EntryLinter:
    """Reads the entries of one registry. With `types` the type checker reads them as well."""

    def __init__(
        self,
        library: Library,
        lookup: Lookup,
        *,
        libraries: Callable[[], list[str]],
        types: bool = False,
        kept: Kept | None = None,
    ) -> None:
        """`lookup` finds entries, `libraries` gives the ids of all that could be imported."""
        self._library = library
        self._lookup = lookup
        self._checker = EntryChecker(library) if types else None
        self._kept: Kept = {} if kept is None else kept
        self._digests = Digests(lookup)
        self._known: dict[str, _Library] = {}
        self._signatures: dict[str, dict[str, Signature]] = {}
        self._libraries = libraries
        self._declarations: Declarations | None = None
        self.used: set[str] = set()
        """The digests that were asked for."""

    def findings(self, entry: LuaEntry) -> list[Finding]:
        """Return all that is wrong with `entry`, in the order of places, rules on request included."""
        reached = closure(entry, self._lookup)
        key = f"{self._digests.digest(entry, reached)}{'t' if self._checker else ''}"
        self.used.add(key)
        found = self._kept.get(key)
        if found is None:
            found = self._kept[key] = list(self._read(entry, reached))
        start = source_place(entry)
        placed = [replace(each, place=_placed(each.place, start), entry=entry.id) for each in found]
        return sorted([*self._declared(entry, reached), *placed], key=_order)

    def _declared(self, entry: LuaEntry, reached: Closure) -> Iterator[Finding]:
        if self._declarations is None:
            sandbox = surface_of(self._library).globals
            self._declarations = Declarations(self._library, sandbox, self._lookup, self._libraries)
        yield from self._declarations.findings(entry)
        yield from self._declarations.collision(entry, reached.aliases)

    def _read(self, entry: LuaEntry, reached: Closure) -> Iterator[Finding]:
        source = source_of(entry)
        if not source:
            return
        try:
            check_syntax(source, "")
            tree = parse(source, "")
        except Invalid as error:
            message = error.message.removeprefix("Lua syntax: ")
            yield Finding(codes.SYNTAX, "error", message, error.place or Place("", 1, 1))
            return
        except RecursionError:
            return
        reading = Reading(tree, self._around(entry, reached))
        for rule in RULES:
            for fault in rule(reading):
                level = codes.RULES[fault.code].level
                yield Finding(fault.code, level, fault.message, tree.source.place(fault.at))
        yield from self._types(entry)

    def _types(self, entry: LuaEntry) -> Iterator[Finding]:
        if self._checker is None:
            return
        start = source_place(entry)
        for each in self._checker.findings(entry, self._lookup):
            column = each.place.column - start.column + 1 if each.place.column else 0
            yield replace(each, place=Place("", each.place.line - start.line + 1, column), entry="")

    def _around(self, entry: LuaEntry, reached: Closure) -> Around:
        libraries = [self._facts(each) for each in reached.libraries]
        return Around(
            sandbox=surface_of(self._library).globals,
            declared=dict(dependencies(entry)),
            reached=reached.reached,
            fields=self._fields,
            signature=self._signature,
            modules=frozenset(self._library.names()),
            defined=frozenset().union(*(each.defined for each in libraries)),
            extended=frozenset().union(*(each.extended for each in libraries)),
            open=any(each.open for each in libraries),
        )

    def _fields(self, target: str) -> Fields | None:
        if ":" not in target:
            return surface_of(self._library).module(target) if target in self._library else None
        found = self._lookup(target)
        return None if found is None else self._facts(found).fields

    def _signature(self, module: str, path: str) -> Signature | None:
        if module not in self._library or self._fields(module).get(path) != "function":  # type: ignore[union-attr]
            return None
        if module not in self._signatures:
            self._signatures[module] = signatures(self._library.get(module).types(), module)
        return self._signatures[module].get(path)

    def _facts(self, entry: LuaEntry) -> _Library:
        found = self._known.get(entry.id)
        if found is None:
            found = self._known[entry.id] = self._examine(entry)
        return found

    def _examine(self, entry: LuaEntry) -> _Library:
        try:
            tree = parse(source_of(entry), "")
        except (Error, RecursionError):  # that is said of the library itself
            return _Library(None, open=True)
        reached = {alias: min(targets) for alias, targets in closure(entry, self._lookup).aliases.items()}
        around = Around(
            surface_of(self._library).globals, dict(dependencies(entry)), reached, _nothing, _no_signature
        )
        reading = Reading(tree, around)
        names = offered(tree.block)
        fields = None if names is None else {"": "table", **dict.fromkeys(names, "open")}
        return _Library(
            fields, frozenset(reading.names.defined), frozenset(reading.extended), reading.names.open
        )


def _nothing(_target: str) -> Fields | None:
    return None


def _no_signature(_module: str, _path: str) -> Signature | None:
    return None


def _placed(place: Place, start: Place) -> Place:
    return shifted(Place(start.path, place.line, place.column), start)


def _order(finding: Finding) -> tuple[str, int, int, str]:
    return finding.place.path, finding.place.line, finding.place.column, finding.code
