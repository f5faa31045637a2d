-- JSON in both directions. Lua has one kind of empty table, JSON has `[]` and `{}`: the tables that came out of
-- decode as empty objects are remembered, so that they are written as objects again.
local host = ...

local MAX_DEPTH, MAX_NODES = 64, 200000
local objects = setmetatable({}, { __mode = "k" })

-- The message of what could not cross, with `$` for the value that was given.
local function refused(err)
  local message = err:message():gsub("^arguments of `[^`]*`: ", ""):gsub("at `%[1%]", "at `$")
  return nil, host.error("Internal", "value has no JSON form: " .. message, nil, false)
end

-- Paths of the remembered empty objects in `value`.
local function find_objects(value)
  local paths, path, nodes = {}, {}, 0
  local function walk(item, depth)
    if type(item) ~= "table" or depth > MAX_DEPTH or nodes > MAX_NODES then
      return
    end
    local empty = true
    for key, child in next, item do
      empty, nodes = false, nodes + 1
      path[depth] = key
      walk(child, depth + 1)
      path[depth] = nil
    end
    if empty and objects[item] then
      paths[#paths + 1] = host.array({ table.unpack(path, 1, depth - 1) })
    end
  end
  walk(value, 1)
  return paths
end

local function at(value, path)
  for _, step in ipairs(path) do
    value = value[step]
  end
  return value
end

local function check(what, schema, ...)
  if type(schema) ~= "table" and type(schema) ~= "string" then
    return false, host.error("Invalid", "schema must be a table or a JSON text, got " .. type(schema), nil, false)
  end
  if (...) == nil then
    return false, host.error("Invalid", "data is required", nil, false)
  end
  local valid, err = host.sync(what, schema, (...))
  return valid == true, err
end

return {
  encode = function(value)
    local paths = next(objects) ~= nil and find_objects(value) or nil
    local text, err = host.sync("encode", value, paths)
    if err and err:kind() == "Invalid" then
      return refused(err)
    end
    return text, err
  end,

  decode = function(text)
    local answer, err = host.sync("decode", text)
    if not answer then
      return nil, err
    end
    local value = answer[1]
    for _, path in ipairs(answer[2]) do
      objects[at(value, path)] = true
    end
    return value
  end,

  validate = function(schema, data)
    return check("validate", schema, data)
  end,

  validate_string = function(schema, text)
    return check("validate_string", schema, text)
  end,
}
