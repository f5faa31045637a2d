local time = require("time")
local check = require("check")

local function main()
  local t = time.date(2024, time.DECEMBER, 29, 15, 4, 5, 6, time.utc)
  check.eq({ 2024, 12, 29 }, { t:date() })
  check.eq({ 15, 4, 5 }, { t:clock() })
  check.eq({ 2024, 12, 29, 15, 4, 5, 6 },
    { t:year(), t:month(), t:day(), t:hour(), t:minute(), t:second(), t:nanosecond() })
  check.eq(time.SUNDAY, t:weekday())
  check.eq(364, t:year_day())
  check.eq(1735484645, t:unix())
  check.eq(1735484645000000006, t:unix_nano())
  check.eq(1735484645, time.unix(1735484645, 0):unix())
  check.eq("2024-12-29T15:04:06Z", time.unix(1735484645, 1500000000):utc():format_rfc3339())
  check.eq("userdata", type(t))
  check.eq("integer", math.type(t:unix()))

  -- Parts out of range carry over.
  check.eq("2024-03-01", time.date(2024, 2, 30, 0, 0, 0, 0, time.utc):format(time.DATE_ONLY))
  check.eq("2023-12-31", time.date(2024, 1, 0, 0, 0, 0, 0, time.utc):format(time.DATE_ONLY))
  check.eq("2025-01-15", time.date(2024, 13, 15, 0, 0, 0, 0, time.utc):format(time.DATE_ONLY))
  check.eq("2024-01-02 01:00:00", time.date(2024, 1, 1, 25, 0, 0, 0, time.utc):format(time.DATE_TIME))
  check.eq("1969-12-31 23:59:59", time.unix(-1, 0):utc():format(time.DATE_TIME))
  check.eq("0001-01-01", time.date(1, 1, 1, 0, 0, 0, 0, time.utc):format(time.DATE_ONLY))
  check.ok(time.date(1, 1, 1, 0, 0, 0, 0, time.utc):is_zero())
  check.ok(not t:is_zero())

  -- Leap years, and every day of four hundred years has its own number.
  check.eq("2000-02-29", time.date(2000, 2, 29, 0, 0, 0, 0, time.utc):format(time.DATE_ONLY))
  check.eq("1900-03-01", time.date(1900, 2, 29, 0, 0, 0, 0, time.utc):format(time.DATE_ONLY))
  for year = 1600, 2000 do
    local first, last = time.date(year, 1, 1, 0, 0, 0, 0, time.utc), time.date(year, 12, 31, 0, 0, 0, 0, time.utc)
    check.eq(1, first:year_day())
    check.eq({ year, 12, 31 }, { last:date() })
    check.eq(first:unix() // 86400 + last:year_day() - 1, last:unix() // 86400)
  end

  check.raises("month must be a whole number", time.date, 2024, 1.5, 1)
  check.raises("year must be a whole number", time.date, "2024", 1, 1)
  check.raises("location must be a Location", time.date, 2024, 1, 1, 0, 0, 0, 0, "UTC")
end

return { main = main }
