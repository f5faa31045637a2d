-- Universally unique identifiers; the host makes and reads them.
local host = ...

-- A function of `count` arguments; those that are missing are nil, more are ignored.
local function sync(name, count)
  return function(...)
    return host.sync(name, table.unpack({ ... }, 1, count))
  end
end

return {
  v1 = sync("v1", 0),
  v3 = sync("v3", 2),
  v4 = sync("v4", 0),
  v5 = sync("v5", 2),
  v7 = sync("v7", 0),
  validate = sync("validate", 1),
  version = sync("version", 1),
  variant = sync("variant", 1),
  parse = sync("parse", 1),
  format = sync("format", 2),
}
