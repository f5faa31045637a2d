-- Context values of the running call, for reading only.
local host = ...

-- The values are read-only for the task; a script gets copies that it may change.
local function copy(value)
  if type(value) ~= "table" then
    return value
  end
  local result = {}
  for key, item in next, value do
    result[key] = copy(item)
  end
  return result
end

return {
  get = function(key)
    if type(key) ~= "string" then
      error("ctx.get expects the name of a value, got " .. type(key), 2)
    end
    if key == "" then
      return nil, host.error("Invalid", "empty key", nil, false)
    end
    local value = (host.values() or {})[key]
    if value == nil then
      return nil, host.error("NotFound", "key not found: " .. key, nil, false)
    end
    return copy(value)
  end,

  all = function()
    return copy(host.values() or {})
  end,
}
