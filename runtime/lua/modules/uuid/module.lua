-- Universally unique identifiers; the host makes and reads them.
local host = ...

local function sync(name)
  return function(...)
    return host.sync(name, ...)
  end
end

return {
  v1 = sync("v1"),
  v3 = sync("v3"),
  v4 = sync("v4"),
  v5 = sync("v5"),
  v7 = sync("v7"),
  validate = sync("validate"),
  version = sync("version"),
  variant = sync("variant"),
  parse = sync("parse"),
  format = sync("format"),
}
