-- The door of the kernel: packed inputs in, packed outputs and the time of the next timer out. Nothing else ever
-- crosses; a batch is handled whole before anything runs.
local K = ...
local raw = K.raw
local pack, concat = raw.string.pack, raw.table.concat

local SPAWN, REPLY, MESSAGE, KILL, PROGRAM, MODULE, FORGET, INTERRUPT, BECOME, RETIRE, WITHHOLD, DROP =
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
local COMMAND, CAST, EXITED, STARTED = 0, 1, 2, 3
local EVENTS = "@pid/events"
local MOST_RUNS, LARGE = 2000, 2 * 1024 * 1024

-- The first piece is the time of the next timer, so that all is joined in one go.
local out, count, size = {}, 1, 0

local function add(piece)
  count = count + 1
  out[count] = piece
  size = size + #piece
end

-- Processes of one kind that one parent started one after another, to be said in one row; nil where there are none.
local started

local function say_started()
  local names, row = started.names, started.row
  started = nil
  add(row .. pack(">BI4", 0xdd, #names) .. concat(names))
end

local function put(piece)
  if started then
    say_started()
  end
  add(piece)
end

local function text(value)
  if #value < 32 then
    return raw.string.char(0xa0 + #value) .. value
  end
  return pack(">Bs4", 0xdb, value)
end

local function bytes(value)
  return pack(">Bs4", 0xc6, value)
end

function K.put_command(task, call, name, args)
  if not task.alive then
    return
  end
  put("\x95" .. pack("B", COMMAND) .. text(task.name) .. pack(">BI8", 0xcf, call) .. text(name) .. bytes(args))
end

-- Where somebody listens while Lua runs (in a jailed child) all that was put out goes to him at once: what a program
-- said is heard also when it is killed before it waits.
local heard_at_once = false

local function hand_on()
  if K.python("say", concat(out, "", 2, count)) == "" then
    out, count, size = {}, 1, 0
  else
    heard_at_once = false
  end
end

function K.put_cast(task, name, args)
  if not task.alive then
    return
  end
  put("\x94" .. pack("B", CAST) .. text(task.name) .. text(name) .. bytes(args))
  if heard_at_once then
    hand_on()
  end
end

-- A task that the kernel started for `parent`; `form` says how, a call has the number that `parent` waits with.
function K.put_started(task, parent, program, form, call)
  local name = text(task.name)
  size = size + #name
  if started and started.parent == parent and started.program == program and started.form == form and not call then
    started.names[#started.names + 1] = name
    return
  elseif started then
    say_started()
  end
  local row = "\x97" .. pack("B", STARTED) .. text(parent.name) .. text(task.id) .. pack(">BI4", 0xce, program) .. text(form)
    .. pack(">BI4", 0xce, call or 0)
  started = { parent = parent, program = program, form = form, row = row, names = { name } }
end

function K.put_exited(task, value, err)
  local body, fault
  if err == nil then
    body, fault = K.encode(value)
    if not body then
      err = K.error("Invalid", "result of `" .. task.id .. "`: " .. K.error_text(fault))
    end
  end
  if err ~= nil then
    body, fault = K.encode(err)
    if not body then -- its details are no plain data
      local state = K.error_state(err)
      err = K.error_at(state.frames, state.kind, raw.string.sub(K.error_text(err), 1, 8000), nil, state.retryable)
      body = K.encode(err)
    end
  end
  put("\x94" .. pack("B", EXITED) .. text(task.name) .. (err ~= nil and "\xc3" or "\xc2") .. bytes(body))
end

function K.output_is_large()
  return size > LARGE
end

local handlers = {
  [SPAWN] = function(input)
    K.spawn(raw.table.unpack(input, 2, 10))
  end,
  [REPLY] = function(input)
    local task = K.tasks[input[2]]
    if task then
      K.reply(task, input[3], input[4], input[5])
    end
  end,
  [MESSAGE] = function(input)
    local task = K.tasks[input[2]]
    if not task then
      return
    end
    local payloads, length = K.decode_values(input[5])
    if payloads and not (input[4] == "" and input[3] == EVENTS and K.join_event(task, EVENTS, payloads[1])) then
      K.deliver(task, { topic = input[3], sender = input[4], payloads = payloads, length = length })
    end
  end,
  [BECOME] = function(input)
    local task = K.tasks[input[2]]
    if task then
      K.become(task, input[3], input[4], input[5])
    end
  end,
  [KILL] = function(input)
    local task = K.tasks[input[2]]
    if task then
      local err, fault = K.decode(input[3])
      K.end_task(task, nil, err or fault)
    end
  end,
  [RETIRE] = function(input)
    local task = K.tasks[input[2]]
    if task then
      K.retire(task, input[3], K.decode(input[4]), K.decode(input[5]), input[6])
    end
  end,
  [PROGRAM] = function(input)
    K.add_program(raw.table.unpack(input, 2, 6))
  end,
  [MODULE] = function(input)
    local ok, message = K.load_module(input[2], input[3])
    if not ok then
      raw.error("module `" .. input[2] .. "` does not load: " .. message, 0)
    elseif input[4] then
      K.make_ambient(input[2])
    end
  end,
  [WITHHOLD] = function(input)
    local task = K.tasks[input[2]]
    if task then
      K.withhold(task)
      K.interrupt_calls(task)
    end
  end,
  [FORGET] = function(input)
    K.forget_program(input[2])
  end,
  [DROP] = function(input)
    K.drop_environment(input[2])
  end,
  [INTERRUPT] = function(input)
    local task = K.tasks[input[2]]
    if not task then
      return
    end
    K.interrupt_calls(task)
    if task.ready > 0 then -- one that waits has nothing to raise it in
      task.interrupt = true
    end
  end,
}

-- Handles a packed list of inputs, runs what is ready, and returns eight bytes with the time of the next timer
-- (negative for none, 0 for "at once") followed by the packed outputs.
function K.step(inputs)
  if inputs ~= "" then
    for _, input in raw.ipairs((K.decode(inputs))) do
      handlers[input[1]](input)
    end
  end
  K.run_timers(K.now())
  local more = K.run_ready(MOST_RUNS)
  more = K.check_retired() or more
  if started then
    say_started()
  end
  local due = more and 0 or K.next_timer() or -1
  out[1] = pack("<d", due)
  local answer = concat(out, "", 1, count)
  out, count, size = {}, 1, 0
  return answer
end

function K.set_module_names(names)
  for _, name in raw.ipairs((K.decode(names))) do
    K.module_names[name] = true
  end
end

function K.collect()
  raw.collectgarbage("collect")
end

local function set_limits(hooks, ...)
  heard_at_once = not hooks
  return K.set_limits(hooks, ...)
end

-- What Python holds of the kernel: functions of bytes, and nothing else.
return K.step, set_limits, K.set_module_names, K.collect, K.bell, K.mark
