-- Key-value stores. Commands that the host offers; each raises PermissionDenied, and NotFound for a store that is none:
--   call store.get (id) -> {id}   store.info (id) -> {id, backend, consistency, durable, list, versioned, conditional_put, ttl}
--   call store.key.get (id, key) -> {key, value, version}: NotFound where nothing is kept
--   call store.key.set (id, key, value, {ttl?, only_if_absent?, if_version?}) -> {key, value, version}; AlreadyExists, Conflict
--   call store.key.delete | has (id, key) -> boolean
--   call store.key.list (id, {prefix?, after?, limit?}) -> {items, cursor, has_more}
local host = ...

local new_store, state_of

local function invalid(message)
  return nil, host.error("Invalid", message, nil, false)
end

-- Calls a command on the store of `self`; what was released takes no more of them.
local function ask(self, command, ...)
  local state = state_of(self)
  if not state then
    error("call this as a method of a Store, with `:`", 3)
  elseif state.released then
    return invalid("store is released")
  end
  return host.call(command, state.id, ...)
end

local function of_key(self, command, key, ...)
  if type(key) ~= "string" or key == "" then
    return invalid("key must be a string that is not empty")
  end
  return ask(self, command, key, ...)
end

local function options_of(options)
  if options ~= nil and type(options) ~= "table" then
    return invalid("options must be a table, got " .. type(options))
  end
  return options or {}
end

local function put(self, key, value, options)
  if value == nil then
    return invalid("value must not be nil: use delete")
  end
  return of_key(self, "store.key.set", key, value, options)
end

new_store, state_of = host.class("store.Store", {
  methods = {
    get = function(self, key)
      local entry, err = of_key(self, "store.key.get", key)
      if err then
        return nil, err
      end
      return entry.value
    end,

    entry = function(self, key)
      return of_key(self, "store.key.get", key)
    end,

    set = function(self, key, value, ttl)
      local entry, err = put(self, key, value, { ttl = ttl })
      if not entry then
        return nil, err
      end
      return true
    end,

    put = function(self, key, value, options)
      local given, err = options_of(options)
      if not given then
        return nil, err
      end
      return put(self, key, value, given)
    end,

    has = function(self, key)
      return of_key(self, "store.key.has", key)
    end,

    delete = function(self, key)
      return of_key(self, "store.key.delete", key)
    end,

    list = function(self, options)
      local given, err = options_of(options)
      if not given then
        return nil, err
      end
      return ask(self, "store.key.list", given)
    end,

    info = function(self)
      return ask(self, "store.info")
    end,

    release = function(self)
      local state = state_of(self)
      if not state then
        error("call this as a method of a Store, with `:`", 2)
      end
      state.released = true
      return true
    end,
  },
  tostring = function(self)
    return state_of(self).released and "store.Store{released}" or "store.Store{}"
  end,
})

return {
  backend = { MEMORY = "memory", SQL = "sql", KV_RAFT = "kv.raft", KV_CRDT = "kv.crdt", UNKNOWN = "unknown" },
  consistency = { LINEARIZABLE = "linearizable", EVENTUAL = "eventual", LOCAL = "local", UNKNOWN = "unknown" },

  get = function(id)
    if type(id) ~= "string" or id == "" then
      return invalid("store id must be a string that is not empty")
    end
    local found, err = host.call("store.get", id)
    if not found then
      return nil, err
    end
    return new_store({ id = found.id, released = false })
  end,
}
