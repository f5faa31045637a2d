---@meta

---@class process
---@field event { CANCEL: string, EXIT: string, LINK_DOWN: string, OUTDATED: string }
process = {}

---@class process.Message
local Message = {}

---@return string
function Message:topic() end

---@return string
function Message:from() end

---@return payload.Payload
function Message:payload() end

---@return string
function process.id() end

---@return string
function process.pid() end

---@param destination string PID
---@param topic string
---@param ... any
---@return boolean? ok
---@return Error? err Invalid, NotFound or PermissionDenied
function process.send(destination, topic, ...) end

---@return channel
function process.inbox() end

---@return channel
function process.events() end

---@param topic string
---@param options? { message: boolean? }
---@return channel? channel
---@return Error? err Invalid
function process.listen(topic, options) end

---@param channel channel
---@return boolean
function process.unlisten(channel) end

---@class process.Event
---@field kind string
---@field from string
---@field at number
---@field result? { value: any, error: Error? }
---@field reason? string

---@class process.Spawner
local Spawner = {}

---@param values table
---@return process.Spawner
function Spawner:with_context(values) end

---@param options table
---@return process.Spawner
function Spawner:with_options(options) end

---@param actor security.Actor
---@return process.Spawner
function Spawner:with_actor(actor) end

---@param scope security.Scope
---@return process.Spawner
function Spawner:with_scope(scope) end

---@param name string
---@return process.Spawner
function Spawner:with_name(name) end

---@param topic string
---@param ... any
---@return process.Spawner
function Spawner:with_message(topic, ...) end

---@param id string
---@param host string
---@param ... any
---@return string?
---@return Error? err
function Spawner:spawn(id, host, ...) end

---@param id string
---@param host string
---@param ... any
---@return string?
---@return Error? err
function Spawner:spawn_monitored(id, host, ...) end

---@param id string
---@param host string
---@param ... any
---@return string?
---@return Error? err
function Spawner:spawn_linked(id, host, ...) end

---@param id string
---@param host string
---@param ... any
---@return string?
---@return Error? err
function Spawner:spawn_linked_monitored(id, host, ...) end

---@param id string
---@param host string
---@param ... any
---@return any
---@return Error? err
function Spawner:exec(id, host, ...) end

---@param id string
---@param host string
---@param ... any
---@return string?
---@return Error? err
function process.spawn(id, host, ...) end

---@param id string
---@param host string
---@param ... any
---@return string?
---@return Error? err
function process.spawn_monitored(id, host, ...) end

---@param id string
---@param host string
---@param ... any
---@return string?
---@return Error? err
function process.spawn_linked(id, host, ...) end

---@param id string
---@param host string
---@param ... any
---@return string?
---@return Error? err
function process.spawn_linked_monitored(id, host, ...) end

---@param id string
---@param host string
---@param ... any
---@return any
---@return Error? err
function process.exec(id, host, ...) end

---@param destination string
---@return boolean? ok
---@return Error? err
function process.terminate(destination) end

---@param destination string
---@param reason? string
---@return boolean? ok
---@return Error? err
function process.cancel(destination, reason) end

---@param destination string
---@return boolean? ok
---@return Error? err
function process.monitor(destination) end

---@param destination string
---@return boolean? ok
---@return Error? err
function process.unmonitor(destination) end

---@param destination string
---@return boolean? ok
---@return Error? err
function process.link(destination) end

---@param destination string
---@return boolean? ok
---@return Error? err
function process.unlink(destination) end

---@return { trap_links: boolean, upgradable: boolean }
function process.get_options() end

---@param options { trap_links: boolean?, upgradable: boolean? }
---@return boolean? ok
---@return Error? err Invalid
function process.set_options(options) end

---@param id? string
---@param ... any
---@return nil
---@return Error? err
function process.upgrade(id, ...) end

---@param values table
---@return process.Spawner
function process.with_context(values) end

---@param options table
---@return process.Spawner
function process.with_options(options) end

---@class process.registry
---@field LOCAL integer
---@field EVENTUAL integer
---@field CONSISTENT integer
---@field STRONG integer
process.registry = {}

---@param name string
---@param pid? string
---@param scope? integer
---@return boolean? ok
---@return Error? err
function process.registry.register(name, pid, scope) end

---@param name string
---@return string? pid
---@return Error? err NotFound
function process.registry.lookup(name) end

---@param name string
---@param scope? integer
---@return boolean? ok
---@return Error? err
function process.registry.unregister(name, scope) end
