-- Values to bytes: MessagePack, bounded in depth, size and number of values. Tables are read raw, once, with no
-- metamethod; what can not cross is an error that says which value and where.
local K = ...
local raw = K.raw
local type, error, next, rawlen, pcall = raw.type, raw.error, raw.next, raw.rawlen, raw.pcall
local math_type, utf8_len = raw.math.type, raw.utf8.len
local char, sub, pack = raw.string.char, raw.string.sub, raw.string.pack
local concat = raw.table.concat

local MAX_DEPTH, MAX_BYTES, MAX_NODES, MAX_ERRORS = 64, 16 * 1024 * 1024, 200000, 8
local ERROR_TYPE = 1
local FAULT = {} -- wraps the message of a fault on its way out of the recursion

local BYTES = {}
for code = 0, 255 do
  BYTES[code] = char(code)
end

-- Empty tables that are lists: an empty list stays one on its way there and back.
local lists = raw.setmetatable({}, { __mode = "k" })
function K.array(value)
  lists[value] = true
  return value
end
function K.is_array(value)
  if K.typeof(value) ~= "table" then
    return false
  end
  value = K.contents(value)
  return rawlen(value) > 0 or (lists[value] == true and next(value) == nil)
end

local out, count, size, nodes, path, seen, inside_errors

local function place(depth)
  local text = ""
  for level = 1, depth do
    local step = path[level]
    if type(step) == "string" then
      text = text .. (text == "" and "" or ".") .. sub(step, 1, 60)
    else
      text = text .. "[" .. raw.tostring(step) .. "]"
    end
  end
  return text == "" and "" or " at `" .. text .. "`"
end

local function fault(message, depth)
  error({ FAULT, message .. place(depth) }, 0)
end

local function emit(piece, depth)
  size = size + #piece
  if size > MAX_BYTES then
    fault("a value may take at most 16 MB", depth)
  end
  count = count + 1
  out[count] = piece
end

local function put_string(value, depth)
  local length = #value
  local header
  if utf8_len(value) then
    if length < 32 then
      header = BYTES[0xa0 + length]
    elseif length < 256 then
      header = BYTES[0xd9] .. BYTES[length]
    elseif length < 65536 then
      header = pack(">BI2", 0xda, length)
    else
      header = pack(">BI4", 0xdb, length)
    end
  elseif length < 256 then
    header = BYTES[0xc4] .. BYTES[length]
  elseif length < 65536 then
    header = pack(">BI2", 0xc5, length)
  else
    header = pack(">BI4", 0xc6, length)
  end
  emit(header, depth)
  emit(value, depth)
end

local function put_integer(value, depth)
  if value >= 0 then
    if value < 128 then
      emit(BYTES[value], depth)
    elseif value < 65536 then
      emit(pack(">BI2", 0xcd, value), depth)
    else
      emit(pack(">Bi8", 0xd3, value), depth)
    end
  elseif value >= -32 then
    emit(BYTES[256 + value], depth)
  else
    emit(pack(">Bi8", 0xd3, value), depth)
  end
end

local function container_header(length, small, medium, large)
  if length < 16 then
    return BYTES[small + length]
  elseif length < 65536 then
    return pack(">BI2", medium, length)
  end
  return pack(">BI4", large, length)
end

-- Counts the pairs of a table and says whether it is a list: keys 1 to n and no others.
local function measure(value, depth)
  local length, pairs_found, outside = rawlen(value), 0, nil
  for key in next, value do
    pairs_found = pairs_found + 1
    if nodes + pairs_found > MAX_NODES then
      fault("a value may hold at most 200000 values", depth)
    end
    if type(key) ~= "string" and not (math_type(key) == "integer" and key >= 1 and key <= length) then
      outside = key
    end
  end
  if pairs_found == 0 then
    return lists[value] == true, 0
  end
  if length == 0 and outside == nil then
    return false, pairs_found
  end
  if outside == nil and pairs_found == length then
    for key in next, value do
      if type(key) == "string" then
        fault("a table with both list items and named fields can not cross", depth)
      end
    end
    return true, length
  end
  if outside ~= nil and math_type(outside) ~= "integer" then
    fault("a key of type " .. K.typeof(outside) .. " can not cross: expected strings or a list", depth)
  end
  for key in next, value do
    if type(key) == "string" then
      fault("a table with both list items and named fields can not cross", depth)
    end
  end
  fault("a list with holes can not cross: expected items from 1 on without nil", depth)
