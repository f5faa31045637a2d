local time = require("time")
local check = require("check")

local function parsed(layout, value, location)
  local t, err = time.parse(layout, value, location)
  return t and t:format(time.RFC3339NANO) or tostring(err)
end

local function main()
  local new_york = time.load_location("America/New_York")
  check.eq("2024-12-29T15:04:05Z", parsed(time.RFC3339, "2024-12-29T15:04:05Z"))
  check.eq("2024-12-29T15:04:05.678Z", parsed(time.RFC3339, "2024-12-29T15:04:05.678Z"))
  check.eq("2024-12-29T15:04:05+05:30", parsed(time.RFC3339, "2024-12-29T15:04:05+05:30"))
  check.eq("2024-12-29T00:00:00Z", parsed("2006-01-02", "2024-12-29", time.utc))
  check.eq("2024-12-29T14:30:00-05:00", parsed("2006-01-02 15:04", "2024-12-29 14:30", new_york))
  check.eq("2024-12-29T14:30:00-05:00", parsed("2006-01-02 15:04:05 MST", "2024-12-29 14:30:00 EST", new_york))
  check.eq("2024-02-09T00:00:00Z", parsed("2006 002", "2024 040", time.utc))
  check.eq("2024-02-05T15:04:00Z", parsed("Jan _2 2006 3:04PM", "feb  5 2024 3:04pm", time.utc))
  check.eq("1999-01-01T00:00:00Z", parsed("06", "99", time.utc))
  check.eq("Monday", time.parse("Monday, 2 January 2006", "monday, 2 january 2006", time.utc):format("Monday"))

  for _, pair in ipairs({
    { time.DATE_ONLY, "invalid-date" }, { time.DATE_ONLY, "2024-13-01" }, { time.DATE_ONLY, "2023-02-29" },
    { time.DATE_ONLY, "2024-01-01x" }, { time.TIME_ONLY, "24:00:00" }, { time.RFC3339, "2024-12-29 15:04:05Z" },
    { time.RFC3339, "" }, { "3PM", "13PM" }, { time.RFC3339, "2024-12-29T15:04:05+99:00" }, { time.RFC3339, 5 },
  }) do
    check.fails(errors.INVALID, "", time.parse(pair[1], pair[2]))
  end
  check.fails(errors.INVALID, "extra text `x`", time.parse(time.DATE_ONLY, "2024-01-01x"))
end

return { main = main }
