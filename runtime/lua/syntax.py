"""What a source must be before it is stored or run: the text of a Lua program, bounded, that parses."""

from __future__ import annotations

import re
import threading
from typing import Any

import lupa.lua54 as lupa

from runtime.core.errors import Invalid, Place
from runtime.lua.state import new_lua

MAX_SOURCE = 1024 * 1024
_MESSAGE = re.compile(r"source:(\d+): (.*)", re.DOTALL)


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


_parser = _Parser()


def check_syntax(source: str, name: str) -> None:
    """Raise Invalid, with Lua's message and the place in `name`, when `source` is no Lua program."""
    check_source(source, name)
    message = _parser.parse(source.encode("utf-8", "surrogatepass"))
    if message is None:
        return
    found = _MESSAGE.fullmatch(message)
    line, text = (int(found[1]), found[2]) if found else (0, message)
    raise Invalid(f"Lua syntax: {text}", place=Place(name, line))
