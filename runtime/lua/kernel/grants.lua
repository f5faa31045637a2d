-- What the host allowed once and needs not be asked for again: messages to any task of this Lua state, processes
-- of this host, calls of functions. A yes was given to an authority (a number that stands for one actor and one
-- scope) under an epoch; with the next epoch, when policies or entries have changed, all of it is forgotten.
--
-- A task has an authority when the host gave it a yes, or when the kernel started it for a task that has one.
local K = ...
local raw = K.raw
local format, type, next = raw.string.format, raw.type, raw.next

local authorities = raw.setmetatable({}, { __mode = "v" })
local first, last = 1, 0 -- numbers of PIDs that no task has

-- Takes what the host says beside its answer to the running task: {authority, epoch, depth, first, last}. Returns
-- the authority, nil where the answer is older than the last change.
local function take(grant)
  if type(grant) ~= "table" or grant.epoch ~= K.epoch then
    return nil
  end
  local number, task = grant.authority, K.current.task
  local authority = authorities[number]
  if not authority then
    authority = { number = number }
    authorities[number] = authority
  end
  if authority.epoch ~= grant.epoch then
    authority.epoch, authority.sends, authority.spawns, authority.calls = grant.epoch, false, {}, {}
  end
  if first > last then
    first, last = grant.first, grant.last
  end
  task.authority, task.depth = authority, grant.depth
  return authority
end

-- What the running task may do without asking, nil where that is nothing.
function K.authority(task)
  local authority = task.authority
  return authority and authority.epoch == K.epoch and authority or nil
end

function K.allow_sends(grant)
  local authority = take(grant)
  if authority then
    authority.sends = authority.epoch
  end
end

-- `form` is the name of the way in which a process is started; the grant holds {key, program} of what is run.
function K.allow_spawn(form, id, on, grant)
  local authority = take(grant)
  if authority then
    local forms = authority.spawns[id] or {}
    authority.spawns[id] = forms
    forms[form] = forms[form] or {}
    forms[form][on] = grant
  end
end

function K.allow_call(id, grant)
  local authority = take(grant)
  if authority then
    authority.calls[id] = grant
  end
end

-- From now on the task asks for everything, until the host gives it a yes again.
function K.withhold(task)
  task.authority = nil
end

-- A PID that no other task has, nil when the host must give numbers first.
function K.take_name(host)
  if first > last then
    return nil
  end
  first = first + 1
  return format("{%s|0x%05x}", host, first - 1)
end
