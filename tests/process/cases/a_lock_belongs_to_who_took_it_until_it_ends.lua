-- allow: process.* system.*
--- main
local system = require("system")
return { main = function()
  local events = process.events()
  local pid = assert(process.spawn_monitored("app:holds", "app:processes", process.pid()))
  assert(process.inbox():receive():payload():data() == "held")
  local held, err = system.lock.acquire("stock")
  assert(held == false and err:kind() == "AlreadyExists" and err:details().pid == pid)
  assert(system.lock.release("stock") == false, "it belongs to another process")
  assert(system.lock.release("nothing") == false)
  process.send(pid, "end")
  events:receive()
  assert(system.lock.acquire("stock") == true, "it was given up at the end of its process")
  assert(system.lock.release("stock") == true and system.lock.release("stock") == false)
  return true
end }
--- holds
local system = require("system")
return { main = function(parent)
  assert(system.lock.acquire("stock"))
  process.send(parent, "state", "held")
  process.inbox():receive()
end }
