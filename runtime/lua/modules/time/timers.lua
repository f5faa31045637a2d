-- What happens later: timers fire once, tickers again and again, each into a channel of its own.
local host, T = ...

local SECOND = T.SECOND
local now, positive = T.now, T.positive

local new_timer, timer_of
local new_ticker, ticker_of

local TICKER_CAPACITY = 16

local function start(state, ns, and_then)
  state.running = true
  state.timer = host.timer(ns / SECOND, function()
    state.running = false
    host.offer(state.channel, now())
    if and_then then
      and_then()
    end
  end)
end

local function own_timer(self)
  local state = timer_of(self)
  if not state then
    error("call this as a method of a Timer, with `:`", 3)
  end
  return state
end

local function halt(state)
  local was_running = state.running
  if was_running then
    host.cancel(state.timer)
    state.running = false
  end
  return was_running
end

local function timer_channel(self)
  return own_timer(self).channel
end

new_timer, timer_of = host.class("time.Timer", {
  methods = {
    response = timer_channel,
    channel = timer_channel,
    stop = function(self)
      return halt(own_timer(self))
    end,
    reset = function(self, duration)
      local state = own_timer(self)
      local ns, err = positive(duration, "timer.reset")
      if not ns then
        return nil, err
      end
      local was_running = halt(state)
      start(state, ns)
      return was_running
    end,
  },
})

local function own_ticker(self)
  local state = ticker_of(self)
  if not state then
    error("call this as a method of a Ticker, with `:`", 3)
  end
  return state
end

local function ticker_channel(self)
  return own_ticker(self).channel
end

-- A coroutine of the task sleeps from tick to tick; ticks that find the channel full are dropped. The next tick is
-- counted from the first one, so that the ticks do not drift.
local function tick(state, seconds)
  local _, _, first = host.now()
  local count = 0
  while not state.stopped do
    count = count + 1
    local _, _, moment = host.now()
    local wait = first + count * seconds - moment
    if wait < 0 then
      count = (moment - first) // seconds -- behind: the missed ticks are dropped
      wait = 0
    end
    host.sleep(wait)
    if not state.stopped then
      host.offer(state.channel, now())
    end
  end
end

new_ticker, ticker_of = host.class("time.Ticker", {
  methods = {
    response = ticker_channel,
    channel = ticker_channel,
    stop = function(self)
      local state = own_ticker(self)
      local was_running = not state.stopped
      state.stopped = true
      return was_running
    end,
  },
})

T.start_timer, T.new_timer = start, new_timer
T.start_ticker = function(ns)
  local state = { channel = host.channel(TICKER_CAPACITY), stopped = false }
  host.spawn(tick, state, ns / SECOND)
  return new_ticker(state)
end
