-- The registry. Commands that the host offers; an entry is {id, kind, meta, data}, a version of the registry is
-- described by {id: integer, previous: integer | nil, next: integer | nil}:
--   call registry.get {id, version?} -> entry; raises NotFound, PermissionDenied
--   call registry.find {filter, version?} -> array of the entries that fit and that the caller may see
--   call registry.entries {version?} -> array of entries
--   call registry.namespace {namespace, version?} -> array of entries
--   call registry.version {id?} -> description of that version, of the current one without an id; raises NotFound
--   call registry.versions () -> array of descriptions
--   call registry.apply {ops: array of {kind: "create" | "update" | "delete", entry}, base_version} -> description
--   call registry.apply_version {id} -> true
--   call registry.delta {from: array of entries, to: array of entries} -> array of {kind: "entry.create", ..., entry}
local host = ...

local MAX_OPS = 1000

local new_version, version_of
local new_snapshot, snapshot_of
local new_changes, changes_of
local new_history

local function invalid(message)
  return nil, host.error("Invalid", message, nil, false)
end

local function self_of(state_of, self, name)
  local state = state_of(self)
  if not state then
    error("call this as a method of " .. name .. ", with `:`", 3)
  end
  return state
end

local function text(value, what)
  if type(value) ~= "string" then
    error(what .. " must be a string, got " .. type(value), 3)
  end
  return value
end

local function split(id)
  local namespace, name = id:match("^([^:]*):(.*)$")
  return namespace or "", name or id
end

local function filter_of(filter)
  if filter ~= nil and type(filter) ~= "table" then
    error("filter must be a table, got " .. type(filter), 3)
  end
  return filter or {}
end

-- Versions ----------------------------------------------------------------------------------------------------

local function describe(id)
  local found, err = host.call("registry.version", { id = id })
  if not found then
    return nil, err
  end
  return new_version(found)
end

new_version, version_of = host.class("registry.Version", {
  methods = {
    id = function(self)
      return self_of(version_of, self, "Version").id
    end,
    string = function(self)
      return "v" .. self_of(version_of, self, "Version").id
    end,
    previous = function(self)
      local previous = self_of(version_of, self, "Version").previous
      return previous and describe(previous) or nil
    end,
    next = function(self)
      -- A later version may have come since this object was made, so the host is asked again.
      local fresh = host.call("registry.version", { id = self_of(version_of, self, "Version").id })
      local following = fresh and fresh.next
      return following and describe(following) or nil
    end,
  },
  tostring = function(self)
    return "registry.Version{v" .. version_of(self).id .. "}"
  end,
  eq = function(a, b)
    local left, right = version_of(a), version_of(b)
    return left ~= nil and right ~= nil and left.id == right.id
  end,
  data = function(state)
    return state.id
  end,
})

local function version_number(value, lowest)
  local state = value ~= nil and version_of(value) or nil
  local number = state and state.id or (type(value) == "number" and math.tointeger(value) or nil)
  if not number or number < lowest then
    return invalid("invalid version ID")
  end
  return number
end

local function all_versions()
  local found, err = host.call("registry.versions")
  if not found then
    return nil, err
  end
  local versions = {}
  for index, description in ipairs(found) do
    versions[index] = new_version(description)
  end
  return versions
end

-- Changes -----------------------------------------------------------------------------------------------------

-- A copy of an entry as given, its id as text; else nil and an error.
local function read_entry(entry)
  if type(entry) ~= "table" then
    return invalid("entry must be a table, got " .. type(entry))
  end
  local id = entry.id
  if type(id) == "table" and type(id.ns) == "string" and type(id.name) == "string" then
    id = id.ns .. ":" .. id.name
  end
  if type(id) ~= "string" or id == "" then
    return invalid("entry must have valid id field")
  end
  if type(entry.kind) ~= "string" or entry.kind == "" then
    return invalid("entry must have kind field")
  end
  return { id = id, kind = entry.kind, meta = entry.meta or {}, data = entry.data == nil and {} or entry.data }
end

