-- Which type is a subtype of which: by what values they take, not by their names.
local K = ...
local raw, T = K.raw, K.types
local rawget, ipairs = raw.rawget, raw.ipairs
local settle, row_of, list = T.settle, T.row_of, T.list

local COST, MAX_DEPTH = 200, 60
local NIL = { "nil" }
local fits -- (set, row, set, row, depth)

local function part(set, index)
  return set, row_of(set, index)
end

local function all(set, rows, against)
  for _, index in ipairs(rows) do
    if not against(part(set, index)) then
      return false
    end
  end
  return true
end

local function any(set, rows, against)
  for _, index in ipairs(rows) do
    if against(part(set, index)) then
      return true
    end
  end
  return false
end

local function field_named(row, name)
  K.charge(8 * raw.rawlen(list(row, 2)))
  for _, field in ipairs(list(row, 2)) do
    if rawget(field, 1) == name then
      return field
    end
  end
  return nil
end

local function record_fits(left, a, right, b, depth)
  for _, field in ipairs(list(b, 2)) do
    local found = field_named(a, rawget(field, 1))
    if not found then
      if not rawget(field, 3) then
        return false
      end
    elseif rawget(found, 3) and not rawget(field, 3) then
      return false
    else
      local set, row = part(left, rawget(found, 2))
      if not fits(set, row, right, row_of(right, rawget(field, 2)), depth) then
        return false
      end
    end
  end
  return true
end

local function lists_fit(left, a, right, b, depth)
  for position, index in ipairs(b) do
    local other = rawget(a, position)
    if other == nil or not fits(left, row_of(left, other), right, row_of(right, index), depth) then
      return false
    end
  end
  return true
end

local SAME = {
  literal = function(_, a, _, b)
    return rawget(a, 2) == rawget(b, 2)
  end,
  array = function(left, a, right, b, depth)
    return fits(left, row_of(left, rawget(a, 2)), right, row_of(right, rawget(b, 2)), depth)
  end,
  map = function(left, a, right, b, depth)
    return fits(left, row_of(left, rawget(a, 2)), right, row_of(right, rawget(b, 2)), depth)
      and fits(left, row_of(left, rawget(a, 3)), right, row_of(right, rawget(b, 3)), depth)
  end,
  record = record_fits,
  ["function"] = function(left, a, right, b, depth)
    if rawget(b, 2) == nil then
      return true
    end
    return rawget(a, 2) ~= nil and lists_fit(right, list(b, 2), left, list(a, 2), depth)
      and lists_fit(left, list(a, 3), right, list(b, 3), depth)
  end,
}

local TABLES = { array = true, map = true, record = true }

local function simple_fits(a, b)
  if b == "number" then
    return a == "integer"
  end
  return b == "table" and TABLES[a] == true
end

local function literal_fits(row, kind)
  local value = rawget(row, 2)
  if kind == "integer" then
    return raw.math.type(value) == "integer"
  end
  return raw.type(value) == kind
end

-- Unions and their like on either side are taken apart; nil where neither side is one.
local function composed(left, a, right, b, depth)
  local from, to = rawget(a, 1), rawget(b, 1)
  if from == "union" then
    return all(left, list(a, 2), function(set, row)
      return fits(set, row, right, b, depth)
    end)
  elseif from == "optional" then
    return fits(left, NIL, right, b, depth) and fits(left, row_of(left, rawget(a, 2)), right, b, depth)
  elseif to == "intersection" then
    return all(right, list(b, 2), function(set, row)
      return fits(left, a, set, row, depth)
    end)
  elseif to == "union" then
    return any(right, list(b, 2), function(set, row)
      return fits(left, a, set, row, depth)
    end)
  elseif to == "optional" then
    return from == "nil" or fits(left, a, right, row_of(right, rawget(b, 2)), depth)
  elseif from == "intersection" then
    return any(left, list(a, 2), function(set, row)
      return fits(set, row, right, b, depth)
    end)
  elseif from == "validated" then
    return fits(left, row_of(left, rawget(a, 2)), right, b, depth)
  end
  return nil
end

local function plain_fits(left, a, right, b, depth)
  local from, to = rawget(a, 1), rawget(b, 1)
  if from == to then
    return not SAME[from] or SAME[from](left, a, right, b, depth)
  elseif from == "literal" then
    return literal_fits(a, to) or (to == "number" and literal_fits(a, "integer"))
  end
  return simple_fits(from, to)
end

local seen -- a row -> another row -> whether the first fits the second, in one comparison

function fits(left, a, right, b, depth)
  K.charge(COST)
  left, a = settle(left, a)
  right, b = settle(right, b)
  local from, to = rawget(a, 1), rawget(b, 1)
  if a == b or depth > MAX_DEPTH then
    return true
  elseif seen[a] and seen[a][b] ~= nil then
    return seen[a][b]
  elseif to == "any" or to == "unknown" or from == "never" or from == "any" then
    return true
  end
  seen[a] = seen[a] or {}
  seen[a][b] = true -- until the answer is known: a type that contains itself asks again
  local answer = composed(left, a, right, b, depth + 1)
  if answer == nil then
    answer = plain_fits(left, a, right, b, depth + 1)
  end
  seen[a][b] = answer
  return answer
end

function T.fits(a, b)
  seen = {}
  return fits(a.set, a.row, b.set, b.row, 1)
end
