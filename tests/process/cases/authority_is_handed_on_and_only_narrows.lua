-- allow: process.spawn process.exec process.host process.context security.*
--- main
local security = require("security")
return { main = function()
  local empty = assert(security.new_scope())
  local narrowed = process.with_context({}):with_scope(empty)
  local value, err = narrowed:exec("app:tries", "app:processes")
  assert(value == "PermissionDenied", tostring(err or value))
  assert(process.exec("app:tries", "app:processes") == "spawned")
  local ok, refused = pcall(function()
    return process.with_context({}):with_actor(security.new_actor("somebody"))
  end)
  assert(not ok and refused:details().action == "process.security")
  return true
end }
--- tries
return { main = function()
  local pid, err = process.spawn("app:ends", "app:processes")
  return pid and "spawned" or err:kind()
end }
--- ends
return { main = function() end }
