-- The sandbox's `table`: Lua's own functions, bounded and charged before they run, since no hook can interrupt
-- them. A `__len` that lies can make none of them run long: it is not used here.
local K = ...
local raw = K.raw
local lua, error, rawlen, rawget, select = raw.table, raw.error, raw.rawlen, raw.rawget, raw.select
local metatable_of, tointeger, type = raw.debug.getmetatable, raw.math.tointeger, raw.type

local MAX_ITEMS, MAX_BYTES = 200000, 16 * 1024 * 1024
local SORT_WORK = 20000000 -- bytes compared at worst by a sort that may run in C at once

local library = {}

-- Returns the table of an argument (the contents of a read-only one) and its length.
local function list_of(value, name, writes)
  if K.typeof(value) ~= "table" then
    error("bad argument #1 to '" .. name .. "' (table expected, got " .. K.typeof(value) .. ")", 3)
  end
  if K.is_frozen(value) then
    if writes then
      error("attempt to modify a read-only table", 3)
    end
    value = K.contents(value)
  end
  local metatable = metatable_of(value)
  if metatable and rawget(metatable, "__len") ~= nil then
    error("`table." .. name .. "` does not take a table with `__len` in the sandbox", 3)
  end
  return value, rawlen(value)
end

local function whole(value, position, name)
  local number = tointeger(value) or (type(value) == "string" and tointeger(raw.tonumber(value)))
  if not number then
    error("bad argument #" .. position .. " to '" .. name .. "' (whole number expected, got " .. K.typeof(value) .. ")", 3)
  end
  return number
end

local function check_count(first, last, name)
  -- last - first can overflow; both are compared instead.
  if last >= first and (first < -0x7fffffff or last > 0x7fffffffffff or last - first >= MAX_ITEMS) then
    error("`table." .. name .. "` handles at most 200000 items at once in the sandbox", 3)
  end
end

function library.insert(list, ...)
  local length
  list, length = list_of(list, "insert", true)
  local count = select("#", ...)
  if count == 1 then
    list[length + 1] = (...)
    return
  elseif count ~= 2 then
    error("wrong number of arguments to 'insert'", 2)
  end
  local position, value = ...
  position = whole(position, 2, "insert")
  if position < 1 or position > length + 1 then
    error("bad argument #2 to 'insert' (position out of bounds)", 2)
  end
  K.charge(8 * (length - position))
  return lua.insert(list, position, value)
end

function library.remove(list, ...)
  local length
  list, length = list_of(list, "remove", true)
  if select("#", ...) == 0 then
    return lua.remove(list)
  end
  local position = whole((...), 2, "remove")
  K.charge(8 * (length > position and length - position or 0))
  return lua.remove(list, position)
end

-- Reads each item once, before C does: the items (texts for error objects) and the size of what they make.
local function read_items(list, first, last, separator)
  local size, copy = 0, metatable_of(list) and {} or nil
  for index = first, last do
    if index % 8192 == 0 then
      K.look()
    end
    local item = list[index]
    local text = K.error_text(item)
    if text and not copy then
      copy = lua.move(list, first, index - 1, first, {})
    end
    item = text or item
    if copy then
      copy[index] = item
    end
    size = size + #separator + (type(item) == "string" and #item or 24)
    if size > MAX_BYTES then
      error("`table.concat` would make more than 16 MB, which is the limit of one string", 3)
    end
  end
  return copy or list, size
end

function library.concat(list, separator, first, last)
  local length
  list, length = list_of(list, "concat", false)
  separator = separator == nil and "" or K.string_argument(separator, 2, "concat")
  first = first == nil and 1 or whole(first, 3, "concat")
  last = last == nil and length or whole(last, 4, "concat")
  check_count(first, last, "concat")
  local size
  list, size = read_items(list, first, last, separator)
  K.reserve(size)
  K.charge(size + 8 * (last - first))
  return lua.concat(list, separator, first, last)
end

function library.unpack(list, first, last)
  if K.typeof(list) == "table" then
    local length
    list, length = list_of(list, "unpack", false)
    last = last == nil and length or whole(last, 3, "unpack")
  else
    error("bad argument #1 to 'unpack' (table expected, got " .. K.typeof(list) .. ")", 2)
  end
  first = first == nil and 1 or whole(first, 2, "unpack")
  check_count(first, last, "unpack")
  return lua.unpack(list, first, last)
end

function library.pack(...)
  return lua.pack(...)
end

function library.move(source, first, last, target, destination)
  destination = list_of(destination == nil and source or destination, "move", true)
  source = list_of(source, "move", false)
  first, last, target = whole(first, 2, "move"), whole(last, 3, "move"), whole(target, 4, "move")
  check_count(first, last, "move")
  K.charge(16 * (last >= first and last - first or 0))
  return lua.move(source, first, last, target, destination)
end

-- The most bytes that one comparison of two items reads.
local function widest(list, length)
  local width = 8
  for index = 1, length do
    local item = rawget(list, index)
    if type(item) == "string" and #item > width then
      width = #item
    end
  end
  return width
end

local function rounds(length)
  local count = 1
  while length > 1 do
    length, count = length // 2, count + 1
  end
  return count
end

function library.sort(list, before)
  local length
  list, length = list_of(list, "sort", true)
  check_count(1, length, "sort")
  local work = length * rounds(length)
  if before ~= nil then
    if type(before) ~= "function" then
      error("bad argument #2 to 'sort' (function expected, got " .. K.typeof(before) .. ")", 2)
    end
    K.charge(work)
    return lua.sort(list, before)
  end
  local width = widest(list, length)
  if work * width <= SORT_WORK then
    K.charge(work)
    return lua.sort(list)
  end
  return lua.sort(list, function(a, b)
    K.charge(width)
    return a < b
  end)
end

function library.create(items, fields)
  if items ~= nil and whole(items, 1, "create") > 10000000 or fields ~= nil and whole(fields, 2, "create") > 10000000 then
    error("`table.create` makes room for at most 10000000 items", 2)
  end
  return {} -- room is made as it is needed; Lua 5.4 has no way to ask for it
end

function library.freeze(object)
  if K.typeof(object) ~= "table" then
    error("bad argument #1 to 'freeze' (table expected, got " .. K.typeof(object) .. ")", 2)
  end
  return K.freeze_in_place(object)
end

function library.isfrozen(object)
  return K.is_frozen(object)
end

K.table_library = library
