-- allow: process.* system.*
--- main
local system = require("system")
local function refused(kind, text, value, err)
  assert(value == nil and err:kind() == kind and err:message():find(text, 1, true), tostring(err))
  assert(err:retryable() == false)
end
return { main = function()
  refused("Unavailable", "limit", system.memory.get_limit())
  refused("Unavailable", "limit", system.memory.set_limit(1024))
  refused("Invalid", "limit must be", system.memory.set_limit("much"))
  refused("Unavailable", "percentage", system.gc.get_percent())
  refused("Unavailable", "percentage", system.gc.set_percent(50))
  refused("Unavailable", "not to be set", system.runtime.max_procs(2))
  refused("Invalid", "max_procs must be", system.runtime.max_procs(0))
  refused("Unavailable", "alone", system.node.addr())
  for _, name in ipairs({ "is_leader", "is_member", "role", "term", "commit_index", "stats" }) do
    refused("Unavailable", "raft not available", system.raft[name]())
  end
  refused("Invalid", "exit code must be", system.exit(256))
  refused("Invalid", "exit code must be", system.exit("1"))
  refused("Invalid", "lock name required", system.lock.acquire(""))
  refused("Invalid", "host id required", system.hosts.processes())
  return true
end }
