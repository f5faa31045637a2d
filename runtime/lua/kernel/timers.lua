-- Timers: a binary heap by due time. A timer belongs to a task and counts as pending work of that task, so that
-- a task that waits for one is not taken for deadlocked. Canceled timers stay in the heap until they are half of it.
local K = ...
local floor = K.raw.math.floor

local heap, size, dead, order = {}, 0, 0, 0

local function before(a, b)
  return a.at < b.at or (a.at == b.at and a.order < b.order)
end

local function sift_up(index)
  local item = heap[index]
  while index > 1 do
    local parent = index // 2
    if not before(item, heap[parent]) then
      break
    end
    heap[index] = heap[parent]
    index = parent
  end
  heap[index] = item
end

local function sift_down(index)
  local item = heap[index]
  while true do
    local child = index * 2
    if child > size then
      break
    end
    if child < size and before(heap[child + 1], heap[child]) then
      child = child + 1
    end
    if not before(heap[child], item) then
      break
    end
    heap[index] = heap[child]
    index = child
  end
  heap[index] = item
end

local function pop()
  local first = heap[1]
  heap[1] = heap[size]
  heap[size] = nil
  size = size - 1
  if size > 0 then
    sift_down(1)
  end
  return first
end

local function rebuild()
  local live, kept = {}, 0
  for index = 1, size do
    if heap[index].action then
      kept = kept + 1
      live[kept] = heap[index]
    end
  end
  heap, size, dead = live, kept, 0
  for index = floor(size / 2), 1, -1 do
    sift_down(index)
  end
end

-- Calls `action(argument)` after `seconds`, once, between two stretches of running. Returns the timer.
function K.start_timer(task, seconds, action, argument)
  order = order + 1
  local timer = { at = K.now() + seconds, order = order, action = action, argument = argument, task = task }
  size = size + 1
  heap[size] = timer
  sift_up(size)
  task.pending = task.pending + 1
  K.own(task, "timers")[timer] = true
  return timer
end

-- Returns whether the timer was still running.
function K.cancel_timer(timer)
  if not timer.action then
    return false
  end
  -- It may stay in the heap for long, and must not keep its task alive there.
  local task = timer.task
  timer.action, timer.argument, timer.task = nil, nil, nil
  task.pending = task.pending - 1
  task.timers[timer] = nil
  dead = dead + 1
  if dead > 64 and dead * 2 > size then
    rebuild()
  end
  return true
end

-- Runs what is due. An action that fails ends its task.
function K.run_timers(moment)
  while size > 0 and (not heap[1].action or heap[1].at <= moment) do
    local timer = pop()
    local action, task = timer.action, timer.task
    if not action then
      dead = dead - 1
    else
      timer.action, timer.task = nil, nil
      task.pending = task.pending - 1
      task.timers[timer] = nil
      local ok, err = K.raw.pcall(action, timer.argument)
      if not ok then
        K.end_task(task, nil, K.failure(err, nil, task))
      elseif task.alive then
        K.check_deadlock(task)
      end
    end
  end
end

-- When the next timer is due, nil when there is none.
function K.next_timer()
  while size > 0 and not heap[1].action do
    pop()
    dead = dead - 1
  end
  return size > 0 and heap[1].at or nil
end
