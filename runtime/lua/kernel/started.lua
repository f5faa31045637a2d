-- Tasks that the kernel starts itself, where the host allowed that before (grants.lua): processes, and calls of
-- functions. The host hears of a process at once, before anything that it says. Of a call it hears only when
-- somebody could notice: when it says something to the host, asks for its PID, or sends a message. A call that
-- only computes is never heard of; it ends with its caller.
local K = ...
local raw = K.raw
local select, isyieldable, next = raw.select, raw.coroutine.isyieldable, raw.next
local copy_value, copy_values, take_name = K.copy_value, K.copy_values, K.take_name

local IN_ONE_GO, MOST_DEPTH = 256, 64
local HERE = {} -- the first result of a wait that ended inside the kernel
local EMPTY = { length = 0 }

-- Copies arguments; most are one plain value or none.
local function copied(length, ...)
  if length == 0 then
    return EMPTY
  end
  local values, err = copy_values({ ... }, length)
  if values then
    values.length = length
  end
  return values, err
end

local function task_of(parent, name, grant, id)
  return K.new_task(name, {
    id = id, loading = true, running_seconds = parent.running_seconds, memory_kb = parent.memory_kb,
    values = parent.values, host = parent.host, authority = parent.authority, depth = 1,
    total_seconds = nil, ends = nil, random = nil, info = nil, caller = nil, call = nil, number = nil, code = nil,
    env = nil, main = nil, required = nil, program = nil,
  })
end

-- Processes -------------------------------------------------------------------------------------------------------

-- Starts a process on this host: its PID, or nil and an error; false where the host must be asked.
function K.spawn_here(form, id, on, ...)
  local thread = K.current
  local parent = thread and thread.task
  local authority = parent and K.authority(parent)
  local forms = authority and authority.spawns[id]
  local grant = forms and forms[form] and forms[form][on]
  local program = grant and K.program(grant.key)
  if not program then
    return false
  end
  local args, err = copied(select("#", ...), ...)
  if not args then
    return nil, err
  end
  local name = take_name(on)
  if not name then
    return false
  end
  local task = task_of(parent, name, grant, id)
  task.told = true
  K.tell(parent)
  K.put_started(task, parent, grant.program, form)
  K.begin(task, program, args)
  thread.sent = (thread.sent or 0) + 1
  if thread.sent >= IN_ONE_GO and thread.shut == 0 and not parent.loading and isyieldable() then
    thread.sent = 0
    K.wake(thread)
    K.park()
  end
  return name
end

-- Calls -----------------------------------------------------------------------------------------------------------

-- Calls a function: true and what it returned, or true, nil and an error; false where the host must be asked.
function K.call_here(id, ...)
  local thread = K.current
  local parent = thread and thread.task
  local authority = parent and K.authority(parent)
  local grant = authority and authority.calls[id]
  local program = grant and parent.depth < MOST_DEPTH and K.program(grant.key)
  if not program then
    return false
  end
  K.check_can_wait("`funcs.call`")
  local args, err = copied(select("#", ...), ...)
  if not args then
    return true, nil, err
  end
  local name, number = take_name(parent.host)
  if not name then
    return false
  end
  local task = task_of(parent, name, grant, id)
  local call = parent.next_call + 1
  task.depth, task.caller, task.call, task.number, task.code = parent.depth + 1, parent, call, number, grant.program
  parent.next_call, parent.calls[call], parent.pending, thread.callee = call, thread, parent.pending + 1, task
  K.begin(task, program, args)
  local first, second, third = K.park()
  if first == HERE then
    return true, second, third
  elseif third then
    return true, nil, third
  end
  return true, first[1]
end

-- Tells the host of a call that it has not heard of, and first of those that wait for it.
function K.tell(task)
  local caller = task.caller
  if caller then
    K.tell(caller)
    caller.calls[task.call].callee = nil
    task.caller, task.told = nil, true
    K.put_started(task, caller, task.code, "call", task.call)
  end
end

-- The nearest task that the host knows: the one that it interrupts or ends when it means this one.
function K.known(task)
  while task.caller do
    task = task.caller
  end
  return task
end

local function own_failure(task, err)
  local state = K.error_state(err)
  if not state or state.kind ~= "Canceled" or task.interrupted then
    return err
  end
  local details = {}
  for key, value in next, state.details or {} do
    details[key] = value
  end
  details.kind = "Canceled"
  return K.error("Internal", "`" .. task.id .. "` gave up: " .. K.error_text(err), details, state.retryable)
end

-- A value or an error as it reaches another task.
local function crossed(task, value, err)
  if err ~= nil then
    err = own_failure(task, err)
    local state = K.error_state(err)
    return nil, copy_value(err) or K.error(state.kind, raw.string.sub(K.error_text(err), 1, 8000), nil, state.retryable)
  end
  local copy, fault = copy_value(value)
  if fault then
    return nil, K.error("Invalid", "result of `" .. task.id .. "`: " .. K.error_text(fault))
  end
  return copy
end

-- Hands the end of a call that the host has not heard of to who waits for it.
function K.answer(task, value, err)
  local caller, call = task.caller, task.call
  local thread = caller.calls[call]
  K.give_back(task.number)
  if thread then
    value, err = crossed(task, value, err)
    caller.calls[call], thread.callee = nil, nil
    caller.pending = caller.pending - 1
    K.wake(thread, HERE, value, err)
  end
end

-- Drops the calls of a task that has ended; those that the host knows are ended by it.
function K.drop_calls(task)
  for _, thread in next, task.calls do
    local callee = thread.callee
    if callee then
      thread.callee = nil
      K.drop_task(callee)
    end
  end
end

-- Stops what a task waits for inside the kernel, as the host stops what it waits for there.
function K.interrupt_calls(task)
  for _, thread in next, task.calls do
    local callee = thread.callee
    if callee then
      callee.interrupted = true
      K.end_task(callee, nil, K.error("Canceled", "interrupted", nil, false))
    end
  end
end
