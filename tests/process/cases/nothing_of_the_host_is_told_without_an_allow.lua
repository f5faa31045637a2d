-- allow: process.*
--- main
local system = require("system")
return { main = function()
  local asked = {
    system.memory.stats, system.memory.get_limit, system.gc.collect, system.gc.get_percent, system.runtime.goroutines,
    system.runtime.max_procs, system.runtime.cpu_count, system.process.pid, system.process.hostname, system.process.cwd,
    system.hosts.list, system.supervisor.states, system.node.id, system.cluster.size, system.raft.stats, system.modules,
    system.exit, function() return system.lock.acquire("stock") end, function() return system.runtime.max_procs(1) end,
    function() return system.supervisor.state("app:nothing") end,
  }
  for index, ask in ipairs(asked) do
    local value, err = ask()
    assert(value == nil and err:kind() == "PermissionDenied", index)
  end
  return true
end }
