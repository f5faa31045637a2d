---@meta

---@class system
local system = {}

---@param code? integer 0 to 255
---@return boolean? ok
---@return Error? err
function system.exit(code) end

---@return { name: string, description: string, class: string[] }[]? modules
---@return Error? err
function system.modules() end

system.memory = {}

---@return table? stats
---@return Error? err
function system.memory.stats() end

---@return integer? bytes
---@return Error? err
function system.memory.allocated() end

---@return integer? blocks
---@return Error? err
function system.memory.heap_objects() end

---@return integer? bytes
---@return Error? err
function system.memory.get_limit() end

---@param limit integer
---@return integer? previous
---@return Error? err
function system.memory.set_limit(limit) end

system.gc = {}

---@return boolean? done
---@return Error? err
function system.gc.collect() end

---@return integer? percent
---@return Error? err
function system.gc.get_percent() end

---@param percent integer
---@return integer? previous
---@return Error? err
function system.gc.set_percent(percent) end

system.runtime = {}

---@return integer? tasks
---@return Error? err
function system.runtime.goroutines() end

---@param count? integer
---@return integer? processors
---@return Error? err
function system.runtime.max_procs(count) end

---@return integer? processors
---@return Error? err
function system.runtime.cpu_count() end

system.process = {}

---@return integer? pid
---@return Error? err
function system.process.pid() end

---@return string? name
---@return Error? err
function system.process.hostname() end

---@return string? path
---@return Error? err
function system.process.cwd() end

system.hosts = {}

---@return { id: string, workers: integer, processes: integer }[]? hosts
---@return Error? err
function system.hosts.list() end

---@param host string
---@return { pid: string, host: string, source: string, state: string, actor_id: string? }[]? processes
---@return Error? err
function system.hosts.processes(host) end

system.supervisor = {}

---@param service string
---@return table? state
---@return Error? err
function system.supervisor.state(service) end

---@return table[]? states
---@return Error? err
function system.supervisor.states() end

system.node = {}

---@return string? id
---@return Error? err
function system.node.id() end

---@return string? address
---@return Error? err
function system.node.addr() end

---@return string? role
---@return Error? err
function system.node.role() end

system.cluster = {}

---@return { id: string, is_local: boolean }[]? members
---@return Error? err
function system.cluster.members() end

---@return string? id
---@return Error? err
function system.cluster.leader() end

---@return integer? size
---@return Error? err
function system.cluster.size() end

system.raft = {}

---@return boolean? leads
---@return Error? err
function system.raft.is_leader() end

---@return boolean? takes_part
---@return Error? err
function system.raft.is_member() end

---@return string? role
---@return Error? err
function system.raft.role() end

---@return integer? term
---@return Error? err
function system.raft.term() end

---@return integer? index
---@return Error? err
function system.raft.commit_index() end

---@return table<string, string>? stats
---@return Error? err
function system.raft.stats() end

system.lock = {}

---@param name string
---@return boolean? held
---@return Error? err
function system.lock.acquire(name) end

---@param name string
---@return boolean? released
---@return Error? err
function system.lock.release(name) end

return system
