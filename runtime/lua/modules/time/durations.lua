-- Durations: whole nanoseconds in 64 bits, given as a number, as a text such as "1h30m", or as an object.
local host, T = ...

local SECOND = T.SECOND
local new_duration, duration_of

local function invalid(message)
  return nil, host.error("Invalid", message, nil, false)
end

local function whole(number)
  return math.tointeger(number) or number
end

-- Division that cuts towards zero, as integer units of a duration are counted.
local function cut(number, unit)
  local quotient = number // unit
  if quotient < 0 and quotient * unit ~= number then
    quotient = quotient + 1
  end
  return quotient
end

local function ns_of(self)
  local state = duration_of(self)
  if not state then
    error("call this as a method of a Duration, with `:`", 3)
  end
  return state.ns
end

new_duration, duration_of = host.class("time.Duration", {
  methods = {
    nanoseconds = function(self)
      return ns_of(self)
    end,
    microseconds = function(self)
      return cut(ns_of(self), 1000)
    end,
    milliseconds = function(self)
      return cut(ns_of(self), 1000000)
    end,
    seconds = function(self)
      return whole(ns_of(self) / SECOND)
    end,
    minutes = function(self)
      return whole(ns_of(self) / (60 * SECOND))
    end,
    hours = function(self)
      return whole(ns_of(self) / (3600 * SECOND))
    end,
  },
  tostring = function(self)
    return host.sync("format_duration", ns_of(self))
  end,
  eq = function(a, b)
    return ns_of(a) == ns_of(b)
  end,
  lt = function(a, b)
    return ns_of(a) < ns_of(b)
  end,
  le = function(a, b)
    return ns_of(a) <= ns_of(b)
  end,
})

-- Nanoseconds of a number, a text such as "1h30m" or a Duration; else nil and an error.
local function nanoseconds(value, what)
  if type(value) == "number" then
    local number = math.tointeger(value) or (value == value and math.tointeger(value // 1)) or nil
    if number then
      return number
    end
    return invalid(what .. ": number is not a count of nanoseconds in 64 bits")
  end
  if type(value) == "string" then
    return host.sync("parse_duration", value)
  end
  local state = duration_of(value)
  if state then
    return state.ns
  end
  return invalid(what .. ": expected a number of nanoseconds, a text such as \"5s\" or a Duration")
end

local function positive(value, what)
  local ns, err = nanoseconds(value, what)
  if not ns then
    return nil, err
  end
  if ns <= 0 then
    return invalid(what .. ": duration must be > 0")
  end
  return ns
end

T.new_duration, T.duration_of, T.nanoseconds, T.positive = new_duration, duration_of, nanoseconds, positive
