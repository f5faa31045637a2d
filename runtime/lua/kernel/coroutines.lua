-- Coroutines that a script makes itself. They work as Lua's own do, and a wait for the host inside one passes
-- through to the scheduler: `resume` yields the block signal on, and resumes again when the answer is there.
local K = ...
local raw = K.raw
local create, resume, status = raw.coroutine.create, raw.coroutine.resume, raw.coroutine.status
local yield, running, isyieldable, close = raw.coroutine.yield, raw.coroutine.running, raw.coroutine.isyieldable, raw.coroutine.close
local error, type, setmetatable = raw.error, raw.type, raw.setmetatable
local BLOCK, KILL = K.BLOCK, K.KILL

-- Coroutines that the scheduler runs and that a script has seen: none resumes or closes them.
K.managed = setmetatable({}, { __mode = "k" })
local managed = K.managed
-- Coroutines that wait for the host, inside the resume of whoever resumed them.
local waiting = setmetatable({}, { __mode = "k" })

local library = {}

local function argument(co, name)
  if type(co) ~= "thread" then
    error("bad argument #1 to '" .. name .. "' (coroutine expected)", 3)
  end
end

local function awake(co, ...)
  waiting[co] = nil
  return ...
end

local function relay(co, ok, signal, ...)
  if K.condemned or signal == KILL then
    return K.leave()
  end
  if ok and signal == BLOCK then
    waiting[co] = true
    return relay(co, resume(co, awake(co, yield(BLOCK))))
  end
  if not ok then
    K.note_ended(signal, co)
    return false, K.explain(signal)
  end
  return ok, signal, ...
end

-- Below a C function that can not yield, the coroutine may run but not wait.
local function relay_shut(thread, co, ...)
  thread.shut = thread.shut - 1
  return relay(co, ...)
end

local function resume_checked(co, ...)
  if waiting[co] or managed[co] then
    return false, "cannot resume non-suspended coroutine"
  end
  if isyieldable() then
    return relay(co, resume(co, ...))
  end
  local thread = K.current
  thread.shut = thread.shut + 1
  return relay_shut(thread, co, resume(co, ...))
end

function library.create(fn)
  if type(fn) ~= "function" then
    error("bad argument #1 to 'create' (function expected)", 2)
  end
  local co = create(fn)
  K.arm(co)
  return co
end

function library.resume(co, ...)
  argument(co, "resume")
  return resume_checked(co, ...)
end

local function unwrap(ok, ...)
  if ok then
    return ...
  end
  return error((...), 0)
end

function library.wrap(fn)
  if type(fn) ~= "function" then
    error("bad argument #1 to 'wrap' (function expected)", 2)
  end
  local co = create(fn)
  K.arm(co)
  return function(...)
    return unwrap(resume_checked(co, ...))
  end
end

function library.yield(...)
  if running() == K.current.co then
    error("attempt to yield from outside a coroutine", 2)
  elseif K.current.closing then
    error("attempt to yield while a coroutine closes", 2)
  end
  return yield(...)
end

function library.status(co)
  argument(co, "status")
  if waiting[co] then
    return "normal"
  end
  return status(co)
end

function library.isyieldable()
  return isyieldable() and running() ~= K.current.co
end

function library.running()
  local co = running()
  if co == K.current.co then
    managed[co] = true
    return co, true
  end
  return co, false
end

local function closed(thread, before, ok, err)
  thread.shut, thread.closing = thread.shut - 1, before
  if K.condemned then
    return K.leave()
  end
  if ok then
    return true
  end
  return false, K.explain(err)
end

-- The handlers of to-be-closed variables run inside this call, so they can neither wait nor yield.
function library.close(co)
  argument(co, "close")
  local state = status(co)
  if waiting[co] or managed[co] or (state ~= "suspended" and state ~= "dead") then
    error("cannot close a running coroutine", 2)
  end
  local thread = K.current
  local before = thread.closing
  thread.shut, thread.closing = thread.shut + 1, true
  return closed(thread, before, close(co))
end

-- Runs `fn(...)` beside the others of the task; the scheduler resumes it.
function library.spawn(fn, ...)
  if type(fn) ~= "function" then
    error("bad argument #1 to 'spawn' (function expected)", 2)
  end
  local task = K.current.task
  if task.loading then
    error("coroutine.spawn can not run while a chunk loads: call it inside a function", 2)
  end
  local args, length = { ... }, raw.select("#", ...)
  local co = K.start_thread(task, function()
    return K.DONE, fn(raw.table.unpack(args, 1, length))
  end).co
  managed[co] = true
  return co
end

K.coroutine_library = library
