--- main
return { main = function()
  local events = process.events()
  local pid = assert(process.spawn_monitored("app:sum", "app:processes", 1, nil, 3))
  assert(pid:match("^{app:processes|0x%x+}$"), pid)
  local event = events:receive()
  assert(event.kind == process.event.EXIT and event.from == pid and event.at > 0)
  assert(event.result.value == 4 and event.result.error == nil)
  local failing = assert(process.spawn_monitored("app:failing", "app:processes"))
  event = events:receive()
  assert(event.from == failing and event.result.value == nil)
  assert(event.result.error:kind() == "Invalid" and event.result.error:message() == "no good")
  return true
end }
--- sum
return { main = function(a, none, b)
  assert(none == nil)
  return a + b
end }
--- failing
return { main = function()
  error(errors.new { kind = errors.INVALID, message = "no good" })
end }
