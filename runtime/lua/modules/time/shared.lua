-- What every part of the module `time` uses.
local _, T = ...

T.SECOND = 1000000000

function T.integer(value, name)
  local number = type(value) == "number" and math.tointeger(value) or nil
  if not number then
    error(name .. " must be a whole number, got " .. type(value), 3)
  end
  return number
end
