"""What an entry reaches: its libraries and theirs, what their aliases mean, one digest of their content."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field

from runtime.lua.checker.entries import dependencies
from runtime.lua.program import LuaEntry

Lookup = Callable[[str], LuaEntry | None]
MAX_LIBRARIES = 1_000  # that one entry reaches


@dataclass(slots=True)
class Closure:
    """`libraries` are the entries that are reached, `aliases` what each alias means in any of them."""

    libraries: list[LuaEntry] = field(default_factory=list)
    aliases: dict[str, set[str]] = field(default_factory=dict)

    @property
    def reached(self) -> dict[str, str]:
        """Alias to one of the things that it means."""
        return {alias: min(targets) for alias, targets in self.aliases.items()}


def closure(entry: LuaEntry, lookup: Lookup) -> Closure:
    """Return what `entry` reaches; what is not there is left out."""
    found = Closure()
    seen = {entry.id}
    ahead = [entry]
    while ahead:
        for alias, target in dependencies(ahead.pop()):
            found.aliases.setdefault(alias, set()).add(target)
            library = lookup(target) if ":" in target and target not in seen else None
            if library is not None and len(seen) < MAX_LIBRARIES:
                seen.add(target)
                found.libraries.append(library)
                ahead.append(library)
    return found


class Digests:
    """The digest of an entry with all that it reaches; that of each content is made once."""

    def __init__(self, lookup: Lookup) -> None:
        self._lookup = lookup
        self._own: dict[str, bytes] = {}

    def digest(self, entry: LuaEntry, reached: Closure) -> str:
        """Return a digest that changes with the source or the dependencies of anything in the closure."""
        found = hashlib.blake2b(self._content(entry), digest_size=16)
        for content in sorted(map(self._content, reached.libraries)):
            found.update(content)
        return found.hexdigest()

    def _content(self, entry: LuaEntry) -> bytes:
        content = self._own.get(entry.id)
        if content is None:
            found = hashlib.blake2b(digest_size=16)
            for text in (entry.id, entry.kind, str(entry.origin), source_of(entry)):
                found.update(text.encode("utf-8", "surrogatepass") + b"\0")
            for alias, target in dependencies(entry):
                there = ":" not in target or self._lookup(target) is not None
                found.update(f"{alias}\0{target}\0{there}\0".encode("utf-8", "surrogatepass"))
            content = self._own[entry.id] = found.digest()
        return content


def source_of(entry: LuaEntry) -> str:
    """Return the source of an entry, empty where it has none."""
    source = entry.data.get("source") if hasattr(entry.data, "get") else None
    return source if isinstance(source, str) else ""