local function add(self, kind, entry)
  local state = self_of(changes_of, self, "Changes")
  if #state.ops >= MAX_OPS then
    return invalid("a changeset holds at most " .. MAX_OPS .. " operations")
  end
  state.ops[#state.ops + 1] = { kind = kind, entry = entry }
  return self
end

local function with_entry(kind)
  return function(self, entry)
    local read, err = read_entry(entry)
    if not read then
      return nil, err
    end
    return add(self, kind, read)
  end
end

new_changes, changes_of = host.class("registry.Changes", {
  methods = {
    create = with_entry("create"),
    update = with_entry("update"),
    delete = function(self, id)
      if type(id) == "table" and type(id.ns) == "string" and type(id.name) == "string" then
        id = id.ns .. ":" .. id.name
      end
      if type(id) ~= "string" or id == "" then
        return invalid("invalid ID format")
      end
      return add(self, "delete", { id = id })
    end,
    ops = function(self)
      local ops = {}
      for index, op in ipairs(self_of(changes_of, self, "Changes").ops) do
        local entry = {}
        for key, value in next, op.entry do
          entry[key] = value
        end
        ops[index] = { kind = "entry." .. op.kind, entry = entry }
      end
      return ops
    end,
    apply = function(self)
      local state = self_of(changes_of, self, "Changes")
      if #state.ops == 0 then
        return invalid("no changes to apply")
      end
      local found, err = host.call("registry.apply", { ops = state.ops, base_version = state.base })
      if not found then
        return nil, err
      end
      state.ops, state.base = {}, found.id
      return new_version(found)
    end,
  },
  tostring = function(self)
    return "registry.Changes{ops=" .. #changes_of(self).ops .. "}"
  end,
})

-- Snapshots ---------------------------------------------------------------------------------------------------

new_snapshot, snapshot_of = host.class("registry.Snapshot", {
  methods = {
    entries = function(self)
      return host.call("registry.entries", { version = self_of(snapshot_of, self, "Snapshot").id })
    end,
    get = function(self, id)
      local state = self_of(snapshot_of, self, "Snapshot")
      return host.call("registry.get", { id = text(id, "entry id"), version = state.id })
    end,
    find = function(self, filter)
      local state = self_of(snapshot_of, self, "Snapshot")
      return host.call("registry.find", { filter = filter_of(filter), version = state.id })
    end,
    namespace = function(self, namespace)
      local state = self_of(snapshot_of, self, "Snapshot")
      return host.call("registry.namespace", { namespace = text(namespace, "namespace"), version = state.id })
    end,
    version = function(self)
      return new_version(self_of(snapshot_of, self, "Snapshot"))
    end,
    changes = function(self)
      return new_changes({ base = self_of(snapshot_of, self, "Snapshot").id, ops = {} })
    end,
  },
  tostring = function(self)
    return "registry.Snapshot{version=" .. snapshot_of(self).id .. "}"
  end,
})

local function snapshot(id)
  local found, err = host.call("registry.version", { id = id })
  if not found then
    return nil, err
  end
  return new_snapshot(found)
end

local function snapshot_at(value, lowest)
  local number, err = version_number(value, lowest)
  if not number then
    return nil, err
  end
  return snapshot(number)
end

new_history = host.class("registry.History", {
  methods = {
    versions = function()
      return all_versions()
    end,
    get_version = function(_, id)
      local number, err = version_number(id, 0)
      if not number then
        return nil, err
      end
      return describe(number)
    end,
    snapshot_at = function(_, version)
      if version == nil or not version_of(version) then
        return invalid("expected version object")
      end
      return snapshot_at(version, 0)
    end,
  },
  tostring = function()
    return "registry.History{}"
  end,
})

return {
  get = function(id)
    return host.call("registry.get", { id = text(id, "entry id") })
  end,

  find = function(filter)
    return host.call("registry.find", { filter = filter_of(filter) })
  end,

  parse_id = function(id)
    local namespace, name = split(text(id, "entry id"))
    return { ns = namespace, name = name }
  end,

  snapshot = function()
    return snapshot(nil)
  end,

  snapshot_at = function(id)
    return snapshot_at(id, 1)
  end,

  current_version = function()
    return describe(nil)
  end,

  versions = all_versions,

  history = function()
    return new_history({})
  end,

  apply_version = function(version)
    local number, err = version_number(version, 0)
    if not number then
      return nil, err
    end
    return host.call("registry.apply_version", { id = number })
  end,

  build_delta = function(from, to)
    if type(from) ~= "table" or type(to) ~= "table" then
      error("build_delta expects two arrays of entries", 2)
    end
    return host.call("registry.delta", { from = host.array(from), to = host.array(to) })
  end,
}
