"""Rules on what an entry declares: its modules and imports are there, and each alias stands for one thing.

Places are those of the YAML; the text is read again for them, so they are made for findings only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from runtime.core.errors import Place
from runtime.core.nearest import did_you_mean
from runtime.lua.checker.entries import dependencies
from runtime.lua.library import Library
from runtime.lua.lint import codes
from runtime.lua.lint.closure import Lookup
from runtime.lua.lint.finding import Finding
from runtime.lua.lint.surface import Fields
from runtime.lua.program import _IMPORTED as IMPORTED
from runtime.lua.program import LuaEntry


@dataclass(frozen=True, slots=True)
class Declarations:
    """What is asked about the dependencies of entries; `libraries` gives the ids that could be imported."""

    library: Library
    sandbox: Fields
    lookup: Lookup
    libraries: Callable[[], list[str]]

    def findings(self, entry: LuaEntry) -> Iterator[Finding]:
        """Find what is wrong with the modules and imports of `entry`."""
        aliases: dict[str, str] = {}
        targets: set[str] = set()
        for alias, target, path in _places(entry):
            found = self._unknown(entry, target)
            if found:
                yield _finding(entry, found[0], found[1], path)
            if target in targets:
                yield _finding(entry, codes.COLLISION, f"`{target}` is named twice: remove one of them", path)
            elif (known := aliases.get(alias)) is not None and known != target:
                message = f"alias `{alias}` means `{known}` and `{target}`: rename the import"
                yield _finding(entry, codes.COLLISION, message, path)
            elif alias in self.sandbox and alias != target:
                message = f"import `{alias}` hides the `{alias}` that every script has: give it another alias"
                yield _finding(entry, codes.HIDDEN, message, path)
            aliases.setdefault(alias, target)
            targets.add(target)

    def collision(self, entry: LuaEntry, reached: Mapping[str, set[str]]) -> Iterator[Finding]:
        """Find aliases that mean one thing here and another in what is imported; `reached` gives all."""
        own = dict(dependencies(entry))
        for alias, targets in sorted(reached.items()):
            if len(targets) < 2:
                continue
            shown = " and ".join(f"`{each}`" for each in sorted(targets))
            where = "here and in what is imported" if alias in own else "in what is imported"
            path = _path_of(entry, alias) if alias in own else ("data", "imports")
            message = f"alias `{alias}` means {shown}, {where}: they share one environment, so rename one"
            yield _finding(entry, codes.COLLISION, message, path)

    def _unknown(self, entry: LuaEntry, target: str) -> tuple[str, str] | None:
        if ":" not in target:
            if target not in self.library:
                hint = did_you_mean(target, self._granted(entry))
                return codes.UNKNOWN_MODULE, f"module `{target}` does not exist{hint}"
            if self.library.get(target).privileged and str(entry.origin) != "module":
                return codes.UNKNOWN_MODULE, f"module `{target}` belongs to the runtime's own entries"
            return None
        found = self.lookup(target)
        if found is None:
            hint = did_you_mean(target, self.libraries())
            return codes.UNKNOWN_IMPORT, f"import `{target}` does not exist{hint}"
        if found.kind not in IMPORTED:
            return codes.UNKNOWN_IMPORT, f"import `{target}` is a `{found.kind}`, expected a `library.lua`"
        return None

    def _granted(self, entry: LuaEntry) -> list[str]:
        own = str(entry.origin) == "module"
        return [name for name in self.library.names() if own or not self.library.get(name).privileged]


def _places(entry: LuaEntry) -> Iterator[tuple[str, str, tuple[str | int, ...]]]:
    for alias, target in dependencies(entry):
        yield alias, target, _path_of(entry, alias, target)


def _path_of(entry: LuaEntry, alias: str, target: str = "") -> tuple[str | int, ...]:
    data: Any = entry.data
    imports, modules = data.get("imports"), data.get("modules")
    in_imports = isinstance(imports, Mapping) and alias in imports
    if isinstance(modules, list | tuple) and alias in modules and (target == alias or not in_imports):
        return "data", "modules", modules.index(alias)
    return "data", "imports", alias


def _finding(entry: LuaEntry, code: str, message: str, path: tuple[str | int, ...]) -> Finding:
    place_of = getattr(entry, "place_of", None)
    place = place_of(*path) if place_of else None
    level = codes.RULES[code].level
    return Finding(code, level, message, place if isinstance(place, Place) else Place(entry.id), entry.id)
