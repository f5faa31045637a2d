-- Copies a value from one task to another of the same Lua state, by the rules of the wire: plain data and error
-- objects, raw, bounded, with the place of what can not be copied. Strings are shared, they never change.
local K = ...
local raw = K.raw
local type, error, next, pcall, rawlen, math_type = raw.type, raw.error, raw.next, raw.pcall, raw.rawlen, raw.math.type

local MAX_DEPTH, MAX_NODES = K.BOUNDS.depth, K.BOUNDS.nodes
local PLAIN = { ['nil'] = true, boolean = true, number = true, string = true }
local FAULT = {}
local nodes

local copy

local function copy_object(value, class, depth)
  local state = K.error_state(value)
  if state then
    local details = state.details and copy(state.details, depth + 1)
    return K.error_at(state.frames, state.kind, K.error_text(value), details, state.retryable)
  elseif not class.data then
    error({ FAULT, "a `" .. class.name .. "` can not cross" }, 0)
  end
  return copy(class.data(class.state_of(value)), depth)
end

local function refuse_key(key)
  if math_type(key) == "integer" then
    error({ FAULT, "a list with holes can not cross: expected items from 1 on without nil" }, 0)
  end
  error({ FAULT, "a key of type " .. K.typeof(key) .. " can not cross: expected strings or a list" }, 0)
end

local function copy_table(value, depth)
  if depth >= MAX_DEPTH then
    error({ FAULT, "a value may be nested at most 64 deep" }, 0)
  end
  value = K.contents(value)
  local result, length, items, names = {}, rawlen(value), 0, false
  for key, item in next, value do
    if type(key) == "string" then
      names = true
    elseif math_type(key) == "integer" and key >= 1 and key <= length then
      items = items + 1
    else
      refuse_key(key)
    end
    if PLAIN[type(item)] then
      nodes = nodes + 1
      result[key] = item
    else
      result[key] = copy(item, depth + 1)
    end
    if nodes > MAX_NODES then
      error({ FAULT, "a value may hold at most 200000 values" }, 0)
    end
  end
  if names and items > 0 then
    error({ FAULT, "a table with both list items and named fields can not cross" }, 0)
  elseif items ~= length then
    refuse_key(length)
  elseif not names and items == 0 and K.is_array(value) then
    K.array(result)
  end
  return result
end

function copy(value, depth)
  nodes = nodes + 1
  local kind = type(value)
  if PLAIN[kind] then
    return value
  elseif kind ~= "table" then
    error({ FAULT, "a " .. kind .. " can not cross" }, 0)
  end
  local class = K.class_of(value)
  if class then
    return copy_object(value, class, depth)
  end
  return copy_table(value, depth)
end

-- Returns a copy, or nil and the message of what can not cross.
local function copied(value)
  local ok, result = pcall(copy, value, 0)
  if ok then
    return result
  elseif type(result) == "table" and result[1] == FAULT then
    return nil, result[2]
  end
  error(result, 0)
end

-- Returns a copy of a value, or nil and an error.
function K.copy_value(value)
  if PLAIN[type(value)] then
    return value
  end
  nodes = 0
  local copy, fault = copied(value)
  if fault then
    return nil, K.error("Invalid", fault)
  end
  return copy
end

-- Returns a list of copies of `length` values, or nil and an error.
function K.copy_values(values, length)
  nodes = 0
  local copies, fault = {}, nil
  for index = 1, length do
    local value = values[index]
    if not PLAIN[type(value)] then
      value, fault = copied(value)
      if fault then
        return nil, K.error("Invalid", fault .. " at `[" .. index .. "]`")
      end
    end
    copies[index] = value
  end
  return copies
end
