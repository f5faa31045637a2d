-- What a module is given: `host`, its only way out of Lua. A module's chunk is called once per Lua state as
-- chunk(host) and returns the module's table.
--
--   host.call(name, ...)     gives a command to the host, waits, returns its results, or nil and an error
--   host.cast(name, ...)     gives a command that is not answered; the order is kept, and who says much waits
--   host.line(text)          the text as a log keeps it: cut where it is long
--   host.sync(name, ...)     runs the module's own Python function now: its value, or nil and an error
--   host.class(name, spec)   defines a class of host objects: new(state), state_of(object)   (objects.lua)
--   host.error(kind, message, details?, retryable?)   host.is_error(value)
--   host.task()              read-only {id, pid, host, ...} of the running task; the same table each time
--   host.values()            the task's context values, read-only
--   host.channel(capacity)   host.offer(channel, value)   host.is_channel(value)
--   host.send, host.receive, host.close (channel, ...)   host.select(cases)
--   host.subscribe(topic, capacity, maker?)   host.unsubscribe(channel)   (subscriptions.lua)
--   host.post(task, topic, sender, ...)       a message to a task of this Lua state; false when it is not here
--   host.direct(pid, topic, ...)              the same to a PID that the host allowed; false when it must be asked
--   host.spawn_here(form, id, host, ...)      host.call_here(id, ...): what the host allowed before, done in the kernel
--   host.allow_send(pid, grant)   host.allow_spawn(form, id, host, grant)   host.allow_call(id, grant)   (grants.lua)
--   host.spawn(function, ...)                 a coroutine of the running task
--   host.sleep(seconds)   host.timer(seconds, function) -> timer   host.cancel(timer)
--   host.now()               wall clock: seconds and nanoseconds since 1970, then monotonic seconds
--   host.array(table)   host.is_array(value)  lists keep being lists when they are empty
local K = ...
local raw = K.raw
local error, select, type, unpack = raw.error, raw.select, raw.type, raw.table.unpack
local tasks, copy_values, deliver = K.tasks, K.copy_values, K.deliver
local sub, find, byte, isyieldable = raw.string.sub, raw.string.find, raw.string.byte, raw.coroutine.isyieldable

-- Bytes of casts that a task may have said before it waits until the host has taken them up, and the most that it
-- may say where it can not wait. What the host holds of one task is bounded by them.
local PATIENCE, MOST_SAID = 256 * 1024, 4 * 1024 * 1024
local LINE, TAIL = 16384, 4096

local function running(what)
  local thread = K.current
  if not thread then
    error("`" .. what .. "` needs a running task", 3)
  end
  return thread.task
end

local function packed(what, args, length)
  local bytes, err = K.encode_values(args, length)
  if bytes then
    return bytes
  end
  return nil, K.error("Invalid", "arguments of `" .. what .. "`: " .. K.error_text(err))
end

local function results(values, length, err)
  if err then
    return nil, err
  end
  return unpack(values, 1, length)
end

local function command(thread, name, bytes)
  local task = thread.task
  K.tell(task)
  local id = task.next_call + 1
  task.next_call = id
  K.own(task, "calls")[id] = thread
  task.pending = task.pending + 1
  K.put_command(task, id, name, bytes)
end

