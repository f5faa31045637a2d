--- main
return { main = function()
  local events = process.events()
  local pid = assert(process.spawn("app:waits", "app:processes"))
  assert(process.monitor(pid))
  local ok, err = process.monitor(pid)
  assert(not ok and err:kind() == "AlreadyExists" and err:message():find("already monitoring pid", 1, true))
  assert(process.unmonitor(pid))
  ok, err = process.unmonitor(pid)
  assert(not ok and err:kind() == "NotFound" and err:message():find("pid not registered", 1, true))
  assert(process.link(pid) and process.link(pid) and process.unlink(pid) and process.unlink(pid))
  assert(process.monitor(pid))
  assert(process.terminate(pid)) -- unlinked: this process goes on
  local event = events:receive()
  local err = event.result.error
  assert(event.from == pid and err:kind() == "Canceled" and err:message() == "process terminated")
  assert(err:retryable() == false and err:details().by == process.pid())
  return true
end }
--- waits
return { main = function() process.inbox():receive() end }
