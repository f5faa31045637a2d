local time = require("time")
local check = require("check")

local function main()
  local t = time.date(2024, 12, 29, 15, 4, 5, 0, time.utc)
  check.eq(16, t:add(time.parse_duration("1h")):hour())
  check.eq(34, t:add("30m"):minute())
  check.eq(16, t:add(time.HOUR):hour())
  check.eq(15, t:add(-time.NANOSECOND):hour())
  check.eq(999999999, t:add(-1):nanosecond())
  check.eq(24, t:add("24h"):sub(t):hours())
  check.eq(-1500, t:sub(t:add("1.5s")):milliseconds())
  check.eq("2026-03-01", t:add_date(1, 2, 0):format(time.DATE_ONLY))
  check.eq("2024-12-22", t:add_date(0, 0, -7):format(time.DATE_ONLY))
  check.eq(math.maxinteger, time.date(9000, 1, 1, 0, 0, 0, 0, time.utc):sub(t):nanoseconds())
  check.eq(math.mininteger, t:sub(time.date(9000, 1, 1, 0, 0, 0, 0, time.utc)):nanoseconds())

  local later = t:add(1)
  check.ok(t:before(later) and later:after(t) and not t:after(later) and t:equal(t))
  check.ok(t < later and t <= later and t <= t and t ~= later)
  local there = t:in_location(time.fixed_zone("X", 3600))
  check.ok(t == there and t:equal(there), "zones do not change the moment")

  local moment = time.parse("2006-01-02T15:04:05.999999999Z07:00", "2024-01-01T12:34:56.789Z")
  check.eq("2024-01-01T12:34:57Z", moment:round(time.parse_duration("1s")):format_rfc3339())
  check.eq("2024-01-01T12:34:00Z", moment:truncate(time.parse_duration("1m")):format_rfc3339())
  check.eq("2024-01-01T12:30:00Z", moment:truncate(time.parse_duration("15m")):format_rfc3339())
  check.ok(moment:round(time.parse_duration(0)) == moment)
  check.raises("expects a Duration", moment.round, moment, "1s")

  check.fails(errors.INVALID, "invalid duration", t:add("soon"))
  check.fails(errors.INVALID, "expected a number", t:add({}))
  check.raises("must be a Time", t.before, t, 5)
  check.raises("method of a Time", t.hour, 5)
end

return { main = main }
