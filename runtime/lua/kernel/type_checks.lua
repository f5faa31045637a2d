-- Whether a value is of a type, and if not, where and why. Values are read raw, and the work is charged to the task.
local K = ...
local raw, T = K.raw, K.types
local type, rawget, next, rawlen = raw.type, raw.rawget, raw.next, raw.rawlen
local format, concat, sub = raw.string.format, raw.table.concat, raw.string.sub
local settle, row_of, text_of, list = T.settle, T.row_of, T.text_of, T.list

local MAX_DEPTH, MAX_CALLS, COST = 100, 400, 60

local check -- (set, row, value, path) -> nil where it fits, else a message

local function at(path)
  if path.depth == 0 then
    return ""
  end
  local parts = {}
  for level = 1, path.depth do
    local step = path[level]
    if type(step) == "string" and raw.string.find(step, "^[%a_][%w_]*$") and #step <= 60 then
      parts[level] = (level > 1 and "." or "") .. step
    else
      parts[level] = "[" .. sub(type(step) == "string" and format("%q", sub(step, 1, 60)) or K.tostring(step), 1, 80) .. "]"
    end
  end
  return "`" .. concat(parts) .. "`: "
end

local function got(value)
  local kind = K.typeof(value)
  if kind == "string" and #value <= 40 or kind == "boolean" then
    return T.literal_text(value)
  elseif kind == "number" then
    return "the number " .. raw.tostring(value)
  end
  return kind
end

-- What was expected: the name of a record, of anything else what the name means.
local function mismatch(named_set, named, set, row, value, path)
  local kind = rawget(row, 1)
  local text = kind == "record" and text_of(named_set, named, 1) or text_of(set, row, 1)
  return at(path) .. "expected " .. (kind == "function" and "a function " or "") .. text .. ", got " .. got(value)
end

-- Checks a part of the value, which `step` leads to.
local function check_part(set, index, value, path, step)
  local depth = path.depth + 1
  if depth > MAX_DEPTH then
    return at(path) .. "expected a value of at most " .. MAX_DEPTH .. " levels"
  end
  path.depth, path[depth] = depth, step
  local fault = check(set, row_of(set, index), value, path)
  path.depth = depth - 1
  return fault
end

local function is_table(value)
  return K.typeof(value) == "table"
end

local function check_map(set, row, position, value, path, known)
  for key, item in next, value do
    if not (known and known[key]) then
      local fault = check_part(set, rawget(row, position), key, path, key)
        or check_part(set, rawget(row, position + 1), item, path, key)
      if fault then
        return fault
      end
    end
  end
  return nil
end

local function length_of(value)
  if type(value) == "string" then
    return #value
  end
  return is_table(value) and rawlen(K.contents(value)) or nil
end

local VALIDATORS = {
  min = function(value, limit)
    if type(value) == "number" and type(limit) == "number" and not (value >= limit) then
      return format("%s is below the minimum %s", value, limit)
    end
  end,
  max = function(value, limit)
    if type(value) == "number" and type(limit) == "number" and not (value <= limit) then
      return format("%s is above the maximum %s", value, limit)
    end
  end,
  min_len = function(value, limit)
    local length = length_of(value)
    if length and type(limit) == "number" and length < limit then
      return format("length %d is below the minimum length %s", length, limit)
    end
  end,
  max_len = function(value, limit)
    local length = length_of(value)
    if length and type(limit) == "number" and length > limit then
      return format("length %d is above the maximum length %s", length, limit)
    end
  end,
  pattern = function(value, pattern)
    if type(value) ~= "string" or type(pattern) ~= "string" then
      return nil
    end
    local fits, err = K.sync("kernel", "pattern", pattern, value)
    if fits == nil then
      return "the pattern can not be used: " .. (K.error_text(err) or "")
    end
    return not fits and format("%s does not match the pattern `%s`", got(value), sub(pattern, 1, 200)) or nil
  end,
}

