"""What a script finds in the sandbox, read from the kernel itself: globals, and the fields of each module.

Nothing is listed here: the same kernel and the same modules that run are loaded into a Lua state that runs no
script, and asked. So what is allowed when a source is read is what is there when it runs.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from functools import cache
from typing import Any

from runtime.core.errors import Internal
from runtime.lua.functions import Functions
from runtime.lua.kernel_code import kernel
from runtime.lua.library import Library
from runtime.lua.module import SyncFunction
from runtime.lua.state import new_lua

MAX_DEPTH = 4  # tables in tables of a module
MEMORY = 64 * 1024 * 1024

# The kernel says by one function what it refuses, so that the names of those can be noted while it is loaded.
_NOTE_REFUSED = b"""
local K = ...
if K.refused and not K.refusals then
  K.refusals = {}
  local refused = K.refused
  K.refused = function(name)
    local found = refused(name)
    K.refusals[found] = true
    return found
  end
end
"""
# One line a value: its path, and what it is. A table whose fields are made when they are asked for is `open`.
_DESCRIBE = b"""
local K, root, depth = ...
local rows, getmetatable = {}, K.raw.getmetatable
local function describe(path, value, left)
  local kind = K.refusals and K.refusals[value] and "refused" or K.typeof(value)
  if kind == "table" then
    local contents = K.contents(value)
    local metatable = K.raw.debug.getmetatable(contents)
    local open = metatable and metatable.__index ~= nil
    rows[#rows + 1] = path .. "\\t" .. ((open or left == 0) and "open" or "table")
    if left > 0 then
      for key, inner in K.raw.next, contents do
        if K.raw.type(key) == "string" then
          describe(path == "" and key or path .. "." .. key, inner, left - 1)
        end
      end
    end
  else
    rows[#rows + 1] = path .. "\\t" .. kind
  end
end
describe("", root(K), depth)
return K.raw.table.concat(rows, "\\n")
"""

_LOAD = b"""
local K, name, source = ...
local ok, message = K.load_module(name, source)
return not ok and message or nil
"""

Fields = Mapping[str, str]
"""Path (`memory.stats`) to what it is: `table`, `open`, `function`, `refused` or another type of Lua."""


class Surface:
    """The globals and modules of one library; what is not asked for is not loaded."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._functions = Functions(self._find)
        self._lua = new_lua(MEMORY)
        self._kernel = self._lua.table()
        base, *rest = kernel()
        self._lua.execute(base, self._kernel, self._answer, mode=b"b")
        for code in rest:
            self._lua.execute(code, self._kernel, mode=b"b")
            self._lua.execute(_NOTE_REFUSED, self._kernel)
        self._modules: dict[str, Fields] = {}
        for module in library.ambient():
            self._load(module.name)
            self._lua.execute(b"local K, name = ... K.make_ambient(name)", self._kernel, module.name.encode())
        self.globals: Fields = self._fields(b"return function(K) return K.base end")
        """What every script has, with the fields of its tables."""

    def module(self, name: str) -> Fields:
        """Return the fields of the module `name`; raise NotFound where there is none."""
        if name not in self._modules:
            self._load(name)
            self._modules[name] = self._fields(f"return function(K) return K.modules[{name!r}] end".encode())
        return self._modules[name]

    def _load(self, name: str) -> None:
        module = self._library.get(name)
        done: Any = self._lua.execute(_LOAD, self._kernel, name.encode(), module.lua.encode())
        if done is not None:
            raise Internal(f"module `{name}` does not load: {bytes(done).decode('utf-8', 'replace')}")

    def _find(self, module: str, function: str) -> SyncFunction | None:
        return self._library.get(module).functions.get(function) if module in self._library else None

    def _answer(self, name: bytes, packed: bytes) -> bytes:
        """What a module asks for while it is loaded; it is always the beginning of time."""
        if name == b"clock":
            return struct.pack("<dBI", 0.0, 0, 0)
        if name == b"wall":
            return struct.pack("<qqd", 0, 0, 0.0)
        return self._functions.call(name.decode(), packed)

    def _fields(self, root: bytes) -> Fields:
        text: Any = self._lua.execute(_DESCRIBE, self._kernel, self._lua.execute(root), MAX_DEPTH)
        rows = (row.partition("\t") for row in bytes(text).decode("utf-8", "replace").split("\n"))
        return {path: kind for path, _, kind in rows}


@cache
def surface_of(library: Library) -> Surface:
    """Return the surface of `library`, made once."""
    return Surface(library)
