-- Host objects and read-only tables. Both are empty tables with a locked metatable; what they hold is kept in
-- weak tables of the kernel, so raw access finds nothing and a script can neither read nor forge their state.
-- A host object says "userdata" when asked for its type, and its methods are real Lua functions.
local K = ...
local raw = K.raw
local raw_type, raw_tostring, error, setmetatable, next = raw.type, raw.tostring, raw.error, raw.setmetatable, raw.next
local metatable_of = raw.debug.getmetatable

local WEAK = { __mode = "k" }
local classes = {} -- metatable of a class -> the class
local hidden = setmetatable({}, WEAK) -- read-only table -> the table with its contents

local function typeof(value)
  local kind = raw_type(value)
  if kind == "table" then
    local metatable = metatable_of(value)
    if metatable and classes[metatable] then
      return "userdata"
    end
  end
  return kind
end
K.typeof = typeof

-- The class of a host object, else nil.
function K.class_of(value)
  if raw_type(value) == "table" then
    local metatable = metatable_of(value)
    return metatable and classes[metatable] or nil
  end
  return nil
end

-- Defines a class of host objects. `spec` may hold methods (a table of functions that take the object), tostring,
-- and any other metamethod by its name without underscores (eq, lt, le, concat, add, sub, call, len, ...); `data`
-- is a function of the state that gives plain data to send in the object's place where it crosses to the host.
-- Returns new(state) -> object and state_of(value) -> state, nil for anything that is not of this class; and, for
-- the kernel alone, the table of states by object.
function K.define_class(name, spec)
  local states = setmetatable({}, WEAK)
  local methods = {}
  for key, method in next, spec.methods or {} do
    methods[key] = method
  end
  local metatable = {
    __index = methods,
    __name = name,
    __metatable = false,
    __newindex = function()
      error("a `" .. name .. "` can not be changed", 2)
    end,
    __pairs = function()
      error("a `" .. name .. "` is no table: it has no pairs", 2)
    end,
    __len = function()
      error("a `" .. name .. "` has no length", 2)
    end,
    __tostring = function()
      return name
    end,
  }
  for key, value in next, spec do
    if key ~= "methods" and key ~= "data" then
      metatable["__" .. key] = value
    end
  end
  local class = { name = name, states = states, data = spec.data }
  classes[metatable] = class
  local function new(state)
    local object = setmetatable({}, metatable)
    states[object] = state == nil and false or state
    return object
  end
  local function state_of(value)
    return states[value]
  end
  class.new, class.state_of = new, state_of
  return new, class.state_of, states
end

local function refuse_change()
  error("attempt to modify a read-only table", 2)
end

-- Makes `proxy` a read-only view of `contents`. Iteration hands out the proxy as its state, never the contents.
local function view(contents, proxy, metatable)
  local function step(_, key)
    return next(contents, key)
  end
  hidden[proxy] = contents
  metatable.__index = contents
  metatable.__newindex = refuse_change
  metatable.__metatable = false
  metatable.__len = function()
    return #contents
  end
  metatable.__pairs = metatable.__pairs or function()
    return step, proxy, nil
  end
  return setmetatable(proxy, metatable)
end

-- The contents of a read-only table, for raw reading only; any other value is returned as it is.
function K.contents(value)
  return hidden[value] or value
end

function K.is_frozen(value)
  return value ~= nil and hidden[value] ~= nil
end

-- Returns a read-only view of a table that the kernel or a module owns, and of the plain tables in it.
function K.freeze(contents)
  if raw_type(contents) ~= "table" or metatable_of(contents) then
    return contents
  end
  local inner = {}
  for key, value in next, contents do
    inner[key] = K.freeze(value)
  end
  return view(inner, {}, {})
end

-- Makes a script's own table read-only in place: its contents move behind it. Its metamethods stay.
function K.freeze_in_place(object)
  if hidden[object] then
    return object
  end
  local old = metatable_of(object)
  if old and old.__metatable ~= nil then
    error("table.freeze: the table has a protected metatable", 3)
  end
  local contents, metatable = {}, {}
  for key, value in next, object do
    contents[key] = value
  end
  if old then
    for key, value in next, old do
      metatable[key] = value
    end
    if old.__index ~= nil then
      setmetatable(contents, { __index = old.__index })
    end
  end
  for key in next, contents do
    object[key] = nil
  end
  return view(contents, object, metatable)
end

-- tostring without addresses: tables, functions and threads are told apart by a running number.
local serials, serial = setmetatable({}, WEAK), 0
function K.tostring(value)
  local kind = raw_type(value)
  if kind ~= "table" and kind ~= "function" and kind ~= "thread" then
    return raw_tostring(value)
  end
  local metatable = metatable_of(value)
  if metatable and raw.rawget(metatable, "__tostring") ~= nil then
    return raw_tostring(value)
  end
  local number = serials[value]
  if not number then
    serial = serial + 1
    number = serial
    serials[value] = number
  end
  local name = metatable and raw.rawget(metatable, "__name")
  return raw.string.format("%s: 0x%08x", raw_type(name) == "string" and name or kind, number)
end
