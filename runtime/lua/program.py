"""A program: what one entry runs, its libraries in dependency order, its aliases and its method.

Linking is where a program's rights to modules are decided: an unknown module is NotFound, a privileged one is
granted only to an entry of origin `module` and only to that entry's own chunk, and the program is trusted no
more than the least trusted entry of its closure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

from runtime.core.errors import AlreadyExists, Conflict, Error, Invalid, NotFound, PermissionDenied, Place
from runtime.lua.library import Library
from runtime.lua.syntax import check_source, check_syntax, plain_lua

__all__ = ["Chunk", "LuaEntry", "Program", "check_source", "check_syntax", "link"]

_TRUST = ("module", "file", "runtime")  # from the most to the least trusted origin
_LUA_KINDS = ("function.lua", "process.lua", "workflow.lua", "library.lua")
_IMPORTED = ("library.lua", "function.lua", "process.lua")  # the value is what the chunk returns


class LuaEntry(Protocol):
    """The attributes of a registry entry that linking reads."""

    @property
    def id(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def data(self) -> Any: ...
    @property
    def origin(self) -> Any: ...


@dataclass(frozen=True, slots=True)
class Chunk:
    """One source as Lua loads it, types erased.

    `name` is what stack traces show; `privileged` are (alias, module) that only it sees.
    """

    id: str
    source: str
    name: str
    method: str = ""
    privileged: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Program:
    """What one entry runs.

    `libraries` are in dependency order. `aliases` are the globals of the closure: (alias, id of a library or
    name of a module). `modules` are all modules of the closure. `origin` is the least trusted one of the
    closure: `runtime`, else `file`, else `module`. Programs of one `key` are the same.
    """

    entry: str
    method: str
    libraries: tuple[Chunk, ...]
    main: Chunk
    aliases: tuple[tuple[str, str], ...]
    modules: tuple[str, ...]
    origin: str
    key: str = ""

    def with_key(self) -> Program:
        """Return the program with the digest of its content as its key."""
        from runtime.core.canonical import value_digest  # a child is told the key of its only program

        return replace(self, key=value_digest(self.to_value()))

    def to_value(self) -> dict[str, Any]:
        """Return the program as plain data."""
        return {
            "entry": self.entry,
            "libraries": [_row(chunk) for chunk in self.libraries],
            "main": _row(self.main),
            "aliases": [list(pair) for pair in self.aliases],
            "modules": list(self.modules),
            "origin": self.origin,
        }

    @classmethod
    def from_value(cls, value: Mapping[str, Any], key: str = "") -> Program:
        """Return the program of `to_value`; raise Invalid for anything else.

        `key` spares the digest where no other program can be mistaken for this one.
        """
        try:
            libraries, main = tuple(_chunk(item) for item in value["libraries"]), _chunk(value["main"])
            aliases = tuple((str(alias), str(target)) for alias, target in value["aliases"])
            modules = tuple(str(item) for item in value["modules"])
            origin = str(value["origin"])
            program = cls(str(value["entry"]), main.method, libraries, main, aliases, modules, origin)
            return replace(program, key=key) if key else program.with_key()
        except (KeyError, TypeError, ValueError) as error:
            raise Invalid("a program is not of the protocol") from error


def _row(chunk: Chunk) -> list[Any]:
    return [chunk.id, chunk.source, chunk.name, chunk.method, [list(pair) for pair in chunk.privileged]]


def _chunk(row: Any) -> Chunk:
    entry_id, source, name, method, privileged = row
    if not all(isinstance(item, str) for item in (entry_id, source, name, method)):
        raise TypeError
    return Chunk(
        entry_id, source, name, method, tuple((str(alias), str(module)) for alias, module in privileged)
    )


def link(entry: LuaEntry, lookup: Callable[[str], LuaEntry | None], library: Library) -> Program:
    """Return the program of `entry`, whose imports `lookup` finds.

    Raises NotFound for an unknown module or import, Conflict for an alias with two targets anywhere in the
    closure, AlreadyExists for a dependency named twice by one entry, Invalid for a cycle, a missing source or
    method and a source that is no Lua, typed or plain, PermissionDenied for a privileged module.
    """
    linker = _Linker(lookup, library)
    main = linker.visit(entry, main=True)
    aliases, modules = tuple(sorted(linker.aliases.items())), tuple(sorted(linker.modules))
    libraries = tuple(linker.libraries)
    return Program(entry.id, main.method, libraries, main, aliases, modules, linker.origin).with_key()


class _Linker:
    """One walk over the closure of an entry, depth first, so that a library stands before its users."""

    def __init__(self, lookup: Callable[[str], LuaEntry | None], library: Library) -> None:
        self._lookup = lookup
        self._library = library
        self._path: list[str] = []
        self._done: set[str] = set()
        self.libraries: list[Chunk] = []
        self.aliases: dict[str, str] = {}
        self.modules: set[str] = set()
        self.origin = _TRUST[0]

    def visit(self, entry: LuaEntry, *, main: bool = False) -> Chunk:
        fields = entry.data if isinstance(entry.data, Mapping) else {}
        origin = str(entry.origin)
        # An origin that nobody knows is trusted least.
        self.origin = max(self.origin, origin if origin in _TRUST else _TRUST[-1], key=_TRUST.index)
        self._path.append(entry.id)
        targets: set[str] = set()
        privileged: list[tuple[str, str]] = []
        for alias, target in _dependencies(entry, fields):
            if target in targets:
                raise _at(entry, AlreadyExists(f"dependency from `{entry.id}` to `{target}` already exists"))
            targets.add(target)
            if ":" in target:
                self._import(entry, alias, target)
            else:
                self._grant(entry, alias, target, privileged)
        self._path.pop()
        self._done.add(entry.id)
        method = _method(entry, fields) if main else ""
        start = source_place(entry)
        return Chunk(entry.id, _source(entry, fields, start), start.path, method, tuple(privileged))

    def _import(self, entry: LuaEntry, alias: str, target: str) -> None:
        if target in self._path:
            raise _at(
                entry,
                Invalid(f"import of `{target}` by `{entry.id}` closes a cycle: remove one of its imports"),
            )
        if target not in self._done:
            found = self._lookup(target)
            if found is None or found.kind not in _IMPORTED:
                what = "is not there" if found is None else f"is a `{found.kind}`, expected a `library.lua`"
                missing = NotFound(f"import `{target}` of `{entry.id}` {what}", details={"import": target})
                raise _at(entry, missing, _named_at(entry, alias, target))
            chunk = self.visit(found)
            self.libraries.append(chunk)
        self._bind(entry, alias, target)

    def _grant(self, entry: LuaEntry, alias: str, target: str, privileged: list[tuple[str, str]]) -> None:
        try:
            module = self._library.get(target)
        except NotFound as error:
            raise _at(entry, error, _named_at(entry, alias, target)) from None
        self.modules.add(target)
        if not module.privileged:
            self._bind(entry, alias, target)
            return
        if str(entry.origin) != "module":
            message = f"module `{target}` belongs to the runtime's own modules: `{entry.id}` can not use it"
            denied = PermissionDenied(message, details={"module": target})
            raise _at(entry, denied, _named_at(entry, alias, target))
        privileged.append((alias, target))

    def _bind(self, entry: LuaEntry, alias: str, target: str) -> None:
        known = self.aliases.setdefault(alias, target)
        if known != target:
            raise _at(
                entry,
                Conflict(
                    f"alias `{alias}` of `{entry.id}` means `{target}`, elsewhere `{known}`: rename one"
                ),
            )


def _dependencies(entry: LuaEntry, fields: Mapping[str, Any]) -> list[tuple[str, str]]:
    modules, imports = fields.get("modules") or (), fields.get("imports") or {}
    if not isinstance(modules, list | tuple) or not all(isinstance(name, str) for name in modules):
        raise _at(entry, Invalid(f"`modules` of `{entry.id}` is not a list of names"))
    if not isinstance(imports, Mapping):
        raise _at(entry, Invalid(f"`imports` of `{entry.id}` is not a map of alias to id"))
    from runtime.core.ids import check_id

    found = []
    for name in modules:
        if not name or ":" in name:
            raise _at(entry, Invalid(f"module `{name}` of `{entry.id}`: expected a name without a namespace"))
        found.append((name, name))
    for alias, target in imports.items():
        if not isinstance(alias, str) or not alias or not isinstance(target, str) or not target.strip(":"):
            raise _at(entry, Invalid(f"import `{alias}` of `{entry.id}`: expected an alias and an id"))
        module = target.removeprefix(":")
        found.append((alias, module if ":" not in module else check_id(target)))
    return found


def source_place(entry: LuaEntry) -> Place:
    """Return where the source of an entry begins: in a file, or in a text that is called by its id."""
    place = getattr(entry, "source_place", None)
    return place if isinstance(place, Place) else Place(getattr(entry, "source_name", "") or entry.id, 1, 1)


def _source(entry: LuaEntry, fields: Mapping[str, Any], start: Place) -> str:
    """Return what Lua loads: the source without its types, on the lines of the file where it is written."""
    source = fields.get("source")
    if entry.kind not in _LUA_KINDS:
        raise _at(entry, Invalid(f"`{entry.id}` is a `{entry.kind}`, which is no Lua"))
    if not isinstance(source, str) or not source:
        raise _at(entry, Invalid(f"`{entry.id}` has no source: source is required"))
    check_source(source, entry.id)
    return "\n" * (start.line - 1) + plain_lua(source, start)


def _method(entry: LuaEntry, fields: Mapping[str, Any]) -> str:
    method = fields.get("method") or ("main" if entry.kind in ("process.lua", "workflow.lua") else "")
    if not isinstance(method, str) or not method:
        raise _at(entry, Invalid(f"`{entry.id}` has no method: method is required"))
    return method


def _named_at(entry: LuaEntry, alias: str, target: str) -> tuple[str | int, ...]:
    """Return where in `entry` a dependency is named: among its modules or its imports."""
    modules = entry.data.get("modules") if isinstance(entry.data, Mapping) else None
    if isinstance(modules, list | tuple) and alias == target and target in modules:
        return ("data", "modules", modules.index(target))
    return ("data", "imports", alias)


def _at(entry: LuaEntry, error: Error, path: tuple[str | int, ...] = ()) -> Error:
    place_of = getattr(entry, "place_of", None)
    place = place_of(*path) if path and place_of else getattr(entry, "place", None)
    if error.place is None and isinstance(place, Place):
        error.place = place
    return error
