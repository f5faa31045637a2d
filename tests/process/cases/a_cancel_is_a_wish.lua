--- main
return { main = function()
  local events = process.events()
  local pid = assert(process.spawn_monitored("app:tidy", "app:processes"))
  assert(process.cancel(pid, "enough"))
  local event = events:receive()
  assert(event.result.value == "tidied up: enough by " .. process.pid(), event.result.value)
  return true
end }
--- tidy
return { main = function()
  local event = process.events():receive()
  assert(event.kind == process.event.CANCEL)
  return "tidied up: " .. event.reason .. " by " .. event.from
end }
