--- main
return { main = function()
  local events, back = process.events(), process.listen("back")
  local pid = assert(process.spawn_monitored("app:old", "app:processes", process.pid()))
  assert(process.registry.register("worker", pid))
  for index = 1, 3 do
    assert(process.send(pid, "job", index))
  end
  assert(process.send(pid, "go", true))
  assert(back:receive() == "old saw 1")
  assert(back:receive() == "app:new is " .. pid .. " with 10")
  assert(back:receive() == "new saw 2" and back:receive() == "new saw 3")
  assert(process.registry.lookup("worker") == pid)
  assert(process.send("worker", "job", 4) and back:receive() == "new saw 4")
  assert(process.send(pid, "job", "end"))
  local event = events:receive()
  assert(event.from == pid and event.result.value == "new ended")
  local ok, err = process.upgrade("app:gone")
  assert(not ok and err:kind() == "NotFound")
  return true
end }
--- old
return { main = function(to)
  local go = process.listen("go")
  local message = process.inbox():receive()
  process.send(to, "back", "old saw " .. message:payload():data())
  go:receive()
  coroutine.spawn(function() process.inbox() end)
  process.upgrade("app:new", to, 10)
  error("it goes on")
end }
--- new
return { main = function(to, state)
  process.send(to, "back", process.id() .. " is " .. process.pid() .. " with " .. state)
  local inbox = process.inbox()
  while true do
    local job = inbox:receive():payload():data()
    if job == "end" then
      return "new ended"
    end
    process.send(to, "back", "new saw " .. job)
  end
end }
