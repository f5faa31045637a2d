-- How long a pattern can take: a small worst case runs in C, which no hook interrupts; anything else goes to the
-- matcher in patterns.lua, which stops on time. The worst case is a power of the length of the subject: one for
-- each repetition that can be tried again because something after it may fail, one more for each start.
local K = ...
local raw = K.raw
local byte, sub, find = raw.string.byte, raw.string.sub, raw.string.find

local MAX_STEPS = 1000000
local MAX_PATTERN = 10000 -- bytes; longer ones always go to the matcher

-- Where the single-character item that starts at `position` ends: the first position behind it.
local function item_end(pattern, position)
  local code = sub(pattern, position, position)
  if code == "%" then
    return position + 2
  elseif code ~= "[" then
    return position + 1
  end
  position = position + 1
  if sub(pattern, position, position) == "^" then
    position = position + 1
  end
  repeat -- the first character belongs to the set even when it is "]"
    if position > #pattern then
      return position
    end
    local inner = sub(pattern, position, position)
    position = position + (inner == "%" and 2 or 1)
  until sub(pattern, position, position) == "]"
  return position + 1
end

-- Returns the number of repetitions that can be tried again, of optional items, and the width of an item.
local function analyse(pattern)
  local position, repeats, optional, width = 1, 0, 0, 1
  local tail = false -- whether the last item is a repetition with nothing after it
  local anchored = sub(pattern, 1, 1) == "^"
  if anchored then
    position = 2
  end
  while position <= #pattern do
    local two = sub(pattern, position, position + 1)
    if two == "%b" then
      position, repeats, tail = position + 4, repeats + 1, false
    elseif two == "%f" then
      position, tail = position + 2, false
    elseif find(two, "^%%%d") then
      position, repeats, tail = position + 2, repeats + 1, false
    elseif find(two, "^[()]") then
      position = position + 1
    else
      local stop = item_end(pattern, position)
      width = stop - position > width and stop - position or width
      local suffix = byte(pattern, stop)
      tail = suffix == 42 or suffix == 43 or suffix == 45 -- * + -
      if tail then
        repeats, stop = repeats + 1, stop + 1
      elseif suffix == 63 then -- ?
        optional, stop = optional + 1, stop + 1
      end
      position = stop
    end
  end
  if tail then
    repeats = repeats - 1
  end
  return { repeats = repeats, optional = optional, width = width, anchored = anchored }
end

local known, known_count = {}, 0
local function shape_of(pattern)
  local shape = known[pattern]
  if not shape then
    if known_count >= 256 then
      known, known_count = {}, 0
    end
    shape = analyse(pattern)
    known[pattern], known_count = shape, known_count + 1
  end
  return shape
end

-- Whether `pattern` on the rest of `s` from `start` takes few steps at worst. What runs in C is charged.
function K.pattern_is_cheap(s, pattern, start)
  if #pattern > MAX_PATTERN then
    return false
  end
  local shape = shape_of(pattern)
  local length = #s - start + 2
  local steps = shape.width * (length + #pattern)
  if shape.repeats > 0 then
    local power = shape.repeats + (shape.anchored and 0 or 1)
    steps = shape.width * length
    for _ = 2, power do
      steps = steps * length
      if steps > MAX_STEPS then
        return false
      end
    end
  end
  if shape.optional > 12 then
    return false
  end
  steps = steps * (1 << shape.optional) * (shape.repeats == 0 and #pattern or 1)
  if steps > 20 * MAX_STEPS or (steps > MAX_STEPS and (shape.repeats > 0 or shape.optional > 0)) then
    return false
  end
  if steps > 10000 then
    K.charge(steps // 4)
  end
  return true
end
