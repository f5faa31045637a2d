-- Lua's patterns, matched in Lua: for subjects on which the C matcher could run long. This chunk is no kernel
-- chunk, so the hook sees it and stops it like a script. The rules are those of the Lua 5.4 manual, 6.4.1.
local K = ...
local raw = K.raw
local byte, sub, find, error = raw.string.byte, raw.string.sub, raw.string.find, raw.error

local ESCAPE, OPEN, CLOSE, DOT, SET, NOT, RIGHT = 37, 40, 41, 46, 91, 94, 93
local STAR, PLUS, MINUS, OPTION, END, RANGE = 42, 43, 45, 63, 36, 45
local MAX_DEPTH, MAX_CAPTURES = 200, 32
local OPENED, POSITION = -1, -2 -- lengths of captures that are not closed, or that give a position

-- Character classes as tables of 256 booleans, made from Lua's own when they are first used; false for a letter
-- that stands for itself.
local classes = {}
local function class_of(letter)
  local name = raw.string.char(letter)
  local class = find(name, "^[acdglpsuwxzACDGLPSUWXZ]$") and {} or false
  if class then
    for code = 0, 255 do
      class[code] = find(raw.string.char(code), "%" .. name) ~= nil
    end
  end
  classes[letter] = class
  return class
end

local function escaped(code, letter)
  local class = classes[letter]
  if class == nil then
    class = class_of(letter)
  end
  if class then
    return class[code]
  end
  return code == letter
end

local function in_set(code, p, position, last)
  local found = true
  position = position + 1
  if byte(p, position) == NOT then
    found = false
    position = position + 1
  end
  while position < last do
    local item = byte(p, position)
    if item == ESCAPE then
      if escaped(code, byte(p, position + 1)) then
        return found
      end
      position = position + 2
    elseif byte(p, position + 1) == RANGE and position + 2 < last then
      if item <= code and code <= byte(p, position + 2) then
        return found
      end
      position = position + 3
    else
      if item == code then
        return found
      end
      position = position + 1
    end
  end
  return not found
end

-- Whether the byte at `at` of the subject fits the item from `position` to before `stop`.
local function fits(state, at, position, stop)
  local code = byte(state.s, at)
  if not code then
    return false
  end
  local item = byte(state.p, position)
  if item == DOT then
    return true
  elseif item == ESCAPE then
    return escaped(code, byte(state.p, position + 1))
  elseif item == SET then
    return in_set(code, state.p, position, stop - 1)
  end
  return item == code
end

local function class_end(p, position)
  local item = byte(p, position)
  position = position + 1
  if item == ESCAPE then
    if position > #p then
      error("malformed pattern (ends with '%')", 0)
    end
    return position + 1
  elseif item == SET then
    if byte(p, position) == NOT then
      position = position + 1
    end
    repeat
      local inner = byte(p, position)
      if not inner then
        error("malformed pattern (missing ']')", 0)
      end
      position = position + (inner == ESCAPE and 2 or 1)
    until byte(p, position) == RIGHT
    return position + 1
  end
  return position
end

local match

local function balanced(state, at, position)
  local p = state.p
  if position + 1 > #p then
    error("malformed pattern (missing arguments to '%b')", 0)
  end
  local open, shut = byte(p, position, position + 1)
  if byte(state.s, at) ~= open then
    return nil
  end
  local level = 1
  for index = at + 1, #state.s do
    local code = byte(state.s, index)
    if code == shut then
      level = level - 1
      if level == 0 then
        return index + 1
      end
    elseif code == open then
      level = level + 1
    end
  end
  return nil
end

local function greedy(state, at, position, stop)
  local count = 0
  while fits(state, at + count, position, stop) do
    count = count + 1
  end
  if stop + 1 > #state.p then
    return at + count
  end
  while count >= 0 do
    local last = match(state, at + count, stop + 1)
    if last then
      return last
    end
    count = count - 1
  end
  return nil
end

local function lazy(state, at, position, stop)
  while true do
    local last = match(state, at, stop + 1)
    if last then
      return last
    elseif not fits(state, at, position, stop) then
      return nil
    end
    at = at + 1
  end
end

local function start_capture(state, at, position, length)
  local level = state.level
  if level >= MAX_CAPTURES then
    error("too many captures", 0)
  end
  state.starts[level + 1], state.lengths[level + 1] = at, length
  state.level = level + 1
  local last = match(state, at, position)
  if not last then
    state.level = level
  end
  return last
end

