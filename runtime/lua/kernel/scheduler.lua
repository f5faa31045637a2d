-- The scheduler: tasks and the coroutines that they run, in the order in which they became ready. A task is a
-- group of coroutines with one environment; it ends once, with a value or an error, and is then forgotten.
local K = ...
local raw = K.raw
local create, resume, yield, isyieldable = raw.coroutine.create, raw.coroutine.resume, raw.coroutine.yield, raw.coroutine.isyieldable
local error, next, type, format = raw.error, raw.next, raw.type, raw.string.format
local BLOCK, DONE = K.BLOCK, K.DONE

-- What a task has none of yet. Nothing is ever put into it.
local NONE = raw.setmetatable({}, { __newindex = function()
  error("the tables of a task are shared until it has its own", 2)
end })
local tasks = {}
local queue, head, tail = {}, 1, 0

K.tasks = tasks

-- Puts a coroutine at the end of the ready queue; it goes on with the values a, b and c.
local function wake(thread, a, b, c)
  local task = thread.task
  if not task.alive then
    return
  end
  thread.a, thread.b, thread.c = a, b, c
  queue[tail + 1] = thread
  tail = tail + 1
  task.ready = task.ready + 1
end
K.wake = wake

-- Starts a coroutine of a task. `body` runs inside it; its results are what the coroutine ends with.
function K.start_thread(task, body, a, b, c)
  local co = create(body)
  K.arm(co)
  task.serial, task.threads = task.serial + 1, task.threads + 1
  local thread = {
    task = task, co = co, serial = task.serial, shut = 0, sent = 0,
    a = nil, b = nil, c = nil, value = nil, callee = nil, ran = nil, finished = nil, -- room for what comes and goes
  }
  wake(thread, a, b, c)
  return thread
end

-- Raises unless the running coroutine may wait here; `what` names the call for the message.
local function check_can_wait(what)
  local thread = K.current
  if not thread then
    error(what .. " can not wait here: no task runs", 0)
  end
  if thread.task.loading then
    error(what .. " can not wait while a chunk loads: call it inside a function", 3)
  end
  if thread.shut > 0 or not isyieldable() then
    error(what .. " can not wait inside a callback of table.sort or string.gsub, a __tostring, or a __close", 3)
  end
  return thread
end
K.check_can_wait = check_can_wait

-- Waits until somebody wakes the running coroutine; returns the values that it was woken with.
function K.park()
  return yield(BLOCK)
end

-- `fields` hold at least id, running_seconds and memory_kb; `told` where the host knows of the task.
function K.new_task(name, fields)
  local task = {
    id = fields.id, host = fields.host, told = fields.told, loading = true, values = fields.values, info = fields.info,
    running_seconds = fields.running_seconds, total_seconds = fields.total_seconds, ends = fields.ends,
    memory_kb = fields.memory_kb, kept_as = fields.kept_as, authority = fields.authority, depth = fields.depth or 1,
    name = name, alive = true, ready = 0, pending = 0, said = 0, threads = 0, serial = 0, next_call = fields.next_call or 0,
    timers = NONE, calls = NONE, subscriptions = NONE, mail = NONE, unwanted = NONE, -- see K.own
    caller = nil, call = nil, code = nil, program = nil, required = nil, env = nil, main = nil, runner = nil,
  }
  tasks[name] = task
  return task
end

-- The table of a task's field, its own: until something is put into it, all tasks share an empty one.
function K.own(task, field)
  local found = task[field]
  if found == NONE then
    found = {}
    task[field] = found
  end
  return found
end

-- Drops what a task runs without a word to the host.
function K.drop_task(task)
  task.alive = false
  tasks[task.name] = nil
  for timer in next, task.timers do
    K.cancel_timer(timer)
  end
  K.release_subscriptions(task)
  K.drop_calls(task)
  K.detach(task)
  task.calls, task.mail, task.env, task.main = NONE, NONE, nil, nil
end

-- Ends a task once: its coroutines are dropped, never closed, and its end is told to the host, or to who called it
-- where the host has not heard of it.
function K.end_task(task, value, err)
  if not task.alive then
    return
  end
  K.drop_task(task)
  if task.caller then
    return K.answer(task, value, err)
  end
  K.put_exited(task, value, err)
end

-- A task whose coroutines all wait, and wait for nothing that could come, would wait for ever.
function K.check_deadlock(task)
  if task.alive and task.ready == 0 and task.pending == 0 and task.threads > 0 then
    K.end_task(task, nil, K.error("Internal", format(
      "deadlock: all coroutines blocked with no pending operations (threads=%d)", task.threads)))
  end
end

local function finish_main(task, value, second)
  if type(second) == "string" then
    return K.end_task(task, nil, K.error("Internal", second))
  elseif K.is_error(second) then
    return K.end_task(task, nil, second)
  end
  K.keep_environment(task)
  return K.end_task(task, value, nil)
end

local function settle(thread, task, ok, signal, value, second)
  local condemned = K.condemned
  K.current = nil
  if condemned then
    local doomed = K.doomed
    K.condemned, K.doomed = nil, nil
    return K.end_task(doomed or task, nil, condemned)
  elseif not ok then
    return K.end_task(task, nil, K.failure(signal, thread.co, task))
  elseif signal == BLOCK then
    if task.ready == 0 and task.pending == 0 then
      return K.check_deadlock(task)
    end
    return
  elseif signal ~= DONE then
    return K.end_task(task, nil, K.error("Internal", "a coroutine left the scheduler's hands"))
  end
  task.threads = task.threads - 1
  if thread == task.main then
    thread.finished = true
    return finish_main(task, value, second)
  end
  return K.check_deadlock(task)
end

local function run_thread(thread, task)
  local a, b, c = thread.a, thread.b, thread.c
  thread.a, thread.b, thread.c = nil, nil, nil
  K.current, K.condemned = thread, nil
  K.begin_slice(thread)
  settle(thread, task, resume(thread.co, a, b, c))
  if task.ready == 0 then
    task.interrupt = nil -- it came too late: what it was meant for has ended
  end
  if not K.end_slice() then
    -- Over the limit with no garbage left: the task that just ran is the one that fails.
    K.end_task(task, nil, K.memory_error(task))
    raw.collectgarbage("collect")
  end
end

-- Runs ready coroutines until none is left, `most` have run, or what goes to the host has grown large.
function K.run_ready(most)
  while head <= tail and most > 0 and not K.output_is_large() do
    local thread = queue[head]
    queue[head] = nil
    head = head + 1
    local task = thread.task
    if task.alive then
      task.ready = task.ready - 1
      run_thread(thread, task)
      most = most - 1
    end
  end
  if head > tail then
    head, tail = 1, 0
  end
  return head <= tail
end
