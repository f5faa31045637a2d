-- The scheduler: tasks and the coroutines that they run, in the order in which they became ready. A task is a
-- group of coroutines with one environment; it ends once, with a value or an error, and is then forgotten.
local K = ...
local raw = K.raw
local create, resume, yield, isyieldable = raw.coroutine.create, raw.coroutine.resume, raw.coroutine.yield, raw.coroutine.isyieldable
local error, next, type, format = raw.error, raw.next, raw.type, raw.string.format
local BLOCK, DONE = K.BLOCK, K.DONE

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
  task.serial = task.serial + 1
  local thread = { task = task, co = co, name = task.serial == 1 and "main" or "coroutine " .. task.serial, shut = 0 }
  K.managed[co] = true
  task.threads = task.threads + 1
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
  local task = fields
  task.name, task.alive, task.ready, task.pending, task.said = name, true, 0, 0, 0
  task.threads, task.serial, task.timers = 0, 0, {}
  task.calls, task.next_call, task.subscriptions, task.mail = {}, task.next_call or 0, {}, {}
  task.unwanted = {}
  task.grants = nil -- PIDs that it may send to, each with the epoch of the host's yes
  tasks[name] = task
  return task
end

-- Drops what a task runs without a word to the host; what was sent to it and not received is returned.
function K.drop_task(task)
  task.alive = false
  tasks[task.name] = nil
  for timer in next, task.timers do
    K.cancel_timer(timer)
  end
  local mail = K.unread(task)
  K.release_subscriptions(task)
  K.drop_calls(task)
  K.detach(task)
  task.calls, task.mail, task.env, task.main = {}, {}, nil, nil
  return mail
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

local function settle(thread, ok, signal, value, second)
  local task, condemned, doomed = thread.task, K.condemned, K.doomed
  K.current, K.condemned, K.doomed = nil, nil, nil
  if condemned then
    return K.end_task(doomed or task, nil, condemned)
  elseif not ok then
    return K.end_task(task, nil, K.failure(signal, thread.co, task))
  elseif signal == DONE then
    task.threads = task.threads - 1
    if thread == task.main then
      return finish_main(task, value, second)
    end
  elseif signal ~= BLOCK then
    return K.end_task(task, nil, K.error("Internal", "a coroutine left the scheduler's hands"))
  end
  return K.check_deadlock(task)
end

local function run_thread(thread)
  local a, b, c = thread.a, thread.b, thread.c
  thread.a, thread.b, thread.c = nil, nil, nil
  K.current, K.condemned, K.doomed = thread, nil, nil
  K.begin_slice(thread)
  settle(thread, resume(thread.co, a, b, c))
  if thread.task.ready == 0 then
    thread.task.interrupt = nil -- it came too late: what it was meant for has ended
  end
  if not K.end_slice() then
    -- Over the limit with no garbage left: the task that just ran is the one that fails.
    K.end_task(thread.task, nil, K.memory_error(thread.task))
    raw.collectgarbage("collect")
  end
end

-- Runs ready coroutines until none is left, `most` have run, or what goes to the host has grown large.
function K.run_ready(most)
  while head <= tail and most > 0 and not K.output_is_large() do
    local thread = queue[head]
    queue[head] = nil
    head = head + 1
    if thread and thread.task.alive then
      thread.task.ready = thread.task.ready - 1
      run_thread(thread)
      most = most - 1
    end
  end
  if head > tail then
    head, tail = 1, 0
  end
  return head <= tail
end
