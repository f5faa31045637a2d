-- Modules: each chunk runs once per Lua state, in an environment of the sandbox's own functions, and what it
-- returns is frozen, so that no task changes what another one sees.
local K = ...
local raw = K.raw
local next, pcall = raw.next, raw.pcall

K.modules = {} -- name -> the frozen module
K.module_names = {} -- every name of the library, for messages

local function environment()
  local env = {}
  for key, value in next, K.base do
    env[key] = value
  end
  return env
end

-- Returns true, or nil and a message.
function K.load_module(name, source)
  local chunk, message = K.load(source, "=[module]/" .. name .. ".lua", environment())
  if not chunk then
    return nil, message
  end
  local ok, result = pcall(chunk, K.host_for(name))
  if not ok then
    return nil, K.error_text(result) or raw.tostring(result)
  elseif K.typeof(result) ~= "table" then
    return nil, "the chunk returned a " .. K.typeof(result) .. ", expected the module's table"
  end
  K.modules[name] = K.freeze(result)
  return true
end

-- Ambient modules are in every environment from now on.
function K.make_ambient(name)
  K.base[name] = K.modules[name]
end
