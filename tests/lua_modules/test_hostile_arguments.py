"""Whatever a script passes, a module answers with a value, an error object or an error of Lua.

Never a fault of the host, never an object of Python, and never a changed module.
"""

from __future__ import annotations

import pytest
from module_host import ModuleHost

from runtime.lua.library import Library

LIBRARY = Library.discover()
PUBLIC = [name for name in LIBRARY.names() if not LIBRARY.get(name).privileged]

ODD = """
local cycle = {} ; cycle.cycle = cycle
local shy = setmetatable({}, {
  __index = function() error("read") end,
  __pairs = function() error("walked") end,
})
local odd = {
  { n = 0 }, { n = 1, nil }, { n = 1, true }, { n = 1, -1 }, { n = 1, 1.5 }, { n = 1, 0/0 }, { n = 1, 1/0 },
  { n = 1, math.mininteger }, { n = 1, "" }, { n = 1, "x" }, { n = 1, "\\255\\0" },
  { n = 1, {} }, { n = 1, { 1, nil, 3 } },
  { n = 1, cycle }, { n = 1, shy }, { n = 1, print }, { n = 1, errors.new("e") }, { n = 1, channel.new() },
  { n = 2, "x", "y" }, { n = 2, {}, {} }, { n = 2, "x", {} }, { n = 2, {}, "x" }, { n = 2, 1, 2 },
  { n = 2, "x", 2 ^ 63 },
  { n = 3, "x", "y", "z" }, { n = 3, "a", "b", {} }, { n = 4, "a", "b", 1, 1e9 }, { n = 4, "a", "b", 1, 1 },
  { n = 6, 1, 2, 3, 4, 5, 6 }, { n = 6, "a", "b", "c", "d", "e", "f" },
}
"""
TRY = (
    ODD
    + """
local WAITS = { inbox = true, events = true, sleep = true, ticker = true, timer = true, after = true }
local tried = 0

local function judge(path, ok, value, err)
  tried = tried + 1
  for _, item in ipairs({ value, err }) do
    local text = tostring(type(item) == "userdata" and item or (ok and "" or item))
    if text:find("a function of the runtime failed", 1, true) or text:find("<class", 1, true) then
      error(path .. ": " .. text, 0)
    end
  end
  if ok and value == nil and err ~= nil and type(err) ~= "userdata" and type(err) ~= "boolean" then
    error(path .. ": the error is a " .. type(err), 0)
  end
end

local function walk(value, path, depth)
  for name, item in pairs(value) do
    if type(item) == "function" and not WAITS[name] then
      for _, args in ipairs(odd) do
        judge(path .. name, pcall(item, table.unpack(args, 1, args.n)))
        judge(path .. name .. " as a method", pcall(item, value, table.unpack(args, 1, args.n)))
      end
    elseif type(item) == "table" and depth < 4 then
      walk(item, path .. name .. ".", depth + 1)
    end
  end
end
"""
)
OBJECTS = """
local time, text = require("time"), require("text")
local METHODS = {
  { time.now(), "add sub add_date before after equal format in_location round truncate unix date" },
  { time.parse_duration("1s"), "seconds hours milliseconds" },
  { time.utc, "string" },
  { time.timer("1h"), "stop reset response" },
  { text.regexp.compile("(a)|b"), "match_string find_string find_all_string find_string_submatch"
    .. " find_all_string_submatch find_string_index find_all_string_index replace_all_string split" },
  { text.diff.new(), "compare summarize pretty_text pretty_html patch_make patch_apply" },
  { text.splitter.markdown(), "split_text split_batch" },
  { payload.new(1), "data transcode get_format" },
}
"""


def _answer(*_: object) -> object:
    return None


@pytest.mark.parametrize("name", PUBLIC)
def test_odd_arguments_never_reach_the_host_as_a_fault(name: str) -> None:
    module = LIBRARY.get(name)
    local = name if module.ambient else f'require("{name}")'
    source = f'{TRY} return {{ main = function() walk({local}, "{name}.", 1) return tried end }}'
    host = ModuleHost(dict.fromkeys((*module.commands, *module.withheld), _answer))
    assert host.run(source, modules=[name]) > 0


def test_odd_arguments_of_methods_never_reach_the_host_as_a_fault() -> None:
    source = f"""{TRY}
    return {{ main = function()
      {OBJECTS}
      for _, pair in ipairs(METHODS) do
        for name in pair[2]:gmatch("%S+") do
          for _, args in ipairs(odd) do
            judge(name, pcall(pair[1][name], pair[1], table.unpack(args, 1, args.n)))
            judge(name, pcall(pair[1][name], table.unpack(args, 1, args.n)))
          end
        end
      end
      return tried
    end }}"""
    assert ModuleHost().run(source, modules=["time", "text"]) > 1000


@pytest.mark.parametrize("name", PUBLIC)
def test_a_module_can_not_be_changed(name: str) -> None:
    local = name if LIBRARY.get(name).ambient else f'require("{name}")'
    source = f"""
    local module = {local}
    local function refused(fn, ...)
      if pcall(fn, ...) then error("it was changed", 0) end
    end
    return {{ main = function()
      local name, value = next(module)
      refused(function() module[name] = print end)
      refused(function() module.more = print end)
      refused(rawset, module, name, print)
      refused(table.insert, module, print)
      refused(setmetatable, module, {{}})
      if module[name] ~= value or module.more ~= nil then error("it was changed", 0) end
    end }}"""
    ModuleHost().run(source, modules=[name])
