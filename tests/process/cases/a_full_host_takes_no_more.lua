--- main
return { main = function()
  local first = assert(process.spawn_monitored("app:waits", "app:small"))
  assert(process.spawn("app:waits", "app:small"))
  local pid, err = process.spawn("app:waits", "app:small")
  assert(pid == nil and err:kind() == "Unavailable" and err:retryable() == true)
  process.terminate(first)
  process.events():receive()
  assert(process.spawn("app:waits", "app:small"))
  return true
end }
--- waits
return { main = function() process.inbox():receive() end }
