-- Contracts. Commands that the host offers; each raises what policy refuses and NotFound:
--   call contract.get (id) -> {id, methods: {name, description, ...}[]}
--   call contract.find_implementations (id) -> ids of the bindings of a contract
--   call contract.builder ({context?, actor?, scope?}) -> true: whether these may be carried
--   call contract.open ({contract?, binding?, context?, query?, actor?, scope?}) -> {binding, contracts: ids, methods: names}
--   call contract.call ({binding, method, key?, context?, query?, actor?, scope?, options?}, argument...) -> its result
--   call contract.cancel (key) -> boolean
local host = ...
local payload = payload -- the ambient module

local new_contract, contract_of
local new_instance, instance_of
local new_future, future_of

local function invalid(message)
  return nil, host.error("Invalid", message, nil, false)
end

local function own(state_of, self, name)
  local state = state_of(self)
  if not state then
    error("call this as a method of " .. name .. ", with `:`", 3)
  end
  return state
end

local function derived(state, name, value)
  local copy = {}
  for key, kept in next, state do
    copy[key] = kept
  end
  copy[name] = value
  return copy
end

-- Futures ---------------------------------------------------------------------------------------------------------

local function channel_of(self)
  return own(future_of, self, "Future").channel
end

new_future, future_of = host.class("contract.Future", {
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
      if state.err then
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
      if not state.complete and not state.canceled then
        state.canceled = true
        state.err = host.error("Canceled", "canceled", nil, false)
        host.call("contract.cancel", state.key)
      end
      return true, nil
    end,
  },
})

local function finish(state, value, err)
  state.complete = true
  err = state.canceled and state.err or err
  state.err = err
  if not err then
    state.payload = payload.new(value)
  end
  state.channel:send(err or state.payload)
  state.channel:close()
end

-- Instances -------------------------------------------------------------------------------------------------------

local function request(state, method, key)
  local carried = state.carried
  return {
    binding = state.binding, method = method, key = key, context = carried.context, query = carried.query,
    actor = carried.actor, scope = carried.scope, options = carried.options,
  }
end

local serial = 0

local function async(state, method, ...)
  serial = serial + 1
  local future = { key = "contract " .. serial, channel = host.channel(1), complete = false, canceled = false }
  local arguments, count = { ... }, select("#", ...)
  host.spawn(function()
    finish(future, host.call("contract.call", request(state, method, future.key), table.unpack(arguments, 1, count)))
  end)
  return new_future(future)
end

-- The methods of an instance are those of its contracts; `name_async` is the same in the background.
new_instance, instance_of = host.class("contract.Instance", {
  index = function(self, name)
    local state = instance_of(self)
    if not state or type(name) ~= "string" then
      return nil
    end
    local plain = state.methods[name] and name or name:match("^(.*)_async$")
    if not plain or not state.methods[plain] then
      return nil
    end
    return function(called, ...)
      local found = own(instance_of, called, "the instance")
      if plain ~= name then
        return async(found, plain, ...)
      end
      return host.call("contract.call", request(found, plain), ...)
    end
  end,
})

-- `binding?a=1&b=true`: what stands behind the question mark are context values.
local function split(id)
  local binding, query = id:match("^([^?]*)%?(.*)$")
  return binding or id, query
end

local function open(carried, contract, id, scope, options)
  if id ~= nil and (type(id) ~= "string" or id == "") then
    return invalid("binding ID required")
  elseif id == nil and contract == nil then
    return invalid("binding ID required")
  elseif scope ~= nil and type(scope) ~= "table" then
    return invalid("context of a binding must be a table of values")
  elseif options ~= nil and type(options) ~= "table" then
    return invalid("options must be a table")
  end
  local binding, query
  if id then
    binding, query = split(id)
  end
  local context
  if scope or carried.context then
    context = {}
    for _, values in ipairs { carried.context or {}, scope or {} } do
      for key, value in pairs(values) do
        if type(key) ~= "string" then
          return invalid("context keys must be strings")
        end
        context[key] = value
      end
    end
  end
  local given = {
    context = context, query = query, actor = carried.actor, scope = carried.scope,
    options = options and next(options) ~= nil and options or carried.options,
  }
  local opened, err = host.call("contract.open", {
    contract = contract, binding = binding, context = context, query = query, actor = carried.actor,
    scope = carried.scope, options = given.options,
  })
  if not opened then
    return nil, err
  end
  local methods, contracts = {}, {}
  for _, name in ipairs(opened.methods) do
    methods[name] = true
  end
  for _, each in ipairs(opened.contracts) do
    contracts[each] = true
  end
  return new_instance({ binding = opened.binding, methods = methods, contracts = contracts, carried = given })
