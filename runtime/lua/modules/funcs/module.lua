-- Calls of functions by id. Commands that the host offers:
--   call funcs.call ({id, key?, context?, actor?, scope?, options?}, argument...) -> what the function returned, grant |
--     nil: the kernel may call it alike while the grant holds; raises
--     PermissionDenied, NotFound, and whatever the function failed with
--     id: string; key: string that names this call, among those of its Lua state, for funcs.cancel; context: table of values for `ctx`;
--     actor: {id, meta}; scope: {policies: string[]}
--     the host asks `funcs.call` on the id, `funcs.context` on "context" where context is given and
--     `funcs.security` on "security" where actor or scope is
--   call funcs.cancel (key) -> boolean: whether the call was still running
local host = ...
local payload = payload -- the ambient module

local new_future, future_of
local new_executor, executor_of

local function invalid(message)
  return nil, host.error("Invalid", message, nil, false)
end

-- The id of a function, else nil and an error that says which part is missing.
local function check_id(id)
  if type(id) ~= "string" or id == "" then
    return invalid("function ID required")
  end
  local namespace, name = id:match("^([^:]*):(.*)$")
  if not namespace or namespace == "" then
    return invalid("namespace required in function ID `" .. id .. "`: expected namespace:name")
  end
  if name == "" then
    return invalid("name required in function ID `" .. id .. "`: expected namespace:name")
  end
  return id
end

local function own(state_of, self, name)
  local state = state_of(self)
  if not state then
    error("call this as a method of " .. name .. ", with `:`", 3)
  end
  return state
end

local function request(options, id, key)
  return {
    id = id, key = key, context = options.context, actor = options.actor, scope = options.scope,
    options = options.options,
  }
end

-- A plain call may be answered with a yes to the next one beside the result.
local function answered(id, value, second)
  if host.is_error(second) then
    return nil, second
  elseif second ~= nil then
    host.allow_call(id, second)
  end
  return value
end

local function call(options, id, ...)
  local checked, err = check_id(id)
  if not checked then
    return nil, err
  end
  return answered(id, host.call("funcs.call", request(options, id), ...))
end

local function call_plainly(id, ...)
  local known, value, err = host.call_here(id, ...)
  if not known then
    return call({}, id, ...)
  elseif err ~= nil then
    return nil, err
  end
  return value
end

-- Futures -----------------------------------------------------------------------------------------------------

local function channel_of(self)
  return own(future_of, self, "Future").channel
end

new_future, future_of = host.class("funcs.Future", {
  methods = {
    response = channel_of,
    channel = channel_of,

    is_complete = function(self)
      return own(future_of, self, "Future").complete
    end,

    is_canceled = function(self)
      return own(future_of, self, "Future").canceled
    end,

    result = function(self)
      local state = own(future_of, self, "Future")
      if state.canceled then
        return nil, state.err
      elseif not state.complete then
        return nil, nil
      elseif state.err then
        return nil, state.err
      end
      return state.payload, nil
    end,

    error = function(self)
      local state = own(future_of, self, "Future")
      return state.err, state.err ~= nil
    end,

    cancel = function(self)
      local state = own(future_of, self, "Future")
      if state.complete or state.canceled then
        return true, nil
      end
      state.canceled = true
      state.err = host.error("Canceled", "canceled", nil, false)
      host.call("funcs.cancel", state.key)
      return true, nil
    end,
  },
  tostring = function(self)
    return "funcs.Future{" .. future_of(self).id .. "}"
  end,
})

local serial = 0

local function finish(state, value, err)
  state.complete = true
  if state.canceled then
    err = state.err
  end
  state.err = err
  if not err then
    state.payload = payload.new(value)
  end
  state.channel:send(err or state.payload)
  state.channel:close()
end

local function async(options, id, ...)
  local checked, err = check_id(id)
  if not checked then
    return nil, err
  end
  serial = serial + 1
  local state = {
    id = id, key = "call " .. serial, channel = host.channel(1), complete = false, canceled = false,
  }
  local arguments, count = { ... }, select("#", ...)
  host.spawn(function()
    finish(state, host.call("funcs.call", request(options, id, state.key), table.unpack(arguments, 1, count)))
  end)
  return new_future(state)
end

-- Executors ---------------------------------------------------------------------------------------------------

local function derived(self, name, value)
  local options = {}
  for key, kept in next, own(executor_of, self, "Executor") do
    options[key] = kept
  end
  options[name] = value
  return new_executor(options)
end

-- Actors and scopes are taken only as the objects that the module `security` made. No script can make a value that
-- says "userdata" and shows itself so, and errors, which show any text, are told apart.
local function check_object(value, class, what)
  local shown = type(value) == "userdata" and not host.is_error(value) and tostring(value) or ""
  if shown:sub(1, #class + 1) ~= class .. "{" then
    error(what .. " expects a " .. class .. ": see the module `security`", 3)
  end
  return value
end

new_executor, executor_of = host.class("funcs.Executor", {
  methods = {
    with_context = function(self, values)
      if type(values) ~= "table" then
        error("with_context expects a table of values, got " .. type(values), 2)
      end
      local context = {}
      for key, value in next, own(executor_of, self, "Executor").context or {} do
        context[key] = value
      end
      for key, value in pairs(values) do
        if type(key) ~= "string" then
          return invalid("context keys must be strings")
        end
        context[key] = value
      end
      return derived(self, "context", context)
    end,

    with_actor = function(self, actor)
      return derived(self, "actor", check_object(actor, "security.Actor", "with_actor"))
    end,

    with_scope = function(self, scope)
      return derived(self, "scope", check_object(scope, "security.Scope", "with_scope"))
    end,

    with_options = function(self, options)
      if type(options) ~= "table" then
        error("with_options expects a table, got " .. type(options), 2)
      end
      if options.network ~= nil then -- to pass it over would send by another way than the one asked for
        return nil, host.error("Unavailable", "call option `network` is not available in this version", nil, false)
      end
      local merged = {}
      for key, value in next, own(executor_of, self, "Executor").options or {} do
        merged[key] = value
      end
      for key, value in pairs(options) do
        merged[key] = value
      end
      return derived(self, "options", next(merged) ~= nil and merged or nil)
    end,

    call = function(self, id, ...)
      return call(own(executor_of, self, "Executor"), id, ...)
    end,

    async = function(self, id, ...)
      return async(own(executor_of, self, "Executor"), id, ...)
    end,
  },
})

return {
  call = call_plainly,

  async = function(id, ...)
    return async({}, id, ...)
  end,

  new = function()
    return new_executor({})
  end,
}
