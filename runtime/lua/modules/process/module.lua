-- Processes. Commands that the host offers; each raises what its action of policy refuses and NotFound where nobody
-- is there:
--   call process.send ({dest, topic}, payload...) -> true, grant | nil: the kernel may send alike while the grant holds
--   call process.spawn ({id, host, monitored?, linked?, name?, context?, actor?, scope?, messages?}, arg...) -> PID, grant | nil
--   call process.exec (the same, arg...) -> what the process ended with
--   call process.builder ({context?, actor?, scope?}) -> true: whether a spawner may carry these
--   call process.upgrade (id | nil, arg...): not answered, the process is another one then
--   call process.terminate | cancel (dest, reason?) | monitor | unmonitor | link | unlink (dest) -> true
--   call process.get_options () -> {trap_links, upgradable}   process.set_options (table) -> true
--   call process.registry.register (name, pid?, scope?) | lookup (name) -> PID | unregister (name, scope?) -> boolean
-- Messages arrive by topic: `@pid/inbox` is the inbox, `@pid/events` the channel of events.
local host = ...

local INBOX, EVENTS = "@pid/inbox", "@pid/events"
local EVENT_CAPACITY, LISTEN_CAPACITY = 16, 1

local function invalid(message)
  return nil, host.error("Invalid", message, nil, false)
end

local function is_text(value)
  return type(value) == "string" and value ~= ""
end

-- The forms of spawning -------------------------------------------------------------------------------------------

local FORMS = {
  spawn = {}, spawn_monitored = { monitored = true }, spawn_linked = { linked = true },
  spawn_linked_monitored = { monitored = true, linked = true },
}

local function wish(carried, form, id, on)
  local wanted = { id = id, host = on }
  for key, value in next, carried do
    wanted[key] = value
  end
  for key, value in next, form do
    wanted[key] = value
  end
  return wanted
end

local function check(id, on)
  if not is_text(id) then
    return invalid("process id required")
  elseif not is_text(on) then
    return invalid("host id required")
  end
  return true
end

local function start(command, carried, form, id, on, ...)
  local ok, err = check(id, on)
  if not ok then
    return nil, err
  end
  return host.call(command, wish(carried, form, id, on), ...)
end

local function started(name, id, on, pid, second)
  if host.is_error(second) then
    return nil, second
  elseif second ~= nil then
    host.allow_spawn(name, id, on, second)
  end
  return pid
end

-- Starts a process that carries nothing of its own: the kernel does so itself where the host allowed it before.
local function start_plainly(name, id, on, ...)
  local pid, err = host.spawn_here(name, id, on, ...)
  if err ~= nil then
    return nil, err
  elseif pid then
    return pid
  end
  return started(name, id, on, start("process.spawn", {}, FORMS[name], id, on, ...))
end

-- Spawners --------------------------------------------------------------------------------------------------------

local new_spawner, spawner_of

local function own(self)
  local state = spawner_of(self)
  if not state then
    error("call this as a method of a Spawner, with `:`", 3)
  end
  return state
end

local function derived(state, name, value)
  local carried = {}
  for key, kept in next, state do
    carried[key] = kept
  end
  carried[name] = value
  return carried
end

-- A spawner never carries what it may not: what policy refuses is raised where it is asked for.
local function checked(carried)
  local ok, err = host.call("process.builder", { context = carried.context, actor = carried.actor, scope = carried.scope })
  if not ok then
    error(err, 0)
  end
  return new_spawner(carried)
end

local function with_context(state, values, name)
  if type(values) ~= "table" then
    error(name .. " expects a table of values, got " .. type(values), 3)
  end
  local context = {}
  for key, value in next, state.context or {} do
    context[key] = value
  end
  for key, value in pairs(values) do
    if type(key) ~= "string" then
      error(name .. ": context keys must be strings", 3)
    end
    context[key] = value
  end
  return checked(derived(state, "context", context))
end

local function with_options(state, options)
  if type(options) ~= "table" then
    error("with_options expects a table, got " .. type(options), 3)
  end
  local name = next(options)
  if name ~= nil then
    error(host.error("Unavailable", "spawn option `" .. tostring(name) .. "` is not available in this version", nil, false), 0)
  end
  return checked(derived(state, "context", state.context or {}))
end

