-- Copies a value from one task to another of the same Lua state, by the rules of the wire: plain data and error
-- objects, raw, bounded, with the place of what can not be copied. Strings are shared, they never change.
local K = ...
local raw = K.raw
local type, error, next, pcall = raw.type, raw.error, raw.next, raw.pcall

local MAX_DEPTH, MAX_NODES = K.BOUNDS.depth, K.BOUNDS.nodes
local FAULT = {}
local nodes

local copy

local function copy_object(value, class, depth)
  local state = K.error_state(value)
  if state then
    local details = state.details and copy(state.details, depth + 1)
    return K.error(state.kind, K.error_text(value), details, state.retryable, 3)
  elseif not class.data then
    error({ FAULT, "a `" .. class.name .. "` can not cross" }, 0)
  end
  return copy(class.data(class.state_of(value)), depth)
end

function copy(value, depth)
  nodes = nodes + 1
  local kind = type(value)
  if kind == "function" or kind == "thread" or kind == "userdata" then
    error({ FAULT, "a " .. kind .. " can not cross" }, 0)
  elseif kind ~= "table" then
    return value
  end
  local class = K.class_of(value)
  if class then
    return copy_object(value, class, depth)
  elseif depth >= MAX_DEPTH then
    error({ FAULT, "a value may be nested at most 64 deep" }, 0)
  elseif nodes > MAX_NODES then
    error({ FAULT, "a value may hold at most 200000 values" }, 0)
  end
  value = K.contents(value)
  local result = {}
  for key, item in next, value do
    if type(key) == "table" then
      error({ FAULT, "a key of type table can not cross: expected strings or a list" }, 0)
    end
    result[copy(key, depth + 1)] = copy(item, depth + 1)
  end
  if next(value) == nil and K.is_array(value) then
    K.array(result)
  end
  return result
end

-- Returns a list of copies of `length` values, or nil and an error.
function K.copy_values(values, length)
  nodes = 0
  local copies = {}
  for index = 1, length do
    local ok, result = pcall(copy, values[index], 0)
    if ok then
      copies[index] = result
    elseif type(result) == "table" and result[1] == FAULT then
      return nil, K.error("Invalid", result[2] .. " at `[" .. index .. "]`")
    else
      error(result, 0)
    end
  end
  return copies
end
