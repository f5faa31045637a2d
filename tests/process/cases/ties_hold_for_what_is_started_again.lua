--- main
return { main = function()
  process.set_options({ trap_links = true })
  local events = process.events()
  for round = 1, 3 do
    local pid = assert(process.spawn_linked("app:fails", "app:processes"))
    local event = events:receive()
    assert(event.kind == process.event.LINK_DOWN and event.from == pid, tostring(event.kind))
    assert(event.result.error:message():find("on purpose"))
    local watched = assert(process.spawn_monitored("app:waits", "app:processes"))
    assert(process.terminate(watched))
    event = events:receive()
    assert(event.kind == process.event.EXIT and event.from == watched and event.result.error)
    local child = assert(process.spawn("app:parent", "app:processes", process.pid()))
    assert(process.monitor(child))
    event = events:receive()
    assert(event.kind == process.event.EXIT and event.from == child, tostring(event.from))
    local sent, err = process.send(child, "late", round)
    assert(not sent and err:kind() == "NotFound", tostring(err))
  end
  return true
end }
--- fails
return { main = function() error("on purpose") end }
--- waits
return { main = function() process.inbox():receive() end }
--- parent
-- What a process started does not end with it.
return { main = function(_)
  for _ = 1, 2 do assert(process.spawn("app:waits", "app:processes")) end
end }
