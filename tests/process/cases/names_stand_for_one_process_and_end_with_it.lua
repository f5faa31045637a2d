--- main
local function why(kind, value, err)
  assert(not value and err:kind() == kind, tostring(err))
end
return { main = function()
  local names, events, back = process.registry, process.events(), process.listen("back")
  assert(names.register("me") and names.register("me"))
  assert(names.lookup("me") == process.pid())
  local pid = assert(process.spawn_monitored("app:named", "app:other"))
  assert(names.register("it", pid))
  why("AlreadyExists", names.register("it"))
  why("NotFound", names.lookup("nobody"))
  why("Invalid", names.register("{x"))
  assert(process.send("it", "hello", process.pid()))
  assert(back:receive() == "hello")
  assert(names.unregister("me", names.STRONG) == false)
  assert(names.unregister("me") == true and names.unregister("me") == false)
  assert(process.terminate("it"))
  events:receive()
  why("NotFound", names.lookup("it"))
  assert(names.register("it"))
  return true
end }
--- named
return { main = function()
  local message = process.inbox():receive()
  process.send(message:payload():data(), "back", message:topic())
  process.inbox():receive()
end }
