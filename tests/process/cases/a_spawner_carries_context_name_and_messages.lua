--- main
return { main = function()
  local back = process.listen("back")
  local base = process.with_context { color = "red" }
  local spawner = base:with_context({ size = 3 }):with_name("worker"):with_message("job", 1):with_message("job", 2, 3)
  local pid = assert(spawner:spawn("app:worker", "app:other", process.pid()))
  assert(process.registry.lookup("worker") == pid)
  local found = back:receive()
  assert(found.color == "red" and found.size == 3 and found.origin == "test")
  assert(found.first == 1 and found.second == 3)
  -- The name is taken: nothing is started, the messages go to who has it.
  assert(spawner:spawn("app:worker", "app:other", process.pid()) == pid)
  assert(back:receive() == 1)
  assert(base:exec("app:reads", "app:processes") == "red")
  assert(process.exec("app:reads", "app:processes") == "none")
  local ok, err = pcall(process.with_options, { network = "app:net" })
  assert(not ok and err:kind() == "Unavailable")
  return true
end }
--- worker
local ctx = require("ctx")
return { main = function(to)
  local inbox = process.inbox()
  local found = ctx.all()
  found.first = inbox:receive():payload():data()
  found.second = inbox:receive():payload():data()[2]
  process.send(to, "back", found)
  process.send(to, "back", inbox:receive():payload():data())
  inbox:receive()
end }
--- reads
local ctx = require("ctx")
return { main = function() return ctx.get("color") or "none" end }
