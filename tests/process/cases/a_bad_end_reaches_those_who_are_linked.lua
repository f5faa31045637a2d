--- main
return { main = function()
  local events = process.events()
  -- Without trap_links it ends too, and says why.
  local shares = assert(process.spawn_monitored("app:shares", "app:processes"))
  local event = events:receive()
  assert(event.from == shares and event.result.error:message() == "linked process failed")
  -- With trap_links it hears of it; a good end says nothing.
  local traps = assert(process.spawn_monitored("app:traps", "app:other"))
  event = events:receive()
  assert(event.from == traps and event.result.error == nil, tostring(event.result.error))
  assert(event.result.value == "heard of it")
  return true
end }
--- shares
return { main = function()
  assert(process.spawn_linked("app:fails", "app:processes"))
  process.inbox():receive()
end }
--- traps
return { main = function()
  assert(process.get_options().trap_links == false)
  assert(process.set_options { trap_links = true })
  assert(process.get_options().trap_links == true)
  local events = process.events()
  assert(process.spawn_linked_monitored("app:ends", "app:processes"))
  assert(events:receive().kind == process.event.EXIT)
  local pid = assert(process.spawn_linked("app:fails", "app:processes"))
  local event = events:receive()
  assert(event.kind == process.event.LINK_DOWN and event.from == pid)
  assert(event.result.error:message():find("broken", 1, true))
  return "heard of it"
end }
--- ends
return { main = function() return 1 end }
--- fails
return { main = function() error("broken") end }
