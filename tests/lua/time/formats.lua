local time = require("time")
local check = require("check")

local function main()
  local madrid = time.load_location("Europe/Madrid")
  local t = time.date(2006, 1, 2, 15, 4, 5, 120000000, time.fixed_zone("MST", -7 * 3600))
  for layout, shown in pairs({
    [time.RFC3339] = "2006-01-02T15:04:05-07:00",
    [time.RFC3339NANO] = "2006-01-02T15:04:05.12-07:00",
    [time.RFC822] = "02 Jan 06 15:04 MST",
    [time.RFC822Z] = "02 Jan 06 15:04 -0700",
    [time.RFC850] = "Monday, 02-Jan-06 15:04:05 MST",
    [time.RFC1123] = "Mon, 02 Jan 2006 15:04:05 MST",
    [time.RFC1123Z] = "Mon, 02 Jan 2006 15:04:05 -0700",
    [time.DATE_TIME] = "2006-01-02 15:04:05",
    [time.KITCHEN] = "3:04PM",
    [time.STAMP] = "Jan  2 15:04:05",
    [time.STAMP_MILLI] = "Jan  2 15:04:05.120",
    [time.STAMP_MICRO] = "Jan  2 15:04:05.120000",
    [time.STAMP_NANO] = "Jan  2 15:04:05.120000000",
    ["2 of January, 3pm, day 002"] = "2 of January, 3pm, day 002",
    ["Z07 Z0700 Z070000 -07 -07:00:00"] = "-07 -0700 -070000 -07 -07:00:00",
    ["__2|_2|2"] = "  2| 2|2",
    ["plain"] = "plain",
    [""] = "",
  }) do
    check.eq(shown, t:format(layout))
  end
  check.eq("Sun Dec 29 15:04:05 UTC 2024",
    time.date(2024, 12, 29, 15, 4, 5, 0, time.utc):format("Mon Jan 2 15:04:05 MST 2006"))
  check.eq("12:00AM", time.date(2024, 1, 1, 0, 0, 0, 0, time.utc):format(time.KITCHEN))
  check.eq("2024-07-01T12:00:00+02:00", time.date(2024, 7, 1, 12, 0, 0, 0, madrid):format_rfc3339())
  check.eq("2024-12-29 15:04:05 +0000 UTC", tostring(time.date(2024, 12, 29, 15, 4, 5, 0, time.utc)))
  check.fails(errors.INVALID, "layout", t:format(string.rep("x", 1025)))
  check.fails(errors.INVALID, "9999", time.unix(300000000000000, 0):utc():format(time.RFC3339))
end

return { main = main }
