-- The event bus. Commands that the host offers:
--   call events.send (system, kind, path, data?) -> true; raises Invalid, PermissionDenied
--   call events.subscribe (system, kind?) -> topic on which the events come; raises the same, Unavailable
--   call events.unsubscribe (topic) -> boolean
local host = ...

local CAPACITY = 64

local new_subscription, subscription_of

local function own(self)
  local state = subscription_of(self)
  if not state then
    error("call this as a method of a Subscription, with `:`", 3)
  end
  return state
end

new_subscription, subscription_of = host.class("events.Subscription", {
  methods = {
    channel = function(self)
      return own(self).channel
    end,
    close = function(self)
      local state = own(self)
      if state.closed then
        return true
      end
      state.closed = true
      host.unsubscribe(state.channel)
      host.call("events.unsubscribe", state.topic)
      return true
    end,
  },
})

return {
  subscribe = function(system, kind)
    local topic, err = host.call("events.subscribe", system, kind)
    if not topic then
      return nil, err
    end
    return new_subscription({ topic = topic, channel = host.subscribe(topic, CAPACITY, false) })
  end,

  send = function(system, kind, path, data)
    return host.call("events.send", system, kind, path, data)
  end,
}
