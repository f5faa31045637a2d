-- The sandbox's `string` and `utf8`: Lua's own functions, each bounded and charged before it runs, since no hook
-- can interrupt them. Error objects are taken where a string is expected. What is refused says so.
local K = ...
local raw = K.raw
local lua, error, type, select = raw.string, raw.error, raw.type, raw.select
local tointeger, unpack = raw.math.tointeger, raw.table.unpack

local MAX_BYTES, MAX_RESULTS, MAX_FORMAT = 16 * 1024 * 1024, 200000, 100000
local FIND_WORK = 50000000 -- byte comparisons of a plain search that may run in C at once

local library = {}

-- The string of an argument, as Lua's own functions would take it.
local function text(value, position, name)
  if type(value) == "string" then
    return value
  elseif type(value) == "number" then
    return raw.tostring(value)
  end
  local message = value ~= nil and K.error_text(value)
  if message then
    return message
  end
  local got = value == nil and "no value" or K.typeof(value)
  return error("bad argument #" .. position .. " to '" .. name .. "' (string expected, got " .. got .. ")", 3)
end

local function whole(value, position, name)
  local number = tointeger(value) or (type(value) == "string" and tointeger(raw.tonumber(value)))
  if not number then
    error("bad argument #" .. position .. " to '" .. name .. "' (whole number expected, got " .. K.typeof(value) .. ")", 3)
  end
  return number
end

-- A position from the start of a string of `length` bytes, for negative ones counted from its end.
local function from_end(position, length)
  if position >= 0 then
    return position
  end
  return position + length + 1 < 0 and 0 or position + length + 1
end

local function refused(name)
  return function()
    error("`" .. name .. "` is not available in the sandbox", 2)
  end
end

local function too_large(name)
  error("`" .. name .. "` would make more than 16 MB, which is the limit of one string", 3)
end

function library.len(s)
  return #text(s, 1, "len")
end

function library.sub(s, first, last)
  s = text(s, 1, "sub")
  return lua.sub(s, whole(first, 2, "sub"), last == nil and -1 or whole(last, 3, "sub"))
end

