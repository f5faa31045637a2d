-- allow: process.* system.*
--- main
local system = require("system")
local function whole(value, err)
  return assert(math.type(assert(value, err)) == "integer" and value > 0 and value)
end
return { main = function()
  local stats = assert(system.memory.stats())
  for _, name in ipairs({ "alloc", "sys", "heap_alloc", "heap_in_use", "heap_objects", "num_gc" }) do
    assert(math.type(stats[name]) == "integer", name)
  end
  whole(system.memory.allocated())
  whole(system.memory.heap_objects())
  whole(system.runtime.cpu_count())
  whole(system.runtime.max_procs())
  whole(system.process.pid())
  assert(system.process.hostname() ~= "" and system.process.cwd():sub(1, 1) == "/")
  assert(system.gc.collect() == true)

  local before = whole(system.runtime.goroutines())
  local pid = assert(process.spawn("app:waits", "app:other"))
  assert(system.runtime.goroutines() == before + 1)

  local hosts = {}
  for _, row in ipairs(system.hosts.list()) do
    hosts[row.id] = row
  end
  assert(hosts["app:processes"].processes == 1 and hosts["app:other"].processes == 1)
  assert(hosts["app:small"].processes == 0 and hosts["app:small"].workers == 1)
  local row = system.hosts.processes("app:other")[1]
  assert(row.pid == pid and row.host == "app:other" and row.source == "app:waits" and row.state == "running")
  assert(row.actor_id == "app:tester")
  local _, err = system.hosts.processes("app:nowhere")
  assert(err:kind() == "NotFound")

  local found
  for _, module in ipairs(system.modules()) do
    assert(module.name ~= "llm_host", "what belongs to the runtime alone is not told")
    found = found or module.name == "system" and module
  end
  assert(found.description ~= "" and found.class[1] == "process")

  assert(system.node.id() == "local" and system.node.role() == "non-member")
  local member = system.cluster.members()[1]
  assert(member.id == "local" and member.is_local and system.cluster.size() == 1 and system.cluster.leader() == "")
  return true
end }
--- waits
return { main = function() process.inbox():receive() end }
