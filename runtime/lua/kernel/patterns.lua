-- find, match, gmatch and gsub over the matcher of matcher.lua, whose results and errors are those of Lua's own.
-- As the matcher, this chunk is one that the hook may stop.
local K = ...
local raw = K.raw
local byte, sub, find, concat = raw.string.byte, raw.string.sub, raw.string.find, raw.table.concat
local error, type, unpack, tostring = raw.error, raw.type, raw.table.unpack, K.tostring
local search, capture, captures = K.pattern_search, K.pattern_capture, K.pattern_captures

local ESCAPE, ANCHOR, MAX_BYTES = 37, 94, 16 * 1024 * 1024

local function is_anchored(p)
  return byte(p, 1) == ANCHOR
end

local library = {}

function library.find(s, p, start)
  local at, last, state = search(s, p, start, is_anchored(p))
  if not at then
    return nil
  end
  local found, count = captures(state, at, last, false)
  return at, last - 1, unpack(found, 1, count)
end

function library.match(s, p, start)
  local at, last, state = search(s, p, start, is_anchored(p))
  if not at then
    return nil
  end
  local found, count = captures(state, at, last, true)
  return unpack(found, 1, count)
end

function library.gmatch(s, p, start)
  local from, previous = start, nil
  return function()
    while from <= #s + 1 do
      local at, last, state = search(s, p, from, false)
      if not at then
        from = #s + 2
        return nil
      elseif last ~= previous then
        from, previous = last, last
        local found, count = captures(state, at, last, true)
        return unpack(found, 1, count)
      end
      from = at + 1 -- an empty match where the last one ended
    end
    return nil
  end
end

-- The pieces of a replacement string: literal texts, and numbers of captures (0 is the whole match).
local function parse_replacement(text)
  local pieces, from = {}, 1
  while true do
    local at = find(text, "%", from, true)
    if not at then
      pieces[#pieces + 1] = sub(text, from)
      return pieces
    end
    pieces[#pieces + 1] = sub(text, from, at - 1)
    local code = byte(text, at + 1)
    if code == ESCAPE then
      pieces[#pieces + 1] = "%"
    elseif code and code >= 48 and code <= 57 then
      pieces[#pieces + 1] = code - 48
    else
      error("invalid use of '%' in replacement string", 0)
    end
    from = at + 2
  end
end

local function call_back(replacement, state, at, last)
  local found, count = captures(state, at, last, true)
  return K.call_shut(replacement, unpack(found, 1, count))
end

local function replace(replacement, pieces, state, at, last)
  local value
  if pieces then
    local parts = {}
    for index = 1, #pieces do
      local piece = pieces[index]
      if piece == 0 then
        piece = sub(state.s, at, last - 1)
      elseif type(piece) == "number" then
        piece = capture(state, piece, at, last)
      end
      parts[index] = piece
    end
    return concat(parts)
  elseif type(replacement) == "table" then
    value = replacement[capture(state, 1, at, last)]
  else
    value = call_back(replacement, state, at, last)
  end
  if not value then
    return sub(state.s, at, last - 1)
  elseif type(value) ~= "string" and type(value) ~= "number" then
    local message = K.error_text(value)
    if not message then
      error("invalid replacement value (a " .. K.typeof(value) .. ")", 0)
    end
    return message
  end
  return value
end

function library.gsub(s, p, replacement, limit)
  local pieces = type(replacement) == "string" and parse_replacement(replacement) or nil
  local anchored = is_anchored(p)
  local parts, size, count, from, copied, previous = {}, 0, 0, 1, 1, nil
  while from <= #s + 1 and (not limit or count < limit) do
    local at, last, state = search(s, p, from, anchored)
    if not at then
      break
    end
    if last ~= previous then
      count = count + 1
      local value = replace(replacement, pieces, state, at, last)
      parts[#parts + 1] = sub(s, copied, at - 1)
      parts[#parts + 1] = value
      size = size + at - copied + #tostring(value)
      if size > MAX_BYTES then
        error("`string.gsub` would make more than 16 MB, which is the limit of one string", 0)
      end
      from, copied, previous = last, last, last
    else
      from = at + 1
    end
    if anchored then
      break
    end
  end
  parts[#parts + 1] = sub(s, copied)
  return concat(parts), count
end

K.patterns = library