-- No script can make a value that says "userdata" and shows itself so; errors, which show any text, are told apart.
local function check_object(value, class, what)
  local shown = type(value) == "userdata" and not host.is_error(value) and tostring(value) or ""
  if shown:sub(1, #class + 1) ~= class .. "{" then
    error(what .. " expects a " .. class .. ": see the module `security`", 3)
  end
  return value
end

local methods = {
  with_context = function(self, values)
    return with_context(own(self), values, "with_context")
  end,
  with_options = function(self, options)
    return with_options(own(self), options)
  end,
  with_actor = function(self, actor)
    return checked(derived(own(self), "actor", check_object(actor, "security.Actor", "with_actor")))
  end,
  with_scope = function(self, scope)
    return checked(derived(own(self), "scope", check_object(scope, "security.Scope", "with_scope")))
  end,
  with_name = function(self, name)
    if not is_text(name) then
      error("with_name expects a name that is not empty", 2)
    end
    return new_spawner(derived(own(self), "name", name))
  end,
  with_message = function(self, topic, ...)
    if not is_text(topic) or topic:sub(1, 1) == "@" then
      error("with_message expects a topic that does not begin with `@`", 2)
    end
    local state = own(self)
    local messages = host.array({})
    for index, message in ipairs(state.messages or {}) do
      messages[index] = message
    end
    messages[#messages + 1] = { topic = topic, payloads = host.array({ ... }) }
    return new_spawner(derived(state, "messages", messages))
  end,
  exec = function(self, id, on, ...)
    return start("process.exec", own(self), {}, id, on, ...)
  end,
}
for name, form in next, FORMS do
  methods[name] = function(self, id, on, ...)
    return start("process.spawn", own(self), form, id, on, ...)
  end
end

new_spawner, spawner_of = host.class("process.Spawner", { methods = methods })

-- The module ------------------------------------------------------------------------------------------------------

local function remember(dest, ok, second)
  if ok then
    if second ~= nil then
      host.allow_send(dest, second)
    end
    return true
  end
  return ok, second
end

local direct = host.direct

local function send(dest, topic, ...)
  local sent, err = direct(dest, topic, ...)
  if sent ~= false then
    return sent, err
  elseif type(dest) ~= "string" or type(topic) ~= "string" then
    return invalid("send requires at least destination and topic arguments")
  elseif dest == "" or topic == "" then
    return invalid("destination and topic cannot be empty")
  elseif topic:byte() == 64 then -- @
    return invalid("cannot send to @ topics")
  end
  return remember(dest, host.call("process.send", { dest = dest, topic = topic }, ...))
end

local function check_topic(topic)
  if not is_text(topic) then
    return invalid("topic must be a string that is not empty")
  elseif topic:sub(1, 1) == "@" then
    return invalid("cannot listen to @ topics")
  end
  return true
end

local module = {
  event = { CANCEL = "pid.cancel", EXIT = "pid.exit", LINK_DOWN = "pid.link.down", OUTDATED = "pid.outdated" },

  id = function()
    return host.task().id
  end,

  pid = function()
    return host.task().pid
  end,

  send = send,

  inbox = function()
    return host.subscribe(INBOX, 0, true)
  end,

  events = function()
    return host.subscribe(EVENTS, EVENT_CAPACITY, false)
  end,

  listen = function(topic, options)
    local ok, err = check_topic(topic)
    if not ok then
      return nil, err
    end
    if options ~= nil and type(options) ~= "table" then
      error("process.listen: options must be a table, got " .. type(options), 2)
    end
    return host.subscribe(topic, LISTEN_CAPACITY, options ~= nil and options.message == true)
  end,

  unlisten = function(channel)
    return host.unsubscribe(channel)
  end,

  exec = function(id, on, ...)
    return start("process.exec", {}, {}, id, on, ...)
  end,

  cancel = function(dest, reason)
    if not is_text(dest) then
      return invalid("cancel requires a PID or a registered name")
    elseif reason ~= nil and type(reason) ~= "string" then
      return invalid("the reason of a cancel must be a string")
    end
    return host.call("process.cancel", dest, reason)
  end,

  get_options = function()
    return host.call("process.get_options")
  end,

  set_options = function(options)
    if type(options) ~= "table" then
      return invalid("set_options expects a table of options")
    end
    return host.call("process.set_options", options)
  end,

  upgrade = function(id, ...)
    if id ~= nil and not is_text(id) then
      return invalid("upgrade expects the id of a process entry, or nil for its own")
    end
    return host.call("process.upgrade", id, ...)
  end,

  with_context = function(values)
    return with_context({}, values, "process.with_context")
  end,

  with_options = function(options)
    return with_options({}, options)
  end,

  registry = {
    LOCAL = 0, EVENTUAL = 1, CONSISTENT = 2, STRONG = 3,
    register = function(name, pid, scope)
      return host.call("process.registry.register", name, pid, scope)
    end,
    lookup = function(name)
      return host.call("process.registry.lookup", name)
    end,
    unregister = function(name, scope)
      return host.call("process.registry.unregister", name, scope)
    end,
  },
}

for name in next, FORMS do
  module[name] = function(id, on, ...)
    return start_plainly(name, id, on, ...)
  end
end
for _, name in ipairs({ "terminate", "monitor", "unmonitor", "link", "unlink" }) do
  module[name] = function(dest)
    if not is_text(dest) then
      return invalid(name .. " requires a PID or a registered name")
    end
    return host.call("process." .. name, dest)
  end
end

return module
