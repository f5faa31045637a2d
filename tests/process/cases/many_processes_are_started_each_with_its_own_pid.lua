--- main
return { main = function()
  local inbox, pids, number = process.inbox(), {}, 0
  for index = 1, 1500 do
    local pid = assert(process.spawn("app:says", "app:processes", process.pid(), index))
    assert(not pids[pid])
    pids[pid] = index
  end
  for _ = 1, 1500 do
    local message = inbox:receive()
    assert(pids[message:from()] == message:payload():data())
    number = number + 1
  end
  return number == 1500
end }
--- says
return { main = function(to, index)
  assert(process.send(to, "index", index))
end }
