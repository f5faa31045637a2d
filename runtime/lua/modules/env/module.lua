-- Environment variables. Commands that the host offers:
--   call env.get (key: string) -> string; raises NotFound, PermissionDenied
--   call env.set (key: string, value: string) -> true; raises PermissionDenied, Invalid for what is read-only
--   call env.get_all () -> table of the variables that the caller may read
local host = ...

local function check(key, name)
  if type(key) ~= "string" then
    error(name .. " expects the name of a variable, got " .. type(key), 3)
  end
  if key == "" then
    return nil, host.error("Invalid", "variable name cannot be empty", nil, false)
  end
  return true
end

return {
  get = function(key)
    local ok, err = check(key, "env.get")
    if not ok then
      return nil, err
    end
    return host.call("env.get", key)
  end,

  set = function(key, value)
    local ok, err = check(key, "env.set")
    if not ok then
      return nil, err
    end
    if type(value) ~= "string" then
      return nil, host.error("Invalid", "value must be a string", nil, false)
    end
    return host.call("env.set", key, value)
  end,

  get_all = function()
    return host.call("env.get_all")
  end,
}
