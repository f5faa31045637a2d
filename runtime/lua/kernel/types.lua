-- Types as values. `__typed(rows)` is what erased sources call: it takes the types of a file as rows {kind, ...}
-- (written by typed/describe.py) and returns the function that gives the type of a row. A type is a host object;
-- its rows may come from anybody, so a row that makes no sense is a type that nothing fits.
local K = ...
local raw = K.raw
local type, error, rawget, select = raw.type, raw.error, raw.rawget, raw.select
local math_type, format, concat = raw.math.type, raw.string.format, raw.table.concat

local MAX_HOPS, MAX_SHAPE, MAX_TEXT = 64, 8, 12
local NEVER, ANY = { "never" }, { "any" }
local new_type, state_of
local T = {}
K.types = T

-- Simple types are the same object in every file: they compare, and serve as keys.
local simple = {}
local function simple_type(kind)
  if not simple[kind] then
    simple[kind] = new_type { set = { rows = {}, objects = {} }, row = { kind } }
  end
  return simple[kind]
end
T.simple = simple_type

local SIMPLE = {}
for _, kind in raw.ipairs {
  "string", "integer", "number", "boolean", "any", "unknown", "never", "nil", "table", "function", "thread",
  "userdata", "error",
} do
  SIMPLE[kind] = true
end

local function row_of(set, index)
  local row = rawget(set.rows, index)
  return type(row) == "table" and row or NEVER
end

-- The row that a row means: names lead to their type, to a type of another file, or to the shape of a value.
local function settle(set, row)
  for _ = 1, MAX_HOPS do
    local kind = rawget(row, 1)
    local other
    if kind == "alias" then
      row = row_of(set, rawget(row, 3))
    elseif kind == "outside" then
      other = set.values[rawget(row, 2)]
      for position = 3, 16 do
        local name = rawget(row, position)
        if name == nil or type(other) ~= "table" then
          break
        end
        other = rawget(K.contents(other), name)
      end
      other = state_of(other)
      if not other then
        return set, ANY
      end
    elseif kind == "shape" then
      other = state_of(T.of(set.values[rawget(row, 2)]))
    else
      return set, row
    end
    if other then
      set, row = other.set, other.row
    end
  end
  return set, ANY
end
T.settle, T.row_of = settle, row_of

-- The type of a row of a set, the same object each time.
local function type_at(set, index)
  local row = row_of(set, index)
  if SIMPLE[rawget(row, 1)] and rawget(row, 2) == nil then
    return simple_type(row[1])
  end
  if not set.objects[index] then
    set.objects[index] = new_type { set = set, row = row }
  end
  return set.objects[index]
end
T.at = type_at

function T.typed(rows)
  if K.typeof(rows) ~= "table" then
    error("bad argument #1 to '__typed' (table expected, got " .. K.typeof(rows) .. ")", 2)
  end
  local set = { rows = rows, objects = {}, values = {} }
  return function(index, ...)
    for position = 1, select("#", ...), 2 do
      local name, value = select(position, ...)
      set.values[name] = value
    end
    return type_at(set, index)
  end
end

