"""What must stay flat however much has crossed: objects, references, descriptors, and Python within Lua."""

from __future__ import annotations

import gc
import os
from dataclasses import dataclass
from typing import Any

_WALK = b"""
local debug, type, next, rawget = debug, type, next, rawget
return function()
  local registry = debug.getregistry()
  local python, found, references = rawget(registry, "POBJECT"), 0, 0
  for key in next, registry do
    if math.type(key) == "integer" then references = references + 1 end
  end
  local seen, waiting = {}, { registry, debug.getmetatable("") }
  local function note(value)
    local kind = type(value)
    local lives = kind == "table" or kind == "function" or kind == "thread" or kind == "userdata"
    if lives and not seen[value] then
      seen[value] = true
      waiting[#waiting + 1] = value
    end
  end
  while #waiting > 0 do
    local value = waiting[#waiting]
    waiting[#waiting] = nil
    local kind = type(value)
    note(debug.getmetatable(value))
    if kind == "table" then
      for key, item in next, value do note(key) note(item) end
    elseif kind == "function" then
      for index = 1, 255 do
        local name, item = debug.getupvalue(value, index)
        if not name then break end
        note(item)
      end
    elseif kind == "userdata" then
      if debug.getmetatable(value) == python and value ~= registry.Py_None then found = found + 1 end
      note((debug.getuservalue(value, 1)))
    elseif value ~= coroutine.running() then
      for level = 0, 200 do
        local info = debug.getinfo(value, level, "f")
        if not info then break end
        note(info.func)
        for index = 1, 255 do
          local name, item = debug.getlocal(value, level, index)
          if not name then break end
          note(item)
        end
      end
    end
  end
  return found, references
end
"""


@dataclass(frozen=True, slots=True)
class Counts:
    """`objects` that Python's collector knows, `descriptors` that are open."""

    objects: int
    descriptors: int


def counts() -> Counts:
    """Count after all garbage is gone."""
    for _ in range(3):
        gc.collect()
    return Counts(len(gc.get_objects()), len(os.listdir("/proc/self/fd")))  # noqa: PTH208


def python_in_lua(state: Any) -> tuple[int, int]:
    """Return how many Python objects a walk over all that lives in a Lua state meets, and how many references
    the host holds to what is in it.

    The walk starts at the registry, which holds everything, and sees upvalues and the stacks of coroutines.
    The None that lupa keeps in the registry itself, where no script gets, is not counted.
    """
    lua = state._lua
    lua.execute(b"collectgarbage() collectgarbage()")
    found, references = lua.execute(_WALK)()
    return int(found), int(references)
