--- main
-- The first process of a kind is started by the host, the next ones by the kernel alone.
return { main = function()
  local events, inbox = process.events(), process.inbox()
  local forms = { "spawn", "spawn_monitored", "spawn_linked", "spawn_linked_monitored" }
  local seen = {}
  for round = 1, 3 do
    for _, form in ipairs(forms) do
      local given = { "given" }
      local pid = assert(process[form]("app:echo", "app:processes", process.pid(), given, nil, round))
      assert(not seen[pid] and pid:match("^{app:processes|0x%x+}$"), pid)
      seen[pid] = true
      assert(process.send(pid, "go", "said at once"))
      local message = inbox:receive()
      local said = message:payload():data()
      assert(message:from() == pid and said.pid == pid and said.id == "app:echo" and said.host == "app:processes")
      assert(said.round == round and said.list[1] == "changed" and given[1] == "given" and said.go == "said at once")
      assert(said.actor == "app:tester" and said.origin == "test")
      if form:find("monitored") then
        local event = events:receive()
        assert(event.kind == process.event.EXIT and event.from == pid and event.result.value == round)
      end
    end
  end
  return true
end }
--- echo
local info = { id = process.id(), pid = process.pid() }
return { main = function(to, list, nothing, round)
  assert(nothing == nil and count == nil)
  count, list[1] = 1, "changed"
  local go = process.inbox():receive():payload():data()
  process.send(to, "said", {
    id = info.id, pid = info.pid, host = "app:processes", round = round, list = list, go = go,
    actor = security.actor():id(), origin = ctx.get("origin"),
  })
  return round
end }