end

local put

local function put_table(value, depth)
  if depth >= MAX_DEPTH then
    fault("a value may be nested at most 64 deep", depth)
  end
  if seen[value] then
    fault("a table that contains itself can not cross", depth)
  end
  seen[value] = true
  local is_list, length = measure(value, depth)
  if is_list then
    emit(container_header(length, 0x90, 0xdc, 0xdd), depth)
    for index = 1, length do
      path[depth + 1] = index
      put(value[index], depth + 1)
    end
  else
    emit(container_header(length, 0x80, 0xde, 0xdf), depth)
    for key, item in next, value do
      path[depth + 1] = key
      put_string(key, depth + 1)
      put(item, depth + 1)
    end
  end
  seen[value] = nil
end

-- An error is an extension whose body is packed on its own, with the same bounds still counting.
local function put_error(value, depth)
  if inside_errors == MAX_ERRORS then
    fault("errors may hold errors at most 8 deep", depth)
  end
  inside_errors = inside_errors + 1
  local start, before = count, size
  put_table(K.error_value(value), depth)
  inside_errors = inside_errors - 1
  local body = concat(out, "", start + 1, count)
  for index = start + 1, count do
    out[index] = nil
  end
  count, size = start, before
  emit(pack(">BI4B", 0xc9, #body, ERROR_TYPE), depth)
  emit(body, depth)
end

local function put_object(value, class, depth)
  if K.is_error(value) then
    return put_error(value, depth)
  end
  if not class.data then
    fault("a `" .. class.name .. "` can not cross", depth)
  end
  return put(class.data(class.state_of(value)), depth)
end

function put(value, depth)
  nodes = nodes + 1
  if nodes % 8192 == 0 then
    K.look()
    if nodes > MAX_NODES then
      fault("a value may hold at most 200000 values", depth)
    end
  end
  local kind = type(value)
  if kind == "string" then
    put_string(value, depth)
  elseif kind == "number" then
    if math_type(value) == "integer" then
      put_integer(value, depth)
    else
      emit(pack(">Bd", 0xcb, value), depth)
    end
  elseif kind == "boolean" then
    emit(value and "\xc3" or "\xc2", depth)
  elseif kind == "nil" then
    emit("\xc0", depth)
  elseif kind == "table" then
    local class = K.class_of(value)
    if class then
      put_object(value, class, depth)
    else
      put_table(K.contents(value), depth)
    end
  else
    fault("a " .. kind .. " can not cross", depth)
  end
end

local function run(writer, value, length)
  out, count, size, nodes, path, seen, inside_errors = {}, 0, 0, 0, {}, {}, 0
  local ok, err = pcall(writer, value, length)
  local pieces = out
  out, path, seen = nil, nil, nil
  if ok then
    return concat(pieces, "", 1, count)
  end
  if type(err) == "table" and err[1] == FAULT then
    return nil, K.error("Invalid", err[2], nil, nil, 4)
  end
  error(err, 0)
end

-- Returns the bytes of a value, or nil and an error.
function K.encode(value)
  return run(put, value, 0)
end

local function put_values(values, length)
  emit(container_header(length, 0x90, 0xdc, 0xdd), 0)
  for index = 1, length do
    path[1] = index
    put(values[index], 1)
  end
end

-- Returns the bytes of `length` values as one list, in which nil keeps its place, or nil and an error.
function K.encode_values(values, length)
  return run(put_values, values, length)
end

K.BOUNDS = { depth = MAX_DEPTH, nodes = MAX_NODES }