-- The type that a value seems to have. A table is an array, a record of what it holds, or a map.
local function shape(set, value, depth)
  local kind = K.typeof(value)
  if state_of(value) then
    local other = state_of(value)
    set.values[#set.rows + 1] = value
    return { "outside", #set.rows + 1 }, other
  elseif K.is_error(value) then
    return { "error" }
  elseif kind ~= "table" or depth > MAX_SHAPE then
    return { depth > MAX_SHAPE and "any" or kind }
  end
  local contents, fields, length = K.contents(value), {}, 0
  local function add(item)
    local place = #set.rows + 1
    set.rows[place] = NEVER
    set.rows[place] = shape(set, item, depth + 1)
    return place
  end
  if raw.rawlen(contents) > 0 then
    return { "array", add(contents[1]) }
  end
  for key, item in raw.next, contents do
    length = length + 1
    if type(key) ~= "string" or length > 200 then
      set.rows[#set.rows + 1] = ANY
      return { "map", #set.rows, #set.rows }
    end
    fields[length] = key
  end
  raw.table.sort(fields)
  for index, key in raw.ipairs(fields) do
    fields[index] = { key, add(contents[key]), false }
  end
  return { "record", fields }
end

function T.of(value)
  if state_of(value) then
    return value
  end
  local set = { rows = {}, objects = {}, values = {} }
  local row = shape(set, value, 1)
  if SIMPLE[row[1]] then
    return simple_type(row[1])
  end
  set.rows[#set.rows + 1] = row
  return type_at(set, #set.rows)
end

-- The text of a type, as one would write it; deep and long ones are cut short.
local text_of

local function list_text(set, rows, separator, depth)
  local parts = {}
  for index = 1, MAX_TEXT + 1 do
    local item = rawget(rows, index)
    if item == nil then
      break
    end
    parts[index] = index > MAX_TEXT and "..." or text_of(set, row_of(set, item), depth + 1)
  end
  return concat(parts, separator)
end

local function fields_text(set, row, depth)
  local parts = {}
  for index, field in raw.ipairs(T.list(row, 2)) do
    if index > MAX_TEXT then
      parts[index] = "..."
      break
    end
    local name, place, optional = rawget(field, 1), rawget(field, 2), rawget(field, 3)
    parts[index] = format("%s%s: %s", K.tostring(name), optional and "?" or "", text_of(set, row_of(set, place), depth + 1))
  end
  if rawget(row, 3) then
    parts[#parts + 1] = T.map_text(set, row, 3, depth)
  end
  return "{" .. concat(parts, ", ") .. "}"
end

local function literal_text(value)
  return type(value) == "string" and format("%q", raw.string.sub(value, 1, 80)) or K.tostring(value)
end
T.literal_text = literal_text

function T.map_text(set, row, position, depth)
  local key, value = row_of(set, rawget(row, position)), row_of(set, rawget(row, position + 1))
  return "[" .. text_of(set, key, depth + 1) .. "]: " .. text_of(set, value, depth + 1)
end

-- The items of a list in a row; anything else there is an empty list.
function T.list(row, position)
  local list = rawget(row, position)
  return type(list) == "table" and not raw.debug.getmetatable(list) and list or {}
end

local TEXTS = {
  alias = function(_, row)
    return rawget(row, 2)
  end,
  outside = function(_, row)
    local parts = {}
    for position = 2, 16 do
      parts[position - 1] = type(rawget(row, position)) == "string" and rawget(row, position) or nil
    end
    return concat(parts, ".")
  end,
  literal = function(_, row)
    return literal_text(rawget(row, 2))
  end,
  array = function(set, row, depth)
    return "{" .. text_of(set, row_of(set, rawget(row, 2)), depth + 1) .. "}"
  end,
  optional = function(set, row, depth)
    return text_of(set, row_of(set, rawget(row, 2)), depth + 1) .. "?"
  end,
  validated = function(set, row, depth)
    return text_of(set, row_of(set, rawget(row, 2)), depth + 1)
  end,
  union = function(set, row, depth)
    return list_text(set, T.list(row, 2), " | ", depth)
  end,
  intersection = function(set, row, depth)
    return list_text(set, T.list(row, 2), " & ", depth)
  end,
  map = function(set, row, depth)
    return "{" .. T.map_text(set, row, 2, depth) .. "}"
  end,
  record = fields_text,
  ["function"] = function(set, row, depth)
    if rawget(row, 2) == nil then
      return "function"
    end
    return "(" .. list_text(set, T.list(row, 2), ", ", depth) .. ") -> ("
      .. list_text(set, T.list(row, 3), ", ", depth) .. ")"
  end,
}

function text_of(set, row, depth)
  local kind = rawget(row, 1)
  local write = TEXTS[kind]
  if depth > 4 and kind ~= "alias" then
    return "..."
  end
  return K.tostring(write and write(set, row, depth) or kind)
end
T.text_of = text_of

-- Given by type_values.lua, which knows what a type can do.
function T.define(spec)
  new_type, state_of = K.define_class("type", spec)
  T.state_of = state_of
  return new_type
end

function T.is_integer(value)
  return math_type(value) == "integer" or (math_type(value) == "float" and value % 1 == 0)
end
