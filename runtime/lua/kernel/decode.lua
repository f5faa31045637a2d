-- Bytes that the host packed to values: MessagePack, read by the rules of encode.lua. A value that can not be one
-- in Lua is an error, never a wrong value.
local K = ...
local raw = K.raw
local type, error, pcall = raw.type, raw.error, raw.pcall
local byte, sub, unpack = raw.string.byte, raw.string.sub, raw.string.unpack

local MAX_DEPTH = K.BOUNDS.depth
local FAULT = {} -- wraps the message of a fault on its way out of the recursion

local data, position
local get

local function get_string(length)
  local start = position
  position = start + length
  return sub(data, start, position - 1)
end

local function get_list(length, depth)
  if depth > MAX_DEPTH then
    error({ FAULT, "a value from the host is nested more than 64 deep" }, 0)
  end
  local list = {}
  for index = 1, length do
    list[index] = get(depth + 1)
  end
  if length == 0 then
    K.array(list)
  end
  return list
end

local function get_map(length, depth)
  if depth > MAX_DEPTH then
    error({ FAULT, "a value from the host is nested more than 64 deep" }, 0)
  end
  local map = {}
  for _ = 1, length do
    local key = get(depth + 1)
    map[key] = get(depth + 1)
  end
  return map
end

local function get_number(layout)
  local value
  value, position = unpack(layout, data, position)
  return value
end

local function get_extension(length, depth)
  position = position + 1 -- the one extension type: an error
  local stop = position + length
  local value = get(depth + 1)
  position = stop
  return K.error_at(K.read_trace(value.stack), value.kind or "", value.message or "", value.details, value.retryable)
end

local FIXED = {
  [0xc0] = function() return nil end,
  [0xc2] = function() return false end,
  [0xc3] = function() return true end,
  [0xc4] = function() return get_string(get_number(">I1")) end,
  [0xc5] = function() return get_string(get_number(">I2")) end,
  [0xc6] = function() return get_string(get_number(">I4")) end,
  [0xc7] = function(depth) return get_extension(get_number(">I1"), depth) end,
  [0xc8] = function(depth) return get_extension(get_number(">I2"), depth) end,
  [0xc9] = function(depth) return get_extension(get_number(">I4"), depth) end,
  [0xca] = function() return get_number(">f") end,
  [0xcb] = function() return get_number(">d") end,
  [0xcc] = function() return get_number(">I1") end,
  [0xcd] = function() return get_number(">I2") end,
  [0xce] = function() return get_number(">I4") end,
  [0xcf] = function() return get_number(">i8") end,
  [0xd0] = function() return get_number(">i1") end,
  [0xd1] = function() return get_number(">i2") end,
  [0xd2] = function() return get_number(">i4") end,
  [0xd3] = function() return get_number(">i8") end,
  [0xd4] = function(depth) return get_extension(1, depth) end,
  [0xd5] = function(depth) return get_extension(2, depth) end,
  [0xd6] = function(depth) return get_extension(4, depth) end,
  [0xd7] = function(depth) return get_extension(8, depth) end,
  [0xd8] = function(depth) return get_extension(16, depth) end,
  [0xd9] = function() return get_string(get_number(">I1")) end,
  [0xda] = function() return get_string(get_number(">I2")) end,
  [0xdb] = function() return get_string(get_number(">I4")) end,
  [0xdc] = function(depth) return get_list(get_number(">I2"), depth) end,
  [0xdd] = function(depth) return get_list(get_number(">I4"), depth) end,
  [0xde] = function(depth) return get_map(get_number(">I2"), depth) end,
  [0xdf] = function(depth) return get_map(get_number(">I4"), depth) end,
}

function get(depth)
  local code = byte(data, position)
  position = position + 1
  if code < 0x80 then
    return code
  elseif code >= 0xe0 then
    return code - 256
  elseif code >= 0xc0 then
    return FIXED[code](depth)
  elseif code >= 0xa0 then
    return get_string(code - 0xa0)
  elseif code >= 0x90 then
    return get_list(code - 0x90, depth)
  end
  return get_map(code - 0x80, depth)
end

local function read(bytes, reader)
  local outer_data, outer_position = data, position
  data, position = bytes, 1
  local ok, value, length = pcall(reader, 0)
  data, position = outer_data, outer_position
  if ok then
    return value, length
  end
  local message = type(value) == "table" and value[1] == FAULT and value[2] or "the host sent bytes that are no value"
  return nil, K.error("Invalid", message)
end

-- Returns the value of bytes that the host packed, or nil and an error.
function K.decode(bytes)
  return read(bytes, get)
end

local function get_values(depth)
  local code = byte(data, position)
  position = position + 1
  local length = code < 0xa0 and code - 0x90 or get_number(code == 0xdc and ">I2" or ">I4")
  local values = {}
  for index = 1, length do
    values[index] = get(depth + 1)
  end
  return values, length
end

-- Returns the values of a packed list and their number (nil keeps its place), or nil and an error.
function K.decode_values(bytes)
  return read(bytes, get_values)
end
