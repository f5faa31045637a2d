-- What a script sees: an allow-list built from copies. Nothing is taken away from Lua's own environment, which no
-- script ever sees; what is refused on purpose says so by name.
local K = ...
local raw = K.raw
local error, type, rawget, next, pcall = raw.error, raw.type, raw.rawget, raw.next, raw.pcall
local setmetatable, select = raw.setmetatable, raw.select
local match, note_error, xpcall = raw.string.match, K.note_error, raw.xpcall

local KEPT_OUT = { debug = true, io = true, package = true, python = true }

-- Adds to Lua's own message what a missing global would have been, and takes kernel places out of it.
local function explain(err)
  if type(err) ~= "string" or #err > 4000 then
    return err
  end
  err = K.clean_message(err)
  local name = match(err, "a nil value %(global '([%w_]+)'%)")
  if name and KEPT_OUT[name] and not K.modules[name] then
    err = err .. ": `" .. name .. "` is not available in the sandbox"
  elseif name and K.module_names[name] then
    err = err .. ": add `" .. name .. "` to the modules of the entry"
  end
  return err
end
K.explain = explain

-- The error object for what a coroutine died of. Nothing of the script runs for it.
function K.failure(err, co, task)
  if K.is_error(err) then
    return err
  elseif err == "not enough memory" and task then
    return K.memory_error(task)
  end
  local message = err
  if type(err) == "table" then
    message = rawget(K.contents(err), "message")
  elseif type(err) == "number" or type(err) == "boolean" then
    message = raw.tostring(err)
  end
  if type(message) ~= "string" then
    message = "the script raised a " .. K.typeof(err) .. " that is no error object"
  end
  message = raw.string.sub(explain(message), 1, 8000)
  return K.error_at(co and K.trace_of(err, co) or {}, "Internal", message)
end

local function caught(ok, ...)
  if K.condemned then
    return K.leave()
  elseif ok then
    return true, ...
  end
  return false, explain((...))
end

local function safe_pcall(fn, ...)
  return caught(xpcall(fn, note_error, ...))
end

-- Calls a function below which nothing may wait, whatever it raises.
local function unshut(thread, ok, ...)
  thread.shut = thread.shut - 1
  if K.condemned then
    return K.leave()
  elseif not ok then
    return error((...), 0)
  end
  return ...
end
function K.call_shut(fn, ...)
  local thread = K.current
  thread.shut = thread.shut + 1
  return unshut(thread, pcall(fn, ...))
end

-- The handler runs after the failed call and not inside it, where no limit would hold.
local function handled(handler, ok, ...)
  if K.condemned then
    return K.leave()
  elseif ok then
    return true, ...
  end
  return false, handler(explain((...)))
end

local function safe_xpcall(fn, handler, ...)
  if type(handler) ~= "function" then
    error("bad argument #2 to 'xpcall' (function expected, got " .. K.typeof(handler) .. ")", 2)
  end
  return handled(handler, xpcall(fn, note_error, ...))
end

local function own_table(value, name)
  if K.typeof(value) ~= "table" then
    error("bad argument #1 to '" .. name .. "' (table expected, got " .. K.typeof(value) .. ")", 3)
  end
end

local function safe_setmetatable(object, metatable)
  own_table(object, "setmetatable")
  if metatable ~= nil and (type(metatable) ~= "table" or K.typeof(metatable) ~= "table") then
    error("bad argument #2 to 'setmetatable' (nil or table expected)", 2)
  elseif metatable ~= nil and rawget(metatable, "__gc") ~= nil then
    error("`__gc` is not available in the sandbox", 2)
  end
  return setmetatable(object, metatable)
end

local function safe_rawset(object, key, value)
  own_table(object, "rawset")
  if K.is_frozen(object) then
    error("attempt to modify a read-only table", 2)
  end
  return raw.rawset(object, key, value)
end

local function safe_rawget(object, key)
  own_table(object, "rawget")
  return rawget(K.contents(object), key)
end

local function safe_next(object, key)
  own_table(object, "next")
  return next(K.contents(object), key)
end

local function safe_pairs(object)
  if K.typeof(object) == "userdata" then
    error("bad argument #1 to 'pairs' (table expected, got userdata)", 2)
  end
  return raw.pairs(object)
end

local function safe_tonumber(value, ...)
  if type(value) == "string" and #value > 65536 then
    K.charge(#value)
  end
  return raw.tonumber(value, ...)
end

local function print(...)
  local parts = {}
  for index = 1, select("#", ...) do
    parts[index] = K.tostring((select(index, ...)))
  end
  K.cast("logger.print", { K.line(K.table_library.concat(parts, " ")) }, 1)
end

local function require(name)
  local value = type(name) == "string" and K.current.task.required[name]
  if not value then
    error("module '" .. K.tostring(name) .. "' not found", 2)
  end
  return value
end

-- A seeded generator is the task's own: no task changes what another one draws.
local function draw(state)
  local x = state[1]
  x = x ~ (x << 13)
  x = x ~ (x >> 7)
  x = x ~ (x << 17)
  state[1] = x
  return x
end

local math = {}
for key, value in next, raw.math do
  math[key] = value
end

function math.randomseed(seed)
  local number = raw.math.tointeger(seed) or (type(seed) == "number" and raw.string.unpack("<i8", raw.string.pack("<d", seed)))
  K.current.task.random = { (number or raw.math.random(1, raw.math.maxinteger)) * 2685821657736338717 ~ 88172645463325252 }
  if K.current.task.random[1] == 0 then
    K.current.task.random[1] = 1
  end
end

function math.random(low, high)
  local state = K.current and K.current.task.random
  if not state then
    if low == nil then
      return raw.math.random()
    elseif high == nil then
      return raw.math.random(low)
    end
    return raw.math.random(low, high)
  end
  if low == nil then
    return (draw(state) >> 11) * 2.0 ^ -53
  elseif high == nil then
    low, high = 1, low
  end
  low, high = raw.math.tointeger(low), raw.math.tointeger(high)
  if not low or not high or low > high then
    error("bad argument to 'random' (interval is empty or not whole)", 2)
  end
  local span = high - low + 1
  if span <= 0 then
    return low + (draw(state) >> 1)
  end
  return low + (draw(state) >> 1) % span
end

-- What every environment has. Modules and imports are added for each program.
local base = {
  assert = raw.assert, error = error, ipairs = raw.ipairs, select = select, rawequal = raw.rawequal,
  getmetatable = raw.getmetatable, setmetatable = safe_setmetatable, next = safe_next, pairs = safe_pairs,
  rawget = safe_rawget, rawset = safe_rawset, pcall = safe_pcall, xpcall = safe_xpcall, type = K.typeof,
  tostring = K.tostring, tonumber = safe_tonumber, print = print, require = require, _VERSION = "Lua 5.4",
  string = K.freeze(K.string_library), table = K.freeze(K.table_library), utf8 = K.freeze(K.utf8_library),
  math = K.freeze(math), coroutine = K.freeze(K.coroutine_library), channel = K.freeze(K.channel_library),
  errors = K.freeze(K.errors_library),
}
base.unpack = base.table.unpack
for _, name in raw.ipairs { "load", "loadstring", "loadfile", "dofile", "collectgarbage", "rawlen" } do
  base[name] = K.refused(name)
end
K.base = base

-- Methods of strings are the sandbox's, and nobody reaches the metatable that says so.
local string_metatable = raw.debug.getmetatable("")
string_metatable.__index = base.string
string_metatable.__metatable = false
