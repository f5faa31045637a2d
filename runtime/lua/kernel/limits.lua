-- Limits that a script can not outlive. A count hook looks at the clock and the heap; what it condemns leaves by
-- yielding KILL to the scheduler, or, where it can not yield, by an error that no sandbox function hands over.
-- A count hook belongs to one coroutine, so the kernel arms it on every coroutine there is - but only where there
-- is no bell: where there is, sources hold looks at it (guard.py), and nothing is armed before somebody is condemned.
local K = ...
local raw = K.raw
local error, collect, clock, next = raw.error, raw.collectgarbage, raw.clock, raw.next
local sethook, getinfo = raw.debug.sethook, raw.debug.getinfo
local getupvalue, upvaluejoin, upvalueid = raw.debug.getupvalue, raw.debug.upvaluejoin, raw.debug.upvalueid
local yield, isyieldable, running = raw.coroutine.yield, raw.coroutine.isyieldable, raw.coroutine.running
local sub, gsub, format = raw.string.sub, raw.string.gsub, raw.string.format
local KILL, KERNEL = K.KILL, K.KERNEL

local COUNT, SLOW_COUNT = 1000, 50 -- instructions between two looks; the second where instructions are slow
local KERNEL_COUNT = 100 -- instructions that the kernel goes on for at a time in a condemned coroutine
local LOOK, SLOW = 0.02, 0.002 -- seconds of CPU between two looks at Python's clock; a slow stretch of COUNT
-- How a source with looks begins and ends, and a look: see guard.py.
local HEAD, TAIL = "local __bell, __look = ... return function(...) local _ENV = _ENV ", "\nend"
local LOOK_TEXT = " if __bell then __look%(%) end "
local CHARGE = 1000000 -- work done inside C functions, in bytes or items, between two looks

local hooked = true
local looks = false -- whether all code that runs looks at the bell by itself
local bell = false -- set from outside, by a thread of the host
local soft_kb = 64 * 1024
local next_look, last_hook = 0, nil
local mark = 0 -- the number of the program that runs, for who looks from outside
local slow = {} -- coroutines that are armed at SLOW_COUNT
raw.setmetatable(slow, { __mode = "k" })
local spent = 0
local slice_started
local limit_kb = soft_kb -- of the heap, for the coroutine that runs now

-- Why the running coroutine is condemned (an error object), else nil; and the task that ends, where it is not its own.
K.condemned, K.doomed = nil, nil

function K.set_limits(use_hooks, memory_bytes, has_bell)
  looks = has_bell or false
  hooked, soft_kb, limit_kb = use_hooks, memory_bytes / 1024, memory_bytes / 1024
end

-- Counts the changes of policies: what the host allowed under another number must be asked for again.
K.epoch = 0

-- Python's monotonic clock, in seconds. Its answer also tells what the host wants of the running task, or of the one
-- that it works for (1 to interrupt it, 2 to end it), and the epoch of its policies.
local function now()
  local seconds, wish
  local task = K.current and K.known(K.current.task)
  seconds, wish, K.epoch = raw.string.unpack("<dBI4", K.python("clock", task and task.name or ""))
  if wish == 1 and task then
    task.interrupt = true
    K.withhold(task)
  elseif wish == 2 and task then
    task.killed = true
  end
  return seconds
end
K.now = now

local hook

-- Ends the running coroutine and its task: from now on nothing of the script runs.
local function condemn(err)
  if not K.condemned then
    K.condemned = err
    sethook(hook, "", 1)
  end
end
K.condemn = condemn

-- Leaves for good. Where the coroutine can not yield, the error passes the C function that is in the way, and the
-- next sandbox function on the way out leaves in turn.
local function leave()
  if isyieldable() then
    yield(KILL)
  end
  sethook(hook, "", 1)
  error(KILL, 0)
end
K.leave = leave

-- Whether the task that the running one works for was ended or interrupted: what it waits for ends then.
local function is_unwanted(task)
  local known = K.known(task)
  if known.killed then
    K.doomed = known
    condemn(K.error("Canceled", format("`%s` was ended by the host", known.id)))
    return true
  elseif known ~= task and known.interrupt then
    known.interrupt = nil
    while task.caller ~= known do
      task = task.caller
    end
    K.doomed, task.interrupted = task, true
    condemn(K.error("Canceled", "interrupted", nil, false))
    return true
  end
  return false
end

local function check_clock()
  local thread = K.current
  local moment = now()
  if not thread then
    return
  end
  local task = thread.task
  slice_started = slice_started or moment
  if is_unwanted(task) then
    return
  elseif moment - slice_started > task.running_seconds then
    condemn(K.error("Timeout", format(
      "`%s` ran for more than %g s without waiting: do less at a time, or wait in between", task.id, task.running_seconds)))
  elseif task.ends and moment > task.ends then
    condemn(K.error("Timeout", format("`%s` took longer than %g s", task.id, task.total_seconds)))
  end
end

local function memory_error(task)
  return K.error("Internal", format("`%s` uses more memory than it may: keep less at a time", task.id))
end

-- Condemns the running task when the heap is over its limit and no garbage is left to collect.
local function check_memory(needed_kb)
  if collect("count") + needed_kb <= limit_kb then
    return
  end
  collect("collect")
  local thread = K.current
  if collect("count") + needed_kb > limit_kb and thread then
    condemn(memory_error(thread.task))
  end
end

