--- main
return { main = function()
  for _, host in ipairs { "app:processes", "app:other" } do
    local replies = process.listen("seen")
    local pid = assert(process.spawn("app:collects", host, process.pid(), 700))
    for index = 1, 700 do
      assert(process.send(pid, index % 3 == 0 and "other" or "numbers", index))
    end
    assert(replies:receive() == true)
    process.unlisten(replies)
  end
  return true
end }
--- collects
return { main = function(to, count)
  local inbox = process.inbox()
  for index = 1, count do
    local message = inbox:receive()
    assert(message:payload():data() == index and message:from() == to)
    assert(message:topic() == (index % 3 == 0 and "other" or "numbers"))
  end
  process.send(to, "seen", true)
end }