local function end_capture(state, at, position)
  local open
  for level = state.level, 1, -1 do
    if state.lengths[level] == OPENED then
      open = level
      break
    end
  end
  if not open then
    error("invalid pattern capture", 0)
  end
  state.lengths[open] = at - state.starts[open]
  local last = match(state, at, position)
  if not last then
    state.lengths[open] = OPENED
  end
  return last
end

local function back_reference(state, at, digit)
  local level = digit - 48
  if level < 1 or level > state.level or state.lengths[level] == OPENED then
    error("invalid capture index %" .. level, 0)
  end
  local length = state.lengths[level]
  if length < 0 then
    return nil -- a position matches nothing
  end
  local start = state.starts[level]
  if sub(state.s, start, start + length - 1) == sub(state.s, at, at + length - 1) then
    return at + length
  end
  return nil
end

local function frontier(state, at, position)
  local p = state.p
  if byte(p, position) ~= SET then
    error("missing '[' after '%f' in pattern", 0)
  end
  local stop = class_end(p, position)
  local before = at > 1 and byte(state.s, at - 1) or 0
  local here = byte(state.s, at) or 0
  if not in_set(before, p, position, stop - 1) and in_set(here, p, position, stop - 1) then
    return stop
  end
  return nil
end

-- One item with its suffix. Returns the end of a match, or nil and where to go on: position in subject, pattern.
local function step(state, at, position)
  local stop = class_end(state.p, position)
  local suffix = byte(state.p, stop)
  if suffix == STAR then
    return greedy(state, at, position, stop)
  elseif suffix == PLUS then
    if fits(state, at, position, stop) then
      return greedy(state, at + 1, position, stop)
    end
    return nil
  elseif suffix == MINUS then
    return lazy(state, at, position, stop)
  elseif suffix == OPTION then
    if fits(state, at, position, stop) then
      local last = match(state, at + 1, stop + 1)
      if last then
        return last
      end
    end
    return nil, at, stop + 1
  elseif fits(state, at, position, stop) then
    return nil, at + 1, stop
  end
  return nil
end

local function special(state, at, position)
  local code = byte(state.p, position + 1)
  if code == 98 then -- %b
    local next_at = balanced(state, at, position + 2)
    return true, next_at, position + 4
  elseif code == 102 then -- %f
    local stop = frontier(state, at, position + 2)
    return true, stop and at, stop
  elseif code and code >= 48 and code <= 57 then
    return true, back_reference(state, at, code), position + 2
  end
  return false
end

local function run(state, at, position)
  local p = state.p
  local size = #p
  while position <= size do
    local item = byte(p, position)
    if item == OPEN then
      if byte(p, position + 1) == CLOSE then
        return start_capture(state, at, position + 2, POSITION)
      end
      return start_capture(state, at, position + 1, OPENED)
    elseif item == CLOSE then
      return end_capture(state, at, position + 1)
    elseif item == END and position == size then
      return at == #state.s + 1 and at or nil
    end
    local is_special, next_at, next_position
    if item == ESCAPE then
      is_special, next_at, next_position = special(state, at, position)
    end
    if not is_special then
      local last
      last, next_at, next_position = step(state, at, position)
      if last then
        return last
      end
    end
    if not next_at then
      return nil
    end
    at, position = next_at, next_position
  end
  return at
end

function match(state, at, position)
  state.depth = state.depth + 1
  if state.depth > MAX_DEPTH then
    error("pattern too complex", 0)
  end
  local last = run(state, at, position)
  state.depth = state.depth - 1
  return last
end

local function capture(state, index, at, last)
  if index > state.level then
    if index ~= 1 then
      error("invalid capture index %" .. index, 0)
    end
    return sub(state.s, at, last - 1)
  end
  local length = state.lengths[index]
  if length == OPENED then
    error("unfinished capture", 0)
  elseif length == POSITION then
    return state.starts[index]
  end
  return sub(state.s, state.starts[index], state.starts[index] + length - 1)
end

local function captures(state, at, last, whole)
  local count = state.level
  if count == 0 and whole then
    count = 1
  end
  local found = {}
  for index = 1, count do
    found[index] = capture(state, index, at, last)
  end
  return found, count
end

-- The first match at or after `start`: its first and last position, and the state with the captures.
local function search(s, p, start, anchored)
  local state = { s = s, p = p, level = 0, depth = 0, starts = {}, lengths = {} }
  local position = anchored and 2 or 1
  for at = start, anchored and start or #s + 1 do
    state.level, state.depth = 0, 0
    local last = match(state, at, position)
    if last then
      return at, last, state
    end
  end
  return nil
end

K.pattern_search, K.pattern_capture, K.pattern_captures = search, capture, captures