-- A thousand instructions can be a thousand long strings compared: where they are slow, look more often.
local function adapt(used)
  local taken = last_hook and used - last_hook or 0
  last_hook = used
  if taken > SLOW then
    local co = running()
    if not slow[co] then
      slow[co] = true
      sethook(hook, "", SLOW_COUNT)
    end
  elseif next(slow) and taken < SLOW / 40 then
    local co = running()
    if slow[co] then
      slow[co] = nil
      sethook(hook, "", COUNT)
    end
  end
end

function hook()
  if K.condemned then
    -- Kernel frames finish what they do, everything else ends here. A look at each instruction would make the
    -- kernel's own loops slow, so it is left alone for a while.
    if sub(getinfo(2, "S").source, 1, #KERNEL) == KERNEL then
      return sethook(hook, "", KERNEL_COUNT)
    end
    error(KILL, 0)
  end
  local used = clock()
  adapt(used)
  if used >= next_look then
    next_look = used + LOOK
    check_clock()
    local thread = K.current
    if thread and thread.task.interrupt and not K.condemned then
      if sub(getinfo(2, "S").source, 1, #KERNEL) ~= KERNEL then
        thread.task.interrupt = false
        error(K.error("Canceled", "interrupted"), 0)
      end
    end
  end
  if collect("count") > limit_kb then
    check_memory(0)
  end
end

local function bell_holder()
  return bell
end

-- Sets the bell unless `value` is nil; returns where it is and what it is.
function K.bell(value)
  if value ~= nil then
    bell = value
  end
  return format("%p", upvalueid(bell_holder, 1)), bell
end

-- Lets a function that was loaded with looks see this bell.
function K.join(fn)
  for index = 1, 255 do
    local name = getupvalue(fn, index)
    if not name then
      return
    elseif name == "__bell" then
      return upvaluejoin(fn, index, bell_holder, 1)
    end
  end
end

-- Sets the mark unless `value` is nil; returns where it is and what it is.
local function mark_holder()
  return mark
end
function K.mark(value)
  if value ~= nil then
    mark = value
  end
  return format("%p", upvalueid(mark_holder, 1)), mark
end

-- Tells where the running script is, before what may keep it there: the function of the sandbox that it calls, if it
-- is in one, and its line. The host can name them while Lua answers nothing.
local function tell_place(level)
  if not hooked then
    return -- nobody asks: what runs on is killed from outside
  end
  local name
  for at = level, level + 6 do
    local info = getinfo(at, "Sln")
    if not info then
      return
    elseif sub(info.source, 1, 1) == "@" then
      K.python("place", (name and format("`%s` at ", name) or "") .. sub(info.source, 2) .. ":" .. info.currentline)
      return
    end
    name = info.name or name
  end
end

-- What code that looks does when the bell was rung. Who is condemned leaves here: where a look takes longer than the
-- time between two of them, the hook, which is armed too, would find none but kernel frames.
function K.look_inside()
  bell = false
  if not K.condemned then
    check_clock()
    tell_place(3)
    if collect("count") > limit_kb then
      check_memory(0)
    end
  end
  local thread = K.current
  if K.condemned and thread then
    leave()
  elseif thread and thread.task.interrupt then
    thread.task.interrupt = false
    error(K.error("Canceled", "interrupted"), 0)
  end
end

-- Loads a source, with looks at the bell where it has them. One whose looks are too much for it (a function may
-- hold so many locals and upvalues) is loaded without, and then hooks watch again.
function K.load(source, name, env)
  if sub(source, 1, #HEAD) == HEAD then
    local code = raw.load(source, name, "t", env)
    if code then
      code = code(nil, K.look_inside)
      K.join(code)
      return code
    end
    source = gsub(sub(source, #HEAD + 1, -#TAIL - 1), LOOK_TEXT, "")
  end
  looks = false
  return raw.load(source, name, "t", env)
end

-- Arms the hook on a coroutine that will run script code.
function K.arm(co)
  if hooked and not looks then
    sethook(co, hook, "", COUNT)
  end
end

-- Called by the scheduler around each stretch of running. What a task may add to the heap counts from here. A
-- coroutine that waited only for its output to drain goes on with the time that it had run.
function K.begin_slice(thread)
  slice_started, last_hook, spent = nil, nil, 0
  mark = thread.task.number or 0
  if thread.ran then
    slice_started, thread.ran = now() - thread.ran, nil
    bell = true -- each of its stretches may be too short for the host to ring
  end
  local own_limit = collect("count") + thread.task.memory_kb
  limit_kb = own_limit < soft_kb and own_limit or soft_kb
end

-- Seconds that the running coroutine has run without waiting, as far as anybody has looked.
function K.ran()
  return slice_started and now() - slice_started or 0
end

-- Says whether the heap is over its limit after a stretch that ended by itself, garbage collected.
function K.end_slice()
  limit_kb, mark = soft_kb, 0
  if collect("count") <= soft_kb then
    return true
  end
  collect("collect")
  return collect("count") <= soft_kb
end
K.memory_error = memory_error

-- Looks at the clock from inside a long loop of the kernel, which the hook lets go on; only in a script's coroutine.
function K.look()
  if K.current then
    check_clock()
    if K.condemned then
      leave()
    end
  end
end

-- Work inside a C function, which no hook sees, is charged to the running task before it is done.
function K.charge(cost)
  spent = spent + cost
  if spent > CHARGE then
    spent = 0
    check_clock()
    tell_place(3)
    check_memory(0)
  end
  if K.condemned then
    leave()
  end
end

-- Makes sure that `bytes` more fit into the memory, or ends the task.
function K.reserve(bytes)
  check_memory(bytes / 1024)
  if K.condemned then
    leave()
  end
end
