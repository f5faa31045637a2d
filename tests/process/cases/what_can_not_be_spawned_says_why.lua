--- main
local function why(kind, part, value, err)
  assert(value == nil and err:kind() == kind and err:message():find(part, 1, true), tostring(err))
end
return { main = function()
  why("NotFound", "no such entry", process.spawn("app:gone", "app:processes"))
  why("NotFound", "host `app:gone` not found", process.spawn("app:main", "app:gone"))
  why("NotFound", "host `app:main` not found", process.spawn("app:main", "app:main"))
  why("Invalid", "not a `process.lua`", process.spawn("app:processes", "app:processes"))
  why("Invalid", "process id required", process.spawn(nil, "app:processes"))
  why("Invalid", "host id required", process.spawn("app:main"))
  why("NotFound", "process not found", process.send("{app:processes|0xfffff}", "topic", 1))
  why("NotFound", "could not resolve", process.send("nobody", "topic", 1))
  why("NotFound", "process not found", process.monitor("{app:processes|0xfffff}"))
  return true
end }
