-- Channels: values handed from one coroutine of a task to another, in order. A channel holds up to its capacity;
-- beyond that the sender waits. A select waits for several at once and takes the first that is ready, in the
-- order of the list.
local K = ...
local raw = K.raw
local error, type, rawget = raw.error, raw.type, raw.rawget
local yield, wake, check_can_wait, BLOCK = raw.coroutine.yield, K.wake, K.check_can_wait, K.BLOCK

local MAX_CAPACITY, MAX_MAIL = 1000000, 100000

-- A queue of who waits: a coroutine's record itself where it waits for one channel, else one waiter for each case of
-- its select. Those whose select was answered elsewhere are skipped and swept.
local function new_queue()
  return { head = 1, tail = 0, stale = 0 }
end

local function push_waiter(queue, waiter)
  local tail = queue.tail + 1
  queue[tail], queue.tail = waiter, tail
end

local function pop_waiter(queue)
  while queue.head <= queue.tail do
    local head = queue.head
    local waiter = queue[head]
    queue[head], queue.head = nil, head + 1
    local group = waiter.group
    if not group or not group.done then
      return waiter
    end
    queue.stale = queue.stale - 1
  end
  queue.head, queue.tail, queue.stale = 1, 0, 0
  return nil
end

local function sweep(queue)
  local kept = 0
  for index = queue.head, queue.tail do
    local waiter = queue[index]
    queue[index] = nil
    if not waiter.group or not waiter.group.done then
      kept = kept + 1
      queue[kept] = waiter
    end
  end
  queue.head, queue.tail, queue.stale = 1, kept, 0
end

local function note_stale(queue)
  queue.stale = queue.stale + 1
  if queue.stale > 16 and queue.stale * 2 > queue.tail - queue.head + 1 then
    sweep(queue)
  end
end

local new_channel, state_of, states
local new_case, case_of

local function make(capacity)
  return new_channel {
    capacity = capacity, first = 1, last = 0, closed = false,
    values = false, receivers = false, senders = false, -- made when there is one
  }
end

-- Answers a waiter: a plain one gets `value, ok`, one of a select its own case too.
local function answer(waiter, value, ok)
  local group = waiter.group
  if not group then
    return wake(waiter, value, ok)
  end
  group.done = true
  for index = 1, #group.cases do
    local other = group.cases[index]
    if other ~= waiter then
      note_stale(other.queue)
    end
  end
  wake(waiter.thread, waiter, value, ok)
end

-- Lets the running coroutine wait in one queue of a channel, `receivers` or `senders`.
local function wait_in(state, name, thread, value)
  local queue = state[name]
  if not queue then
    queue = new_queue()
    state[name] = queue
  end
  thread.value = value
  local tail = queue.tail + 1
  queue[tail], queue.tail = thread, tail
  return yield(BLOCK)
end

local function put(state, value)
  local last = state.last + 1
  local values = state.values
  if not values then
    values = {}
    state.values = values
  end
  values[last], state.last = value, last
end

local function take(state)
  local values, first = state.values, state.first
  local value = values[first]
  values[first] = nil
  if first >= state.last then
    state.first, state.last = 1, 0
  else
    state.first = first + 1
  end
  return value
end

-- The first who waits in a queue, taken out of it; nil where nobody does.
local function first_waiter(queue)
  if not queue or queue.head > queue.tail then
    return nil
  end
  return pop_waiter(queue)
end

-- Sends without waiting; false when there is no room.
local function try_send(state, value)
  local receiver = first_waiter(state.receivers)
  if receiver then
    answer(receiver, value, true)
    return true
  end
  if state.last - state.first + 1 < state.capacity then
    put(state, value)
    return true
  end
  return false
end

-- Receives without waiting: ready, value, ok.
local function try_receive(state)
  if state.first <= state.last then
    local value = take(state)
    local sender = state.last - state.first + 1 < state.capacity and first_waiter(state.senders)
    if sender then
      put(state, sender.value)
      answer(sender, sender.value, true)
    end
    return true, value, true
  end
  local sender = first_waiter(state.senders)
  if sender then
    local value = sender.value
    answer(sender, value, true)
    return true, value, true
  end
  if state.closed then
    return true, nil, false
  end
  return false
end

local function own(value, method)
  local state = state_of(value)
  if not state then
    error("bad argument #1 to '" .. method .. "' (channel expected, got " .. K.typeof(value) .. ")", 3)
  end
  return state
end

local function send(self, value)
  local state = states[self] or own(self, "send")
  if state.closed then
    error("send on closed channel", 2)
  end
  if try_send(state, value) then
    return true
  end
  local _, ok = wait_in(state, "senders", check_can_wait("channel send"), value)
  if not ok then
    error("send on closed channel", 2)
  end
  return true
