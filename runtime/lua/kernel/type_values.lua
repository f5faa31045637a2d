-- What a type can do: `X:is(v)`, `X(v)`, reflection and comparison; and the names of types in every environment.
local K = ...
local raw, T = K.raw, K.types
local error, rawget, type = raw.error, raw.rawget, raw.type
local list = T.list

local methods = {}

local function own(self, method)
  local state = T.state_of(self)
  if not state then
    error("bad argument #1 to '" .. method .. "' (type expected, got " .. K.typeof(self) .. "): call it with `:`", 3)
  end
  return state
end

-- The set and the row that the type means, validators aside.
local function meant(state)
  local set, row = T.settle(state.set, state.row)
  for _ = 1, 16 do
    if rawget(row, 1) ~= "validated" then
      break
    end
    set, row = T.settle(set, T.row_of(set, rawget(row, 2)))
  end
  return set, row
end

local function part(state, kind, position)
  local set, row = meant(state)
  if rawget(row, 1) == kind then
    return T.at(set, rawget(row, position))
  end
  return nil
end

local function each(set, rows)
  local position = 0
  return function()
    position = position + 1
    local index = rawget(rows, position)
    return index ~= nil and T.at(set, index) or nil
  end
end

function methods.is(self, value)
  local fault = T.fault(own(self, "is"), value)
  if fault then
    return nil, fault
  end
  return value, nil
end

function methods.kind(self)
  local _, row = meant(own(self, "kind"))
  return rawget(row, 1)
end

function methods.name(self)
  local state = own(self, "name")
  return T.text_of(state.set, state.row, 1)
end

function methods.fields(self)
  local set, row = meant(own(self, "fields"))
  local fields, position = rawget(row, 1) == "record" and list(row, 2) or {}, 0
  return function()
    position = position + 1
    local field = rawget(fields, position)
    if type(field) == "table" then
      return rawget(field, 1), T.at(set, rawget(field, 2))
    end
    return nil
  end
end

function methods.elem(self)
  return part(own(self, "elem"), "array", 2)
end

function methods.key(self)
  return part(own(self, "key"), "map", 2)
end

function methods.val(self)
  return part(own(self, "val"), "map", 3)
end

function methods.inner(self)
  return part(own(self, "inner"), "optional", 2)
end

function methods.variants(self)
  local set, row = meant(own(self, "variants"))
  return each(set, rawget(row, 1) == "union" and list(row, 2) or {})
end

function methods.params(self)
  local set, row = meant(own(self, "params"))
  return each(set, rawget(row, 1) == "function" and list(row, 2) or {})
end

function methods.ret(self)
  local set, row = meant(own(self, "ret"))
  if rawget(row, 1) ~= "function" then
    return nil
  end
  local first = rawget(list(row, 3), 1)
  return first ~= nil and T.at(set, first) or T.simple(rawget(row, 3) ~= nil and "nil" or "any")
end

-- The type of a field. One that is called like a method is both: `User.name` is the field's type, `User:name()`
-- the name of the type.
local function index(self, name)
  local state = T.state_of(self)
  local set, row = meant(state)
  if rawget(row, 1) == "record" then
    for _, field in raw.ipairs(list(row, 2)) do
      if rawget(field, 1) == name then
        local found = T.at(set, rawget(field, 2))
        return methods[name] and T.with_method(found, self, methods[name]) or found
      end
    end
  end
  return methods[name]
end

local function call(self, value, ...)
  local state = T.state_of(self)
  if state.owner ~= nil and raw.rawequal(value, state.owner) then
    return state.method(value, ...)
  end
  local result, fault = T.cast(state, value)
  if fault then
    error(fault, 0)
  end
  return result
end

local function compare(method)
  return function(left, right)
    local a, b = T.state_of(left), T.state_of(right)
    if not a or not b then
      error("attempt to compare a type with a " .. K.typeof(a and right or left), 2)
    end
    return method(a, b)
  end
end

local function equal(a, b)
  return T.fits(a, b) and T.fits(b, a)
end

local spec = {
  methods = methods,
  index = index,
  call = call,
  eq = function(left, right)
    local a, b = T.state_of(left), T.state_of(right)
    return a ~= nil and b ~= nil and equal(a, b)
  end,
  le = compare(T.fits),
  lt = compare(function(a, b)
    return T.fits(a, b) and not T.fits(b, a)
  end),
  tostring = function(self)
    local state = T.state_of(self)
    return T.text_of(state.set, state.row, 1)
  end,
}
local new = T.define(spec)

function T.with_method(found, owner, method)
  local state = T.state_of(found)
  return new { set = state.set, row = state.row, owner = owner, method = method }
end

-- `string` stays the library and can be called; the others are types.
local base = K.base
base.__typed, base.typeof = T.typed, T.of
for name, kind in raw.next, { Integer = "integer", Number = "number", Boolean = "boolean", String = "string" } do
  base[name] = T.simple(kind)
end
base.integer, base.number, base.boolean = base.Integer, base.Number, base.Boolean
raw.debug.getmetatable(base.string).__call = function(_, value)
  return call(base.String, value)
end
