-- What the host knows of itself. Commands that the host offers; each asks its own action of policy:
--   call system.read (what, name?) -> a value; `what` is such as "memory.stats" or "hosts.list", see FORMS
--   call system.control (what, value)   raises Unavailable: nothing here can be set
--   call system.collect () -> true      call system.exit (code) -> true
--   call system.lock (name) -> true; raises AlreadyExists where another process has it
--   call system.unlock (name) -> boolean: whether this process had it
local host = ...

local function invalid(message)
  return nil, host.error("Invalid", message, nil, false)
end

local function reads(what)
  return function()
    return host.call("system.read", what)
  end
end

local function reads_of(what, name)
  return function(id)
    if type(id) ~= "string" or id == "" then
      return invalid(name .. " required")
    end
    return host.call("system.read", what, id)
  end
end

local function sets(what, name, least)
  return function(value)
    if math.type(value) ~= "integer" or value < least then
      return invalid(name .. " must be a whole number from " .. least .. " on")
    end
    return host.call("system.control", what, value)
  end
end

local set_max_procs = sets("gomaxprocs", "max_procs", 1)

local FORMS = {
  memory = { stats = "memory.stats", allocated = "memory.allocated", heap_objects = "memory.heap_objects", get_limit = "memory.limit" },
  gc = { get_percent = "gc.percent" },
  runtime = { goroutines = "runtime.goroutines", cpu_count = "runtime.cpu_count" },
  process = { pid = "process.pid", hostname = "process.hostname", cwd = "process.cwd" },
  hosts = { list = "hosts.list" },
  supervisor = { states = "supervisor.states" },
  node = { id = "node.id", addr = "node.addr", role = "node.role" },
  cluster = { members = "cluster.members", leader = "cluster.leader", size = "cluster.size" },
  raft = {
    is_leader = "raft.is_leader", is_member = "raft.is_member", role = "raft.role", term = "raft.term",
    commit_index = "raft.commit_index", stats = "raft.stats",
  },
}

local module = {}
for part, forms in next, FORMS do
  module[part] = {}
  for name, what in next, forms do
    module[part][name] = reads(what)
  end
end

module.modules = reads("modules")
module.memory.set_limit = sets("memory_limit", "limit", -1)
module.gc.set_percent = sets("gc_percent", "percent", -1)
module.hosts.processes = reads_of("hosts.processes", "host id")
module.supervisor.state = reads_of("supervisor.state", "service id")

function module.gc.collect()
  return host.call("system.collect")
end

function module.runtime.max_procs(count)
  if count ~= nil then
    return set_max_procs(count)
  end
  return host.call("system.read", "runtime.max_procs")
end

function module.exit(code)
  if code == nil then
    code = 0
  elseif math.type(code) ~= "integer" or code < 0 or code > 255 then
    return invalid("exit code must be a whole number from 0 to 255")
  end
  return host.call("system.exit", code)
end

module.lock = {
  acquire = function(name)
    if type(name) ~= "string" or name == "" then
      return invalid("lock name required")
    end
    local held, err = host.call("system.lock", name)
    if err and err:kind() == "AlreadyExists" then
      return false, err
    end
    return held, err
  end,

  release = function(name)
    if type(name) ~= "string" or name == "" then
      return invalid("lock name required")
    end
    return host.call("system.unlock", name)
  end,
}

return module
