"""What a source must be before it is stored or run: the text of a Lua program, typed or plain, that parses.

Types are erased here, for every source that runs; what is loaded has the lines of what the user wrote.
"""

from __future__ import annotations

import re
import threading
from functools import cache
from typing import TYPE_CHECKING, Any

import lupa.lua54 as lupa

from runtime.core.errors import Invalid, Place
from runtime.lua.state import new_lua

if TYPE_CHECKING:
    from runtime.lua.typed.erase import Erased, Eraser

MAX_SOURCE = 1024 * 1024
_MESSAGE = re.compile(r"source:(\d+): (.*?)(?: at line (\d+))?", re.DOTALL)


def check_source(source: str, name: str) -> None:
    """Raise Invalid when `source` is too large or begins like compiled code."""
    if source[:1] in ("\x1b", "\0"):
        raise Invalid(f"source of `{name}` is compiled code: expected the text of a Lua program")
    if len(source) > MAX_SOURCE or len(source.encode("utf-8", "surrogatepass")) > MAX_SOURCE:
        raise Invalid(f"source of `{name}` is over {MAX_SOURCE} bytes: split it into libraries")


class _Parser:
    """A Lua state that parses and never runs anything."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._load: Any = None

    def parse(self, source: bytes) -> str | None:
        """Return Lua's message where `source` is no Lua, with the line as `source:<line>: `."""
        with self._lock:
            if self._load is None:
                self._load = new_lua(256 * 1024 * 1024).eval(
                    b"function(s) local f, m = load(s, '=source', 't', {}) return f and '' or tostring(m) end"
                )
            try:
                message: bytes = self._load(source)
            except (lupa.LuaError, MemoryError) as error:
                self._load = None
                return str(error)
        return message.decode("utf-8", "replace") or None


@cache
def _eraser() -> Eraser:
    from runtime.lua.typed.erase import Eraser  # a child loads what is erased already

    return Eraser(_Parser().parse)


def check_syntax(source: str, name: str | Place) -> None:
    """Raise Invalid, with the place in `name` and a frame of the text, when `source` is no Lua, typed or not.

    `name` may be the place of the first character of the source in a file that holds more than it.
    `details.frame` holds the lines around the place, and `frame` the same as rows.
    """
    start = name if isinstance(name, Place) else Place(name, 1, 1)
    erased = _erase(source, start)
    if erased.fault is not None:
        found = _MESSAGE.fullmatch(erased.fault)
        line, text = (int(found[3] or found[1]), found[2]) if found else (0, erased.fault)
        place = shifted(Place(start.path, line, _first_column(source, line)), start)
        raise framed(Invalid(f"Lua syntax: {text}", place=place), source, start)


def _first_column(source: str, line: int) -> int:
    """Return the column where the line begins that Lua complains of; it names no column. 0: no such line."""
    rows = source.split("\n", line)
    row = rows[line - 1] if 0 < line <= len(rows) else ""
    return len(row) - len(row.lstrip()) + 1 if row.strip() else 0


def shifted(place: Place, start: Place) -> Place:
    """Return a place in a source as one in the file where the source begins at `start`."""
    column = place.column + start.column - 1 if place.column else 0
    return Place(place.path, place.line + start.line - 1 if place.line else 0, column)


def plain_lua(source: str, name: str | Place) -> str:
    """Return the plain Lua to load for `source`: itself, or what is left when its types are erased.

    Raises Invalid as `check_syntax` does where typed Lua does not parse; Lua may still refuse the rest.
    """
    return _erase(source, name if isinstance(name, Place) else Place(name, 1, 1)).program


def is_typed(source: str, name: str) -> bool:
    """Whether `source` has types. Raises Invalid as `plain_lua` does."""
    return _erase(source, Place(name, 1, 1)).text is not source


def _erase(source: str, start: Place) -> Erased:
    check_source(source, start.path)
    try:
        return _eraser().erase(source, start.path)
    except Invalid as error:
        if error.place is not None:
            error.place = shifted(error.place, start)
        raise framed(error, source, start) from None


def framed(error: Invalid, source: str, start: Place) -> Invalid:
    """Return `error` with a frame of the text around its place, for people and in its details.

    `start` is where the source begins in its file.
    """
    from runtime.registry.code_frame import frame, lines_of  # a child never comes here

    if error.place is not None:
        rows = [" " * (start.column - 1) + row for row in lines_of(source)]
        error.frame = frame([""] * (start.line - 1) + rows, error.place)
        error.details["frame"] = "\n".join(error.frame)
    return error
