-- Processes. Command that the host offers:
--   call process.send ({dest: string, topic: string}, payload...) -> true; raises NotFound, PermissionDenied
-- Messages arrive by topic: `@pid/inbox` is the inbox, `@pid/events` the channel of events.
local host = ...

local INBOX, EVENTS = "@pid/inbox", "@pid/events"
local EVENT_CAPACITY, LISTEN_CAPACITY = 16, 1

local function invalid(message)
  return nil, host.error("Invalid", message, nil, false)
end

-- What the field has and this version has not: refused by name, never by a missing value.
local function absent(name)
  return function()
    return nil, host.error("Unavailable", "process." .. name .. " is not available in this version", nil, false)
  end
end

local module = {
  event = { CANCEL = "pid.cancel", EXIT = "pid.exit", LINK_DOWN = "pid.link.down" },

  id = function()
    return host.task().entry or host.task().id
  end,

  pid = function()
    return host.task().pid
  end,

  send = function(destination, topic, ...)
    if type(destination) ~= "string" or type(topic) ~= "string" then
      return invalid("send requires at least destination and topic arguments")
    end
    if destination == "" or topic == "" then
      return invalid("destination and topic cannot be empty")
    end
    if topic:sub(1, 1) == "@" then
      return invalid("cannot send to @ topics")
    end
    return host.call("process.send", { dest = destination, topic = topic }, ...)
  end,

  inbox = function()
    return host.subscribe(INBOX, 0, true)
  end,

  events = function()
    return host.subscribe(EVENTS, EVENT_CAPACITY, false)
  end,

  listen = function(topic, options)
    if type(topic) ~= "string" or topic == "" then
      return invalid("topic must be a string that is not empty")
    end
    if topic:sub(1, 1) == "@" then
      return invalid("cannot listen to @ topics")
    end
    if options ~= nil and type(options) ~= "table" then
      error("process.listen: options must be a table, got " .. type(options), 2)
    end
    return host.subscribe(topic, LISTEN_CAPACITY, options ~= nil and options.message == true)
  end,

  unlisten = function(channel)
    return host.unsubscribe(channel)
  end,
}

for _, name in ipairs({
  "spawn", "spawn_monitored", "spawn_linked", "spawn_linked_monitored", "exec", "terminate", "cancel", "monitor",
  "unmonitor", "link", "unlink", "get_options", "set_options", "upgrade", "with_context", "with_options",
}) do
  module[name] = absent(name)
end
module.registry = {}
for _, name in ipairs({ "register", "lookup", "unregister" }) do
  module.registry[name] = absent("registry." .. name)
end

return module
