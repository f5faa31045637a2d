-- The table of the module `time`. The other files of this folder are parts of it: each is a chunk that is called
-- with the host and the table T of what the parts share, in the order that the Python side lists.
local host, T = ...

local SECOND = T.SECOND
local nanoseconds, positive, integer = T.nanoseconds, T.positive, T.integer

local function invalid(message)
  return nil, host.error("Invalid", message, nil, false)
end

return {
  NANOSECOND = 1, MICROSECOND = 1000, MILLISECOND = 1000000, SECOND = SECOND, MINUTE = 60 * SECOND,
  HOUR = 3600 * SECOND,

  RFC3339 = "2006-01-02T15:04:05Z07:00",
  RFC3339NANO = "2006-01-02T15:04:05.999999999Z07:00",
  RFC822 = "02 Jan 06 15:04 MST",
  RFC822Z = "02 Jan 06 15:04 -0700",
  RFC850 = "Monday, 02-Jan-06 15:04:05 MST",
  RFC1123 = "Mon, 02 Jan 2006 15:04:05 MST",
  RFC1123Z = "Mon, 02 Jan 2006 15:04:05 -0700",
  DATE_TIME = "2006-01-02 15:04:05",
  DATE_ONLY = "2006-01-02",
  TIME_ONLY = "15:04:05",
  KITCHEN = "3:04PM",
  STAMP = "Jan _2 15:04:05",
  STAMP_MILLI = "Jan _2 15:04:05.000",
  STAMP_MICRO = "Jan _2 15:04:05.000000",
  STAMP_NANO = "Jan _2 15:04:05.000000000",

  JANUARY = 1, FEBRUARY = 2, MARCH = 3, APRIL = 4, MAY = 5, JUNE = 6, JULY = 7, AUGUST = 8, SEPTEMBER = 9,
  OCTOBER = 10, NOVEMBER = 11, DECEMBER = 12,
  SUNDAY = 0, MONDAY = 1, TUESDAY = 2, WEDNESDAY = 3, THURSDAY = 4, FRIDAY = 5, SATURDAY = 6,

  utc = T.utc,
  localtz = T.localtz,
  now = T.now,

  date = function(year, month, day, hour, minute, second, nanosecond, location)
    return T.from_wall(
      integer(year, "year"), integer(month or 1, "month"), integer(day or 1, "day"), integer(hour or 0, "hour"),
      integer(minute or 0, "minute"), integer(second or 0, "second"), integer(nanosecond or 0, "nanosecond"),
      T.as_location(location)
    )
  end,

  unix = function(seconds, nanosecond)
    return T.make(integer(seconds, "seconds"), integer(nanosecond or 0, "nanoseconds"), T.localtz)
  end,

  parse = function(layout, value, location)
    if type(layout) ~= "string" or type(value) ~= "string" then
      return invalid("time.parse: expected a layout and a value, both strings")
    end
    local parsed, err = host.sync("parse_time", layout, value)
    if not parsed then
      return nil, err
    end
    return T.from_parsed(parsed, T.as_location(location))
  end,

  parse_duration = function(value)
    local ns, err = nanoseconds(value, "time.parse_duration")
    if not ns then
      return nil, err
    end
    return T.new_duration({ ns = ns })
  end,

  load_location = function(name)
    local found, err = host.sync("load_location", name)
    if not found then
      return nil, err
    end
    return found == "UTC" and T.utc or T.new_location({ name = found })
  end,

  fixed_zone = function(name, offset)
    if type(name) ~= "string" then
      error("time.fixed_zone: the name must be a string, got " .. type(name), 2)
    end
    return T.new_location({ name = name, offset = integer(offset, "offset") })
  end,

  sleep = function(duration)
    local ns, err = nanoseconds(duration, "time.sleep")
    if not ns then
      return nil, err
    end
    host.sleep(ns / SECOND)
  end,

  after = function(duration)
    local ns, err = positive(duration, "time.after")
    if not ns then
      return nil, err
    end
    local state = { channel = host.channel(1) }
    T.start_timer(state, ns, function()
      host.close(state.channel)
    end)
    return state.channel
  end,

  timer = function(duration)
    local ns, err = positive(duration, "time.timer")
    if not ns then
      return nil, err
    end
    local state = { channel = host.channel(1) }
    T.start_timer(state, ns)
    return T.new_timer(state)
  end,

  ticker = function(duration)
    local ns, err = positive(duration, "time.ticker")
    if not ns then
      return nil, err
    end
    return T.start_ticker(ns)
  end,
}
