"""From typed Lua to plain Lua of the same lines: plain Lua passes as it is, types become blanks.

The same text is read once: what was made of it is kept, by the hash of the text, within a bound.
"""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace

from runtime.core.collector import no_collection
from runtime.core.errors import Invalid
from runtime.lua.typed.cursor import TOO_DEEP
from runtime.lua.typed.describe import Describer
from runtime.lua.typed.parser import Tree, parse
from runtime.lua.typed.scopes import bind

MAX_SLOTS = 100  # values that one type takes along
MAX_KEPT = 64 * 1024 * 1024  # characters of sources and of what was made of them
_INK = re.compile(r"[^ \t\n\r\v\f]")
# The one form of typed Lua that plain Lua reads as something else: a cast before a bracket or a string, which
# is a call of `as` to Lua. A cast stands on the line of its value.
_CAST = re.compile(r"""as[ \t]*[({"'\[]""")  # a literal in front, which Python looks for at C's speed
_VALUE_END = re.compile(r"""[\w)\]}"']""")


@dataclass(frozen=True, slots=True)
class Erased:
    """Plain Lua: `text` with the lines of the source; `prelude` is what its types need in front of line 1.

    `fault` is Lua's message where it does not take the erased text (a goto without its label), else None.
    """

    text: str
    prelude: str = ""
    fault: str | None = None

    @property
    def program(self) -> str:
        """The text to load."""
        return self.prelude + self.text


class Eraser:
    """Erases sources; `load(text)` is Lua's own parser: None, or its message. Safe to use from any thread."""

    def __init__(self, load: Callable[[bytes], str | None]) -> None:
        self._load = load
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, Erased] = OrderedDict()
        self._size = 0

    def erase(self, source: str, path: str) -> Erased:
        """Return the plain Lua of `source`; raise Invalid, with the place in `path`, where it is no Lua."""
        with self._lock:
            erased = self._kept.get(source)
            if erased is not None:
                self._kept.move_to_end(source)
                return erased
        erased = self._erase(source, path)
        self._keep(source, erased)
        return erased

    def _erase(self, source: str, path: str) -> Erased:
        plain = self._load(source.encode("utf-8", "surrogatepass")) is None
        if plain and not _may_cast(source):
            return Erased(source)
        try:
            with no_collection():
                erased = erase_tree(parse(source, path))
        except Invalid:
            if plain:
                return Erased(source)
            raise
        return replace(erased, fault=self._load(erased.program.encode("utf-8", "surrogatepass")))

    def _keep(self, source: str, erased: Erased) -> None:
        with self._lock:
            if source not in self._kept:
                self._kept[source] = erased
                self._size += _size(source, erased)
            while self._size > MAX_KEPT and len(self._kept) > 1:
                self._size -= _size(*self._kept.popitem(last=False))


def _size(source: str, erased: Erased) -> int:
    return len(source) + (0 if erased.text is source else len(erased.text)) + len(erased.prelude)


def erase_tree(tree: Tree) -> Erased:
    """Return the plain Lua of a tree; raise Invalid where its types are without bound."""
    try:
        written, prelude = _values(tree)
    except RecursionError:
        raise tree.source.error(TOO_DEEP, 0) from None
    text = tree.source.text
    pieces: list[str] = []
    done = 0
    for start, end, value in sorted([*((start, end, "") for start, end in tree.spans), *written], key=_outer):
        if start < done:  # inside a span that is erased as a whole, or the same with its value
            continue
        stop = ";" if start in tree.stops and not value else ""
        pieces += (text[done:start], _blank(text[start:end], value or stop))
        done = end
    pieces.append(text[done:])
    return Erased("".join(pieces), prelude)


def _may_cast(source: str) -> bool:
    """Whether somewhere `as` stands between a value and a bracket or a string on one line."""
    for found in _CAST.finditer(source):
        before = source[max(found.start() - 64, 0) : found.start()]
        value = before.rstrip(" \t")
        if value != before and (not value or _VALUE_END.match(value[-1])):
            return True
    return False


def _outer(span: tuple[int, int, str]) -> tuple[int, int, bool]:
    """What comes first and reaches further goes first; of the same, the one with a value."""
    start, end, value = span
    return start, -end, not value


def _values(tree: Tree) -> tuple[list[tuple[int, int, str]], str]:
    """Return what stands where a type is a value, as (from, to, text), and the prelude that it needs."""
    aliases = [alias for alias in tree.aliases if alias.name in tree.used]
    if not aliases and "typeof" not in tree.used:
        return [], ""
    binding = bind(tree.block)
    describer = Describer(tree.source, binding)
    written = []
    for alias in aliases:
        if alias.at not in binding.hidden:
            row = describer.alias(alias)
            names = [str(row), *(f'"{name}",{name}' for name in describer.slots(row)[:MAX_SLOTS])]
            written.append((alias.at, alias.end, f"local {alias.name}=__t({','.join(names)});"))
    for call in binding.calls:
        found = describer.variable(call.arguments[0])
        value = f"__t({found})"
        # One that needs names of other types, or has no room, asks the value itself at run time.
        if found is not None and not describer.slots(found) and len(value) <= call.end - call.at:
            written.append((call.at, call.end, value))
    return written, f"local __t=__typed{describer.table()} " if written else ""


def _blank(text: str, begin: str) -> str:
    """Return blanks for `text`, line ends kept, with `begin` written over its first line."""
    blank = " " * len(text) if text.isprintable() else _INK.sub(" ", text)
    if not begin:
        return blank
    first = next((index for index, letter in enumerate(text) if letter in "\n\r"), len(text))
    return begin + blank[len(begin) : first] + blank[first:]