end

-- Contracts -------------------------------------------------------------------------------------------------------

local function check_object(value, class, what)
  local shown = type(value) == "userdata" and not host.is_error(value) and tostring(value) or ""
  if shown:sub(1, #class + 1) ~= class .. "{" then
    error(what .. " expects a " .. class .. ": see the module `security`", 3)
  end
  return value
end

local function carrying(state, name, value)
  local carried = derived(state.carried, name, value)
  local ok, err = host.call("contract.builder", { context = carried.context, actor = carried.actor, scope = carried.scope })
  if not ok then
    return nil, err
  end
  return new_contract(derived(state, "carried", carried))
end

local function copy(value)
  if type(value) ~= "table" then
    return value
  end
  local result = {}
  for key, item in next, value do
    result[key] = copy(item)
  end
  return result
end

new_contract, contract_of = host.class("contract.Contract", {
  methods = {
    id = function(self)
      return own(contract_of, self, "Contract").id
    end,
    methods = function(self)
      return copy(own(contract_of, self, "Contract").methods)
    end,
    method = function(self, name)
      local state = own(contract_of, self, "Contract")
      for _, method in ipairs(state.methods) do
        if method.name == name then
          return copy(method)
        end
      end
      return nil, host.error("NotFound", "contract `" .. state.id .. "` has no method `" .. tostring(name) .. "`", nil, false)
    end,
    implementations = function(self)
      return host.call("contract.find_implementations", own(contract_of, self, "Contract").id)
    end,
    open = function(self, binding, scope, options)
      local state = own(contract_of, self, "Contract")
      return open(state.carried, state.id, binding, scope, options)
    end,
    with_context = function(self, values)
      local state = own(contract_of, self, "Contract")
      if type(values) ~= "table" then
        error("with_context expects a table of values, got " .. type(values), 2)
      end
      local context = copy(state.carried.context or {})
      for key, value in pairs(values) do
        if type(key) ~= "string" then
          return invalid("context keys must be strings")
        end
        context[key] = value
      end
      return carrying(state, "context", context)
    end,
    with_actor = function(self, actor)
      return carrying(own(contract_of, self, "Contract"), "actor", check_object(actor, "security.Actor", "with_actor"))
    end,
    with_scope = function(self, scope)
      return carrying(own(contract_of, self, "Contract"), "scope", check_object(scope, "security.Scope", "with_scope"))
    end,
    with_options = function(self, options)
      local state = own(contract_of, self, "Contract")
      if type(options) ~= "table" then
        error("with_options expects a table, got " .. type(options), 2)
      end
      local merged = copy(state.carried.options or {})
      for key, value in pairs(options) do
        merged[key] = value
      end
      local carried = derived(state.carried, "options", next(merged) ~= nil and merged or nil)
      return new_contract(derived(state, "carried", carried))
    end,
  },
})

return {
  get = function(id)
    if type(id) ~= "string" or id == "" then
      return invalid("contract ID required")
    end
    local found, err = host.call("contract.get", id)
    if not found then
      return nil, err
    end
    return new_contract({ id = found.id, methods = found.methods, carried = {} })
  end,

  open = function(binding, scope, options)
    return open({}, nil, binding, scope, options)
  end,

  find_implementations = function(id)
    if type(id) ~= "string" or id == "" then
      return invalid("contract ID required")
    end
    return host.call("contract.find_implementations", id)
  end,

  is = function(instance, contract)
    local state = instance ~= nil and instance_of(instance)
    if not state then
      error("contract.is expects an instance that contract.open gave", 2)
    end
    return state.contracts[contract] == true
  end,
}
