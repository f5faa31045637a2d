-- Programs: the chunks of an entry and its libraries, compiled once and run for each task in an environment of
-- its own. The compiled code is shared; each task joins it to its own _ENV before it runs.
local K = ...
local raw = K.raw
local error, next, setmetatable, type, unpack = raw.error, raw.next, raw.setmetatable, raw.type, raw.table.unpack
local upvaluejoin, rawget, yield = raw.debug.upvaluejoin, raw.rawget, raw.coroutine.yield
local DONE = K.DONE
local NOTHING = K.freeze({})

local programs = {}
local environments = {} -- by name: those whose chunks have run and that wait for their next call

local function compile(chunk)
  local id, source, name, method, privileged = unpack(chunk, 1, 5)
  K.name_chunk(name)
  local code, message = K.load(source, "@" .. name, {})
  if not code then
    return nil, message
  end
  local modules
  for _, pair in raw.ipairs(privileged) do
    modules = modules or {}
    modules[pair[1]] = K.modules[pair[2]]
  end
  return { id = id, code = code, method = method, modules = modules }
end

-- Takes a program as the host describes it and numbers it; an error is kept and ends each task that would run it.
function K.add_program(key, libraries, main, aliases, number)
  local program = { libraries = {}, aliases = {}, globals = {}, number = number }
  programs[key] = program
  for name, value in next, K.base do
    program.globals[name] = value
  end
  for _, pair in raw.ipairs(aliases) do
    local alias, target = pair[1], pair[2]
    if K.modules[target] then
      program.globals[alias] = K.modules[target]
    else
      local names = program.aliases[target] or {}
      names[#names + 1] = alias
      program.aliases[target] = names
    end
  end
  program.metatable = { __index = program.globals, __metatable = false }
  for index, chunk in raw.ipairs(libraries) do
    local library, message = compile(chunk)
    if not library then
      program.fault = message
      return
    end
    program.libraries[index] = library
  end
  program.main, program.fault = compile(main)
end

function K.forget_program(key)
  programs[key] = nil
end

-- A known program that can be run, else nil.
function K.program(key)
  local program = programs[key]
  return program and not program.fault and program or nil
end

-- A chunk that was granted privileged modules sees them in an environment of its own, in front of the task's.
local function private_environment(env, modules)
  local front = { require = function(name)
    local value = modules[name]
    if value then
      return value
    end
    return env.require(name)
  end }
  for alias, module in next, modules do
    front[alias] = module
  end
  setmetatable(front, { __index = env })
  return setmetatable({}, { __index = front, __newindex = env, __metatable = false })
end

local function run_chunk(chunk, env)
  if chunk.modules then
    env = private_environment(env, chunk.modules)
  end
  local function box()
    return env
  end
  upvaluejoin(chunk.code, 1, box, 1)
  return chunk.code()
end

-- The shared code is joined to the environment of the task that ran it last; it must not keep that alive.
local function nothing()
  return NOTHING
end
function K.detach(task)
  local program = task.program
  if program and program.last == task.name then
    for _, library in raw.ipairs(program.libraries) do
      upvaluejoin(library.code, 1, nothing, 1)
    end
    upvaluejoin(program.main.code, 1, nothing, 1)
  end
end

local function find_method(result, name)
  if type(result) == "function" then
    return result
  end
  local method = K.typeof(result) == "table" and rawget(K.contents(result), name)
  if type(method) ~= "function" then
    error(K.error("NotFound", 'method "' .. name .. '" not found in module'), 0)
  end
  return method
end

-- The body of a task's first coroutine.
local function run_task(task, program, args)
  if task.method then
    return DONE, task.method(unpack(args, 1, args.length))
  end
  local env = task.env
  task.program, program.last = program, task.name
  for _, library in raw.ipairs(program.libraries) do
    local value = run_chunk(library, env)
    for _, alias in raw.ipairs(program.aliases[library.id] or {}) do
      env[alias], task.required[alias] = value, value
    end
  end
  local method = find_method(run_chunk(program.main, env), program.main.method)
  task.loading, task.method = false, task.kept_as and method
  return DONE, method(unpack(args, 1, args.length))
end

-- Takes an environment that was kept, for as long as the task runs; false where there is none of its program.
local function take_environment(task, program)
  local kept = environments[task.kept_as]
  environments[task.kept_as] = nil
  if not kept or kept.program ~= program then
    return false
  end
  task.required, task.env, task.method, task.loading = kept.required, kept.env, kept.method, false
  return true
end

-- Keeps the environment of a task that ends well, for the next one of its name.
function K.keep_environment(task)
  if task.kept_as and task.method then
    environments[task.kept_as] = {
      program = task.runs, required = task.required, env = task.env, method = task.method,
    }
  end
end

function K.drop_environment(name)
  environments[name] = nil
end

local function make_environment(task, program)
  local metatable = program.metatable
  local env = setmetatable({ _G = false }, metatable)
  env._G = env
  task.env, task.required = env, #program.libraries > 0 and setmetatable({}, metatable) or program.globals
end

-- Starts the first coroutine of a task that has all but its environment.
local function begin(task, program, args)
  task.runs, task.number = program, program.number
  if not (task.kept_as and take_environment(task, program)) then
    make_environment(task, program)
  end
  task.main = K.start_thread(task, run_task, task, program, args)
end
K.begin = begin

-- The body of a coroutine that runs one call after another: each time it ends as if it were the only one.
local function run_calls(task, program, args)
  while true do
    task, program, args = yield(run_task(task, program, args))
  end
end

-- Starts a call, in the coroutine that the task has of an earlier one where there is one.
function K.begin_call(task, program, args)
  task.number = program.number
  make_environment(task, program)
  local thread = task.runner
  if thread then
    K.arm(thread.co) -- it may be older than the first code without looks
    task.threads, task.main, thread.finished = 1, thread, false
    K.wake(thread, task, program, args)
  else
    thread = K.start_thread(task, run_calls, task, program, args)
    task.main, task.runner = thread, thread
  end
end

-- {id, pid, host} of a task.
function K.info(task)
  return task.info and K.contents(task.info) or { id = task.id, pid = task.name, host = task.host }
end

local function end_in_time(task, seconds)
  K.start_timer(task, seconds, function()
    K.end_task(task, nil, K.error("Timeout", "`" .. task.id .. "` took longer than " .. task.total_seconds .. " s"))
  end)
  task.pending = task.pending - 1 -- its own end is nothing to wait for
end

-- Starts a task of a known program. Arguments, values and info are bytes; where `kept_as` is a name the task runs in
-- the environment that is kept under it, and leaves it there.
function K.spawn(name, key, args, values, info, running_seconds, total_seconds, memory_bytes, kept_as)
  local program = programs[key]
  local decoded, length = K.decode_values(args)
  local task = K.new_task(name, {
    id = name, loading = true, running_seconds = running_seconds, total_seconds = total_seconds,
    memory_kb = memory_bytes / 1024, random = nil, kept_as = kept_as,
  })
  local info_value, info_fault = K.decode(info)
  local context, context_fault = K.decode(values)
  local fault = not decoded and length or info_fault or context_fault
  if fault then
    return K.end_task(task, nil, fault)
  elseif program.fault then
    return K.end_task(task, nil, K.error("Invalid", program.fault))
  end
  task.info, task.values = info_value, next(context) == nil and NOTHING or K.freeze(context)
  task.id, task.host, task.told = info_value.id or name, info_value.host, true
  decoded.length = length
  if total_seconds then
    task.ends = K.now() + total_seconds
    end_in_time(task, total_seconds)
  end
  begin(task, program, decoded)
end

-- Runs another program in the place of what a task runs. Its coroutines, channels and timers are gone; its name,
-- values and limits stay, and so does what was sent to it and not received.
function K.become(old, key, id, args)
  local program = programs[key]
  local decoded, length = K.decode_values(args)
  if not decoded then
    return K.end_task(old, nil, length)
  elseif program.fault then
    return K.end_task(old, nil, K.error("Invalid", program.fault))
  end
  local info = {}
  for name, value in next, K.info(old) do
    info[name] = value
  end
  info.id = id
  local mail = K.unread(old)
  K.drop_task(old)
  local task = K.new_task(old.name, {
    id = id, loading = true, running_seconds = old.running_seconds, total_seconds = old.total_seconds,
    memory_kb = old.memory_kb, random = nil, info = info, values = old.values, ends = old.ends,
    host = old.host, authority = old.authority, depth = old.depth, told = true,
    next_call = old.next_call, -- answers to what the old code asked for must find nobody
  })
  task.mail = mail
  if task.ends then
    end_in_time(task, task.ends - K.now())
  end
  decoded.length = length
  begin(task, program, decoded)
end