for _, name in raw.ipairs { "lower", "upper", "reverse" } do
  local original = lua[name]
  library[name] = function(s)
    s = text(s, 1, name)
    if #s > 65536 then
      K.reserve(#s)
      K.charge(#s)
    end
    return original(s)
  end
end

function library.byte(s, first, last)
  s = text(s, 1, "byte")
  first = first == nil and 1 or whole(first, 2, "byte")
  last = last == nil and first or whole(last, 3, "byte")
  local from, to = from_end(first, #s), from_end(last, #s)
  if (to > #s and #s or to) - (from < 1 and 1 or from) >= MAX_RESULTS then
    error("`string.byte` gives at most 200000 results at once", 2)
  end
  return lua.byte(s, first, last)
end

library.char = function(...)
  if select("#", ...) > MAX_RESULTS then
    error("`string.char` takes at most 200000 bytes at once", 2)
  end
  return lua.char(...)
end

function library.rep(s, count, separator)
  s, count = text(s, 1, "rep"), whole(count, 2, "rep")
  separator = separator == nil and "" or text(separator, 3, "rep")
  local unit = #s + #separator
  if count <= 0 or unit == 0 then
    return ""
  elseif count > MAX_BYTES or count * unit > MAX_BYTES then
    too_large("string.rep")
  end
  K.reserve(count * unit)
  K.charge(count * unit)
  return lua.rep(s, count, separator)
end

-- Plain search. A search whose worst case is long runs in windows, so that the clock is seen between them.
local function find_plain(s, needle, start)
  local length, width = #s, #needle
  if width == 0 then
    if start > length + 1 then
      return nil
    end
    return start, start - 1
  end
  local windows = FIND_WORK // width
  if (length - start + 1) * width <= FIND_WORK or width > length then
    if length > 65536 then
      K.charge(length)
    end
    return lua.find(s, needle, start, true)
  end
  windows = windows < 1 and 1 or windows
  while start + width - 1 <= length do
    local stop = start + windows + width - 2
    local from, to = lua.find(lua.sub(s, start, stop), needle, 1, true)
    if from then
      return start + from - 1, start + to - 1
    end
    start = start + windows
    K.charge(1000001)
  end
  return nil
end

local function start_of(init, length, name)
  if init == nil then
    return 1
  end
  local start = from_end(whole(init, 3, name), length)
  return start < 1 and 1 or start
end

function library.find(s, pattern, init, plain)
  s, pattern = text(s, 1, "find"), text(pattern, 2, "find")
  local start = start_of(init, #s, "find")
  if start > #s + 1 then
    return nil
  elseif plain or not lua.find(pattern, "[%^%$%*%+%?%.%(%[%%%-]") then
    return find_plain(s, pattern, start)
  elseif K.pattern_is_cheap(s, pattern, start) then
    return lua.find(s, pattern, start)
  end
  return K.patterns.find(s, pattern, start)
end

function library.match(s, pattern, init)
  s, pattern = text(s, 1, "match"), text(pattern, 2, "match")
  local start = start_of(init, #s, "match")
  if start > #s + 1 then
    return nil
  elseif K.pattern_is_cheap(s, pattern, start) then
    return lua.match(s, pattern, start)
  end
  return K.patterns.match(s, pattern, start)
end

function library.gmatch(s, pattern, init)
  s, pattern = text(s, 1, "gmatch"), text(pattern, 2, "gmatch")
  local start = start_of(init, #s, "gmatch")
  if K.pattern_is_cheap(s, pattern, start) then
    local step = lua.gmatch(s, pattern, start)
    return function()
      return step()
    end
  end
  return K.patterns.gmatch(s, pattern, start)
end

-- What a replacement by a string can grow to: every place of the subject, and each %1 in it the whole subject.
local function growth(s, replacement)
  local _, references = lua.gsub(replacement, "%%%d", "")
  return (#s + 1) * (#replacement + 1) + (references > 0 and #s * references * (#s + 1) or 0)
end

function library.gsub(s, pattern, replacement, limit)
  s, pattern = text(s, 1, "gsub"), text(pattern, 2, "gsub")
  local kind = K.typeof(replacement)
  if kind == "number" or K.is_error(replacement) then
    replacement, kind = text(replacement, 3, "gsub"), "string"
  end
  if kind ~= "string" and kind ~= "table" and kind ~= "function" then
    error("bad argument #3 to 'gsub' (string/function/table expected, got " .. kind .. ")", 2)
  end
  limit = limit ~= nil and whole(limit, 4, "gsub") or nil
  -- In C only where the result is small: what a table gives can be of any size.
  local small = kind == "function" or (kind == "string" and #s <= 100000 and growth(s, replacement) <= MAX_BYTES)
  if small and K.pattern_is_cheap(s, pattern, 1) then
    return lua.gsub(s, pattern, replacement, limit)
  end
  return K.patterns.gsub(s, pattern, replacement, limit)
end

function library.format(layout, ...)
  layout = text(layout, 1, "format")
  if #layout > MAX_FORMAT then
    error("`string.format` takes a format of at most 100000 bytes", 2)
  end
  local args, count, size, index = { ... }, select("#", ...), #layout, 0
  for flags, letter in lua.gmatch(layout, "%%([%-%+ #0-9%.]*)(.)") do
    if letter ~= "%" then
      index = index + 1
      if letter == "p" then
        error("`string.format(\"%p\")` is not available in the sandbox", 2)
      elseif letter == "s" and index <= count and type(args[index]) ~= "string" then
        args[index] = K.tostring(args[index])
      elseif K.is_error(args[index]) then
        args[index] = K.error_text(args[index])
      end
      size = size + #flags + (type(args[index]) == "string" and #args[index] * (letter == "q" and 4 or 1) or 120)
    end
  end
  if size > MAX_BYTES then
    too_large("string.format")
  elseif size > 65536 then
    K.reserve(size)
    K.charge(size)
  end
  return lua.format(layout, unpack(args, 1, count))
end

local function check_pack_format(layout, name)
  if #layout > 10000 then
    error("`string." .. name .. "` takes a format of at most 10000 bytes", 3)
  end
  local size = #layout * 16
  for digits in lua.gmatch(layout, "%d+") do
    size = size + (raw.tonumber(digits) or MAX_BYTES)
    if size > MAX_BYTES then
      too_large("string." .. name)
    end
  end
  return size
end

function library.pack(layout, ...)
  layout = text(layout, 1, "pack")
  local size = check_pack_format(layout, "pack")
  for index = 1, select("#", ...) do
    local value = (select(index, ...))
    size = size + (type(value) == "string" and #value or 0)
    if index > 10000 or size > MAX_BYTES then
      too_large("string.pack")
    end
  end
  K.reserve(size)
  return lua.pack(layout, ...)
end

function library.unpack(layout, s, position)
  layout = text(layout, 1, "unpack")
  check_pack_format(layout, "unpack")
  return lua.unpack(layout, text(s, 2, "unpack"), position)
end

function library.packsize(layout)
  layout = text(layout, 1, "packsize")
  check_pack_format(layout, "packsize")
  return lua.packsize(layout)
end

library.dump = refused("string.dump")

local utf8 = {}
for key, value in raw.next, raw.utf8 do
  utf8[key] = value
end

function utf8.codepoint(s, first, last, lax)
  s = text(s, 1, "codepoint")
  first = first == nil and 1 or whole(first, 2, "codepoint")
  last = last == nil and first or whole(last, 3, "codepoint")
  if from_end(last, #s) - from_end(first, #s) >= MAX_RESULTS then
    error("`utf8.codepoint` gives at most 200000 results at once", 2)
  end
  return raw.utf8.codepoint(s, first, last, lax)
end

function utf8.char(...)
  if select("#", ...) > MAX_RESULTS then
    error("`utf8.char` takes at most 200000 code points at once", 2)
  end
  return raw.utf8.char(...)
end

function utf8.len(s, ...)
  s = text(s, 1, "len")
  K.charge(#s)
  return raw.utf8.len(s, ...)
end

function utf8.offset(s, ...)
  s = text(s, 1, "offset")
  K.charge(#s)
  return raw.utf8.offset(s, ...)
end

K.string_library, K.utf8_library = library, utf8
K.refused = refused
K.string_argument = text
