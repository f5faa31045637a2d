-- Tasks that the kernel starts itself, where the host allowed that before (grants.lua): processes, and calls of
-- functions. The host hears of a process at once, before anything that it says. Of a call it hears only when
-- somebody could notice: when it says something to the host, asks for its PID, or sends a message. A call that
-- only computes is never heard of; it ends with its caller.
local K = ...
local raw = K.raw
local select, next, yield, BLOCK = raw.select, raw.next, raw.coroutine.yield, K.BLOCK
local copy_value, copy_values, take_name = K.copy_value, K.copy_values, K.take_name

local MOST_DEPTH, MOST_SPARES = 64, 64
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

local function task_of(parent, name, id)
  return K.new_task(name, {
    id = id, running_seconds = parent.running_seconds, memory_kb = parent.memory_kb,
    values = parent.values, host = parent.host, authority = parent.authority,
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
  local task = task_of(parent, name, id)
  task.told = true
  K.tell(parent)
  K.put_started(task, parent, grant.program, form)
  K.begin(task, program, args)
  thread.sent = thread.sent + 1
  if thread.sent >= K.IN_ONE_GO then
    K.let_others_run(thread)
  end
  return name
end

-- Calls -----------------------------------------------------------------------------------------------------------

-- Tasks that made a call of which nobody heard and left nothing behind: the next calls are made by them.
local spares, spare_count = {}, 0

local function left_nothing(task)
  return task.runner.finished and task.serial == 1 and next(task.timers) == nil and next(task.calls) == nil
    and next(task.subscriptions) == nil and #task.mail == 0 and next(task.unwanted) == nil
    and not (task.grants or task.random or task.interrupted or task.interrupt or task.info) and task.said == 0
end

local function task_for_call(parent, id)
  local task
  if spare_count > 0 then
    task = spares[spare_count]
    spares[spare_count], spare_count = nil, spare_count - 1
    task.id, task.values, task.authority = id, parent.values, parent.authority
    task.running_seconds, task.memory_kb = parent.running_seconds, parent.memory_kb
    task.alive, task.loading, task.ready, task.pending = true, true, 0, 0
    K.tasks[task.name] = task
    return task
  end
  local name = take_name(parent.host)
  return name and task_of(parent, name, id)
end

-- Calls a function: true and what it returned, or true, nil and an error; false where the host must be asked.
function K.call_here(id, ...)
  local thread = K.current
  local parent = thread and thread.task
  local authority = parent and parent.authority
  local grant = authority and authority.epoch == K.epoch and authority.calls[id]
  local program = grant and parent.depth < MOST_DEPTH and K.program(grant.key)
  if not program then
    return false
  end
  K.check_can_wait("`funcs.call`")
  local args, err = copied(select("#", ...), ...)
  if not args then
    return true, nil, err
  end
  local task = task_for_call(parent, id)
  if not task then
    return false
  end
  local call = parent.next_call + 1
  task.depth, task.caller, task.call, task.code = parent.depth + 1, parent, call, grant.program
  parent.next_call, K.own(parent, "calls")[call], parent.pending, thread.callee = call, thread, parent.pending + 1, task
  K.begin_call(task, program, args)
  local first, second, third = yield(BLOCK)
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
  return K.error_at(state.frames, "Internal", "`" .. task.id .. "` gave up: " .. K.error_text(err), details, state.retryable)
end

-- A value or an error as it reaches another task.
local function crossed(task, value, err)
  if err ~= nil then
    err = own_failure(task, err)
    local state = K.error_state(err)
    return nil, copy_value(err) or K.error_at(state.frames, state.kind, raw.string.sub(K.error_text(err), 1, 8000), nil, state.retryable)
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
  if spare_count < MOST_SPARES and left_nothing(task) then
    task.caller, task.program, task.values = nil, nil, nil
    spare_count = spare_count + 1
    spares[spare_count] = task
  end
  if thread then
    value, err = crossed(task, value, err)
    K.received(err, thread.co)
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