end

local function receive(self)
  local state = states[self] or own(self, "receive")
  local ready, value, ok = try_receive(state)
  if ready then
    return value, ok
  end
  return wait_in(state, "receivers", check_can_wait("channel receive"), nil)
end

-- Wakes everybody who waits: receivers get nil and false, senders an error.
local function shut(state)
  state.closed = true
  for _, name in raw.ipairs { "receivers", "senders" } do
    local waiter = first_waiter(state[name])
    while waiter do
      answer(waiter, nil, false)
      waiter = first_waiter(state[name])
    end
  end
end

local function close(self)
  local state = own(self, "close")
  if state.closed then
    error("close of closed channel", 2)
  end
  shut(state)
end

new_case, case_of = K.define_class("channel.case", {})

new_channel, state_of, states = K.define_class("channel", {
  methods = {
    send = send,
    receive = receive,
    close = close,
    case_send = function(self, value)
      own(self, "case_send")
      return new_case { channel = self, sends = true, value = value }
    end,
    case_receive = function(self)
      own(self, "case_receive")
      return new_case { channel = self, sends = false }
    end,
  },
  tostring = function()
    return "channel"
  end,
})

local function read_cases(list)
  if K.typeof(list) ~= "table" then
    error("channel.select: expected a list of cases", 3)
  end
  list = K.contents(list)
  local cases = {}
  for index = 1, raw.rawlen(list) do
    local case = case_of(rawget(list, index))
    if not case then
      error("channel.select: item " .. index .. " is no case: use ch:case_receive() or ch:case_send(value)", 3)
    end
    cases[index] = case
  end
  return cases, rawget(list, "default")
end

local function result(case, value, ok)
  return { channel = case.channel, value = value, ok = ok }
end

local function first_ready(cases)
  for index = 1, #cases do
    local case = cases[index]
    local state = state_of(case.channel)
    if case.sends then
      if state.closed then
        error("send on closed channel", 3)
      end
      if try_send(state, case.value) then
        return result(case, case.value, true)
      end
    else
      local ready, value, ok = try_receive(state)
      if ready then
        return result(case, value, ok)
      end
    end
  end
  return nil
end

local function select_case(list)
  local cases, default = read_cases(list)
  local ready = first_ready(cases)
  if ready then
    return ready
  elseif default then
    return { default = true, ok = true }
  elseif #cases == 0 then
    error("channel.select: expected at least one case or default = true", 2)
  end
  local thread = K.check_can_wait("channel.select")
  local group = { done = false, cases = {} }
  for index = 1, #cases do
    local case = cases[index]
    local state = state_of(case.channel)
    local name = case.sends and "senders" or "receivers"
    local queue = state[name] or new_queue()
    state[name] = queue
    local waiter = { thread = thread, group = group, case = case, value = case.value, queue = queue }
    group.cases[index] = waiter
    push_waiter(queue, waiter)
  end
  local waiter, value, ok = K.park()
  if waiter.case.sends and not ok then
    error("send on closed channel", 2)
  end
  return result(waiter.case, value, ok)
end

local function new(capacity)
  if capacity == nil then
    capacity = 0
  end
  if type(capacity) ~= "number" or not raw.math.tointeger(capacity) or capacity < 0 or capacity > MAX_CAPACITY then
    error("channel.new: the capacity must be a whole number from 0 to 1000000", 2)
  end
  return make(raw.math.tointeger(capacity))
end

K.channel_library = { new = new, select = select_case }
K.new_channel = make
K.is_channel = function(value)
  return state_of(value) ~= nil
end
K.channel_send, K.channel_receive, K.channel_close = send, receive, close

-- Sends from the kernel or a timer, which never wait: false when there is no room or the channel is closed.
function K.channel_offer(channel, value)
  local state = own(channel, "offer")
  return not state.closed and try_send(state, value)
end

-- Adds a message whatever the capacity; false when the mailbox is full.
function K.channel_feed(channel, value)
  local state = state_of(channel)
  if not try_send(state, value) then
    if state.last - state.first + 1 >= MAX_MAIL then
      return false
    end
    put(state, value)
  end
  return true
end
K.MAX_MAIL = MAX_MAIL

-- The values that a channel holds, oldest first.
function K.channel_waiting(channel)
  local state = state_of(channel)
  local values = {}
  for index = state.first, state.last do
    values[#values + 1] = state.values[index]
  end
  return values
end

-- Whether somebody waits for the next value, which is not there.
function K.channel_is_awaited(channel)
  local state = state_of(channel)
  local receivers = state.receivers
  return state.first > state.last and receivers and receivers.tail - receivers.head + 1 > receivers.stale
end

function K.channel_end(channel)
  local state = state_of(channel)
  if not state.closed then
    shut(state)
  end
end