local function call(name, ...)
  local thread = K.check_can_wait("`" .. name .. "`")
  local bytes, err = packed(name, { ... }, select("#", ...))
  if not bytes then
    return nil, err
  end
  K.reserve(2 * #bytes)
  command(thread, name, bytes)
  return results(K.park())
end

-- A cast that waits: the host takes it up after all that was said before it. The time that the task has run is
-- kept, so that a loop that does nothing but talk meets its limit all the same.
local function cast_and_wait(thread, name, bytes)
  local task = thread.task
  thread.ran = K.ran()
  command(thread, name, bytes)
  K.park()
  task.said = 0
  return true
end

function K.cast(name, args, length)
  local task = running(name)
  local bytes, err = packed(name, args, length)
  if not bytes then
    return nil, err
  end
  K.reserve(2 * #bytes)
  local thread = K.current
  if task.said + #bytes > PATIENCE and not task.loading and thread.shut == 0 and isyieldable() then
    return cast_and_wait(thread, name, bytes)
  end
  K.tell(task)
  task.said = task.said + #bytes
  if task.said > MOST_SAID then
    K.condemn(K.error("Internal", "`" .. task.id .. "` says more than the host takes up: say less where it can not wait"))
    K.leave()
  end
  K.put_cast(task, name, bytes)
  return true
end

-- What a log keeps of a line is less than this. The cut is made at a blank, so that nothing that must be masked
-- is cut in two.
function K.line(text)
  if #text <= LINE then
    return text
  end
  local last = LINE
  while last > LINE - 3 and (byte(text, last + 1) & 0xC0) == 0x80 do -- no character is cut in two
    last = last - 1
  end
  local cut = sub(text, 1, last)
  local blank = find(cut, "%s%S*$", -TAIL)
  return blank and sub(cut, 1, blank - 1) or cut
end

-- Hands the answer of a command to the coroutine that waits for it; answers that nobody waits for are dropped.
function K.reply(task, id, ok, bytes)
  local thread = task.calls[id]
  if not thread then
    return
  end
  task.calls[id] = nil
  task.pending = task.pending - 1
  if ok then
    local values, length = K.decode_values(bytes)
    if values then
      return K.wake(thread, values, length)
    end
    return K.wake(thread, nil, nil, length)
  end
  local err, fault = K.decode(bytes)
  return K.wake(thread, nil, nil, K.received(err or fault, thread.co))
end

local function sync(module, name, ...)
  local what = module .. "." .. name
  local bytes, err = packed(what, { ... }, select("#", ...))
  if not bytes then
    return nil, err
  end
  K.reserve(2 * #bytes + 65536)
  local answer = K.python(what, bytes)
  local values, length = K.decode_values(answer)
  if not values then
    return nil, length
  elseif values[1] then
    return values[2]
  end
  return nil, values[2]
end

K.sync = sync

local function sleep(seconds)
  local thread = K.check_can_wait("sleep")
  if type(seconds) ~= "number" or seconds ~= seconds then
    error("sleep: expected a number of seconds", 2)
  end
  if seconds > 0 then
    K.start_timer(thread.task, seconds, K.wake, thread)
  else
    K.wake(thread)
  end
  K.park()
end

local function post(name, topic, sender, ...)
  local task = K.tasks[name]
  if not task then
    return false
  end
  local length = select("#", ...)
  local payloads, err = K.copy_values({ ... }, length)
  if not payloads then
    return nil, err
  end
  K.deliver(task, { topic = topic, sender = sender, payloads = payloads, length = length })
  return true
end

-- After so many messages in one go a sender lets others run, so that no mailbox grows for that alone.
local IN_ONE_GO, MOST_GRANTS = 256, 10000

-- Remembers the host's yes to messages to a PID: that of the running task's authority to all tasks of this Lua
-- state where it was given for all, else its own to this one.
local function allow_send(pid, grant)
  local task = running("host.allow_send")
  if grant.authority then
    return K.allow_sends(grant)
  end
  if not task.grants or task.granted >= MOST_GRANTS then
    task.grants, task.granted = {}, 0
  end
  task.granted = task.granted + 1
  task.grants[pid] = grant.epoch
end

local function may_send(task, pid)
  local authority = task.authority
  if authority and authority.sends == K.epoch then
    return true
  end
  local grants = task.grants
  return grants and grants[pid] == K.epoch
end

-- Sends to a task of this Lua state without asking the host again: true, or nil and an error; false where the
-- host must be asked.
local function direct(pid, topic, ...)
  local thread = K.current
  local task = thread and thread.task
  local target = task and tasks[pid]
  if not target or type(topic) ~= "string" or topic == "" or byte(topic) == 64 or not may_send(task, pid) then -- @
    return false
  elseif task.caller then
    K.tell(task)
  end
  local length = select("#", ...)
  local payloads, err = copy_values({ ... }, length)
  if not payloads then
    return nil, err
  end
  deliver(target, { topic = topic, sender = task.name, payloads = payloads, length = length })
  local sent = thread.sent + 1
  thread.sent = sent
  if sent >= IN_ONE_GO then
    K.let_others_run(thread)
  end
  return true
end

-- Lets others run before a coroutine that sends or starts much goes on, where it can wait.
function K.let_others_run(thread)
  if thread.shut == 0 and not thread.task.loading and isyieldable() then
    thread.sent = 0
    K.wake(thread)
    K.park()
  end
end
K.IN_ONE_GO = IN_ONE_GO

local function wall_clock()
  local seconds, nanoseconds, monotonic = raw.string.unpack("<i8i8d", K.python("wall", ""))
  return seconds, nanoseconds, monotonic
end

-- Made when somebody first asks, read-only; the same table from then on. Who knows its PID can be heard of.
local function task_info()
  local task = running("host.task")
  K.tell(task)
  if not K.is_frozen(task.info) then
    task.info = K.freeze(K.info(task))
  end
  return task.info
end

-- The `host` of one module.
function K.host_for(module)
  return {
    call = call,
    cast = function(name, ...)
      return K.cast(name, { ... }, select("#", ...))
    end,
    line = K.line,
    sync = function(name, ...)
      return sync(module, name, ...)
    end,
    class = function(name, spec)
      local new, state_of = K.define_class(name, spec)
      return new, state_of
    end,
    error = K.error,
    is_error = K.is_error,
    task = task_info,
    values = function()
      return running("host.values").values
    end,
    channel = function(capacity)
      return K.new_channel(capacity or 0)
    end,
    send = K.channel_send, receive = K.channel_receive, close = K.channel_close, offer = K.channel_offer,
    select = K.channel_library.select, is_channel = K.is_channel,
    subscribe = function(topic, capacity, maker)
      return K.subscribe(running("host.subscribe"), topic, capacity, maker)
    end,
    unsubscribe = function(channel)
      return K.unsubscribe(running("host.unsubscribe"), channel)
    end,
    post = post, direct = direct, spawn_here = K.spawn_here, call_here = K.call_here,
    allow_send = allow_send, allow_spawn = K.allow_spawn, allow_call = K.allow_call,
    spawn = K.coroutine_library.spawn,
    sleep = sleep,
    timer = function(seconds, action)
      return K.start_timer(running("host.timer"), seconds, action)
    end,
    cancel = K.cancel_timer,
    now = wall_clock,
    array = K.array,
    is_array = K.is_array,
  }
end