local CHECKS = {
  any = function() end,
  unknown = function() end,
  string = function(_, _, value)
    return type(value) ~= "string"
  end,
  number = function(_, _, value)
    return type(value) ~= "number"
  end,
  integer = function(_, _, value)
    return not T.is_integer(value)
  end,
  boolean = function(_, _, value)
    return type(value) ~= "boolean"
  end,
  ["nil"] = function(_, _, value)
    return value ~= nil
  end,
  table = function(_, _, value)
    return not is_table(value)
  end,
  thread = function(_, _, value)
    return type(value) ~= "thread"
  end,
  userdata = function(_, _, value)
    return K.typeof(value) ~= "userdata"
  end,
  error = function(_, _, value)
    return not K.is_error(value) and type(value) ~= "string"
  end,
  ["function"] = function(_, _, value)
    local metatable = is_table(value) and raw.debug.getmetatable(value)
    return type(value) ~= "function" and not (metatable and rawget(metatable, "__call") ~= nil)
  end,
  literal = function(_, row, value)
    return value ~= rawget(row, 2)
  end,
  optional = function(set, row, value, path)
    return value ~= nil and check(set, row_of(set, rawget(row, 2)), value, path)
  end,
  array = function(set, row, value, path)
    if not is_table(value) then
      return true
    end
    value = K.contents(value)
    local length, items = rawlen(value), 0
    for key in next, value do
      items = items + 1
      if raw.math.type(key) ~= "integer" or key < 1 or key > length then
        return at(path) .. "expected an array, got a table with the key " .. got(key)
      end
    end
    if items ~= length then
      return at(path) .. "expected an array, got a table with gaps"
    end
    for index = 1, length do
      local fault = check_part(set, rawget(row, 2), value[index], path, index)
      if fault then
        return fault
      end
    end
  end,
  map = function(set, row, value, path)
    if not is_table(value) then
      return true
    end
    return check_map(set, row, 2, K.contents(value), path)
  end,
  record = function(set, row, value, path)
    if not is_table(value) then
      return true
    end
    local contents, known = K.contents(value), {}
    for _, field in raw.ipairs(list(row, 2)) do
      local name = rawget(field, 1)
      local item = rawget(contents, name)
      known[name] = true
      if item ~= nil or not rawget(field, 3) then
        local fault = check_part(set, rawget(field, 2), item, path, name)
        if fault then
          return fault
        end
      end
    end
    return rawget(row, 3) and check_map(set, row, 3, contents, path, known)
  end,
  intersection = function(set, row, value, path)
    for _, index in raw.ipairs(list(row, 2)) do
      local fault = check(set, row_of(set, index), value, path)
      if fault then
        return fault
      end
    end
  end,
  validated = function(set, row, value, path)
    local fault = check(set, row_of(set, rawget(row, 2)), value, path)
    if fault then
      return fault
    end
    for _, rule in raw.ipairs(list(row, 3)) do
      local validate = VALIDATORS[rawget(rule, 1)]
      fault = validate and validate(value, rawget(rule, 2))
      if fault then
        return at(path) .. fault
      end
    end
  end,
}

-- A union says the fault of its one member that a value of this kind could be, else all that was expected.
function CHECKS.union(set, row, value, path)
  local kind, tried, only = K.typeof(value), 0, nil
  for _, index in raw.ipairs(list(row, 2)) do
    local fault = check(set, row_of(set, index), value, path)
    if not fault then
      return nil
    end
    local _, member = settle(set, row_of(set, index))
    local name = rawget(member, 1)
    if name == "validated" or (kind == "table" and (name == "record" or name == "array" or name == "map")) then
      tried, only = tried + 1, fault
    end
  end
  return tried == 1 and only or true
end

function check(set, row, value, path)
  K.charge(COST)
  local named_set, named = set, row
  set, row = settle(set, row)
  path.calls = path.calls + 1
  local rule = path.calls <= MAX_CALLS and CHECKS[rawget(row, 1)]
  local fault = not rule or rule(set, row, value, path)
  path.calls = path.calls - 1
  if fault == true then
    return mismatch(named_set, named, set, row, value, path)
  end
  return fault or nil
end

-- The error object for a value that is not of the type, nil for one that is.
function T.fault(state, value)
  local message = check(state.set, state.row, value, { depth = 0, calls = 0 })
  return message and K.error("Invalid", message, nil, nil, 4) or nil
end

-- What Lua itself would take for a value of these types, where nothing is lost.
local COERCED = {
  string = function(value)
    return type(value) == "number" and raw.tostring(value) or value
  end,
  number = function(value)
    return type(value) == "string" and #value < 100 and raw.tonumber(value) or value
  end,
  integer = function(value)
    local number = type(value) == "string" and #value < 100 and raw.tonumber(value) or value
    return type(number) == "number" and raw.math.tointeger(number) or value
  end,
}

-- The value as one of the type, else nil and an error object.
function T.cast(state, value)
  local coerce = COERCED[rawget(state.row, 1)]
  value = coerce and coerce(value) or value
  local fault = T.fault(state, value)
  if fault then
    return nil, fault
  end
  return value
end
