-- allow: events.* process.*
--- main
local events = require("events")
local function why(value, err)
  assert(value == nil and err:kind() == "Invalid" and err:message():find("must be a string", 1, true), tostring(err))
end
return { main = function()
  local exact = assert(events.subscribe("shop.orders"))
  local pattern = assert(events.subscribe("shop.*", "made*"))
  local ready = process.listen("ready")
  assert(process.spawn("app:hears", "app:other", process.pid()))
  assert(ready:receive())
  for index = 1, 100 do
    assert(events.send("shop.orders", index % 2 == 0 and "made.paid" or "lost", "/" .. index, { n = index }) == true)
  end
  assert(events.send("elsewhere", "made", "/x") and events.send("shop.bills", "made", "/bill"))
  for index = 1, 100 do
    local event = exact:channel():receive()
    assert(event.system == "shop.orders" and event.path == "/" .. index and event.data.n == index)
    if index % 2 == 0 then
      assert(pattern:channel():receive().data.n == index)
    end
  end
  local event = pattern:channel():receive()
  assert(event.path == "/bill" and event.data == nil)
  assert(ready:receive() == 100)
  assert(exact:close() and exact:close() and exact:channel():receive() == nil)
  assert(events.send("shop.orders", "lost", "/after"))
  why(events.subscribe(""))
  why(events.send("", "kind", "/"))
  why(events.send("system", "", "/"))
  why(events.send("system", "kind", ""))
  return true
end }
--- hears
local events = require("events")
return { main = function(to)
  local channel = assert(events.subscribe("shop.orders", "*")):channel()
  process.send(to, "ready", true)
  local count = 0
  while count < 100 do
    channel:receive()
    count = count + 1
  end
  process.send(to, "ready", count)
end }
