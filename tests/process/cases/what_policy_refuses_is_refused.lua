-- allow: process.spawn process.host process.send
--- main
local function why(action, value, err)
  assert(value == nil and err:kind() == "PermissionDenied", tostring(err))
  assert(err:details().action == action, err:details().action)
end
return { main = function()
  local pid = assert(process.spawn("app:waits", "app:processes"))
  why("process.spawn.monitored", process.spawn_monitored("app:waits", "app:processes"))
  why("process.spawn.linked", process.spawn_linked("app:waits", "app:processes"))
  why("process.exec", process.exec("app:waits", "app:processes"))
  for _, name in ipairs { "terminate", "cancel", "monitor", "unmonitor", "link", "unlink" } do
    why("process." .. name, process[name](pid))
    why("process." .. name, process[name]("{app:processes|0xfffff}")) -- nor is it said who is there
  end
  why("process.registry.register", process.registry.register("me"))
  why("process.registry.register.strong", process.registry.register("me", nil, process.registry.STRONG))
  why("process.registry.unregister", process.registry.unregister("me"))
  local ok, err = pcall(process.with_context, { a = 1 })
  assert(not ok and err:kind() == "PermissionDenied" and err:details().action == "process.context")
  return true
end }
--- waits
return { main = function() process.inbox():receive() end }
